"""The arithmetic of PPO on debates, as pure functions of tensors.

Rows are turns: a row holds the tokens that one seat sampled in one round. Shapes are written
(rows, T) with T the longest completion of the batch; `mask` is 1 on sampled tokens and 0 on
padding, which stands on the right.

Sources: PPO, arXiv 1707.06347; generalised advantage estimation (GAE), arXiv 1506.02438.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def chained_gae(
    rewards: Tensor,
    values: Tensor,
    mask: Tensor,
    chains: Sequence[Sequence[int]],
    gamma: float,
    lam: float,
) -> tuple[Tensor, Tensor]:
    """GAE over the tokens of a seat's turns, as if they were one sequence.

    With t running over all sampled tokens of a chain in playing order,

        delta_t = r_t + gamma * V_{t+1} - V_t
        A_t     = delta_t + gamma * lam * A_{t+1}

    where V and A are 0 after the last token of the chain, and the token after the last one of a
    turn is the first of the seat's next turn. What others say in between costs no step.

    Args:
        rewards, values, mask: (rows, T).
        chains: for every seat of every episode, the rows of its turns in playing order.
        gamma, lam: in [0, 1].

    Returns:
        Advantages and returns (advantage + value), both (rows, T), zero on padding and on rows
        in no chain.
    """
    advantages = torch.zeros_like(values)
    for chain in chains:
        rows = torch.tensor(list(chain), dtype=torch.long, device=values.device)
        keep = mask[rows].bool()
        reward, value = rewards[rows][keep].tolist(), values[rows][keep].tolist()
        following, after, column = 0.0, 0.0, [0.0] * len(value)
        for t in reversed(range(len(value))):
            delta = reward[t] + gamma * following - value[t]
            after = delta + gamma * lam * after
            following, column[t] = value[t], after
        block = torch.zeros_like(values[rows])
        block[keep] = torch.tensor(column, dtype=values.dtype, device=values.device)
        advantages[rows] = block
    return advantages, (advantages + values) * mask


def token_rewards(
    rewards: Tensor, kl: Tensor, mask: Tensor, last_turn: Tensor, kl_coef: float
) -> Tensor:
    """Places the reward of a seat's episode on its last token, and the KL penalty on every token.

    Args:
        rewards: (rows,), the episode's reward of the row's seat.
        kl: (rows, T), log-probability under the policy minus that under the reference.
        last_turn: (rows,), true on a seat's last turn.

    Returns:
        (rows, T), zero on padding.
    """
    placed = -kl_coef * kl * mask
    lengths = mask.sum(1).long()
    rows = torch.nonzero(last_turn.bool() & (lengths > 0)).squeeze(1)
    placed[rows, lengths[rows] - 1] += rewards[rows]
    return placed


def normalise_by_seat(
    advantages: Tensor,
    mask: Tensor,
    seats: Tensor,
    number: int,
    floor: float,
    reduce: Callable[[Tensor], Tensor] = lambda sums: sums,
) -> tuple[Tensor, Tensor]:
    """Takes each seat's mean off its advantages and divides by its standard deviation.

    Seats are normalised apart, so that an easy seat does not train the other. The deviation is at
    least `floor`: a weak judge's rewards are close to noise, and dividing by their tiny deviation
    would train on that noise at full strength.

    Args:
        advantages, mask: (rows, T).
        seats: (rows,), integers below `number`.
        reduce: sums a tensor over all processes.

    Returns:
        Normalised advantages (rows, T), zero on padding, and each seat's raw deviation (number,).
    """
    one_hot = torch.nn.functional.one_hot(seats, number).to(advantages.dtype)
    moments = torch.stack([mask, advantages * mask, advantages.square() * mask]).sum(2)
    count, total, squares = reduce((moments @ one_hot).double())
    count = count.clamp(min=1)
    mean = total / count
    deviation = (squares / count - mean.square()).clamp(min=0).sqrt()
    scale = deviation.clamp(min=floor)
    mean_of_row, scale_of_row = mean[seats].unsqueeze(1), scale[seats].unsqueeze(1)
    return ((advantages - mean_of_row) / scale_of_row * mask).to(advantages.dtype), deviation


def clipped_value_loss(
    values: Tensor, old_values: Tensor, returns: Tensor, mask: Tensor, clip: float
) -> Tensor:
    """Half the squared error per token, the larger one of the plain value and of the value kept
    within `clip` of the old one. Shape (rows, T), zero on padding."""
    kept = old_values + (values - old_values).clamp(-clip, clip)
    worse = torch.maximum((values - returns).square(), (kept - returns).square())
    return worse * mask / 2


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """Mean over sampled tokens; 0 if there are none."""
    return (values * mask).sum() / mask.sum().clamp(min=1)


def explained_variance(values: Tensor, returns: Tensor, mask: Tensor) -> Tensor:
    """1 - Var(returns - values) / Var(returns) over sampled tokens; 0 where the returns do not
    vary, and below 0 when the values are worse than their mean."""
    keep = mask.bool()
    if keep.sum() < 2 or returns[keep].var() < 1e-12:
        return torch.zeros((), device=values.device)
    return 1 - (returns[keep] - values[keep]).var() / returns[keep].var()
