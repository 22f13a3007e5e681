"""The published files of PrOntoQA, read into proofs.

- `*hop*.json`, by the authors' generator: an object with one entry per example. Its `test_example`
  has the facts in `question`, what is asked in `query`, the trace in `chain_of_thought`, and where
  the query is true or false, the `answer`. The other examples of an entry are few-shot prompts and
  are not read.
- `*dev.json` of Logic-LLM: a list; the facts are the `context`, what is asked is the `question`,
  the trace is the `explanation`, and the `answer` is the letter of an option.

The files of PrOntoQA-OOD ask for proofs only ("Prove: ..."), and all of them can be given. So that
the query does not tell the end of the right trace, half of these, chosen by their hash, ask about
the negation instead, which is false. Traces lose the empty lines between their parts.

Records are named by their place in the file, counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debate_gym.envs.tasks.files import content_hash, find_files
from debate_gym.envs.tasks.intake import Intake, Item, Record
from debate_gym.envs.tasks.prontoqa_proof import NoVerbError, Proof, negated, ontology, same

SOURCE = "https://github.com/asaparov/prontoqa (generated_ood_data.zip)"
GENERATED = "*hop*.json"
LOGIC_LLM = "*dev.json"
FILES = (GENERATED, LOGIC_LLM)
NO_VERB = "a statement without is or are"
DISAGREE = "trace does not end in what the label says"
TRUE_OR_FALSE = ("True or false: ", "Is the following statement true or false? ")
PROVE = "Prove: "


@dataclass(frozen=True, slots=True)
class Layout:
    """Names of fields, and how the answer is read."""

    facts: str
    query: str
    trace: str
    truth: Callable[[Mapping[str, Any]], bool]
    licence: str


def read_proofs(intake: Intake) -> list[Item[Proof]]:
    """Every proof once, in the order of the keys; the group is the ontology.

    Raises:
        FileNotFoundError: if there is no file.
    """
    return intake.unique(_proofs(intake))


def _proofs(intake: Intake) -> Iterator[Item[Proof]]:
    for record, name in _records(intake):
        try:
            proof = _proof(record)
        except NoVerbError:
            intake.dropped[NO_VERB] += 1
        except ValueError as error:
            intake.broken.append(f"{record.where}: {error}")
        else:
            if same(proof.trace[-1], proof.conclusion):
                group = ontology(proof.facts)
                yield Item(proof.key, group, name, proof, (NO_VERB, DISAGREE))
            else:
                intake.dropped[DISAGREE] += 1


def _records(intake: Intake) -> Iterator[tuple[Record, str]]:
    for path in find_files("prontoqa", FILES, SOURCE):
        for number, (name, value) in enumerate(_entries(intake, path), 1):
            intake.read += 1
            yield Record(path, number, value), name


def _entries(intake: Intake, path: Path) -> Iterator[tuple[str, Any]]:
    if path.match(GENERATED):
        for name, entry in (intake.json_file(path, dict) or {}).items():
            value = entry.get("test_example") if isinstance(entry, dict) else None
            yield f"{path.name}:{name}", value
    else:
        for number, value in enumerate(intake.json_file(path, list) or [], 1):
            given = value.get("id") if isinstance(value, dict) else None
            yield f"{path.name}:{given or number}", value


def _proof(record: Record) -> Proof:
    value = record.value
    if not isinstance(value, dict):
        raise ValueError(f"expected an example as an object, got {value!r:.60}")
    layout = LAYOUTS["context" in value]
    facts = " ".join(_text(value, layout.facts).split())
    statement, truth = _asked(facts, _text(value, layout.query), layout, value)
    trace = _trace(value, layout.trace)
    return Proof(facts, statement, truth, trace, record.path.stem, layout.licence)


def _asked(facts: str, query: str, layout: Layout, value: Mapping[str, Any]) -> tuple[str, bool]:
    """The statement, and whether it is true."""
    if query.startswith(PROVE):
        statement = query.removeprefix(PROVE)
        truth = int(content_hash("asked", facts, statement), 16) % 2 == 0
        return statement if truth else negated(statement), truth
    for prefix in TRUE_OR_FALSE:
        if query.startswith(prefix):
            return query.removeprefix(prefix), layout.truth(value)
    expected = ", ".join(map(repr, (*TRUE_OR_FALSE, PROVE)))
    raise ValueError(f"{layout.query} must begin with one of {expected}, got {query!r:.80}")


def _text(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name} must be a text, not blank, got {text!r:.60}")
    return text.strip()


def _trace(value: Mapping[str, Any], name: str) -> tuple[str, ...]:
    steps = value.get(name)
    if not isinstance(steps, list) or not steps or not all(isinstance(s, str) for s in steps):
        raise ValueError(f"{name} must be a list of statements, got {steps!r:.60}")
    trace = tuple(step.strip() for step in steps)
    for statement in trace:
        negated(statement)  # raises where that cannot be done
    return trace


def _word(value: Mapping[str, Any]) -> bool:
    answer = value.get("answer")
    if answer not in ("True", "False"):
        raise ValueError(f"answer must be 'True' or 'False', got {answer!r:.60}")
    return bool(answer == "True")


def _option(value: Mapping[str, Any]) -> bool:
    """What the option of the answer's letter says: "A) True"."""
    options, letter = value.get("options"), value.get("answer")
    texts = options if isinstance(options, list) else ()
    for truth in (True, False):
        if f"{letter}) {truth}" in texts:
            return truth
    raise ValueError(f"answer must be the letter of one of {options!r:.80}, got {letter!r:.60}")


LAYOUTS = (
    Layout("question", "query", "chain_of_thought", _word, "Apache-2.0"),
    Layout("context", "question", "explanation", _option, "MIT"),
)
