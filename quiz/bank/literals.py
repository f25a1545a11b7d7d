"""Finds figures that are typed in prose, where only derived ones may stand.

What counts: a number with a unit or a counted thing ("80 GB", "8 nodes", "70B", "3 days"), with a percent sign, with
a multiplication sign or attached x ("13x", "× 1.5", "12 times"), money, and a number written as only figures are
(`70e9`, `1,120`). What does not: numbers in names (H100, ZeRO-3, Llama-3-70B, BF16, 8-bit, 3D), numbers in words
("four GPUs"), a bare small integer with nothing counted after it ("stage 3", "section 2"), and formulas in code
spans (`2 × stall`) as long as no unit stands in them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

BRACES: Final = r'\{\{ *"(?P<braces>\{\{|\}\})" *\}\}'
"""Two braces that are to stand in the text themselves: `{{ "{{" }}` and `{{ "}}" }}`."""
PLACEHOLDER: Final = re.compile(rf"{BRACES}|\{{\{{.*?\}}\}}", re.DOTALL)
_CODE: Final = re.compile(r"`[^`\n]*`")
_NUMBER: Final = re.compile(r"\d[\d_]*(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NAME_BEFORE: Final = re.compile(r"(?:[A-Za-z_][\w.]*[-‐‑–]?|\d+[-‐‑]bit[-‐‑]?)\Z|[A-Za-z][\w.]*[-‐‑][\w.-]*\Z")
_PREFIXED: Final = r"(?:[kKMGTPEZ]i?)?(?:B|b|bits?|bytes?)(?:ps)?|[kMGTPEZ]?(?:FLOPs?|FLOPS|flops?|Wh?|Hz)"
_TIMES: Final = r"[mµun]?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?"
_SPELLED: Final = r"(?:kilo|mega|giga|tera|peta|kibi|mebi|gibi|tebi)(?:bytes?|bits?)|watts?|dollars?|USD|percent"
_COUNTED: Final = (
    r"params?|parameters?|tokens?|GPUs?|gpus?|nodes?|layers?|steps?|sequences?|ranks?|replicas?|stages?|cards?|devices?"
    r"|micro-?batch(?:es)?|heads?|experts?|hosts?|servers?|machines?|accelerators?|chips?|interruptions?|failures?|times"
)
_UNIT: Final = rf"(?:{_PREFIXED}|{_TIMES}|{_SPELLED}|{_COUNTED})(?!\w)(?:/[A-Za-z]+)?"
_UNIT_AFTER: Final = re.compile(rf"[-‐‑ \u00a0\u202f]?{_UNIT}")
_SIGN_AFTER: Final = re.compile(r"[ \u00a0\u202f]?(?:%|(?P<times>×))|x(?!\w)")
_SUFFIX: Final = re.compile(r"(?:[kKMBT]|bn)(?!\w)")
_DIMENSIONAL: Final = re.compile(r"[dD](?!\w)")
_BITS: Final = re.compile(r"[-‐‑]bits?(?!\w)")
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?$|.*[eE][+-]?\d+$")


class Literal(Record):
    """A figure as typed, and where in the text it stands."""

    start: int
    text: str


def literals(prose: str) -> Iterator[Literal]:
    """The figures typed in `prose` outside `{{ }}`, in order."""
    text = PLACEHOLDER.sub(lambda match: "\x00" * len(match[0]), prose)
    code = [match.span() for match in _CODE.finditer(text)]
    position = 0
    while match := _NUMBER.search(text, position):
        position = match.end()
        end = _figure_end(text, match, in_code=any(start <= match.start() < stop for start, stop in code))
        if end:
            position = max(position, end)
            start = _figure_start(text, match.start())
            yield Literal(start, text[start:end])


def _figure_start(text: str, start: int) -> int:
    before = text[:start].rstrip()
    if before.endswith(("×", "$")) and start - len(before) <= 1:
        return len(before) - 1
    return start


def _figure_end(text: str, match: re.Match[str], *, in_code: bool) -> int:
    """Where the figure that starts with the number of `match` ends; 0 where it is none."""
    before, end = text[: match.start()], match.end()
    after = text[end : end + 40]
    if _NAME_BEFORE.search(before[-40:]):
        return 0
    if before.rstrip(" ").endswith("$"):
        return end
    if _BITS.match(after) or _DIMENSIONAL.match(after):
        return 0
    marked = _SIGN_AFTER.match(after)
    if marked and not (in_code and marked["times"]):
        return end + marked.end()
    unit = _UNIT_AFTER.match(after) or _SUFFIX.match(after)
    if unit:
        return end + unit.end()
    is_multiplier = not in_code and before.rstrip(" ").endswith("×")
    return end if is_multiplier or _GROUPED.match(match[0]) else 0
