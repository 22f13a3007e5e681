from __future__ import annotations

import torch

from debate_gym.train.batching import rollout_tensors, trim
from debate_gym.train.self_play import Rollout, Row

PAD = 0
ROWS = [Row([1, 2, 3], [4, PAD], 0.0, 0, True), Row([1], [4, 5, 6], 0.0, 0, True)]


def test_prompts_are_padded_left_and_completions_right() -> None:
    batch = rollout_tensors(Rollout(ROWS, [], []), PAD, "cpu")
    assert batch["prompt_ids"].tolist() == [[1, 2, 3], [PAD, PAD, 1]]
    assert batch["prompt_mask"].tolist() == [[1, 1, 1], [0, 0, 1]]
    assert batch["completion_ids"].tolist() == [[4, PAD, PAD], [4, 5, 6]]
    # A sampled token counts even where it is the padding token.
    assert batch["completion_mask"].tolist() == [[1, 1, 0], [1, 1, 1]]


def test_a_turn_that_was_never_spoken_weighs_nothing() -> None:
    batch = rollout_tensors(Rollout([Row([], [], 0.0, 0, True), *ROWS], [], []), PAD, "cpu")
    assert batch["completion_mask"][0].tolist() == [0, 0, 0]
    assert batch["prompt_mask"][0].sum() == 1


def test_trim_cuts_what_is_padding_everywhere() -> None:
    batch = rollout_tensors(Rollout(ROWS, [], []), PAD, "cpu")
    batch["advantages"] = torch.ones(2, 3)
    batch["num_items_in_batch"] = torch.tensor(5)
    second = trim({k: v[1:] if v.dim() else v for k, v in batch.items()})
    assert second["prompt_ids"].tolist() == [[1]]
    assert second["completion_ids"].tolist() == [[4, 5, 6]]
    first = trim({k: v[:1] if v.dim() else v for k, v in batch.items()})
    assert first["completion_ids"].tolist() == [[4, PAD]]
    assert first["advantages"].shape == (1, 2)
    assert first["num_items_in_batch"] == 5
