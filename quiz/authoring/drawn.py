"""What trying the draws of a question rests on, so that an edit of its words alone need not try them again.

The draws are tried with numbers: the scenario, the options, the decider, figures, answers, slips, axes. Of the words
only those count that are checked in every draw: the options' texts, and sentences that compare two figures or say a
verdict. Nothing is kept of draws in which something was found, since a finding names its line.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.authoring.compared import compares
from quiz.authoring.said import says_verdict
from quiz.bank.prose import prose_texts
from solvers.record import Record

if TYPE_CHECKING:
    from quiz.authoring.subject import Subject
    from quiz.bank.document import Path
    from quiz.bank.variants import Survey

_WORDS: Final = frozenset(
    {
        "analogy",
        "answer_line",
        "ask",
        "bullets",
        "concept",
        "decision_rule",
        "deprecated",
        "difficulty",
        "drill",
        "follow_ups",
        "framing",
        "prerequisites",
        "red_flags",
        "related",
        "says",
        "sources",
        "stem",
        "stops_working_when",
        "title",
        "topic",
        "uses",
        "waive",
        "why",
    }
)
"""Keys whose texts are checked in the question's own numbers only, wherever they stand."""
_NAMED: Final = frozenset({"axes", "figures", "given", "items", "options", "scenario", "set"})
"""Keys below which an author chooses the names: a figure may be called `why`."""


class Tried(Record):
    """Draws that were tried: what they rest on (empty where something was found), how many were kept, why not others.

    `survey` has the draws themselves; None where only the numbers were kept.
    """

    key: str
    variants: int
    rejected: str
    survey: Survey | None = None


def draws_key(subject: Subject) -> str:
    """The same for two states of a file whose draws come to the same."""
    data = subject.document.data
    compared = [(list(path), text) for path, text in prose_texts(data) if compares(text) or _judges(path, text)]
    rest = [subject.context.declared, compared, _numbers(data)]
    return hashlib.sha256(msgspec.json.encode(rest, order="deterministic", enc_hook=str)).hexdigest()[:32]


def _judges(path: Path, text: str) -> bool:
    return path[:1] == ("options",) and path[-1:] == ("why",) and says_verdict(text)


def _numbers(data: object, *, named: bool = False) -> object:
    """The data without what is words only; its order stays, since draws and options are tried in order."""
    if isinstance(data, dict):
        return [
            [key, _numbers(value, named=key in _NAMED and not named)]
            for key, value in data.items()
            if named or key not in _WORDS
        ]
    if isinstance(data, list):
        return [_numbers(value) for value in data]
    return [type(data).__name__, str(data)]
