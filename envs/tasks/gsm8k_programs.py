"""Programs that models wrote for GSM8K problems, in the layouts in which they are published.

JSON Lines below a folder `python_solutions`, one problem a line:

- **ToRA** (microsoft/ToRA, `outputs/`): `question`, `code`, a list of one text with a fenced
  block of python; its output and prose follow, and are left out. Of several blocks the last is
  taken, which is the one that the model ended with.
- **Program of Thoughts** (wenhuchen/Program-of-Thoughts, `outputs/`): `question`, `generated`, a
  program or a list of them, which leaves its answer in `ans`: it gets the line `print(ans)`.
  A line that holds a `prompt` alone was written when a run was started, and is no record.
- **ours** (`debate-gym data build-gsm8k`): `question`, `program`, `model`, `seed`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debate_gym.envs.tasks.intake import Intake, Record

FOLDER = "python_solutions"
FILES = f"{FOLDER}/**/*.jsonl"
NO_BLOCK = "program records without a block of python"
BLOCK = re.compile(r"^```(?:python|py)[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Program:
    """A program as it is run and shown.

    Attributes:
        model: who wrote it; the file's name where the record does not say.
        upstream_id: file and line.
    """

    question: str
    code: str
    model: str
    upstream_id: str


def read_programs(intake: Intake, paths: Sequence[Path]) -> Iterator[Program]:
    """All programs of these files, in their order.

    Only records that give none are counted in `intake`: broken ones, and texts without a block.
    """
    for path in paths:
        for record in intake.json_lines(path, count=False):
            if record.value.keys() != {"prompt"}:
                yield from _programs(intake, record)


def _programs(intake: Intake, record: Record) -> Iterator[Program]:
    try:
        question, codes = _question(record.value), _codes(record.value)
    except ValueError as error:
        intake.read += 1
        intake.broken.append(f"{record.where}: {error}")
        return
    if not codes:
        intake.read += 1
        intake.dropped[NO_BLOCK] += 1
    model = str(record.value.get("model") or _model(record.path))
    for code in codes:
        yield Program(question, code, model, record.upstream_id)


def _question(value: Mapping[str, Any]) -> str:
    question = value.get("question")
    if not isinstance(question, str) or not question.strip():
        raise ValueError(f"question must be a text that is not blank, got {question!r}")
    return question


def _codes(value: Mapping[str, Any]) -> list[str]:
    for name, program in LAYOUTS.items():
        if name in value:
            texts = [value[name]] if isinstance(value[name], str) else value[name]
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise ValueError(f"{name} must be a text or a list of texts, got {texts!r:.60}")
            return [code for text in texts if (code := program(_plain(text))) is not None]
    raise ValueError(f"expected one of the keys {list(LAYOUTS)}, got {sorted(value)}")


def _of_tora(text: str) -> str | None:
    blocks = BLOCK.findall(text)
    return blocks[-1].strip("\n") if blocks else None


def _of_pot(text: str) -> str:
    return f"{text}\nprint(ans)"


def _as_it_is(text: str) -> str:
    return text


LAYOUTS: Mapping[str, Callable[[str], str | None]] = {
    "code": _of_tora,
    "generated": _of_pot,
    "program": _as_it_is,
}


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip().lstrip("\n")


def _model(path: Path) -> str:
    parts = path.with_suffix("").parts
    return "/".join(parts[max(i for i, part in enumerate(parts) if part == FOLDER) + 1 :])
