"""What the learner may set about scheduling, with the defaults and the bounds of each.

Settings are values here. The store keeps each change as an event, so that a card can be derived again as
it was scheduled at the time; `Settings.with_value` is the one way from such an event to a value, and a value
of None puts the default back. `quiz.scheduling.spoken` reads and writes them as a person does.
"""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from quiz.scheduling.calendar import DEFAULT_ROLLOVER_HOUR

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The days of the week, Monday first, as `easy_days` names them.
WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

#: The retention aimed at on the day of the interview, unless the learner's own is higher.
READY: Final = 0.95

#: Over so many days before the interview the target rises to `READY`.
RAMP_DAYS: Final = 30

#: What stands before a topic in the name of a setting: `retention.memory-budget`.
PER_TOPIC: Final = "retention."


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
        balance: within the spread of the fuzz, choose the day with least to do.
        easy_days: weekdays with less to do, of `WEEKDAYS`.
        interview_date: the target rises as this day comes near; None without one.
        retentions: topic and retention, where a topic has its own, in order of topic.
        weights: the 21 weights of the memory model; empty for the default ones.
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
    balance: bool = True
    easy_days: tuple[str, ...] = ()
    interview_date: date | None = None
    retentions: tuple[tuple[str, float], ...] = ()
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a value outside its bounds.

        Raises:
            ValueError: names the setting, its value and what is allowed.
        """
        for name, (low, high) in BOUNDS.items():
            _within(name, getattr(self, name), low, high)
        for name in _STEPS:
            for step in getattr(self, name):
                if not 0 < step < _DAY or not math.isfinite(step):
                    message = f"{name}: a wait of {step:g} seconds is not between nothing and a day"
                    raise ValueError(message)
        for topic, value in self.retentions:
            _within(f"{PER_TOPIC}{topic}", value, *BOUNDS["retention"])
        for day in self.easy_days:
            if day not in WEEKDAYS:
                message = f"easy_days: {day!r} is no day of the week; they are {', '.join(WEEKDAYS)}"
                raise ValueError(message)
        if self.weights and len(self.weights) != len(WEIGHT_BOUNDS):
            message = f"weights: there are {len(self.weights)} of them; the model takes {len(WEIGHT_BOUNDS)}"
            raise ValueError(message)
        for place, (weight, (low, high)) in enumerate(zip(self.weights, WEIGHT_BOUNDS, strict=False)):
            _within(f"weights[{place}]", weight, low, high)

    def with_value(self, name: str, value: object) -> Settings:
        """Return settings with one value changed, read as the setting's own type; None puts the default back.

        Raises:
            ValueError: no such setting, or the value is of another type or out of bounds.
        """
        if name.startswith(PER_TOPIC) and len(name) > len(PER_TOPIC):
            return self._with_topic(name.removeprefix(PER_TOPIC), value)
        if name not in NAMES:
            message = f"there is no setting {name!r}; the settings are {', '.join(NAMES)}"
            raise ValueError(message)
        changed: Mapping[str, Any] = {name: getattr(_DEFAULT, name) if value is None else _read(name, value)}
        return structs.replace(self, **changed)

    def _with_topic(self, topic: str, value: object) -> Settings:
        kept = {one: share for one, share in self.retentions if one != topic}
        if value is not None:
            if not _is_number(value):
                message = f"{PER_TOPIC}{topic} cannot be {value!r}"
                raise ValueError(message)
            kept[topic] = float(value)  # type: ignore[arg-type]  # _is_number has decided
        return structs.replace(self, retentions=tuple(sorted(kept.items())))

    def target(self, topic: str, day: date) -> float:
        """Return the retention aimed at for an answer on a topic on a day.

        It is the topic's own, or else `retention`. Over the last `RAMP_DAYS` days before the interview it rises in
        a straight line to `READY` on the day itself (never down to it), and the day after it is what it was. So it
        never falls as the interview comes near, and stays within the bounds of `retention`.
        """
        base = dict(self.retentions).get(topic, self.retention)
        if self.interview_date is None:
            return base
        left = (self.interview_date - day).days
        if not 0 <= left < RAMP_DAYS or base >= READY:
            return base
        return READY - (READY - base) * left / RAMP_DAYS


_DAY: Final = 86_400
_STEPS: Final = ("learning_steps", "relearning_steps")

#: The least and the greatest value of each number.
BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "rollover_hour": (0, 23),
    "retention": (0.7, 0.99),
    "maximum_interval": (1, 36_500),
    "learn_ahead": (0, _DAY),
    "new_per_day": (0, 9_999),
    "reviews_per_day": (0, 9_999),
    "quick_ms": (0, 3_600_000),
}

#: The least and the greatest value of each weight, as the `fsrs` package has them.
WEIGHT_BOUNDS: Final[tuple[tuple[float, float], ...]] = (
    *((0.001, 100.0),) * 4,
    (1.0, 10.0),
    (0.001, 4.0),
    (0.001, 4.0),
    (0.001, 0.75),
    (0.0, 4.5),
    (0.0, 0.8),
    (0.001, 3.5),
    (0.001, 5.0),
    (0.001, 0.25),
    (0.001, 0.9),
    (0.0, 4.0),
    (0.0, 1.0),
    (1.0, 6.0),
    (0.0, 2.0),
    (0.0, 2.0),
    (0.0, 0.8),
    (0.1, 0.8),
)

#: The settings by name. `retention.TOPIC` stands for one of each topic, and sets an entry of `retentions`.
NAMES: Final[tuple[str, ...]] = tuple(name for name in Settings.__struct_fields__ if name != "retentions")


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        message = f"{name} = {value} is out of bounds; choose {low} to {high}"
        raise ValueError(message)


def _read(name: str, value: object) -> object:  # noqa: PLR0911 - one return for each kind of setting
    """Read a value as an event carries it.

    Raises:
        ValueError: it is of another type.
    """
    match name:
        case "learning_steps" | "relearning_steps" if _are_numbers(value):
            return tuple(float(step) for step in value)  # type: ignore[attr-defined]  # as above
        case "weights" if isinstance(value, dict) and _are_numbers(value.get("values")):
            return tuple(float(weight) for weight in value["values"])
        case "easy_days" if isinstance(value, (list, tuple)) and all(isinstance(day, str) for day in value):
            return tuple(day for day in WEEKDAYS if day in value) + tuple(day for day in value if day not in WEEKDAYS)
        case "interview_date" if isinstance(value, str):
            return date.fromisoformat(value)
        case "fuzz" | "balance" if isinstance(value, bool):
            return value
        case "retention" if _is_number(value):
            return float(value)  # type: ignore[arg-type]  # _is_number has decided
    if BOUNDS.get(name) and name != "retention" and isinstance(value, int) and not isinstance(value, bool):
        return value
    message = f"{name} cannot be {value!r}"
    raise ValueError(message)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_numbers(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(_is_number(one) for one in value)


_DEFAULT: Final = Settings()
