"""What is typed before the screen has dealt with the keys before it: nothing is lost, and nothing lands elsewhere."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textual import events
from textual.widgets import Input

from quiz.tui.ports import Answer
from tests.tui.driving import PATIENCE, asked, opened
from tests.tui.fixtures import NUMERIC, OPEN, STRATEGY
from tests.tui.memory_desk import MemoryDesk

if TYPE_CHECKING:
    from quiz.tui.ports import Mark


@dataclass
class SlowDesk(MemoryDesk):
    """A desk that grades only when it is let."""

    grades: threading.Event = field(default_factory=threading.Event)

    def mark(self, answer: Answer) -> Mark:
        """Wait, then grade."""
        assert self.grades.wait(PATIENCE)
        return super().mark(answer)


async def test_all_keys_of_a_question_may_come_in_one_go() -> None:
    """Option, figure, Enter, how sure: each key finds the step that it was meant for."""
    desk = MemoryDesk((STRATEGY,))
    async with asked(desk) as at:
        await at.burst("1", "35 GB", "enter", "x")
        await at.see("✓ Right", "you said certain (95 %)")
    assert desk.stored == [(STRATEGY.id, Answer(chosen="fsdp", then="35 GB"), 95)]


async def test_a_figure_and_how_sure_may_come_while_nothing_is_graded_yet() -> None:
    desk = SlowDesk((NUMERIC,))
    async with asked(desk) as at:
        await at.burst("19.28 min", "enter", "c")
        assert "19.28 minc" not in at.text
        desk.grades.set()
        await at.see("✓ Right")
    assert desk.stored == [(NUMERIC.id, Answer(text="19.28 min"), 75)]


async def test_what_follows_an_enter_that_is_refused_goes_on_in_the_field_behind_the_cursor() -> None:
    desk = SlowDesk((NUMERIC,))
    async with asked(desk) as at:
        await at.burst("12!4", "enter", " min")
        field = at.app.focused
        assert isinstance(field, Input)
        await at.until(lambda: field.value == "12!4")
        desk.grades.set()
        await at.until(lambda: field.value == "12!4 min")
        await at.see("12!4 min")
    assert desk.stored == []


async def test_the_carets_stand_under_what_cannot_be_read_however_far_in_it_was_typed() -> None:
    async with asked(MemoryDesk((NUMERIC,))) as at:
        await at.type("   12!4")
        await at.press("enter")
        text = await at.see("^")
        lines = text.splitlines()
        carets = next(n for n, line in enumerate(lines) if "^" in line)
        assert lines[carets - 1][lines[carets].index("^")] == "!"


async def test_a_paste_right_behind_an_enter_waits_its_turn_too() -> None:
    desk = SlowDesk((NUMERIC,))
    async with asked(desk) as at:
        await at.burst("12!4", "enter")
        at.app.post_message(events.Paste("19 min"))
        desk.grades.set()
        await at.see("12!419 min")


async def test_ctrl_s_hands_in_the_last_letter_too() -> None:
    desk = MemoryDesk((OPEN,))
    async with asked(desk) as at:
        await at.burst("the moments", "ctrl+s", "l")
        await at.see("You wrote", "the moments")


async def test_keys_that_come_before_a_solution_is_shown_do_not_turn_its_page() -> None:
    """Who presses Enter too often still gets to see what the answer was."""
    desk = MemoryDesk((NUMERIC, STRATEGY))
    async with asked(desk) as at:
        await at.burst("19.28 min", "enter", "x", "enter", "enter", "enter")
        await at.see("✓ Right", "19.28 min")


async def test_leaving_waits_for_nothing() -> None:
    desk = SlowDesk((NUMERIC,))
    async with asked(desk) as at:
        await at.burst("19.28 min", "enter")
        await at.pilot.press("ctrl+c")
        await at.until(lambda: at.app._exit)
        desk.grades.set()
    assert at.app.return_code == 130


async def test_a_double_click_on_an_option_is_one_choice() -> None:
    """Its second half would fall on how sure one is, which then nobody was asked."""
    desk = MemoryDesk((STRATEGY,))
    async with asked(desk) as at:
        row = next(n for n, line in enumerate(at.text.splitlines()) if "DDP across all 32 GPUs" in line)
        await at.pilot.click(offset=(10, row), times=2)
        await at.see("How many GB of training state")
    assert desk.stored == []


async def test_what_is_searched_for_may_be_typed_in_one_go_with_the_key_that_opens_the_search() -> None:
    async with opened(MemoryDesk()) as at:
        await at.press("b")
        await at.see("All questions", STRATEGY.id)
        await at.burst("/", "oom", "enter", "m")
        await at.see("Suspend", OPEN.id)
        await at.press("escape")
        text = await at.see("oom")
        assert STRATEGY.id not in text
