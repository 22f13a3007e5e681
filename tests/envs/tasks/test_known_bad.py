from __future__ import annotations

from pathlib import Path

import pytest

from debate_gym.envs.tasks.intake import Item
from debate_gym.envs.tasks.known_bad import listed, read_known_bad


def test_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("# wrong labels\nanatomy_test.csv:7\n\n  0123456789abcdef\r\n", "utf-8")
    assert read_known_bad(path) == {"anatomy_test.csv:7", "0123456789abcdef"}
    assert read_known_bad(None) == frozenset()


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"content_hash": "a", "why": "?"}\n{"upstream_id": "b", "content_hash": "c"}')
    assert read_known_bad(str(path)) == {"a", "b", "c"}


@pytest.mark.parametrize(("line", "message"), [("{", "JSON"), ('{"id": 3}', "one of content_hash")])
def test_a_line_that_cannot_be_read(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f"a\n{line}\n")
    with pytest.raises(ValueError, match=rf"bad\.jsonl:2: expected {message}"):
        read_known_bad(path)


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_known_bad(tmp_path / "bad.txt")


def test_listed() -> None:
    item = Item(key="k", group="g", upstream_id="u", record=None)
    assert listed(item, frozenset({"k"}))
    assert listed(item, frozenset({"u"}))
    assert not listed(item, frozenset({"g"}))
