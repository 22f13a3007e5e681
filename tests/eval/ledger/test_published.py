"""The published figures of L26 come out of the commands, on tables built to their counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def test_onset_of_253_collapses(cohort: Call, write: Call, run: Call) -> None:
    found = run("ledger", write(cohort(6925, (149, 47, 57), 0)))
    assert found["onset"] == {"1": 149, "2": 47, "3": 57}
    assert (found["n"], found["collapsed"]) == (6925, 253)
    shares = [round(100 * n / found["collapsed"], 1) for n in found["onset"].values()]
    assert shares == [58.9, 18.6, 22.5]


def test_gpqa_net_turns_negative_once_undefined_rows_are_left_out(
    cohort: Call, debate: Call, write: Call, run: Call
) -> None:
    right, none = ["B", "B", "A"], [None, None, None]
    # Two of the four debates without an initial majority end right.
    records = cohort(100, (20, 0, 0), 19)
    records += [debate(f"u{i}", none, right) for i in range(2)]
    records += [debate(f"v{i}", none, ["A", "A", "A"]) for i in range(2)]
    path = write(records)
    apart = run("ledger", path)
    assert (apart["collapsed"], apart["corrected"], apart["undefined"]) == (20, 19, 4)
    assert apart["net"] == -1
    counted = run("ledger", path, "--undefined", "wrong")
    assert (counted["collapsed"], counted["corrected"], counted["undefined"]) == (20, 21, 0)
    assert counted["net"] == 1


@pytest.mark.parametrize(
    ("prevented", "lost", "n", "net", "points", "ratio"),
    [
        (29, 108, 6525, -79, -1.21, 3.72),
        (56, 69, 1255, -13, -1.04, 1.23),
        (2, 31, 1255, -29, -2.31, 15.5),
    ],
)
def test_signed_replays(
    prevented: int,
    lost: int,
    n: int,
    net: int,
    points: float,
    ratio: float,
    cohort: Call,
    write: Call,
    run: Call,
    tmp_path: Path,
) -> None:
    # All cohorts hold more of both than their gate touches; the first holds 251 and 804.
    records = cohort(n, (251 - 50, 30, 20), 804)
    ids = [record["id"] for record in records]
    chosen = ids[:prevented] + ids[251 : 251 + lost] + ids[-5:]
    fire = write_lines(tmp_path / "fire.jsonl", [{"id": id} for id in chosen])
    found = run("replay", write(records), "--gate", f"fire:{fire}")
    assert (found["n"], found["fired"]) == (n, prevented + lost + 5)
    assert (found["prevented"], found["lost"], found["net"]) == (prevented, lost, net)
    assert found["utility"] == net
    assert round(100 * found["accuracy_change"], 2) == points
    assert round(found["break_even"], 2) == ratio


def test_weights_price_utility_and_leave_the_accuracy_change(
    cohort: Call, write: Call, run: Call
) -> None:
    path = write(cohort(1255, (56, 0, 0), 69))
    found = run("replay", path, "--gate", "always", "--w-collapse", "1.5", "--w-correction", "0.5")
    assert found["utility"] == 1.5 * 56 - 0.5 * 69
    assert found["accuracy_change"] == pytest.approx(-13 / 1255)


FAMILIES = {
    "DeepSeek": (0.113, 0.00),
    "Google": (0.288, 0.29),
    "OpenAI": (0.346, 1.52),
    "Anthropic": (0.450, 2.15),
    "Phi": (0.469, 10.24),
    "Qwen": (0.699, 19.75),
    "Meta": (0.774, 8.46),
}


def family_records(debate: Call) -> list[dict[str, Any]]:
    """Collapse rates to a hundredth of a point: k of 10,000 initially right debates."""
    right, wrong = ["B"], ["A"]
    records = []
    for number, (family, (_, percent)) in enumerate(FAMILIES.items()):
        collapsed = round(percent * 100)
        for i in range(10_000 + 500 * (3 * number % 7)):
            rounds = [right, wrong if i < collapsed else right] if i < 10_000 else [wrong, wrong]
            records.append(debate(f"{family}{i}", *rounds, model=f"m-{family}", family=family))
    return records


def test_families_spearman(debate: Call, write: Call, run: Call, tmp_path: Path) -> None:
    rates = [{"model": f"m-{name}", "flip_rate": rate} for name, (rate, _) in FAMILIES.items()]
    screen = write_lines(tmp_path / "rates.jsonl", rates)
    found = run("ledger", write(family_records(debate)), "--screen", screen)["screening"]
    rows = [(row["family"], row["conditional_collapse"]) for row in found["families"]]
    rates_in_percent = [(name, round(100 * rate, 2)) for name, rate in rows]
    assert sorted(rates_in_percent) == sorted((n, percent) for n, (_, percent) in FAMILIES.items())
    assert round(found["spearman"]["rho"], 4) == 0.8929
    assert round(found["spearman"]["p"], 4) == 0.0123
    assert found["spearman"]["exact"] is True
    assert found["partial"]["rho"] is not None
