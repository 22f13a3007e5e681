"""The two layouts in which QuALITY's questions come, read into one.

- The authors' lines: one writer's questions on one article, with the answers of untimed and timed
  annotators. Two lines share an article.
- Joined lines: one article with its questions, options and gold labels; a question may name its
  best distractor. No annotators.

Labels count from 1 in both.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from debate_gym.envs.tasks.files import content_hash, find_files
from debate_gym.envs.tasks.intake import Intake, Item, Record

SOURCE = "https://github.com/nyu-mll/quality (data/v1.0.1/QuALITY.v1.0.1.zip)"
ANNOTATED = ("QuALITY.v1.0.1.htmlstripped.train", "QuALITY.v1.0.1.htmlstripped.dev")
JOINED = "quality_joined.jsonl"
FILES = (*ANNOTATED, JOINED)
UNTIMED = {
    "untimed_answer": 4,
    "untimed_eval1_answerability": 3,
    "untimed_eval2_context": 4,
    "untimed_best_distractor": 4,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One upstream question with its article.

    Attributes:
        question, options: without entities or blanks around them.
        raw: the question as it stands in the file, checked.
    """

    article_id: str
    article: str
    title: str
    source: str
    licence: str
    question: str
    options: tuple[str, ...]
    raw: Mapping[str, Any]


def read_questions(intake: Intake, joined: bool = True) -> list[Item[Asked]]:
    """Every question once; the authors' files come first and win, with their text of an article.

    A question is a record of the intake; a line without readable questions counts as one.

    Args:
        joined: also read the joined layout.

    Raises:
        FileNotFoundError: if there is no file.
    """
    names = FILES if joined else ANNOTATED
    articles: dict[str, str] = {}
    stories = (
        story
        for path in find_files("quality", names, SOURCE)
        for story in intake.json_lines(path, count=False)
    )
    records = intake.checked(_questions(intake, stories), _check_question)
    return intake.unique(_item(record, articles) for record in records)


def clean(text: str) -> str:
    """The text without HTML entities, and without blanks around it."""
    return html.unescape(text).strip()


def _questions(intake: Intake, stories: Iterable[Record]) -> Iterator[Record]:
    for story in stories:
        if not list(intake.checked([story], _check_story)):
            intake.read += 1
            continue
        for raw in story.value["questions"]:
            intake.read += 1
            yield story._replace(value=(story.value, raw))


def _item(record: Record, articles: dict[str, str]) -> Item[Asked]:
    story, raw = record.value
    article_id = str(story["article_id"])
    text, *options = (clean(part) for part in (raw["question"], *raw["options"]))
    asked = Asked(
        article_id=article_id,
        article=articles.setdefault(article_id, clean(story["article"])),
        title=story.get("title", ""),
        source=story.get("source", ""),
        licence=story.get("license", ""),
        question=text,
        options=tuple(options),
        raw=raw,
    )
    return Item(
        key=content_hash(article_id, text, *options),
        group=article_id,
        upstream_id=raw.get("question_unique_id") or record.upstream_id,
        record=asked,
    )


def _check_story(story: Mapping[str, Any]) -> None:
    for name, kind in (("article_id", (str, int)), ("article", str), ("questions", list)):
        if not isinstance(story.get(name), kind):
            raise ValueError(f"expected {name!r}, got {story.get(name)!r:.60}")


def _check_question(value: tuple[Mapping[str, Any], Any]) -> None:
    _, raw = value
    if not isinstance(raw, dict) or not isinstance(raw.get("question"), str):
        raise ValueError(f"expected a question with its text, got {raw!r:.80}")
    try:
        _check_options(raw)
    except ValueError as error:
        raise ValueError(f"question {raw['question'].strip()!r:.60}: {error}") from None


def _check_options(raw: Mapping[str, Any]) -> None:
    options = raw.get("options")
    if (
        not isinstance(options, list)
        or len(options) < 2
        or not all(isinstance(option, str) for option in options)
    ):
        raise ValueError(f"options must be two texts or more, got {options!r:.80}")
    _check_label(raw, "gold_label", len(options))
    for name in ("writer_label", "best_distractor_label"):
        if raw.get(name) is not None:
            _check_label(raw, name, len(options))
    for vote in raw.get("validation") or ():
        for name, highest in UNTIMED.items():
            _check_label(vote, name, highest)
    for vote in raw.get("speed_validation") or ():
        _check_label(vote, "speed_answer", len(options))


def _check_label(labels: Any, name: str, highest: int) -> None:
    value = labels.get(name) if isinstance(labels, dict) else labels
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= highest:
        raise ValueError(f"{name} must be a whole number 1 to {highest}, got {value!r:.60}")
