"""QuALITY: multiple-choice questions on stories of some 5,000 words.

Paper: Pang et al., arXiv 2112.08608. Licence: CC BY 4.0 (questions); each article's own. Files,
anywhere below `quality/`, see `quality_files`: the authors' `QuALITY.v1.0.1.htmlstripped.train` and
`.dev`, and `quality_joined.jsonl`, more stories with questions and gold labels but no annotators.

- **Wrong answer** (`wrong="best"`, P24 appendix D.1): the best distractor by the untimed
  annotators' votes, votes for the gold answer left out and ties going to the earlier option; else
  a best distractor that the record itself names; else one drawn at random. `wrong="random"` (K24
  section 3.1) always draws. The rule that chose, and whether there was a tie, are stored.
- **Always left out**: pairs with an answer about other options ("all of the above", "both A and
  C"), pairs of equal answers, and what exceeds five questions a story (drawn by the seed).
- **P24's filter** needs annotators, which most questions of a small collection lack, so it is off
  by default. `p24_filter=True` asks for every one of `quality_p24.CRITERIA`, a collection of
  their names for these. `filter_counts` says how many questions each one keeps.
- **Splits** go by article, over both writers' sets and all files.

HTML entities are decoded and blanks around questions and options stripped; the layout of the
article stays.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks import about_options, quality_files
from debate_gym.envs.tasks.excerpt import excerpt
from debate_gym.envs.tasks.intake import Intake, Item, binary, draw, of_split, whole
from debate_gym.envs.tasks.quality_files import Asked, read_questions
from debate_gym.envs.tasks.quality_p24 import CRITERIA, chosen_criteria, p24_criteria

DEFAULT_PROMPTS = "standard"
LICENCE = "CC BY 4.0"
SOURCE = quality_files.SOURCE
FILES = quality_files.FILES
A_STORY = 5
EQUAL = "two equal answers"
TOO_MANY = "more than five questions a story"

Wrong = Literal["best", "random"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two options of a question, as indices: the correct one and a wrong one.

    Attributes:
        rule: what chose the wrong one.
        tie: whether another option had as many votes.
    """

    asked: Asked
    right: int
    wrong: int
    rule: str
    tie: bool = False

    @property
    def answers(self) -> tuple[str, str]:
        return self.asked.options[self.right], self.asked.options[self.wrong]


def read(
    intake: Intake,
    rng: np.random.Generator,
    *,
    p24_filter: bool | Collection[str] = False,
    wrong: Wrong = "best",
    joined: bool = True,
) -> list[Item[Pair]]:
    """Every usable question once with its pair of options, in the order of the keys.

    A question that fails several of P24's criteria is counted under the first. Arguments and
    errors are those of `load`; broken records are noted, not raised.
    """
    if wrong not in ("best", "random"):
        raise ValueError(unknown("rule for the wrong answer", wrong, ("best", "random")))
    criteria = chosen_criteria(p24_filter)
    passed = (*map(_rule, criteria), EQUAL, about_options.RULE, TOO_MANY)
    paired = [
        Item(item.key, item.group, item.upstream_id, _pair(item.record, wrong, rng), passed)
        for item in read_questions(intake, joined)
        if _meets(intake, item, criteria)
    ]
    usable = [item for item in paired if _usable(intake, item.record)]
    return _five_a_story(intake, usable, rng)


def load(
    split: str,
    n: int | None,
    rng: np.random.Generator,
    *,
    max_article_words: int | None = None,
    p24_filter: bool | Collection[str] = False,
    wrong: Wrong = "best",
    joined: bool = True,
) -> list[Question]:
    """Draws `n` questions (128 if None, fewer if there are not so many), without repetition.

    Args:
        split: `train` or `heldout`.
        max_article_words: cut articles to the stretch of that many words which says most about
            the question and both answers, see `excerpt`; whole if None. What the question asks
            about may lie outside: a setting for small contexts.
        p24_filter: criteria that a question must meet.
        wrong: how the wrong answer is chosen.
        joined: also read the stories without annotators.

    Raises:
        FileNotFoundError: if the files are not there.
        ValueError: on a record that is not in a known layout (names file and line), or an
            unknown criterion or rule, or nothing is left.
    """
    items = whole(read, rng, p24_filter=p24_filter, wrong=wrong, joined=joined)
    chosen = draw(of_split(items, split), n, rng, f"quality/{split}")
    return [_question(item, rng, max_article_words) for item in chosen]


def filter_counts() -> dict[str, int]:
    """How many upstream questions there are (`questions`), how many of them each criterion keeps,
    how many meet `all`, and how many of all have a `usable_pair` by the default rule."""
    counts: Counter[str] = Counter()
    intake = Intake()
    for item in read_questions(intake):
        met = p24_criteria(item.record.raw, item.record.source)
        counts.update(["questions", *(name for name in CRITERIA if met[name])])
        counts["all"] += all(met.values())
        pair = _pair(item.record, "best", np.random.default_rng(0))
        counts["usable_pair"] += _usable(intake, pair)
    intake.raise_broken()
    return dict(counts)


def _rule(criterion: str) -> str:
    return f"P24's criterion {criterion}"


def _meets(intake: Intake, item: Item[Asked], criteria: Sequence[str]) -> bool:
    met = p24_criteria(item.record.raw, item.record.source) if criteria else {}
    failed = next((name for name in criteria if not met[name]), None)
    if failed is not None:
        intake.dropped[_rule(failed)] += 1
    return failed is None


def _usable(intake: Intake, pair: Pair) -> bool:
    rule = None
    if len(set(pair.answers)) == 1:
        rule = EQUAL
    elif any(map(about_options.speaks_of_options, pair.answers)):
        rule = about_options.RULE
    if rule:
        intake.dropped[rule] += 1
    return rule is None


def _five_a_story(
    intake: Intake, items: Iterable[Item[Pair]], rng: np.random.Generator
) -> list[Item[Pair]]:
    stories: dict[str, list[Item[Pair]]] = defaultdict(list)
    for item in items:
        stories[item.group].append(item)
    kept: list[Item[Pair]] = []
    for name in sorted(stories):
        story = stories[name]
        kept += [story[i] for i in rng.permutation(len(story))[:A_STORY]]
        if len(story) > A_STORY:
            intake.dropped[TOO_MANY] += len(story) - A_STORY
    return sorted(kept, key=lambda item: item.key)


def _pair(asked: Asked, wrong: Wrong, rng: np.random.Generator) -> Pair:
    gold = asked.raw["gold_label"] - 1
    others = [option for option in range(len(asked.options)) if option != gold]
    drawn = Pair(asked, gold, others[int(rng.integers(len(others)))], "drawn at random")
    return drawn if wrong == "random" else _best(drawn)


def _best(drawn: Pair) -> Pair:
    raw, gold = drawn.asked.raw, drawn.right
    votes = Counter(vote["untimed_best_distractor"] - 1 for vote in raw.get("validation") or ())
    votes.pop(gold, None)
    if votes:
        most = max(votes.values())
        best = sorted(option for option, number in votes.items() if number == most)
        return replace(drawn, wrong=best[0], rule="best distractor by votes", tie=len(best) > 1)
    named = raw.get("best_distractor_label")
    if named is not None and named - 1 != gold:
        return replace(drawn, wrong=named - 1, rule="best distractor as given")
    return drawn


def _question(item: Item[Pair], rng: np.random.Generator, words: int | None) -> Question:
    pair, asked = item.record, item.record.asked
    right, wrong = pair.answers
    return binary(
        item,
        "quality",
        asked.question,
        right,
        wrong,
        rng,
        licence=LICENCE,
        wrong_rule=pair.rule,
        article=excerpt(asked.article, words, (asked.question, right, wrong)),
        article_licence=asked.licence,
        article_id=asked.article_id,
        title=asked.title,
        wrong_option=pair.wrong + 1,
        wrong_tie=pair.tie,
    )
