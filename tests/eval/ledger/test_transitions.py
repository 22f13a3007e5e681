from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debate_gym.eval.ledger.gates import ALWAYS, NEVER
from debate_gym.eval.ledger.majority import Ties
from debate_gym.eval.ledger.panel_file import check_record, table_of
from debate_gym.eval.ledger.replay import replay
from debate_gym.eval.ledger.transitions import CELLS, Ledger, Rules, Undefined, ledger, score

Call = Callable[..., Any]
Rounds = list[list[str | None]]
# Time says something of the machine only.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
POLICIES = [Rules(ties, undefined) for ties, undefined in product(Ties, Undefined)]


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Debates of different numbers of rounds, seats and options, many answers unparsed."""
    records = []
    for number in range(draw(st.integers(1, 6))):
        options = draw(st.integers(2, 4))
        letters = st.sampled_from(["A", "B", "C", "D"][:options])
        seats = draw(st.integers(1, 4))
        round = st.lists(st.none() | letters, min_size=seats, max_size=seats)
        record = {
            "id": str(number),
            "model": draw(st.sampled_from(["m", "n"])),
            "family": "f",
            "question_id": "q",
            "gold": draw(letters),
            "options": ["x"] * options,
            "rounds": draw(st.lists(round, min_size=2, max_size=4)),
        }
        check_record(record)
        records.append(record)
    return records


def outcomes(answers: list[str | None], gold: str, rules: Rules) -> list[tuple[Fraction, int]]:
    """(chance, right or not) of a round's majority; -1 for none. By counting, one at a time."""
    named = [a for a in answers if a is not None]
    if not named:
        return [(Fraction(1), -1 if rules.undefined is Undefined.APART else 0)]
    most = max(named.count(a) for a in named)
    top = sorted({a for a in named if named.count(a) == most})
    if rules.ties is Ties.UNDECIDED and len(top) > 1:
        return [(Fraction(1), 0)]
    if rules.ties is Ties.ALPHABETICAL:
        top = top[:1]
    return [(Fraction(1, len(top)), int(a == gold)) for a in top]


def reference(records: list[dict[str, Any]], rules: Rules) -> Ledger:
    """The ledger by playing out every way in which ties may fall."""
    cells: dict[str, Fraction] = {cell: Fraction(0) for cell in CELLS}
    names = {(1, 1): "preserved", (1, 0): "collapsed", (0, 1): "corrected", (0, 0): "unrepaired"}
    onset = dict.fromkeys(range(1, max(len(r["rounds"]) for r in records)), Fraction(0))
    undefined = ties = 0
    for record in records:
        rounds: Rounds = record["rounds"]
        for answers in (rounds[0], rounds[-1]):
            named = [a for a in answers if a is not None]
            counts = sorted((named.count(a) for a in set(named)), reverse=True)
            ties += len(counts) > 1 and counts[0] == counts[1]
        for path in product(*(outcomes(a, record["gold"], rules) for a in rounds)):
            chance = Fraction(1)
            for share, _ in path:
                chance *= share
            rights = [right for _, right in path]
            if -1 in (rights[0], rights[-1]):
                undefined += 1
                break
            cells[names[rights[0], rights[-1]]] += chance
            if (rights[0], rights[-1]) == (1, 0):
                onset[next(r for r, right in enumerate(rights) if r and right == 0)] += chance
    return Ledger(len(records), **cells, undefined=undefined, ties_broken=ties, onset=onset)


@pytest.mark.parametrize("rules", POLICIES)
@UNTIMED
@given(records=tables())
def test_ledger_is_that_of_playing_out_every_tie(
    rules: Rules, records: list[dict[str, Any]]
) -> None:
    assert ledger(score(table_of(records), rules)) == reference(records, rules)


@pytest.mark.parametrize("rules", POLICIES)
@UNTIMED
@given(records=tables())
def test_identities(rules: Rules, records: list[dict[str, Any]]) -> None:
    scored = score(table_of(records), rules)
    account = ledger(scored)
    cells = account.preserved + account.collapsed + account.corrected + account.unrepaired
    assert cells + account.undefined == account.n
    assert sum(account.onset.values()) == account.collapsed
    always = replay(scored, ALWAYS.fires(scored))
    assert always.fired == account.n
    assert (always.prevented, always.lost) == (account.collapsed, account.corrected)
    assert always.net == account.collapsed - account.corrected == -account.net
    assert replay(scored, NEVER.fires(scored)).net == 0
    if account.n > account.undefined:
        assert account.initial_accuracy is not None
        assert account.final_accuracy is not None
        change = account.final_accuracy - account.initial_accuracy
        assert account.net == change * (account.n - account.undefined)
        if account.undefined == 0:
            assert account.net / account.n == change == -(always.accuracy_change or 0)
    if rules.undefined is Undefined.WRONG:
        assert account.undefined == 0


@pytest.mark.parametrize("rules", POLICIES)
@UNTIMED
@given(records=tables())
def test_replay_is_the_accuracy_after_putting_the_initial_vote_in_place(
    rules: Rules, records: list[dict[str, Any]]
) -> None:
    """Prevented minus lost is what the share of right final votes really changes by."""
    scored = score(table_of(records), rules)
    fires = np.arange(len(records)) % 2 == 0
    frozen = [
        {**r, "rounds": [*r["rounds"][:-1], r["rounds"][0]]} if fire else r
        for r, fire in zip(records, fires, strict=True)
    ]
    before, after = (_right_finals(rows, records, rules) for rows in (records, frozen))
    assert replay(scored, fires).net == after - before


def _right_finals(
    rows: list[dict[str, Any]], originals: list[dict[str, Any]], rules: Rules
) -> Fraction:
    """Expected right final votes, over debates that are defined as they were played."""
    total = Fraction(0)
    for row, original in zip(rows, originals, strict=True):
        ends = (original["rounds"][0], original["rounds"][-1])
        if all(outcomes(a, row["gold"], rules)[0][1] != -1 for a in ends):
            found = outcomes(row["rounds"][-1], row["gold"], rules)
            total += sum((share * right for share, right in found), Fraction(0))
    return total


def test_each_cell_and_each_rate(debate: Call) -> None:
    right, wrong, none = ["B", "B", "A"], ["A", "C", "C"], [None] * 3
    records = [
        debate("1", right, right),
        debate("2", right, wrong),
        debate("3", wrong, right),
        debate("4", wrong, right),
        debate("5", wrong, wrong),
        debate("6", none, right),
        debate("7", right, none),
    ]
    account = ledger(score(table_of(records), Rules())).to_json()
    assert account == {
        "n": 7,
        "preserved": 1,
        "collapsed": 1,
        "corrected": 2,
        "unrepaired": 1,
        "undefined": 2,
        "initial_accuracy": 0.4,
        "final_accuracy": 0.6,
        "conditional_collapse": 0.5,
        "conditional_correction": 2 / 3,
        "net": 1,
        "ties_broken": 0,
        "onset": {"1": 1},
    }


@pytest.mark.parametrize(
    ("ties", "cells"),
    [
        # B, C, D are tied at first, so C is wrong and B is taken; at last A and B, so A is taken.
        (Ties.ALPHABETICAL, (0, 1, 0, 0)),
        (Ties.UNDECIDED, (0, 0, 0, 1)),
        # Right with chance 1/3, then 1/2.
        (Ties.EXPECTED, (1 / 6, 1 / 6, 1 / 3, 1 / 3)),
    ],
)
def test_ties(ties: Ties, cells: tuple[float, ...], debate: Call) -> None:
    records = [debate("1", ["D", "B", "C"], ["A", "B", None])]
    account = ledger(score(table_of(records), Rules(ties)))
    found = (account.preserved, account.collapsed, account.corrected, account.unrepaired)
    assert tuple(map(float, found)) == pytest.approx(cells, abs=0)
    assert account.ties_broken == 2


def test_expected_ties_stay_exact(debate: Call) -> None:
    # 30,000 thirds of thirds add up to whole numbers, as no sum of floats does.
    records = [debate(str(i), ["A", "B", "C"], ["A", "B", "C"]) for i in range(9_000)]
    account = ledger(score(table_of(records), Rules(Ties.EXPECTED))).to_json()
    assert (account["preserved"], account["collapsed"]) == (1000, 2000)
    assert (account["corrected"], account["unrepaired"]) == (2000, 4000)
    assert account["onset"] == {"1": 2000}


def test_onset_is_the_first_wrong_round_even_if_it_is_repaired(debate: Call) -> None:
    right, wrong, none = ["B"], ["A"], [None]
    records = [
        debate("repaired for a while", right, wrong, right, wrong),
        debate("nobody parsed in round 1", right, none, right, wrong),
        debate("no collapse", right, wrong, right, right),
        debate("wrong from the start", wrong, right, right, wrong),
        debate("shorter", right, right, wrong),
    ]
    assert ledger(score(table_of(records), Rules())).onset == {1: 1, 2: 1, 3: 1}


def test_no_debates() -> None:
    account = ledger(score(table_of([]), Rules())).to_json()
    assert account["n"] == 0
    assert account["initial_accuracy"] is account["conditional_collapse"] is None
