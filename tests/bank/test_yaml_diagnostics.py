"""How a problem in a bank file is shown to its author."""

from __future__ import annotations

import pytest

from quiz.bank.diagnostics import BankError, Diagnostic, Place, escape, format_path


def diagnostic(line: int, column: int, what: str = "wrong", **more: str) -> Diagnostic:
    return Diagnostic(Place("q.yaml", line, column), "code", what, **more)  # type: ignore[arg-type]


def test_a_message_names_file_line_column_and_severity() -> None:
    assert diagnostic(3, 7).render() == "q.yaml:3:7: error: wrong"
    assert diagnostic(3, 7, severity="warning").render() == "q.yaml:3:7: warning: wrong"


def test_with_the_source_the_line_is_shown_under_a_caret_then_why_and_what_next() -> None:
    rendered = diagnostic(2, 4, why="Because.", next="Do this.").render("a: 1\nb: @x\n")
    assert rendered.splitlines() == [
        "q.yaml:2:4: error: wrong",
        "    2 | b: @x",
        "      |    ^",
        "  Because.",
        "  Do this.",
    ]


@pytest.mark.parametrize("text", ["a: 1\r\nb: @x\r\n", "\ufeffa: 1\nb: @x\n"])
def test_line_ends_and_a_byte_order_mark_do_not_move_the_caret(text: str) -> None:
    assert diagnostic(2, 4).render(text).splitlines()[1:] == ["    2 | b: @x", "      |    ^"]


def test_the_caret_stands_under_wide_and_combining_characters() -> None:
    assert diagnostic(1, 4).render("漢e\u0301x").splitlines()[2] == "      |    ^"


def test_a_long_line_is_clipped_around_the_caret() -> None:
    rendered = diagnostic(1, 500).render("x" * 499 + "!" + "y" * 499)
    shown, caret = rendered.splitlines()[1:]
    assert len(shown) < 130
    assert shown[caret.index("^")] == "!"


def test_a_place_beyond_the_source_is_shown_without_a_line() -> None:
    assert diagnostic(9, 1).render("a\n") == "q.yaml:9:1: error: wrong"


def test_nothing_that_a_file_or_its_name_holds_reaches_the_terminal_raw() -> None:
    nasty = "\x1b[31m\x07\u202e\x85\ud800\n"
    place = Place(f"q{nasty}.yaml", 1, 2)
    rendered = Diagnostic(place, "code", nasty, nasty, nasty).render(f"a{nasty}")
    assert rendered.replace("\n", "").isprintable()
    assert len(rendered.splitlines()) == 5


@pytest.mark.parametrize(
    ("raw", "shown"),
    [("a\nb", "a\\nb"), ("\x1b", "\\x1b"), ("\u202e", "\\u202e"), ("\U000e0001", "\\U000e0001"), ("é", "é")],
)
def test_what_does_not_print_is_written_as_an_escape(raw: str, shown: str) -> None:
    assert escape(raw) == shown


def test_problems_are_sorted_by_place_and_said_once() -> None:
    first, second, third = diagnostic(1, 9), diagnostic(2, 1), diagnostic(10, 1)
    assert BankError([third, second, first, second]).diagnostics == (first, second, third)


def test_a_path_reads_as_people_write_it() -> None:
    assert format_path(("options", "zero1", "set", "layout.dp")) == "options.zero1.set.layout.dp"
    assert format_path(("red_flags", 0, "why")) == "red_flags[0].why"
    assert format_path(()) == ""
