"""Settings on the screen: changed from now on, refused with what may be, the default put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.session.events import SettingChange
from quiz.tui.ports import Trouble, Wanted
from tests.tui.driving import opened
from tests.tui.fixtures import NUMERIC, ORDERING, STRATEGY
from tests.tui.memory_desk import MemoryDesk
from tests.tui.real_desk import Clock, first
from tests.tui.real_desk import opened as opened_desk

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_value_is_typed_refused_mended_and_kept() -> None:
    desk = MemoryDesk()
    async with opened(desk) as at:
        await at.press("comma")
        await at.see("new questions a day")
        await at.press("enter")
        await at.see("It may be 0 to 9999")
        await at.press("x", "enter")
        await at.see("is a number from 0 to 9999")
        await at.press("ctrl+u", "7", "enter")
        await at.see("new_per_day: 7 from now on.")
        assert desk.limit == "7"
        await at.press("d")
        await at.see("new_per_day: default from now on.")
        assert desk.limit == "10"


async def test_what_is_on_or_off_is_turned_by_enter() -> None:
    desk = MemoryDesk()
    async with opened(desk) as at:
        await at.press("comma")
        await at.see("spread the days")
        await at.press("down", "enter")
        await at.see("fuzz: off from now on.")
        assert not desk.fuzz
        await at.press("q")
        await at.see(" due · ")


def test_settings_are_events_and_hold_for_the_next_session(tmp_path: Path) -> None:
    desk = opened_desk(tmp_path, Clock(), STRATEGY, NUMERIC, ORDERING)
    assert desk.standing().new == 3
    assert desk.change_setting("new_per_day", "1") == "new_per_day: 1 from now on (it was 10)."
    assert desk.change_setting("new_per_day", " 1 ") == "new_per_day is 1 already."
    assert desk.standing().new == 1
    assert first(desk, Wanted()).total == 1
    name = f"retention.{STRATEGY.topic}"
    assert desk.change_setting(name, "95%") == f"{name}: 0.95 from now on (it was default)."
    assert {one.name: one.value for one in desk.settings()}[name] == "0.95"
    assert desk.change_setting("new_per_day", "") == "new_per_day: 10 from now on (it was 1)."
    changes = [(event.name, event.value) for event in desk.store.events() if isinstance(event, SettingChange)]
    assert changes == [("new_per_day", 1), (name, 0.95), ("new_per_day", None)]


def test_a_value_out_of_bounds_changes_nothing(tmp_path: Path) -> None:
    desk = opened_desk(tmp_path, Clock(), STRATEGY)
    for name, text, says in (
        ("retention", "2", "choose 0.7 to 0.99"),
        ("interview_date", "soon", "write it as"),
        ("easy_days", "someday", "no day of the week"),
    ):
        with pytest.raises(Trouble, match=says):
            desk.change_setting(name, text)
    assert list(desk.store.events()) == []
