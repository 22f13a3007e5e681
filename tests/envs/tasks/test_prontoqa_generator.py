"""A prover of its own reads the English of the facts and checks every proof by forward chaining;
it shares no code with what it checks."""

from __future__ import annotations

import os
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_gym.envs.tasks.intake import Intake, held_out
from debate_gym.envs.tasks.prontoqa_files import read_proofs
from debate_gym.envs.tasks.prontoqa_generator import (
    KINDS,
    MAX_DEPTH,
    MAX_DISTRACTORS,
    NAMES,
    PROPERTIES,
    generate,
)
from debate_gym.envs.tasks.prontoqa_proof import Proof, ontology

Literal = tuple[str, bool]
SINGLE = re.compile(r"(?:Every|Each) ([a-z]+) is (not )?(?:an? )?([a-z-]+)\.")
PLURAL = re.compile(r"([A-Z][a-z]+) are (not )?([a-z-]+)\.")
MEMBER = re.compile(r"([A-Z][a-z]+) is (not )?(?:an? )?([a-z-]+)\.")


def atom(word: str) -> str:
    """Kinds in the singular; properties as they are."""
    word = word.lower()
    if word.endswith("uses"):
        return word[:-2]
    return word[:-1] if re.search(r"[^us]s$", word) else word


def rule_of(sentence: str) -> tuple[str, Literal] | None:
    match = SINGLE.fullmatch(sentence) or PLURAL.fullmatch(sentence)
    return (atom(match[1]), (atom(match[3]), not match[2])) if match else None


def fact_of(sentence: str) -> tuple[str, Literal]:
    match = MEMBER.fullmatch(sentence)
    assert match, sentence
    return match[1], (atom(match[3]), not match[2])


def closure(known: set[Literal], rules: list[tuple[str, Literal]]) -> set[Literal]:
    """All that follows, by applying every rule until nothing is added."""
    while True:
        more = {result for kind, result in rules if (kind, True) in known}
        if more <= known:
            return known
        known = known | more


def consistent(known: set[Literal]) -> bool:
    return not any((what, not sign) in known for what, sign in known)


def assert_proved(proof: Proof) -> None:
    sentences = proof.facts.split(". ")
    sentences = [sentence.rstrip(".") + "." for sentence in sentences]
    rules = [rule for rule in map(rule_of, sentences) if rule]
    facts = [fact_of(sentence) for sentence in sentences if not rule_of(sentence)]
    ((name, premise),) = facts
    known = closure({premise}, rules)
    assert consistent(known)
    for step in proof.trace:
        assert rule_of(step) in rules or (fact_of(step)[0] == name and fact_of(step)[1] in known)
    asked, (what, sign) = fact_of(proof.statement)
    assert asked == name
    assert ((what, sign) in known) is proof.truth
    assert ((what, not sign) in known) is not proof.truth
    assert fact_of(proof.trace[-1])[1] == (what, sign is proof.truth)
    wrong = [part.rstrip(".") + "." for part in proof.wrong.split(". ")]
    assert len(wrong) == len(proof.trace)
    for step in wrong:
        if rule_of(step) is None:
            subject, (other, positive) = fact_of(step)
            assert subject == name
            assert (other, not positive) in known
    assert rule_of(wrong[-1]) is None


def assert_each_step_needs_the_last(proof: Proof) -> None:
    """Premise, then rule and conclusion by turns, each rule about the latest conclusion."""
    known = {fact_of(proof.trace[0])[1]}
    for rule, result in zip(proof.trace[1::2], proof.trace[2::2], strict=True):
        parsed = rule_of(rule)
        assert parsed is not None
        assert (parsed[0], True) in known
        known = {fact_of(result)[1]}
        assert parsed[1] in known


def test_every_generated_proof_holds() -> None:
    for seed in range(600):
        proof = generate(seed)
        assert_proved(proof)
        assert_each_step_needs_the_last(proof)
        assert len(proof.trace) in (7, 9, 11)
        assert len(proof.facts.split(". ")) == (len(proof.trace) - 1) // 2 + 5 + 1


@given(st.integers(0, 2**32), st.integers(1, MAX_DEPTH), st.integers(0, MAX_DISTRACTORS))
def test_proofs_of_any_size_hold(seed: int, depth: int, distractors: int) -> None:
    proof = generate(seed, depth, distractors)
    assert proof == generate(seed, depth, distractors)
    assert_proved(proof)
    assert_each_step_needs_the_last(proof)
    assert len(proof.trace) == 2 * depth + 1
    sentences = proof.facts.split(". ")
    assert len(sentences) == len(set(sentences)) == depth + distractors + 1
    assert held_out(ontology(proof.facts)) is (seed % 2 == 1)


def test_no_individual_of_any_kind_contradicts_itself() -> None:
    for seed in range(200):
        sentences = [part.rstrip(".") + "." for part in generate(seed).facts.split(". ")]
        rules = [rule for rule in map(rule_of, sentences) if rule]
        for kind in {kind for kind, _ in rules}:
            assert consistent(closure({(kind, True)}, rules))


def test_the_goal_occurs_with_both_signs() -> None:
    """So the word alone does not tell whether it is true of the individual."""
    for seed in range(200):
        proof = generate(seed)
        goal = fact_of(proof.statement)[1][0]
        rules = [rule_of(part.rstrip(".") + ".") for part in proof.facts.split(". ")]
        signs = Counter(rule[1][1] for rule in rules if rule and rule[1][0] == goal)
        assert signs == {True: 1, False: 1}


def test_truth_and_sign_are_balanced() -> None:
    proofs = [generate(seed) for seed in range(1600)]
    both = Counter((proof.truth, " not " in proof.trace[-1]) for proof in proofs)
    assert all(320 < number < 480 for number in both.values())
    depths = Counter(len(proof.trace) // 2 for proof in proofs)
    assert depths.keys() == {3, 4, 5}
    assert min(depths.values()) > 450
    assert {word for proof in proofs for word in ("Every", "Each", " are ") if word in proof.facts}
    used = {fact_of(proof.trace[0]) for proof in proofs}
    assert {name for name, _ in used} == set(NAMES)
    assert {kind for _, (kind, _) in used} == set(KINDS)


def test_words() -> None:
    assert len(set(KINDS)) == len(KINDS) >= MAX_DEPTH + MAX_DISTRACTORS
    assert len(set(PROPERTIES)) == len(PROPERTIES) > MAX_DISTRACTORS
    assert not set(KINDS) & set(PROPERTIES)
    assert "a emprill" not in generate(0).facts
    text = " ".join(generate(seed).facts for seed in range(200))
    assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", text)


@pytest.mark.parametrize(
    ("depth", "distractors", "message"),
    [
        (0, 5, "depth must be between 1 and 10, got 0"),
        (11, 5, "depth must be between 1 and 10, got 11"),
        (3, -1, "distractors must be between 0 and 15, got -1"),
        (3, 16, "distractors must be between 0 and 15, got 16"),
    ],
)
def test_sizes_out_of_range(depth: int, distractors: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate(0, depth, distractors)


def test_the_prover_finds_a_wrong_proof() -> None:
    proof = generate(4)
    broken = Proof(proof.facts, proof.statement, not proof.truth, proof.trace, "x", "y")
    with pytest.raises(AssertionError):
        assert_proved(broken)
    swapped = Proof(
        proof.facts, proof.statement, proof.truth, tuple(proof.wrong.split(". ")), "", ""
    )
    with pytest.raises(AssertionError):
        assert_proved(swapped)


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_published_labels_hold() -> None:
    proofs = [item.record for item in read_proofs(Intake())]
    fictional = [proof for proof in proofs if proof.family == "logic_llm_dev"]
    assert len(fictional) >= 400
    for proof in fictional:
        assert_proved(proof)
    assert 0.4 < np.mean([proof.truth for proof in fictional]) < 0.6
