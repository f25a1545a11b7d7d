"""The field types that the schema's models share: names, prose, expressions, shares, dates.

Everything stays as text here; what an expression or a `{{ name }}` means is the compiler's business. An
expression is read once, strictly, so that a slip of the pen is reported with its place inside the text.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, get_args

from quiz.bank.complaints import Complaint
from quiz.bank.expressions import parsed
from quiz.bank.forms import After, Before, Limits
from solvers.expr.reader_limits import ReadError

if TYPE_CHECKING:
    from solvers.expr.declared import Units

MAX_PROSE: Final = 8_000
MAX_EXPRESSION: Final = 500
_PERCENT: Final = re.compile(r"(\d{1,2}(?:\.\d{1,4})?) ?%")
_SWITCHES: Final = ("yes", "y", "on", "true", "no", "n", "off", "false")
_AS_OF: Final = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")


def _expression(text: object, units: Units) -> str:
    """Accept an expression (or a bare number, which YAML has already read) that the strict reader can read."""
    if isinstance(text, bool) or not isinstance(text, str | int | Fraction):
        raise Complaint("an expression is expected here", next_="Write it as one line of text.")
    if not isinstance(text, str):
        return _number(str(text), units)
    if len(text) > MAX_EXPRESSION:
        raise Complaint(
            f"this expression is longer than {MAX_EXPRESSION} characters",
            next_="Name parts of it under `figures` and use the names.",
        )
    checked(text, units)
    return text


def _number(text: str, units: Units) -> str:
    """A number that YAML has read; a complaint is about all of it, which is no text with places."""
    try:
        checked(text, units)
    except Complaint as error:
        raise Complaint(error.what, next_=error.next, code=error.code) from None
    return text


def checked(text: str, units: Units, offset: int = 0) -> None:
    """Read `text` strictly, as it stands `offset` characters into its value; raises `Complaint` with the place."""
    try:
        parsed(text, units)
    except ReadError as error:
        raise Complaint(error.reason, next_=error.hint, start=error.start + offset, code="expression") from None


def _preference(text: str, units: Units) -> str:
    word, _, rest = text.partition(" ")
    if word not in ("least", "most") or not rest.strip():
        raise Complaint("a preference starts with `least` or `most`", next_="For example: least traffic.sent_per_step")
    checked(rest, units, len(word) + 1)
    return text


def percent(text: str) -> Fraction:
    """The share that `5 %` spells."""
    match = _PERCENT.fullmatch(text.strip())
    if not match or not Fraction(match[1]):
        raise Complaint(
            "a share such as `5 %` is expected here",
            next_="Write a number above zero and below one hundred, then a percent sign.",
        )
    return Fraction(match[1]) / 100


def _share(text: object, _: Units) -> str:
    if not isinstance(text, str):
        raise Complaint("a share such as `5 %` is expected here", next_="Add the percent sign.")
    percent(text)
    return text


def _tolerance(text: object, units: Units) -> str:
    """A share (`3 %`), or an absolute tolerance with its unit (`0.5 GB`); a bare number for a plain answer."""
    if isinstance(text, str) and text.rstrip().endswith("%"):
        percent(text)
        return text
    return _expression(text, units)


def _date(value: object, _: Units) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not _AS_OF.fullmatch(text):
        raise Complaint(
            "a date such as 2026-04 is expected here", next_="Write the year, or year-month, or year-month-day."
        )
    return text


def _prose(text: str, _: Units) -> str:
    if not text.strip():
        raise Complaint("this text is empty", next_="Write it, or leave the key out.")
    return text


def _reason(text: str, _: Units) -> str:
    if text.strip().casefold() in _SWITCHES:
        raise Complaint(
            f"{text.strip()} is no reason", next_='Say why in a few words: "The recipe it asks for is no longer used."'
        )
    return text


Slug: TypeAlias = Annotated[str, Limits(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=60)]
"""An id of a question, a topic, a slip or a source: lower case, digits, single hyphens."""
Name: TypeAlias = Annotated[str, Limits(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
"""The name of an option, an item or a figure: it can stand in an expression."""
Quantity: TypeAlias = Annotated[str, Limits(pattern=r"^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$", max_length=80)]
"""The name of a quantity of the catalogue (whether there is one is asked later, with the nearest names)."""
Raw: TypeAlias = str | int | Fraction | bool
"""A value of a scenario as YAML gave it: numbers exact, units and formulas as text."""
Patch: TypeAlias = Annotated[dict[Quantity, Raw], Limits(max_length=40)]
Expression: TypeAlias = Annotated[str, Before(_expression, {"type": ["string", "number"], "maxLength": MAX_EXPRESSION})]
Preference: TypeAlias = Annotated[str, After(_preference)]
Share: TypeAlias = Annotated[str, Before(_share, {"type": "string", "pattern": r"^ *\d{1,2}(\.\d{1,4})? ?% *$"})]
Tolerance: TypeAlias = Annotated[str, Before(_tolerance, {"type": ["string", "number"], "maxLength": MAX_EXPRESSION})]
AsOf: TypeAlias = Annotated[str, Before(_date, {"type": ["string", "integer"], "pattern": f"^{_AS_OF.pattern}$"})]
Prose: TypeAlias = Annotated[str, Limits(max_length=MAX_PROSE), After(_prose)]
Line: TypeAlias = Annotated[str, Limits(max_length=300), After(_prose)]

Reason: TypeAlias = Annotated[Line, After(_reason)]
"""Why something is so; a switch, as other programs have there, is none."""


def is_expression(annotation: Any) -> bool:  # noqa: ANN401 - any annotation
    """Whether a field of this annotation holds an expression."""
    return _has(annotation, _expression)


def is_tolerance(annotation: Any) -> bool:  # noqa: ANN401
    """Whether a field of this annotation holds a tolerance: a share, or an expression."""
    return _has(annotation, _tolerance)


def is_preference(annotation: Any) -> bool:  # noqa: ANN401
    """Whether a field of this annotation holds a preference: a word, and an expression."""
    return _has(annotation, _preference)


def has_blank(annotation: Any) -> bool:  # noqa: ANN401
    """Whether a text of this annotation may be any: prose, a name, an expression, a date. A unit or a share may not."""
    rules = get_args(annotation)[1:]
    named = any(isinstance(rule, Limits) and rule.pattern is not None for rule in rules)
    return named or any(_has(annotation, work) for work in (_expression, _prose, _date))


def _has(annotation: Any, work: object) -> bool:  # noqa: ANN401
    return any(isinstance(rule, Before | After) and rule.work is work for rule in get_args(annotation)[1:])
