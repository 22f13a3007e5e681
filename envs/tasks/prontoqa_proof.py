"""A proof in English: statements, their negation, and the ontology that they come from.

A statement has a verb, `is` or `are`, with or without `not`: "Every glim is a tarv.", "Max is not
striped.", "Everything that is striped and a glim is a tarv.", "Assume Max is a glim.". Several
clauses may be joined: "Max is a glim and Max is not a tarv.".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from debate_gym.envs.tasks.files import content_hash

VERB = re.compile(r"(?<!\bthat )\b(is|are)( not)?\b")
SENTENCE_END = re.compile(r"(?<=\.)\s+")
BARE_COMMA = re.compile(r",(?! (?:and|or)\b)(?=.*? (and|or)\b)")
FORMS = re.compile(r"\b(?:each|every|everything that|everything|an?|is|are)\b|[^\w\s-]")


class NoVerbError(ValueError):
    """A statement that cannot be negated."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What is given, what is asked, and the reasoning that settles it.

    Attributes:
        facts: rules and facts about an individual, one text.
        statement: what is true or false.
        truth: which of the two; the trace of a false statement proves its negation.
        trace: statements in the order of the proof.
        family: what it was made by or stands in.
    """

    facts: str
    statement: str
    truth: bool
    trace: tuple[str, ...]
    family: str
    licence: str

    @property
    def right(self) -> str:
        return " ".join(self.trace)

    @property
    def wrong(self) -> str:
        """The trace with every statement negated (K24 appendix F.2)."""
        return " ".join(negated(statement) for statement in self.trace)

    @property
    def conclusion(self) -> str:
        """What the trace must end in, up to the wording of lists."""
        return self.statement if self.truth else negated(self.statement)

    @property
    def key(self) -> str:
        return content_hash(self.facts, self.statement, *self.trace)


def negated(statement: str) -> str:
    """The statement with `not` put behind its verb, or taken away.

    In a rule on "everything that is ..." the verb is the one behind that clause. Each of several
    joined clauses is negated once, so what comes out is false if all clauses were true, and a
    statement that is negated twice is itself again.

    Raises:
        NoVerbError: if there is no verb.
    """
    text, count = VERB.subn(lambda verb: verb[1] if verb[2] else f"{verb[1]} not", statement)
    if not count:
        raise NoVerbError(f"expected a statement with 'is' or 'are', got {statement!r:.80}")
    return text


def same(first: str, second: str) -> bool:
    """Whether two statements differ at most in how they word lists: "a, b, or c", "a or b or c"."""
    return _listed(first) == _listed(second)


def ontology(facts: str) -> str:
    """A hash of the set of rules in the facts, whatever their order and wording.

    "Every glim is a tarv", "Each glim is a tarv" and "Glims are tarvs" are one rule. Facts about an
    individual are left out. Nouns are compared without the ending that a plural may change, so two
    that differ in it alone pass for the same.
    """
    rules = {_rule(sentence) for sentence in sentences(facts) if _is_rule(sentence)}
    return content_hash("ontology", *sorted(rules))


def sentences(text: str) -> list[str]:
    return SENTENCE_END.split(text.strip())


def _is_rule(sentence: str) -> bool:
    return sentence.startswith(("Each ", "Every ", "Everything ")) or " are " in sentence


def _rule(sentence: str) -> str:
    return _joined(FORMS.sub(" ", _listed(sentence).lower()).split())


def _joined(words: Iterable[str]) -> str:
    return " ".join(re.sub("ies$", "y", word).rstrip("es") for word in words)


def _listed(statement: str) -> str:
    return BARE_COMMA.sub(r" \1", statement).replace(",", "")
