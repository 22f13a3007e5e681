from __future__ import annotations

import csv
import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
from huggingface_hub.errors import GatedRepoError

from debate_gym.envs.tasks import NINE, mmmu
from debate_gym.envs.tasks.intake import Intake
from debate_gym.eval import fetch as fetching
from debate_gym.eval.data_cli import folder_of
from debate_gym.eval.hub_layouts import write_mmlu, write_mmmu
from debate_gym.eval.sources import SOURCES, Hub, Url

Sources = dict[str, tuple[Url | Hub, ...]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def use(monkeypatch: pytest.MonkeyPatch, *sources: Url | Hub) -> None:
    monkeypatch.setattr(fetching, "SOURCES", {"boolq": sources})


def test_every_task_has_a_source_at_a_fixed_revision() -> None:
    assert {folder_of(task) for task in NINE} == SOURCES.keys()
    for source in (s for many in SOURCES.values() for s in many):
        if isinstance(source, Hub):
            assert re.fullmatch("[0-9a-f]{40}", source.revision)
        elif "githubusercontent" in source.url:
            assert re.search("/[0-9a-f]{40}/", source.url)


def test_a_file_is_downloaded_once(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "up.jsonl").write_bytes(b"{}\n")
    digest = hashlib.sha256(b"{}\n").hexdigest()
    use(monkeypatch, Url((tmp_path / "up.jsonl").as_uri(), "a/dev.jsonl", digest))
    assert fetching.fetch("boolq") == [root / "boolq/a/dev.jsonl"]
    (tmp_path / "up.jsonl").unlink()
    assert fetching.fetch("boolq") == [root / "boolq/a/dev.jsonl"]
    assert (root / "boolq/a/dev.jsonl").read_bytes() == b"{}\n"


def test_a_wrong_checksum_and_a_dead_link_leave_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "up.jsonl").write_bytes(b"{}\n")
    use(monkeypatch, Url((tmp_path / "up.jsonl").as_uri(), "dev.jsonl", "0" * 64))
    with pytest.raises(OSError, match="checksum"):
        fetching.fetch("boolq")
    use(monkeypatch, Url((tmp_path / "gone.jsonl").as_uri(), "dev.jsonl"))
    with pytest.raises(OSError, match=r"Is there a network\? Else .* put it at .*dev\.jsonl"):
        fetching.fetch("boolq")
    assert not [path for path in root.rglob("*") if path.is_file()]


def test_members_of_an_archive_are_unpacked(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "up.zip", "w") as archive:
        archive.writestr("inner/x.train", "1")
        archive.writestr("../evil/y.dev", "2")
        archive.writestr("inner/x.test", "3")
    source = Url((tmp_path / "up.zip").as_uri(), "up.zip", members=(".train", ".dev"))
    use(monkeypatch, source)
    expected = [root / "boolq" / name for name in ("x.train", "y.dev")]
    assert sorted(fetching.fetch("boolq")) == expected
    assert sorted(path for path in root.rglob("*") if path.is_file()) == expected
    (tmp_path / "up.zip").unlink()
    assert sorted(fetching.fetch("boolq")) == expected


def test_what_is_no_archive_is_refused(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "up.zip").write_text("<html>gone</html>")
    use(monkeypatch, Url((tmp_path / "up.zip").as_uri(), "up.zip", members=(".dev",)))
    with pytest.raises(OSError, match="expected a zip archive"):
        fetching.fetch("boolq")


def test_an_unknown_data_set_is_named(root: Path) -> None:
    with pytest.raises(ValueError, match="did you mean 'boolq'"):
        fetching.fetch("bolq")


class Rows:
    def __init__(self, **splits: list[Mapping[str, Any]]) -> None:
        self.names = tuple(splits)
        self._splits = splits
        self.asked: list[str] = []

    def rows(self, split: str) -> Iterable[Mapping[str, Any]]:
        self.asked.append(split)
        return self._splits[split]


def test_mmlu_of_the_hub_becomes_the_authors_tree(tmp_path: Path) -> None:
    row = {"question": 'a\n"b"', "choices": ["1", "None", "x,y", ""], "answer": 2}
    rows = Rows(validation=[{**row, "subject": "anatomy"}], test=[{**row, "subject": "law"}])
    files = write_mmlu(tmp_path, "all", rows)
    assert [path.relative_to(tmp_path).as_posix() for path in files] == [
        "data/val/anatomy_val.csv",
        "data/test/law_test.csv",
    ]
    with files[0].open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [['a\n"b"', "1", "None", "x,y", "", "C"]]
    again = Rows(validation=[], test=[])
    assert write_mmlu(tmp_path, "all", again) == files
    assert again.asked == []


def test_mmmu_of_the_hub_keeps_the_picture_bytes(tmp_path: Path) -> None:
    row = {"id": "x", "options": "['a', 'b']", "image_1": {"bytes": b"\x00\xff", "path": None}}
    (path,) = write_mmmu(tmp_path, "Art", Rows(dev=[{**row, "image_2": None}]))
    assert path == tmp_path / "hub" / "Art_dev.jsonl"
    assert json.loads(path.read_text("utf-8")) == {
        "id": "x",
        "options": "['a', 'b']",
        "image_1": {"bytes": "AP8="},
        "image_2": None,
    }


def test_pictures_of_datasets_are_not_decoded(tmp_path: Path) -> None:
    png = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
        "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
    )
    features = datasets.Features({"image_1": datasets.Image()})
    data = datasets.Dataset.from_dict(
        {"image_1": [{"bytes": png, "path": None}]}, features=features
    )

    class One(Rows):
        def rows(self, split: str) -> Any:
            return data

    (path,) = write_mmmu(tmp_path, "Art", One(dev=[]))
    record = json.loads(path.read_text("utf-8"))
    assert list(record["image_1"]) == ["bytes"]
    assert record["image_1"]["bytes"].startswith("iVBORw0K")


def test_mmmu_of_the_hub_is_read(root: Path) -> None:
    row = {
        "id": "validation_Art_1",
        "question": "Which? <image 1>",
        "options": "['a', 'b', 'c']",
        "explanation": "Because.",
        "answer": "B",
        "question_type": "multiple-choice",
        "image_1": {"bytes": b"\x89PNG\r\n\x1a\n", "path": None},
        "image_2": None,
    }
    write_mmmu(root / "mmmu", "Art", Rows(validation=[row]))
    intake = Intake()
    (item,) = mmmu.read(intake, np.random.default_rng(0))
    assert intake.broken == []
    assert item.upstream_id == "validation_Art_1"


def test_a_gated_set_says_what_to_accept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    def gated(*args: Any, **options: Any) -> None:
        reply = httpx.Response(403, request=httpx.Request("GET", "https://x"))
        raise GatedRepoError("no", response=reply)

    monkeypatch.setattr(datasets, "load_dataset", gated)
    use(monkeypatch, Hub("a/b", "0" * 40, "mmlu", ("all",), ("test",), "the CC BY 4.0 terms"))
    with pytest.raises(OSError, match=r"accept the CC BY 4.0 terms at https://.*/datasets/a/b"):
        fetching.fetch("boolq")


def test_without_a_hub_the_message_says_why(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(*args: Any, **options: Any) -> None:
        raise ConnectionError("offline")

    monkeypatch.setattr(datasets, "load_dataset", offline)
    use(monkeypatch, Hub("a/b", "0" * 40, "mmlu", ("all",), ("test",)))
    with pytest.raises(OSError, match=r"could not load a/b .*HF_HUB_OFFLINE"):
        fetching.fetch("boolq")
