"""MMMU: college exam questions with pictures.

Papers: Yue et al., arXiv 2311.16502 (MMMU), 2409.02813 (MMMU-Pro). Licence: Apache-2.0; the authors
say that their questions come from textbooks, quizzes and the web, and remove them on complaint.
Files: the hub's parquet files, standard rows with base64 pictures, MMMU-Pro's examples and output
files, anywhere below `mmmu/`; `debate_gym.envs.tasks.mmmu_files` tells them apart. The lists of
validation answers (`answer_dict_val.json`, `example_outputs/`) hold no question and are not read.

The wrong answer is drawn at random from the other options (K24 section 3.1). K24 takes the 2,035
questions that have an explanation (appendix F.3), and so does the default here; "?" is none. The
standard edition and MMMU-Pro share ids but not options, so that their records are never joined:
a question of each is a question of its own, but both are in the same split.

Dropped, each under the first of these rules that applies: AI2D's questions among MMMU-Pro's
examples; records without a question text (the variant of MMMU-Pro where it is part of the
picture); open and short-answer questions; those without an explanation; those whose answer is not
public; fewer than two options; two equal options; a gold letter that no option has (a fault of the
data set, not of the layout, so it does not stop the reading); options that are or name pictures,
if asked; and a picture that is named but not there, or no picture at all.

`images[k - 1]` is `<image k>`, upstream's number, in the question and in both answers. An option
that is a picture keeps its text (`<image 4>`). Numbers hold, so the pictures of options that were
not drawn are attached as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from debate_gym.envs.images import PLACEHOLDER
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks import mmmu_files
from debate_gym.envs.tasks.files import content_hash
from debate_gym.envs.tasks.intake import Intake, Item, binary, draw, of_split, whole
from debate_gym.envs.tasks.mmmu_files import Asked, read_asked
from debate_gym.envs.tasks.mmmu_pictures import Picture

DEFAULT_PROMPTS = "standard"
LICENCE = "Apache-2.0"
SOURCE = mmmu_files.SOURCE
FILES = mmmu_files.FILES

NO_EXPLANATION = "no explanation"
PICTURED = "options with pictures"
RULES: dict[str, Callable[[Asked], Any]] = {
    "not of MMMU (AI2D)": lambda asked: asked.id.startswith("ai2d"),
    "no question text": lambda asked: not asked.question,
    "open or short-answer question": lambda asked: not asked.multiple_choice,
    NO_EXPLANATION: lambda asked: not asked.explanation,
    "answer not public": lambda asked: not asked.answer,
    "fewer than two options": lambda asked: len(asked.options) < 2,
    "equal options": lambda asked: len(set(asked.options.values())) < len(asked.options),
    "gold letter outside the options": lambda asked: asked.answer not in asked.options,
    PICTURED: lambda asked: _named(*asked.options.values()),
    "a picture is missing": lambda asked: _lacks_pictures(asked),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A question with the letter of its wrong answer."""

    asked: Asked
    wrong: str


def read(
    intake: Intake, rng: np.random.Generator, *, explained: bool = True, pictured: bool = True
) -> list[Item[Pair]]:
    """Every usable question once with its wrong answer, in the order of the keys.

    Arguments and errors are those of `load`; broken records are noted, not raised.
    """
    off = {NO_EXPLANATION: not explained, PICTURED: pictured}
    rules = [rule for rule in RULES if not off.get(rule)]
    items = intake.unique(
        Item(
            key=content_hash(asked.question, *asked.options.values(), *_digests(asked)),
            group=asked.id,
            upstream_id=asked.id,
            record=asked,
            filters=tuple(rules),
        )
        for asked in read_asked(intake)
        if _meets(intake, asked, rules)
    )
    return [_paired(item, rng) for item in items]


def load(
    split: str,
    n: int | None,
    rng: np.random.Generator,
    *,
    explained: bool = True,
    pictured: bool = True,
) -> list[Question]:
    """Draws `n` questions (128 if None, fewer if there are not so many), without repetition.

    Args:
        split: `train` or `heldout`; an id is in one of them, in both editions.
        explained: take only questions with an explanation.
        pictured: also take questions in which options are pictures, or name some.

    Raises:
        FileNotFoundError: if the files are not there.
        ModuleNotFoundError: on parquet files without pyarrow.
        ValueError: on a record that is not in a known layout (names file and line), or an empty
            split.
    """
    items = whole(read, rng, explained=explained, pictured=pictured)
    chosen = draw(of_split(items, split), n, rng, f"mmmu/{split}")
    return [_question(item, rng) for item in chosen]


def _meets(intake: Intake, asked: Asked, rules: list[str]) -> bool:
    failed = next((rule for rule in rules if RULES[rule](asked)), None)
    if failed is not None:
        intake.dropped[failed] += 1
    return failed is None


def _named(*texts: str) -> set[int]:
    return {int(match[1]) for text in texts for match in PLACEHOLDER.finditer(text)}


def _lacks_pictures(asked: Asked) -> bool:
    named = _named(asked.question, *asked.options.values())
    there = {number for number, picture in enumerate(asked.pictures, 1) if picture}
    return not there or len(there) < len(asked.pictures) or not named <= there


def _there(asked: Asked) -> list[Picture]:
    return [picture for picture in asked.pictures if picture is not None]


def _digests(asked: Asked) -> list[str]:
    return [picture.digest for picture in _there(asked)]


def _paired(item: Item[Asked], rng: np.random.Generator) -> Item[Pair]:
    others = [letter for letter in item.record.options if letter != item.record.answer]
    pair = Pair(item.record, others[int(rng.integers(len(others)))])
    return Item(item.key, item.group, item.upstream_id, pair, item.filters)


def _question(item: Item[Pair], rng: np.random.Generator) -> Question:
    asked, wrong = item.record.asked, item.record.wrong
    return binary(
        item,
        "mmmu",
        asked.question,
        asked.options[asked.answer],
        asked.options[wrong],
        rng,
        licence=LICENCE,
        wrong_rule="drawn at random",
        images=tuple(picture.image for picture in _there(asked)),
        edition=asked.edition,
        right_option=asked.answer,
        wrong_option=wrong,
        options=len(asked.options),
        explanation=asked.explanation,
    )
