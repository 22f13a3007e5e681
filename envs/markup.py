"""Tags in a raw utterance: the private text, and marks that a speech must not forge."""

from __future__ import annotations

import re
import unicodedata

from debate_gym.envs.normalise import INVISIBLE

OPENING = re.compile(r"[<＜﹤]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?", re.IGNORECASE)
CLOSING = re.compile(r"[>＞﹥]|&(?:amp;)*(?:gt|#0*62|#x0*3e);?", re.IGNORECASE)
BRACKET = re.compile(f"({OPENING.pattern}|{CLOSING.pattern})", re.IGNORECASE)
RESERVED = re.compile(
    r"/?\s*(?:(?:[vu][\s_.-]*passage)"
    r"|(?:passage|think(?:ing)?|argument|system|user|assistant|tool|s|bos|eos|pad|unk"
    r"|(?:start|end)_of_turn)\b)"
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


def neutralise(text: str) -> str:
    """Takes the angle brackets from tags and chat tokens that mean something to a reader.

    Such a tag, closed or not, loses its brackets to `‹` and `›`, in any case and with attributes,
    blanks, accents, invisible or full-width characters, and where the bracket is written as an
    HTML entity. Other brackets, entities and tags stay. Letters of other alphabets that look
    alike are not looked for.

    Doing it again changes nothing.
    """
    return CHAT_TOKEN.sub(lambda mark: mark[0].translate(BRACKETS), _disarm(text))


def split_thinking(text: str) -> tuple[list[str], str]:
    """Splits an utterance into its pieces of thinking and the rest.

    Text between `<thinking>` (or `<think>`) and its closing tag is thinking, nested ones included;
    an unclosed one hides the rest of the utterance, and a closing tag without an opening one hides
    all that stands before it (its opening was in the prompt).
    """
    private: list[str] = []
    public: list[str] = []
    depth = position = 0
    for tag in THINKING_TAG.finditer(text):
        closes = bool(tag[1] or tag[2])
        (private if depth else public).append(text[position : tag.start()])
        if closes and depth == 0:
            private.append("".join(public))
            public = []
        depth = max(0, depth - 1) if closes else depth + 1
        position = tag.end()
    (private if depth else public).append(text[position:])
    return private, "".join(public)


def strip_thinking(text: str) -> tuple[str, str]:
    """Splits an utterance into (private thinking, public argument).

    Thinking is what `split_thinking` says. If `<argument>` tags are in what remains, only what
    they enclose is public, up to the end if unclosed, from the start if only the closing one is
    there; what they leave out is private.
    """
    private, public = split_thinking(text)
    argument, left_out = _delimited(public)
    thinking = "\n".join(part.strip() for part in (*private, *left_out) if part.strip())
    return thinking, argument


def _delimited(text: str) -> tuple[str, list[str]]:
    if not ARGUMENT.search(text) and ARGUMENT_END.search(text):
        text = f"<argument>{text}"
    pieces = ARGUMENT.split(text)
    if len(pieces) == 1:
        return text.strip(), []
    return "\n".join(pieces[1::2]).strip(), pieces[::2]


def _disarm(text: str) -> str:
    """Replaces the opening bracket of a reserved tag and the closing one that comes next."""
    pieces = BRACKET.split(text)
    armed = False
    for place in range(1, len(pieces), 2):
        opens = pieces[place] == "<" or bool(OPENING.match(pieces[place]))
        if armed and not opens:
            pieces[place] = "›"
        armed = opens and pieces[place + 1] != "" and _reserved(pieces[place + 1])
        if armed:
            pieces[place] = "‹"
    return "".join(pieces)


def _reserved(text: str) -> bool:
    """Whether the text after an opening bracket begins with the name of a reserved tag."""
    name = _plain(" ".join(text.translate(INVISIBLE).split()))[:60]
    return bool(RESERVED.match(_plain(unicodedata.normalize("NFKD", name)).casefold()))


def _plain(text: str) -> str:
    return text if text.isascii() else "".join(c for c in text if not unicodedata.combining(c))
