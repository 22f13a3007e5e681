from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.tasks.prontoqa_proof import NoVerbError, Proof, negated, ontology, same


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("Kim is a glim.", "Kim is not a glim."),
        ("Kim is not an olb.", "Kim is an olb."),
        ("Glims are tarvs.", "Glims are not tarvs."),
        ("Glims are not red.", "Glims are red."),
        ("Each glim is not red.", "Each glim is red."),
        ("3 is a knotted prime.", "3 is not a knotted prime."),
        # the verb of the clause inside a rule is not that of the rule
        (
            "Everything that is a glim or a tarv is an olb.",
            "Everything that is a glim or a tarv is not an olb.",
        ),
        (
            "Everything that is red and a glim is not a tarv.",
            "Everything that is red and a glim is a tarv.",
        ),
        # each joined clause once
        ("Kim is not a glim and Kim is a tarv.", "Kim is a glim and Kim is not a tarv."),
        ("Kim is a glim, a tarv, or an olb.", "Kim is not a glim, a tarv, or an olb."),
        # the steps of a proof by contradiction
        ("Assume Kim is a glim.", "Assume Kim is not a glim."),
        ("This contradicts with Kim is not a glim.", "This contradicts with Kim is a glim."),
        ("Isis is a bare island.", "Isis is not a bare island."),
    ],
)
def test_negated(statement: str, negation: str) -> None:
    assert negated(statement) == negation
    assert negated(negation) == statement


def test_what_has_no_verb_cannot_be_negated() -> None:
    with pytest.raises(NoVerbError, match="'is' or 'are', got 'Kim has a glim.'"):
        negated("Kim has a glim.")
    with pytest.raises(NoVerbError):
        negated("Everything that is red.")


CLAUSES = st.builds(
    lambda name, verb, no, rest: f"{name} {verb}{no} {rest}",
    st.sampled_from(["Kim", "Glims", "Each this", "Assume Al", "Everything that is a glim"]),
    st.sampled_from(["is", "are"]),
    st.sampled_from(["", " not"]),
    st.sampled_from(["red", "a glim", "a knot, a tarv, or an area", "notable"]),
)


@given(st.lists(CLAUSES, min_size=1, max_size=3))
def test_no_clause_is_negated_twice(clauses: list[str]) -> None:
    statement = " and ".join(clauses) + "."
    negation = negated(statement)
    assert negated(negation) == statement
    assert negation == " and ".join(negated(clause) for clause in clauses) + "."
    assert all(a.split().count("not") + negated(a).split().count("not") == 1 for a in clauses)


def test_the_wrong_trace_is_the_right_one_negated() -> None:
    trace = ("Kim is a glim.", "Glims are not red.", "Kim is not red.")
    false = Proof("...", "Kim is red.", False, trace, "generated", "Apache-2.0")
    assert false.right == "Kim is a glim. Glims are not red. Kim is not red."
    assert false.wrong == "Kim is not a glim. Glims are red. Kim is red."
    assert false.conclusion == "Kim is not red."
    true = Proof("...", "Kim is not red.", True, trace, "generated", "Apache-2.0")
    assert true.conclusion == "Kim is not red."
    assert true.key != false.key


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("Kim is a glim, a tarv, or an olb.", "Kim is a glim or a tarv or an olb.", True),
        ("Kim is a glim, a tarv or an olb.", "Kim is a glim or a tarv or an olb.", True),
        ("Kim is a glim, a tarv, and an olb.", "Kim is a glim and a tarv and an olb.", True),
        ("Kim is a glim, a tarv, and an olb.", "Kim is a glim, a tarv, or an olb.", False),
        ("Kim is a glim.", "Kim is not a glim.", False),
        ("Kim is a glim or a tarv.", "Kim is a tarv or a glim.", False),
    ],
)
def test_same(first: str, second: str, equal: bool) -> None:
    assert same(first, second) is equal


RULES = "Each glim is a tarv. Tarvs are not red. Every fly is an olb."


@pytest.mark.parametrize(
    "other",
    [
        "Each tarv is not red. Flies are olbs. Glims are tarvs. Kim is a glim.",
        "Every fly is an olb. Kim is not red. Every tarv is not red.  Every glim is a tarv.",
        "Everything that is a glim is a tarv. Tarvs are not red. Each fly is an olb. Glims are "
        "tarvs.",
    ],
)
def test_an_ontology_is_its_rules_in_any_order_and_wording(other: str) -> None:
    assert ontology(RULES) == ontology(other)


@pytest.mark.parametrize(
    "other",
    [
        "Each tarv is a glim. Tarvs are not red. Every fly is an olb.",
        "Each glim is a tarv. Tarvs are red. Every fly is an olb.",
        "Each glim is a tarv. Tarvs are not red.",
        f"{RULES} Olbs are blue.",
    ],
)
def test_other_rules_are_another_ontology(other: str) -> None:
    assert ontology(RULES) != ontology(other)


def test_irregular_words_of_the_published_files() -> None:
    pairs = [
        ("Jompuses are wumpuses.", "Every jompus is a wumpus."),
        ("Carnivores are vertebrates.", "Each carnivore is a vertebrate."),
        ("Butterflies are lepidopterans.", "Each butterfly is a lepidopteran."),
        ("Mersenne primes are prime numbers.", "Every Mersenne prime is a prime number."),
        ("Sheep are herbivorous.", "Every sheep is herbivorous."),
    ]
    for plural, singular in pairs:
        assert ontology(plural) == ontology(singular)
