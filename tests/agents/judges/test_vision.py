"""The log-probability judge with pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from debate_gym.agents.judges.logprob import LogProbJudge
from debate_gym.agents.judges.vision import VisionJudge
from debate_gym.envs import load_protocol
from debate_gym.envs.game import State, advance, due, observe, start
from debate_gym.envs.nouns import JUDGE_0, Question, Utterance


def played(questions: Sequence[Question]) -> list[State]:
    """Debates of different lengths whose speeches name pictures."""
    states = []
    for i, question in enumerate(questions):
        state = start(question, load_protocol("debate"), id=question.id)
        while seats := due(state):
            speech = Utterance("See <image 2>, not <image 9>. " * (i + 1))
            state = advance(state, dict.fromkeys(seats, speech))
        states.append(state)
    return states


def shares(judge: LogProbJudge, states: list[State]) -> np.ndarray:
    """(states, orders, 3): both probabilities and the label mass."""
    verdicts = judge.judge(states)
    assert all(verdict.p is not None for row in verdicts for verdict in row)
    return np.array([[(*v.p, v.label_mass) for v in row if v.p] for row in verdicts])


def test_a_verdict_is_the_share_of_the_two_labels(
    vision: tuple[Any, Any], pictured: list[Question]
) -> None:
    model, processor = vision
    judge = VisionJudge(model, processor, "v")
    (state,) = played(pictured[2:3])
    for order, verdict in zip([(0, 1), (1, 0)], judge.judge([state])[0], strict=True):
        prompt = judge._encode(observe(state, JUDGE_0, order))
        assert prompt.text.endswith("assistant\nAnswer:")
        inputs = processor(text=[prompt.text], images=[prompt.images], return_tensors="pt")
        with torch.no_grad():
            chances = model(**inputs).logits[0, -1].softmax(-1)
        one, two = chances[list(judge.labels)].tolist()
        expected = {order[0]: one / (one + two), order[1]: two / (one + two)}
        assert verdict.order == order
        assert verdict.p == pytest.approx((expected[0], expected[1]), abs=1e-5)
        assert verdict.label_mass == pytest.approx(one + two, rel=1e-4)


def test_alone_and_in_a_batch_the_scores_are_the_same(
    vision: tuple[Any, Any], pictured: list[Question]
) -> None:
    states = played(pictured)
    together = shares(VisionJudge(*vision, "v", batch_size=8), states)
    assert together.shape == (4, 2, 3)
    for size in (1, 2):
        apart = shares(VisionJudge(*vision, "v", batch_size=size), states)
        np.testing.assert_allclose(apart, together, atol=1e-4)


def test_the_judge_sees_the_pictures(vision: tuple[Any, Any], pictured: list[Question]) -> None:
    (state,) = played(pictured[2:3])
    other = replace(state.question, images=pictured[3].images[1:])
    judge = VisionJudge(*vision, "v")
    seen, unseen = (shares(judge, [replace(state, question=q)]) for q in (state.question, other))
    assert np.abs(seen - unseen).max() > 1e-5


def test_speeches_place_no_picture(vision: tuple[Any, Any], pictured: list[Question]) -> None:
    # The answers, which name the pictures, follow the speeches in the judge's prompt.
    (state,) = played([replace(pictured[2], question="Which?")])
    text = VisionJudge(*vision, "v")._encode(observe(state, JUDGE_0)).text
    assert "> See <image 2>, not <image 9>." in text
    assert "1: <image 1><image>\n2: <image 2><image>\n" in text


def test_a_text_only_judge_refuses_pictures(
    model: Any, tokenizer: Any, pictured: list[Question]
) -> None:
    judge = LogProbJudge(model, tokenizer, "logprob:llama")
    with pytest.raises(ValueError, match="has 2 picture.* but 'logprob:llama' reads text only"):
        judge.judge(played(pictured[2:3]))
    assert judge.judge(played(pictured[:1]))[0][0].p


def test_a_transcript_beyond_the_context_is_refused(
    vision: tuple[Any, Any], pictured: list[Question]
) -> None:
    (state,) = played([replace(pictured[1], question="<image 1>" + " why" * 1200)])
    with pytest.raises(ValueError, match="exceeds the context of 4096"):
        VisionJudge(*vision, "v").judge([state])
