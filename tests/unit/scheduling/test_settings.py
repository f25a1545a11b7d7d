"""Settings: as a person writes them, as an event carries them, and the retention that a day aims at."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.scheduling import spoken
from quiz.scheduling.settings import NAMES, RAMP_DAYS, READY, WEIGHT_BOUNDS, Settings

TODAY = date(2026, 11, 30)
INTERVIEW = date(2027, 3, 3)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("new_per_day", "20", 20),
        ("retention", "0.95", 0.95),
        ("retention", "95 %", 0.95),
        ("retention.memory-budget", "0.9", 0.9),
        ("retention.memory-budget", "default", None),
        ("fuzz", "off", False),
        ("balance", "ON", True),
        ("easy_days", "Saturday, sun", ["sat", "sun"]),
        ("easy_days", "weekend", ["sat", "sun"]),
        ("easy_days", "none", []),
        ("easy_days", "mon tue wed thu fri sat", ["mon", "tue", "wed", "thu", "fri", "sat"]),
        ("learning_steps", "10m 10m", [600.0, 600.0]),
        ("interview_date", "2027-03-03", "2027-03-03"),
        ("interview_date", "3 March", "2027-03-03"),
        ("interview_date", "30 Nov", "2026-11-30"),
        ("interview_date", "1 December 2030", "2030-12-01"),
        ("interview_date", "29 Feb", "2028-02-29"),
        ("interview_date", "none", None),
        ("learning_steps", "30s 10m 1.5h", [30.0, 600.0, 5_400.0]),
        ("relearning_steps", "none", []),
        ("learn_ahead", "1h", 3_600),
        ("quick_ms", "20s", 20_000),
        ("quick_ms", "20000", 20_000),
    ],
)
def test_a_setting_is_read_as_a_person_writes_it(name: str, text: str, value: object) -> None:
    assert spoken.heard(name, text, TODAY) == value
    Settings().with_value(name, json.loads(json.dumps(value)))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("new_per_day", "many", "a number from 0 to 9999"),
        ("new_per_day", "2.5", "a whole number from 0 to 9999"),
        ("retention", "", "a number from 0.7 to 0.99"),
        ("fuzz", "2", "on or off"),
        ("easy_days", "someday", "'someday' is no day of the week"),
        ("interview_date", "soon", "write it as 2027-03-03 or 3 March"),
        ("interview_date", "30 February", "in no calendar"),
        ("interview_date", "29 February 2027", "in no calendar"),
        ("learning_steps", "1m tomorrow", "'tomorrow' is no wait"),
        ("learn_ahead", "", "is no wait"),
        ("new_per_day", "inf", "a whole number from 0 to 9999"),
        ("new_per_day", "nan", "a whole number from 0 to 9999"),
        ("learn_ahead", "25h", "too long; it may be 0 to 24h"),
        ("learn_ahead", "9" * 400 + "h", "too long; it may be 0 to 24h"),
        ("quick_ms", "2h", "too long; it may be 0 to 1h"),
        ("quick_ms", "3600001", "too long; it may be 0 to 1h"),
        ("interview_date", "1 December 2020", "Tue 1 December 2020 has passed"),
        ("easy_days", "sunnyday", "'sunnyday' is no day of the week"),
        ("easy_days", "mon tue wed thu fri weekend", "with all seven no day is left .* or lower reviews_per_day"),
        ("learning_steps", "10m 1m", "at least as long as the one before it.*; write 1m 10m"),
        ("relearning_steps", "1h 10m 30s", "write 30s 10m 1h"),
    ],
)
def test_what_cannot_be_read_says_what_can(name: str, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        spoken.heard(name, text, TODAY)


def test_every_setting_but_the_weights_is_told_and_what_is_shown_can_be_typed() -> None:
    names = spoken.names(["zero"])
    assert {*names, "weights"} == {*NAMES, "retention.zero"}
    settings = Settings(
        retentions=(("zero", 0.93),), easy_days=("fri",), interview_date=INTERVIEW, learning_steps=(90.0,), fuzz=False
    )
    for name in names:
        held = spoken.value_of(settings, name)
        text = str(held) if isinstance(held, date) else spoken.shown(name, held)
        assert settings.with_value(name, spoken.heard(name, text, TODAY)) == settings


def test_none_puts_the_default_back() -> None:
    changed = Settings(new_per_day=3, retentions=(("zero", 0.8),), interview_date=INTERVIEW)
    for name in ("new_per_day", "retention.zero", "interview_date"):
        changed = changed.with_value(name, None)
    assert changed == Settings()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("retention.", 0.9, "there is no setting"),
        ("retention.zero", "0.9", "cannot be '0.9'"),
        ("retention.zero", 0.5, "choose 0.7 to 0.99"),
        ("retentions", [], "there is no setting"),
        ("easy_days", ["monday"], "'monday' is no day"),
        ("interview_date", "2027-02-30", "day"),
        ("interview_date", 3, "cannot be 3"),
        ("balance", 1, "cannot be 1"),
        ("weights", [0.5], "cannot be"),
        ("weights", {"values": [0.5]}, "there are 1 of them; the model takes 21"),
        ("weights", {"values": [-1.0] * 21}, r"weights\[0\] = -1.0 is out of bounds"),
        ("new_per_day", 2.5, "cannot be 2.5"),
    ],
)
def test_an_event_s_value_of_another_kind_is_refused(name: str, value: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Settings().with_value(name, value)


def test_the_bounds_of_the_weights_are_the_package_s() -> None:
    from fsrs.scheduler import LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS

    assert tuple(zip(LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS, strict=True)) == WEIGHT_BOUNDS


def test_a_topic_has_its_own_retention() -> None:
    settings = Settings(retention=0.88, retentions=(("zero", 0.95),))
    assert settings.target("zero", TODAY) == 0.95
    assert settings.target("ddp", TODAY) == 0.88


@given(st.floats(0.7, 0.99), st.integers(-60, 20))
def test_the_target_rises_to_the_interview_within_bounds_and_falls_back_after_it(base: float, place: int) -> None:
    """Monotone up to the day, never under the learner's own, never over `READY` unless that is."""
    settings = Settings(retention=base, interview_date=INTERVIEW)
    day = INTERVIEW + timedelta(days=place)
    today, tomorrow = (settings.target("zero", day + timedelta(days=more)) for more in (0, 1))
    assert base <= today <= max(base, READY)
    if place < 0:
        assert today <= tomorrow
    else:
        assert tomorrow == base
    if place <= -RAMP_DAYS:
        assert today == base
    if place == 0:
        assert today == max(base, READY)
