"""Prose and tables: reflowed, lists and emphasis only, never wider than the room."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.tui import harmless, lines, prose, tables, ways
from tests.tui.fixtures import STATE


def plain(source: str, width: int = 40) -> list[str]:
    return [line.plain.rstrip() for line in prose.lay(source, width)]


def test_paragraphs_are_reflowed_and_items_are_not_run_together() -> None:
    assert plain("One\ntwo.\n\nThree:\n\n- a\n  b\n- c\n1. d") == ["One two.", "", "Three:", "", "• a b", "• c", "1. d"]


def test_fenced_code_keeps_its_lines_and_its_indent() -> None:
    """A formula or a loop in the first card's explanation stands as its author wrote it."""
    assert plain("Wrap:\n\n```\nfor b in m:\n    f(b)\n- x\n```\n\nDone.") == [
        "Wrap:", "", "  for b in m:", "      f(b)", "  - x", "", "Done.",
    ]  # fmt: skip


def test_code_and_bold_lose_their_marks_and_stay_as_they_are_where_unpaired() -> None:
    made = prose.inline("`a[i]` **b** 2**3 `c **d")
    assert made.plain == "a[i] b 2**3 `c **d"
    assert any(span.style == prose.CODE for span in made.spans)


@pytest.mark.parametrize("text", ["[red]x[/red]", "[/dp]", "<tag>", "[@click=quit]", "{{ x }}", ":smile:"])
def test_nothing_else_is_read(text: str) -> None:
    assert plain(text) == [text]


@pytest.mark.parametrize(
    ("text", "shown"), [("\x1b[2J", r"\x1b[2J"), ("\u202eabc", r"\u202eabc"), ("a\x00b", r"a\x00b")]
)
def test_what_could_steer_a_terminal_is_shown_escaped(text: str, shown: str) -> None:
    assert harmless.plain(text) == shown


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=120), st.integers(1, 60))
def test_no_line_is_wider_than_the_room_whatever_the_text(source: str, width: int) -> None:
    least = max(width, 2)  # a letter of double width takes two cells wherever it stands
    assert all(line.cell_length <= least for line in prose.lay(source, width))


@pytest.mark.parametrize("width", [1, 2, 5, 17, 40, 120])
def test_tables_and_derivations_fit_every_width(width: int) -> None:
    table = (("plan", "state per GPU", "fits?"), ("ZeRO-3", "35 GB", "yes"), ("DDP", "1,120 GB", "no, by far"))
    for made in (tables.lay(table, width), ways.lay([("", STATE), ("2", STATE)], width)):
        assert all(line.cell_length <= width for line in made)


def test_a_narrow_table_becomes_a_list_that_says_what_each_cell_is() -> None:
    made = [line.plain for line in tables.lay((("plan", "state"), ("ZeRO-3", "35 GB")), 10)]
    assert made == ["plan:", "  ZeRO-3", "state:", "  35 GB"]


MEASURED = (
    "It peaks at 52 % of 80 GB, sends 5.119 GB/s or 16 B/param, after 10 minutes on 32 GPUs: 1.5 × DDP, and 4 of 5."
)


@pytest.mark.parametrize("width", range(13, 90))
def test_a_number_and_its_unit_stay_on_one_line_wherever_the_line_breaks(width: int) -> None:
    made = [line.plain.rstrip() for line in lines.wrap(prose.inline(MEASURED), width, "· ")]
    whole = "\n".join(line.strip("· ") for line in made)
    for bound in ("52 %", "80 GB", "5.119 GB/s", "16 B/param", "10 minutes", "32 GPUs", "1.5 ×"):
        assert bound in whole, made
    assert whole.replace("\n", " ") == MEASURED


def test_what_is_no_unit_may_stand_on_the_next_line() -> None:
    assert [line.plain for line in lines.wrap(lines.text("in 4 of 5"), 5)] == ["in 4", "of 5"]


def test_cells_of_a_table_keep_a_number_and_its_unit_together() -> None:
    table = (("plan", "memory"), ("a", "takes about 140 GB"), ("b", "takes about 1,120 GB"))
    made = "\n".join(line.plain for line in tables.lay(table, 20))
    assert "140 GB" in made
    assert "1,120 GB" in made


def test_a_text_shown_verbatim_keeps_its_lines_and_its_marks() -> None:
    made = [
        line.plain.rstrip() for line in prose.verbatim("State first:\n- 16 B/param\n\n`a[i]` **b**", 40, indent="  ")
    ]
    assert made == ["  State first:", "  - 16 B/param", "", "  `a[i]` **b**"]
