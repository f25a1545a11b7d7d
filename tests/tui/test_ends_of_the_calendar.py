"""On the first and the last days that a calendar can name everything that looks ahead or back still works."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from quiz.scheduling import calendar
from quiz.tui.figures import as_text
from quiz.tui.ports import Ended, Turn, Waiting, Wanted
from tests.tui.fixtures import STRATEGY
from tests.tui.real_desk import RIGHT, Clock, opened

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.tui.desk import HistoryDesk

THREE = tuple(structs.replace(STRATEGY, id=f"q{number}") for number in range(3))
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
AT = (
    (FIRST, 14),
    (FIRST + timedelta(hours=5), 0),
    (FIRST + timedelta(days=60), -11),
    (LAST - timedelta(days=30), 14),
    (LAST - timedelta(days=5), 0),
    (LAST - timedelta(hours=29), 0),
    (LAST - timedelta(seconds=9), -11),
)


def practised(desk: HistoryDesk, wanted: Wanted) -> None:
    """A session to its end: the first answer missed, what comes back asked at once."""
    step = desk.begin(wanted)
    assert isinstance(step, Turn)
    answers = 0
    while not isinstance(step, Ended):
        if isinstance(step, Waiting):
            step = desk.go_on()
            continue
        desk.submit(RIGHT, 75)
        if wanted.mode == "practice":
            desk.rerate("easy" if answers else "again")
        answers += 1
        step = desk.next()
    assert answers >= (1 if wanted.minutes else 3)  # in its last minute the time is over after one


@pytest.mark.parametrize(("at", "hours"), AT, ids=str)
def test_a_session_the_statistics_and_the_list_work_on_any_day(tmp_path: Path, at: datetime, hours: int) -> None:
    clock = Clock(at.replace(tzinfo=timezone(timedelta(hours=hours))))
    desk = opened(tmp_path, clock, *THREE)
    assert desk.change_setting("interview_date", "9999-12-31")
    practised(desk, Wanted())
    desk.undo()
    practised(desk, Wanted(questions=("q0", "q1", "q2")))  # also the one whose answer was taken back
    practised(desk, Wanted(mode="interview", minutes=30, most=3, counts=True))
    assert desk.standing().new == 0
    assert {line.stands for line in desk.browse()} - {"due"} != {"new"}
    desk.mark_question("q0", "bury", value=True)
    day = desk._at().day
    for since in (None, day):
        report = desk.statistics("", since)
        assert report.whole.seen == 3
        for width in (40, 120):
            told = " ".join(" ".join(as_text(report, width)).split())
            assert ("tomorrow" in told) == (day < calendar.add_days(day, 1))


def test_an_instant_beyond_the_calendar_is_held_within_it() -> None:
    east, west = timezone(timedelta(hours=14)), timezone(timedelta(hours=-11))
    assert calendar.utc(FIRST.replace(tzinfo=east)) == FIRST
    assert calendar.utc(LAST.replace(tzinfo=west)) == LAST.replace(microsecond=0)
