"""What the screens do with a desk that refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui.ports import NotSaved, Trouble
from tests.tui.driving import asked
from tests.tui.fixtures import STRATEGY
from tests.tui.memory_desk import MemoryDesk

if TYPE_CHECKING:
    from quiz.tui.ports import Rating, Result, Turn


class Refusing(MemoryDesk):
    """A desk whose undo fails."""

    def undo(self) -> Turn:
        raise Trouble("There is [no] answer.")

    def rerate(self, rating: Rating) -> Result:
        raise NotSaved(f"not {rating} now")


async def test_a_refusal_is_told_and_the_screen_goes_on() -> None:
    async with asked(Refusing((STRATEGY,))) as at:
        await at.press("0")
        await at.see("Not known yet")
        await at.press("u")
        await at.see("There is [no] answer.")
        await at.press("r", "4")
        await at.see("not easy now")
        await at.press("n")
        await at.see("Session done")
