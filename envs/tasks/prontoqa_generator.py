"""Ontologies of invented things, and proofs in them.

A world has a chain of kinds, each a kind of the next, the last of which has a property or lacks
it; an individual of the first kind; and distracting rules that decide nothing about the question:
the first says the opposite of some other kind, the others give kinds of the chain (or of its side
branches) further kinds and properties. No property but the one in question stands in two rules, so
nothing can be proved together with its negation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from debate_gym.envs.tasks.intake import held_out
from debate_gym.envs.tasks.prontoqa_proof import Proof, negated, ontology

LICENCE = "Apache-2.0"
SEED_SPACE = {"train": 0, "heldout": 1}
DEPTHS = (3, 4, 5)
DISTRACTORS = 5
MAX_DEPTH = 10
MAX_DISTRACTORS = 15
# fmt: off
NAMES = (
    "Agnes", "Bruno", "Clara", "Dario", "Elise", "Felix", "Greta", "Hugo", "Irma", "Jonas", "Kira",
    "Lukas", "Mira", "Nils", "Olga", "Pavel",
)
KINDS = (
    "glimmock", "tarvel", "quindle", "brostat", "felkin", "drovett", "plimmer", "snaddock",
    "yorvin", "krespan", "mubbet", "zolmer", "threnk", "vontle", "haspern", "jundow", "lorkin",
    "nimbert", "oftrel", "pardlet", "ruscam", "skellop", "tubrin", "uldren", "wexim", "cordlin",
    "dwinnow", "emprill", "fosdel", "granvet", "ibbork", "aspral",
)
PROPERTIES = (
    "striped", "hollow", "sticky", "nocturnal", "magnetic", "buoyant", "fragrant", "brittle",
    "furry", "poisonous", "ancient", "elastic", "fireproof", "restless", "talkative", "edible",
    "waterproof", "spotted", "curious", "clumsy", "prickly", "shiny", "lazy", "polite",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds of a kind: that it is of another kind, or has a property (or lacks it)."""

    kind: str
    predicate: str
    positive: bool = True

    def worded(self, form: int) -> str:
        """In one of three forms."""
        verb = "" if self.positive else "not "
        if form == 2:
            plural = f"{self.predicate}s" if self.predicate in KINDS else self.predicate
            return f"{self.kind.capitalize()}s are {verb}{plural}."
        return f"{('Every', 'Each')[form]} {self.kind} is {verb}{_one(self.predicate)}."

    def of(self, name: str) -> str:
        """What follows for an individual of the kind."""
        return f"{name} is {'' if self.positive else 'not '}{_one(self.predicate)}."


def generate(seed: int, depth: int | None = None, distractors: int = DISTRACTORS) -> Proof:
    """The proof of a seed. Even seeds are `train`, odd ones `heldout`; an ontology belongs to one
    of the two, so worlds are drawn until one belongs to the seed's.

    Args:
        depth: how many rules the proof applies, 1 to 10; drawn from 3 to 5 if None.
        distractors: how many rules it does not need, 0 to 15.

    Raises:
        ValueError: on a depth or a number of distractors out of range.
    """
    if depth is not None and not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth must be between 1 and {MAX_DEPTH}, got {depth}")
    if not 0 <= distractors <= MAX_DISTRACTORS:
        raise ValueError(f"distractors must be between 0 and {MAX_DISTRACTORS}, got {distractors}")
    rng = np.random.default_rng([seed, 11])
    while True:
        proof = _world(rng, int(rng.choice(DEPTHS)) if depth is None else depth, distractors)
        if held_out(ontology(proof.facts)) == (seed % 2 == SEED_SPACE["heldout"]):
            return proof


def _world(rng: np.random.Generator, depth: int, distractors: int) -> Proof:
    kinds = [str(kind) for kind in rng.permutation(KINDS)]
    properties = [str(value) for value in rng.permutation(PROPERTIES)]
    chain = _chain(kinds[:depth], properties[0], bool(rng.integers(2)))
    others = _distractors(rng, chain, kinds[depth:], properties[1:], distractors)
    texts = {rule: rule.worded(int(rng.integers(3))) for rule in (*chain, *others)}
    name = str(rng.choice(NAMES))
    premise = f"{name} is {_one(chain[0].kind)}."
    rules = list(texts.values())
    facts = " ".join([*(rules[i] for i in rng.permutation(len(rules))), premise])
    trace = (premise, *(part for rule in chain for part in (texts[rule], rule.of(name))))
    truth = bool(rng.integers(2))
    statement = trace[-1] if truth else negated(trace[-1])
    return Proof(facts, statement, truth, trace, "generated", LICENCE)


def _chain(kinds: list[str], goal: str, positive: bool) -> list[Rule]:
    links = [Rule(kind, above) for kind, above in pairwise(kinds)]
    return [*links, Rule(kinds[-1], goal, positive)]


def _distractors(
    rng: np.random.Generator, chain: list[Rule], kinds: list[str], properties: list[str], count: int
) -> list[Rule]:
    """Of the free kinds the first is the outsider, of whom the opposite of the goal holds."""
    outsider, *free = kinds
    goal = chain[-1]
    rules = [Rule(outsider, goal.predicate, not goal.positive)]
    known = [rule.kind for rule in chain]
    for kind, value in zip(free[: count - 1], properties, strict=False):
        below = known[int(rng.integers(len(known)))]
        if rng.integers(2):
            rules.append(Rule(below, kind))
            known.append(kind)
        else:
            rules.append(Rule(below, value, bool(rng.integers(2))))
    return rules[:count]


def _one(predicate: str) -> str:
    if predicate not in KINDS:
        return predicate
    return f"{'an' if predicate[0] in 'aeiou' else 'a'} {predicate}"
