"""Samples programs for GSM8K problems from a policy: the command `debate-gym data build-gsm8k`.

Up to 32 programs a problem, as K24 (appendix F.2) had them from one model, each from a seed of its
own. They are written in the layout that the task `gsm8kqa` reads, which runs and labels them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from debate_gym.agents.specs import make_policy
from debate_gym.envs.nouns import Observation
from debate_gym.envs.seats import Policy
from debate_gym.envs.tasks.files import content_hash, data_root
from debate_gym.envs.tasks.gsm8k_programs import FOLDER
from debate_gym.envs.tasks.gsm8kqa import PROGRAMS, read_problems
from debate_gym.envs.tasks.intake import Intake
from debate_gym.eval.record_file import RecordFile

SEAT = "author_0"
SYSTEM = (
    "You write short Python programs. A program uses the standard library only, reads no input, "
    "and its last line prints one number: the answer, without a unit."
)
USER = """Write a Python program that works out the answer to this problem and prints it.

Problem: A shelf holds 4 boxes with 6 jars each. 5 jars are broken. How many jars are whole?

```python
boxes = 4
jars_in_a_box = 6
broken = 5
whole = boxes * jars_in_a_box - broken
print(whole)
```

Write a Python program that works out the answer to this problem and prints it.

Problem: {question}
"""
BLOCK = re.compile(r"```(?:[Pp]ython|py)?[ \t]*\n(.*?)(?:^```|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One program to sample: the `sample`-th for a question."""

    question: str
    sample: int
    seed: int


def build(
    policy: Policy,
    questions: Sequence[str],
    out: Path,
    *,
    programs: int = PROGRAMS,
    seed: int = 0,
    batch: int = 64,
) -> int:
    """Samples what `out` does not hold yet, and appends it, batch by batch.

    A record has `question`, `program`, `model`, `revision`, `seed` (of this program) and `sample`.
    A second call with the same arguments goes on where the first was stopped, and the file is
    then the same as if it had not been; other policies and seeds may share it.

    Args:
        programs: samples for each question.
        seed: all programs' seeds are made of it, the question and the sample's number.
        batch: programs to one call of the policy.

    Returns:
        How many were written.

    Raises:
        ValueError: on a number out of range, no questions, or a file that holds something else.
    """
    for name, value in (("programs", programs), ("batch", batch), ("questions", len(questions))):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    with RecordFile(out) as file:
        done = {_identity(record) for record in file.records}
        wanted = [Wanted(q, i, _seed(seed, q, i)) for q in questions for i in range(programs)]
        todo = [w for w in wanted if (w.question, policy.name, policy.revision, w.seed) not in done]
        with tqdm(
            total=len(wanted), initial=len(wanted) - len(todo), desc=policy.name, unit="program"
        ) as bar:
            for begin in range(0, len(todo), batch):
                chosen = todo[begin : begin + batch]
                file.append(_sample(policy, chosen))
                bar.update(len(chosen))
    return len(todo)


def program_of(text: str) -> str:
    """The last fenced block of a reply, closed or not; the whole reply if it has none."""
    blocks = BLOCK.findall(text)
    return str(blocks[-1] if blocks else text).strip("\n").rstrip()


def add_command(kinds: Any) -> None:
    """Adds `build-gsm8k` to the subparsers of `debate-gym data`."""
    one = kinds.add_parser("build-gsm8k", help="sample programs for gsm8kqa; resumes")
    one.add_argument("--policy", required=True, help="a policy spec; scripted ones write no code")
    one.add_argument("--out", type=Path, help=f"JSON Lines file; gsm8k/{FOLDER}/built.jsonl")
    one.add_argument("--problems", type=int, help="draw so many problems; all if not given")
    one.add_argument("--programs", type=int, default=PROGRAMS, help="a problem (default 32)")
    one.add_argument("--seed", type=int, default=0, help="of problems and programs (default 0)")
    one.add_argument("--temperature", type=float, default=1.0)
    one.add_argument("--max-new-tokens", type=int, default=256, help="of a program")
    one.add_argument("--batch", type=int, default=64, help="programs sampled at once")
    one.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """What the command does; returns its exit status."""
    questions = _questions(args.problems, args.seed)
    policy = make_policy(
        args.policy, temperature=args.temperature, max_new_tokens=args.max_new_tokens
    )
    out = args.out or data_root() / "gsm8k" / FOLDER / "built.jsonl"
    written = build(
        policy, questions, out, programs=args.programs, seed=args.seed, batch=args.batch
    )
    tqdm.write(f"{written} programs for {len(questions)} problems written to {out}")
    return 0


def _questions(number: int | None, seed: int) -> list[str]:
    if number is not None and number < 1:
        raise ValueError(f"problems must be at least 1, got {number}")
    intake = Intake()
    items = read_problems(intake)
    intake.raise_broken()
    order = np.random.default_rng(seed).permutation(len(items))
    return [items[i].record.question for i in order[:number]]


def _sample(policy: Policy, wanted: Sequence[Wanted]) -> list[dict[str, Any]]:
    utterances = policy.act([_observation(one) for one in wanted])
    return [
        {
            "question": one.question,
            "program": program_of(utterance.text),
            "model": policy.name,
            "revision": policy.revision,
            "seed": one.seed,
            "sample": one.sample,
        }
        for one, utterance in zip(wanted, utterances, strict=True)
    ]


def _observation(wanted: Wanted) -> Observation:
    return Observation(
        episode=f"gsm8k-{content_hash(wanted.question)}-{wanted.sample}",
        seat=SEAT,
        round=0,
        seed=wanted.seed,
        side=None,
        question=wanted.question,
        answers=("", ""),
        article=None,
        turns=(),
        system=SYSTEM,
        user=USER.format(question=wanted.question.strip()),
    )


def _seed(seed: int, question: str, sample: int) -> int:
    return int(content_hash("program", str(seed), question, str(sample)), 16) >> 1


def _identity(record: dict[str, Any]) -> tuple[Any, ...]:
    try:
        return tuple(record[name] for name in ("question", "model", "revision", "seed"))
    except KeyError as error:
        raise ValueError(f"a record without the key {error}: not written by this command") from None
