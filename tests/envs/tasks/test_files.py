from __future__ import annotations

from pathlib import Path

import pytest

from debate_gym.envs.tasks.files import find_files

NAMES = ("b.jsonl", "a.jsonl")


def test_files_are_found_by_name_below_the_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    for name in ("t/x/a.jsonl", "t/y/b.jsonl", "t/b.jsonl", "t/c.jsonl", "u/a.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path).as_posix() for path in find_files("t", NAMES, "web")]
    assert found == ["t/b.jsonl", "t/y/b.jsonl", "t/x/a.jsonl"]


def test_a_missing_file_says_where_what_and_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEBATE_GYM_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(FileNotFoundError, match=r"DEBATE_GYM_DATA is not set.* b.jsonl, a.jsonl"):
        find_files("t", NAMES, "the web")
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no such folder, so none of b.jsonl, a.jsonl"):
        find_files("t", NAMES, "the web")
    (tmp_path / "t").mkdir()
    with pytest.raises(FileNotFoundError) as error:
        find_files("t", NAMES, "the web")
    for part in (str(tmp_path / "t"), "b.jsonl, a.jsonl", "data fetch t", "the web"):
        assert part in str(error.value)


def test_without_the_variable_the_cache_folder_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEBATE_GYM_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = tmp_path / "debate_gym" / "data" / "t" / "a.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    assert find_files("t", NAMES, "the web") == [path]
