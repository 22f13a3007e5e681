from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.eval.ledger.panel_file import table_of
from debate_gym.eval.ledger.probes import (
    EPSILON,
    STRENGTHS,
    cost_beside_audit,
    high_flip_pool,
    probe_columns,
    probe_table,
    rates_by_model,
    read_probes,
)
from debate_gym.eval.store import FileError

Call = Callable[..., Any]


def probe(
    question: str, initial: str | None, solo: str, social: str, model: str = "m"
) -> dict[str, Any]:
    """Replies as one letter a strength, `-` for unparsed; the correct option is B."""

    def replies(letters: str) -> dict[str, str | None]:
        read = [None if letter == "-" else letter for letter in letters]
        return dict(zip(STRENGTHS, read, strict=True))

    return {
        "model": model,
        "family": "f",
        "question_id": question,
        "gold": "B",
        "options": ["1", "2", "3", "4"],
        "initial": initial,
        "replies": {"solo": replies(solo), "social": replies(social)},
    }


def test_rates_by_hand() -> None:
    table = probe_table(
        [
            probe("q1", "B", "BBBA", "BAAC"),  # right: 1 + 3 of 8 to wrong
            probe("q2", "A", "AACB", "A-BC"),  # wrong: 2 + 2 flips, 2 of them to B
        ]
    )
    found = rates_by_model(table)["m"]
    assert found.n == 2
    assert found.flip_rate == 8 / 16
    assert found.adversarial == 4 / 8
    assert found.corrective == 2 / 8
    assert found.social == pytest.approx(5 / 8 - 3 / 8)
    # Strong and very strong: solo 0+1+1+1, social 1+1+1+1; weak and moderate: 0 and 0+1.
    assert found.argument == pytest.approx(7 / 8 - 1 / 8)
    assert found.s_a == pytest.approx(0.25 / (0.25 + 0.75 + EPSILON))
    assert found.unparsed == 1 / 18


def test_unparsed_is_no_change_and_never_right() -> None:
    found = rates_by_model(probe_table([probe("q", None, "ABCD", "ABCD")]))["m"]
    assert found.flip_rate == 0
    assert found.adversarial is None
    assert found.corrective is None
    assert found.s_a == 0


def test_the_sign_of_s_a_is_that_of_the_social_effect() -> None:
    found = rates_by_model(probe_table([probe("q", "B", "AAAA", "BBBB")]))["m"]
    assert found.social == -1
    assert found.s_a == pytest.approx(-1, abs=2 * EPSILON)


def test_the_pool_is_the_top_by_solo_flips_alone() -> None:
    table = probe_table(
        [
            probe("q3", "B", "AAAA", "BBBB"),
            probe("q2", "B", "AABB", "BBBB"),
            probe("q1", "B", "AABB", "AAAA"),
            probe("q0", "B", "BBBB", "AAAA"),
        ]
    )
    assert high_flip_pool(table, 2) == {"m": ["q3", "q1"]}
    with pytest.raises(ValueError, match="a pool of 5 was asked for, but 'm' was probed on 4"):
        high_flip_pool(table, 5)


def test_figures_of_a_debate_are_those_of_its_model_and_question(debate: Call) -> None:
    table = probe_table([probe("q", "B", "AABB", "BBBB"), probe("r", "B", "BBBB", "BBBB", "n")])
    panels = table_of(
        [
            debate("0", ["A"], ["B"], question_id="q", model="m"),
            debate("1", ["A"], ["B"], question_id="q", model="n"),
            debate("2", ["A"], ["B"], question_id="r", model="n"),
        ]
    )
    found = probe_columns(table, panels)["flip_rate"]
    assert np.array_equal(found, [0.25, np.nan, 0], equal_nan=True)


def test_cost() -> None:
    # 9 generations a probed question; 3 seats x 4 rounds a debate.
    assert cost_beside_audit(1000, 50) == {"probe_generations": 9000, "audit_generations": 600}


def test_the_command(tmp_path: Path, run: Call) -> None:
    path = tmp_path / "probes.jsonl"
    records = [probe("q1", "B", "BBBA", "BAAC"), probe("q2", "A", "AACB", "A-BC")]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    found = run("probes", path, "--pool", "1")
    assert found["models"][0]["flip_rate"] == 0.5
    assert found["pools"] == {"m": ["q2"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"initial": "E"}, "expected a letter of A, B, C, D, got 'E'"),
        ({"gold": None}, "expected a letter of A, B, C, D, got None"),
        ({"replies": {"solo": {}}}, "no probe record: 'weak'"),
        ({"question_id": "q1"}, "('m', 'q1') was probed before"),
    ],
)
def test_bad_records_name_the_line(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "probes.jsonl"
    records = [probe("q1", "B", "BBBB", "BBBB"), {**probe("q2", "B", "BBBB", "BBBB"), **change}]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    with pytest.raises(FileError, match=r"probes\.jsonl:2: ") as error:
        read_probes(path)
    assert message in str(error.value)
