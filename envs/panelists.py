"""Panelists without a model: `scripted:NAME` in a panel.

`random` draws an option in every round; `first` always takes A; `follower` draws one alone and then
joins the majority of what it has read, the first letter of a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_uppercase

import numpy as np

from debate_gym.envs.names import unknown
from debate_gym.envs.nouns import Observation, Utterance
from debate_gym.envs.panel import PanelObservation, top_letters


class ScriptedPanelist:
    """Answers by a rule. Draws only from the observation's seed.

    Raises:
        ValueError: by `act`, on an observation that is no panelist's.
    """

    revision = ""

    def __init__(self, name: str, choose: Callable[[PanelObservation], str]) -> None:
        self.name = f"scripted:{name}"
        self._choose = choose

    def act(self, observations: Sequence[Observation]) -> list[Utterance]:
        return [Utterance(f"Final answer: {self._letter(seen)}") for seen in observations]

    def _letter(self, seen: Observation) -> str:
        if not isinstance(seen, PanelObservation):
            raise ValueError(f"{self.name} answers in panels only; {seen.seat} is no panelist")
        return self._choose(seen)


def scripted_panelist(name: str) -> ScriptedPanelist:
    """The scripted panelist of a name, with or without the prefix `scripted:`.

    Raises:
        ValueError: on an unknown name.
    """
    key = name.removeprefix("scripted:")
    if key not in PANELISTS:
        raise ValueError(unknown("scripted panelist", key, PANELISTS))
    return ScriptedPanelist(key, PANELISTS[key])


def _random(seen: PanelObservation) -> str:
    return ascii_uppercase[int(np.random.default_rng(seen.seed).integers(len(seen.options)))]


def _first(seen: PanelObservation) -> str:
    return "A"


def _follower(seen: PanelObservation) -> str:
    return (top_letters(seen.last) or (_random(seen),))[0]


PANELISTS: dict[str, Callable[[PanelObservation], str]] = {
    "random": _random,
    "first": _first,
    "follower": _follower,
}
