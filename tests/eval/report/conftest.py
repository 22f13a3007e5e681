from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from debate_gym.eval.report.rows import Played, Row, read_folder, rows

Record = dict[str, Any]
Make = Callable[..., Record]
DEBATERS = {"debater_0": ("m@1", 0), "debater_1": ("m@1", 1)}


def make_turn(seat: str, text: str, number: int = 0, **more: Any) -> Record:
    return {
        "seat": seat,
        "round": number,
        "argument": text,
        "thinking": "",
        "passages": {"verified": 0, "unverified": 0, "untagged": 0, "items": []},
        "tokens": {"prompt": 10, "completion": 5},
        "finish": "stop",
        **more,
    }


def make_record(
    id: str,
    p: float | Mapping[str, Sequence[float | None]] | None = 1.0,
    *,
    question: str = "q",
    seats: Mapping[str, tuple[str, int]] = DEBATERS,
    turns: Sequence[Record] = (),
    **more: Any,
) -> Record:
    """An episode record; answer 0 is correct.

    Args:
        p: probability of answer 0, None for an unreadable verdict; of the judge `j`, or by judge
            and answer order.
        seats: seat -> (player, answer).
    """
    judged = p if isinstance(p, Mapping) else {"j": [p]}
    record = {
        "schema": "debate_gym/episode/1",
        "id": id,
        "question_id": question,
        "task": "boolq",
        "question": f"Is it {question}?",
        "protocol": "debate",
        "condition": "",
        "answers": ["yes", "no"],
        "correct": 0,
        "seats": {
            seat: dict(zip(("model", "revision"), player.split("@"), strict=True), answer=answer)
            for seat, (player, answer) in seats.items()
        },
        "turns": list(turns),
        "verdicts": [
            _verdict(judge, order, share)
            for judge, shares in judged.items()
            for order, share in zip(([0, 1], [1, 0]), shares, strict=False)
        ],
        "cost": {"generations": 2, "prompt_tokens": 20, "completion_tokens": 10},
        "seed": 3,
        "prompt_hash": "abc",
        "error": None,
    }
    return {**record, **more}


def _verdict(judge: str, order: list[int], p: float | None) -> Record:
    choice = None if p in (None, 0.5) else int(p < 0.5)
    outcome = {0: "correct", 1: "incorrect", None: "tie"}[choice] if p is not None else "unreadable"
    share = None if p is None else [p, 1 - p]
    return {"judge": judge, "order": order, "choice": choice, "p": share, "outcome": outcome}


@pytest.fixture(scope="session")
def record() -> Make:
    return make_record


@pytest.fixture(scope="session")
def turn() -> Make:
    return make_turn


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., list[Played]]:
    """Reads records back as a folder's."""

    def read(*records: Record) -> list[Played]:
        text = "".join(json.dumps(one) + "\n" for one in records)
        (tmp_path / "episodes.jsonl").write_text(text, "utf-8")
        return read_folder(tmp_path)

    return read


@pytest.fixture
def judged(played: Callable[..., list[Played]]) -> Callable[..., list[Row]]:
    return lambda *records: rows(played(*records))
