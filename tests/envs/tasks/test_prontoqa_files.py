from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs.tasks.intake import Intake, Item
from debate_gym.envs.tasks.prontoqa_files import read_proofs
from debate_gym.envs.tasks.prontoqa_proof import Proof, negated

Put = Callable[[str, Any], None]
RED = ["Kim is a glim.", "Each glim is red.", "Kim is red."]
UNLABELLED = (
    "1hop_ProofByContra_random_noadj",
    "1hop_ProofsOnly_random_noadj",
    "2hop_AndIntro_random_noadj",
    "2hop_Composed_random_noadj",
    "2hop_ProofsOnly_random_noadj",
    "3hop_ProofsOnly_random_noadj",
)


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes a JSON value to a file below a new `DEBATE_GYM_DATA`."""
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))

    def to_file(name: str, value: Any) -> None:
        path = tmp_path / "prontoqa" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")

    return to_file


def entry(name: str = "Kim", **changes: Any) -> dict[str, Any]:
    """An entry of the authors' generator; the few-shot examples are no records."""
    example = {
        "question": f"Each glim is red. {name} is a glim.",
        "query": f"True or false: {name} is red.",
        "chain_of_thought": [step.replace("Kim", name) for step in RED],
        "answer": "True",
    }
    return {"in_context_example0": {"query": "?"}, "test_example": {**example, **changes}}


def logic(**changes: Any) -> dict[str, Any]:
    return {
        "id": "ProntoQA_7",
        "context": "Each glim is red. Kim is a glim.",
        "question": "Is the following statement true or false? Kim is not red.",
        "options": ["A) True", "B) False"],
        "answer": "B",
        "explanation": RED,
        **changes,
    }


def taken() -> tuple[list[Item[Proof]], Intake]:
    intake = Intake()
    items = read_proofs(intake)
    known = len(items) + intake.duplicates + intake.dropped.total() + len(intake.broken)
    assert intake.read == known
    return items, intake


def test_true_or_false(put: Put) -> None:
    false = {"query": "True or false: Al is not red.", "answer": "False"}
    put("2hop.json", {"example1": entry(), "example2": entry("Al", **false)})
    proofs = {item.upstream_id: item.record for item in taken()[0]}
    assert proofs["2hop.json:example1"] == Proof(
        "Each glim is red. Kim is a glim.", "Kim is red.", True, tuple(RED), "2hop", "Apache-2.0"
    )
    second = proofs["2hop.json:example2"]
    assert (second.statement, second.truth) == ("Al is not red.", False)
    assert second.right == "Al is a glim. Each glim is red. Al is red."
    assert second.wrong == "Al is not a glim. Each glim is not red. Al is not red."


@pytest.mark.parametrize(
    ("changes", "truth"),
    [
        ({}, False),
        ({"options": ["A) False", "B) True"], "answer": "A"}, False),
        (
            {"question": "Is the following statement true or false? Kim is red.", "answer": "A"},
            True,
        ),
    ],
)
def test_letters_stand_for_options(put: Put, changes: dict[str, Any], truth: bool) -> None:
    put("dev.json", [logic(**changes)])
    (item,) = taken()[0]
    assert item.record.truth is truth
    assert item.record.licence == "MIT"
    assert item.record.family == "dev"
    assert item.upstream_id == "dev.json:ProntoQA_7"


def test_half_of_the_provable_ask_about_the_negation(put: Put) -> None:
    entries = {}
    for i in range(200):
        entries[f"example{i}"] = entry(f"Kim{i}", query=f"Prove: Kim{i} is red.", answer=None)
    put("more/1hop.json", entries)
    items, _ = taken()
    truths = Counter(item.record.truth for item in items)
    assert 70 < truths[True] < 130
    for item in items:
        proof = item.record
        assert proof.statement == (proof.trace[-1] if proof.truth else negated(proof.trace[-1]))
    assert taken()[0] == items


def test_empty_lines_between_the_parts_of_a_trace_are_lost(put: Put) -> None:
    trace = ["Assume Kim is a glim.", "This contradicts with Kim is not a glim.", "Kim is red.\n\n"]
    put("1hop.json", {"example1": entry(chain_of_thought=trace)})
    (item,) = taken()[0]
    assert item.record.right == " ".join(trace).strip()
    assert item.record.wrong == (
        "Assume Kim is not a glim. This contradicts with Kim is a glim. Kim is not red."
    )


def test_lists_may_be_worded_in_two_ways(put: Put) -> None:
    listed = entry(
        query="Prove: Kim is red or a glim or a tarv.",
        chain_of_thought=["Kim is a glim.", "Kim is red, a glim, or a tarv."],
    )
    put("1hop.json", {"example1": listed})
    assert len(taken()[0]) == 1


def test_the_group_is_the_ontology(put: Put) -> None:
    same = entry("Al", question="Al is a glim. Glims are red.")
    other = entry("Bo", question="Each glim is red. Glims are big. Bo is a glim.")
    put("1hop.json", {"example1": entry(), "example2": same, "example3": other})
    assert len({item.group for item in taken()[0]}) == 2


def test_what_is_left_out_is_counted(put: Put) -> None:
    entries = {
        "example1": entry(),
        "example2": entry(answer="False"),
        "example3": entry(chain_of_thought=["Kim has red hair.", "Kim is red."]),
        "example4": entry(),
        "example5": entry(chain_of_thought=[*RED, "Kim is big."]),
    }
    put("1hop.json", entries)
    put("2hop.json", {"example9": entry()})
    items, intake = taken()
    assert [item.upstream_id for item in items] == ["1hop.json:example1"]
    assert intake.read == 6
    assert intake.duplicates == 2
    assert intake.dropped == {
        "trace does not end in what the label says": 2,
        "a statement without is or are": 1,
    }


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("1hop.json", [], "expected an example as an object, got None"),
        ("1hop.json", {"in_context_example0": {}}, "expected an example as an object, got None"),
        ("1hop.json", entry(question=" "), "question must be a text, not blank, got ' '"),
        ("1hop.json", entry(query=None), "query must be a text, not blank, got None"),
        ("1hop.json", entry(query="Kim is red."), "query must begin with one of 'True or false: '"),
        ("1hop.json", entry(answer=None), "answer must be 'True' or 'False', got None"),
        ("1hop.json", entry(answer=True), "answer must be 'True' or 'False', got True"),
        ("1hop.json", entry(chain_of_thought="Kim is"), "chain_of_thought must be a list of"),
        ("1hop.json", entry(chain_of_thought=[]), "chain_of_thought must be a list of"),
        ("1hop.json", entry(chain_of_thought=[1]), "chain_of_thought must be a list of"),
        ("dev.json", 3, "expected an example as an object, got 3"),
        ("dev.json", logic(answer="C"), r"the letter of one of \['A\) True', .*, got 'C'"),
        ("dev.json", logic(options=None), "the letter of one of None, got 'B'"),
        ("dev.json", logic(explanation=None), "explanation must be a list of statements"),
    ],
)
def test_a_broken_record_is_named(put: Put, name: str, bad: Any, message: str) -> None:
    good: Any = logic() if name == "dev.json" else entry()
    put(name, [good, bad] if name == "dev.json" else {"example1": good, "example2": bad})
    items, intake = taken()
    assert len(items) == 1
    with pytest.raises(ValueError, match=rf"{name}:2: .*{message}"):
        intake.raise_broken()


def test_a_file_of_another_kind_is_named(put: Put) -> None:
    put("1hop.json", "{")
    put("2hop.json", [])
    put("dev.json", {})
    _, intake = taken()
    assert len(intake.broken) == 3


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_upstream_files(capsys: pytest.CaptureFixture[str]) -> None:
    items, intake = taken()
    assert not intake.broken
    assert len(items) > 0.99 * intake.read
    families = Counter(item.record.family for item in items)
    with capsys.disabled():
        print(f"\nPrOntoQA: {intake.read} read, {len(items)} kept of {len(families)} files")


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_sample_of_1400_proofs() -> None:
    items, intake = taken()
    if intake.read != 1400:
        pytest.skip("counts are those of 400 + 400 proofs with a label and 600 without")
    assert len(items) == 1400
    families: dict[str, list[Proof]] = {}
    for item in items:
        families.setdefault(item.record.family, []).append(item.record)
    hops, logics = families.pop("345hop_random_true"), families.pop("logic_llm_dev")
    assert Counter(proof.truth for proof in hops) == {False: 204, True: 196}
    assert Counter(proof.truth for proof in logics) == {True: 215, False: 185}
    assert Counter(len(proof.trace) for proof in hops) == {7: 181, 9: 99, 11: 120}
    assert {len(proof.trace) for proof in logics} == {11}
    assert all(proof.trace[-1] == proof.conclusion for proof in (*hops, *logics))
    assert {name: len(proofs) for name, proofs in families.items()} == dict.fromkeys(
        UNLABELLED, 100
    )
    asked = [proof.truth for proofs in families.values() for proof in proofs]
    assert 0.45 < sum(asked) / len(asked) < 0.55
    contra = families["1hop_ProofByContra_random_noadj"]
    assert all("Assume" in p.right and "This contradicts with" in p.wrong for p in contra)
    everything = [item.record for item in items]
    assert all(
        text.isascii() and "\n" not in text for p in everything for text in (p.facts, p.right)
    )
    # the query and the end of the trace word a list of three in two ways
    assert sum(proof.trace[-1] != proof.conclusion for proof in everything) == 18
