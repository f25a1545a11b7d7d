"""What one answer adds to the tallies: integer counters that add up, whatever the order.

Every figure is computed from the sums of these cells and from the cards as they stand, never from the answers
one by one. Cells of days belong to the bank as a whole (`question` is ""):

==========================  =================================================================================
`day 2026-11-30`            key
==========================  =================================================================================
every answer                `answers`; `ms`; `took FROM` (a histogram of times); `hour HH right`, `hour HH wrong`
first answer to a card      `new`
first of the card's day     `sure PERCENT right`, `sure PERCENT wrong`, where a confidence was given
the same, card seen before  `recall MATURITY pass`, `recall MATURITY fail`
==========================  =================================================================================

Cells of a question:

==========================  =================================================================================
name                        key
==========================  =================================================================================
`ms`                        "", milliseconds spent
`recall 2026Q4`             `pass`, `fail`: as for the day, by quarter of the year
`slip 2026Q4`               the id of each mistake that was recognised, in the whole or in a part
`chose 2026Q4`              the id of the wrong option that was chosen
==========================  =================================================================================

Of `ms` and `recall` a history holds what the figures ask for, beside the card: `Kept`.

Only the first answer of a card's day counts as a test of memory, as in Anki's table of true retention: an answer that
follows a reveal by minutes tests the reveal. Passed means any rating but "again". An answer's time counts up to
`LONGEST_MS`, so that a question left open over lunch does not stand for a morning of work.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from quiz.scheduling.calendar import add_time
from quiz.scheduling.rating import CONFIDENCES, Rating
from quiz.statistics.standing import Maturity, maturity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from quiz.scheduling.cards import Card
    from quiz.session.attempt import Attempt

#: Name of the cells that are sums over days, where a figure needs no more.
DAYS: Final = "days"
#: The longest time that counts for one answer, in milliseconds.
LONGEST_MS: Final = 600_000
#: Times below this share the first class of the histogram, in milliseconds.
_SHORT_MS: Final = 1_024
#: Classes of the histogram to each doubling of the time.
_CLASSES: Final = 4


class Cell(NamedTuple):
    """The address of one counter; `question` is "" for the bank as a whole."""

    name: str
    question: str
    key: str


class Kept(NamedTuple):
    """What a card holds of its answers beside its memory: counters, whatever the order of the answers.

    Attributes:
        ms: milliseconds spent.
        quarter: the last quarter with a test of memory, counted as `quarter_number` does; 0 without one.
        passed, failed: tests of memory in that quarter.
        passed_before, failed_before: in the quarter before it.
    """

    ms: int = 0
    quarter: int = 0
    passed: int = 0
    failed: int = 0
    passed_before: int = 0
    failed_before: int = 0

    def after(self, attempt: Attempt, before: Card | None, rating: Rating) -> Kept:
        """Return it with one answer more; the arguments are those of `contributions`."""
        ms, quarter, passed, failed, passed_before, failed_before = self
        ms += _spent(attempt)
        if before is None or before.last_day >= attempt.day:
            return Kept(ms, *self[1:])
        of = quarter_number(attempt.day)
        if of > quarter:
            passed_before, failed_before = (passed, failed) if of == quarter + 1 else (0, 0)
            quarter, passed, failed = of, 0, 0
        right = rating != Rating.AGAIN
        if of == quarter:
            passed, failed = passed + right, failed + (not right)
        elif of == quarter - 1:
            passed_before, failed_before = passed_before + right, failed_before + (not right)
        return Kept(ms, quarter, passed, failed, passed_before, failed_before)

    def tested(self, first: int) -> tuple[int, int]:
        """Return how many tests passed and failed in a quarter and in the one after it."""
        one = (self.passed, self.failed) if first <= self.quarter <= first + 1 else (0, 0)
        other = (self.passed_before, self.failed_before) if first <= self.quarter - 1 <= first + 1 else (0, 0)
        return one[0] + other[0], one[1] + other[1]


def contributions(attempt: Attempt, before: Card | None, rating: Rating) -> Mapping[Cell, int]:
    """Return what an answer that counts adds to the tallies.

    Args:
        attempt: the answer, its verdict and slips as amended.
        before: its card before the answer, None where it is the first that counts.
        rating: the rating that counts.

    Returns:
        By cell, a positive count.
    """
    day, quarter, question = day_name(attempt.day), quarter_of(attempt.day), attempt.card.question
    cells = {Cell(day, "", key): count for key, count in of_day(attempt, before, rating).items()}
    if spent := _spent(attempt):
        cells[Cell("ms", question, "")] = spent
    if before is not None and before.last_day < attempt.day:
        cells[Cell(f"recall {quarter}", question, "fail" if rating == Rating.AGAIN else "pass")] = 1
    return cells | {Cell(f"{what} {quarter}", question, key): 1 for what, key in mistakes(attempt)}


def of_day(attempt: Attempt, before: Card | None, rating: Rating) -> dict[str, int]:
    """Return what an answer adds to the cells of its day, by key; the arguments are those of `contributions`."""
    spent = _spent(attempt)
    right = "right" if attempt.verdict == "correct" else "wrong"
    hour = add_time(attempt.time, timedelta(minutes=attempt.offset)).hour
    keys = {"answers": 1, f"took {class_of(spent)}": 1, f"hour {hour:02d} {right}": 1}
    if spent:
        keys["ms"] = spent
    if before is None:
        keys["new"] = 1
    if before is None or before.last_day < attempt.day:
        if attempt.confidence is not None:
            keys[f"sure {attempt.confidence} {right}"] = 1
        if before is not None:
            grown = maturity(before.state, before.last_day, before.due_day)
            keys[f"recall {grown} {'fail' if rating == Rating.AGAIN else 'pass'}"] = 1
    return keys


def keys_of_days() -> tuple[str, ...]:
    """Return every key that `of_day` can give."""
    took, last = [0], class_of(LONGEST_MS)
    while took[-1] < last:
        took.append(class_end(took[-1]))
    outcomes = ("right", "wrong")
    return (
        *("answers", "ms", "new"),
        *(f"took {lower}" for lower in took),
        *(f"hour {hour:02d} {outcome}" for hour in range(24) for outcome in outcomes),
        *(f"sure {said} {outcome}" for said in CONFIDENCES for outcome in outcomes),
        *(f"recall {grown} {outcome}" for grown in get_args(Maturity) for outcome in ("pass", "fail")),
    )


def mistakes(attempt: Attempt) -> set[tuple[str, str]]:
    """Return the mistakes of an answer, each as what it was (`slip`, `chose`) and which."""
    found = {("slip", slip) for slip in (attempt.slip, *(part.slip for part in attempt.parts)) if slip}
    chosen = attempt.response.chosen
    if len(chosen) == 1 and chosen[0] not in attempt.shown.key:
        found.add(("chose", chosen[0]))
    return found


def _spent(attempt: Attempt) -> int:
    return min(max(0, attempt.duration_ms), LONGEST_MS)


def day_name(day: date) -> str:
    """Return the name of a day's cells; names sort as the days do."""
    return f"day {day.isoformat()}"


def quarter_of(day: date) -> str:
    """Return the quarter of the year of a day, `2026Q4`; quarters sort as they pass."""
    return f"{day.year:04d}Q{(day.month + 2) // 3}"


def quarter_number(day: date) -> int:
    """Return the quarter of the year of a day as a number, one more than that of the quarter before."""
    return day.year * 4 + (day.month - 1) // 3


def quarter_named(number: int) -> str:
    """Return the quarter with a number as `quarter_of` names it."""
    return f"{number // 4:04d}Q{number % 4 + 1}"


def quarter_start(day: date) -> date:
    """Return the first day of the quarter that a day lies in."""
    return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)


def class_of(milliseconds: int) -> int:
    """Return the lower bound of the class of a time in the histogram, in milliseconds.

    Below 1,024 ms there is one class, from 0; above, each doubling has four of equal width.
    """
    if milliseconds < _SHORT_MS:
        return 0
    width = (1 << (milliseconds.bit_length() - 1)) // _CLASSES
    return milliseconds // width * width


def class_end(lower: int) -> int:
    """Return the upper bound, excluded, of the class that begins at `lower`, in milliseconds."""
    return _SHORT_MS if lower < _SHORT_MS else lower + (1 << (lower.bit_length() - 1)) // _CLASSES
