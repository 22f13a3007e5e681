r"""Concessions: a speech that argues for the other answer (P24 appendices A.7 and D.3).

`concession` reads a speech by a rule. It looks for clauses in which the speaker says outright

1. that the other answer is correct: "OTHER is the right answer", "the correct answer is OTHER",
   "the evidence supports OTHER";
2. that its own answer is wrong, or cannot be defended: "OWN is not correct", "I cannot defend OWN",
   "the text does not support my answer";
3. that the opponent is right, without more: "I agree with my opponent.", "my opponent is right.";
4. that it gives up: "I concede.", "I was wrong."

OWN and OTHER are the answers' texts, or "my answer", "the other answer" and the like. Case, curly
quotes, blanks and an answer's last full stop do not matter. The rule is made to be right when it
speaks, and so it stays silent

- on quotations: passages, text between quotation marks (unless it is an answer), lines with `>`;
- on questions, and where the words before it in its clause deny it ("not", "wrong", "nothing"),
  suppose it ("if", "would"), or lay it in another's mouth ("my opponent claims that", "it may seem
  that"), or those after it do ("..., says Bob"); "no doubt" and "I cannot deny" deny nothing;
- on agreement about a part: "my opponent is right that the ship sank", "I agree, but ...".

A clause ends at `.`, `!`, `?`, `;` and a line's end, and before "but", "however", "yet" and
"although". What a speech only amounts to, or says in the matter's own words ("Ben has more
points"), is not found; `debate_gym.agents.concession_reader` asks a model for that.
"""

from __future__ import annotations

import re
from functools import lru_cache

from debate_gym.agents.candidates import prose

ADVERB = (
    r"(?:(?:indeed|in fact|actually|clearly|simply|probably|likely|therefore|also|really|still"
    r"|obviously|certainly|definitely|of course|most likely|truly|thus|fully|completely) )*"
)
IS = rf"(?:is|was|are|must be|has to be|remains):? {ADVERB}"
IS_NOT = rf"(?:(?:is|was|are) {ADVERB}not|isn't|wasn't|aren't|cannot be|can't be) {ADVERB}"
TRUE = r"(?:correct|right|true|accurate)"
BEST = r"(?:correct|right|true|accurate|best|better|stronger)"
FALSE = r"(?:wrong|incorrect|false|mistaken|inaccurate|untenable|indefensible)"
NOUN = r"(?:answer|choice|option|one|conclusion)(?: to (?:the|this) question)?"
SOURCE = r"\b(?:evidence|text|article|source|record|story|passages?|facts?)"
SUPPORTS = r"(?:supports?|points? to|favou?rs?|confirms?|proves?)"
SPEAKER = r"\b(?:i|we)(?: (?:must|have to|do|will|am forced to|fully|completely|now|simply))*"
CANNOT = r"(?:cannot|can't|can not|could not|couldn't|am unable to|am not able to|won't|will not)"
DEFEND = r"(?:defend|support|argue for|justify|stand by)"
# Where a statement may end: what follows otherwise would change its sense. `…` stands for "but".
END = r"(?= ?(?:[.,](?!\d)|[!)…]|$|because\b|since\b|given\b|as\b|and\b|here\b))"
STOP = r"(?= ?(?:[.!)](?!\d)|$))"
SHIELD = re.compile(
    r"\b(?:not|\w+n't|never|no|nor|neither|nothing|nobody|none|hardly|without|cannot|false|wrong"
    r"|incorrect(?:ly)?|mistak\w+|wrongly|falsely|far from|refus\w+ to|fail\w* to|reject\w*"
    r"|den(?:y|ies)|if|unless|whether|suppos\w+|assum\w+|would|could|might|may|were|pretend\w*|imagine"
    r"|claim\w*|says?|said|saying|argu\w+|insist\w*|assert\w*|contend\w*|suggest\w*|maintain\w*"
    r"|believes?|thinks?|thought|according to|want\w*|tr(?:y|ies|ying)|wish\w*|hop(?:e|es|ing)"
    r"|seem\w*|appear\w*|looks?|convinc\w+|persuad\w+|alleg\w+)\b"
)
# What looks like a shield and is none.
FIRM = re.compile(
    r"\b(?:no doubt|without (?:a )?doubt|no denying|not only|it (?:seems|appears) clear"
    r"|(?:cannot|can't|can not|do not|don't|not) deny"
    r"|i (?:would |must |have to )?(?:say|think|believe|admit))\b"
)
BORROWED = re.compile(
    r" ?,? ?(?:or so|so|as|says|claims|argues|my opponent|according to|they|some)\b"
)
HINGE = re.compile(r"[.,!]?[ \t\n]+(?=(?:but|however|yet|although|though)\b)", re.IGNORECASE)
CLAUSE = re.compile(r"[;\n\x1e]+|(?<=[.!?])[ \t]+")
QUOTATION = re.compile(r"\"([^\"\n]*)\"|«([^»\n]*)»|(?<!\w)'([^'\n]+)'(?!\w)")
QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')
SHELTER = str.maketrans({" ": "\u00a0", "\n": "\u00a0", "\t": "\u00a0", ";": "\ue000"})
OWN_NAMES = (r"my (?:own |assigned |given )?(?:answer|choice|position|side|case)",)
OTHER_NAMES = (
    r"the (?:other|opposing|opposite) (?:answer|choice|option|position|side)",
    r"(?:my|the) opponent's (?:answer|choice|option|position|side|case)",
)
OPPONENTS = (r"(?:my|the) opponent", r"the (?:other|opposing) (?:side|debater|speaker)")


def concession(argument: str, own: str, other: str, opponent: str | None = None) -> str | None:
    """The first clause in which a speech concedes, in small letters; None if there is none.

    Args:
        argument: as others read it.
        own, other: the answer that the speaker argues, and the other one.
        opponent: name of the opponent, where there is one.
    """
    rules = _rules(own, other, opponent)
    for clause in _clauses(argument, own, other):
        if not clause.endswith("?") and any(_stands(rule, clause, own, other) for rule in rules):
            return clause.removesuffix("…").rstrip()
    return None


@lru_cache(maxsize=256)
def _rules(own: str, other: str, opponent: str | None) -> tuple[re.Pattern[str], ...]:
    mine = _any("own", _wording(own), *OWN_NAMES)
    theirs = _any("other", _wording(other), *OTHER_NAMES)
    rival = _any("rival", *([_wording(opponent)] if opponent else []), *OPPONENTS)
    rules = (
        rf"{theirs} {IS}(?:(?:the|a) )?{BEST} {NOUN}{END}",
        rf"{theirs} {IS}{TRUE}{END}",
        rf"\b(?:the|my) (?:{BEST} |only |actual |real )*{NOUN} {IS}(?:the answer )?{theirs}{END}",
        rf"{SOURCE} {ADVERB}{SUPPORTS} {theirs}{END}",
        rf"{mine} {IS}{FALSE}{END}",
        rf"{mine} {IS_NOT}(?:(?:the|a) )?{BEST}(?: {NOUN})?{END}",
        rf"{SPEAKER} {CANNOT}(?: \w+){{0,2}} {DEFEND} {mine}{END}",
        rf"{SOURCE} (?:do(?:es)? not|doesn't|don't|fails? to)(?: \w+)? support {mine}{END}",
        rf"\bthere (?:is|was) no (?:evidence|support|basis|case)(?: in the \w+)? for {mine}{END}",
        rf"{SPEAKER} (?:agree|concur) with {rival}(?: completely| fully| entirely)?{STOP}",
        rf"{rival} (?:{IS}{TRUE}|should win|has won)(?: this debate)?{STOP}",
        rf"{SPEAKER} (?:concede|surrender|give up|admit defeat)(?: defeat| the debate)?{STOP}",
        rf"\b(?:i am|i'm|i was|i have been) {ADVERB}(?:wrong|mistaken){STOP}",
    )
    return tuple(re.compile(rule) for rule in rules)


def _any(group: str, *wordings: str) -> str:
    return rf"(?P<{group}>(?<!\w)(?:{'|'.join(wordings)})(?!\w))"


def _wording(text: str) -> str:
    """An answer or a name, in small letters and with any blanks."""
    words = text.translate(STRAIGHT).lower().rstrip(" .!?\n").split()
    return r"\s+".join(map(re.escape, words)) or r"(?!)"


def _clauses(argument: str, own: str, other: str) -> list[str]:
    text = QUOTED_LINE.sub("", prose(argument).translate(STRAIGHT)).lower()
    answers = re.compile("|".join(map(_wording, sorted((own, other), key=len, reverse=True))))

    def unquoted(match: re.Match[str]) -> str:
        inner = next(filter(None, match.groups()), "")
        return inner if answers.fullmatch(inner.strip(" .,!?")) else " "

    # Inside an answer nothing ends a clause.
    text = QUOTATION.sub(unquoted, text)
    text = answers.sub(lambda match: match[0].translate(SHELTER), text)
    parts = CLAUSE.split(HINGE.sub(" …\x1e", text))
    clauses = (" ".join(part.replace("\ue000", ";").split()) for part in parts)
    return [clause for clause in clauses if clause]


def _stands(rule: re.Pattern[str], clause: str, own: str, other: str) -> bool:
    """Whether a rule finds something in a clause that nothing around it takes back."""
    for match in rule.finditer(clause):
        before = FIRM.sub(" ", clause[: match.start()])
        shielded = SHIELD.search(before) or BORROWED.match(clause, match.end())
        if not shielded and not _within_another(match, clause, own, other):
            return True
    return False


def _within_another(match: re.Match[str], clause: str, own: str, other: str) -> bool:
    """Whether the answer that was found is only a part of the other answer's text."""
    for group, longer in (("other", own), ("own", other)):
        if match.groupdict().get(group) is None:
            continue
        begin, end = match.span(group)
        spans = (found.span() for found in re.finditer(_wording(longer), clause))
        if any(b <= begin and end <= e and e - b > end - begin for b, e in spans):
            return True
    return False
