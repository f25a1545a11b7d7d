"""What a schema's refusal means for the author: pydantic's error types as sentences.

Nothing here imports pydantic; its errors come as the plain dictionaries of `ValidationError.errors()`.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from quiz.bank.diagnostics import shown
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from quiz.bank.document import Path

Error: TypeAlias = "Mapping[str, Any]"

_LISTED = 12

# What a type error asks for, in words. A class that pydantic knows only by name is looked up by that name.
_WANTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "decimal_type": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": "a mapping of keys to values",
    "mapping_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "dataclass_type": "a mapping of keys to values",
    "none_required": "nothing",
    "date_type": "a date",
    "Fraction": "a number",
    "Decimal": "a number",
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_LENGTHS = {
    "too_short": ("min_length", "at least"),
    "too_long": ("max_length", "at most"),
    "string_too_short": ("min_length", "at least"),
    "string_too_long": ("max_length", "at most"),
}
_TRUE = frozenset({"yes", "on", "y", "true"})
_FALSE = frozenset({"no", "off", "n", "false"})
_OTHER_NUMBER = re.compile(
    r"[-+]?(?:0[xob]?[0-9a-f_]+|[0-9][0-9_,]*\.?|\.[0-9]+|[0-9][0-9_,]*\.[0-9_]+)", re.IGNORECASE
)
_CLOCK = re.compile(r"\d{1,3}(?::\d{2}){1,2}")
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_QUOTED_CHOICE = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")


class Complaint(ValueError):
    """Raised by a validator of the schema to say more than a sentence.

    `at` leads from the value being validated to the part that is meant ("set", "layout.dp"); `key` marks its key;
    `start` counts characters inside the text there.
    """

    def __init__(
        self,
        what: str,
        *,
        why: str = "",
        next_: str = "",
        at: Path = (),
        key: bool = False,
        start: int = 0,
        code: str = "invalid",
    ) -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.next = next_
        self.at = at
        self.key = key
        self.start = start
        self.code = code


class Sentence(Record):
    """What a diagnostic says, without its place. `names` is a key that is missing at the place."""

    code: str
    what: str
    why: str = ""
    next: str = ""


def wanted(error: Error) -> str | None:
    """What a type error asks for ("a text"), None for other errors."""
    if error["type"] == "is_instance_of":
        name = str(error.get("ctx", {}).get("class", ""))
        return _WANTED.get(name, f"a {name}")
    return _WANTED.get(error["type"])


def wrong_type(wants: Sequence[str], value: object, style: str) -> Sentence:
    """One sentence for all the types that may stand at a place; `style` is how the value was written."""
    wants = [want for want in dict.fromkeys(wants) if want != "a whole number" or "a number" not in wants]
    listed = " or ".join(wants)
    if value is None:
        return Sentence("no-value", "the value is missing here", next=f"Write {listed} after the colon.")
    return Sentence(
        "wrong-type", f"here stands {describe(value)}, but it must be {listed}", next=_hint(wants, value, style)
    )


def describe(value: object) -> str:
    """A value in a sentence: its kind, and itself where it is short."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Fraction):
        return f"the number {shown(str(value))}"
    if isinstance(value, str):
        return f"the text `{shown(value)}`"
    return "a list" if isinstance(value, list | tuple) else "a mapping"


def missing(name: object) -> Sentence:
    """A key that must be there."""
    return Sentence("missing-key", f"the key `{shown(str(name))}` is missing here")


def unknown_key(name: object, keys: Collection[str]) -> Sentence:
    """A key that the schema does not have, with the nearest that it has.

    Of a place with several forms `keys` are those of all: a key of another form stands beside keys that it excludes.
    """
    if name in keys:
        what = f"the key `{shown(str(name))}` does not go together with the others here"
        return Sentence("unknown-key", what, next="Leave it out, or the others: each form of this has keys of its own.")
    return Sentence("unknown-key", f"there is no key `{shown(str(name))}` here", next=_nearest(str(name), keys, "Keys"))


def not_allowed(value: object, choices: Collection[str]) -> Sentence:
    """A value outside a fixed list."""
    name = value if isinstance(value, str) else ""
    if value is None:
        return Sentence("no-value", "the value is missing here", next=_nearest(name, choices, "Allowed"))
    return Sentence(
        "not-allowed", f"{describe(value)} is not among the allowed values", next=_nearest(name, choices, "Allowed")
    )


def choices(expected: str) -> list[str]:
    """The single choices in pydantic's "'a', 'b' or 'c'"."""
    quoted = [one or other for one, other in _QUOTED_CHOICE.findall(expected)]
    return quoted or re.split(r", | or ", expected)


def other(error: Error) -> Sentence:
    """Any error that is about a value as such."""
    kind, ctx = error["type"], error.get("ctx", {})
    cause = ctx.get("error")
    if isinstance(cause, Complaint):
        return Sentence(cause.code, cause.what, cause.why, cause.next)
    if kind in {"value_error", "assertion_error"}:
        return Sentence("invalid", str(cause) or "this value is not valid")
    return _bound(kind, describe(error["input"]), ctx) or _plain(str(error["msg"]))


def _plain(message: str) -> Sentence:
    """What pydantic says itself, for the errors that no schema of ours is expected to meet."""
    message = message.replace("Input should", "this must", 1)
    return Sentence("invalid", message[:1].lower() + message[1:])


def _bound(kind: str, value: str, ctx: Mapping[str, Any]) -> Sentence | None:
    """Values that are too large, too long, or of another form."""
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        limit = f"{words} {ctx.get(name)}"
        return Sentence("out-of-range", f"{value} must be {limit}", next=f"Write a number that is {limit}.")
    if kind in _LENGTHS:
        name, words = _LENGTHS[kind]
        if kind == "string_too_short" and ctx.get(name) == 1:
            return Sentence("wrong-length", "this text may not be empty")
        if kind.startswith("string_"):
            advice = "Shorten it." if kind.endswith("long") else "Say more."
            return Sentence("wrong-length", f"this text must be {words} {ctx.get(name)} characters", next=advice)
        count = ctx.get("actual_length")  # pydantic stops counting a mapping that is too long
        here = f"{_entries(count)} here, but there" if count is not None else "the entries here"
        advice = "Take some away." if kind.endswith("long") else "Add what is missing."
        return Sentence("wrong-length", f"{here} must be {words} {ctx.get(name)}", next=advice)
    if kind == "string_pattern_mismatch":
        return Sentence(
            "wrong-form",
            f"{value} does not have the form asked for",
            why=f"The form, as a regular expression: {ctx.get('pattern')}",
            next=_form(str(ctx.get("pattern"))),
        )
    return None


def _form(pattern: str) -> str:
    """What the form of a name asks for, in words."""
    if r"\." in pattern:
        return "Write a quantity as the catalogue spells it: lower case, with dots and underscores, as in layout.dp."
    if "_" in pattern:
        return "Lower case letters, digits and underscores, a letter first: key_plan."
    return "Lower case letters, digits and single hyphens: key-plan."


def _entries(count: object) -> str:
    return "one entry stands" if count == 1 else f"{count} entries stand"


def _nearest(name: str, names: Collection[str], title: str) -> str:
    """The nearest of `names`, or the names where none is near and they are few enough to read."""
    lower = {known.lower(): known for known in names}
    close = get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    if close:
        return f"Did you mean `{lower[close[0]]}`?"
    if not names:
        return ""
    listed = sorted(names)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return f"{title}: {', '.join(listed[:_LISTED])}{more}."


def _hint(wants: Sequence[str], value: object, style: str) -> str:
    """What the author most likely meant."""
    if isinstance(value, bool | int | Fraction) and "a text" in wants:
        return "Put it in quotes if it is meant as a text."
    numbers = any("number" in want for want in wants)
    mappings = any("mapping" in want for want in wants)
    if not isinstance(value, str):
        return _how_to_write(wants, numbers=numbers, mappings=mappings)
    word = value.lower()
    hints = (
        (
            "true or false" in wants and word in _TRUE | _FALSE,
            f"Write {'true' if word in _TRUE else 'false'}, in small letters and without quotes.",
        ),
        (numbers and style in {"'", '"'}, "Write the number without quotes."),
        (
            numbers and _OTHER_NUMBER.fullmatch(value) is not None,
            "Write a plain decimal number: 10, 0.5, 70e9, no separators, no leading zero.",
        ),
        (mappings and re.match(r"[\w.-]+:\S", value) is not None, "A space may be missing after the colon."),
        ("nothing" in wants and value == "~", "Write null, or nothing after the colon."),
        (numbers and _CLOCK.fullmatch(value) is not None, "A clock's time is a text. Write a plain number: 90, 0.5."),
        (numbers and _DATE.fullmatch(value) is not None, "A date is a text. Write a plain number: 2026, 0.5."),
    )
    hint = next((hint for fits, hint in hints if fits), "")
    return hint or _how_to_write(wants, numbers=numbers, mappings=mappings)


def _how_to_write(wants: Sequence[str], *, numbers: bool, mappings: bool) -> str:
    """How the first of what may stand here is written; empty where it is neither of the usual ones."""
    ways = (
        ("a list" in wants, "Write each entry on a line of its own after `- `, or all of them as [a, b]."),
        (mappings, "Write `key: value` on lines of their own, or {key: value}."),
        (numbers, "Write a plain decimal number: 10, 0.5, 70e9."),
        ("true or false" in wants, "Write true or false, in small letters and without quotes."),
        ("a text" in wants, "Write one text; it stands in quotes where it holds a bracket or a colon."),
    )
    return next((way for fits, way in ways if fits), "")
