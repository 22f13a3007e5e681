from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.envs.tasks.intake import Intake, Item, binary, draw, held_out, of_split, whole


@pytest.mark.parametrize(
    "line",
    [b"[1]", b"{", b'{"a": "\xff"}', b"nothing", b'{"a": "x\\ud83d"}', b'{"a":' + b"[" * 100_000],
)
def test_a_broken_line_is_named_and_the_others_are_read(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n' + line + b'\n{"a": 2}')
    intake = Intake()
    records = list(intake.json_lines(path))
    assert [(record.line, record.value) for record in records] == [(1, {"a": 1}), (4, {"a": 2})]
    assert intake.read == 3
    assert len(intake.broken) == 1
    with pytest.raises(ValueError, match=r"x\.jsonl:3: expected"):
        intake.raise_broken()


def test_a_broken_line_counts_as_a_record_where_the_caller_counts_those_inside(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n{\n', "utf-8")
    intake = Intake()
    assert len(list(intake.json_lines(path, count=False))) == 1
    assert intake.read == len(intake.broken) == 1


def test_csv_rows_keep_texts_and_name_the_line_where_they_begin(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'a,b\r\n"one\ntwo",None\n\n1.0,"x"\r\nshort\n3,N/A\n')
    intake = Intake()
    rows = [(record.line, record.value) for record in intake.csv_rows(path)]
    assert rows == [
        (2, {"a": "one\ntwo", "b": "None"}),
        (5, {"a": "1.0", "b": "x"}),
        (7, {"a": "3", "b": "N/A"}),
    ]
    assert intake.read == 4
    assert intake.broken == [f"{path}:6: expected 2 fields as in the header, got 1"]


def test_csv_without_header_and_with_an_open_quote(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'a,b\n"c,d\n')
    intake = Intake()
    assert [record.value for record in intake.csv_rows(path, header=False)] == [["a", "b"]]
    assert intake.broken[0].startswith(f"{path}:2: expected csv")
    assert intake.read == 2


def test_an_unknown_encoding_is_told_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("a,b\ncaf\u00e9,1\n".encode("latin-1"))
    intake = Intake()
    assert list(intake.csv_rows(path)) == []
    assert intake.broken[0].startswith(f"{path}:2: expected UTF-8")


def test_a_json_file_of_the_wrong_kind_or_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    intake = Intake()
    for text, line in (("[1]", 1), ('{"a": 1,\n"b', 2)):
        path.write_text(text, "utf-8")
        assert intake.json_file(path, dict) is None
        assert intake.broken[-1].startswith(f"{path}:{line}: expected")
    path.write_text("[1]", "utf-8")
    assert intake.json_file(path, list) == [1]


def test_both_halves_of_a_surrogate_pair_are_one_character(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": "\\ud83d\\ude00"}\n', "utf-8")
    assert [record.value for record in Intake().json_lines(path)] == [{"a": "\U0001f600"}]


def test_all_broken_records_are_told_at_once_up_to_twenty() -> None:
    intake = Intake(broken=[f"x:{i}: bad" for i in range(25)])
    with pytest.raises(ValueError, match=r"x:0: bad\nx:1: bad[\s\S]*x:19: bad\n... and 5 more"):
        intake.raise_broken()


def test_duplicates_are_counted_and_the_first_wins() -> None:
    intake = Intake()
    items = [item("b", record=1), item("a", record=2), item("b", record=3)]
    assert [(one.key, one.record) for one in intake.unique(items)] == [("a", 2), ("b", 1)]
    assert intake.duplicates == 1


def test_whole_refuses_broken_records() -> None:
    def read(intake: Intake, rng: np.random.Generator, broken: bool) -> list[Item[Any]]:
        intake.broken += ["x:1: bad"] * broken
        return [item("a")]

    assert len(whole(read, np.random.default_rng(0), broken=False)) == 1
    with pytest.raises(ValueError, match="x:1: bad"):
        whole(read, np.random.default_rng(0), broken=True)


def test_a_question_keeps_where_it_comes_from() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        question = binary(
            item("a"), "t", "Is it?", "yes", "no", rng, licence="MIT", wrong_rule="w", extra=1
        )
        assert question.answers[question.correct] == "yes"
        assert question.meta == {
            "licence": "MIT",
            "upstream_id": "up",
            "content_hash": "a",
            "permutation": question.meta["permutation"],
            "wrong_rule": "w",
            "filters": ["f"],
            "extra": 1,
        }
        assert question.answers == tuple(("yes", "no")[i] for i in question.meta["permutation"])


def test_a_quarter_is_held_out() -> None:
    assert 200 < sum(held_out(str(i)) for i in range(1000)) < 300
    items = [item(str(i)) for i in range(100)]
    assert len(of_split(items, "train")) + len(of_split(items, "heldout")) == 100


def test_draw() -> None:
    def drawn(n: int | None) -> list[int]:
        return draw(range(200), n, np.random.default_rng(0), "x")

    assert len(drawn(None)) == 128
    assert drawn(5) == drawn(None)[:5]
    assert sorted(drawn(999)) == list(range(200))
    assert drawn(0) == []
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        drawn(-1)
    with pytest.raises(ValueError, match="no question left in x"):
        draw([], 5, np.random.default_rng(0), "x")


def item(key: str, record: Any = None) -> Item[Any]:
    return Item(key=key, group=key, upstream_id="up", record=record, filters=("f",))
