from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from debate_gym.envs.nouns import Episode, Observation, Outcome, Utterance
from debate_gym.envs.protocol import load_protocol
from debate_gym.envs.scripted import scripted_judge, scripted_policy
from debate_gym.envs.tasks import load_task
from debate_gym.eval.matches import read_matches
from debate_gym.eval.tournament import Standing, number_of_games, run_tournament
from debate_gym.eval.tournament_config import TournamentConfig, load_tournament
from debate_gym.eval.tournament_run import run

SPECS = {
    "strong": "scripted:best",
    "middle": "scripted:random",
    "quiet": "scripted:silent",
    "also": "scripted:random",
    "twin": "scripted:best",
}


class Broken:
    name, revision = "broken", ""

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        raise RuntimeError("no answer")


def play(
    names: Sequence[str] = tuple(SPECS), protocol: str = "debate", n: int = 4, **options: Any
) -> Standing:
    return run_tournament(
        {name: scripted_policy(SPECS[name]) for name in names},
        load_task("evidence", "heldout", n, 0),
        load_protocol(protocol),
        scripted_judge(options.pop("judge", "evidence")),
        **options,
    )


def test_swiss_plays_both_assignments_and_nobody_twice() -> None:
    standing = play()
    assert len(standing.rounds) == 3
    assert len(standing.met) == 6
    for meetings, byes in standing.rounds:
        assert len(byes) == 1
        for meeting in meetings:
            assert sum(meeting.outcomes.values()) == 8
            for question in {game.question_id for game in meeting.games}:
                right = [g.a for g in meeting.games if g.question_id == question]
                assert sorted(right) == sorted((meeting.one, meeting.other))
    # Byes and matches are worth a point each.
    assert sum(standing.scores.values()) == 9
    assert sorted(standing.ranking[:2]) == ["strong", "twin"]


@pytest.mark.parametrize(("judge", "wins"), [("gold", 1), ("mirrored", 0)])
def test_who_argued_the_truth_is_booked_right(judge: str, wins: float) -> None:
    """The gold judge always takes the correct side: a wins every game, and matches are even."""
    standing = play(judge=judge)
    assert {match.wins_a for match in standing.matches} == {wins}
    for meetings, _ in standing.rounds:
        assert all(meeting.points == (0.5, 0.5) for meeting in meetings)


def test_the_judge_who_asks_changes_no_seat() -> None:
    standing = play(("strong", "quiet"), protocol="interactive-debate", judge="gold")
    assert {match.wins_a for match in standing.matches} == {1}


def test_round_robin() -> None:
    standing = play(swiss=False)
    assert len(standing.met) == 10
    assert all(standing.rested[name] == 1 for name in SPECS)
    assert sum(standing.scores.values()) == 10
    assert number_of_games(5, 4, swiss=False, rounds=None) == len(standing.met) * 8
    assert len(play(swiss=False, rounds=2).rounds) == 2


def test_failed_games_pay_nobody_and_are_counted() -> None:
    standing = run_tournament(
        {"a": Broken(), "b": scripted_policy("best")},
        load_task("evidence", "heldout", 3, 0),
        load_protocol("debate"),
        scripted_judge("evidence"),
    )
    ((meetings, _),) = standing.rounds
    assert meetings[0].outcomes[Outcome.FAILED] == 6
    assert meetings[0].points == (0, 0)
    assert standing.matches == []


def test_going_on_gives_what_the_unbroken_run_gave() -> None:
    kept: list[Episode] = []
    whole = play(keep=kept.append)
    half, more = kept[: len(kept) // 2], []
    resumed = play(done=half, keep=more.append)
    assert resumed == whole
    assert [*half, *more] == kept
    assert len(kept) == number_of_games(5, 4, swiss=True, rounds=None)


def test_only_debates_and_different_questions() -> None:
    with pytest.raises(ValueError, match="two debaters"):
        play(protocol="consultancy")
    question = load_task("evidence", "heldout", 1, 0)[0]
    with pytest.raises(ValueError, match="named twice"):
        run_tournament(
            {name: scripted_policy("best") for name in "ab"},
            [question, question],
            load_protocol("debate"),
            scripted_judge("gold"),
        )


def config(**options: Any) -> TournamentConfig:
    return TournamentConfig(**{"players": SPECS, "questions": 4, "bootstrap": 20, **options})


def test_a_folder_holds_all_of_it(tmp_path: Path) -> None:
    result = run(config(reference="middle"), tmp_path)
    assert next(iter(result["ratings"])) in ("strong", "twin")
    assert result["ratings"]["middle"]["rating"] == 0
    matches = read_matches(tmp_path / "matches.jsonl")
    assert len(matches) == sum(m["games"] for r in result["rounds"] for m in r["matches"])
    assert json.loads((tmp_path / "tournament.json").read_text()) == result
    episodes = (tmp_path / "episodes.jsonl").read_bytes()
    # Torn off in the middle of a game: it is played again, and nothing else is.
    (tmp_path / "episodes.jsonl").write_bytes(episodes[: len(episodes) // 2])
    assert run(config(reference="middle"), tmp_path) == result
    assert (tmp_path / "episodes.jsonl").read_bytes() == episodes
    # Rated in another way, not played again.
    again = run(config(loss="nll"), tmp_path)
    assert again["rounds"] == result["rounds"]
    assert again["ratings"] != result["ratings"]
    with pytest.raises(ValueError, match=r"other settings of \['questions'\]"):
        run(config(questions=5), tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("players: [scripted:best]\n", "two players or more"),
        ("players: [a, b]\nrouns: 1\n", "c.yaml:2: .*did you mean 'rounds'"),
        ("players: [a, b]\nformat: swis\n", "did you mean 'swiss'"),
        ("players: [a, b]\nrounds: 2\n", "1 to 1 rounds, got rounds: 2"),
        ("players: [a, b]\nreference: c\n", "unknown reference 'c'"),
        ("players: [a, a]\n", "c.yaml:1: players are named twice"),
        ("players: 3\n", "c.yaml:1: players must be"),
        ("players: [a, b]\nquestions: x\n", "c.yaml:2: questions must be int"),
        ("- a\n", "c.yaml:1: expected a mapping"),
        ("players: [a\n", "c.yaml:2: not YAML"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_tournament(path)


def test_the_shipped_configuration_reads(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "configs" / "tournament" / "scripted.yaml"
    loaded = load_tournament(shipped)
    assert loaded.players["scripted:best"] == "scripted:best"
    path = tmp_path / "c.yaml"
    path.write_text("players: {x: 'scripted:best', y: 'scripted:best'}\nscale: 500\n")
    assert load_tournament(path).scale == 500.0
