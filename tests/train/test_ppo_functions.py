"""The expected numbers are worked out by hand in the comments."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from debate_gym.train import ppo_functions as ppo

MASK = torch.tensor([[1.0, 1.0], [1.0, 0.0]])


def test_gae_runs_through_the_turns_of_a_seat() -> None:
    # Tokens a, b in the first turn, c in the second; V = 1, 2, 3; gamma = lambda = 1/2.
    # delta_c = 10 - 3 = 7                       A_c = 7
    # delta_b = 0 + 1/2 * V_c - 2 = -1/2         A_b = -1/2 + 1/4 * 7 = 5/4
    # delta_a = 0 + 1/2 * V_b - 1 = 0            A_a = 1/4 * 5/4 = 5/16
    rewards = torch.tensor([[0.0, 0.0], [10.0, 0.0]])
    values = torch.tensor([[1.0, 2.0], [3.0, 99.0]])
    advantages, returns = ppo.chained_gae(rewards, values, MASK, [[0, 1]], 0.5, 0.5)
    assert advantages.tolist() == [[5 / 16, 5 / 4], [7.0, 0.0]]
    assert returns.tolist() == [[1 + 5 / 16, 2 + 5 / 4], [10.0, 0.0]]


def test_gae_keeps_seats_apart() -> None:
    # Two chains of one token each: A = r - V for each of them.
    rewards, values = torch.tensor([[4.0], [-4.0]]), torch.tensor([[1.0], [2.0]])
    advantages, _ = ppo.chained_gae(rewards, values, torch.ones(2, 1), [[1], [0]], 1.0, 1.0)
    assert advantages.tolist() == [[3.0], [-6.0]]


def test_gae_steps_over_a_turn_without_tokens() -> None:
    # The silent row 1 does not break the chain: A_0 = 0 + V_2 - V_0 + A_2 = 5 - 1 + (8 - 5) = 7.
    rewards = torch.tensor([[0.0], [0.0], [8.0]])
    values = torch.tensor([[1.0], [77.0], [5.0]])
    mask = torch.tensor([[1.0], [0.0], [1.0]])
    advantages, returns = ppo.chained_gae(rewards, values, mask, [[0, 1, 2]], 1.0, 1.0)
    assert advantages.tolist() == [[7.0], [0.0], [3.0]]
    assert returns[1].item() == 0.0


def test_without_discount_every_token_returns_what_is_still_to_come() -> None:
    # gamma = lambda = 1: advantage + value telescopes to the sum of later rewards.
    rewards = torch.tensor([[0.5, 0.0], [2.0, 0.0]])
    values = torch.tensor([[0.3, -0.2], [0.9, 0.0]])
    _, returns = ppo.chained_gae(rewards, values, MASK, [[0, 1]], 1.0, 1.0)
    torch.testing.assert_close(returns, torch.tensor([[2.5, 2.0], [2.0, 0.0]]))


@settings(max_examples=30, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 4), min_size=1, max_size=4),
    gamma=st.floats(0, 1),
    lam=st.floats(0, 1),
)
def test_how_tokens_are_cut_into_turns_changes_nothing(
    lengths: list[int], gamma: float, lam: float
) -> None:
    total = sum(lengths)
    generator = torch.Generator().manual_seed(total)
    flat_rewards, flat_values = torch.randn(2, total, generator=generator).double()
    mask = (torch.arange(4) < torch.tensor(lengths).unsqueeze(1)).double()
    rewards, values = torch.zeros_like(mask), torch.zeros_like(mask)
    rewards[mask.bool()], values[mask.bool()] = flat_rewards, flat_values
    cut, _ = ppo.chained_gae(rewards, values, mask, [list(range(len(lengths)))], gamma, lam)
    whole, _ = ppo.chained_gae(
        flat_rewards[None], flat_values[None], torch.ones(1, total).double(), [[0]], gamma, lam
    )
    torch.testing.assert_close(cut[mask.bool()], whole[0])


def test_reward_comes_on_the_last_token_and_kl_on_every_one() -> None:
    # KL 1 a token at coefficient 0.1; the seat's reward 5 on the last token of its last turn.
    kl = torch.tensor([[1.0, 1.0], [1.0, 1.0]])
    placed = ppo.token_rewards(
        torch.tensor([5.0, 5.0]), kl, MASK, torch.tensor([False, True]), kl_coef=0.1
    )
    torch.testing.assert_close(placed, torch.tensor([[-0.1, -0.1], [4.9, 0.0]]))


def test_a_last_turn_without_tokens_is_paid_nothing() -> None:
    placed = ppo.token_rewards(
        torch.tensor([5.0]), torch.zeros(1, 2), torch.zeros(1, 2), torch.tensor([True]), 0.1
    )
    assert placed.tolist() == [[0.0, 0.0]]


def test_each_seat_is_normalised_by_itself() -> None:
    # Seat 0 has 1, 3: mean 2, deviation 1. Seat 1 has 10, 30: mean 20, deviation 10.
    advantages = torch.tensor([[1.0, 3.0], [10.0, 30.0]])
    normal, deviation = ppo.normalise_by_seat(
        advantages, torch.ones(2, 2), torch.tensor([0, 1]), 2, floor=0.05
    )
    torch.testing.assert_close(normal, torch.tensor([[-1.0, 1.0], [-1.0, 1.0]]))
    torch.testing.assert_close(deviation, torch.tensor([1.0, 10.0]).double())


def test_the_floor_keeps_noise_small() -> None:
    # Deviation 0.001 under a floor of 0.1: advantages are +-0.01, not +-1.
    advantages = torch.tensor([[0.499, 0.501]])
    normal, deviation = ppo.normalise_by_seat(
        advantages, torch.ones(1, 2), torch.tensor([0]), 1, floor=0.1
    )
    torch.testing.assert_close(normal, torch.tensor([[-0.01, 0.01]]), atol=1e-5, rtol=0)
    assert deviation.item() == pytest.approx(0.001, abs=1e-5)


def test_padding_and_absent_seats_do_not_count() -> None:
    normal, deviation = ppo.normalise_by_seat(
        torch.tensor([[1.0, 99.0], [3.0, 99.0]]),
        torch.tensor([[1.0, 0.0], [1.0, 0.0]]),
        torch.tensor([0, 0]),
        2,
        floor=0.05,
    )
    torch.testing.assert_close(normal, torch.tensor([[-1.0, 0.0], [1.0, 0.0]]))
    assert deviation.tolist() == [1.0, 0.0]


def test_processes_that_share_sums_normalise_as_one() -> None:
    advantages, seats = torch.randn(6, 3, generator=torch.Generator().manual_seed(0)), [0, 1] * 3
    mask = torch.ones(6, 3)
    joint, _ = ppo.normalise_by_seat(advantages, mask, torch.tensor(seats), 2, 0.05)
    sums: list[Tensor] = []

    def note(local: Tensor) -> Tensor:
        sums.append(local)
        return local

    halves = [slice(0, 2), slice(2, 6)]
    for half in halves:
        ppo.normalise_by_seat(
            advantages[half], mask[half], torch.tensor(seats[half]), 2, 0.05, note
        )
    total = sums[0] + sums[1]
    parts = [
        ppo.normalise_by_seat(
            advantages[half], mask[half], torch.tensor(seats[half]), 2, 0.05, lambda _: total
        )[0]
        for half in halves
    ]
    torch.testing.assert_close(torch.cat(parts), joint)


@pytest.mark.parametrize(
    ("value", "expected", "reason"),
    [
        (2.0, 0.5, "(2-1)^2 = 1 beats the clipped (0.5-1)^2 = 0.25"),
        (0.8, 0.125, "the clipped (0.5-1)^2 = 0.25 beats (0.8-1)^2 = 0.04"),
        (-2.0, 4.5, "(-2-1)^2 = 9 beats (-0.5-1)^2 = 2.25"),
        (0.25, 0.28125, "within the clip both are (0.25-1)^2 = 0.5625"),
    ],
)
def test_value_loss_takes_the_worse_of_both(value: float, expected: float, reason: str) -> None:
    loss = ppo.clipped_value_loss(
        torch.tensor([[value, 7.0]]),
        torch.zeros(1, 2),
        torch.ones(1, 2),
        torch.tensor([[1.0, 0.0]]),
        clip=0.5,
    )
    assert loss[0].tolist() == pytest.approx([expected, 0.0]), reason


def test_masked_mean() -> None:
    assert (
        ppo.masked_mean(torch.tensor([[1.0, 9.0], [3.0, 9.0]]), torch.tensor([[1, 0], [1, 0]])) == 2
    )
    assert ppo.masked_mean(torch.ones(1, 1), torch.zeros(1, 1)) == 0


def test_explained_variance() -> None:
    returns, mask = torch.tensor([[1.0, 2.0, 3.0, 50.0]]), torch.tensor([[1, 1, 1, 0]])
    assert ppo.explained_variance(returns, returns, mask) == 1
    assert ppo.explained_variance(torch.zeros(1, 4), returns, mask) == 0
    # Values 3, 2, 1: residuals -2, 0, 2 have four times the variance of the returns.
    reverse = torch.tensor([[3.0, 2.0, 1.0, 0.0]])
    assert ppo.explained_variance(reverse, returns, mask).item() == pytest.approx(-3)
    assert ppo.explained_variance(returns, torch.ones(1, 4), mask) == 0
