"""A numeric question of several parts, key by key: asked one after another, judged one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from quiz.bank.rendered import NumericPart
from quiz.tui import history
from quiz.tui.marking import Marking
from quiz.tui.ports import Answer, Mark
from tests.tui.driving import asked
from tests.tui.fixtures import NUMERIC
from tests.tui.memory_desk import MemoryDesk

if TYPE_CHECKING:
    from quiz.session.attempt import Part

PARTS = msgspec.structs.replace(
    NUMERIC,
    answer_line="1,120 GB; 35 GB",
    numeric=NumericPart("How many GB of state in all?", "1120000000000", "1,120 GB", "GB", True, "1/100"),  # noqa: FBT003
    parts=(NumericPart("And on each of 32 GPUs?", "35000000000", "35 GB", "GB", True, "1/100", follow="part_1 / 32"),),  # noqa: FBT003
)


class _Desk(MemoryDesk):
    """A desk that grades for real."""

    def mark(self, answer: Answer) -> Mark:
        return Marking().mark(self.questions[self.place], answer)


async def test_each_part_is_asked_in_its_turn_and_a_carried_error_is_told() -> None:
    desk = _Desk((PARTS,))
    async with asked(desk) as at:
        await at.see("How many GB of state in all?")
        await at.type("840 GB")
        await at.press("enter")
        await at.see("And on each of 32 GPUs?", "Part 2 of 2", "840 GB")
        await at.type("26.25 GB")
        await at.press("enter")
        await at.see("How sure are you?")
        await at.press("c")
        await at.see("✗ Not right", "part 1  ✗ Not right: 840 GB", "part 2  ✓ Right: 26.25 GB")
        await at.see(lambda text: "Right with your value of part 1" in " ".join(text.split()))
    assert desk.stored[0][1] == Answer(text="840 GB", parts=("26.25 GB",))


async def test_a_part_that_cannot_be_read_is_asked_again_and_one_may_be_left_out() -> None:
    desk = _Desk((PARTS,))
    async with asked(desk) as at:
        await at.type("1120 GB")
        await at.press("enter")
        await at.see("Part 2 of 2")
        await at.type("35 GB +")
        await at.press("enter")
        await at.see("missing")
        await at.press("f2")
        await at.see("How sure are you?")
        await at.press("c")
        await at.see("part 2  ○ Not known yet")
    assert desk.stored[0][1] == Answer(text="1120 GB", parts=(None,))


def test_the_history_keeps_the_verdict_of_each_part() -> None:
    answer = Answer(text="840 GB", parts=("26.25 GB",))
    kept: tuple[Part, ...] = history.graded(Marking().mark(PARTS, answer)).parts
    assert [(part.name, part.verdict) for part in kept] == [("part 1", "incorrect"), ("part 2", "correct")]
    assert history.response(answer).text == "840 GB\n26.25 GB"
