"""Faults of craft in one question: the rules of item writing that a program can see.

The rules are those of T. M. Haladyna, S. M. Downing and M. C. Rodriguez, A review of multiple-choice item-writing
guidelines for classroom assessment, Applied Measurement in Education 15, 2002, and of the item-writing guide of the
National Board of Medical Examiners. They are warnings: an author may answer one under `waive`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.authoring.words import reading_grade, word_count
from quiz.bank.literals import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.authoring.subject import Subject, Wording

_SENTENCE: Final = re.compile(r"[^.!?]+(?:[.](?=\w)[^.!?]*)*[.!?]?")
_ASKS: Final = re.compile(
    r"\W*(?:choose|pick|select|name|mark|identify|tick|find|which|what|all of (?:these|the following))\b", re.IGNORECASE
)
_NEGATIVE: Final = re.compile(
    r"\b(?:not|cannot|never|except|excluding|incorrect|untrue|impossible|least likely)\b|n['’]t\b|\bfails? to\b"
    r"|\bfalse\b(?!\W(?:positives?|negatives?|alarms?|sharing|starts?|friends?))"
    r"|(?<=\bis )wrong\b|(?<=\bare )wrong\b",
    re.IGNORECASE,
)
_NO_NEGATIVE: Final = re.compile(r"\b(?:whether or|or|if|not only|and why|why) not\b|\bnot only\b", re.IGNORECASE)
_WHY: Final = re.compile(r"\W*(?:(?:so|and|but|then)\W+)?(?:why|how come|how can it be)\b", re.IGNORECASE)
_ABOUT_WRONG: Final = re.compile(r"\bwhat (?:is|are) wrong\b", re.IGNORECASE)
_CODE: Final = re.compile(r"`[^`]*`|[\"“][^\"”]*[\"”]")  # what is quoted is quoted with its gaps
_BLANK: Final = re.compile(
    r"(?<!\w)_{2,}(?!\w)|\.{4,}|…{2,}|\[\s+\]|[(\[]\s*(?:\.{2,}|…|_+)\s*[)\]]"
    r"|(?<=[A-Za-z] )(?:…|\.{3})(?= [A-Za-z])"
)
_WORDS_A_MINUTE: Final = 200
_SECONDS: Final = 90
_GRADE: Final = 16.0
_LEAST: Final = {"red_flags": 2, "follow_ups": 2, "bullets": 3, "stops_working_when": 1, "uses": 1}
_SPOKEN: Final = {
    "red_flags": "two red flags",
    "follow_ups": "two follow-ups",
    "bullets": "three bullets",
    "stops_working_when": "a limit (`stops_working_when`)",
    "uses": "a use",
}


def report_craft(subject: Subject) -> None:
    """Note what can be seen in a question by itself, its options aside."""
    report_stem(subject)
    report_reading(subject)
    report_reveal(subject)
    report_rationales(subject)
    report_unused(subject)


def report_stem(subject: Wording) -> None:
    """Note what a stem asks in the negative, and a blank in its middle."""
    stem = _blotted(subject.question.stem, PLACEHOLDER, "0")
    found = _negative(_blotted(stem, _CODE, "x"))
    if found:
        start, word = found
        subject.warn(
            ("stem",),
            "negative-stem",
            f"the question is asked in the negative ({word!r})",
            start=start,
            why="A reader under time pressure overlooks the word and answers the opposite.",
            next_="Ask for what holds; a claim that fails is asked for by what it says.",
        )
    if getattr(subject.question, "wanted", True) is False:
        subject.warn(
            ("wanted",),
            "negative-stem",
            "the claim that fails is asked for",
            key=True,
            why="A reader under time pressure chooses one that holds.",
            next_="Ask for the claim that holds, or say in `waive` why this must be asked.",
        )
    blank = _BLANK.search(_blotted(stem, _CODE, "x"))
    if blank and stem[blank.end() :].strip(" .?!\n"):
        subject.warn(
            ("stem",),
            "blank-in-stem",
            "a blank in the middle of the stem",
            start=blank.start(),
            why="A reader holds half a sentence in mind for each option.",
            next_="Put the blank at the end, or ask a question.",
        )


def _blotted(text: str, what: re.Pattern[str], letter: str) -> str:
    """A text of the same length in which what is found is only letters."""
    return what.sub(lambda match: letter * len(match[0]), text)


def _negative(stem: str) -> tuple[int, str] | None:
    """The word by which a stem asks for what does not hold, and where it stands.

    Asked is what ends in a question mark, what tells the reader to choose, and a last sentence that the options end.
    """
    text = stem.rstrip()
    for sentence in _SENTENCE.finditer(text):
        ends = sentence.end() == len(text) and not sentence[0].endswith((".", "!"))
        if not (sentence[0].endswith("?") or ends or _ASKS.match(sentence[0])) or _WHY.match(sentence[0]):
            continue
        asked = _blotted(_blotted(sentence[0], _NO_NEGATIVE, "x"), _ABOUT_WRONG, "x")
        found = _NEGATIVE.search(asked)
        if found:
            return sentence.start() + found.start(), found[0]
    return None


def report_reading(subject: Subject) -> None:
    """Note what takes long to read."""
    base = subject.base
    asked = base.numeric.ask if base.numeric is not None else ""
    texts = [base.stem, asked, *(one.text for one in base.options), *(one.text for one in base.items)]
    words = word_count(" ".join(texts))
    seconds = 60 * words / _WORDS_A_MINUTE
    if seconds > _SECONDS:
        subject.warn(
            ("stem",),
            "reading-time",
            f"stem and options are {words} words, {seconds:.0f} s of reading",
            why=f"Beyond {_SECONDS} s a question measures reading and not judgment.",
            next_="Cut what does not decide; what explains belongs to the reveal.",
        )
    grade = reading_grade(base.stem)
    if grade > _GRADE:
        subject.warn(
            ("stem",),
            "reading-level",
            f"the stem reads like school year {grade:.0f} (Flesch-Kincaid)",
            why="Long sentences of long words are read twice.",
            next_="One thought a sentence, and the shorter word.",
        )


def report_reveal(subject: Wording) -> None:
    """Note the parts that a reveal lacks."""
    question = subject.question
    missing = [_SPOKEN[name] for name, least in _LEAST.items() if len(getattr(question, name)) < least]
    if not question.analogy:
        missing.append("an analogy")
    if not question.why and not question.concept and question.kind != "open":
        missing.append("`why`")
    if missing:
        subject.warn(
            ("id",),
            "missing-reveal",
            f"the reveal lacks {_listed(missing)}",
            why="The reveal is where a learner learns; a wrong answer without it teaches nothing.",
            next_="Write them; the style guide says what each is for.",
        )


def report_rationales(subject: Subject) -> None:
    """Note the options of which nothing says why they are right or wrong."""
    for name, option in getattr(subject.question, "options", {}).items():
        if option.why is None:
            subject.warn(
                ("options", name),
                "no-rationale",
                f"nothing says why {name} is {'right' if (name,) == subject.base.key else 'wrong'}",
                key=True,
                next_="Add `why:`, spoken to the one who chose it, with the figure that decides.",
            )


def report_unused(subject: Wording) -> None:
    """Note a figure that no text and no formula uses: what it was for has been forgotten."""
    data = subject.document.data
    if not isinstance(data, dict):
        return
    figures = data.get("figures")
    texts = [(path, text) for path, text in _strings(data, ()) if path[0] != "id"]
    for name in figures if isinstance(figures, dict) else ():
        word = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w.])")
        if not any(path[:2] != ("figures", name) and word.search(text) for path, text in texts):
            subject.warn(
                ("figures", name),
                "unused-figure",
                f"the figure {name} is used nowhere",
                key=True,
                next_="Use it, or leave it out.",
            )


def _strings(data: object, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _strings(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _strings(value, (*path, index))
    elif isinstance(data, str):
        yield path, data


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
