"""What an answer looks like, said where one cannot be read: an example of the kind that is asked for.

The figures are such as no question asks for, so that a hint is never the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.expr.units import parse_unit

if TYPE_CHECKING:
    from solvers.expr.dimension import Dimension

_EXAMPLES: Final = ("12.5 TB", "90 s", "12.5 TB/s", "12.5 EFLOP", "12.5 EFLOP/s", "12.5 MW", "12.5 MWh", "$12.5")
_BY_DIMENSION: Final = {
    parse_unit(text.partition(" ")[2] or "$").dimension: text for text in _EXAMPLES
}  # fmt: skip


def number_hint(expects: Dimension | None) -> str:
    """Say what can be typed where `expects` is asked for; None where nothing is known of it."""
    if expects is not None and expects.is_plain:
        return "Type a number, such as 12.5 or 7 %."
    asked = None if expects is None else expects.without_counts
    if asked is not None and asked.is_plain:
        return "Type a number, such as 12.5."
    known = _EXAMPLES[0] if asked is None else _BY_DIMENSION.get(asked, "")
    return f"Type a number with its unit, such as {known}." if known else "Type a number with its unit."
