"""Settings as a person reads and writes them: `on`, `1m 10m`, `sat sun`, `3 March`. Pure.

`TOLD` has a line for each setting; `shown` writes a value, `heard` reads one, as an event carries it.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.scheduling.settings import BOUNDS, NAMES, PER_TOPIC, RAMP_DAYS, READY, WEEKDAYS, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence


class Told(NamedTuple):
    """What a setting does, and what it may be."""

    what: str
    allowed: str


TOLD: Final = {
    "new_per_day": Told("new questions a day", "0 to 9999"),
    "reviews_per_day": Told("reviews a day", "0 to 9999"),
    "retention": Told("the chance of recall that a question comes back at", "0.7 to 0.99"),
    "retention.TOPIC": Told("the same for one topic", "0.7 to 0.99, or default"),
    "interview_date": Told(f"ready by; retention rises to {READY} over {RAMP_DAYS} days", "3 March, or none"),
    "easy_days": Told("weekdays that take a third of the load", "six at most: sat sun, weekend"),
    "balance": Told("within the spread, choose the day with least to do", "on or off"),
    "fuzz": Told("spread the days a little", "on or off"),
    "maximum_interval": Told("the longest wait, in days", "1 to 36500"),
    "rollover_hour": Told("the hour at which your day begins", "0 to 23"),
    "learning_steps": Told("waits of a new question", "rising, under a day: 1m 10m, or none"),
    "relearning_steps": Told("waits of a forgotten question", "rising, under a day: 10m, or none"),
    "learn_ahead": Told("a session waits for what comes back within", "0 to 24h"),
    "quick_ms": Told("right, certain and within this time counts as easy", "0 to 1h"),
}

_ON: Final = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_NONE: Final = ("none", "no", "never", "-")
_UNITS: Final = {"s": 1, "m": 60, "h": 3_600}
#: The longest wait of any setting, in seconds: a day.
_LONGEST: Final = 86_400
_LONGEST_QUICK: Final = 3_600
_CUT: Final = 30
_WAIT: Final = re.compile(r"(\d+(?:\.\d+)?)([smh]?)")
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPOKEN_DAY: Final = re.compile(r"(\d{1,2})\.?\s+([a-z]{3})[a-z]*\.?(?:,?\s+(\d{4}))?")


def told(name: str) -> Told:
    """Return what a setting does and what it may be."""
    return TOLD["retention.TOPIC" if name.startswith(PER_TOPIC) else name]


def names(topics: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names that can be set, those of the topics too; the weights are the fit's."""
    return (*(name for name in TOLD if name in NAMES), *(f"{PER_TOPIC}{topic}" for topic in topics))


def value_of(settings: Settings, name: str) -> object:
    """Return a setting by name; None for a topic without a retention of its own."""
    if name.startswith(PER_TOPIC):
        return dict(settings.retentions).get(name.removeprefix(PER_TOPIC))
    return getattr(settings, name)


def shown(name: str, value: object) -> str:  # noqa: PLR0911 - one return for each kind of value
    """Write a value of a setting."""
    match value:
        case bool():
            return "on" if value else "off"
        case None | ():
            return "default" if name.startswith(PER_TOPIC) else "none"
        case date():
            return f"{value:%a} {value.day} {value:%B} {value.year}"
        case tuple() if name == "easy_days":
            return " ".join(str(one) for one in value)
        case tuple():
            return " ".join(_wait(float(one)) for one in value)
    if name == "learn_ahead" and isinstance(value, int):
        return _wait(value)
    if name == "quick_ms" and isinstance(value, int):
        return _wait(value / 1_000)
    return str(value)


def heard(name: str, text: str, today: date) -> object:  # noqa: PLR0911 - one return for each kind of setting
    """Read what a person wrote, as an event carries it; a day without a year is the next such day from today on.

    Raises:
        ValueError: it cannot be read; the message says what can.
    """
    plain = " ".join(text.lower().replace(",", " ").split())
    if name in ("fuzz", "balance"):
        if plain not in _ON:
            raise ValueError(f"{name} is on or off, and not {text!r}")
        return _ON[plain]
    if name == "interview_date":
        return None if plain in _NONE else _ahead(_day(plain, text, today), today)
    if name == "easy_days":
        return _weekdays(plain)
    if name in ("learning_steps", "relearning_steps"):
        return [] if plain in _NONE else _rising(name, plain.split())
    if name == "learn_ahead":
        return round(_seconds(name, plain))
    if name == "quick_ms":
        # A bare number is what the name says.
        if plain[-1:].isdigit():
            plain = f"{_seconds(name, plain, _LONGEST_QUICK * 1_000) / 1_000:f}s"
        return round(_seconds(name, plain, _LONGEST_QUICK) * 1_000)
    if name.startswith(PER_TOPIC) and plain == "default":
        return None
    return _number(name, plain)


def _number(name: str, plain: str) -> float:
    bounds = BOUNDS["retention" if name.startswith(PER_TOPIC) else name]
    whole = isinstance(getattr(Settings(), name, 0.5), int)
    share = plain.removesuffix("%").strip()
    try:
        value = float(share) / (100 if share != plain else 1)
    except ValueError:
        raise ValueError(f"{name} is a number from {bounds[0]} to {bounds[1]}, and not {plain!r}") from None
    if whole and not value.is_integer():
        raise ValueError(f"{name} is a whole number from {bounds[0]} to {bounds[1]}, and not {plain!r}")
    return int(value) if whole else value


def _weekdays(plain: str) -> list[str]:
    if plain in _NONE:
        return []
    wanted: list[str] = []
    for word in plain.split():
        if word in ("weekend", "weekends"):
            wanted += ["sat", "sun"]
        elif any(len(word) >= len(day[:3]) and f"{day}s".startswith(word) for day in _DAYS):
            wanted.append(word[:3])
        else:
            raise ValueError(f"{word!r} is no day of the week; they are {', '.join(WEEKDAYS)}, weekend, none")
    if len(set(wanted)) == len(WEEKDAYS):
        raise ValueError(
            "easy_days: with all seven no day is left to take what an easy one does not; leave out one or more, or "
            "lower reviews_per_day or new_per_day to do less on each"
        )
    return wanted


def _rising(name: str, words: Sequence[str]) -> list[float]:
    """The waits of steps, none shorter than the one before it."""
    waits = [_seconds(name, word) for word in words]
    if waits != sorted(waits):
        raise ValueError(
            f"{name}: each wait is at least as long as the one before it, since a step is reached by remembering; "
            f"write {' '.join(map(_wait, sorted(waits)))}"
        )
    return waits


def _ahead(day: date, today: date) -> str:
    if day < today:
        raise ValueError(f"{shown('interview_date', day)} has passed; give a day from today on, or none")
    return day.isoformat()


def _seconds(name: str, word: str, longest: float = _LONGEST) -> float:
    found = _WAIT.fullmatch(word)
    if found is None:
        raise ValueError(f"{name}: {word!r} is no wait; write it as 30s, 10m or 1.5h")
    seconds = float(found[1]) * _UNITS[found[2] or "s"]
    if not seconds <= longest:
        raise ValueError(f"{name}: {word[:_CUT]!r} is too long; it may be {TOLD[name].allowed}")
    return seconds


def _wait(seconds: float) -> str:
    for unit in ("h", "m"):
        if seconds and seconds % _UNITS[unit] == 0:
            return f"{seconds / _UNITS[unit]:g}{unit}"
    return f"{seconds:g}s"


def _day(plain: str, text: str, today: date) -> date:
    try:
        return date.fromisoformat(plain)
    except ValueError:
        found = _SPOKEN_DAY.fullmatch(plain)
    if found is None or found[2] not in _MONTHS:
        raise ValueError(f"{text!r} is no day; write it as 2027-03-03 or 3 March")
    month, number = _MONTHS.index(found[2]) + 1, int(found[1])
    # 29 February may lie eight years ahead.
    for year in [int(found[3])] if found[3] else range(today.year, today.year + 9):
        try:
            day = date(year, month, number)
        except ValueError:
            continue
        if found[3] or day >= today:
            return day
    raise ValueError(f"{text!r} is in no calendar; write a day as 2027-03-03 or 3 March")
