r"""The passage check, and the split of a raw utterance into private and public text.

The contract of `check_passages`:

- A passage is the text between `<passage>` and `</passage>`, in any case, with or without
  attributes. An unclosed one ends with the speech. A second opening tag inside a passage is
  text, as is a closing tag that closes nothing.
- It is *exact* if it stands in the article to the letter, *normalised* if it does so once both
  are normalised (see `normalise`), *missing* otherwise. A passage of fewer than `MIN_WORDS`
  words is missing whatever the article says: a lone word proves nothing. An empty passage is
  dropped. Without an article every passage is missing.
- A match in normalised text begins and ends at word borders.
- In the text to be shown, the seat's tags become `<v_passage>` (exact, normalised) or
  `<u_passage>`; every other tag that means something to the game, and every chat token of the
  form `<|...|>`, loses its angle brackets to `‹` and `›`. So a speech cannot forge a mark.
- A quotation of at least `UNTAGGED_WORDS` words between quotation marks outside any passage
  counts as untagged.

Time is linear in the article (normalised once, then kept) plus the search for each passage.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from debate_gym.envs.nouns import Passage, PassageStatus

MIN_WORDS = 2
UNTAGGED_WORDS = 4

OPEN = re.compile(r"<\s*passage\b[^<>]*>", re.IGNORECASE)
CLOSE = re.compile(r"<\s*/\s*passage\s*>", re.IGNORECASE)
RESERVED = re.compile(
    r"<(\s*/?\s*(?:[vu]_)?(?:passage|thinking|argument|system|user|assistant)\b[^<>]*)>"
    r"|<(\|[^<>]*\|)>",
    re.IGNORECASE,
)
THINKING = re.compile(r"<\s*thinking\b[^<>]*>.*?(?:<\s*/\s*thinking\s*>|\Z)", re.DOTALL | re.I)
ARGUMENT = re.compile(r"<\s*argument\b[^<>]*>(.*?)(?:<\s*/\s*argument\s*>|\Z)", re.DOTALL | re.I)
THINKING_TAG = re.compile(r"<\s*/?\s*thinking\b[^<>]*>", re.IGNORECASE)
UNTAGGED = re.compile(r'"([^"\n]+)"|“([^”\n]+)”')
WORD = re.compile(r"\w+(?:[.,:/]\w+)*")
DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\ufeff"), None)


def check_passages(argument: str, article: str | None) -> tuple[str, tuple[Passage, ...], int]:
    """Checks the passages of a speech against an article.

    Returns:
        The speech as others may read it, its passages in order, and the number of untagged
        quotations. The module's docstring is the contract.
    """
    shown: list[str] = []
    passages: list[Passage] = []
    untagged = 0
    position = 0
    while opening := OPEN.search(argument, position):
        before = argument[position : opening.start()]
        closing = CLOSE.search(argument, opening.end())
        end = closing.start() if closing else len(argument)
        text = argument[opening.end() : end].strip()
        shown.append(neutralise(before))
        untagged += _untagged(before)
        if text:
            passage = Passage(text, find(text, article))
            tag = "v_passage" if passage.verified else "u_passage"
            passages.append(passage)
            shown.append(f"<{tag}>{neutralise(text)}</{tag}>")
        position = closing.end() if closing else len(argument)
    rest = argument[position:]
    shown.append(neutralise(rest))
    return "".join(shown).strip(), tuple(passages), untagged + _untagged(rest)


def find(text: str, article: str | None) -> PassageStatus:
    """Looks for one passage in the article."""
    if article is None or len(text.split()) < MIN_WORDS:
        return PassageStatus.MISSING
    if text in article:
        return PassageStatus.EXACT
    wanted = normalise(text)
    if len(wanted.split()) < MIN_WORDS or f" {wanted} " not in _normalised_article(article):
        return PassageStatus.MISSING
    return PassageStatus.NORMALISED


def normalise(text: str) -> str:
    """Folds what may differ in a faithful copy.

    Unicode compatibility forms (ligatures, NBSP) and case are folded, soft hyphens and zero-width
    characters dropped, and the text is cut into words with one blank between; punctuation between
    words goes. Inside a word `.`, `,`, `:` and `/` stay, so that 3.14 is not 314, and so does a
    minus before a number.
    """
    folded = unicodedata.normalize("NFKC", text.translate(INVISIBLE)).casefold()
    folded = folded.translate(DASHES)
    words = []
    for match in WORD.finditer(folded):
        word, start = match.group(), match.start()
        negative = (
            word[0].isdigit()
            and folded[start - 1 : start] == "-"
            and not folded[max(0, start - 2) : start - 1].isalnum()
        )
        words.append(f"-{word}" if negative else word)
    return " ".join(words)


def neutralise(text: str) -> str:
    """Takes the angle brackets from tags and chat tokens that mean something to a reader."""
    while RESERVED.search(text):
        text = RESERVED.sub(lambda match: f"‹{match[1] or match[2]}›", text)
    return text


def strip_thinking(text: str) -> tuple[str, str]:
    """Splits an utterance into (private thinking, public argument).

    Text between `<thinking>` and `</thinking>` is private; an unclosed one hides the rest of the
    utterance, and a closing tag without an opening one hides what stands before it. If
    `<argument>` tags are there, only what they enclose is public.
    """
    hidden: list[str] = []
    opening = THINKING_TAG.search(text)
    if opening and "/" in opening.group()[:3]:
        hidden.append(text[: opening.start()])
        text = text[opening.end() :]
    hidden += [THINKING_TAG.sub("", match.group()) for match in THINKING.finditer(text)]
    public = THINKING_TAG.sub("", THINKING.sub("", text))
    if arguments := ARGUMENT.findall(public):
        public = "\n".join(arguments)
    return "\n".join(part.strip() for part in hidden), public.strip()


def _untagged(text: str) -> int:
    quotations = (match[1] or match[2] for match in UNTAGGED.finditer(text))
    return sum(len(quotation.split()) >= UNTAGGED_WORDS for quotation in quotations)


@lru_cache(maxsize=256)
def _normalised_article(article: str) -> str:
    return f" {normalise(article)} "
