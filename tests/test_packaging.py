"""The package is what the folders say, and the floors hold."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("envs", "agents", "eval", "train")
FOLDERS = (*FLOORS, "configs")
SOURCES = [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")]


def test_every_folder_with_code_is_listed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = set(project["tool"]["setuptools"]["packages"])
    found = {path.parent for path in [*SOURCES, *(ROOT / "configs").rglob("*.py")]}
    names = {"debate_gym." + ".".join(folder.relative_to(ROOT).parts) for folder in found}
    assert names == listed


def test_links_for_type_checkers() -> None:
    for name in FOLDERS:
        assert (ROOT / "typings" / "debate_gym" / name).resolve() == ROOT / name


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_only_go_down(path: Path) -> None:
    floor = FLOORS.index(path.relative_to(ROOT).parts[0])
    above = {f"debate_gym.{name}" for name in FLOORS[floor + 1 :]} | set(FLOORS)
    banned = above | ({"torch", "transformers", "trl"} if floor == 0 else set())
    for name in _imports(path):
        assert not any(name == bad or name.startswith(bad + ".") for bad in banned), name


def test_no_second_copy_is_imported() -> None:
    for path in [*(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]:
        tops = {name.partition(".")[0] for name in _imports(path)}
        assert not tops & set(FOLDERS), f"{path}: import debate_gym.NAME instead"


@pytest.mark.parametrize("folder", ["train", "eval"])
def test_no_script_folder_shadows_a_library(folder: str) -> None:
    """A script's own folder comes first on the path, before the standard library."""
    taken = sys.stdlib_module_names | set(packages_distributions())
    assert not {path.stem for path in (ROOT / folder).glob("[!_]*.py")} & taken


def test_the_wheel_holds_every_file_and_nothing_beside_the_package(tmp_path: Path) -> None:
    hidden = shutil.ignore_patterns("__pycache__", ".*")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=hidden)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    expected = {
        f"debate_gym/{path.relative_to(tmp_path).as_posix()}"
        for folder in FOLDERS
        for path in (tmp_path / folder).rglob("*")
        if path.is_file()
    }
    build = "from setuptools.build_meta import build_wheel; build_wheel('dist')"
    (tmp_path / "dist").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == expected


def test_envs_load_fast_and_without_torch() -> None:
    code = (
        "import sys, time; t = time.perf_counter(); import debate_gym.envs;"
        "print(time.perf_counter() - t, 'torch' in sys.modules)"
    )
    times = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        seconds, loaded = done.stdout.split()
        assert loaded == "False"
        times.append(float(seconds))
    assert min(times) < 1.0


def test_the_shipped_policy_is_small() -> None:
    size = sum(path.stat().st_size for path in (ROOT / "agents" / "tiny").iterdir())
    assert 0 < size < 5_000_000
