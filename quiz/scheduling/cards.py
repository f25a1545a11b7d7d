"""The schedule of one question: FSRS-6 under the learner's calendar.

The memory model is the `fsrs` package's (`quiz.scheduling.memory`). Around it stand three rules of our own:

- Elapsed time is counted in calendar days of the learner's rollover, where the package counts blocks of 24 hours.
- Learning steps are intraday waits; every longer interval is due when its day begins.
- The fuzz is ours: drawn from the card's name and its number of reviews, so that the interval shown
  before the answer is the one stored after it, and a card derived again from its history is the same.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from quiz.scheduling import calendar, memory
from quiz.scheduling.rating import Rating

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import fsrs

    from quiz.scheduling.settings import Settings

State = memory.State

#: All of them, the worst first: going through the enumeration itself takes longer than what is done with each.
RATINGS: Final = tuple(Rating)


class CardKey(NamedTuple):
    """What a card is the schedule of. The generation rises when an author resets a question."""

    bank: str
    question: str
    generation: int = 0

    @property
    def seed(self) -> str:
        """The text that seeds whatever is drawn for this card."""
        return f"{self.bank}\x1f{self.question}\x1f{self.generation}"


class Card(msgspec.Struct, frozen=True):
    """Where the memory of one question stands.

    Attributes:
        stability: days until the chance of recall falls to 90 %.
        difficulty: 1 (easy) to 10.
        state: learning and relearning cards wait minutes, review cards days.
        step: index of the learning step, None in review.
        due: the instant from which it is due, in UTC.
        due_day: the learner's day on which it is due.
        last: the instant of the last answer, in UTC.
        last_day: the learner's day of the last answer.
        reps: answers so far.
        lapses: how often it was forgotten in review.
    """

    stability: float
    difficulty: float
    state: State
    step: int | None
    due: datetime
    due_day: date
    last: datetime
    last_day: date
    reps: int
    lapses: int

    @property
    def is_learning(self) -> bool:
        """True while the card waits minutes and not days."""
        return self.state != "review"

    def is_due(self, now: datetime, today: date) -> bool:
        """Tell whether the card is due: by the clock while it is learning, by the day in review.

        The day decides in review, so that neither travel nor summer time moves a card.
        """
        return calendar.utc(now) >= self.due if self.is_learning else today >= self.due_day


class Reviewed(NamedTuple):
    """What an answer makes of a card.

    `earliest` and `latest` bound the spread of the fuzz: the days on which it may as well come back.
    """

    card: Card
    due: datetime
    interval: timedelta
    earliest: date
    latest: date

    @property
    def days(self) -> int:
        """Calendar days until it is due; 0 for a wait within the learning steps."""
        return self.interval.days


class Answer:
    """An answer to a card on a day: what its four ratings share, and what each makes of the card.

    The moment of the day decides little of it, so it can be made ready while the question is read. The arguments are
    those of `review`.
    """

    __slots__ = (
        "_begun",
        "_card",
        "_digest",
        "_drawn",
        "_elapsed",
        "_memory",
        "_model",
        "_offset",
        "_seed",
        "_settings",
        "today",
    )

    def __init__(
        self, card: Card | None, day: date, offset: int, *, settings: Settings, seed: str, retention: float
    ) -> None:
        self._card, self._offset, self._settings, self._seed = card, offset, settings, seed
        #: The learner's day of the answer, never before that of the card's last one.
        self.today = day
        self._memory: memory.Standing | None = None
        self._elapsed = 0
        if card is not None:
            self._memory = memory.Standing(card.state, card.step, card.stability, card.difficulty)
            self._elapsed = min(calendar.days_between(card.last_day, day), _LONGEST)
            self.today = max(day, card.last_day)
        self._model = _model(
            retention,
            settings.learning_steps,
            settings.relearning_steps,
            settings.maximum_interval,
            settings.weights,
        )
        self._digest: int | None = None
        self._drawn: list[Drawn | None] = [None] * (len(RATINGS) + 1)
        self._begun: datetime | None = None

    def rated(self, rating: Rating) -> Drawn:
        """Return the memory after a rating, the days that the fuzz draws and the bounds of its spread."""
        found = self._drawn[rating] or self._rated(rating)
        self._drawn[rating] = found
        return found

    def _rated(self, rating: Rating) -> Drawn:
        told = self._model.told(self._memory, rating, self._elapsed)
        if told.state != "review":
            return Drawn(rating, told, 0, 0, 0)
        days = low = high = told.wait.days
        if self._settings.fuzz:
            low, high = spread(days, self._settings.maximum_interval)
            if self._digest is None:
                self._digest = _drawn(self._seed, self._card.reps if self._card else 0)
            days = low + self._digest * (high - low + 1) // _WHOLE
        return Drawn(rating, told, days, low, high)

    def reviewed(self, drawn: Drawn, days: int, now: datetime) -> Reviewed:
        """Return the card after a rating at a moment; in review it comes back after so many days."""
        card, offset, today = self._card, self._offset, self.today
        now = calendar.not_before(now, card.last if card else None)
        told, hour = drawn.told, self._settings.rollover_hour
        state, wait = told.state, told.wait
        if state == "review" and today.year < _LAST_YEAR:
            if self._begun is None:
                self._begun = calendar.start_of_day(today, offset, rollover_hour=hour)
            wait = calendar.days(days)
            due, due_day = self._begun + wait, today + wait
            earliest, latest = today + calendar.days(drawn.low), today + calendar.days(drawn.high)
        elif state == "review":  # some of its days may be after the last one that the calendar can name
            wait = calendar.days(days)
            due_day = calendar.add_days(today, days)
            due = calendar.start_of_day(due_day, offset, rollover_hour=hour)
            earliest, latest = calendar.add_days(today, drawn.low), calendar.add_days(today, drawn.high)
        else:
            due = calendar.add_time(now, wait)
            earliest = latest = due_day = max(today, calendar.effective_day(due, offset, rollover_hour=hour))
        forgotten = drawn.rating == _AGAIN and card is not None and card.state == "review"
        after = Card(
            told.stability,
            told.difficulty,
            state,
            told.step,
            due,
            due_day,
            now,
            today,
            (card.reps if card else 0) + 1,
            (card.lapses if card else 0) + forgotten,
        )
        return Reviewed(after, due, wait, earliest, latest)


class Drawn(msgspec.Struct, frozen=True, gc=False):
    """What a rating makes of a memory; in review, the days drawn by the fuzz, and the bounds of its spread in days."""

    rating: Rating
    told: memory.Told
    days: int
    low: int
    high: int


#: The answer that was asked for last, with what it is made of: what was made ready while the question was read is what
#: the buttons show, and what the buttons show is stored a moment later.
_LATEST: Final[list[tuple[tuple[object, ...], Answer]]] = []


def answer(
    card: Card | None, now: datetime, offset: int, settings: Settings, seed: str, day: date | None, aim: float | None
) -> Answer:
    """Return an `Answer`; where it is the one before once more, that one, with what it has told already."""
    aim = settings.retention if aim is None else aim
    day = day or calendar.effective_day(now, offset, rollover_hour=settings.rollover_hour)
    asked = (card, day, offset, settings, seed, aim)
    latest = _LATEST[0] if _LATEST else None
    if latest is None or latest[0] != asked:
        latest = asked, Answer(card, day, offset, settings=settings, seed=seed, retention=aim)
        _LATEST[:] = [latest]
    return latest[1]


def review(  # noqa: PLR0913 - the facts of one answer
    card: Card | None,
    rating: Rating,
    now: datetime,
    offset: int,
    *,
    settings: Settings,
    seed: str,
    day: date | None = None,
    retention: float | None = None,
    chosen: date | None = None,
) -> Reviewed:
    """Return the card after an answer, with its due instant and its interval.

    Args:
        card: the card before, or None for the first answer.
        rating: how well it was remembered.
        now: instant of the answer. Where it lies before the card's last answer the clock was set back, and
            the last answer's instant and day count instead: dates never move backwards.
        offset: minutes east of UTC in force.
        settings: steps, retention, bounds, fuzz, rollover.
        seed: text that names the card; with the number of reviews it decides the fuzz.
        day: the learner's day of the answer where it is known already (an answer derived again keeps the
            day that was stored with it); by default the day of `now`.
        retention: the chance of recall aimed at; by default the setting's.
        chosen: the day on which it is to come back, where that lies within the spread; else the fuzz decides.

    Returns:
        The new card. `interval` is whole days for a review (from day to day, whatever the hour), and the
        exact wait for a learning step.
    """
    given = answer(card, now, offset, settings, seed, day, retention)
    drawn = given.rated(rating)
    wanted = drawn.days if chosen is None else (chosen - given.today).days
    return given.reviewed(drawn, wanted if drawn.low <= wanted <= drawn.high else drawn.days, now)


def preview(
    card: Card | None,
    now: datetime,
    offset: int,
    *,
    settings: Settings,
    seed: str,
    day: date | None = None,
    retention: float | None = None,
) -> Mapping[Rating, Reviewed]:
    """Return what each rating would store, exactly: the same function, the same seed.

    Where the days are balanced by their load, `quiz.scheduling.balance.preview` is what is stored.
    """
    given = answer(card, now, offset, settings, seed, day, retention)
    drawn = [given.rated(rating) for rating in RATINGS]
    return {one.rating: given.reviewed(one, one.days, now) for one in drawn}


def retrievability(card: Card, today: date, weights: tuple[float, ...] = ()) -> float:
    """Return the chance of recall on a day, 0 to 1, by the forgetting curve of the weights (empty: the default)."""
    elapsed = calendar.days_between(card.last_day, today)
    decay = weights[-1] if weights else _DECAY
    factor = 0.9 ** (-1 / decay) - 1 if weights else _FACTOR
    return float((1 + factor * elapsed / card.stability) ** -decay)


def remembered(answers: Iterable[tuple[date, Rating]], settings: Settings) -> tuple[float, float] | None:
    """Return stability and difficulty after a card's answers (day and rating, in order); None without any.

    It is what `review` makes of them, without days and steps: how a memory stands under other weights.
    """
    import fsrs

    scheduler = _scheduler(0.9, (), (), settings.maximum_interval, settings.weights)
    card = fsrs.Card(card_id=1, due=_ORIGIN)
    at, last = _ORIGIN, None
    for day, rating in answers:
        today = day if last is None else max(day, last)
        elapsed = 0 if last is None else min(calendar.days_between(last, today), _LONGEST)
        # Counted from the origin at each answer, as in `_model`, so that no course of answers leaves the calendar.
        card.last_review = None if last is None else _ORIGIN
        card, _ = scheduler.review_card(card, fsrs.Rating(int(rating)), at + timedelta(days=elapsed))
        last = today
    if card.stability is None or card.difficulty is None:
        return None
    return card.stability, card.difficulty


@lru_cache(maxsize=1024)
def spread(days: int, maximum: int) -> tuple[int, int]:
    """Return the shortest and the longest interval that the fuzz may make of one, both in days.

    The width follows the package: nothing under 3 days, then 15 %, 10 % and 5 % of the parts of the
    interval up to 7, up to 20 and beyond 20 days, and one day. Both are at least 2 and at most `maximum`.
    """
    if days < _FUZZ_FROM:
        return min(days, maximum), min(days, maximum)
    delta = 1.0 + sum(part * max(min(float(days), end) - start, 0.0) for start, end, part in _FUZZ_PARTS)
    high = min(round(days + delta), maximum)
    return min(max(2, round(days - delta)), high), high


def fuzzed(days: int, seed: str, reps: int, maximum: int) -> int:
    """Return an interval moved a little within its spread, the same for the same card and review.

    A longer interval never becomes shorter than a shorter one would.
    """
    low, high = spread(days, maximum)
    return low + _drawn(seed, reps) * (high - low + 1) // _WHOLE


def _drawn(seed: str, reps: int) -> int:
    """Draw a number below 2**64 for a review of a card."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\x1f{reps}".encode(), digest_size=8).digest(), "big")


_WHOLE: Final = 2**64
#: Before this year no interval leads out of the calendar: the longest is a hundred years.
_LAST_YEAR: Final = 9_800
_AGAIN: Final = Rating.AGAIN
_FUZZ_FROM: Final = 2.5
_FUZZ_PARTS: Final = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.1), (20.0, float("inf"), 0.05))

# The default forgetting curve (FSRS-6, weight 20), here so that the home screen need not load the model.
_DECAY: Final = 0.1542
_FACTOR: Final = 0.9 ** (-1 / _DECAY) - 1

#: The made-up day of the last answer that the package is shown; elapsed days are added to it.
_ORIGIN: Final = datetime(2000, 1, 1, tzinfo=UTC)
#: Longest elapsed time shown to the package, so that its own due date stays within the calendar.
_LONGEST: Final = 2_500_000


@lru_cache(maxsize=128)
def _model(
    retention: float,
    learning_steps: tuple[float, ...],
    relearning_steps: tuple[float, ...],
    maximum_interval: int,
    weights: tuple[float, ...],
) -> memory.Model:
    return memory.Model(weights or memory.WEIGHTS, retention, learning_steps, relearning_steps, maximum_interval)


@lru_cache(maxsize=128)
def _scheduler(
    retention: float,
    learning_steps: tuple[float, ...],
    relearning_steps: tuple[float, ...],
    maximum_interval: int,
    weights: tuple[float, ...],
) -> fsrs.Scheduler:
    import fsrs

    return fsrs.Scheduler(
        parameters=weights or fsrs.scheduler.DEFAULT_PARAMETERS,
        desired_retention=retention,
        learning_steps=[timedelta(seconds=step) for step in learning_steps],
        relearning_steps=[timedelta(seconds=step) for step in relearning_steps],
        maximum_interval=maximum_interval,
        enable_fuzzing=False,
    )
