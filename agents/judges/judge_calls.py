"""Specs of judges that take options, as on the command line and in YAML.

    logprob(smollm2-135m, orders=first)                     as logprob:smollm2-135m, one order
    logprob(MODEL, shots=4, examples=solved.jsonl)          after four solved cases
    generated(MODEL)                                        writes its verdict
    cot(MODEL, votes=3)                                     reasons first; three votes at 0.8
    stated(openai:MODEL@URL, votes=5, rule=confident)       states a probability from 0 to 100
    panel(logprob:MODEL, cot(OTHER), rule=min)              several judges

A spec is `KIND(MODEL, OPTION=VALUE, ...)`; a panel has judges in place of the model, any that a
spec can name. Blanks between the parts mean nothing. Commas and parentheses cannot stand in the
names within.

- `logprob`: `orders` is `both` (if not given) or `first`; `shots` cases of the file `examples`,
  drawn by `seed` (0).
- `generated`, `cot`, `stated`, `stated-cot` (reasons, then states a probability): the same, and
  `votes` (1); `temperature` (0 for one vote, 0.8 for more, as in P24 appendix A.5); `tokens`, the
  most of a reply (64, and 512 with reasoning); `rule`, how votes are pooled (`majority`, and
  `mean` of stated probabilities).
- `panel`: `rule` (`mean`).

The rules are those of `debate_gym.agents.judges.ensembles`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from debate_gym.agents.judges.ensembles import RULES
from debate_gym.agents.judges.generated import FORMS
from debate_gym.agents.wrapped import arguments
from debate_gym.envs.names import unknown

PANEL, LOGPROB = "panel", "logprob"
READING = ("orders", "shots", "examples", "seed")
WRITING = (*READING, "votes", "temperature", "tokens", "rule")
OPTIONS = {LOGPROB: READING, **dict.fromkeys(FORMS, WRITING), PANEL: ("rule",)}
CALL = re.compile(r"\s*([A-Za-z][\w-]*)\s*\((.*)\)\s*", re.DOTALL)
OPENS = re.compile(rf"\s*(?:[A-Za-z][\w-]*\s*\(|(?:{'|'.join(OPTIONS)})(?![\w:/.-]))")
OPTION = re.compile(r"([\w-]+)\s*=\s*(.*)", re.DOTALL)
EXAMPLE = {PANEL: "panel(evidence, logprob:smollm2-135m, rule=min)"}


@dataclass(frozen=True)
class JudgeCall:
    """A parsed spec; as a string, the spec in its plain form.

    Attributes:
        parts: the model, or a panel's judges.
        options: as given, by `VALUES`.
    """

    kind: str
    parts: tuple[str, ...]
    options: Mapping[str, Any]

    def __str__(self) -> str:
        options = (f"{key}={value}" for key, value in self.options.items())
        return f"{self.kind}({', '.join([*self.parts, *options])})"


def is_call(spec: str) -> bool:
    """Whether a spec is meant as one of these, well formed or not."""
    return OPENS.match(spec) is not None


def parse(spec: str) -> JudgeCall:
    """
    Raises:
        ValueError: on a spec that is not well formed, an unknown kind or option, or a value that
            cannot be.
    """
    match = CALL.fullmatch(spec)
    if match is None:
        raise ValueError(_not_a_call(spec))
    kind, inside = match.groups()
    if kind not in OPTIONS:
        raise ValueError(f"{unknown('kind of judge', kind, OPTIONS)}; they are written KIND(MODEL)")
    parts: list[str] = []
    options: dict[str, Any] = {}
    for part in (part.strip() for part in arguments(inside, f"judge spec {spec!r}")):
        option = OPTION.fullmatch(part)
        if option is None and part and not options:
            parts.append(plain(part) if kind == PANEL else part)
        elif option is None and part:
            raise ValueError(f"judge spec {spec!r}: expected OPTION=VALUE, got {part!r}")
        elif option is not None:
            _add(options, kind, option[1], option[2], spec)
    call = JudgeCall(kind, tuple(parts), options)
    _check(call)
    return call


def plain(spec: str) -> str:
    """A spec without needless blanks."""
    return str(parse(spec)) if is_call(spec) else spec.strip()


def _add(options: dict[str, Any], kind: str, key: str, value: str, spec: str) -> None:
    if key not in OPTIONS[kind]:
        raise ValueError(unknown(f"option of {kind}", key, OPTIONS[kind]))
    if key in options:
        raise ValueError(f"judge spec {spec!r}: option {key!r} is given twice")
    try:
        options[key] = VALUES[key](value)
    except ValueError as error:
        raise ValueError(f"judge spec {spec!r}: {key}: {error}") from None


def _check(call: JudgeCall) -> None:
    number = len(call.parts)
    if call.kind == PANEL and number < 2:
        raise ValueError(f"judge spec '{call}': a panel needs at least two judges, got {number}")
    if call.kind != PANEL and (number != 1 or is_call(call.parts[0])):
        raise ValueError(
            f"judge spec '{call}': expected one model, such as smollm2-135m or openai:MODEL@URL, "
            f"got {list(call.parts)}"
        )
    for impossible, why in _conflicts(call):
        if impossible:
            raise ValueError(f"judge spec '{call}': {why}")


def _conflicts(call: JudgeCall) -> tuple[tuple[bool, str], ...]:
    """What means nothing together, and why."""
    options, votes = call.options, call.options.get("votes", 1)
    return (
        (("shots" in options) != ("examples" in options), "shots and examples=FILE go together"),
        ("seed" in options and "shots" not in options, "seed draws the cases of shots; give shots"),
        (
            votes > 1 and options.get("temperature") == 0,
            "votes at temperature 0 are all the same; give one vote, or a temperature such as 0.8",
        ),
        (
            call.kind != PANEL and "rule" in options and votes == 1,
            "rule pools votes; give votes above 1",
        ),
    )


def _not_a_call(spec: str) -> str:
    kind = next((kind for kind in OPTIONS if spec.strip().startswith(kind)), "cot")
    example = EXAMPLE.get(kind, f"{kind}(smollm2-135m)")
    return f"judge spec {spec!r}: expected KIND(MODEL, OPTION=VALUE, ...), such as {example!r}"


def _whole(least: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not value.isdecimal() or int(value) < least:
            raise ValueError(f"expected a whole number of at least {least}, got {value!r}")
        return int(value)

    return read


def _even(value: str) -> int:
    if not value.isdecimal() or int(value) < 2 or int(value) % 2:
        raise ValueError(
            "expected an even number of at least 2, so that each answer is right equally often, "
            f"got {value!r}"
        )
    return int(value)


def _heat(value: str) -> float:
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", value):
        raise ValueError(f"expected a number of at least 0, got {value!r}")
    return float(value)


def _text(value: str) -> str:
    if not value:
        raise ValueError("expected a file")
    return value


def _one_of(kind: str, known: tuple[str, ...]) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in known:
            raise ValueError(unknown(kind, value, known))
        return value

    return read


VALUES: dict[str, Callable[[str], Any]] = {
    "orders": _one_of("choice of orders", ("both", "first")),
    "shots": _even,
    "examples": _text,
    "seed": _whole(0),
    "votes": _whole(1),
    "temperature": _heat,
    "tokens": _whole(1),
    "rule": _one_of("rule", tuple(RULES)),
}
