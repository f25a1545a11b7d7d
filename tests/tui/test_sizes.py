"""No size of the terminal ends the program, and where it is large enough again everything is there again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import asked, opened
from tests.tui.fixtures import HOSTILE, NUMERIC, OPEN, STRATEGY
from tests.tui.memory_desk import MemoryDesk

if TYPE_CHECKING:
    from tests.tui.driving import Driver

STORM = ((1, 1), (3, 24), (4, 4), (6, 2), (12, 5), (36, 10), (40, 15), (60, 12), (300, 100), (80, 24))
BRIEF = ((1, 1), (4, 4), (36, 10), (300, 100), (80, 24))
SHORT = ((2, 3), (37, 11), (80, 24))


async def storm(at: Driver, sizes: tuple[tuple[int, int], ...] = STORM) -> None:
    for columns, rows in sizes:
        await at.pilot.resize_terminal(columns, rows)
        assert at.app.fault is None, (columns, rows)
        width = max((len(line) for line in at.text.splitlines()), default=0)
        assert width <= columns


async def test_home_and_help_survive_every_size() -> None:
    async with opened(MemoryDesk()) as at:
        await storm(at)
        await at.press("f1")
        await storm(at)
        await at.see("Anywhere")


@pytest.mark.parametrize("question", [STRATEGY, NUMERIC, OPEN, HOSTILE], ids=lambda question: question.kind)
async def test_each_question_and_its_reveal_survive_every_size(question: object) -> None:
    async with asked(MemoryDesk((question,))) as at:  # type: ignore[arg-type]
        await storm(at, BRIEF)
        await at.press("f2")
        await at.see("Not known yet")
        await storm(at, BRIEF)
        for number in (2, 4):
            await at.press(str(number))
            await storm(at, SHORT)
        await at.press("r")
        await at.see("How well did you know it?")
        await storm(at, SHORT)


async def test_the_palette_survives_every_size() -> None:
    """Textual's own list raises at four cells and fewer."""
    async with opened(MemoryDesk()) as at:
        await at.press("ctrl+p")
        await at.pilot.pause(0.3)
        await storm(at)
        await at.press("escape")


async def test_too_small_is_said_with_the_size_that_is_needed_and_goes_away() -> None:
    async with opened(MemoryDesk()) as at:
        await at.pilot.resize_terminal(30, 8)
        text = await at.see("too small")
        assert "36x10" in text.replace("\n", " ")
        await at.pilot.resize_terminal(80, 24)
        await at.see("2 due")
        assert "too small" not in at.text


async def test_40x15_is_enough_to_answer() -> None:
    async with asked(MemoryDesk((STRATEGY,)), size=(40, 15)) as at:
        await at.press("pagedown", "pagedown", "1")
        await at.see("How many GB")
        await at.type("35 GB")
        await at.press("enter")
        await at.see("How sure")
        await at.press("c")
        text = await at.see("✓ Right")
        assert "back in 3 days" in text
        await at.press("pagedown")
        await at.see("80 GB")


async def test_an_answer_in_the_making_survives_a_spell_of_being_too_small() -> None:
    async with asked(MemoryDesk((NUMERIC,))) as at:
        await at.type("12")
        await at.pilot.resize_terminal(10, 4)
        await at.see("too small")
        await at.pilot.resize_terminal(80, 24)
        await at.see("12")
        await at.type("3")
        await at.see("= 123")
