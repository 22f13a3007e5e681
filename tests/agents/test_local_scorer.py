"""Reading the chances of two labels from a local model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from debate_gym.agents.encoding import encode_prompt
from debate_gym.agents.local_scorer import LocalScorer
from debate_gym.agents.scoring import MISSING, score

Make = Callable[..., Any]


def test_it_reads_the_next_token_alone_and_in_a_batch(
    model: Any, tokenizer: Any, make_observation: Make
) -> None:
    observations = [replace(make_observation(), user="x" * n) for n in (3, 40, 11)]
    scorer = LocalScorer(model, tokenizer, "llama", batch_size=2)
    readings = scorer.log_probabilities(observations, "Helpful:", ("Y", "N"))
    for observation, reading in zip(observations, readings, strict=True):
        ids = encode_prompt(tokenizer, observation.system, observation.user, "Helpful: ")
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0, -1].double()
        labels = tokenizer("YN", add_special_tokens=False)["input_ids"]
        expected = logits.log_softmax(-1)[labels].tolist()
        assert reading.log_probabilities == pytest.approx(tuple(expected), abs=1e-4)
        assert reading.prompt_tokens == len(ids)


def test_a_label_without_a_finite_chance_is_missing(
    model: Any, tokenizer: Any, make_observation: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = LocalScorer(model, tokenizer, "llama")
    monkeypatch.setattr(scorer, "_chances", lambda prompts, ids: [(0.0, math.nan)])
    (reading,) = scorer.log_probabilities([make_observation()], "Answer:", ("1", "2"))
    assert reading.log_probabilities == (None, None)


@pytest.mark.parametrize(("given", "value"), [(None, MISSING), (-2.5, -2.5), (-400.0, MISSING)])
def test_a_missing_label_counts_minus_one_hundred(given: float | None, value: float) -> None:
    assert MISSING == -100
    assert score(given) == value


def test_what_it_cannot_read_is_refused(model: Any, tokenizer: Any, make_observation: Make) -> None:
    scorer = LocalScorer(model, tokenizer, "llama", version="")
    observation = make_observation()
    with pytest.raises(ValueError, match="labels yes and no are not single"):
        scorer.log_probabilities([observation], "Answer:", ("yes", "no"))
    with pytest.raises(ValueError, match="exceeds the context of 4096"):
        scorer.log_probabilities([replace(observation, user="x" * 5000)], "A:", ("1", "2"))
    with pytest.raises(ValueError, match="reads text only"):
        scorer.log_probabilities([replace(observation, images=("a.png",))], "A:", ("1", "2"))
    with pytest.raises(ValueError, match="batch_size must be at least 1"):
        LocalScorer(model, tokenizer, "llama", batch_size=0)
