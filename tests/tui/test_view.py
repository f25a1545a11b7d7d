"""Where the page stands when something new comes, and where what is told stands: nothing that is read is covered."""

from __future__ import annotations

from msgspec import structs
from textual.widgets import Input, TextArea

from quiz.tui.page import Body
from tests.tui.driving import asked
from tests.tui.fixtures import NUMERIC, OPEN, STRATEGY
from tests.tui.memory_desk import MemoryDesk

LONG = "The scenario goes on and on, since this one is told at length. " * 12
ALOUD = structs.replace(OPEN, stem=f"It begins here. {LONG}", sketch=f"The good answer begins here. {LONG}")


async def test_an_open_question_opens_at_its_beginning_however_small_the_terminal() -> None:
    for size in ((40, 15), (80, 24)):
        async with asked(MemoryDesk((ALOUD,)), size) as at:
            await at.see("It begins here.")
            assert isinstance(at.app.focused, TextArea)


async def test_a_numeric_question_opens_at_its_beginning_too() -> None:
    long = structs.replace(NUMERIC, stem=f"It begins here. {LONG}")
    async with asked(MemoryDesk((long,)), (40, 15)) as at:
        await at.see("It begins here.")
        assert isinstance(at.app.focused, Input)


async def test_the_field_comes_into_view_with_the_first_letter() -> None:
    async with asked(MemoryDesk((ALOUD,)), (40, 15)) as at:
        await at.type("moments")
        await at.see("moments")


async def test_the_page_keys_scroll_the_question_while_the_field_has_the_keys() -> None:
    async with asked(MemoryDesk((ALOUD,)), (40, 15)) as at:
        await at.press("pagedown")
        await at.see(lambda text: "It begins here." not in text)
        await at.press("pageup")
        await at.see("It begins here.")


async def test_the_good_answer_is_shown_from_its_beginning_however_long_it_and_the_own_one_are() -> None:
    """The own words are known: where there is no room for all, they are what is scrolled away."""
    for size in ((40, 15), (80, 24)):
        for own in ("moments", "mine " * 70):
            async with asked(MemoryDesk((ALOUD,)), size) as at:
                await at.type(own + "end")
                await at.press("ctrl+s")
                await at.see("How sure")
                await at.press("l")
                text = await at.see("A good answer", "The good answer begins")
                assert "How sure" not in text


async def test_a_step_that_fits_is_seen_to_its_end() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        await at.press("1")
        await at.see("How many GB of training state", "▸ 1")
        await at.type("35 GB")
        await at.press("enter")
        await at.see("How sure are you?", "guess", "certain")


async def test_what_is_told_covers_no_option_and_no_line_that_is_read() -> None:
    """It stands in the line of keys, and where it is longer the page ends above it."""
    for size in ((80, 24), (40, 15)):
        async with asked(MemoryDesk((STRATEGY,)), size) as at:
            for told in ("Taken back: your answer to “About fsdp”.", "One thing after the other. " * 5):
                at.app.tell(told)
                text = await at.see(told.split()[-1])
                lines = text.splitlines()
                first = next(n for n, line in enumerate(lines) if line.strip().startswith(told.split()[0]))
                body = at.app.screen.query_one(Body)
                assert first >= body.region.bottom
                assert "I don't know  space" not in text


async def test_what_is_told_takes_the_place_of_what_was_told_before() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        at.app.tell("The first.")
        await at.see("The first.")
        at.app.tell("The second.")
        text = await at.see("The second.")
        assert "The first." not in text


async def test_a_field_that_is_taken_away_while_it_waits_to_be_drawn_ends_nothing() -> None:
    for question in (ALOUD, NUMERIC):
        async with asked(MemoryDesk((question,))) as at:
            field = at.app.focused
            assert field is not None
            region = field.region.reset_offset
            await field.remove()
            assert [strip.text.strip() for strip in field.render_lines(region)] == [""] * region.height


async def test_a_step_stays_in_view_when_the_terminal_gets_another_size() -> None:
    long = structs.replace(STRATEGY, stem=f"It begins here. {LONG}")
    async with asked(MemoryDesk((long,))) as at:
        await at.press("1")
        await at.see("How many GB of training state")
        await at.type("35 GB")
        await at.press("enter")
        await at.see("How sure are you?", "certain")
        await at.resize(40, 15)
        await at.see("How sure are you?", "certain")
        await at.resize(80, 24)
        await at.see("How sure are you?", "certain")
