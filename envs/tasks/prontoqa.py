"""PrOntoQA: whether a statement follows from the rules of an invented world.

Papers: Saparov and He, arXiv 2210.01240; Saparov et al., arXiv 2305.15269. Two sources:

- `generated`, the default: worlds of our own, see `prontoqa_generator`; any number, no files.
- `files`: the published ones below `prontoqa/`, see `prontoqa_files`. Licences: Apache-2.0, and MIT
  for Logic-LLM's.

The question gives the facts and a statement that is true or false. The right answer is the
reasoning that proves the statement or its negation; the **wrong answer** is the same reasoning with
each of its statements negated once, `is` and `are` to `is not` and `are not` and back (K24 appendix
F.2). Pairs made so can be told apart without logic: the first statement of the wrong one mostly
contradicts a fact, and a judge that picks the shorter answer (see `length_cue`) is right on 97 % of
the published proofs and on all generated ones.

**Splits** go by the ontology, the set of rules in any order and wording, and so no ontology is in
both. The published "true" ontologies are excerpts of a few real taxonomies, and two of them can
share most of their rules. Of the files' proofs, those are left out whose trace does not end in what
the label says, or has a statement that cannot be negated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Question
from debate_gym.envs.tasks import prontoqa_files
from debate_gym.envs.tasks.intake import DEFAULT_N, Intake, Item, binary, draw, of_split, whole
from debate_gym.envs.tasks.prontoqa_generator import DISTRACTORS, SEED_SPACE, generate
from debate_gym.envs.tasks.prontoqa_proof import Proof, ontology

DEFAULT_PROMPTS = "standard"
LICENCE = "Apache-2.0 (MIT for Logic-LLM's file)"
SOURCE = prontoqa_files.SOURCE
FILES = prontoqa_files.FILES
SOURCES = ("generated", "files")
TRIES = 100
ASK = "{facts}\n\nTrue or false: {statement}\n\nWhich of the two proofs settles this?"

Source = Literal["generated", "files"]


@dataclass(frozen=True, slots=True)
class Ontologies:
    """Of `count` ontologies, `shared` have several items, `shared_items` together."""

    count: int
    shared: int
    shared_items: int


def read(intake: Intake, rng: np.random.Generator) -> list[Item[Proof]]:
    """Every published proof once, in the order of the keys; nothing is drawn.

    Raises:
        FileNotFoundError: if the files are not there.
    """
    return prontoqa_files.read_proofs(intake)


def load(
    split: str,
    n: int | None,
    rng: np.random.Generator,
    *,
    source: Source = "generated",
    depth: int | None = None,
    distractors: int | None = None,
) -> list[Question]:
    """Draws `n` questions (128 if None), without repetition; fewer if there are not so many in
    the files.

    Args:
        split: `train` or `heldout`.
        source: one of `SOURCES`.
        depth: of generated proofs, how many rules they apply (1 to 10); 3 to 5 if None.
        distractors: of generated worlds, how many rules the proof does not need (0 to 15); 5 if
            None.

    Raises:
        FileNotFoundError: if the files are asked for and not there.
        ValueError: on records that are not in the upstream layout (names file and place), an
            unknown option or one out of range, or an empty split.
    """
    if source not in SOURCES:
        raise ValueError(unknown("source", source, SOURCES))
    if source == "generated":
        count = DISTRACTORS if distractors is None else distractors
        return [_question(item, rng, source) for item in _generated(split, n, rng, depth, count)]
    if depth is not None or distractors is not None:
        raise ValueError("depth and distractors are for source='generated': the files are given")
    chosen = draw(of_split(whole(read, rng), split), n, rng, f"prontoqa/{split}")
    return [_question(item, rng, source) for item in chosen]


def ontology_counts(items: Iterable[Item[Proof]]) -> Ontologies:
    """How many ontologies there are, and how many of them several items share."""
    sizes = Counter(item.group for item in items)
    shared = [size for size in sizes.values() if size > 1]
    return Ontologies(len(sizes), len(shared), sum(shared))


def _generated(
    split: str, n: int | None, rng: np.random.Generator, depth: int | None, distractors: int
) -> list[Item[Proof]]:
    if split not in SEED_SPACE:
        raise ValueError(f"prontoqa has the splits {sorted(SEED_SPACE)}, got {split!r}")
    wanted = DEFAULT_N if n is None else n
    if wanted < 0:
        raise ValueError(f"the number of questions must not be negative, got {n}")
    found: dict[str, Item[Proof]] = {}
    for _ in range(TRIES * wanted):
        if len(found) == wanted:
            break
        item = _of_seed(2 * int(rng.integers(2**31)) + SEED_SPACE[split], depth, distractors)
        found.setdefault(item.key, item)
    if len(found) < wanted:
        raise ValueError(f"found only {len(found)} of {wanted} worlds: use a larger depth")
    return list(found.values())


def _of_seed(seed: int, depth: int | None, distractors: int) -> Item[Proof]:
    proof = generate(seed, depth, distractors)
    return Item(proof.key, ontology(proof.facts), f"seed:{seed}", proof)


def _question(item: Item[Proof], rng: np.random.Generator, source: Source) -> Question:
    proof = item.record
    return binary(
        item,
        "prontoqa",
        ASK.format(facts=proof.facts, statement=proof.statement),
        proof.right,
        proof.wrong,
        rng,
        licence=proof.licence,
        wrong_rule="every statement negated",
        source=source,
        family=proof.family,
        ontology=item.group,
        statement_is_true=proof.truth,
    )
