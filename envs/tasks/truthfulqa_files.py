"""The three layouts in which TruthfulQA's questions come, read into one.

- `2025`: `TruthfulQA.csv` with a column `Best Incorrect Answer`.
- `v1`: `TruthfulQA.csv` of 2021 (upstream in `data/v1/`), without that column.
- `mc`: `mc_task.json` of 2025, a list of questions with options that are 1 (true) or 0. The best
  answers are those of `mc0_targets`, all answers those of `mc2_targets`. Records are named by
  their place in the list, counted from 1.

The csv files part the answers of a list by semicolons, so one inside an answer cuts it in two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from debate_gym.envs.tasks.files import content_hash, find_files
from debate_gym.envs.tasks.intake import Intake, Item, Record

SOURCE = "https://github.com/sylinrl/TruthfulQA"
CSV = "TruthfulQA.csv"
JSON = "mc_task.json"
FILES = (CSV, JSON)
VERSIONS = ("2025", "v1", "mc")
BEST_WRONG = "Best Incorrect Answer"
TEXTS = ("Question", "Best Answer", "Correct Answers", "Incorrect Answers")

Version = Literal["2025", "v1", "mc"]


@dataclass(frozen=True, slots=True)
class Answers:
    """A question with its true and false answers, as far as told apart by `same`.

    Attributes:
        best_right: the authors' best true answer.
        best_wrong: their best false one; None in v1.
        right: all true answers, the best first.
        wrong: the false ones that are not among the true ones.
        category, kind: None where the layout has none; `kind` is Adversarial or Non-Adversarial.
    """

    question: str
    best_right: str
    best_wrong: str | None
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    category: str | None = None
    kind: str | None = None
    source: str | None = None


def read_answers(intake: Intake, version: Version) -> list[Item[Answers]]:
    """Every question of a version once, in the order of the keys.

    Raises:
        FileNotFoundError: if there is no file of this version.
    """
    if version == "mc":
        listed = (record for path in _found(JSON) for record in _entries(intake, path))
        answers = ((r, _of_targets(r.value)) for r in intake.checked(listed, _check_targets))
    else:
        check = _check_2025 if version == "2025" else _check_row
        rows = (row for path in _csv_files(version) for row in intake.csv_rows(path))
        answers = ((r, _of_row(r.value)) for r in intake.checked(rows, check))
    return intake.unique(_item(record, value) for record, value in answers)


def same(text: str) -> str:
    """What two answers share that differ in blanks, case or the full stop at most."""
    return " ".join(text.split()).rstrip(". ").casefold()


def _found(name: str) -> list[Path]:
    return find_files("truthfulqa", (name,), SOURCE)


def _csv_files(version: Version) -> list[Path]:
    found = _found(CSV)
    chosen = [path for path in found if _has_best_wrong(path) == (version == "2025")]
    if not chosen:
        other = "v1" if version == "2025" else "2025"
        names = ", ".join(map(str, found))
        raise FileNotFoundError(
            f"task 'truthfulqa': expected {CSV} {'with' if version == '2025' else 'without'} a "
            f"column {BEST_WRONG!r}, found only {names}: get the file of version {version} from "
            f"{SOURCE}, or ask for version={other!r}"
        )
    return chosen


def _has_best_wrong(path: Path) -> bool:
    with path.open("rb") as lines:
        return BEST_WRONG.encode() in lines.readline()


def _entries(intake: Intake, path: Path) -> Iterator[Record]:
    for number, value in enumerate(intake.json_file(path, list) or (), 1):
        intake.read += 1
        yield Record(path, number, value)


def _check_2025(row: Mapping[str, str]) -> None:
    _check_row(row, (*TEXTS, BEST_WRONG))


def _check_row(row: Mapping[str, str], names: tuple[str, ...] = TEXTS) -> None:
    for name in names:
        if not row.get(name, "").strip():
            raise ValueError(f"{name!r} must be a text, not blank, got {row.get(name)!r}")


def _check_targets(value: Any) -> None:
    question = value.get("question") if isinstance(value, dict) else None
    if not isinstance(question, str) or not question.strip():
        raise ValueError(f"expected a 'question' with its text, got {value!r:.80}")
    for name in ("mc0_targets", "mc2_targets"):
        targets = value.get(name)
        labels = list(targets.values()) if isinstance(targets, dict) else []
        if not all(isinstance(label, int) for label in labels) or set(labels) != {0, 1}:
            raise ValueError(f"{name} must be options with 1 and 0, got {targets!r:.80}")
    if len(value["mc0_targets"]) != 2:
        raise ValueError(f"mc0_targets must be two options, got {len(value['mc0_targets'])}")


def _of_row(row: Mapping[str, str]) -> Answers:
    lists = (_parted(row[name]) for name in ("Correct Answers", "Incorrect Answers"))
    return _answers(
        row["Question"],
        row["Best Answer"],
        row.get(BEST_WRONG),
        *lists,
        category=row.get("Category"),
        kind=row.get("Type"),
        source=row.get("Source"),
    )


def _of_targets(value: Mapping[str, Any]) -> Answers:
    best, every = value["mc0_targets"], value["mc2_targets"]
    (right,), (wrong,) = _with(best, 1), _with(best, 0)
    return _answers(value["question"], right, wrong, _with(every, 1), _with(every, 0))


def _with(targets: Mapping[str, int], label: int) -> list[str]:
    return [option for option, value in targets.items() if value == label]


def _parted(text: str) -> list[str]:
    return [part for part in text.split(";") if part.strip()]


def _answers(
    question: str,
    best_right: str,
    best_wrong: str | None,
    right: list[str],
    wrong: list[str],
    **more: str | None,
) -> Answers:
    true = _by_form([best_right, *right])
    false = {form: text for form, text in _by_form(wrong).items() if form not in true}
    return Answers(
        _plain(question),
        _plain(best_right),
        None if best_wrong is None else _plain(best_wrong),
        tuple(true.values()),
        tuple(false.values()),
        **more,
    )


def _by_form(texts: list[str]) -> dict[str, str]:
    forms: dict[str, str] = {}
    for text in texts:
        forms.setdefault(same(text), _plain(text))
    return forms


def _plain(text: str) -> str:
    return " ".join(text.split())


def _item(record: Record, answers: Answers) -> Item[Answers]:
    best = (answers.best_right, answers.best_wrong or "")
    return Item(
        key=content_hash(answers.question, *best, *answers.right, *answers.wrong),
        group=answers.question,
        upstream_id=record.upstream_id,
        record=answers,
    )
