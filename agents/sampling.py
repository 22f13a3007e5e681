"""Sampling that does not depend on how prompts were batched.

Every row has its own generator, seeded by its observation, so a debate says the same alone, in a
batch, and in a run that was killed and resumed. Torch's generators are not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch


class RowSampler:
    """A logits processor that draws one token per row and leaves no other possible.

    A token is drawn by inverting the distribution function at one uniform number per row and
    step. In double precision, the rounding by which a batch differs from a single prompt changes
    a token about once in a million.

    Args:
        seeds: one per row.
        width: length of the (padded) prompts, so that the step is known.
        steps: most tokens that are drawn.
        temperature: above 0.
        top_p: share of the distribution that is kept, the likeliest tokens first; the token that
            crosses it is kept too.
    """

    def __init__(
        self, seeds: Sequence[int], width: int, steps: int, temperature: float, top_p: float
    ) -> None:
        self._width = width
        self._temperature = temperature
        self._top_p = top_p
        draws = [np.random.default_rng(seed).random(steps) for seed in seeds]
        self._draws = torch.from_numpy(np.stack(draws))

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Scores (rows, vocabulary) in which only the drawn token is finite."""
        draws = self._draws[:, input_ids.shape[1] - self._width].to(scores.device)
        tokens = self.draw(scores, draws)
        return torch.full_like(scores, -torch.inf).scatter_(1, tokens[:, None], 0.0)

    def draw(self, scores: torch.Tensor, draws: torch.Tensor) -> torch.Tensor:
        """One token per row (rows,) at the uniform numbers `draws` (rows,) in [0, 1)."""
        chances = (scores.double() / self._temperature).softmax(-1)
        if self._top_p < 1:
            chances = keep_top(chances, self._top_p)
        reached = chances.cumsum(-1)
        # Scaled by the total, so that rounding cannot leave a draw beyond the last token.
        return torch.searchsorted(reached, draws[:, None] * reached[:, -1:], right=True)[:, 0]


def keep_top(chances: torch.Tensor, top_p: float) -> torch.Tensor:
    """Chances (rows, vocabulary) with all but the likeliest tokens set to 0."""
    ordered, places = chances.sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(-1) - ordered
    return torch.zeros_like(chances).scatter_(1, places, ordered * (before < top_p))
