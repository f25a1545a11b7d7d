"""The screen of the statistics: reached by a key, read by keys, left by a key, and it bears what cannot be counted."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.tui.app import ShardwiseApp
from quiz.tui.ports import WantedFigures
from tests.tui.driving import Driver, opened
from tests.tui.memory_desk import MemoryDesk
from tests.tui.real_desk import Clock, first
from tests.tui.real_desk import opened as real_desk
from tests.unit.statistics.histories import reported

if TYPE_CHECKING:
    from pathlib import Path

MARKS = (
    "Recall today",
    "By month",
    "What you would recall",
    "Cards due by day",
    "Time of an answer",
    "Sure and right",
    "Slips made most",
)


def desk(name: str = "a year") -> MemoryDesk:
    return MemoryDesk(figures=reported(name))


async def test_s_opens_the_statistics_from_home_and_q_goes_back() -> None:
    async with opened(desk()) as at:
        await at.see("s statistics")
        await at.press("s")
        await at.see("Recall today")
        await at.press("q")
        await at.see(" due · ")


async def test_digits_tab_and_arrows_show_each_section() -> None:
    async with opened(desk(), size=(100, 60)) as at:
        await at.press("s")
        await at.see(MARKS[0])
        for number in (2, 4, 7):
            await at.press(str(number))
            await at.see(MARKS[number - 1])
        await at.press("shift+tab")
        await at.see(MARKS[5])
        await at.press("left", "left", "tab")
        await at.see(MARKS[4])
        await at.press("8", "0")  # there is none of that number
        await at.see(MARKS[4])


@pytest.mark.long
async def test_space_reads_on_through_all_sections_and_keys_scroll() -> None:
    async with opened(desk(), size=(80, 24)) as at:
        await at.press("s")
        await at.see(MARKS[0])
        seen = at.text
        for _ in range(24):
            await at.press("space")
            seen += at.text
        assert [mark for mark in MARKS if mark not in seen] == []
        assert "Leeches" in at.text
        await at.press("g")
        await at.see("Slips made most")
        await at.press("j", "j")
        await at.see(lambda text: "Slips made most" not in text)
        await at.press("end")
        await at.see("Leeches")


async def test_the_section_is_marked_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under NO_COLOR no cell has a colour, and the calendar has shades of one ink."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(desk(), size=(80, 40)) as at:
        await at.press("s", "5")
        await at.see("Answers by date", "▒", "▓")
        strips = at.app.screen._compositor.render_strips()
        assert not [s for strip in strips for s in strip if s.style and s.style.color and not s.style.color.is_default]
        assert [s.text for strip in strips for s in strip if s.style and s.style.reverse and "Practice" in s.text]


@pytest.mark.long
async def test_every_size_shows_the_statistics_or_says_that_it_is_too_small() -> None:
    async with opened(desk()) as at:
        await at.press("s")
        await at.see("Recall today")
        for columns, rows in ((4, 4), (36, 10), (200, 60)):
            await at.resize(columns, rows)
            for number in range(1, 8) if columns > 4 else ():
                await at.press(str(number))
                await at.see(lambda text, most=columns: max(map(len, text.splitlines()), default=0) <= most)  # type: ignore[misc]
                assert at.app.fault is None, (number, columns)
        await at.see("Slips made most")


async def test_the_statistics_can_be_the_first_screen_and_q_leaves_the_program() -> None:
    asked = desk()
    app = ShardwiseApp(asked, WantedFigures("pipeline", date(2026, 1, 5)))
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.see("Recall today", "Statistics  Pipeline, since Mon 5 Jan 2026", "q quit")
        assert asked.asked_for == ("pipeline", date(2026, 1, 5))
        await at.press("escape")
    app.let_go()
    assert app.return_code == 0


async def test_what_cannot_be_counted_ends_with_the_reason() -> None:
    async with opened(MemoryDesk()) as at:
        await at.press("s")
        await at.until(lambda: at.app.ending == "the statistics cannot be counted")


async def test_help_names_the_keys_of_the_statistics() -> None:
    async with opened(desk(), size=(100, 40)) as at:
        await at.press("s")
        await at.see("Recall today")
        await at.press("question_mark")
        await at.see("Here", "Read on", lambda text: "Nothing here changes anything" in " ".join(text.split()))


async def test_an_answer_given_on_the_screen_is_in_the_figures(tmp_path: Path) -> None:
    """The real desk: a bank, a history file, the tallies in it."""
    from tests.tui.real_desk import RIGHT

    at_work = real_desk(tmp_path, Clock())
    before = at_work.statistics()
    first(at_work)
    at_work.submit(RIGHT, 75)
    after = at_work.statistics()
    assert (before.practice.answers, after.practice.answers) == (0, 1)
    assert (after.whole.seen, after.practice.today_right, after.calibration.n) == (1, 1, 1)
    topic = after.topics[0].topic
    assert at_work.statistics(topic).practice == after.practice
    at_work.undo()
    assert at_work.statistics().practice.answers == 0
    at_work.close()
