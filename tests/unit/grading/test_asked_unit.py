"""The unit that is asked for: named by the question, wanted from the learner, or the very thing that is asked."""

from __future__ import annotations

import msgspec
import pytest

from quiz.bank.rendered import NumericPart, Option, Rendered, Variable
from quiz.grading import Chosen, Typed, grade, read_back

NAMED = NumericPart(
    ask="How many GB?", exact="17500000000", text="17.5 GB", unit="GB", need_unit=False, relative="3/100"
)
WANTED = NumericPart(
    ask="How long?", exact="1156", text="19.27 min", unit="min", need_unit=True, relative="3/100"
)  # fmt: skip
CONVERTED = NumericPart(
    ask="How many GB is that?", exact=str(81_559 * 2**20), text="85.52 GB", unit="GB", need_unit=False,
    relative="1/200", in_unit=True,
    variables=(
        Variable("M", "memory", str(81_559 * 2**20), "MiB", "81,559 MiB"), Variable("k", "a factor", "2", "", "2"),
    ),
)  # fmt: skip
CHOICE = tuple(Option(name, name, name == "a", "", "") for name in "ab")


def typed(part: NumericPart, then: bool = False) -> Rendered:  # noqa: FBT001, FBT002 - a kind of question
    return Rendered(
        bank="b", id="q", kind="claim" if then else "numeric", topic="t", difficulty=1, revision="r", stem="",
        conventions=(), answer_line="", numeric=part, options=CHOICE if then else (),
    )  # fmt: skip


def test_a_bare_number_is_in_the_unit_that_the_question_names() -> None:
    """Whoever is asked how many GB types a number, and sees how it is read."""
    assert grade(typed(NAMED), Typed("17.5")).status == "correct"
    assert read_back(NAMED, "17.5").text == "17.5 GB (17.5e9 B)"


@pytest.mark.parametrize("text", ["19.27", "1156", "1.12e12", "1.12T", "about 20", "19-20"])
def test_a_unit_that_is_wanted_is_asked_for_without_cost(text: str) -> None:
    """A missing unit is handed back before it counts, by the echo and by the grade."""
    echo = read_back(WANTED, text)
    assert not echo.readable
    assert echo.text.startswith("The unit is missing: a time is asked for. Write it behind the number, as in 5 min.")
    found = grade(typed(WANTED), Typed(text))
    assert (found.status, found.span) == ("invalid", (0, len(text)))
    assert "The unit is missing" in found.message


def test_a_missing_unit_costs_nothing_beside_a_choice() -> None:
    """Right or wrong, a choice waits until the number beside it can be read."""
    for chosen in "ab":
        found = grade(typed(WANTED, then=True), Chosen(chosen, then="19.27"))
        assert found.status == "invalid"
        assert found.part is not None
        assert found.part.status == "invalid"


def test_where_verdicts_are_data_a_missing_unit_is_a_wrong_unit() -> None:
    """A script learns which of the two it was."""
    assert grade(typed(WANTED), Typed("19.27"), strict=True).status == "wrong-unit"
    found = grade(typed(WANTED, then=True), Chosen("a", then="19.27"), strict=True)
    assert found.part is not None
    assert found.part.status == "wrong-unit"


@pytest.mark.parametrize("text", [
    "81559 MiB", "81,559MiB", "79.6 GiB", "81559 * 2^20 B", "85520809984 bytes", "0.0855 TB", "M", "M=81559 MiB: M",
    "85.5e9 B", "79-80 GiB",
])  # fmt: skip
def test_a_conversion_is_not_done_for_the_learner(text: str) -> None:
    """Where the conversion is asked for, the question cannot be copied, and the echo shows nothing converted."""
    found, echo = grade(typed(CONVERTED), Typed(text)), read_back(CONVERTED, text)
    assert (found.status, echo.readable) == ("invalid", False)
    assert echo.text == found.message == "Answer in GB: the conversion is what is asked for."


@pytest.mark.parametrize("text", [
    "85.5", "85.52 GB", "81559 * 2^20 / 1e9", "81559*1048576/1e9 GB", "81.559*1.048576", "k * 42.76 GB", "85.4-85.6 GB",
])  # fmt: skip
def test_a_converted_answer_counts_in_the_unit_that_is_asked_for(text: str) -> None:
    """The way there may be typed as well, with a unit or without."""
    assert grade(typed(CONVERTED), Typed(text)).status == "correct"
    assert " B)" not in read_back(CONVERTED, text).text


def test_a_wrong_conversion_is_still_graded() -> None:
    """A bare count of bytes is one of GB there, and far too large."""
    assert grade(typed(CONVERTED), Typed("79.6")).status == "incorrect"
    assert grade(typed(CONVERTED), Typed("81559 * 1048576")).status == "incorrect"
    assert grade(typed(msgspec.structs.replace(CONVERTED, in_unit=False)), Typed("81559 MiB")).status == "correct"
