from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from debate_gym.envs.nouns import Episode, SeatRecord
from debate_gym.eval.matches import (
    Match,
    matches_from_episodes,
    read_matches,
    split_sides,
    unbalanced,
)


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    matches = [Match("x", "y", 1.5, 3), Match("x", "z", 0, 1, "incorrect", "q1")]
    path = write(tmp_path / "m.jsonl", *(match.to_json() for match in matches))
    assert read_matches(path) == matches


def test_unknown_keys_are_ignored_and_numbers_name_questions(tmp_path: Path) -> None:
    record = {"a": "x", "b": "y", "wins_a": 1, "games": 2, "question_id": 7, "note": "!"}
    (match,) = read_matches(write(tmp_path / "m.jsonl", record))
    assert match == Match("x", "y", 1, 2, None, "7")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"wins_a": 3}, "0 <= wins_a <= games"),
        ({"wins_a": -1}, "0 <= wins_a <= games"),
        ({"games": "2"}, "games must be a number"),
        ({"wins_a": True}, "wins_a must be a number"),
        ({"a": 1}, "a must be a text"),
        ({"b": ""}, "names of two players"),
        ({"a_side": "left"}, "a_side must be one of"),
        ({"games": float("nan")}, "0 <= wins_a <= games"),
    ],
)
def test_bad_records_are_named_with_their_line(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    good = {"a": "x", "b": "y", "wins_a": 1, "games": 2}
    path = write(tmp_path / "m.jsonl", good, good | changes)
    with pytest.raises(ValueError, match=f"{path}:2: no match: .*{message}"):
        read_matches(path)


def test_a_missing_key_and_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r":1: no match: it lacks the keys \['games'\]"):
        read_matches(write(tmp_path / "m.jsonl", {"a": "x", "b": "y", "wins_a": 1}))
    with pytest.raises(ValueError, match="at least one match"):
        read_matches(write(tmp_path / "e.jsonl"))


def test_sides_become_players() -> None:
    assert split_sides([Match("x", "y", 1, 2, "incorrect", "q")]) == [
        Match("x (incorrect)", "y (correct)", 1, 2, None, "q")
    ]
    with pytest.raises(ValueError, match="1 of 1 matches have no a_side"):
        split_sides([Match("x", "y", 1, 2)])


def test_uneven_assignments_are_found() -> None:
    even = [Match("x", "y", 1, 2, "correct"), Match("y", "x", 1, 2, "correct")]
    assert unbalanced(even) == []
    assert unbalanced([*even, Match("z", "x", 1, 1, "incorrect")]) == [("x", "z")]
    assert unbalanced([Match("x", "y", 1, 2)]) == []


def test_an_episode_is_a_match_of_the_truth(episodes: tuple[Episode, ...]) -> None:
    one = replace(
        episodes[0],
        seats={"debater_0": SeatRecord("m", "", 0), "debater_1": SeatRecord("n", "r", 1)},
    )
    correct = one.question.correct
    names = ("m@", "n@r")
    (match,) = matches_from_episodes([one])
    assert (match.a, match.b) == (names[correct], names[1 - correct])
    assert match.a_side == "correct"
    assert match.wins_a == {"correct": 1, "tie": 0.5, "incorrect": 0}[one.verdicts[0].outcome]
