r"""The passage check: what of a speech stands in the article, and what others may read of it.

K24 section 3.2 checks by exact substring, P24 appendix D.2 after case and punctuation are gone;
both are done here, in that order. The contract of `check_passages`:

- **Tags.** A passage is the text between `<passage>` and `</passage>`, in any case, with or without
  attributes. An unclosed one ends with the speech. A second opening tag inside a passage is text
  of that passage; a closing tag that closes nothing, and `<passage/>`, are text of the speech.
- **Status.** *Exact*: it stands in the article to the letter, and no number is cut ("5 points" is
  not in "15 points", nor "14 m" in "3.14 m"); a word may be cut. *Normalised*: it does so once
  both are normalised (`envs/normalise.py` says what that folds and what it keeps), from word
  border to word border. *Missing*: otherwise. The check reads what the speaker wrote, not what is
  shown.
- **Ellipsis.** Where the passage as it is does not stand there, an ellipsis (`...`, `. . .` or
  `…`, bare or in brackets) may leave words out: it is normalised if its parts, each of them long
  enough, stand in the article in the passage's order without overlap, at any distance. The judge
  sees the ellipsis. At the ends of a passage an ellipsis is punctuation.
- **Length.** A passage needs `min_words` words (a Chinese, Japanese or Korean character is a word,
  a lone symbol is none), or it is missing whatever the article says: a lone word proves nothing.
  An empty passage is dropped. There is no upper limit.
- **No article**: every passage is missing.
- **Shown text.** The seat's tags become `<v_passage>` (exact, normalised) or `<u_passage>`; inside
  them no angle bracket is left. Everywhere, other tags that mean something to the game, and chat
  tokens such as `<|im_end|>`, lose their brackets, in all the spellings that `neutralise` names.
  So a speech cannot forge a mark. Checked again, a shown text holds no passage: marks that a
  speaker copies from the transcript prove nothing.
- **Untagged.** A quotation of at least `UNTAGGED_WORDS` words, between quotation marks, within one
  paragraph and with no passage in it, counts as untagged.

Time is linear in the speech and in the article (which is prepared once, then kept), plus one or
two scans of the article for each different passage whose words all are in it.
"""

from __future__ import annotations

import re

from debate_gym.envs.markup import BRACKETS, neutralise, strip_thinking
from debate_gym.envs.matching import MIN_WORDS, find
from debate_gym.envs.normalise import CJK, normalise
from debate_gym.envs.nouns import Passage, PassageStatus

__all__ = [
    "CJK",
    "CLOSE",
    "MIN_WORDS",
    "OPEN",
    "check_passages",
    "find",
    "neutralise",
    "normalise",
    "strip_thinking",
]

UNTAGGED_WORDS = 4

OPEN = re.compile(r"<\s*passage\b[^<>]*(?<!/)>", re.IGNORECASE)
CLOSE = re.compile(r"<\s*/\s*passage\s*>", re.IGNORECASE)
# Between marks: no second opening mark and no empty line. An apostrophe closes no quotation.
UNTAGGED = re.compile(
    "|".join(
        rf"{left}((?:[^{left[0]}\n]|\n(?!\s*\n))+?){right}"
        for left, right in ('""', "“”", "„“", "«»", ("‘", r"’(?!\w)"), ("``", "''"))
    )
)


def check_passages(
    argument: str, article: str | None, *, min_words: int = MIN_WORDS
) -> tuple[str, tuple[Passage, ...], int]:
    """Checks the passages of a speech against an article.

    Args:
        argument: the public text of an utterance (see `strip_thinking`).
        min_words: the fewest words that a passage needs.

    Returns:
        The speech as others may read it, its passages in order, and the number of untagged
        quotations. The module's docstring is the contract.
    """
    statuses: dict[str, PassageStatus] = {}
    passages: list[Passage] = []
    shown: list[str] = []
    prose, texts = _split(argument.replace("\0", ""))
    for plain, text in zip(prose, texts, strict=False):
        if text not in statuses:
            statuses[text] = find(text, article, min_words)
        passages.append(Passage(text, statuses[text]))
        shown += [neutralise(plain), _marked(passages[-1])]
    shown.append(neutralise(prose[-1]))
    return "".join(shown).strip(), tuple(passages), _untagged("\0".join(prose))


def _split(argument: str) -> tuple[list[str], list[str]]:
    """The prose before, between and after the passages, and the passages that are not empty.

    Where an empty passage is dropped the prose goes on: two halves of a tag may meet there, and
    must be neutralised as one.
    """
    prose: list[str] = []
    texts: list[str] = []
    plain: list[str] = []
    position = 0
    while opening := OPEN.search(argument, position):
        plain.append(argument[position : opening.start()])
        closing = CLOSE.search(argument, opening.end())
        text = argument[opening.end() : closing.start() if closing else None].strip()
        position = closing.end() if closing else len(argument)
        if text:
            texts.append(text)
            prose.append("".join(plain))
            plain = []
    return [*prose, "".join((*plain, argument[position:]))], texts


def _marked(passage: Passage) -> str:
    tag = "v_passage" if passage.verified else "u_passage"
    return f"<{tag}>{neutralise(passage.text).translate(BRACKETS)}</{tag}>"


def _untagged(text: str) -> int:
    quotations = ("".join(filter(None, match.groups())) for match in UNTAGGED.finditer(text))
    return sum("\0" not in words and len(words.split()) >= UNTAGGED_WORDS for words in quotations)
