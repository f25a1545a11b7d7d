"""From a verdict to a rating."""

from __future__ import annotations

from typing import get_args

import pytest

from quiz.scheduling.rating import CONFIDENCES, QUICK_MS, Confidence, Rating, Verdict, rate, why
from quiz.scheduling.settings import Settings

QUICK, SLOW = QUICK_MS, QUICK_MS + 1


@pytest.mark.parametrize(
    ("verdict", "confidence", "duration", "rating", "reason"),
    [
        ("incorrect", 95, QUICK, Rating.AGAIN, "wrong"),
        ("incorrect", 25, SLOW, Rating.AGAIN, "wrong"),
        ("wrong-unit", 95, QUICK, Rating.AGAIN, "wrong unit"),
        ("unknown", None, QUICK, Rating.AGAIN, "not known"),
        ("close", 95, QUICK, Rating.HARD, "close"),
        ("close", None, SLOW, Rating.HARD, "close"),
        ("correct", 25, QUICK, Rating.HARD, "right, but a guess"),
        ("correct", 50, QUICK, Rating.HARD, "right, but a lean"),
        ("correct", 75, QUICK, Rating.GOOD, "right"),
        ("correct", 75, SLOW, Rating.GOOD, "right"),
        ("correct", None, 0, Rating.GOOD, "right"),
        ("correct", 95, QUICK, Rating.EASY, "right, certain and quick"),
        ("correct", 95, SLOW, Rating.GOOD, "right"),
    ],
)
def test_the_table_decides(
    verdict: Verdict, confidence: Confidence | None, duration: int, rating: Rating, reason: str
) -> None:
    assert rate(verdict, confidence, duration) is rating
    assert why(verdict, confidence, duration) == reason


def test_every_verdict_has_a_rating() -> None:
    for verdict in get_args(Verdict):
        for confidence in (None, *CONFIDENCES):
            assert rate(verdict, confidence, SLOW) in Rating


def test_an_answer_that_could_not_be_read_is_not_rated() -> None:
    with pytest.raises(ValueError, match="'invalid' is no verdict"):
        rate("invalid", 95, 0)  # type: ignore[arg-type]


def test_settings_and_rule_agree_on_quick() -> None:
    assert Settings().quick_ms == QUICK_MS


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("rollover", 4, "there is no setting 'rollover'"),
        ("rollover_hour", 24, "choose 0 to 23"),
        ("rollover_hour", True, "cannot be True"),
        ("retention", "0.9", "cannot be '0.9'"),
        ("retention", 0.999, "choose 0.7 to 0.99"),
        ("learning_steps", [60, 90_000], "between nothing and a day"),
        ("learning_steps", [float("nan")], "between nothing and a day"),
        ("learning_steps", "60", "cannot be '60'"),
        ("maximum_interval", 0, "choose 1 to 36500"),
        ("fuzz", 1, "cannot be 1"),
    ],
)
def test_a_setting_out_of_bounds_is_refused_with_what_is_allowed(name: str, value: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Settings().with_value(name, value)


def test_a_setting_read_from_json_is_the_setting() -> None:
    """Lists become tuples and whole numbers become floats where the setting is one."""
    changed = Settings().with_value("learning_steps", [30, 300]).with_value("retention", 0.95)
    assert changed.learning_steps == (30.0, 300.0)
    assert changed.retention == 0.95
