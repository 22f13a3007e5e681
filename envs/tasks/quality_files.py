"""The two layouts in which QuALITY's questions come, read into one.

- The authors' lines: one writer's questions on one article, with the answers of untimed and timed
  annotators. Two lines share an article.
- Joined lines: one article with its questions, options and gold labels; a question may name its
  best distractor. No annotators.

Labels count from 1 in both.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from debate_gym.envs.tasks.files import content_hash, find_files, read_lines

SOURCE = "https://github.com/nyu-mll/quality (data/v1.0.1/QuALITY.v1.0.1.zip)"
ANNOTATED = ("QuALITY.v1.0.1.htmlstripped.train", "QuALITY.v1.0.1.htmlstripped.dev")
JOINED = "quality_joined.jsonl"
UNTIMED = {
    "untimed_answer": 4,
    "untimed_eval1_answerability": 3,
    "untimed_eval2_context": 4,
    "untimed_best_distractor": 4,
}


@dataclass(frozen=True, slots=True)
class Item:
    """One upstream question with its article.

    Attributes:
        raw: the question as it stands in the file, checked.
        upstream_id: the authors' id, or file and line where there is none.
    """

    article_id: str
    article: str
    title: str
    source: str
    licence: str
    upstream_id: str
    raw: Mapping[str, Any]


def read_items(joined: bool = True) -> Iterator[Item]:
    """Every question once; the authors' files come first and win, with their text of an article.

    Args:
        joined: also read the joined layout.

    Raises:
        FileNotFoundError: if there is no file.
        ValueError: on a record that is in neither layout; names file and line.
    """
    seen: set[str] = set()
    articles: dict[str, str] = {}
    names = (*ANNOTATED, JOINED) if joined else ANNOTATED
    for path in find_files("quality", names, SOURCE):
        for number, record in read_lines(path):
            _check(record, f"{path}:{number}")
            article_id = str(record["article_id"])
            text = articles.setdefault(article_id, html.unescape(record["article"]).strip())
            for raw in record["questions"]:
                parts = (part.strip() for part in (raw["question"], *raw["options"]))
                key = content_hash(article_id, *parts)
                if key not in seen:
                    seen.add(key)
                    yield Item(
                        article_id=article_id,
                        article=text,
                        title=record.get("title", ""),
                        source=record.get("source", ""),
                        licence=record.get("license", ""),
                        upstream_id=raw.get("question_unique_id") or f"{path.name}:{number}",
                        raw=raw,
                    )


def _check(record: Mapping[str, Any], where: str) -> None:
    for name, kind in (("article_id", (str, int)), ("article", str), ("questions", list)):
        if not isinstance(record.get(name), kind):
            raise ValueError(f"{where}: expected {name!r}, got {record.get(name)!r:.60}")
    for raw in record["questions"]:
        _check_question(raw, where)


def _check_question(raw: Any, where: str) -> None:
    if not isinstance(raw, dict) or not isinstance(raw.get("question"), str):
        raise ValueError(f"{where}: expected a question with its text, got {raw!r:.80}")
    where = f"{where}: question {raw['question'].strip()!r:.60}"
    options = raw.get("options")
    if (
        not isinstance(options, list)
        or len(options) < 2
        or not all(isinstance(option, str) for option in options)
    ):
        raise ValueError(f"{where}: options must be two texts or more, got {options!r:.80}")
    _check_label(raw, "gold_label", len(options), where)
    for name in ("writer_label", "best_distractor_label"):
        if raw.get(name) is not None:
            _check_label(raw, name, len(options), where)
    for vote in raw.get("validation") or ():
        for name, highest in UNTIMED.items():
            _check_label(vote, name, highest, where)
    for vote in raw.get("speed_validation") or ():
        _check_label(vote, "speed_answer", len(options), where)


def _check_label(labels: Mapping[str, Any], name: str, highest: int, where: str) -> None:
    value = labels.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= highest:
        raise ValueError(f"{where}: {name} must be a whole number 1 to {highest}, got {value!r}")
