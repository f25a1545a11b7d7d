"""What is told of an answer beside its grade: a leech, and an answer given meanwhile on another terminal."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from quiz.session.events import SettingChange
from quiz.tui.ports import Answer, Wanted
from tests.tui.driving import Driver
from tests.tui.fixtures import STRATEGY
from tests.tui.real_desk import RIGHT, Clock, first, opened

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.tui.desk import HistoryDesk

THIS = Wanted(questions=(STRATEGY.id,))


def lapses(desk: HistoryDesk, clock: Clock, times: int) -> list[str]:
    """Learn it and forget it so many times: what was told at each lapse."""
    told = []
    for _ in range(times):
        for given in (RIGHT, RIGHT):
            first(desk, THIS)
            desk.submit(given, 95)
            clock.now += timedelta(minutes=11)
        clock.now += timedelta(days=1)
        first(desk, THIS)
        told.append(desk.submit(Answer(), None).note)
        clock.now += timedelta(minutes=11)
    return told


def test_the_eighth_lapse_and_each_fourth_after_it_give_advice(tmp_path: Path) -> None:
    clock = Clock()
    desk = opened(tmp_path, clock, STRATEGY)
    told = lapses(desk, clock, 13)
    assert [number for number, note in enumerate(told, start=1) if note] == [8, 12]
    assert told[7].startswith("Forgotten 8 times.")
    assert "suspend it for a while (m)" in told[7]
    assert desk.browse()[0].lapses == 13


def test_an_answer_given_meanwhile_on_another_terminal_is_told_where_it_moves_the_day(tmp_path: Path) -> None:
    clock = Clock()
    mine, other = opened(tmp_path, clock, STRATEGY), opened(tmp_path, clock, STRATEGY)
    for desk in (mine, other):
        first(desk, THIS)
    clock.now += timedelta(seconds=10)
    assert other.submit(Answer(), None).note == ""
    clock.now += timedelta(seconds=10)
    result = mine.submit(RIGHT, 95)
    assert result.note.startswith("Another terminal answered this question meanwhile")
    card = mine.store.cards("shardwise")
    assert [one.reps for one in card.values()] == [2]
    assert result.back == next(choice.back for choice in result.choices if choice.rating == result.rating)
    mine.close()
    other.close()


def test_an_earlier_answer_rated_anew_or_taken_back_elsewhere_is_told_as_that(tmp_path: Path) -> None:
    """What another terminal did is named: to change a rating, or to take an answer back, is not to answer."""
    clock = Clock()
    other = opened(tmp_path, clock, STRATEGY)
    first(other, THIS)
    other.submit(RIGHT, 75)
    clock.now += timedelta(minutes=11)
    mine = opened(tmp_path, clock, STRATEGY)
    first(mine, THIS)
    clock.now += timedelta(seconds=10)
    other.rerate("again")
    clock.now += timedelta(seconds=10)
    note = mine.submit(RIGHT, 75).note
    assert note.startswith(
        "Another terminal changed the rating of an earlier answer to this question meanwhile, so the"
    )
    mine.close()
    clock.now += timedelta(minutes=11)
    late = opened(tmp_path, clock, STRATEGY)
    first(late, THIS)
    clock.now += timedelta(seconds=10)
    undone = other.store.undo(clock.now, 0)
    assert undone is not None
    clock.now += timedelta(seconds=10)
    note = late.submit(RIGHT, 75).note
    assert note.startswith("Another terminal took back an answer to this question meanwhile, so the day was worked out")
    late.close()
    other.close()


def test_a_setting_changed_meanwhile_is_told_as_that_and_the_ratings_follow_it(tmp_path: Path) -> None:
    """What the dialog of the ratings shows is what choosing one of them stores."""
    clock = Clock()
    mine, other = opened(tmp_path, clock, STRATEGY), opened(tmp_path, clock, STRATEGY)
    first(mine, THIS)
    now = clock.now
    other.store.append(SettingChange(other.store.new_id(now), now, 0, "learning_steps", [1_800.0, 7_200.0]))
    clock.now += timedelta(seconds=10)
    result = mine.submit(Answer(), None)
    assert (
        result.note == "Your settings were changed meanwhile, so the day was worked out again; your answer is stored."
    )
    assert (result.rating, result.back) == ("again", "in 30 minutes")
    promised = {choice.rating: choice.back for choice in result.choices}
    assert promised["again"] == "in 30 minutes"
    for rating in ("hard", "good", "easy", "again"):
        again = mine.rerate(rating)
        assert (again.back, again.note) == (promised[rating], "")
    mine.close()
    other.close()


async def test_the_advice_stands_on_the_solution_and_not_for_a_moment(tmp_path: Path) -> None:
    from quiz.tui.app import ShardwiseApp

    clock = Clock()
    desk = opened(tmp_path, clock, STRATEGY)
    lapses(desk, clock, 7)
    for given in (RIGHT, RIGHT):
        first(desk, THIS)
        desk.submit(given, 95)
        clock.now += timedelta(minutes=11)
    clock.now += timedelta(days=1)
    app = ShardwiseApp(desk, first(desk, THIS))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        at = Driver(app, pilot)
        await at.see("1/1")
        await at.press("0")
        await at.see("! Forgotten 8 times.")
    app.let_go()
