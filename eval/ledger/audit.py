"""The parser's audit: which rule read each answer, and what hangs on the weakest one.

It reads the texts of a panel file again and compares three labellings: the file's own letters, all
rules, and all but the last-letter rule (L26, Transition accounting).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debate_gym.envs.answer_reader import (
    ALL_RULES,
    STRICT_RULES,
    AnswerRule,
    Reading,
    read_option,
)
from debate_gym.eval.ledger.majority import Ties
from debate_gym.eval.ledger.panel_file import check_record, panel_records, table_of
from debate_gym.eval.ledger.transitions import Ledger, Rules, Scored, ledger, score
from debate_gym.eval.store import FileError

UNREAD = "unparsed"


@dataclass(frozen=True, slots=True)
class Audit:
    """How a file's answers are read.

    Attributes:
        rules: rule (or `unparsed`) -> answers; they add up to `answers`.
        disagreeing: answers whose letter in the file is not the one that the rules read.
        ties_broken: of `2n` initial and final votes, as the rules read them.
        labelable: debates with an initial and a final majority without the last-letter rule.
        changed: of those, debates that are in another cell without that rule.
        all_rules, strict: the ledgers of both readings.
    """

    answers: int
    rules: dict[str, int]
    disagreeing: int
    ties_broken: int
    labelable: int
    changed: int
    all_rules: Ledger
    strict: Ledger

    def to_json(self) -> dict[str, Any]:
        """The `audit` of `debate-gym ledger --audit --json`."""
        return {
            "answers": self.answers,
            "rules": self.rules,
            "disagreeing": self.disagreeing,
            "ties_broken": self.ties_broken,
            "labelable": self.labelable,
            "changed": self.changed,
            "all_rules": self.all_rules.to_json(),
            "strict": self.strict.to_json(),
        }


def audit(path: Path, ties: Ties) -> Audit:
    """Reads the texts of a panel file again.

    Raises:
        FileError: on a record that is no panel debate or holds no texts.
    """
    records = _records(path)
    readings = [_readings(record, ALL_RULES) for record in records]
    strict = [_readings(record, STRICT_RULES) for record in records]
    first, second = (_scored(records, read, ties) for read in (readings, strict))
    labelable = second.defined
    counts = Counter(r.rule or UNREAD for debate in readings for row in debate for r in row)
    return Audit(
        answers=sum(counts.values()),
        rules={name: counts[name] for name in (*AnswerRule, UNREAD)},
        disagreeing=sum(_disagreeing(*pair) for pair in zip(records, readings, strict=True)),
        ties_broken=ledger(first).ties_broken,
        labelable=int(labelable.sum()),
        changed=int((labelable & (first.cells() != second.cells()).any(axis=1)).sum()),
        all_rules=ledger(first),
        strict=ledger(second),
    )


def _records(path: Path) -> list[dict[str, Any]]:
    parquet = path.suffix == ".parquet"
    numbered = _parquet_records(path) if parquet else list(panel_records(path))
    for number, record in numbered:
        if record.get("texts") is None:
            raise FileError(f"{path}:{number}: it holds no texts, which an audit reads again")
    return [record for _, record in numbered]


def _parquet_records(path: Path) -> list[tuple[int, dict[str, Any]]]:
    from debate_gym.eval.ledger.panel_parquet import parquet_records

    numbered = list(enumerate(parquet_records(path), 1))
    for number, record in numbered:
        try:
            check_record(record)
        except ValueError as error:
            raise FileError(f"{path}:{number}: no panel debate: {error}") from error
    return numbered


def _readings(record: dict[str, Any], rules: tuple[AnswerRule, ...]) -> list[list[Reading]]:
    options = len(record["options"])
    return [[read_option(text or "", options, rules) for text in row] for row in record["texts"]]


def _scored(
    records: Sequence[dict[str, Any]], readings: Sequence[list[list[Reading]]], ties: Ties
) -> Scored:
    read = [
        {**record, "rounds": [[reading.letter for reading in row] for row in debate]}
        for record, debate in zip(records, readings, strict=True)
    ]
    return score(table_of(read), Rules(ties))


def _disagreeing(record: dict[str, Any], readings: list[list[Reading]]) -> int:
    held = [answer for row in record["rounds"] for answer in row]
    read = [reading.letter for row in readings for reading in row]
    return sum(a != b for a, b in zip(held, read, strict=True))
