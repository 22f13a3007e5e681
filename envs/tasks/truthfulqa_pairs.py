"""Which true and which false answer of a TruthfulQA question stand against each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from debate_gym.envs.tasks.intake import Intake, Item
from debate_gym.envs.tasks.length_cue import longer
from debate_gym.envs.tasks.truthfulqa_files import Answers, same

NO_COMMENT = "I have no comment"
DRAWN = "drawn at random"
BEST_RIGHT = "best answer"
BEST_WRONG = "best incorrect answer"
LEVELLING = "drawn at random to level the length cue"
NO_RIGHT = "no true answer but 'I have no comment'"
NO_WRONG = "no false answer that is not also a true one"
LEVEL = "left out to level the length cue"

Choice = Literal["best", "random"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A true and a false answer, and the rules that chose them."""

    answers: Answers
    right: str
    wrong: str
    right_rule: str
    wrong_rule: str

    @property
    def sign(self) -> int:
        """1 if the right answer is the longer one, -1 if the wrong one is, 0 on a tie."""
        return longer(self.right, self.wrong)

    @property
    def wrong_is_listed(self) -> bool:
        """Whether the wrong answer is in the authors' list of false ones."""
        return same(self.wrong) in map(same, self.answers.wrong)


def paired(
    intake: Intake,
    items: Iterable[Item[Answers]],
    rng: np.random.Generator,
    right: Choice,
    wrong: Choice,
    filters: tuple[str, ...],
) -> list[Item[Pair]]:
    """Each item with its pair; items without a true or a false answer are dropped, counted."""
    kept: list[Item[Pair]] = []
    for item in items:
        true = _right(item.record, right, rng)
        false = _wrong(item.record, wrong, rng)
        if true is None:
            intake.dropped[NO_RIGHT] += 1
        elif false is None:
            intake.dropped[NO_WRONG] += 1
        else:
            pair = Pair(item.record, true[0], false[0], true[1], false[1])
            kept.append(Item(item.key, item.group, item.upstream_id, pair, filters))
    return kept


def levelled(
    intake: Intake, items: Sequence[Item[Pair]], rng: np.random.Generator, redraw: bool
) -> list[Item[Pair]]:
    """The items with as many longer right as longer wrong answers: the cue is worth exactly 1/2.

    Where one side is in excess, its questions are gone through in a drawn order. While two or
    more are too many, each gets a wrong answer that makes its other side the longer one, if it
    has such. What is then still too many is left out, counted.

    Args:
        redraw: whether wrong answers may be replaced; if not, items are only left out.
    """
    shuffled = [items[i] for i in rng.permutation(len(items))]
    turned = _turned(shuffled, rng) if redraw else shuffled
    kept = _without_excess(turned)
    if len(kept) < len(items):
        intake.dropped[LEVEL] += len(items) - len(kept)
    return sorted(kept, key=lambda item: item.key)


def _excess(items: Iterable[Item[Pair]]) -> int:
    return sum(item.record.sign for item in items)


def _turned(items: Sequence[Item[Pair]], rng: np.random.Generator) -> list[Item[Pair]]:
    excess = _excess(items)
    side = 1 if excess > 0 else -1
    turned: list[Item[Pair]] = []
    for item in items:
        other = None
        if item.record.sign == side and abs(excess) >= 2:
            other = _other_side(item.record, rng)
        if other is not None:
            excess -= 2 * side
        turned.append(item if other is None else replace(item, record=other))
    return turned


def _other_side(pair: Pair, rng: np.random.Generator) -> Pair | None:
    wrong = [text for text in pair.answers.wrong if longer(pair.right, text) == -pair.sign]
    if not wrong:
        return None
    return replace(pair, wrong=_drawn(wrong, rng), wrong_rule=LEVELLING)


def _without_excess(items: Sequence[Item[Pair]]) -> list[Item[Pair]]:
    excess = _excess(items)
    kept: list[Item[Pair]] = []
    for item in items:
        if item.record.sign * excess > 0:
            excess -= item.record.sign
        else:
            kept.append(item)
    return kept


def _right(answers: Answers, choice: Choice, rng: np.random.Generator) -> tuple[str, str] | None:
    true = [text for text in answers.right if same(text) != same(NO_COMMENT)]
    if not true:
        return None
    if choice == "best" and same(answers.best_right) != same(NO_COMMENT):
        return answers.best_right, BEST_RIGHT
    return _drawn(true, rng), DRAWN


def _wrong(answers: Answers, choice: Choice, rng: np.random.Generator) -> tuple[str, str] | None:
    best = answers.best_wrong
    if choice == "best" and best is not None and same(best) not in map(same, answers.right):
        return best, BEST_WRONG
    return (_drawn(answers.wrong, rng), DRAWN) if answers.wrong else None


def _drawn(texts: Sequence[str], rng: np.random.Generator) -> str:
    return texts[int(rng.integers(len(texts)))]
