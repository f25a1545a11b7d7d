"""Verdicts that an author writes into a rationale: found in the words once, held against every set of numbers.

Seen are whole statements alone: a sentence that begins with the option (It, This plan, its name) or with the verb and
whose verdict stands without a condition or a restriction behind it. "It fits only where ..." and "It fits the weights"
say something else, and a sentence after another subject may mean that one; such sentences are let pass.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.bank.bars import bar_in
from quiz.bank.literals import PLACEHOLDER
from quiz.bank.problems import FOUND
from quiz.bank.schema import Claim, Strategy
from quiz.bank.verdicts import claim_scope
from quiz.late import Late
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from quiz.authoring.subject import Subject
    from quiz.bank.document import Path
    from quiz.bank.rendered import Bar
    from quiz.bank.scope import World

_NAME_HELD, _TOTAL_HELD = "\x00", "\x01"
_HELD: Final = f"[{_NAME_HELD}{_TOTAL_HELD}]"
_TOTAL: Final = re.compile(r"\{\{\s*memory\.total_per_gpu\s*(?:\|[^{}]*)?\}\}")
"""What the option holds, by the name that it has in the option's own scope."""
_EMPHASIS: Final = re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_SENTENCE: Final = re.compile(r"(?:^|(?<=[.!?;])[\"”’)]?\s+|\n\s*\n)(?=\S)")
_HOLDS: Final = rf"(?:(?:holds|needs|takes)\s+{_HELD}+(?:\s+[a-z][\w-]*){{0,4}}?\s+and\s+)?"
_ADVERB: Final = r"(?:(?:just|easily|still|barely|clearly|therefore|thus|also|indeed)\s+)?"
_PRONOUN: Final = r"(?:[Ii]t|[Tt]his|[Tt]hat|[Tt]he)(?:\s+(?:one|plan|option|layout|choice|answer|setup))?"
_LEAD: Final = r"(?:(?:So|But|And|Yet|Here|Right|Correct|Wrong|Incorrect|No|Yes|Still)(?:,|:)?\s+)?"
_NOT: Final = r"(?:(?:does|will)\s+not|(?:does|wo)n['’]t|can\s?not|can['’]t)\s+(?:yet\s+)?"
_CARD: Final = r"(?:the|each|every)\s+(?:card|GPU|device|memory|capacity)(?:['’]s\s+memory)?"
_STATES: Final = (
    ("fits", rf"{_HOLDS}{_ADVERB}(?:fits|does\s+fit|will\s+fit)"),
    ("overflows", rf"{_HOLDS}{_ADVERB}(?:{_NOT}fit|fails\s+to\s+fit|runs\s+out\s+of\s+memory)"),
    ("overflows", rf"{_HOLDS}{_ADVERB}overflows(?:\s+{_CARD})?"),
    ("overflows", r"never\s+fits"),
    ("overflows", r"(?:needs|holds|takes)\s+more\s+than\s+(?:the|a|one|each)\s+(?:card|GPU|device)\s+has"),
    ("too large", r"is\s+(?:still\s+|far\s+|much\s+)?too\s+(?:large|big|much)"),
    ("overflows", r"exceeds\s+(?:the|a|one|each)\s+(?:card|GPU|device|memory|capacity)(?:['’]s\s+memory)?"),
    ("right", r"is\s+(?:right|correct|the\s+(?:(?:right|correct)\s+(?:one|plan|option|answer|choice)|key|answer))"),
    ("wrong", r"is\s+(?:wrong|incorrect|not\s+(?:right|correct)|not\s+the\s+(?:key|answer))"),
)  # fmt: skip
#: Of which words one stands in a text that holds the wording at the same place; so of `_BARE`.
_STATE_HINTS: Final = (
    ("fit",), ("fit", "out"), ("overflows",), ("never",), ("more",), ("too",), ("exceeds",),
    ("right", "correct", "key", "answer"), ("wrong", "incorrect", "not"),
)  # fmt: skip
_BARE: Final = (
    ("fits", r"Fits"),
    ("overflows", r"(?:Does\s+not|Doesn['’]t|Will\s+not|Won['’]t|Cannot|Can['’]t)\s+fit"),
    ("too large", r"(?:Much\s+|Far\s+)?[Tt]oo\s+(?:large|big)"),
)
_BARE_HINTS: Final = (("Fits",), ("fit",), ("oo",))
_OF_TOTAL: Final = (
    ("fits", r"(?:fits?|does\s+fit|will\s+fit)"),
    ("overflows", r"(?:(?:does|do|will)\s+not\s+fit|(?:does|do|wo)n['’]t\s+fit|can\s?not\s+fit|can['’]t\s+fit)"),
)
_TOTAL_LEAD: Final = (
    rf"(?:{_TOTAL_HELD}+(?:\s+|:\s+(?:[Ii]t\s+)?|,\s+(?:so|and)\s+it\s+|,\s+which\s+)"
    rf"|(?:At|With)\s+{_TOTAL_HELD}+,?\s+it\s+)"
)
_PLACE: Final = (
    rf"(?:\s+(?:on|in|into|for)\s+(?:(?:the|each|every)\s+)?"
    rf"(?:cards?|GPUs?|devices?|memory|{_HELD}+|capacity|node|nodes)|\s+{_CARD})?"
)
_NO_MEMORY: Final = Late(r"(?:Out\s+of|Not\s+enough)\s+memory(?=\s*(?:[.!;]|$))")
_HOW: Final = (
    r"(?:\s+(?:easily|comfortably|exactly|barely|well|here|too|as\s+well|either|at\s+all|either\s+way|any\s?more|by\s+far"
    rf"|with\s+room\s+to\s+spare|with\s+ease|by\s+{_HELD}+|(?:with|at|in)\s+{_HELD}+(?:\s+(?:left|free|to\s+spare))?))?"
)
_GOES_ON: Final = (
    r"(?=\s*(?:$|[.!;:](?:\s|$)|\s[—–-]\s|,?\s+(?:because|since|so)\b"
    r"|,?\s+(?:and|but|yet)\s+(?!nothing|only|no\b|not\b|neither)"
    r"|,\s+(?!(?:if|where|when|only|provided|unless|until|once|as|without|while|for|on|or|not|and|but|yet|just\s+not)\b"
    rf"|(?:with|in|at)\b(?!\s+{_HELD}))))"
)
_VERDICT_WORD: Final = Late(
    r"(?P<right>Right|Correct)(?=\s*[.:;!])|(?P<wrong>Wrong|Incorrect)(?=\s*[.:;!])"
    r"|(?P<true>True)(?=\s*[.:;!])|(?P<false>False)(?=\s*[.:;!])"
    r"|(?P<yes>Yes)(?=\s*[.!]?\s*$)|(?P<no>No)(?=\s*[.!]?\s*$)"
)
_RESTRICTS: Final = Late(
    r"\s*[.!;:,—–-]?\s*(?:but\s+)?(?:only|if|where|when|provided|unless|until|almost|nearly|on\s+paper|in\s+theory"
    r"|not\s+(?:with|on|if|where|when|for)|(?:you|they|one|people|he|she)?\s*(?:says?|thinks?|reads?|hears?))\b",
    re.IGNORECASE,
)
_CONCEDES: Final = Late(r"\b(?:but|yet|however|still|only|though|although|except|nevertheless)\b", re.IGNORECASE)
_DENIES: Final = Late(r"\b(?:not|no|nor|never|nothing|none)\b", re.IGNORECASE)
_IMAGINED: Final = Late(r"\b(?:would|could|might|suppose|alone|without|if|were|had)\b|\?", re.IGNORECASE)
_OWN_SUBJECT: Final = Late(
    rf"{_LEAD}(?:{_HELD}|(?:It|This|That|You|Each|Every|Here|All|Nothing|None|Everything|Only|With|Under|At|In"
    r"|(?:The|A|An)\s+(?:\w+\s+)?(?:plan|option|layout|choice|state|total|sum|recipe|GPU|card|rank|verdict))\b)"
)
_ANY_PRONOUN: Final = Late(rf"{_LEAD}(?:[Ii]t|[Tt]his|[Tt]hat)\s+(?!one|plan|option|layout|choice|answer|setup)")
_OF_MEMORY: Final = Late(rf"\b(?:cards?|GPUs?|devices?|memory|capacity|nodes?)$|{_HELD}$")
_SAYS: Final = {
    "fits": "this option fits",
    "overflows": "this option does not fit",
    "right": "{} is the key",
    "wrong": "{} is not the key",
    "true": "this claim holds",
    "false": "this claim does not hold",
}
_OPPOSITE: Final = {
    "fits": "overflows", "overflows": "fits", "right": "wrong", "wrong": "right", "true": "false", "false": "true",
}  # fmt: skip


class Said(Record):
    """A verdict in the rationale of an option: which, in what words, where they begin."""

    option: str
    state: str
    words: str
    start: int

    @property
    def path(self) -> Path:
        """The text in which it stands."""
        return ("options", self.option, "why")


def verdicts_said(subject: Subject) -> list[Said]:
    """Every verdict that the rationales of a question state outright."""
    options = getattr(subject.question, "options", {})
    is_claim = isinstance(subject.question, Claim)
    fit_alone = isinstance(subject.question, Strategy) and not subject.question.decide.prefer
    found: list[Said] = []
    for name, form in options.items():
        why = getattr(form, "why", None)
        if why and says_verdict(why):
            others = {at: other.text for at, other in options.items() if at != name}
            found += _said(
                name, why, _names(form.text, others.values()), others, is_claim=is_claim, fit_alone=fit_alone
            )
    return found


_WORTH_READING: Final = re.compile(
    r"\bfits?\b|\btoo\s+(?:large|big|much)\b|overflows|out\s+of\s+memory|enough\s+memory|exceeds|right|correct|wrong"
    r"|True|False|Yes|No\b|\bkey\b|answer|than\s+(?:the|a)\s+\w+\s+has",
    re.IGNORECASE,
)


def says_verdict(text: str) -> bool:
    """Whether a text may say of an option that it fits or is right; with certainty where it does not."""
    return _WORTH_READING.search(_plain(text) if "*" in text or "_" in text else text) is not None


def _plain(text: str) -> str:
    """The text with blanks for the signs of emphasis: each character keeps its place."""
    return _EMPHASIS.sub(lambda match: " " * len(match[0]), text)


def report_verdicts(subject: Subject, world: World, key: Collection[str], drawn: str, said: Sequence[Said]) -> bool:
    """Note each verdict of `said` that is not so with the numbers of `world`; returns whether there was one.

    `key` is what is right there; `drawn` names the numbers where they are not the question's own.
    """
    wrong = untrue_verdicts(subject, world, key, said)
    for one, how_it_is in wrong:
        subject.fail(
            one.path,
            "verdict-contradicted",
            f"{one.words!r}, but {drawn}{how_it_is}",
            start=one.start,
            next_="Let `{{ verdict }}` say it, or leave these numbers out by `where`."
            if drawn
            else "Correct the sentence or the option; `{{ verdict }}` writes the computed verdict.",
        )
    return bool(wrong)


def untrue_verdicts(
    subject: Subject, world: World, key: Collection[str], said: Sequence[Said]
) -> list[tuple[Said, str]]:
    """Those of `said` that are not so with the numbers of `world`, one an option, and how it is there."""
    bars = {option.id: option.bar for option in subject.base.options}
    wrong: dict[str, tuple[Said, str]] = {}
    for one in said:
        bar = None
        if one.state in ("fits", "overflows") and bars.get(one.option) is not None:
            bar = bars[one.option] if world is subject.world else _bar(world, one.option)
        state = _state(subject, one, bar, key)
        if state not in (None, one.state) and one.option not in wrong:
            how = _SAYS[state or ""].format(one.option)
            wrong[one.option] = one, how if bar is None else f"{how}: {bar.total_text} of {bar.capacity_text}"
    return list(wrong.values())


def _state(subject: Subject, one: Said, bar: Bar | None, key: Collection[str]) -> str | None:
    """How it stands with what is said; None where no figure decides that."""
    if one.state in ("fits", "overflows"):
        holds, state = (None if bar is None else bar.fits), "fits"
    elif one.state in ("true", "false"):
        question = subject.question
        wanted = not isinstance(question, Claim) or question.wanted
        holds, state = (one.option in key) is wanted, "true"
    else:
        holds, state = one.option in key, "right"
    if holds is None:
        return None
    return state if holds else _OPPOSITE[state]


def _bar(world: World, option: str) -> Bar | None:
    try:
        return bar_in(claim_scope(world, option))
    except FOUND:
        return None  # the survey has the reason


def _said(
    option: str, why: str, names: Sequence[str], others: Collection[str], *, is_claim: bool, fit_alone: bool
) -> Iterator[Said]:
    text = _plain(PLACEHOLDER.sub(_held, why))
    first = len(text) - len(text.lstrip())
    opening = _VERDICT_WORD.match(text, first)
    if opening and _is_a_verdict(opening, text, is_claim=is_claim):
        state = {"yes": "right", "no": "wrong"}.get(opening.lastgroup or "", opening.lastgroup or "")
        yield Said(option, state, opening[0], first)
    if short := _NO_MEMORY.match(text, first):
        yield Said(option, "overflows", " ".join(why[first : short.end()].split()), first)
    forms = _forms(names, text)
    starts = [first, *(match.end() for match in _SENTENCE.finditer(text) if match.end() > first)]
    for place, start in enumerate(starts):
        stated = next(_statements(text, start, forms), None)
        if stated is None or (place and not _goes_on_about_it(why, text, starts[place - 1], start, others)):
            continue
        state, found = stated
        if state == "too large":  # of what, where more than memory is weighed?
            if not fit_alone and not _OF_MEMORY.search(found[0]):
                continue
            state = "overflows"
        if state in ("right", "wrong") and (place or _CONCEDES.search(text, found.end())):
            continue  # "That is wrong" later on is about a belief
        yield Said(option, state, " ".join(why[found.start() : found.end()].split()), start)


def _held(match: re.Match[str]) -> str:
    return (_TOTAL_HELD if _TOTAL.fullmatch(match[0]) else _NAME_HELD) * len(match[0])


def _is_a_verdict(opening: re.Match[str], text: str, *, is_claim: bool) -> bool:
    """Whether a first word judges the option: "True, but ..." and "Yes, ..." take up a part of the belief."""
    word = opening.lastgroup
    if word in ("true", "false") and not is_claim:
        return False
    if word == "true" and (text[opening.end() :].lstrip()[:1] in (":", ";") or _DENIES.search(text)):
        return False
    return word not in ("right", "true", "yes") or not _CONCEDES.search(text)


def _goes_on_about_it(why: str, text: str, before: int, start: int, others: Collection[str]) -> bool:
    """Whether "It" at `start` can only be the option: the sentence before has no other subject and imagines nothing."""
    sentence = text[before:start]
    if _IMAGINED.search(sentence) or any(f"{name}." in why[before:start] for name in others):
        return False
    return not _ANY_PRONOUN.match(text, start) or _OWN_SUBJECT.match(sentence) is not None


def _forms(names: Sequence[str], text: str) -> list[tuple[str, re.Pattern[str]]]:
    """The wordings that may stand in a text: most texts hold the words of few, and each takes its time to compile."""
    subject = "|".join([_PRONOUN, *map(re.escape, names)])
    states = [stated for stated, hints in zip(_STATES, _STATE_HINTS, strict=True) if _holds_one(text, hints)]
    bare = [stated for stated, hints in zip(_BARE, _BARE_HINTS, strict=True) if _holds_one(text, hints)]
    heads = [(state, rf"{_LEAD}(?:{subject})\s+{verb}") for state, verb in states]
    forms = [(state, f"{head}{_PLACE}{_HOW}") for state, head in (*heads, *bare)]
    # What {{ total }} fits in may be more than one card: then two figures are compared, and nothing is judged.
    how = _HOW.replace("(?:with|at|in)", "with")
    if _TOTAL_HELD in text:
        forms += [(state, f"{_LEAD}{_TOTAL_LEAD}{verb}(?:\\s+{_CARD})?{how}") for state, verb in _OF_TOTAL]
    return [(state, re.compile(f"{form}{_GOES_ON}")) for state, form in forms]


def _holds_one(text: str, hints: Sequence[str]) -> bool:
    return any(hint in text for hint in hints)


def _statements(
    text: str, start: int, forms: Sequence[tuple[str, re.Pattern[str]]]
) -> Iterator[tuple[str, re.Match[str]]]:
    """What a sentence states of the option, where nothing behind it restricts that."""
    for state, form in forms:
        found = form.match(text, start)
        if found and not _RESTRICTS.match(text, found.end()):
            yield state, found


def _names(text: str, others: Collection[str]) -> list[str]:
    """How a sentence may call an option: its whole text, and its first word where no other option has that."""
    plain = " ".join(PLACEHOLDER.sub(" ", text).split()).rstrip(".")
    first = plain.split(" ")[0].rstrip(",:;")
    found = [plain] if plain and "{{" not in text else []
    is_name = len(first) > 1 and sum(letter.isupper() for letter in first) > 1
    if is_name and not any(first in other for other in others):
        found.append(first)
    return found
