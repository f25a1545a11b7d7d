"""Text from a bank or a learner is shown as it was written, wherever it stands."""

from __future__ import annotations

from dataclasses import replace

from quiz.tui.ports import Standing, Step, Trouble, Wanted
from tests.tui.driving import asked, opened
from tests.tui.fixtures import HOSTILE, HOSTILE_TEXT
from tests.tui.memory_desk import MemoryDesk

PIECES = (
    "a[i]",
    "[/dp]",
    "[red]x[/red]",
    "<tag>",
    "{{ no }}",
    "[@click=app.quit]q[/]",
    r"\x1b[31m",
    r"\u202e",
    "**b",
    "`c",
)


def flat(text: str) -> str:
    return " ".join(text.split())


async def test_question_and_reveal_show_hostile_text_as_written() -> None:
    async with asked(MemoryDesk((HOSTILE,)), size=(200, 50)) as at:
        for piece in PIECES:
            assert flat(at.text).count(piece) >= 3, piece  # stem, conventions, option
        assert "[red]topic[/dp]" in at.text
        await at.press("1")
        await at.see("How sure")
        await at.press("x")
        await at.see("Right")
        for _ in at.app.screen.sections:  # type: ignore[attr-defined]
            await at.press("enter") if "uncover" in at.text else None
            for piece in PIECES:
                assert piece in flat(at.text), (piece, at.text)
            await at.press("right")
        assert at.app.fault is None


async def test_a_topic_a_warning_and_a_message_are_no_markup() -> None:
    class Desk(MemoryDesk):
        def standing(self, topics: tuple[str, ...] = ()) -> Standing:
            return replace(super().standing(topics), warnings=("[/dp] and [red]",))

        def begin(self, wanted: Wanted) -> Step:
            raise Trouble(f"a[i] [/dp] [red] {len(wanted.topics)}")

    async with opened(Desk((HOSTILE,))) as at:
        await at.see("[red]topic[/dp]", "[/dp] and [red]")
        await at.press("enter")
        await at.see("a[i] [/dp] [red]")


async def test_what_is_typed_is_no_markup() -> None:
    async with asked(MemoryDesk()) as at:
        await at.press("1")
        await at.see("How many GB")
        await at.type("[/dp][red]a[i]")
        await at.see("= [/dp][red]a[i]")
        await at.press("enter")
        await at.see("▸ [/dp][red]a[i]")


async def test_the_fixture_is_hostile() -> None:
    assert "\x1b" in HOSTILE_TEXT
    assert "\u202e" in HOSTILE_TEXT
