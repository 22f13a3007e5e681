"""QuALITY: multiple-choice questions on stories of some 5,000 words.

Paper: Pang et al., arXiv 2112.08608. Licence: CC BY 4.0 (questions); each article's own. Files,
anywhere below `quality/`: the authors' `QuALITY.v1.0.1.htmlstripped.train` and `.dev`, and
`quality_joined.jsonl`, articles with questions and gold labels but without annotators.

A question is cut to the correct answer and one wrong one (P24 appendix D.1): the best distractor
by the untimed annotators' votes, votes for the correct answer left out and ties going to the
earlier option; a best distractor that the record itself names; else one drawn at random. The rule
that was used is stored. Left out: questions where either answer speaks of other options ("all of
the above", "both A and C"), and what exceeds five questions a story. P24's own filter needs
annotators and is off by default: `p24_filter=True` turns it on. An article is in one split only.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks.files import content_hash, find_files, first_words, held_out, read_lines

DEFAULT_PROMPTS = "standard"
LICENCE = "CC BY 4.0"
SOURCE = "https://github.com/nyu-mll/quality"
FILES = (
    "QuALITY.v1.0.1.htmlstripped.train",
    "QuALITY.v1.0.1.htmlstripped.dev",
    "quality_joined.jsonl",
)
A_STORY = 5
OTHER_OPTIONS = re.compile(
    r"\b(all|none|both|neither|any|two) of (the|these|them)\b.*\b(above|options|answers|choices)\b"
    r"|\b(all|none|both|neither) of (the above|these|them)\b|\b[A-D] (and|or|nor) [A-D]\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Item:
    """One upstream question with its article."""

    article_id: str
    article: str
    source: str
    raw: Mapping[str, Any]
    where: str


def load(
    split: str,
    n: int | None,
    rng: np.random.Generator,
    *,
    max_article_words: int | None = None,
    p24_filter: bool = False,
) -> list[Question]:
    """Draws `n` questions (128 if None) of a split, without repetition.

    Args:
        max_article_words: keep the first that many words of an article. What a question asks
            about may then be gone: a setting for trying things out on small contexts.
        p24_filter: keep only what `p24_criteria` lets through.

    Raises:
        FileNotFoundError: if the files are not there.
        ValueError: on a record that is not in a known layout; names file and line.
    """
    groups: dict[str, list[Item]] = {}
    for item in _items():
        passes = not p24_filter or all(p24_criteria(item.raw, item.source).values())
        if passes and held_out(item.article_id) == (split == "heldout"):
            groups.setdefault(item.article_id, []).append(item)
    kept: list[Question] = []
    for key in sorted(groups):
        members = [groups[key][i] for i in rng.permutation(len(groups[key]))]
        made = (_question(item, rng, max_article_words) for item in members)
        kept += [question for question in made if question is not None][:A_STORY]
    chosen = rng.permutation(len(kept))[: 128 if n is None else n]
    return [kept[i] for i in chosen]


def p24_criteria(raw: Mapping[str, Any], source: str) -> dict[str, bool]:
    """Which of P24's criteria (appendix D.1) a question meets; all are false without annotators."""
    untimed: Sequence[Mapping[str, Any]] = raw.get("validation") or ()
    timed: Sequence[Mapping[str, Any]] = raw.get("speed_validation") or ()
    gold = raw["gold_label"]
    context = [vote["untimed_eval2_context"] for vote in untimed]
    fooled = [vote["speed_answer"] == gold for vote in timed]
    return {
        "untimed_all_right": bool(untimed) and all(v["untimed_answer"] == gold for v in untimed),
        "timed_under_half_right": bool(timed) and sum(fooled) / len(fooled) < 0.5,
        "answerable": bool(untimed)
        and all(vote["untimed_eval1_answerability"] == 1 for vote in untimed),
        "needs_context": bool(context) and sum(context) / len(context) >= 1.5,
        "writer_agrees": raw.get("writer_label") == gold,
        "gutenberg": source == "Gutenberg",
    }


def filter_counts() -> dict[str, int]:
    """How many of all upstream questions each criterion keeps; `all` is how many meet every one,
    `questions` how many there are."""
    counts: Counter[str] = Counter()
    for item in _items():
        met = p24_criteria(item.raw, item.source)
        counts.update(["questions", *(name for name, value in met.items() if value)])
        counts["all"] += all(met.values())
    return dict(counts)


def _items() -> Iterator[Item]:
    """Every question once: the authors' files come first, and name the questions they hold."""
    seen: set[str] = set()
    for path in sorted(
        find_files("quality", FILES, SOURCE), key=lambda path: FILES.index(path.name)
    ):
        for number, record in read_lines(path):
            where = f"{path}:{number}"
            _check(record, where)
            for raw in record["questions"]:
                key = content_hash(str(record["article_id"]), raw["question"].strip())
                if key not in seen:
                    seen.add(key)
                    yield Item(
                        str(record["article_id"]),
                        html.unescape(record["article"]),
                        record.get("source", ""),
                        raw,
                        where,
                    )


def _question(item: Item, rng: np.random.Generator, words: int | None) -> Question | None:
    options = [html.unescape(option).strip() for option in item.raw["options"]]
    gold = item.raw["gold_label"] - 1
    wrong, rule = _distractor(item.raw, gold, len(options), rng)
    order = [int(i) for i in rng.permutation(2)]
    pair = (options[gold], options[wrong])
    if any(OTHER_OPTIONS.search(answer) for answer in pair) or pair[0] == pair[1]:
        return None
    text = html.unescape(item.raw["question"]).strip()
    key = content_hash(item.article_id, text, *options)
    return Question(
        id=f"quality-{key}",
        task="quality",
        question=text,
        answers=(pair[order[0]], pair[order[1]]),
        correct=order.index(0),
        article=first_words(item.article, words),
        meta={
            "licence": LICENCE,
            "article_id": item.article_id,
            "upstream_id": item.raw.get("question_unique_id", ""),
            "permutation": order,
            "wrong_option": wrong + 1,
            "wrong_rule": rule,
            "content_hash": key,
        },
    )


def _distractor(
    raw: Mapping[str, Any], gold: int, number: int, rng: np.random.Generator
) -> tuple[int, str]:
    """Index of the wrong answer, and the rule that chose it."""
    votes = Counter(vote["untimed_best_distractor"] - 1 for vote in raw.get("validation") or ())
    votes.pop(gold, None)
    if votes:
        return min(votes, key=lambda option: (-votes[option], option)), "best distractor by votes"
    named = raw.get("best_distractor_label")
    if named is not None and named - 1 != gold:
        return int(named) - 1, "best distractor as given"
    others = [option for option in range(number) if option != gold]
    return others[int(rng.integers(len(others)))], "drawn at random"


def _check(record: Mapping[str, Any], where: str) -> None:
    for name in ("article_id", "article", "questions"):
        if name not in record:
            raise ValueError(f"{where}: expected a key {name!r}, got {sorted(record)}")
    for raw in record["questions"]:
        options, gold = raw.get("options"), raw.get("gold_label")
        if not isinstance(options, list) or not isinstance(raw.get("question"), str):
            raise ValueError(
                f"{where}: a question needs text and a list of options, got {raw!r:.80}"
            )
        if not isinstance(gold, int) or not 1 <= gold <= len(options):
            raise ValueError(
                f"{where}: gold_label must be 1 to {len(options)}, got {gold!r} in {raw!r:.80}"
            )
