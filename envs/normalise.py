"""What may differ between an article and a faithful copy of its words, and what may not."""

from __future__ import annotations

import re
import unicodedata

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
LETTER = rf"[^\W_{CJK}]"
SYMBOLS = "$£€¥₹¢+=×÷±≤≥≠%"
# A number, a word, a character of a script without blanks, or a symbol that changes a number.
WORD = re.compile(
    rf"(?:(?<![\w-])-)?(?:(?<![\w.])\.)?\d{LETTER}*(?:[.,:/^]{LETTER}+)*%?"
    rf"|{LETTER}+(?:[.,:/^]{LETTER}+)*|[{CJK}]|[{SYMBOLS}]"
)
DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
# Code points that a reader does not see: soft hyphen, joiners, marks of direction and variation.
INVISIBLE = dict.fromkeys(
    [
        *(0xAD, 0x34F, 0x61C, 0x180E, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        *range(0xE0000, 0xE0200),
    ]
)
DASHES_AND_INVISIBLE = DASHES | INVISIBLE
_RAISED = "⁰¹²³⁴-⁹₀-₉"
_FOLDED = "¼-¾⅐-⅟①-⒛⓪-⓿"
POWER = re.compile(f"(?<=[0-9])(?=[{_RAISED}])")
# Where folding would join two numbers: a digit and a fraction, a circled or a raised number.
SEAM = re.compile(f"(?<=[0-9])(?=[{_FOLDED}])|(?<=[{_RAISED}{_FOLDED}])(?=[0-9{_FOLDED}])")

# Sorting the marks of one letter takes quadratic time: after so many, a joiner ends the sort.
STACK = re.compile(r"[^\w\s\x00-\x7f]{30}")
JOINER = "\u034f"


def normalise(text: str) -> str:
    """Folds what may differ in a faithful copy: the words, with one blank between them.

    Case, Unicode compatibility forms (NFKC: ligatures, no-break spaces, full-width letters) and
    blanks of any kind, line ends included, are folded; invisible characters (soft hyphens,
    zero-width marks) dropped; punctuation, quotation marks, dashes and underscores around words
    go. So "co-operate" is "co operate" but not "cooperate", also where a line ends at the hyphen.

    What makes a number stays. Digits are joined by `.`, `,`, `:` or `/`; a minus, a leading point
    and a percent sign belong to them; a raised or lowered digit, a fraction and a circled number
    are set apart; and the symbols `SYMBOLS` are kept, each as a word. So 3.14 is not 314, nor
    1,000 the same as 1000 or 1.000, -5 is not 5, .5 is not 5, £5 is not $5, 10 + 5 is not 10 5,
    and ten squared is not 102.

    Doing it again changes nothing.
    """
    folded = text.lower() if text.isascii() else fold_forms(text, case=True)
    return " ".join(WORD.findall(folded))


def length(normalised: str) -> int:
    """Number of words of a normalised text; symbols are not counted."""
    return sum(word not in SYMBOLS for word in normalised.split())


def fold_forms(text: str, *, case: bool) -> str:
    """Folds compatibility forms and dashes, and case if asked; drops invisible characters.

    Done twice, as the first time may bring up new forms.
    """
    text = SEAM.sub(" ", POWER.sub("^", text.translate(INVISIBLE)))
    text = STACK.sub(lambda marks: marks[0] + JOINER, text)
    for _ in range(2):
        text = unicodedata.normalize("NFKC", text)
        text = text.casefold() if case else text
    return text.replace("⁄", "/").translate(DASHES_AND_INVISIBLE)
