"""GSM8KQA: two Python programs for a word problem, one of which prints the right number.

Paper: Cobbe et al., arXiv 2110.14168; as a task with programs, K24 section 3.1 and appendix F.2.
Licence: MIT (problems; ToRA's and Program of Thoughts' programs too). Files below `gsm8k/`: the
authors' `test.jsonl` and `train.jsonl` (`question`, `answer` with a last line `#### 18`), and
programs in a folder `python_solutions`, see `gsm8k_programs`.

- **Answers**: of up to 32 programs a problem (drawn, if there are more; equal ones are one), one
  that prints the gold number and one that prints another, both drawn. Programs are joined to
  problems by the question's text, run in `debate_gym.envs.sandbox` and labelled by
  `gsm8k_labels`; the runs are kept, see `program_runs`. A program that prints no number is no
  wrong answer unless `wrong_labels` asks for its label.
- **Left out**: problems without a program, without a right one, or without a wrong one.
- **Shown** is what was run, after a sentence that asks which program is right.
- **Splits** go by the question's text.

Published programs are one or few a model, so the two of a pair mostly come from different models
(both are in `meta`). Where one model is right more often than another, its style is a cue that
K24's pairs, 32 samples of one model, do not have: `one_model` asks for pairs of one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks import gsm8k_programs
from debate_gym.envs.tasks.files import content_hash, find_files
from debate_gym.envs.tasks.gsm8k_labels import Label, gold_number, label
from debate_gym.envs.tasks.gsm8k_programs import FOLDER, Program, read_programs
from debate_gym.envs.tasks.intake import Intake, Item, binary, draw, of_split, whole
from debate_gym.envs.tasks.program_runs import Ran, run_programs

DEFAULT_PROMPTS = "standard"
LICENCE = "MIT"
SOURCE = (
    "https://github.com/openai/grade-school-math (problems); programs: debate-gym data fetch "
    "gsm8k, or debate-gym data build-gsm8k"
)
PROBLEMS = ("test.jsonl", "train.jsonl")
FILES = (*PROBLEMS, gsm8k_programs.FILES)
PROGRAMS = 32
ASKED = "Which Python program prints the right answer?"
UNKNOWN_PROBLEM = "programs for a question that is in none of the files"
NO_PROGRAM = "no program"
NO_PAIR = "no right and no wrong program"
NO_RIGHT = "no right program"
NO_WRONG = "no wrong program"
NOT_OF_ONE = "no right and wrong program of one model"
FILTERS = (NO_PROGRAM, NO_PAIR, NO_RIGHT, NO_WRONG)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with its gold number, and the programs that were run for it."""

    question: str
    gold: float
    programs: tuple[Program, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A right and a wrong program.

    Attributes:
        label: of the wrong one.
        counts: programs of the problem by label.
    """

    problem: Problem
    right: Program
    wrong: Program
    label: Label
    counts: Mapping[Label, int] = field(default_factory=dict)


def read(
    intake: Intake,
    rng: np.random.Generator,
    *,
    programs: int = PROGRAMS,
    wrong_labels: Collection[str] = (Label.WRONG,),
    one_model: bool = False,
    cache: str | Path | None = None,
) -> list[Item[Pair]]:
    """Every problem that has a pair, once and with one drawn, in the order of the keys.

    What is counted as read are the problems, and the program records that nothing can be done
    with. Arguments and errors are those of `load`; broken records are noted, not raised.
    """
    wrong = _checked_labels(wrong_labels)
    if programs < 2:
        raise ValueError(f"programs must be at least 2, got {programs}")
    problems = read_problems(intake)
    pools = _pools(intake, {item.key for item in problems})
    asked = [_with_programs(item, pools, programs, rng) for item in problems]
    codes = dict.fromkeys(p.code for item in asked for p in item.record.programs)
    runs = run_programs(codes, cache=None if cache is None else Path(cache).expanduser())
    paired = (_paired(intake, item, runs, wrong, one_model, rng) for item in asked)
    return [item for item in paired if item is not None]


def load(
    split: str,
    n: int | None,
    rng: np.random.Generator,
    *,
    programs: int = PROGRAMS,
    wrong_labels: Collection[str] = (Label.WRONG,),
    one_model: bool = False,
    cache: str | Path | None = None,
) -> list[Question]:
    """Draws `n` questions (128 if None, fewer if there are not so many), without repetition.

    The first call runs the programs, some thousands in minutes; later ones find the runs.

    Args:
        split: `train` or `heldout`.
        programs: how many of a problem are run at most.
        wrong_labels: labels that a wrong program may have, see `gsm8k_labels.Label`.
        one_model: only pairs whose programs one model wrote.
        cache: the file of runs; `program_runs.cache_file()` if None.

    Raises:
        FileNotFoundError: if the problems or the programs are not there.
        ValueError: on a record that is not in a known layout (names file and line), an option
            out of range, or an empty split.
        OSError: if the sandbox cannot run programs here.
    """
    items = whole(
        read,
        rng,
        programs=programs,
        wrong_labels=wrong_labels,
        one_model=one_model,
        cache=cache,
    )
    chosen = draw(of_split(items, split), n, rng, f"gsm8kqa/{split}")
    return [_question(item, rng) for item in chosen]


def read_problems(intake: Intake) -> list[Item[Problem]]:
    """Every problem once, without programs, in the order of the keys.

    Raises:
        FileNotFoundError: if the files are not there.
    """
    paths = [path for path in find_files("gsm8k", PROBLEMS, SOURCE) if path.parent.name != FOLDER]
    records = chain.from_iterable(intake.json_lines(path) for path in paths)
    return intake.unique(
        Item(
            key=key_of(record.value["question"]),
            group=record.value["question"],
            upstream_id=record.upstream_id,
            record=Problem(record.value["question"], gold_number(record.value["answer"]) or 0.0),
        )
        for record in intake.checked(records, _check)
    )


def _check(value: Any) -> None:
    question, answer = value.get("question"), value.get("answer")
    if not isinstance(question, str) or not question.strip():
        raise ValueError(f"question must be a text that is not blank, got {question!r}")
    if not isinstance(answer, str) or gold_number(answer) is None:
        raise ValueError(f"answer must be a text with a last line '#### NUMBER', got {answer!r}")


def _checked_labels(names: Collection[str]) -> frozenset[Label]:
    allowed = [one for one in Label if one is not Label.RIGHT]
    for name in names:
        if name not in allowed:
            raise ValueError(unknown("label of a wrong program", name, allowed))
    if isinstance(names, str) or not names:
        raise ValueError(f"wrong_labels must be a list of labels, got {names!r}")
    return frozenset(map(Label, names))


def key_of(question: str) -> str:
    """What joins programs to problems: a hash of the question, however it is spaced."""
    return content_hash(" ".join(question.split()))


def _pools(intake: Intake, known: Collection[str]) -> dict[str, dict[str, Program]]:
    """Programs by the key of their problem, then by code: equal ones are one."""
    paths = find_files("gsm8k", (gsm8k_programs.FILES,), SOURCE)
    pools: dict[str, dict[str, Program]] = defaultdict(dict)
    for program in read_programs(intake, paths):
        if (key := key_of(program.question)) in known:
            pools[key].setdefault(program.code, program)
        else:
            intake.read += 1
            intake.dropped[UNKNOWN_PROBLEM] += 1
    return pools


def _with_programs(
    item: Item[Problem],
    pools: Mapping[str, Mapping[str, Program]],
    most: int,
    rng: np.random.Generator,
) -> Item[Problem]:
    pool = list(pools.get(item.key, {}).values())
    if len(pool) > most:
        pool = [pool[i] for i in sorted(rng.permutation(len(pool))[:most])]
    return replace(item, record=replace(item.record, programs=tuple(pool)))


def _paired(
    intake: Intake,
    item: Item[Problem],
    runs: Mapping[str, Ran],
    wrong_labels: Collection[Label],
    one_model: bool,
    rng: np.random.Generator,
) -> Item[Pair] | None:
    problem = item.record
    labels = {program: label(runs[program.code], problem.gold) for program in problem.programs}
    right = [program for program, found in labels.items() if found is Label.RIGHT]
    wrong = [program for program, found in labels.items() if found in wrong_labels]
    pairs = [(r, w) for r in right for w in wrong if not one_model or r.model == w.model]
    if not pairs:
        intake.dropped[_reason(labels, right, wrong)] += 1
        return None
    chosen = pairs[int(rng.integers(len(pairs)))]
    pair = Pair(problem, *chosen, labels[chosen[1]], Counter(labels.values()))
    return Item(item.key, item.group, item.upstream_id, pair, FILTERS)


def _reason(programs: Collection[Program], right: list[Program], wrong: list[Program]) -> str:
    if not programs:
        return NO_PROGRAM
    if right and wrong:
        return NOT_OF_ONE
    if not right and not wrong:
        return NO_PAIR
    return NO_WRONG if right else NO_RIGHT


def _question(item: Item[Pair], rng: np.random.Generator) -> Question:
    pair = item.record
    return binary(
        item,
        "gsm8kqa",
        f"{pair.problem.question.strip()}\n\n{ASKED}",
        pair.right.code,
        pair.wrong.code,
        rng,
        licence=LICENCE,
        wrong_rule=f"drawn from the programs labelled {pair.label.value!r}",
        gold=pair.problem.gold,
        models=[pair.right.model, pair.wrong.model],
        programs=[pair.right.upstream_id, pair.wrong.upstream_id],
        labels={found.value: number for found, number in sorted(pair.counts.items())},
    )
