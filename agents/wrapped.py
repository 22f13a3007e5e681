"""Specs of policies that make another one stronger, as on the command line and in YAML.

    best-of-4(smollm2-135m)                                      the model picks its best draft
    best-of-16(MODEL, selector=preference, judge=MODEL)          a judge-like model prefers one
    best-of-4(MODEL, temperature=p24-debater)                    at the temperature of P24 table 5
    critique-8(best-of-4(MODEL, selector=preference, judge=M), judge=M, critic=MODEL)
    best-of-4(rejection-3(MODEL, limits=p24))                    word limits by rejection

A spec is `NAME-NUMBER(POLICY, OPTION=VALUE, ...)`, where POLICY is any policy spec, wrapped or not.
Blanks between the parts mean nothing. Commas and parentheses cannot stand in the names within.

- `best-of-N`: `selector` is `self` (if not given) or `preference`, which needs `judge`, a local
  model; `temperature` is a number, `p24-debater` or `p24-consultant`.
- `critique-C`: C critiques of each draft by `critic` (any policy spec; the debater's own model if
  not given) at P24's temperature for C; `judge`, a local model, says which one helps. POLICY is a
  `best-of-N`, or another policy for N = 1.
- `rejection-K`: K candidates for each utterance wanted; `limits` is `p24` (if not given) or `k24`;
  `temperature` as above, for N = 1.

The debater's own pick is made at temperature 0. One model is loaded once, however often a spec
names it. Other settings, such as the number of new tokens, come from the caller and hold for all.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from debate_gym.agents.best_of_n import BestOfN
from debate_gym.agents.critics import Critic
from debate_gym.agents.critique import CritiqueRefine
from debate_gym.agents.rejection import RejectionSampling
from debate_gym.agents.scoring import Scorer
from debate_gym.agents.selectors import PreferenceSelector, Selector, SelfSelector
from debate_gym.agents.temperatures import temperature
from debate_gym.envs.names import unknown
from debate_gym.envs.seats import Policy

OPTIONS = {
    "best-of": ("selector", "judge", "temperature"),
    "critique": ("judge", "critic"),
    "rejection": ("limits", "temperature"),
}
ALL_OPTIONS = {option for options in OPTIONS.values() for option in options}
SELECTORS = ("self", "preference")
TEMPERATURES = {"p24-debater": "debater", "p24-consultant": "consultant"}
CALL = re.compile(r"\s*([A-Za-z][\w-]*?)(?:-(\d+))?\s*\((.*)\)\s*", re.DOTALL)
OPENS = re.compile(rf"\s*(?:[A-Za-z][\w-]*\s*\(|(?:{'|'.join(OPTIONS)})(?:-\d+)?(?![\w/-]))")
Make = Callable[..., Policy]


@dataclass(frozen=True)
class Wrapped:
    """A parsed spec; as a string, the spec in its plain form."""

    kind: str
    number: int
    base: str
    options: Mapping[str, str]

    def __str__(self) -> str:
        parts = [self.base, *(f"{key}={value}" for key, value in self.options.items())]
        return f"{self.kind}-{self.number}({', '.join(parts)})"

    @property
    def leaf(self) -> str:
        """The spec of the policy within that wraps nothing."""
        return parse(self.base).leaf if is_wrapped(self.base) else self.base


def is_wrapped(spec: str) -> bool:
    """Whether a spec is meant as one of these, well formed or not."""
    return OPENS.match(spec) is not None


def parse(spec: str) -> Wrapped:
    """
    Raises:
        ValueError: on a spec that is not well formed, or names an unknown wrapper or option.
    """
    match = CALL.fullmatch(spec)
    if match is None or (match[2] is None and match[1] in OPTIONS):
        raise ValueError(
            f"policy spec {spec!r}: expected NAME-NUMBER(POLICY, OPTION=VALUE, ...), such as "
            "'best-of-4(smollm2-135m, selector=self)'"
        )
    kind, number, inside = match.groups()
    if kind not in OPTIONS:
        known = [f"{name}-NUMBER(POLICY, ...)" for name in OPTIONS]
        raise ValueError(f"{unknown('policy wrapper', kind, OPTIONS)}; they are written {known}")
    base, *rest = (_plain(part) for part in arguments(inside, f"policy spec {spec!r}"))
    if not base or base.partition("=")[0].rstrip() in ALL_OPTIONS:
        raise ValueError(f"policy spec {spec!r}: expected a policy first, got {base!r}")
    return Wrapped(kind, int(number), base, _options(kind, rest, spec))


def make_wrapped(spec: str, make: Make, **options: Any) -> Policy:
    """The policy of a spec.

    Args:
        make: gives the policy of a spec that wraps nothing, from it and `options`.

    Raises:
        ValueError: as `parse`; on a value that cannot be, and on what `make` refuses.
        OSError: if a model of the hub cannot be had.
    """
    return _Builder(make, options).policy(_plain(spec))


class _Builder:
    """Builds one spec, loading each model once."""

    def __init__(self, make: Make, options: Mapping[str, Any]) -> None:
        self._make = make
        self._options = dict(options)
        self._leaves: dict[str, Policy] = {}
        self._scorers: dict[str, Scorer] = {}

    def policy(self, spec: str, heat: float | None = None) -> Policy:
        """The policy of a spec, whose leaf samples at a temperature; the caller's if None."""
        if not is_wrapped(spec):
            return self._leaf(spec, heat)
        call = parse(spec)
        build: dict[str, Callable[[Wrapped, float | None], Policy]] = {
            "best-of": self._best,
            "critique": self._critique,
            "rejection": self._rejection,
        }
        return build[call.kind](call, heat)

    def _best(self, call: Wrapped, heat: float | None) -> BestOfN:
        base = self.policy(call.base, _heat(call, call.number, heat))
        return BestOfN(base, call.number, self._selector(call), name=str(call))

    def _rejection(self, call: Wrapped, heat: float | None) -> RejectionSampling:
        base = self.policy(call.base, _heat(call, 1, heat))
        limits = call.options.get("limits", "p24")
        return RejectionSampling(base, limits, call.number, name=str(call))

    def _critique(self, call: Wrapped, heat: float | None) -> CritiqueRefine:
        if "judge" not in call.options:
            raise ValueError(f"policy spec '{call}': needs judge=MODEL to say which critique helps")
        base = self.policy(call.base, heat)
        best = base if isinstance(base, BestOfN) else BestOfN(base, 1)
        spec = call.options.get("critic", call.leaf)
        speaker = self.policy(spec, temperature("critic", max(1, call.number)))
        critic = Critic(speaker, call.number, self._scorer(call.options["judge"]))
        return CritiqueRefine(best, critic, name=str(call))

    def _selector(self, call: Wrapped) -> Selector | None:
        kind, judge = call.options.get("selector", "self"), call.options.get("judge")
        if kind not in SELECTORS:
            raise ValueError(unknown("selector", kind, SELECTORS))
        if (kind == "preference") != (judge is not None):
            raise ValueError(
                f"policy spec '{call}': selector=preference and judge=MODEL go together; "
                "selector=self needs no judge"
            )
        if judge is not None:
            return PreferenceSelector(self._scorer(judge))
        return SelfSelector(self._leaf(call.leaf, 0.0))

    def _leaf(self, spec: str, heat: float | None) -> Policy:
        if spec not in self._leaves:
            self._leaves[spec] = self._make(spec, **self._options)
        policy = self._leaves[spec]
        if heat is None:
            return policy
        if not hasattr(policy, "temperature"):
            return self._make(spec, **self._options | {"temperature": heat})
        other: Any = copy.copy(policy)
        other.temperature = heat
        return cast(Policy, other)

    def _scorer(self, spec: str) -> Scorer:
        from debate_gym.agents.local_scorer import LocalScorer
        from debate_gym.agents.models import sees

        name = spec.removeprefix("logprob:")
        if name not in self._scorers:
            if sees(name):
                raise ValueError(f"judge={name}: expected a model that reads text only")
            held: Any = self._leaves.get(name)
            self._scorers[name] = (
                LocalScorer(held.model, held.tokenizer, name, version=held.revision)
                if hasattr(held, "tokenizer")
                else LocalScorer.load(name)
            )
        return self._scorers[name]


def _heat(call: Wrapped, n: int, heat: float | None) -> float | None:
    """The temperature that a spec asks for; the surrounding one's if it asks for none."""
    value = call.options.get("temperature")
    if value is None:
        return heat
    if value in TEMPERATURES:
        return temperature(TEMPERATURES[value], max(1, n))
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise ValueError(
            f"policy spec '{call}': temperature must be a number of at least 0 or one of "
            f"{list(TEMPERATURES)}, got {value!r}"
        )
    return number


def _options(kind: str, parts: list[str], spec: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and value):
            raise ValueError(f"policy spec {spec!r}: expected OPTION=VALUE, got {part!r}")
        if key not in OPTIONS[kind]:
            raise ValueError(unknown(f"option of {kind}", key, OPTIONS[kind]))
        if key in options:
            raise ValueError(f"policy spec {spec!r}: option {key!r} is given twice")
        options[key] = _plain(value)
    return options


def arguments(inside: str, what: str) -> list[str]:
    """Cuts what a spec has in its parentheses at the commas that stand in no further ones.

    Args:
        what: names the spec in error texts.

    Raises:
        ValueError: if parentheses do not match.
    """
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth:
        raise ValueError(f"{what}: its parentheses do not match")
    return parts


def _plain(spec: str) -> str:
    """A spec without needless blanks."""
    spec = spec.strip()
    return str(parse(spec)) if is_wrapped(spec) else spec
