"""A free-standing check: an answer, a reference, and how the two are to be compared. What `shardwise check` takes.

The keys of a line of a batch are the fields of `Task`; numbers may be JSON numbers or texts, and are exact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from quiz.grading.borrowed import in_own_words
from quiz.grading.listing import MOST
from quiz.grading.target import Estimate
from solvers.expr.declared import FIELD, Units, declare, system
from solvers.expr.reader_spelling import LETTERS
from solvers.expr.units import UnitError

Relation: TypeAlias = Literal["<", "<=", "==", "!=", ">=", ">"]
Assumption: TypeAlias = Literal["positive", "integers"]
RELATIONS: Final = ("<", "<=", "==", "!=", ">=", ">")
_ASSUMPTIONS: Final = {"positive": "positive", "positive reals": "positive", "real": "positive", "reals": "positive",
                       "integer": "integers", "integers": "integers", "positive integers": "integers"}  # fmt: skip
_NAME: Final = re.compile(rf"(?!__)[{LETTERS}_][{LETTERS}0-9_]{{0,39}}")
_FROM_ZERO: Final = ("extra_digits", "decimal_places_written")
_MOST_NAMES: Final = 100
_MOST_DIGITS: Final = 60
_SHOWN: Final = 20
_MOST_TEXT: Final = 400
_WIDEST: Final = 10**9
"""A tolerance or factor beyond it would accept anything: a slip of the keyboard."""


class TaskError(ValueError):
    """A check that is not set up as it should be; the message names the key and what belongs there."""


@dataclass(frozen=True, slots=True)
class Task:
    """One check.

    Attributes:
        answer: what the learner typed.
        reference: the right answer, always with a decimal point; None where only the form is judged; several texts
            for an ordered list.
        variables: names without a value; then equality is judged for all their values.
        given: names with a value, as text.
        unit: the unit asked for; the reference's own, if empty.
        need_unit: whether a bare number is refused; by default where a unit is asked for.
        same_unit: whether the very unit that is asked for must be typed.
        units: the units that are known.
        rtol: relative tolerance.
        atol: absolute tolerance; a bare number is in the unit asked for.
        combine: with both tolerances, whether the larger holds or their sum.
        half_unit: the tolerance is half a unit of the last digit of the reference as it is written.
        geometric: tolerance as a factor: reference/(1+t) to reference*(1+t).
        inclusive: whether the edge of the tolerance, or of the relation, counts as inside; None: as written.
        sigfigs: the answer must equal the reference when both are rounded to so many significant digits.
        extra_digits: with `sigfigs`: of further digits that are typed, so many must be right too.
        truncation: with `sigfigs`: a number that is cut off counts as one that is rounded.
        power_of_ten: the first `sigfigs` digits must agree, wherever the point stands.
        range: whether a range that is typed must lie within the tolerance, or need only overlap it.
        estimate: a scale of factors: within the first all points, from the second on none.
        digits_written: so many significant digits must be typed.
        digits_written_at_least: at least so many must be typed.
        decimal_places_written: so many places behind the point must be typed.
        trailing_zeros_ambiguous: whether the zeros at the end of 61300 may be significant.
        relation: how the answer must stand to the reference, instead of being equal.
        percent: whether % is read.
        assume: the domain of `variables`.
        decimal: the decimal sign.
        thousands: the sign between groups of three digits.
    """

    answer: str
    reference: str | tuple[str, ...] | None
    variables: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    need_unit: bool | None = None
    same_unit: bool = False
    units: Units = FIELD
    rtol: Fraction | None = None
    atol: str = ""
    combine: Literal["larger", "sum"] = "larger"
    half_unit: bool = False
    geometric: Fraction | None = None
    inclusive: bool | None = None
    sigfigs: int | None = None
    extra_digits: int = 0
    truncation: bool = False
    power_of_ten: bool = False
    range: Literal["contained", "overlapping"] = "contained"
    estimate: Estimate | None = None
    digits_written: int | None = None
    digits_written_at_least: int | None = None
    decimal_places_written: int | None = None
    trailing_zeros_ambiguous: bool = True
    relation: Relation | None = None
    percent: bool = True
    assume: Assumption = "positive"
    decimal: Literal[".", ","] = "."
    thousands: str = ""


KEYS: Final = tuple(item.name for item in fields(Task))


def task_of(line: Mapping[str, object]) -> Task:
    """Make a task of a JSON object; keys that are none of a task's are left alone. Raises `TaskError`."""
    line = in_own_words(line)
    if line.get("answer") is None:
        raise TaskError("The key answer is missing.")
    values: dict[str, Any] = {key: _read(key, line[key]) for key in KEYS if line.get(key) is not None}
    values.setdefault("reference", None)
    only_form = ("digits_written", "digits_written_at_least", "decimal_places_written")
    if values["reference"] is None and not any(key in values for key in only_form):
        raise TaskError("The key reference is missing.")
    task = Task(**values)
    if task.power_of_ten and task.sigfigs is None:
        raise TaskError("power_of_ten needs sigfigs: how many digits are compared.")
    if (task.extra_digits or task.truncation) and task.sigfigs is None:
        raise TaskError("extra_digits and truncation go with sigfigs.")
    return _written(task, decimal_given=line.get("decimal") is not None)


def _written(task: Task, *, decimal_given: bool) -> Task:
    """With a point between thousands the decimal sign is a comma; the two cannot be the same. Raises `TaskError`."""
    if task.thousands != task.decimal:
        return task
    if task.thousands == "." and not decimal_given:
        return replace(task, decimal=",")
    raise TaskError(f"decimal and thousands cannot both be {task.decimal!r}.")


def _read(key: str, value: object) -> object:
    reader = _READERS.get(key, _text)
    return reader(key, value)


def _text(key: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal | Fraction):
        raise TaskError(f"{key} is a text or a number, not {_kind(value)}.")
    return str(value)


def _reference(key: str, value: object) -> str | tuple[str, ...]:
    if not isinstance(value, list | tuple):
        return _text(key, value)
    if not 1 < len(value) <= MOST:
        raise TaskError(f"{key} is one value or a list of 2 to {MOST}.")
    return tuple(_text(key, item) for item in value)


def _units(key: str, value: object) -> Units:
    try:
        if isinstance(value, str):
            return system(value)
        if isinstance(value, Mapping):
            return declare(value)
    except UnitError as error:
        raise TaskError(f"{key} cannot be read: {error}.") from error
    raise TaskError(f'{key} is "si" or an object of units, such as {{"m": "base", "ft": "0.3048 m"}}.')


def _estimate(key: str, value: object) -> Estimate:
    pair = [value.get("full"), value.get("none")] if isinstance(value, Mapping) else value
    full, none = pair if isinstance(pair, list | tuple) and len(pair) == 2 else (pair, None)  # noqa: PLR2004 - two ends
    if full is None:
        raise TaskError(f'{key} is a factor such as 2, or {{"full": 2, "none": 10}}.')
    first = _share(key, full)
    last = first if none is None else _share(key, none)
    if not 1 <= first <= last:
        raise TaskError(f"{key} has factors of at least 1, the second no smaller than the first.")
    return Estimate(first, last)


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TaskError(f"{key} is true or false, not {_kind(value)}.")
    return value


def _count(key: str, value: object) -> int:
    text = _text(key, value)
    least = 0 if key in _FROM_ZERO else 1
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and least <= int(text) <= _MOST_DIGITS):  # noqa: PLR2004 - 60 has two digits
        raise TaskError(f"{key} is a whole number from {least} to {_MOST_DIGITS}.")
    return int(text)


def _share(key: str, value: object) -> Fraction:
    text = _text(key, value)
    percent = text.rstrip().endswith("%")
    try:
        number = Decimal(text.rstrip().removesuffix("%").strip())
    except ArithmeticError as error:
        raise TaskError(f"{key} is a number such as 0.02 or 2 %.") from error
    if not number.is_finite() or number < 0 or abs(number.adjusted()) > _MOST_TEXT or number > _WIDEST:
        raise TaskError(f"{key} is zero or a positive number, at most {_WIDEST:,}, not {_cut(text)}.")
    return Fraction(number) / (100 if percent else 1)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _names(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) and _is_name(item) for item in value):
        raise TaskError(f"{key} is a list of names, each a Latin or Greek letter, then letters, digits and _.")
    _refuse_many(key, value)
    return tuple(value)


def _refuse_many(key: str, names: Sized) -> None:
    if len(names) > _MOST_NAMES:
        raise TaskError(f"{key} has {len(names):,} names; at most {_MOST_NAMES} are read.")


def _values(key: str, value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise TaskError(f'{key} is an object of names and values, such as {{"P": "70e9"}}.')
    _refuse_many(key, value)
    for name in value:
        if not isinstance(name, str) or not _is_name(name):
            raise TaskError(f"{key} has a name that is none: a Latin or Greek letter, then letters, digits and _.")
    return {name: _text(f"{key}.{name}", item) for name, item in value.items()}


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def _choice(allowed: Mapping[str, str]) -> Any:  # noqa: ANN401 - a reader for one key
    def read(key: str, value: object) -> str:
        chosen = allowed.get(_text(key, value))
        if chosen is None:
            raise TaskError(f"{key} is one of {', '.join(repr(item) for item in allowed)}.")
        return chosen

    return read


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return {bool: "true or false", int: "a number", Decimal: "a number", str: "a text", list: "a list"}.get(
        type(value), "an object"
    )


_READERS: Final = {
    "reference": _reference,
    "variables": _names,
    "given": _values,
    "need_unit": _flag,
    "same_unit": _flag,
    "units": _units,
    "combine": _choice({"larger": "larger", "sum": "sum"}),
    "half_unit": _flag,
    "range": _choice({"contained": "contained", "overlapping": "overlapping"}),
    "extra_digits": _count,
    "truncation": _flag,
    "power_of_ten": _flag,
    "estimate": _estimate,
    "rtol": _share,
    "geometric": _share,
    "inclusive": _flag,
    "sigfigs": _count,
    "digits_written": _count,
    "digits_written_at_least": _count,
    "decimal_places_written": _count,
    "trailing_zeros_ambiguous": _flag,
    "relation": _choice({**{sign: sign for sign in RELATIONS}, "≤": "<=", "≥": ">=", "=": "==", "≠": "!="}),
    "percent": _flag,
    "assume": _choice(_ASSUMPTIONS),
    "decimal": _choice({".": ".", ",": ","}),
    "thousands": _choice({sign: sign for sign in (",", ".", " ", "_", "'")}),
}


def exact_number(text: str) -> Decimal:
    """Read a JSON number exactly; for `json.loads(…, parse_float=exact_number)`."""
    return Decimal(text)
