"""The example in a hint is of the kind that is asked for."""

from __future__ import annotations

import pytest

from solvers.expr.reader import ReadError, read_answer
from solvers.expr.reader_examples import number_hint
from solvers.expr.units import parse_unit


@pytest.mark.parametrize(("unit", "example"), [
    ("GB", "12.5 TB"), ("min", "90 s"), ("%", "7 %"), ("GB/s", "12.5 TB/s"), ("sequences", "12.5"),
    ("B/param", "12.5 TB"), ("TFLOP/s", "12.5 EFLOP/s"), ("$", "$12.5"), ("", "12.5"),
])  # fmt: skip
@pytest.mark.parametrize("text", ["", "frogs", "!"])
def test_the_example_fits_what_is_asked_for(unit: str, example: str, text: str) -> None:
    """A time is not exemplified by bytes; and what is shown can be typed."""
    asked = parse_unit(unit)
    with pytest.raises(ReadError) as caught:
        read_answer(text, expects=asked)
    assert example in caught.value.hint
    assert read_answer(example, expects=asked).text == example


def test_an_unusual_kind_gets_no_example() -> None:
    """Rather none than one of another kind."""
    assert number_hint(parse_unit("GB*s").dimension) == "Type a number with its unit."
    assert "12.5 TB" in number_hint(None)
