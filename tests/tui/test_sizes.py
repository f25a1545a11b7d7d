"""No size of the terminal ends the program, and where it is large enough again everything is there again.

What is laid out is tried at every width without a screen; the screens themselves at a few sizes, in one app.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.tui import header, sections
from quiz.tui.ports import Answer, Mark, Result, Turn
from quiz.tui.screens import steps
from quiz.tui.widgets.tabs import Tabs
from tests.tui.driving import asked, opened
from tests.tui.fixtures import ALL, HOSTILE, NUMERIC, STRATEGY
from tests.tui.memory_desk import MemoryDesk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.bank.rendered import Rendered
    from quiz.tui.lines import Lines
    from tests.tui.driving import Driver

WIDTHS = (1, 2, 5, 12, 36, 40, 76, 116)
SIZES = ((4, 4), (80, 24))


def everything(question: Rendered, width: int) -> Iterator[Lines]:
    """All that the question and its reveal can show, at one width."""
    order = tuple(option.id for option in question.options) or tuple(item.id for item in question.items)
    turn = Turn(question, question.id, 3, 12, "due", order, back=2)
    draft = steps.Draft(list(order), chosen=order[-1] if question.options else "", text="a [red] text\n- 16 B/param")
    yield [steps.head_line(turn, width)]
    for room in (None, 1, 3):
        yield steps.convention_lines(question, width, room)
    for step in steps.steps_of(question):
        yield steps.prompt(turn, step, draft, width)
        yield steps.chosen_lines(turn, draft, step, width)
    part = Mark("incorrect", "12 GB (12e9 B)", "Too small.") if question.options else None
    result = Result(Mark("incorrect", "", "Not it.", part=part), "again", "wrong", "in 10 minutes", here=True)
    for colourless in (False, True):
        answer = Answer(chosen=draft.chosen, ordered=order if question.items else (), text="12 GB", then="12 GB")
        view = sections.Reveal(turn, answer, result, 75, str, uncovered=1, colourless=colourless)
        yield header.verdict(view, width)
        for height in (10, 24):
            yield header.lay(view, width, header.room(height))
            yield header.left_out(view, width, header.room(height))
        for section in sections.sections(view):
            yield section.layout(width)


@pytest.mark.parametrize("question", [*ALL, HOSTILE], ids=lambda question: question.id)
def test_no_line_of_a_question_or_its_reveal_is_wider_than_the_room(question: Rendered) -> None:
    for width in WIDTHS:
        for made in everything(question, width):
            assert all(line.cell_length <= width for line in made), (width, made)


async def storm(at: Driver, sizes: tuple[tuple[int, int], ...] = SIZES) -> None:
    for columns, rows in sizes:
        await at.resize(columns, rows)
        await at.see(lambda text, most=columns: max(map(len, text.splitlines()), default=0) <= most)  # type: ignore[misc]
        assert at.app.fault is None, (columns, rows)


async def test_every_screen_survives_every_size_and_is_whole_again() -> None:
    """Home, help, the palette (textual's own list raises at four cells and fewer), question, reveal, rating, end."""
    async with opened(MemoryDesk((STRATEGY,))) as at:
        await storm(at, ((1, 1), (3, 24), *SIZES))
        await at.press("f1")
        await storm(at, ((4, 4), (36, 10)))
        await at.see("Here")
        await at.press("escape", "ctrl+p")
        await at.see("Search for commands")
        await storm(at, ((3, 4), (80, 24)))
        await at.press("escape", "enter")
        await at.see("1/1")
        await storm(at, ((36, 10), *SIZES))
        await at.see("I don't know")
        await at.press("1")
        await at.see("How many GB")
        await storm(at, ((4, 4), (80, 24)))
        await at.press("f2")
        await at.see("How sure")
        await at.press("c")
        await at.see("✓ Right")
        await storm(at, ((36, 10), (300, 100), *SIZES))
        await at.see("80 GB capacity")
        await at.press("r")
        await at.see("How well did you know it?")
        await storm(at, ((4, 4), (36, 10), (80, 24)))
        await at.press("escape", "n")
        await at.see("Session done")
        await storm(at, ((36, 10),))
        await at.see("Comes back")


async def test_too_small_is_said_with_the_size_that_is_needed_and_goes_away() -> None:
    async with asked(MemoryDesk((NUMERIC,))) as at:
        await at.type("12")
        await at.resize(30, 8)
        await at.see("too small", lambda text: "36x10" in text.replace("\n", " "))
        await at.resize(80, 24)
        await at.see("12", lambda text: "too small" not in text)
        await at.type("3")  # an answer in the making survives it, and the keys go there again
        await at.see("= 123")


async def test_40x15_is_enough_to_answer() -> None:
    async with asked(MemoryDesk((STRATEGY,)), size=(40, 15)) as at:
        await at.press("pagedown", "pagedown", "1")
        await at.see("How many GB")
        await at.type("35 GB")
        await at.press("enter")
        await at.see("How sure")
        await at.press("c")
        await at.see("✓ Right", "back in 3 days", "answer", "figure", "✓ Right: 35 GB", "1 Memory", "2 Why")
        await at.press("pagedown")
        await at.see("80 GB")


async def test_a_question_opens_at_its_first_words_however_low_the_terminal_is() -> None:
    async with asked(MemoryDesk((STRATEGY,)), size=(40, 15)) as at:
        text = await at.see("conventions")
        assert " ".join(STRATEGY.stem.split()[:4]) in text


@pytest.mark.parametrize("size", [(36, 10), (40, 15), (80, 24)])
async def test_what_is_due_and_new_stays_on_the_home_screen(size: tuple[int, int]) -> None:
    async with opened(MemoryDesk(), size=size) as at:
        await at.press("end")
        await at.see("2 due · 2 new", lambda text: "1 later today" in " ".join(text.split()))


NAMES = ("Memory", "Order", "Why", "Steps", "Idea", "Flags", "Next", "60 s", "Limits", "Sources")


def test_names_of_sections_stay_readable_whatever_the_width_and_the_number() -> None:
    for count in range(1, len(NAMES) + 1):
        for width, height in ((116, 40), (76, 24), (74, 24), (38, 15), (34, 10)):
            tabs = Tabs(NAMES[:count])
            tabs.rows = height
            for current in range(count):
                tabs.current = current
                made = tabs.make(width)
                shown = " ".join(line.plain for line in made)
                assert all(line.cell_length <= width for line in made)
                assert len(made) <= (2 if height >= 20 else 1)
                near = 1 if width > 34 else 0  # at the least width a long neighbour may have no room
                around = range(count) if width > 60 else range(max(0, current - near), min(count, current + near + 1))
                assert all(f"{index + 1} {NAMES[index]}" in shown for index in around), (shown, current)
