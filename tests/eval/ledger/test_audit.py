from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debate_gym.eval.store import FileError

Call = Callable[..., Any]
FINAL_B, WORDED_B, LONE_A, LAST_A, LAST_B = "Final answer: B", "I pick B", "A", "or A?", "or B?"


def test_rules_changes_and_disagreements(debate: Call, write: Call, run: Call) -> None:
    texts = [
        # Right at both ends by strong rules.
        [[FINAL_B, WORDED_B, "no idea"], [FINAL_B, FINAL_B, LONE_A]],
        # Preserved by all rules; without the last one the end is A, a collapse.
        [[FINAL_B, FINAL_B, FINAL_B], [LONE_A, LAST_B, LAST_B]],
        # Without the last rule nothing is left at the end: not labelable.
        [[FINAL_B, FINAL_B, FINAL_B], [LAST_A, LAST_A, LAST_B]],
    ]
    rounds = [
        [["B", "B", None], ["B", "B", "A"]],
        [["B", "B", "B"], ["A", "B", "B"]],
        [["B", "B", "B"], ["A", "A", "C"]],  # the file's C is no letter of the text
    ]
    records = [
        debate(str(i), *answers, texts=text)
        for i, (answers, text) in enumerate(zip(rounds, texts, strict=True))
    ]
    found = run("ledger", write(records), "--audit")["audit"]
    assert found["answers"] == 18
    assert found["rules"] == {
        "final-marker": 9,
        "answer-wording": 1,
        "lone-letter": 2,
        "last-letter": 5,
        "unparsed": 1,
    }
    assert found["disagreeing"] == 1
    assert (found["labelable"], found["changed"]) == (2, 1)
    assert (found["all_rules"]["preserved"], found["all_rules"]["collapsed"]) == (2, 1)
    assert (found["strict"]["collapsed"], found["strict"]["undefined"]) == (1, 1)


def test_needs_texts(debate: Call, write: Call, run: Call) -> None:
    path = write([debate("0", ["A"], ["B"])])
    with pytest.raises(FileError, match="panels.jsonl:1: it holds no texts"):
        run("ledger", path, "--audit")


def test_parquet(debate: Call, run: Call, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    record = debate("0", ["A"], ["B"], texts=[[LONE_A], [LAST_B]])
    path = tmp_path / "p.parquet"
    pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist([record]), path)
    assert run("ledger", path, "--audit")["audit"]["rules"]["last-letter"] == 1
