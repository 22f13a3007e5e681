"""What the transcript browser of a page reads: the episodes as JSON that no speech can end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from debate_gym.envs.nouns import Episode, Turn, Verdict
from debate_gym.envs.render import SPEAKERS
from debate_gym.eval import metrics
from debate_gym.eval.report.rows import Played

TURN_P = "judge_p"


def browser_data(played: Sequence[Played]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the list of episodes needs, and what one of them shows, apart: the browser reads the
    second only of an episode that is looked at.

    Every episode has a `key`, which links to it: its id, or with a number behind it where several
    files hold the same id.

    A turn of a file may hold `judge_p`, `{judge: [p, p]}`: what a judge who had read the transcript
    up to this turn gave to each answer.

    Raises:
        ValueError: on a `judge_p` of another shape.
    """
    places: dict[str, int] = {}
    questions: list[dict[str, Any]] = []
    seen: Counter[str] = Counter()
    episodes = []
    for episode in (one.episode for one in played):
        question = _question(episode)
        place = places.setdefault(json.dumps(question), len(questions))
        questions += [question] if place == len(questions) else []
        seen[episode.id] += 1
        copy = f"~{seen[episode.id]}" if seen[episode.id] > 1 else ""
        episodes.append({"key": episode.id + copy, "question": place, **_listed(episode)})
    listed = {"speakers": SPEAKERS, "questions": questions, "episodes": episodes}
    return listed, [_shown(one) for one in played]


def inlined(data: Any) -> str:
    """JSON that may stand in a script element: pure ASCII, without `<`, `>` and `&`, so that
    neither an end tag nor a line separator of a speech means anything there."""
    text = json.dumps(data, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def spread(played: Sequence[Played], most: int) -> Sequence[Played]:
    """At most so many episodes, evenly spread over the files."""
    if len(played) <= most:
        return played
    return [played[i * len(played) // most] for i in range(most)]


def _question(episode: Episode) -> dict[str, Any]:
    question = episode.question
    return {
        "id": question.id,
        "task": question.task,
        "text": question.question,
        "answers": question.answers,
        "correct": question.correct,
    }


def _listed(episode: Episode) -> dict[str, Any]:
    judges = dict.fromkeys(verdict.judge for verdict in episode.verdicts)
    return {
        "protocol": episode.protocol,
        "condition": episode.condition,
        "outcomes": {judge: metrics.pooled(episode, judge).outcome.value for judge in judges},
    }


def _shown(played: Played) -> dict[str, Any]:
    episode, record = played.episode, played.record
    return {
        "seats": {
            seat: [metrics.player(one.model, one.revision).removesuffix("@"), one.answer]
            for seat, one in episode.seats.items()
        },
        "turns": [
            _turn(turn, raw, episode.id)
            for turn, raw in zip(episode.turns, record["turns"], strict=True)
        ],
        "verdicts": [_verdict(verdict) for verdict in episode.verdicts],
        "seed": episode.seed,
        "prompts": episode.prompt_hash,
        "error": episode.error,
    }


def _turn(turn: Turn, record: Mapping[str, Any], episode: str) -> dict[str, Any]:
    passages = record["passages"]
    return {
        "seat": turn.seat,
        "round": turn.round,
        "text": turn.argument,
        "thinking": turn.thinking,
        "passages": [passages["verified"], passages["unverified"], passages["untagged"]],
        "tokens": [turn.prompt_tokens, turn.completion_tokens],
        "finish": turn.finish,
        **({TURN_P: _shares(record[TURN_P], episode)} if TURN_P in record else {}),
    }


def _shares(found: Any, episode: str) -> dict[str, list[float]]:
    whole = isinstance(found, dict) and all(
        isinstance(p, list) and len(p) == 2 and all(isinstance(x, int | float) for x in p)
        for p in found.values()
    )
    if not whole:
        raise ValueError(
            f"episode {episode!r}: {TURN_P} of a turn must be {{judge: [p, p]}}, got {found!r:.80}"
        )
    return dict(found)


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "judge": verdict.judge,
        "order": verdict.order,
        "p": verdict.p,
        "choice": verdict.choice,
        "outcome": verdict.outcome.value,
        "reasoning": verdict.reasoning,
    }
