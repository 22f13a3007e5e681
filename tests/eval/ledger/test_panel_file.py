from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.eval.ledger.panel_file import read_panels
from debate_gym.eval.ledger.panels import Labels, Panels
from debate_gym.eval.store import FileError

Call = Callable[..., Any]
GOOD = [["A", None, "B"], ["B", "B", "B"]]


def to_parquet(path: Path, records: list[dict[str, Any]], **types: Any) -> Path:
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist(records)
    for name, kind in types.items():
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table.column(name).cast(kind))
    pytest.importorskip("pyarrow.parquet").write_table(table, path)
    return path


def same(a: Panels, b: Panels) -> bool:
    return all(
        (x.names, x.codes.tolist()) == (y.names, y.codes.tolist())
        if isinstance(x := getattr(a, name), Labels)
        else np.array_equal(x, getattr(b, name))
        for name in Panels.__slots__
        if (y := getattr(b, name)) is not None
    )


def test_parquet_reads_as_json_lines(debate: Call, write: Call, tmp_path: Path) -> None:
    records = [
        debate("1", ["A", None, "B"], ["B", "B", "B"], task="t"),
        debate("2", ["A"], ["B"], [None], task="u", model="other"),
        debate("3", ["A", "D"], ["C", "B"], task="t", options=["1", "2", "3", "4", "5"]),
    ]
    lines = read_panels(write(records))
    assert lines.answers.shape == (3, 3, 3)
    assert lines.answers[0].tolist() == [[0, -1, 1], [1, 1, 1], [-1, -1, -1]]
    assert lines.last.tolist() == [1, 2, 1]
    assert lines.options.tolist() == [4, 4, 5]
    assert same(read_panels(to_parquet(tmp_path / "p.parquet", records)), lines)
    # One shape, and another physical type of text.
    pa = pytest.importorskip("pyarrow")
    even = [debate(str(i), *GOOD) for i in range(5)]
    path = to_parquet(tmp_path / "q.parquet", even, gold=pa.large_string())
    assert same(read_panels(path), read_panels(write(even)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rounds": [["A", "E"], ["A", "B"]]}, "round 0: an answer must be null or one of"),
        ({"rounds": [["A", "AB"], ["A", "B"]]}, "got 'AB'"),
        ({"rounds": [["A", "a"], ["A", "B"]]}, "got 'a'"),
        ({"rounds": [["A", "B"], ["A"]]}, "round 1 must hold one answer for each seat"),
        ({"rounds": [["A", "B"]]}, "rounds must be a list of round 0 and revisions"),
        ({"rounds": [[], []]}, "round 0 must hold one answer"),
        ({"gold": "E"}, "gold must be one of A, B, C, D, got 'E'"),
        ({"options": ["one"], "gold": "A"}, "options must be a list of 2 to 26"),
        ({"id": "0"}, "the id '0' came before"),
    ],
)
def test_bad_records_name_the_line(
    change: dict[str, Any], message: str, debate: Call, write: Call, tmp_path: Path
) -> None:
    records = [debate("0", *GOOD), {**debate("1", *GOOD), **change}]
    for path in (write(records), to_parquet(tmp_path / "p.parquet", records)):
        with pytest.raises(FileError, match=r"\.(jsonl|parquet):2: ") as error:
            read_panels(path)
        assert message in str(error.value)


def test_a_missing_key_is_named(debate: Call, write: Call, tmp_path: Path) -> None:
    records = [{k: v for k, v in debate("0", *GOOD).items() if k != "gold"}]
    with pytest.raises(FileError, match="panels.jsonl:1: no panel debate: it lacks the key 'gold'"):
        read_panels(write(records))
    with pytest.raises(FileError, match=r"p\.parquet: .*lacks the column 'gold'"):
        read_panels(to_parquet(tmp_path / "p.parquet", records))


def test_texts_have_the_shape_of_rounds(debate: Call, write: Call) -> None:
    with pytest.raises(FileError, match="texts must have the shape of rounds"):
        read_panels(write([debate("0", *GOOD, texts=[["a", "b", "c"], ["d"]])]))
