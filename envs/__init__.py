"""The game, without any model.

Importing this package registers the Gymnasium ids under `debate_gym/`.
"""

from __future__ import annotations

from debate_gym.envs.game import State, advance, due, observe, start
from debate_gym.envs.nouns import (
    CONSULTANT_0,
    DEBATER_0,
    DEBATER_1,
    JUDGE_0,
    Episode,
    Observation,
    Outcome,
    Passage,
    PassageStatus,
    Question,
    SeatRecord,
    Transcript,
    Turn,
    Utterance,
    Verdict,
)
from debate_gym.envs.protocol import Protocol, load_protocol
from debate_gym.envs.registration import register_all
from debate_gym.envs.reward import rewards
from debate_gym.envs.seats import Judge, Policy
from debate_gym.envs.tasks import load_task
from debate_gym.envs.verdict import average_orders, make_verdict

__all__ = [
    "CONSULTANT_0",
    "DEBATER_0",
    "DEBATER_1",
    "JUDGE_0",
    "Episode",
    "Judge",
    "Observation",
    "Outcome",
    "Passage",
    "PassageStatus",
    "Policy",
    "Protocol",
    "Question",
    "SeatRecord",
    "State",
    "Transcript",
    "Turn",
    "Utterance",
    "Verdict",
    "advance",
    "average_orders",
    "due",
    "load_protocol",
    "load_task",
    "make_verdict",
    "observe",
    "rewards",
    "start",
]

register_all()
