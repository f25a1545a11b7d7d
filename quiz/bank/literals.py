"""Finds figures that are typed in prose, where only derived ones may stand.

What counts: a number with a unit or a counted thing ("80 GB", "8 nodes", "70B", "3 days", "8 H100s"), with a word for a
large number ("70 billion"), with a percent sign or its words, with a multiplication sign or attached x ("13x", "× 1.5",
"12 times", "3-fold", "a factor of 4"), money, and a number written as only figures are (`70e9`, `1,120`). White space,
the end of a line and emphasis may stand between number and unit. What does not: numbers in names (H100, ZeRO-3,
Llama 3 70B, TP=8, BF16, 8-bit, 3D), numbers in words ("four GPUs"), a number that says which one ("in stage 3
parameters are sharded"), a bare small integer with nothing counted after it, and formulas in code spans (`2 × stall`)
as long as no unit stands in them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.bank.literals_words import (
    COUNTED,
    COUNTS,
    EDITIONS,
    FAMILIES,
    LABELS,
    MODELS_OF_GPU,
    MONEY,
    ORDINAL,
    PLACES,
    QUALITIES,
    SAID_AND_DONE,
    SCALES,
    SHARES,
    UNITS,
    VERSIONED,
)
from quiz.late import Late
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

BRACES: Final = r'\{\{ *"(?P<braces>\{\{|\}\})" *\}\}'
"""Two braces that are to stand in the text themselves: `{{ "{{" }}` and `{{ "}}" }}`."""
PLACEHOLDER: Final = re.compile(rf"{BRACES}|\{{\{{.*?\}}\}}", re.DOTALL)
_CODE: Final = re.compile(r"`(?:[^`\n]|\n(?!\s*\n))*`")
_FENCED: Final = re.compile(r"^[ \t]*```.*?^[ \t]*```", re.DOTALL | re.MULTILINE)
_SPACE: Final = r"(?:[ \t\u00a0\u2009\u202f]|\n(?![ \t]*\n))"
_SPACES: Final = rf"(?:[ \t\u00a0\u2009\u202f]{{0,4}}\n[ \t]*(?=[^\s])|{_SPACE}{{1,4}})"
_GAP: Final = rf"(?:[-‐‑]?|\*{{0,3}}{_SPACES}\*{{0,3}})"
_END: Final = r"(?![^\W_])"
_NUMBER: Final = re.compile(
    r"(?:\d[\d_]*(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:\^[+-]?\d+|[⁺⁻]?[⁰¹²³⁴-⁹]+)?[½¼¾⅐-⅞]?|[½¼¾⅐-⅞])"
)
_DIGIT: Final = re.compile(r"[\d½¼¾⅐-⅞]")
_NAME_BEFORE: Final = re.compile(r"(?:[A-Za-z][\w.]*[-‐‑–]?|\d+[-‐‑]bit[-‐‑]?)\Z|[A-Za-z][\w.]*[-‐‑][\w.-]*\Z")
_PER: Final = r"(?:/[A-Za-z]+)?"
_COUNTED: Final = rf"(?:{QUALITIES}{_SPACE}{{1,4}}){{0,2}}(?:{COUNTED})(?!\w)"
_UNIT_AFTER: Final = Late(rf"{_GAP}(?:{UNITS}|{SCALES}|{SHARES}){_END}{_PER}")
_SECOND: Final = Late(rf"{_SPACE}{{1,4}}second{_SPACE}+(?:{ORDINAL})")
_COUNTED_AFTER: Final = Late(
    rf"{_GAP}(?:{_COUNTED}{_PER}|(?:{MODELS_OF_GPU}){_END})|{_SPACE}{{0,2}}x{_SPACE}{{0,2}}(?:{MODELS_OF_GPU}){_END}"
    rf"|{_SPACE}[kKMT]{_SPACE}(?:{_COUNTED})(?:{_SPACE}hours)?"
)
_SAID_AFTER: Final = Late(rf"{_SPACES}(?:{SAID_AND_DONE})(?!\w)")
_COUNTS_BEFORE: Final = Late(rf"\b(?:{COUNTS}){_SPACES}\Z", re.IGNORECASE)
_SIGN_AFTER: Final = Late(
    rf"\*{{0,3}}(?:{_SPACE}{{0,4}}(?:%|(?P<times>×)|[€£¥])|x{_END}|{_SPACE}{{0,4}}(?P<dollar>\$)(?:/[A-Za-z-]+))"
)
_SUFFIX: Final = Late(rf"(?:[kKMBT]|bn){_END}")
_DIMENSIONAL: Final = Late(rf"[dD]{_END}")
_BITS: Final = Late(rf"[-‐‑]bits?{_END}")
_GROUPED: Final = Late(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z|.*[eE][+-]?\d+\Z")
_MONEY_BEFORE: Final = Late(rf"(?:[$€£¥]|\b(?:{MONEY})){_SPACE}?\Z")
_PRICE_AFTER: Final = Late(rf"(?:{_GAP}(?:{SCALES}|[kKMBT]|bn){_END})?(?:/[A-Za-z]+(?:-[A-Za-z]+)?)?")
_PART_AFTER: Final = Late(rf"/\d+(?={_SPACES}of(?!\w))")
_PART_BEFORE: Final = Late(r"(?:^|[\s(—–])\Z")
_TIMES_BEFORE: Final = Late(rf"×{_SPACE}{{0,2}}\Z")
_FACTOR_BEFORE: Final = Late(rf"\bfactors?{_SPACE}+of{_SPACE}+(?:about{_SPACE}+)?\Z")
_FAMILY_BEFORE: Final = Late(
    rf"\b(?:{FAMILIES})(?:[-‐‑ \n]?[A-Za-z]?\d+(?:\.\d+)?)?(?:[-‐‑ \n](?:{EDITIONS}))?[-‐‑ \n]\Z"
)
_VERSION_BEFORE: Final = Late(rf"\b(?:{FAMILIES}){_SPACE}\Z")
_VERSION: Final = Late(r"\d(?:\.\d)?")
_PLACE_BEFORE: Final = Late(
    rf"(?<!\w)(?:(?P<which>[A-Za-z]+){_SPACE}{{1,4}})?(?:{PLACES}){_SPACE}{{1,4}}\Z", re.IGNORECASE
)
_LABEL_BEFORE: Final = Late(
    rf"(?<!\w)(?:(?P<which>[A-Za-z]+){_SPACE}{{1,4}})?(?:(?:{LABELS})|(?P<version>{VERSIONED})){_SPACE}{{1,4}}"
    rf"(?:\d{{1,3}}(?:,|–|{_SPACE}+(?:and|or|to)){_SPACE}*)*\Z",
    re.IGNORECASE,
)
_YEAR_BEFORE: Final = Late(rf"\b(?:in|since|until|before|after|during){_SPACE}{{1,4}}\Z", re.IGNORECASE)
_YEAR: Final = Late(r"19[5-9]\d|20[0-3]\d")
_SMALL: Final = Late(r"\d{1,3}(?:\.\d)?")
_NOT_WHICH: Final = Late(
    r"an?|any|all|another|each|every|one|per|this|that|single|last|first|next|same|other|whole|full|which|no",
    re.IGNORECASE,
)
_NO_NUMBER: Final = Late(rf"the|its|our|{_NOT_WHICH.pattern}", re.IGNORECASE)
_WINDOW: Final = 60


class Literal(Record):
    """A figure as typed, and where in the text it stands."""

    start: int
    text: str

    @property
    def plain(self) -> str:
        """The figure on one line."""
        return " ".join(self.text.split())


def literals(prose: str) -> Iterator[Literal]:
    """The figures typed in `prose` outside `{{ }}`, in order."""
    text = PLACEHOLDER.sub(lambda match: "\x00" * len(match[0]), prose) if "{{" in prose else prose
    if "```" in text:  # there a line is a line
        text = _FENCED.sub(lambda match: match[0].replace("\n", "\x00"), text)
    first = _DIGIT.search(text)
    if first is None:
        return
    code = [match.span() for match in _CODE.finditer(text)] if "`" in text else []
    position = first.start()
    while match := _NUMBER.search(text, position):
        position = match.end()
        end = _figure_end(text, match, in_code=any(start <= match.start() < stop for start, stop in code))
        if end:
            position = max(position, end)
            start = _figure_start(text, match.start())
            yield Literal(start, prose[start:end])


def _figure_start(text: str, start: int) -> int:
    before = text[:start]
    sign = _MONEY_BEFORE.search(before[-_WINDOW:]) or _TIMES_BEFORE.search(before[-_WINDOW:])
    return start - len(sign[0]) if sign else start


def _figure_end(text: str, match: re.Match[str], *, in_code: bool) -> int:  # noqa: PLR0911 - one return a form
    """Where the figure that starts with the number of `match` ends; 0 where it is none."""
    before, end = text[max(0, match.start() - _WINDOW) : match.start()], match.end()
    after = text[end : end + _WINDOW]
    if _MONEY_BEFORE.search(before):
        price = _PRICE_AFTER.match(after)
        return end + (price.end() if price else 0)
    if _NAME_BEFORE.search(before) or _BITS.match(after) or _DIMENSIONAL.match(after):
        return 0
    marked = _SIGN_AFTER.match(after)
    if marked and not (in_code and marked["times"]):
        return end + marked.end()
    suffix = _SUFFIX.match(after)
    if suffix and _FAMILY_BEFORE.search(before):
        return 0
    unit = _UNIT_AFTER.match(after)
    if unit and not _is_in_a_place(before) and not _SECOND.match(after):
        return end + unit.end()
    if suffix:
        return end + suffix.end()
    counted = _COUNTED_AFTER.match(after)
    if counted and not _says_which(match[0], before):
        return end + counted.end()
    said = _SAID_AFTER.match(after)
    if said and _COUNTS_BEFORE.search(before):
        return end + said.end()
    multiplies = not in_code and (_TIMES_BEFORE.search(before) or _FACTOR_BEFORE.search(before))
    part = _PART_AFTER.match(after)
    if part and not in_code and _PART_BEFORE.search(before) and not _says_which(match[0], before):
        return end + part.end()
    return end if multiplies or _GROUPED.match(match[0]) else 0


def _is_in_a_place(before: str) -> bool:
    """Whether a number is that of a section or a table; "the table" has none."""
    place = _PLACE_BEFORE.search(before)
    return place is not None and not _NO_NUMBER.fullmatch(place["which"] or "")


def _says_which(number: str, before: str) -> bool:
    """Whether a number names one of several (stage 3, step 2, PyTorch 2, in 2024) and counts nothing."""
    if _is_in_a_place(before):
        return True
    if _VERSION.fullmatch(number) and _VERSION_BEFORE.search(before):
        return True
    label = _LABEL_BEFORE.search(before)
    if label is not None and label["version"]:
        return True
    if _YEAR.fullmatch(number):
        return _YEAR_BEFORE.search(before) is not None
    return label is not None and bool(_SMALL.fullmatch(number)) and not _NOT_WHICH.fullmatch(label["which"] or "")
