"""Sampling by one uniform number per row, checked against distributions worked out by hand."""

from __future__ import annotations

import pytest
import torch

from debate_gym.agents.sampling import RowSampler, keep_top

HALF_QUARTERS = torch.tensor([0.5, 0.25, 0.0, 0.25])


def sampler(temperature: float = 1.0, top_p: float = 1.0) -> RowSampler:
    return RowSampler([0], 0, 1, temperature, top_p)


@pytest.mark.parametrize(
    ("draw", "token"),
    [(0.0, 0), (0.49, 0), (0.51, 1), (0.74, 1), (0.76, 3), (1 - 1e-12, 3)],
)
def test_a_draw_falls_into_the_token_that_holds_it(draw: float, token: int) -> None:
    drawn = sampler().draw(HALF_QUARTERS.log()[None], torch.tensor([draw], dtype=torch.float64))
    assert drawn.tolist() == [token]


def test_tokens_come_as_often_as_they_should() -> None:
    draws = (torch.arange(10_000, dtype=torch.float64) + 0.5) / 10_000
    scores = HALF_QUARTERS.log().expand(10_000, 4)
    counts = torch.bincount(sampler().draw(scores, draws), minlength=4)
    assert counts.tolist() == [5000, 2500, 0, 2500]
    # At temperature 1/2 the chances are squared: 4 : 1 : 0 : 1.
    counts = torch.bincount(sampler(temperature=0.5).draw(scores, draws), minlength=4)
    assert counts.tolist() == pytest.approx([6667, 1667, 0, 1667], abs=1)


def test_top_p_keeps_the_token_that_crosses_it() -> None:
    chances = torch.tensor([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4]], dtype=torch.float64)
    kept = keep_top(chances, 0.6)
    assert kept.tolist() == [[0.0, 0.5, 0.4], [0.3, 0.0, 0.4]]
    assert (keep_top(chances, 0.01) > 0).sum(1).tolist() == [1, 1]


def test_only_the_drawn_token_is_left_possible() -> None:
    processor = RowSampler([3, 4], width=2, steps=2, temperature=1.0, top_p=1.0)
    scores = processor(torch.zeros(2, 3, dtype=torch.long), torch.randn(2, 5))
    assert torch.isfinite(scores).sum(1).tolist() == [1, 1]


def test_a_row_draws_by_its_own_seed() -> None:
    scores, ids = torch.zeros(3, 1000), torch.zeros(3, 0, dtype=torch.long)
    one = RowSampler([7, 8, 7], 0, 1, 1.0, 1.0)(ids, scores).argmax(1).tolist()
    assert one[0] == one[2] != one[1]
