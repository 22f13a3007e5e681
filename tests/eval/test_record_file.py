from __future__ import annotations

from pathlib import Path

import pytest

from debate_gym.eval.record_file import RecordFile
from debate_gym.eval.store import FileError, read_records


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "records.jsonl"
    with RecordFile(path) as file:
        assert file.records == []
        file.append([{"a": "é"}, {"a": "\ud800"}])
        assert list(read_records(path)) == [{"a": "é"}, {"a": "\ud800"}]
        file.append([])
    with RecordFile(path) as file:
        file.append([{"b": 1}])
        assert file.records == [{"a": "é"}, {"a": "\ud800"}]
    assert len(list(read_records(path))) == 3


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text('{"a": 1}\n{"a": ')
    with RecordFile(path) as file:
        file.append([{"a": 2}])
    assert list(read_records(path)) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("text", ["a note", "first line\na note", '{"a": 1}\na note\n{'])
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(FileError, match=r"notes\.txt:[12]: "):
        RecordFile(path)
    assert path.read_text() == text


def test_errors_leave_the_file_free(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with RecordFile(path), pytest.raises(FileError, match="being written to by another"):
        RecordFile(path)
    path.write_text("[]\n")
    with pytest.raises(FileError, match=r"records\.jsonl:1: expected a JSON object"):
        RecordFile(path)
    path.write_text("")
    RecordFile(path).__exit__()
