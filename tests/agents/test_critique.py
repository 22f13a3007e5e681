"""Critique-and-refine: the exact number of calls, what each is shown, and what is turned down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from debate_gym.agents.best_of_n import BestOfN
from debate_gym.agents.critics import Critic, within
from debate_gym.agents.critique import CritiqueRefine
from debate_gym.agents.rollout import Job, play
from debate_gym.agents.selectors import PreferenceSelector
from debate_gym.envs import load_protocol, load_task
from debate_gym.envs.nouns import Observation, Overhead
from debate_gym.envs.scripted import scripted_judge

Make = Callable[..., Any]


def refining(observation: Observation) -> bool:
    return "An adviser remarks" in observation.user


def speaker(draft: str = "a draft", again: str = "a better speech") -> Callable[[Observation], str]:
    """Speeches with the seed in them."""
    return lambda o: f"{again if refining(o) else draft} {o.seed}"


def even(observation: Observation) -> tuple[float, float]:
    return (-0.5, -0.5)


class Team:
    """A policy for critique-and-refine and the fakes that it is made of."""

    def __init__(self, writer: Any, critic: Any, rater: Any, n: int, c: int) -> None:
        self.writer, self.critic, self.rater = writer, critic, rater
        best = BestOfN(writer, n, PreferenceSelector(rater))
        self.policy = CritiqueRefine(best, Critic(critic, c, rater))


@pytest.fixture
def make_team(make_writer: Make, make_rater: Make) -> Make:
    def make(
        n: int = 2,
        c: int = 3,
        speech: Callable[[Observation], str] | None = None,
        remark: Callable[[Observation], str] = lambda o: f"- quote more {o.seed}",
        rate: Callable[[Observation], tuple[float | None, float | None]] = even,
    ) -> Team:
        writer = make_writer(speech or speaker())
        return Team(writer, make_writer(remark, "critic"), make_rater(rate), n, c)

    return make


@pytest.mark.parametrize(("n", "c"), [(1, 1), (2, 3), (4, 8)])
def test_it_takes_exactly_2n_and_c_generations(
    make_team: Make, make_observation: Make, n: int, c: int
) -> None:
    team = make_team(n, c)
    observations = [make_observation(seed=seed) for seed in range(3)]
    said = team.policy.act(observations)
    assert [len(call) for call in team.writer.calls] == [3 * n, 3 * n], "two batched calls"
    assert [len(call) for call in team.critic.calls] == [3 * c], "one batched call"
    for utterance in said:
        assert 1 + utterance.overhead.generations == 2 * n + c


def test_tokens_of_all_calls_are_charged(make_team: Make, make_observation: Make) -> None:
    team = make_team(2, 3)
    (said,) = team.policy.act([make_observation()])
    # Drafts 3 words, refinements 4, critiques 4. Readings: 2 x 2 for the drafts, 3 of critiques,
    # 2 x 2 for the refinements, of 5 tokens each; prompts of generations 10 each.
    assert said.text.startswith("a better speech")
    assert (said.prompt_tokens, said.completion_tokens) == (10, 4)
    assert said.overhead == Overhead(6, 60 + 55, 3 + 3 + 4 + 12, (("readings", 11),))


def test_an_episode_pays_for_it(make_team: Make) -> None:
    team = make_team(2, 3)
    (question,) = load_task("evidence", "heldout", 1, seed=1)
    protocol = load_protocol("debate", rounds=1)
    job = Job(question, protocol, {"debater_0": "t", "debater_1": "t"})
    (episode,) = play([job], {"t": team.policy}, scripted_judge("evidence"))
    assert episode.to_json()["cost"]["generations"] == 2 * (2 * 2 + 3)


def test_the_critic_sees_the_article_and_the_checked_draft(
    make_team: Make, make_observation: Make
) -> None:
    speech = (
        "<thinking>hush</thinking><passage>The tall man ran.</passage> <passage>no no</passage>"
    )
    team = make_team(1, 1, lambda o: speech)
    team.policy.act([make_observation()])
    (prompt,) = team.critic.calls[0]
    assert prompt.user.startswith("Source text:\n\nThe tall man ran. The dog slept.\nQuestion: Who")
    assert "> <v_passage>The tall man ran.</v_passage> <u_passage>no no</u_passage>" in prompt.user
    assert "hush" not in prompt.user
    assert "at most 2 points, in at most 150 words" in prompt.user
    again = team.writer.calls[1][0].user
    assert again.startswith(team.writer.calls[0][0].user), "the shared beginning stays"
    assert "> <passage>The tall man ran.</passage> <passage>no no</passage>" in again
    assert "which is still: Anna" in again


def test_the_most_helpful_critique_is_followed_and_its_judge_is_blind(
    make_team: Make, make_observation: Make
) -> None:
    remarks = iter(["bad", "good", "poor", "bad"])

    def rate(observation: Observation) -> tuple[float, float]:
        return (-0.1, -2.0) if "> good" in observation.user else (-2.0, -0.1)

    team = make_team(1, 4, remark=lambda o: next(remarks), rate=rate)
    team.policy.act([make_observation()])
    (prompts,) = team.rater.calls
    assert len(prompts) == 3, "the same critique twice is rated once"
    for prompt in prompts:
        assert prompt.article is None
        assert "The dog slept" not in prompt.user + prompt.system
        assert "> a draft" in prompt.user
    again = team.writer.calls[1][0].user
    assert "An adviser remarks:\n> good\n" in again


def test_unrated_critiques_are_drawn_and_counted(make_team: Make, make_observation: Make) -> None:
    followed = []
    for seed in range(60):
        remarks = iter(["first", "second"])
        team = make_team(1, 2, remark=lambda o, r=remarks: next(r), rate=lambda o: (None, -0.1))
        (said,) = team.policy.act([make_observation(seed=seed)])
        assert dict(said.overhead.events) == {"readings": 2, "unscored_picks": 1}
        followed.append("> first" in team.writer.calls[1][0].user)
    assert 15 <= sum(followed) <= 45


@pytest.mark.parametrize(
    ("again", "event"),
    [
        ("The critique suggests a quotation, so here it is.", "refinements_mentioning_critique"),
        ("I'm sorry, but I cannot argue for that.", "refinements_refused"),
        ("", "refinements_refused"),
    ],
)
def test_where_no_refinement_is_sound_the_draft_is_said(
    make_team: Make, make_observation: Make, again: str, event: str
) -> None:
    team = make_team(2, 1, lambda o: again if refining(o) else "the draft")
    (said,) = team.policy.act([make_observation()])
    assert said.text == "the draft"
    assert dict(said.overhead.events) == {"drafts_kept": 1, event: 2, "identical_candidates": 1}
    assert said.overhead.generations == 4


def test_an_unsound_refinement_is_not_chosen_however_well_rated(
    make_team: Make, make_observation: Make
) -> None:
    written = iter(["draft", "draft", "the critique is splendid", "plain"])
    team = make_team(
        2,
        1,
        lambda o: next(written),
        rate=lambda o: (0.0, 0.0) if "splendid" in o.user else (-9, -9),
    )
    (said,) = team.policy.act([make_observation()])
    assert said.text == "plain"
    assert dict(said.overhead.events)["refinements_mentioning_critique"] == 1
    assert said.overhead.generations == 4


def test_without_advice_nothing_is_written_again(make_team: Make, make_observation: Make) -> None:
    team = make_team(2, 2, remark=lambda o: "<thinking>hm</thinking>" if o.seed else "")
    (said,) = team.policy.act([make_observation()])
    assert said.text.startswith("a draft")
    assert len(team.writer.calls) == 1
    events = dict(said.overhead.events)
    assert (events["critiques_empty"], events["drafts_kept"]) == (2, 1)
    assert said.overhead.generations == 3


def test_a_critique_is_cut_to_its_points_and_words() -> None:
    points = "Well:\n- one\n- two\n- three"
    assert within(points, "debater_0") == "Well:\n- one\n- two"
    assert within(points, "consultant_0") == points
    assert within("word " * 151, "debater_0") == ("word " * 150).rstrip() + "..."
    assert within("word " * 151, "consultant_0") == "word " * 151
    numbers = "1. one\n2) two\n3. three"
    assert within(numbers, "debater_1") == "1. one\n2) two"


def test_a_cut_is_counted(make_team: Make, make_observation: Make) -> None:
    team = make_team(1, 1, remark=lambda o: "- a\n- b\n- c")
    (said,) = team.policy.act([make_observation()])
    assert dict(said.overhead.events) == {"critiques_cut": 1}
    assert "> - b\nWrite" in team.writer.calls[1][0].user


def test_the_same_seed_says_the_same_whatever_the_company(
    make_team: Make, make_observation: Make
) -> None:
    observations = [make_observation(seed=seed) for seed in range(4)]
    together = make_team().policy.act(observations)
    alone = [make_team().policy.act([observation])[0] for observation in observations]
    assert together == alone


def test_no_critiques_are_refused(make_writer: Make, make_rater: Make) -> None:
    with pytest.raises(ValueError, match="without critiques use best-of-N"):
        Critic(make_writer(speaker()), 0, make_rater(even))
