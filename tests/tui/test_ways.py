"""Derivations are short: an input a line, a recipe in one, an equation in one, a source once."""

from __future__ import annotations

from quiz.bank.rendered import Line, Way
from quiz.tui import ways
from tests.tui.fixtures import STATE

PAPER = "ZeRO, section 3 and figure 1"
PARTS = (("b_w", "weights", 2), ("b_g", "gradients", 2), ("b_master", "fp32 master copy", 4), ("b_m1", "moment", 4))
RECIPE = Way(
    "state",
    "840 GB",
    (
        Line("P", "parameters of the model", "P", "P", "70B", "stated"),
        *(
            Line(letter, f"bytes per parameter: {name}", letter, letter, f"{size} B/param", "preset", source=PAPER)
            for letter, name, size in PARTS
        ),
        Line("a", "activations per GPU", "a", "a", "15 GB", "pinned"),
    ),
    (Line("S", "state", "P × b", "70B × 12 B/param", "840 GB", "derived", "Every term counts.", PAPER),),
)


def plain(*made: tuple[str, Way], width: int = 76, recipe: str = "zero-paper") -> list[str]:
    return [line.plain.rstrip() for line in ways.lay(made, width, recipe)]


def test_the_parts_of_a_recipe_stand_in_one_line_with_their_sum_its_name_and_one_mark() -> None:
    told = "  bytes per parameter  b_w 2 + b_g 2 + b_master 4 + b_m1 4 = 12 B/param (zero-paper) [1]"
    assert told in plain(("", RECIPE), width=100)


def test_a_source_is_named_once_however_often_it_is_used() -> None:
    made = plain(("", RECIPE), ("2", STATE))
    assert sum(PAPER in line for line in made) == 1
    assert sum("[1]" in line for line in made) >= 3
    assert made[-1] == "[2] zero-2019"


def test_each_other_input_takes_one_line_with_its_origin_where_it_is_not_just_stated() -> None:
    made = plain(("", RECIPE))
    assert "  P 70B  parameters of the model" in made
    assert "  a 15 GB  activations per GPU  given" in made


def test_a_step_is_one_line_where_it_fits_and_a_line_for_each_form_where_it_does_not() -> None:
    assert "  S = P × b = 70B × 12 B/param = 840 GB" in plain(("", RECIPE))
    narrow = plain(("", RECIPE), width=30)
    assert "  S = P × b" in narrow
    assert "    = 70B × 12 B/param" in narrow
    assert "    = 840 GB" in narrow


def test_what_was_said_of_one_derivation_is_not_said_again_of_the_next() -> None:
    once, twice = plain(("", RECIPE)), plain(("", RECIPE), ("the other plan", RECIPE))
    assert len(twice) - len(once) <= 4
    assert sum("70B × 12 B/param" in line for line in twice) == 1
    assert twice.count("State  =  840 GB") == 2


def test_parts_that_are_no_recipe_are_not_added_up() -> None:
    wire = Way(
        "sent",
        "2 GB",
        tuple(
            Line(letter, f"bytes per parameter: {name} on the wire", letter, letter, "2 B/param", "preset")
            for letter, name in (("b_gather", "a gathered weight"), ("b_reduce", "a reduced gradient"))
        ),
        (),
    )
    assert not any("4 B/param" in line for line in plain(("", wire)))
