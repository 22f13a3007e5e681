"""Checks of a tokenizer and its chat template: does a prompt arrive whole, does a reply end?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Any

from jinja2.exceptions import TemplateError

from debate_gym.agents.doctor_check import Finding, Patient
from debate_gym.agents.encoding import encode_prompt, neutralise, render_chat
from debate_gym.agents.judges.logprob import label_tokens
from debate_gym.agents.judges.prefix import common_prefix
from debate_gym.agents.local import context_length, end_ids

SYSTEM = "These are the rules."
USER = 'Naïve line one:\n> two  "blanks"\n\n<v_passage>It is 3.14.</v_passage>'
REPLY = "This is a reply."
OPENED = re.compile(r"<\s*(?:think|thinking|reasoning)\s*>(?!.*<\s*/)", re.IGNORECASE | re.DOTALL)
# Tokens that may merge where two texts begin to differ.
SEAM = 2


def chat_template(patient: Patient) -> Finding:
    """The texts of a prompt come back from its token ids to the letter."""
    tokenizer = patient.tokenizer
    if not tokenizer.chat_template:
        cure = "use an instruction-tuned model, or set tokenizer.chat_template"
        return "fail", "there is no chat template", cure
    for seen in (patient.game[0], patient.game[-1]):
        if lost := _changed(tokenizer, seen.system, seen.user):
            cure = "take a tokenizer without a normaliser, and a template that prints texts whole"
            return "fail", f"the {seen.seat}'s prompt is changed: {lost}", cure
    if lost := _changed(tokenizer, SYSTEM, USER):
        cure = "it knows the words of its own games only: play no others"
        return "warn", f"the game's prompts come back whole, but not other text: {lost}", cure
    return (
        "pass",
        f"prompts come back whole, the last in {len(patient.encode(patient.game[-1]))} tokens",
        "",
    )


def system_role(patient: Patient) -> Finding:
    """The template prints a system message."""
    shown = _render(patient.tokenizer, ["system", "user"])
    if shown and SYSTEM in shown:
        return "pass", "a system message is printed", ""
    what = "refuses" if shown is None else "drops"
    cure = "none is needed here: it goes in front of the user message; other tools may lose it"
    return "warn", f"the template {what} system messages", cure


def alternating_roles(patient: Patient) -> Finding:
    """The template prints a conversation of several turns."""
    shown = _render(patient.tokenizer, ["user", "assistant", "user"])
    if shown and shown.count(USER) == 2 and REPLY in shown:
        return "pass", "user, assistant, user are printed", ""
    cure = "prompts here are one turn long, so nothing is lost; do not train on longer chats"
    return "warn", f"user, assistant, user became {shown!r:.200}", cure


def forged_tokens(patient: Patient) -> Finding:
    """Chat tokens in others' words are broken up (`encode_prompt` refuses them otherwise)."""
    tokenizer = patient.tokenizer
    tokens = sorted({*tokenizer.all_special_tokens, "<|im_end|>", "</s>", "[/INST]"})
    encode_prompt(tokenizer, SYSTEM, f"so {' and '.join(tokens)} it is")
    changed = sum(neutralise(tokenizer, token) != token for token in tokens)
    return "pass", f"{changed} chat tokens in a speech reach the model as plain text", ""


def special_tokens(patient: Patient) -> Finding:
    """There is an end token and another one to pad with, and no prompt begins twice."""
    tokenizer = patient.tokenizer
    pad, eos, bos = tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.bos_token_id
    seen = f"pad {pad}, eos {eos}, bos {bos}"
    if eos is None or pad is None:
        return "fail", seen, "give the tokenizer an eos_token and a pad_token"
    if pad == eos:
        cure = "pad with another special token, or no model learns where to stop"
        return "fail", f"{seen}: padding is the end token", cure
    if bos is not None and encode_prompt(tokenizer, SYSTEM, USER)[:2] == [bos, bos]:
        return "fail", f"{seen}: a prompt begins with bos twice", "take bos out of the template"
    return "pass", seen, ""


def reply_end(patient: Patient) -> Finding:
    """What the template puts after a reply is what generation stops at."""
    tokenizer, ends = patient.tokenizer, end_ids(patient.model, patient.tokenizer)
    shown = _render(tokenizer, ["user", "assistant"]) or ""
    tail = shown.rpartition(REPLY)[2]
    ids = tokenizer(tail, add_special_tokens=False)["input_ids"]
    names = [tokenizer.decode([i]) for i in sorted(ends)]
    if ids and ids[0] in ends:
        return "pass", f"a reply ends with {tokenizer.decode(ids[:1])!r}", ""
    cure = "set generation_config.eos_token_id to the token that ends a message"
    return "fail", f"after a reply stands {tail!r:.80}, but generation stops at {names}", cure


def answer_labels(patient: Patient) -> Finding:
    """The labels 1 and 2 are single, distinct tokens after `Answer:`."""
    tokenizer = patient.tokenizer
    spelled = {
        text: tokenizer(text, add_special_tokens=False)["input_ids"]
        for text in ("1", " 1", "(1", "2", " 2", "(2")
    }
    try:
        primed, ids = label_tokens(tokenizer)
    except ValueError as error:
        return "fail", f"{error}; ids {spelled}", "judge with another model, or by written verdicts"
    return "pass", f"after {primed!r}, 1 is {ids[0]} and 2 is {ids[1]}; alone: {spelled}", ""


def thinking(patient: Patient) -> Finding:
    """Whether replies begin in a thinking block."""
    template = str(patient.tokenizer.chat_template)
    start = render_chat(patient.tokenizer, SYSTEM, USER).rpartition(USER)[2]
    room = f"keep max_new_tokens (now {patient.max_new_tokens}) well above what it thinks"
    if OPENED.search(start):
        cure = f"{room}; an unclosed block hides the whole speech"
        return "warn", f"a prompt ends with {start!r}: thinking is open", cure
    if "enable_thinking" in template:
        return "warn", "the template knows a thinking mode; the model may think first", room
    return "pass", "a prompt opens no thinking block", ""


def prefix_stability(patient: Patient) -> Finding:
    """What two prompts of a seat share as text they share as tokens, on any day."""
    if "strftime_now" in str(patient.tokenizer.chat_template):
        cure = "set a fixed date in the template, or runs of two days differ"
        return "warn", "the template prints today's date", cure
    lost = [_lost(patient, pair) for pair in _consecutive(patient)]
    if max(lost, default=0) > SEAM:
        cure = "take a tokenizer whose tokens do not depend on the text far behind them"
        return "warn", f"{max(lost)} tokens of a shared beginning differ", cure
    if not _begins_reply(patient.tokenizer):
        cure = "train on the prompt's own tokens and the sampled ones, never on re-rendered chats"
        return "warn", "a prompt with its reply does not begin as the prompt alone does", cure
    return "pass", f"{len(lost)} later prompts begin with their seat's earlier tokens", ""


def context_room(patient: Patient) -> Finding:
    """The longest prompts of a game, and a reply, fit into the context."""
    *speaking, judging = [len(patient.encode(seen)) for seen in patient.game]
    needed = max([judging + 4, *(length + patient.max_new_tokens for length in speaking)])
    limit = context_length(patient.model)
    seen = f"{needed} tokens are needed for {patient.protocol.name}, the context has {limit}"
    if limit is None:
        return "warn", seen, "look the context up, and compare"
    if needed > limit:
        cure = "fewer rounds, shorter articles, a lower max_new_tokens, or another model"
        return "fail", seen, cure
    return "pass", seen, ""


def padding_side(patient: Patient) -> Finding:
    side = patient.tokenizer.padding_side
    if side == "left":
        return "pass", "the tokenizer pads on the left", ""
    cure = 'set tokenizer.padding_side = "left", or replies follow padding'
    return "fail", f"the tokenizer pads on the {side}", cure


def _changed(tokenizer: Any, *texts: str) -> str:
    """Where a text that came back first differs; empty if it does not."""
    ids = encode_prompt(tokenizer, *texts)
    back = tokenizer.decode(ids, clean_up_tokenization_spaces=False)
    for text in (neutralise(tokenizer, text) for text in texts):
        if text not in back:
            same = max(n for n in range(len(text)) if text[:n] in back)
            return f"...{text[max(0, same - 20) : same + 20]!r} is not in {back[-200:]!r}"
    return ""


def _render(tokenizer: Any, roles: Sequence[str]) -> str | None:
    """A conversation as the template prints it; None if it refuses."""
    texts = {"system": SYSTEM, "user": USER, "assistant": REPLY}
    messages = [{"role": role, "content": texts[role]} for role in roles]
    try:
        return str(tokenizer.apply_chat_template(messages, tokenize=False))
    except TemplateError:
        return None


def _consecutive(patient: Patient) -> list[tuple[Any, Any]]:
    seats = dict.fromkeys(seen.seat for seen in patient.game)
    own = [[seen for seen in patient.game if seen.seat == seat] for seat in seats]
    return [pair for prompts in own for pair in pairwise(prompts)]


def _lost(patient: Patient, pair: tuple[Any, Any]) -> int:
    """How many tokens of the shared text two prompts do not share."""
    tokenizer = patient.tokenizer
    texts = [
        render_chat(tokenizer, neutralise(tokenizer, s.system), neutralise(tokenizer, s.user))
        for s in pair
    ]
    alike = takewhile(lambda letters: letters[0] == letters[1], zip(*texts, strict=False))
    text = "".join(letters[0] for letters in alike)
    shared = tokenizer(text, add_special_tokens=False)["input_ids"]
    return len(shared) - len(common_prefix([patient.encode(seen) for seen in pair]))


def _begins_reply(tokenizer: Any) -> bool:
    prompt = render_chat(tokenizer, SYSTEM, USER)
    roles = ["system", "user", "assistant"]
    whole = _render(tokenizer, roles)
    if whole is None or SYSTEM not in whole:
        prompt = render_chat(tokenizer, "", USER)
        whole = _render(tokenizer, roles[1:])
        prompt = prompt.replace("\n\n" + USER, USER)
    return whole is not None and whole.startswith(prompt)
