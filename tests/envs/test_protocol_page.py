from __future__ import annotations

from pathlib import Path

from debate_gym.envs.protocol import load_protocol, protocol_names
from debate_gym.envs.protocol_page import page, section

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocols.md"


def test_the_page_is_current() -> None:
    """If this fails: python -m debate_gym.envs.protocol_page > docs/protocols.md"""
    assert PAGE.read_text("utf-8") == page()


def test_every_protocol_is_on_it() -> None:
    assert {line[3:] for line in page().splitlines() if line.startswith("## ")} == {
        *protocol_names(),
        "Fields",
    }


def rows(**changes: object) -> list[list[str]]:
    """The cells of a debate's table, without its head."""
    lines = section(load_protocol("debate", **changes)).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line[:1] == "|"]
    return cells[2:]


def test_a_table_by_hand() -> None:
    assert rows(turns="sequential", rounds=1, chooser="debater_1", judge_sees_article=True) == [
        ["before", "Bob (`debater_1`)", "chooses its answer", "yes", "nothing"],
        ["1", "Alice (`debater_0`)", "speaks", "yes", "nothing"],
        ["1", "Bob (`debater_1`)", "speaks", "yes", "Alice 1"],
        ["end", "the judge (`judge_0`)", "decides", "yes", "Alice 1, Bob 1"],
    ]


def test_what_readers_get_follows_the_data() -> None:
    for changes, words in (
        ({}, "marked as verified or not"),
        ({"shown": "passages"}, "without its prose"),
        ({"shown": "prose"}, "without its passages"),
        ({"verify": False}, "that nobody checked"),
    ):
        assert words in section(load_protocol("debate", **changes))
