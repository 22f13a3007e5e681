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
  by default. `p24_filter=True` asks for every one of `CRITERIA`, a collection of their names for
  these. `filter_counts` says how many questions each one keeps.
- **Splits** go by article, over both writers' sets and all files.

HTML entities are decoded and blanks around questions and options stripped; the layout of the
article stays.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks.excerpt import excerpt
from debate_gym.envs.tasks.files import content_hash, draw, held_out
from debate_gym.envs.tasks.quality_files import Item, read_items

DEFAULT_PROMPTS = "standard"
LICENCE = "CC BY 4.0"
A_STORY = 5
CRITERIA = (
    "untimed_all_right",
    "timed_under_half_right",
    "answerable",
    "needs_context",
    "writer_agrees",
    "gutenberg",
)
ABOUT_OPTIONS = re.compile(
    r"\b(?:all|none|both|neither|either|any|two)(?: of)? the (?:above|options|answers|choices)\b"
    r"|\b(?:above|previous|preceding) (?:answer|option|choice)s?\b"
    r"|\b(?:answer|option|choice)s? (?:above|(?-i:[A-D]))\b"
    r"|\A\W*(?:all|none|both|neither|either|any) of (?:these|those|them|the others?)"
    r"(?:(?: \w+)? (?:is|are))?(?: all)?(?: (?:correct|right|true))?\W*\Z"
    r"|\A\W*(?:all|none|both|neither) (?:is|are) (?:correct|right|true)\W*\Z"
    r"|\b(?:both|neither) \(?[a-d]\)?(?: and| or| nor|,| &) ?\(?[a-d]\)?(?!\w)"
    r"|(?<!\w)(?-i:[A-D])\)?(?: and| or| nor|,| &) ?\(?(?-i:[A-D])(?!\w)",
    re.IGNORECASE,
)

Wrong = Literal["best", "random"]


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
    if wrong not in ("best", "random"):
        raise ValueError(unknown("rule for the wrong answer", wrong, ("best", "random")))
    asked = _criteria(p24_filter)
    groups: dict[str, list[Item]] = {}
    for item in read_items(joined):
        met = p24_criteria(item.raw, item.source) if asked else {}
        in_split = held_out(item.article_id) == (split == "heldout")
        if in_split and all(met[name] for name in asked):
            groups.setdefault(item.article_id, []).append(item)
    kept = [pair for key in sorted(groups) for pair in _a_story(groups[key], wrong, rng)]
    drawn = draw(kept, n, rng, f"quality/{split}")
    return [_question(item, pair, rng, max_article_words) for item, pair in drawn]


def p24_criteria(raw: Mapping[str, Any], source: str) -> dict[str, bool]:
    """Which of `CRITERIA` (P24 appendix D.1) an upstream question meets.

    Those that ask annotators are false where there are none.
    """
    untimed: Sequence[Mapping[str, Any]] = raw.get("validation") or ()
    timed: Sequence[Mapping[str, Any]] = raw.get("speed_validation") or ()
    gold = raw["gold_label"]
    right = [vote["speed_answer"] == gold for vote in timed]
    context = [vote["untimed_eval2_context"] for vote in untimed]
    answerable = [vote["untimed_eval1_answerability"] == 1 for vote in untimed]
    return {
        "untimed_all_right": bool(untimed) and all(v["untimed_answer"] == gold for v in untimed),
        "timed_under_half_right": bool(right) and 2 * sum(right) < len(right),
        "answerable": bool(untimed) and all(answerable),
        "needs_context": bool(context) and 2 * sum(context) >= 3 * len(context),
        "writer_agrees": raw.get("writer_label") == gold,
        "gutenberg": source == "Gutenberg",
    }


def filter_counts() -> dict[str, int]:
    """How many upstream questions there are (`questions`), how many of them each criterion keeps,
    how many meet `all`, and how many of all have a `usable_pair` by the default rule."""
    counts: Counter[str] = Counter()
    for item in read_items():
        met = p24_criteria(item.raw, item.source)
        counts.update(["questions", *(name for name in CRITERIA if met[name])])
        counts["all"] += all(met.values())
        gold, other, *_ = _pair(item.raw, "best", np.random.default_rng(0))
        counts["usable_pair"] += _usable(item.raw, gold, other)
    return dict(counts)


def _criteria(chosen: bool | Collection[str]) -> tuple[str, ...]:
    if isinstance(chosen, bool):
        return CRITERIA if chosen else ()
    names = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    for name in names:
        if name not in CRITERIA:
            raise ValueError(unknown("criterion", name, CRITERIA))
    return names


Pair = tuple[int, int, str, bool]


def _a_story(
    items: Sequence[Item], wrong: Wrong, rng: np.random.Generator
) -> list[tuple[Item, Pair]]:
    drawn = [items[i] for i in rng.permutation(len(items))]
    pairs = [(item, _pair(item.raw, wrong, rng)) for item in drawn]
    return [(item, pair) for item, pair in pairs if _usable(item.raw, pair[0], pair[1])][:A_STORY]


def _pair(raw: Mapping[str, Any], wrong: Wrong, rng: np.random.Generator) -> Pair:
    """Indices of the correct and the wrong option, the rule that chose it, whether it was a tie."""
    gold = raw["gold_label"] - 1
    others = [option for option in range(len(raw["options"])) if option != gold]
    drawn = others[int(rng.integers(len(others)))]
    if wrong == "random":
        return gold, drawn, "drawn at random", False
    votes = Counter(vote["untimed_best_distractor"] - 1 for vote in raw.get("validation") or ())
    votes.pop(gold, None)
    if votes:
        most = max(votes.values())
        best = sorted(option for option, number in votes.items() if number == most)
        return gold, best[0], "best distractor by votes", len(best) > 1
    named = raw.get("best_distractor_label")
    if named is not None and named - 1 != gold:
        return gold, int(named) - 1, "best distractor as given", False
    return gold, drawn, "drawn at random", False


def _usable(raw: Mapping[str, Any], gold: int, other: int) -> bool:
    answers = [_clean(raw["options"][i]) for i in (gold, other)]
    return answers[0] != answers[1] and not any(map(ABOUT_OPTIONS.search, answers))


def _question(item: Item, pair: Pair, rng: np.random.Generator, words: int | None) -> Question:
    gold, other, rule, tie = pair
    order = [int(i) for i in rng.permutation(2)]
    text, *options = (_clean(part) for part in (item.raw["question"], *item.raw["options"]))
    answers = tuple(options[(gold, other)[i]] for i in order)
    key = content_hash(item.article_id, text, *options)
    return Question(
        id=f"quality-{key}",
        task="quality",
        question=text,
        answers=(answers[0], answers[1]),
        correct=order.index(0),
        article=excerpt(item.article, words, (text, *answers)),
        meta={
            "licence": LICENCE,
            "article_licence": item.licence,
            "article_id": item.article_id,
            "title": item.title,
            "upstream_id": item.upstream_id,
            "content_hash": key,
            "permutation": order,
            "wrong_option": other + 1,
            "wrong_rule": rule,
            "wrong_tie": tie,
        },
    )


def _clean(text: str) -> str:
    return html.unescape(text).strip()
