from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debate_gym.eval.ledger.features import FEATURES, Available, Feature, named_features
from debate_gym.eval.ledger.gates import (
    ANY_ROUND1_FLIP,
    ROUND1_MAJORITY_CHANGE,
    OnlineGate,
    fires_from_file,
    online_columns,
)
from debate_gym.eval.ledger.majority import Ties
from debate_gym.eval.ledger.panel_file import table_of
from debate_gym.eval.ledger.transitions import Rules, Scored, score
from debate_gym.eval.ledger.views import LeakError, View
from debate_gym.eval.store import FileError

Call = Callable[..., Any]


@pytest.fixture
def scored(debate: Call) -> Callable[..., Scored]:
    def build(*debates: list[list[str | None]], ties: Ties = Ties.ALPHABETICAL) -> Scored:
        records = [debate(str(i), *rounds) for i, rounds in enumerate(debates)]
        return score(table_of(records), Rules(ties))

    return build


def test_round_1_rules(scored: Call) -> None:
    table = scored(
        [["B", "B", "A"], ["A", "A", "B"], ["B", "B", "B"]],  # majority and seats change
        [["B", "B", "A"], ["B", "B", "C"], ["A", "A", "A"]],  # one seat, not the majority
        [["B", "B", "A"], ["B", "B", "A"], ["A", "A", "A"]],  # nothing before round 2
        [["B", "B", None], ["B", "B", "A"], ["B", "B", "B"]],  # from unparsed is no change
        [["B", "B", "A"], [None, None, None], ["A", "A", "A"]],  # nothing is known of round 1
    )
    assert ROUND1_MAJORITY_CHANGE.fires(table).tolist() == [True, False, False, False, False]
    assert ANY_ROUND1_FLIP.fires(table).tolist() == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("ties", "fires"),
    [
        # From a tie of B and C to B, to a tie of C and D, and to the same tie.
        (Ties.ALPHABETICAL, [False, True, False]),
        (Ties.UNDECIDED, [True, False, False]),
        (Ties.EXPECTED, [True, True, False]),
    ],
)
def test_a_majority_change_under_each_tie_policy(
    ties: Ties, fires: list[bool], scored: Call
) -> None:
    tie: list[str | None] = ["B", "C"]
    table = scored([tie, ["B", "B"]], [tie, ["C", "D"]], [tie, ["C", "B"]], ties=ties)
    assert ROUND1_MAJORITY_CHANGE.fires(table).tolist() == fires


def later_rounds(view: View) -> Any:
    return view.agreement(2)


def gold_labels(view: View) -> Any:
    return view.right(0)


def number_of_rounds(view: View) -> Any:
    return np.full(len(view), view.rounds)


@pytest.mark.parametrize("compute", [later_rounds, gold_labels, number_of_rounds])
def test_a_gate_refuses_a_feature_that_reads_more_than_it_says(
    compute: Callable[[View], Any], scored: Call
) -> None:
    table = scored([["B"], ["A"], ["B"]])
    cheat = Feature("cheat", Available.ROUND_1, compute)
    gate = OnlineGate("g", 1, (cheat,), lambda values: values[:, 0] > 0)
    with pytest.raises(LeakError, match="'cheat' is not known at run time"):
        gate.fires(table)
    # The same numbers may be had once the debate is over.
    assert np.isfinite(compute(View(table, gold=True))).all()


@pytest.mark.parametrize("name", sorted(FEATURES))
@pytest.mark.parametrize("after", [0, 1])
def test_every_feature_reads_what_it_says(name: str, after: int, scored: Call) -> None:
    table = scored([["B", "A"], ["A", "A"], ["B", "A"]], [["B", None], ["B", "C"], ["A", "A"]])
    probes = {"flip_rate": np.array([0.5, 0.25]), "s_a": np.array([0.0, 1.0])}
    feature = FEATURES[name]
    if feature.known(after):
        assert np.isfinite(online_columns([feature], after, table, probes)).all()
        return
    with pytest.raises(LeakError, match=f"'{name}' is not known at run time"):
        online_columns([feature], after, table, probes)
    # Also where it hides what it needs.
    liar = Feature(name, Available.BEFORE, feature.compute)
    with pytest.raises(LeakError, match=f"'{name}' is not known at run time"):
        online_columns([liar], after, table, probes)


def test_online_features_stay_the_same_when_the_future_and_the_gold_label_change(
    scored: Call, debate: Call
) -> None:
    start: list[list[str | None]] = [["B", "A", "A"], ["B", "C", "A"]]
    ends = [(["A"] * 3, "A"), (["D"] * 3, "D"), ([None] * 3, "B")]
    names = [n for n, f in FEATURES.items() if f.known(1) and not n.startswith("probe")]
    found = [
        online_columns(
            named_features(names),
            1,
            score(table_of([debate("0", *start, end, gold=gold)]), Rules()),
        ).tolist()
        for end, gold in ends
    ]
    assert found[0] == found[1] == found[2]


def test_the_command_refuses_a_leaking_feature(cohort: Call, write: Call, run: Call) -> None:
    path = write(cohort(20, (2, 2, 2), 2, model="m") + cohort(20, (2, 2, 2), 2, model="n"))
    with pytest.raises(LeakError, match="'all_flips' is not known at run time: it needs"):
        run("replay", path, "--gate", "stump", "--features", "all_flips")
    with pytest.raises(LeakError, match="'initially_right' .* it needs gold labels"):
        run("replay", path, "--gate", "stump", "--features", "initially_right")


def test_saved_decisions(debate: Call, tmp_path: Path) -> None:
    table = table_of([debate(id, ["A"], ["B"]) for id in ("x", "y", "z")])
    path = tmp_path / "fire.jsonl"

    def fires(*ids: object) -> list[bool]:
        path.write_text("".join(json.dumps({"id": id}) + "\n" for id in ids), "utf-8")
        found: list[bool] = fires_from_file(path, table).tolist()
        return found

    assert fires("z", "x") == [True, False, True]
    assert fires() == [False, False, False]
    with pytest.raises(FileError, match="fire.jsonl:2: expected the id of a debate, got 'w'"):
        fires("x", "w")
    with pytest.raises(FileError, match="fire.jsonl:2: the id 'x' came before"):
        fires("x", "x")


def test_unknown_gates(debate: Call, write: Call, run: Call) -> None:
    path = write([debate("0", ["A"], ["B"])])
    with pytest.raises(ValueError, match="unknown gate 'alway'"):
        run("replay", path, "--gate", "alway")
    with pytest.raises(ValueError, match="weight of a collapse must be at least 0"):
        run("replay", path, "--gate", "always", "--w-collapse", "-1")
