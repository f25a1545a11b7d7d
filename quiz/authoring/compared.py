"""Comparisons of two figures that an author writes out: found in the words once, held against every set of numbers.

Seen is `{{ a }} exceeds {{ b }}` in the wordings below, with a few words between, over the end of a line too. A
comparison behind a condition ("if {{ a }} exceeds {{ b }}") or of a sum ("{{ a }} plus {{ b }} exceeds {{ c }}") says
something else and is let pass.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from quiz.authoring.subject import scope_at
from quiz.bank.problems import FOUND
from quiz.bank.prose import prose_texts
from quiz.late import Late
from solvers.expr.evaluate import Quantity
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from quiz.authoring.subject import Subject
    from quiz.bank.document import Path
    from quiz.bank.scope import World
    from quiz.bank.shown import Shown

_NAME: Final = r"\{\{\s*(?P<%s>[a-z][\w.]*)\s*(?:\|[^{}]*)?\}\}"
_IS: Final = r"(?:is|are|was|were)\s+(?:still\s+|already\s+|far\s+|well\s+|clearly\s+|much\s+)?"
_THAN: Final = r"\s+than"
_VERBS: Final = (
    (">", rf"{_IS}(?:more|greater|larger|higher|bigger){_THAN}|exceeds?|{_IS}(?:above|over|beyond)|>(?!=)"),
    ("<", rf"{_IS}(?:less|smaller|lower|fewer){_THAN}|{_IS}(?:below|under)|stays?\s+(?:below|under)|<(?!=)"),
    (">=", rf"≥|>=|{_IS}at\s+least|{_IS}(?:not|no)\s+(?:less|smaller|lower|fewer){_THAN}"),
    ("<=", rf"≤|<=|{_IS}at\s+most|{_IS}(?:not|no)\s+(?:more|greater|larger|higher){_THAN}|fits?(?:\s+in(?:to)?)?"),
    (">", r"(?:does\s+not|doesn['’]t|do\s+not|don['’]t|cannot|can['’]t)\s+fit(?:\s+in(?:to)?)?"),
    (">", rf",\s+(?:which\s+is\s+)?(?:more|larger|higher){_THAN}|,\s+(?:above|beyond)"),
    ("<=", r"(?:does|do)\s+not\s+exceed|(?:does|do)n['’]t\s+exceed|never\s+exceeds?"),
    ("within", rf"{_IS}within"),
    ("=", r"equals?"),
    ("half", r"(?:is|are)\s+half(?:\s+of)?"),
    ("<", rf",\s+(?:which\s+is\s+)?(?:less|smaller|lower|fewer){_THAN}|,\s+below"),
)
#: Of which words one stands in a text that holds the wording at the same place.
_HINTS: Final = (
    ("than", "exceed", "above", "over", "beyond", ">"),
    ("than", "below", "under", "<"),
    ("than", "least", "≥", ">="),
    ("than", "most", "fit", "≤", "<="),
    ("fit",),
    ("than", "above", "beyond"),
    ("exceed",),
    ("within",),
    ("equal",),
    ("half",),
    ("than", "below"),
)
_NO_GLUE: Final = (
    r"not|no|never|and|or|nor|but|plus|minus|times|over|that|which|than|if|once|would|could|can|may|might|will|until|unless"
    r"|by|to|from|without|hardly|rarely|is|are|was|were|exceeds?|fits?|does|do|with|above|below|under|stays?|a\s+third"
)
_GLUE: Final = rf"(?:\s+(?!(?:{_NO_GLUE})\b)[A-Za-z][\w'’/-]*){{0,4}}?"
_MAY_COMPARE: Final = re.compile(
    r"than|exceed|above|over|beyond|below|under|[<>≥≤]|\bfit|\bwithin\b|\bequals?\b|\bhalf\b|\bat\s+(?:least|most)"
)
_PART_BEFORE: Final = Late(
    r"(?:[-+×*/−÷]|\b(?:plus|minus|times|twice|half|double|thrice|(?:third|quarter|half|part|share)\s+of|without|nor"
    r"|not|never|than|or)|(?<!,)\sand)\s*$",
    re.IGNORECASE,
)
_PART_AFTER: Final = Late(r"\s*(?:[+×*/−÷]|\b(?:plus|minus|times|and\s+\{\{|or\s+\{\{|(?:\w+\s+)?times)\b|-\s*\{\{)")
_WHOLE_BEFORE: Final = Late(r"(?:^|[.;:!?]\s)[\sA-Za-z,'’]*$")
_WHOLE_AFTER: Final = Late(r"\s*(?:$|[.;!?])")
_OF_AFTER: Final = Late(r"\s+(?:of|by)\b")
_CONDITION: Final = Late(
    r"\b(?:if|whether|unless|until|when|whenever|where|once|while|suppose|only|require[sd]?|would|could|should"
    r"|as\s+long\s+as)\b[^,.;:!?]*$",
    re.IGNORECASE,
)
_EXACT: Final = ("=", "half")
_HOLDS: Final[dict[str, Callable[[Fraction, Fraction], bool]]] = {
    ">": lambda left, right: left > right,
    "<": lambda left, right: left < right,
    ">=": lambda left, right: left >= right,
    "<=": lambda left, right: left <= right,
    "within": lambda left, right: left <= right,
    # What is shown is rounded, and said of what is shown.
    "=": lambda left, right: abs(left - right) * 50 <= abs(right),
    "half": lambda left, right: abs(2 * left - right) * 50 <= abs(right),
}


class Comparison(Record):
    """One figure set against another: which, how, in what words, and where in the text at `path` that begins."""

    path: Path
    left: str
    right: str
    sign: str
    words: str
    start: int


def comparisons(subject: Subject) -> list[Comparison]:
    """Every comparison that the texts of a question make."""
    return [one for path, text in prose_texts(subject.document.data) for one in _in_text(path, text)]


def compares(text: str) -> bool:
    """Whether a text says of two figures which one is larger."""
    return next(_in_text((), text), None) is not None


def report_comparisons(subject: Subject, world: World, drawn: str, said: Sequence[Comparison]) -> bool:
    """Note each of the comparisons `said` that is not so with the numbers of `world`; returns whether there was one.

    `drawn` names the numbers where they are not the question's own.
    """
    wrong = untrue_comparisons(world, said)
    for one, left, right in wrong:
        subject.fail(
            one.path,
            "comparison-contradicted",
            f"{left.text} {one.words} {right.text}: that is not so{drawn}",
            start=one.start,
            next_="Turn the sentence round, or narrow the numbers for which it is said.",
        )
    return bool(wrong)


def untrue_comparisons(world: World, said: Sequence[Comparison]) -> list[tuple[Comparison, Shown, Shown]]:
    """Those of `said` that are not so with the numbers of `world`, with both figures."""
    wrong = []
    for one in said:
        try:
            scope = scope_at(world, one.path)
            left, right = scope.shown(one.left), scope.shown(one.right)
        except FOUND:
            continue  # noted where the text is rendered
        if not (isinstance(left.value, Quantity) and isinstance(right.value, Quantity)):
            continue
        of_one_kind = left.value.dimension.without_counts == right.value.dimension.without_counts
        if of_one_kind and not _HOLDS[one.sign](left.value.value, right.value.value):
            wrong.append((one, left, right))
    return wrong


@cache
def _verb(verb: str) -> re.Pattern[str]:
    return re.compile(verb)


@cache
def _form(verb: str) -> re.Pattern[str]:
    """Two names with a verb between them. Compiled where one is met: a text has few of the wordings, most have none."""
    return re.compile(rf"{_NAME % 'left'}{_GLUE}\s*(?P<words>{verb})\s+(?:the\s+)?{_NAME % 'right'}")


def _in_text(path: Path, text: str) -> Iterator[Comparison]:
    if text.count("{{") < 2 or not _MAY_COMPARE.search(text):  # noqa: PLR2004 - two figures
        return
    for (sign, verb), hints in zip(_VERBS, _HINTS, strict=True):
        if not any(hint in text for hint in hints) or not _verb(verb).search(text):
            continue
        for found in _form(verb).finditer(text):
            before = text[max(0, found.start() - 80) : found.start()]
            if _PART_BEFORE.search(before) or _CONDITION.search(before) or _PART_AFTER.match(text, found.end()):
                continue
            if sign in ("within", "<=") and _OF_AFTER.match(text, found.end()):
                continue
            if sign in _EXACT and not (_WHOLE_BEFORE.search(before) and _WHOLE_AFTER.match(text, found.end())):
                continue  # a part of a sum, or of a rate
            words = " ".join(found["words"].split()).lstrip(", ")
            yield Comparison(path, found["left"], found["right"], sign, words, found.start())
