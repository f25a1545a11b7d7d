"""What the learner may set about scheduling, with the defaults and the bounds of each.

Settings are values here. The store keeps each change as an event, so that a card can be derived again as
it was scheduled at the time; `Settings.with_value` is the one way from such an event to a value.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from quiz.scheduling.calendar import DEFAULT_ROLLOVER_HOUR

if TYPE_CHECKING:
    from collections.abc import Mapping

#: A settings value as an event can carry it.
Value = bool | int | float | str | tuple[float, ...]


class Settings(msgspec.Struct, frozen=True):
    """The learner's scheduling settings.

    Attributes:
        rollover_hour: local hour at which a day begins, 0 to 23.
        retention: wanted probability of recall when a card comes due, 0.7 to 0.99.
        learning_steps: waits of a new card in seconds, each under a day.
        relearning_steps: waits of a forgotten card in seconds.
        maximum_interval: longest wait in days.
        fuzz: spread intervals a little, so that cards learned together do not stay together.
        learn_ahead: seconds ahead of its time within which a learning card belongs to a session: the session waits
            for it, or asks it early where the learner wishes.
        new_per_day, reviews_per_day: limits of the queue.
        quick_ms: an answer within this time counts as quick.
    """

    rollover_hour: int = DEFAULT_ROLLOVER_HOUR
    retention: float = 0.9
    learning_steps: tuple[float, ...] = (60.0, 600.0)
    relearning_steps: tuple[float, ...] = (600.0,)
    maximum_interval: int = 36_500
    fuzz: bool = True
    learn_ahead: int = 1_200
    new_per_day: int = 10
    reviews_per_day: int = 200
    quick_ms: int = 30_000

    def __post_init__(self) -> None:
        """Refuse a value outside its bounds.

        Raises:
            ValueError: names the setting, its value and what is allowed.
        """
        for name, (low, high) in _BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                message = f"{name} = {value} is out of bounds; choose {low} to {high}"
                raise ValueError(message)
        for name in _STEPS:
            for step in getattr(self, name):
                if not 0 < step < _DAY or not math.isfinite(step):
                    message = f"{name}: a step of {step} seconds is not within one day"
                    raise ValueError(message)

    def with_value(self, name: str, value: object) -> Settings:
        """Return settings with one value changed, read as the setting's own type.

        Raises:
            ValueError: no such setting, or the value is of another type or out of bounds.
        """
        if name not in NAMES:
            message = f"there is no setting {name!r}; the settings are {', '.join(NAMES)}"
            raise ValueError(message)
        changed: Mapping[str, Any] = {name: _read(name, value)}
        return structs.replace(self, **changed)


_DAY: Final = 86_400
_STEPS: Final = ("learning_steps", "relearning_steps")
_BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "rollover_hour": (0, 23),
    "retention": (0.7, 0.99),
    "maximum_interval": (1, 36_500),
    "learn_ahead": (0, _DAY),
    "new_per_day": (0, 9_999),
    "reviews_per_day": (0, 9_999),
    "quick_ms": (0, 3_600_000),
}

NAMES: Final[tuple[str, ...]] = tuple(Settings.__struct_fields__)


def _read(name: str, value: object) -> Value:
    if name in _STEPS:
        if isinstance(value, (list, tuple)) and all(_is_number(step) for step in value):
            return tuple(float(step) for step in value)
    elif name == "fuzz":
        if isinstance(value, bool):
            return value
    elif name == "retention":
        if _is_number(value):
            return float(value)  # type: ignore[arg-type]  # _is_number has decided
    elif isinstance(value, int) and not isinstance(value, bool):
        return value
    message = f"{name} cannot be {value!r}"
    raise ValueError(message)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
