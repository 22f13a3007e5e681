r"""The passage check, and the split of a raw utterance into private and public text.

K24 section 3.2 checks by exact substring, P24 appendix D.2 after case and punctuation are gone;
both are done here, in that order. The contract of `check_passages`:

- **Tags.** A passage is the text between `<passage>` and `</passage>`, in any case, with or without
  attributes. An unclosed one ends with the speech. A second opening tag inside a passage is text
  of that passage; a closing tag that closes nothing, and `<passage/>`, are text of the speech.
- **Status.** *Exact*: it stands in the article to the letter, and no number is cut ("5 points" is
  not in "15 points", nor "14 m" in "3.14 m"). *Normalised*: it does so once both are normalised
  (see `normalise`), from word border to word border. *Missing*: otherwise. The check reads what
  the speaker wrote, not what is shown.
- **Length.** A passage needs `MIN_WORDS` words (a Chinese, Japanese or Korean character is a word),
  or it is missing whatever the article says: a lone word proves nothing. An empty passage is
  dropped. There is no upper limit.
- **No article**: every passage is missing.
- **Shown text.** The seat's tags become `<v_passage>` (exact, normalised) or `<u_passage>`; inside
  them no angle bracket is left. Outside, every other tag that means something to the game, closed
  or not, in any case, with blanks, attributes, invisible or full-width characters, loses its
  brackets to `‹` and `›`, and so do chat tokens such as `<|im_end|>`. So a speech cannot forge a
  mark. Letters of other alphabets that look alike are not looked for.
- **Untagged.** A quotation of at least `UNTAGGED_WORDS` words, between quotation marks, within one
  paragraph and with no passage in it, counts as untagged.

Time is linear in the article (normalised once, then kept) plus one search for each passage.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from debate_gym.envs.nouns import Passage, PassageStatus

MIN_WORDS = 2
UNTAGGED_WORDS = 4
NUMBER_REACH = 40

OPEN = re.compile(r"<\s*passage\b[^<>]*(?<!/)>", re.IGNORECASE)
CLOSE = re.compile(r"<\s*/\s*passage\s*>", re.IGNORECASE)
BRACKETED = re.compile("[<＜﹤]([^<>＜＞﹤﹥]*)([>＞﹥]?)")
RESERVED = re.compile(
    r"/?\s*((?:[vu]_)?passage|think(?:ing)?|argument|system|user|assistant|tool|s|bos|eos|pad|unk"
    r"|(?:start|end)_of_turn)\b"
)
CHAT_TOKEN = re.compile(r"<(?=[|｜])|(?<=[|｜])>")
BRACKETS = str.maketrans("<>＜＞﹤﹥", "‹›‹›‹›")
THINKING_TAG = re.compile(
    r"<\s*(/?)\s*think(?:ing)?\b[^<>]*>|<\s*(/?)\s*think(?:ing)?\b", re.IGNORECASE
)
ARGUMENT = re.compile(
    r"<\s*argument\b[^<>]*>(.*?)(?:<\s*/\s*argument\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
ARGUMENT_END = re.compile(r"<\s*/\s*argument\s*>", re.IGNORECASE)
# Between marks: no second opening mark and no empty line. An apostrophe closes no quotation.
UNTAGGED = re.compile(
    "|".join(
        rf"{left}((?:[^{left[0]}\n]|\n(?!\s*\n))+?){right}"
        for left, right in ('""', "“”", "„“", "«»", ("‘", r"’(?!\w)"), ("``", "''"))
    )
)

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
LETTER = rf"[^\W_{CJK}]"
WORD = re.compile(
    rf"(?:(?<![\w-])-)?(?:(?<![\w.])\.)?\d{LETTER}*(?:[.,:/^]{LETTER}+)*%?"
    rf"|{LETTER}+(?:[.,:/^]{LETTER}+)*|[{CJK}]"
)
DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
INVISIBLE = dict.fromkeys(
    [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF]
)
RAISED = re.compile("(?<=[0-9])(?=[⁰¹²³⁴-⁹₀-₉])(?<![⁰¹²³⁴-⁹₀-₉])")
FRACTION = re.compile("(?<=[0-9])(?=[¼-¾⅐-⅞])")


def check_passages(argument: str, article: str | None) -> tuple[str, tuple[Passage, ...], int]:
    """Checks the passages of a speech against an article.

    Returns:
        The speech as others may read it, its passages in order, and the number of untagged
        quotations. The module's docstring is the contract.
    """
    argument = argument.replace("\0", "")
    shown: list[str] = []
    passages: list[Passage] = []
    outside: list[str] = []
    plain = ""
    position = 0
    while opening := OPEN.search(argument, position):
        plain += argument[position : opening.start()]
        closing = CLOSE.search(argument, opening.end())
        text = argument[opening.end() : closing.start() if closing else None].strip()
        position = closing.end() if closing else len(argument)
        if not text:
            # `plain` goes on: two halves of a tag may meet here, and must be neutralised as one.
            continue
        passage = Passage(text, find(text, article))
        tag = "v_passage" if passage.verified else "u_passage"
        passages.append(passage)
        shown += [neutralise(plain), f"<{tag}>{text.translate(BRACKETS)}</{tag}>"]
        outside.append(plain)
        plain = ""
    plain += argument[position:]
    shown.append(neutralise(plain))
    outside.append(plain)
    return "".join(shown).strip(), tuple(passages), _untagged("\0".join(outside))


def find(text: str, article: str | None) -> PassageStatus:
    """Looks for one passage in the article."""
    if article is None:
        return PassageStatus.MISSING
    wanted = normalise(text)
    if wanted.count(" ") + 1 < MIN_WORDS:
        return PassageStatus.MISSING
    if _stands_in(text, article):
        return PassageStatus.EXACT
    found = f" {wanted} " in _normalised_article(article)
    return PassageStatus.NORMALISED if found else PassageStatus.MISSING


def normalise(text: str) -> str:
    """Folds what may differ in a faithful copy: the words, with one blank between them.

    Unicode compatibility forms (ligatures, NBSP) and case are folded, invisible characters
    dropped, and punctuation, quotation marks, dashes and underscores around words go. What makes
    a number stays: digits are joined by `.`, `,`, `:` or `/`, a minus, a leading point and a
    percent sign belong to them, and a raised or lowered digit is set apart. So 3.14 is not 314,
    .5 is not 5, and ten squared is not 102.
    """
    text = FRACTION.sub(" ", RAISED.sub("^", text.translate(INVISIBLE)))
    folded = unicodedata.normalize("NFKC", text).casefold().replace("⁄", "/")
    return " ".join(WORD.findall(folded.translate(DASHES)))


def neutralise(text: str) -> str:
    """Takes the angle brackets from tags and chat tokens that mean something to a reader.

    Doing it again changes nothing.
    """
    return CHAT_TOKEN.sub(lambda mark: mark[0].translate(BRACKETS), BRACKETED.sub(_disarm, text))


def strip_thinking(text: str) -> tuple[str, str]:
    """Splits an utterance into (private thinking, public argument).

    Text between `<thinking>` (or `<think>`) and its closing tag is private, nested ones included;
    an unclosed one hides the rest of the utterance, and a closing tag without an opening one hides
    all that stands before it (its opening was in the prompt). If `<argument>` tags are in what
    remains, only what they enclose is public, up to the end if unclosed, from the start if only
    the closing one is there; what they leave out is private.
    """
    private: list[str] = []
    public: list[str] = []
    depth = position = 0
    for tag in THINKING_TAG.finditer(text):
        closes = bool(tag[1] or tag[2])
        (private if depth else public).append(text[position : tag.start()])
        if closes and depth == 0:
            private, public = [*private, "".join(public)], []
        depth = max(0, depth - 1) if closes else depth + 1
        position = tag.end()
    (private if depth else public).append(text[position:])
    argument, left_out = _delimited("".join(public))
    thinking = "\n".join(part.strip() for part in (*private, *left_out) if part.strip())
    return thinking, argument


def _delimited(text: str) -> tuple[str, list[str]]:
    if not ARGUMENT.search(text) and ARGUMENT_END.search(text):
        text = f"<argument>{text}"
    pieces = ARGUMENT.split(text)
    if len(pieces) == 1:
        return text.strip(), []
    return "\n".join(pieces[1::2]).strip(), pieces[::2]


def _disarm(match: re.Match[str]) -> str:
    inner = match[1].translate(INVISIBLE).lstrip()[:60]
    if RESERVED.match(unicodedata.normalize("NFKC", inner).casefold()):
        return f"‹{match[1]}{'›' if match[2] else ''}"
    return match[0]


def _untagged(text: str) -> int:
    quotations = ("".join(filter(None, match.groups())) for match in UNTAGGED.finditer(text))
    return sum("\0" not in words and len(words.split()) >= UNTAGGED_WORDS for words in quotations)


def _stands_in(text: str, article: str) -> bool:
    start = article.find(text)
    while start >= 0:
        if not _cuts_number(article, start, start + len(text)):
            return True
        start = article.find(text, start + 1)
    return False


def _cuts_number(article: str, start: int, end: int) -> bool:
    """Whether the numbers that one reads in a stretch of the article are others than the article
    has there: "3." is not in "3.14", nor "-5 m" in "10-5 m"."""
    left, right = max(0, start - NUMBER_REACH), end + NUMBER_REACH
    around = article[left:right].translate(DASHES)
    first, last = start - left, end - left
    there = [m[0] for m in WORD.finditer(around) if m.start() < last and m.end() > first]
    return _numbers(there) != _numbers(WORD.findall(around[first:last]))


def _numbers(words: list[str]) -> list[str]:
    return [word for word in words if any(letter.isnumeric() for letter in word)]


@lru_cache(maxsize=256)
def _normalised_article(article: str) -> str:
    return f" {normalise(article)} "
