from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from debate_gym.envs import Question, load_task
from debate_gym.envs.tasks import prontoqa
from debate_gym.envs.tasks.intake import Intake
from debate_gym.envs.tasks.length_cue import length_cue
from debate_gym.envs.tasks.prontoqa import Ontologies, ontology_counts

Load = Callable[..., list[Question]]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Writes proofs about this many individuals, four to an ontology."""
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))

    def to_file(count: int) -> None:
        entries = {f"example{i}": {"test_example": example(i)} for i in range(count)}
        (tmp_path / "prontoqa").mkdir()
        (tmp_path / "prontoqa" / "1hop.json").write_text(json.dumps(entries))

    return to_file


def example(i: int) -> dict[str, object]:
    kind, name = f"glim{i // 4}", f"Kim{i}"
    return {
        "question": f"Each {kind} is not red. {name} is a {kind}.",
        "query": f"True or false: {name} is red.",
        "chain_of_thought": [
            f"{name} is a {kind}.",
            f"Each {kind} is not red.",
            f"{name} is not red.",
        ],
        "answer": "False",
    }


def test_questions_of_the_files(put: Callable[[int], None], both_splits: Load) -> None:
    put(40)
    questions = both_splits("prontoqa", source="files")
    assert len(questions) == 40
    one = next(q for q in questions if q.meta["upstream_id"] == "1hop.json:example5")
    assert one.question == (
        "Each glim1 is not red. Kim5 is a glim1.\n\nTrue or false: Kim5 is red.\n\n"
        "Which of the two proofs settles this?"
    )
    assert one.answers[one.correct] == "Kim5 is a glim1. Each glim1 is not red. Kim5 is not red."
    assert one.answers[1 - one.correct] == ("Kim5 is not a glim1. Each glim1 is red. Kim5 is red.")
    assert one.article is None
    assert one.id == f"prontoqa-{one.meta['content_hash']}"
    assert {
        "licence": "Apache-2.0",
        "wrong_rule": "every statement negated",
        "source": "files",
        "family": "1hop",
        "statement_is_true": False,
        "filters": [
            "a statement without is or are",
            "trace does not end in what the label says",
        ],
    }.items() <= one.meta.items()
    assert {question.correct for question in questions} == {0, 1}


def test_an_ontology_is_in_one_split(put: Callable[[int], None]) -> None:
    put(120)
    train, held_out = (
        Counter(q.meta["ontology"] for q in load_task("prontoqa", split, 999, source="files"))
        for split in ("train", "heldout")
    )
    assert not train.keys() & held_out.keys()
    assert set((train + held_out).values()) == {4}
    items = prontoqa.read(Intake(), np.random.default_rng(0))
    assert ontology_counts(items) == Ontologies(30, 30, 120)
    assert ontology_counts(items[:1]) == Ontologies(1, 0, 0)


def test_the_seed_draws_items_and_orders(put: Callable[[int], None]) -> None:
    put(60)
    for options in ({"source": "files"}, {}):
        first, again, other = (
            load_task("prontoqa", "train", 10, seed, **options) for seed in (0, 0, 1)
        )
        assert first == again != other


def test_generated_by_default_without_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBATE_GYM_DATA", str(tmp_path))
    questions = load_task("prontoqa", "heldout")
    assert len(questions) == len({question.id for question in questions}) == 128
    for question in questions:
        assert question.meta["source"] == question.meta["family"] == "generated"
        assert question.meta["licence"] == "Apache-2.0"
        assert question.meta["upstream_id"].startswith("seed:")
    assert 0.35 < np.mean([question.correct for question in questions]) < 0.65
    with pytest.raises(FileNotFoundError, match=r"prontoqa: looked below .* \*hop\*\.json"):
        load_task("prontoqa", "train", source="files")


@pytest.mark.parametrize(("depth", "distractors"), [(None, None), (1, 0), (2, 1)])
def test_generated_splits_share_no_ontology(depth: int | None, distractors: int | None) -> None:
    train, held_out = (
        {
            q.meta["ontology"]
            for q in load_task("prontoqa", split, 500, depth=depth, distractors=distractors)
        }
        for split in ("train", "heldout")
    )
    assert len(train) > 250 < len(held_out)
    assert not train & held_out


def test_the_size_of_worlds() -> None:
    question = load_task("prontoqa", "train", 1, depth=2, distractors=7)[0]
    assert question.answers[0].count(".") == 2 * 2 + 1
    assert question.question.split("\n")[0].count(".") == 2 + 7 + 1


def test_options_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="unknown source 'file'"):
        load_task("prontoqa", "train", source="file")
    for option in ("depth", "distractors"):
        with pytest.raises(ValueError, match="are for source='generated'"):
            load_task("prontoqa", "train", source="files", **{option: 3})
    with pytest.raises(ValueError, match="depth must be between 1 and 10, got 99"):
        load_task("prontoqa", "train", depth=99)
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        load_task("prontoqa", "train", -1)
    with pytest.raises(ValueError, match=r"the splits \['heldout', 'train'\], got 'test'"):
        prontoqa.load("test", 1, np.random.default_rng(0))
    assert load_task("prontoqa", "train", 0) == []


def test_more_worlds_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prontoqa, "TRIES", 1)
    first = prontoqa._of_seed(0, None, 5)
    monkeypatch.setattr(prontoqa, "_of_seed", lambda *_: first)
    with pytest.raises(ValueError, match="found only 1 of 3 worlds"):
        load_task("prontoqa", "train", 3)


def test_the_shorter_generated_answer_is_right() -> None:
    assert length_cue(load_task("prontoqa", "train", 300)).accuracy == 0


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_upstream_files(both_splits: Load, capsys: pytest.CaptureFixture[str]) -> None:
    train, held_out = (
        load_task("prontoqa", split, 10**6, source="files") for split in ("train", "heldout")
    )
    assert not {q.meta["ontology"] for q in train} & {q.meta["ontology"] for q in held_out}
    questions = train + held_out
    assert len({question.id for question in questions}) == len(questions)
    drawn = load_task("prontoqa", "train", 128, source="files")
    assert len({question.meta["family"] for question in drawn}) >= 7
    with capsys.disabled():
        print(f"\nPrOntoQA: {len(train)} train, {len(held_out)} held out")


@pytest.mark.skipif("DEBATE_GYM_DATA" not in os.environ, reason="no upstream files")
def test_the_sample_of_1400_proofs(both_splits: Load) -> None:
    intake = Intake()
    items = prontoqa.read(intake, np.random.default_rng(0))
    if intake.read != 1400:
        pytest.skip("counts are those of 400 + 400 proofs with a label and 600 without")
    assert ontology_counts(items) == Ontologies(1104, 79, 375)
    questions = both_splits("prontoqa", source="files")
    assert Counter(q.meta["licence"] for q in questions) == {"Apache-2.0": 1000, "MIT": 400}
    # the wrong answer is the shorter one in 40 of 1400
    assert length_cue(questions).accuracy == pytest.approx(40 / 1400)
