"""The cards added up where they lie: by topic and by day, as the statistics want them.

Of many cards one half is added up beside the other, by another connection that sees the same state.
"""

from __future__ import annotations

import sqlite3
import sys
from array import array
from collections import Counter
from contextlib import suppress
from itertools import islice, repeat
from math import hypot
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quiz.scheduling.leeches import LAPSES
from quiz.statistics.standing import MATURE_DAYS, Standing
from quiz.statistics.stock import Stock, TopicSum
from quiz.statistics.tally import quarter_number
from quiz.store import columns, counters
from quiz.store.beside import aside, beside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import date


Row = tuple[Any, ...]

#: From so many questions on the cards are added up in two halves, which are told apart by one question in so many.
_MANY: Final = 2_000
_STEP: Final = 64
_AFTER_ALL: Final = "\U0010ffff"

#: A chance of recall is told as a whole number of so many parts: as exactly as a float tells it.
_PARTS: Final = 1 << 53
#: So much of a sum may be what rounding left: a hundred thousand intervals are added up, a few hundred different ones.
_ROUNDING: Final = 1e-12
_CHANCE: Final = f"CASE WHEN last_day < ?2 THEN pow(1 + ?3 * (?2 - last_day) / stability, ?4) ELSE 1.0 END * {_PARTS}.0"
# Two figures to a number: SQLite takes longer to tell one more than it takes here to part them. The first has the
# answers above the interval in days, twice, and one more in review: of so many cards as there are these never reach the
# answers. The second has the milliseconds above the tests of memory that passed, and those that failed, one byte each,
# since there is one a day at most. The tests are those of two quarters, of which the first is a parameter, as
# `Kept.tested` tells them of a card.
_COURSE: Final = "(reps << 40) + (due_day - last_day << 1) + (state = 'review')"
_SPENT: Final = (
    "(ms << 16) + CASE quarter - ?5 WHEN 0 THEN (passed << 8) + failed"
    " WHEN 1 THEN (passed + passed_before << 8) + failed + failed_before"
    " WHEN 2 THEN (passed_before << 8) + failed_before ELSE 0 END"
)
_SPAN: Final = (1 << 40) - 1

_NONE_RESET: Final[Mapping[str, int]] = {}

# Each figure of all cards as one text, a JSON array in the order of the questions: to group them by topic here takes a
# third of what SQLite takes to sort them, and it needs no function of ours, for which two halves would wait in turn.
_COLUMNS: Final = (
    "SELECT max(generation), json_group_array(question), json_group_array(CAST("
    f"{_CHANCE} AS INTEGER)), json_group_array({_COURSE}), json_group_array({_SPENT})"
)
_FROM: Final = " FROM cards WHERE bank = ?1 AND question >= ?6 AND question < ?7"
#: Which card is of the question's own generation, where not all of them are of the first one.
_GENERATIONS: Final = ", json_group_array(generation)"


class _Cards(NamedTuple):
    """Figures of cards, by place, and which cards are added up.

    Attributes:
        topics: the places of the cards of a topic, of whatever generation; "" is for questions the bank does not have.
        now: the same without those of `others`.
        others: the places of those that are of another generation than their question is now.
        idle: the places of those that rest, without those of `others`.
        chances, courses, spent: columns as SQLite told them.
        spans: the interval in days, twice, and one more in review.
        passed, failed: tests of memory.
        away: how many questions the bank does not have.
    """

    topics: dict[str, list[int]]
    now: dict[str, list[int]]
    others: frozenset[int]
    idle: list[int]
    chances: list[int]
    courses: list[int]
    spent: list[int]
    spans: list[int]
    passed: bytes
    failed: bytes
    away: int


class _Maturity(dict[int, int]):
    """Whether a card is learning (0), young or mature (2), by its span, each told once."""

    def __missing__(self, span: int) -> int:
        self[span] = found = (2 if span >> 1 >= MATURE_DAYS else 1) if span & 1 else 0
        return found


def stock(
    connection: sqlite3.Connection,
    bank: str,
    topic_of: Mapping[str, str],
    today: date,
    *,
    decay: float,
    resting: Collection[str] = (),
    generations: Mapping[str, int] = _NONE_RESET,
) -> Stock:
    """Return the cards of a bank, added up: of a question that was reset, the card of its own generation alone.

    Args:
        connection: the history.
        bank: its id.
        topic_of: its questions, each with its topic.
        today: the learner's day.
        decay: of the forgetting curve.
        resting: ids of questions that are suspended or buried.
        generations: of its questions, where that is not 0.
    """
    _teach(connection)

    def is_asked(question: str, generation: int) -> bool:
        return question in topic_of and generation == generations.get(question, 0)

    connection.create_function(
        "counts", 2, lambda question, own: is_asked(question, own) and question not in resting, deterministic=True
    )
    connection.create_function("is_asked", 2, is_asked, deterministic=True)
    try:
        found = _stock(connection, bank, topic_of, today, decay, frozenset(resting), generations)
    except BaseException:
        # What failed may have left rows unread, for which SQLite keeps the functions: told is what failed.
        with suppress(sqlite3.Error):
            _forget(connection)
        raise
    _forget(connection)
    return found


def _forget(connection: sqlite3.Connection) -> None:
    """Take the functions of a bank from a connection, which would hold the bank."""
    connection.create_function("counts", 2, None)
    connection.create_function("is_asked", 2, None)


def _teach(connection: sqlite3.Connection) -> None:
    """Let a connection know the power function where its SQLite was built without it."""
    if not connection.execute("SELECT 1 FROM pragma_function_list WHERE name = 'pow'").fetchone():
        connection.create_function("pow", 2, pow, deterministic=True)


def _rows(
    connection: sqlite3.Connection, topic_of: Mapping[str, str], values: tuple[object, ...], more: str
) -> list[Row]:
    """Return the row of `_COLUMNS`, or two where there are many cards.

    `values` are its parameters but the bounds, `more` are further columns.
    """
    asked = _COLUMNS + more + _FROM
    if len(topic_of) >= _MANY:
        middle = sorted(islice(topic_of, 0, None, _STEP))[len(topic_of) // _STEP // 2]
        with beside(connection) as other:
            if other is not None:
                _teach(other)
                rows: list[Row] = []
                with aside(lambda: rows.append(other.execute(asked, (*values, middle, _AFTER_ALL)).fetchone())):
                    first = connection.execute(asked, (*values, "", middle)).fetchone()
                return [first, *rows]
    return [connection.execute(asked, (*values, "", _AFTER_ALL)).fetchone()]


def _cards(
    connection: sqlite3.Connection,
    topic_of: Mapping[str, str],
    topics: Iterable[str],
    resting: frozenset[str],
    values: tuple[object, ...],
    generations: Mapping[str, int],
) -> _Cards:
    """Return the cards of a bank; `values` are the parameters of `_COLUMNS`."""
    rows = _rows(connection, topic_of, values, _GENERATIONS if generations else "")
    reset = bool(generations)
    if not reset and any(row[0] for row in rows):
        rows, reset = _rows(connection, topic_of, values, _GENERATIONS), True
    questions = [name for row in rows for name in columns.names(row[1])]
    chances, courses, spent, *own = (
        [number for row in rows for number in columns.numbers(row[place])] for place in range(2, len(rows[0]))
    )
    of: dict[str, list[int]] = {topic: [] for topic in ("", *topics)}
    put = {topic: places.append for topic, places in of.items()}
    for place, topic in enumerate(map(topic_of.get, questions, repeat(""))):
        put[topic](place)
    now, others, away = of, frozenset[int](), len(of[""])
    if reset:
        others = frozenset(
            place
            for place, (name, generation) in enumerate(zip(questions, *own, strict=True))
            if name in topic_of and generation != generations.get(name, 0)
        )
        now = {topic: [place for place in places if place not in others] for topic, places in of.items()}
        away = len({questions[place] for place in of[""]})
    idle = [place for place, name in enumerate(questions) if name in resting and name in topic_of] if resting else []
    low = array("q", spent)
    if sys.byteorder == "big":
        low.byteswap()
    told = low.tobytes()
    return _Cards(
        topics=of,
        now=now,
        others=others,
        idle=[place for place in idle if place not in others],
        chances=chances,
        courses=courses,
        spent=spent,
        spans=[course & _SPAN for course in courses],
        passed=told[1::8],
        failed=told[0::8],
        away=away,
    )


def _load(cards: _Cards) -> float:
    """Return the sum of one by the interval over the cards that count."""
    total = sum(count / max(1, span >> 1) for span, count in Counter(cards.spans).items())
    less = sum(1 / max(1, cards.spans[place] >> 1) for place in (*cards.topics[""], *cards.others, *cards.idle))
    return _less(total, less)


def _topics(cards: _Cards, questions: Mapping[str, int]) -> dict[str, TopicSum]:
    """Add cards up by topic; tests and times count whatever the generation."""
    maturity = bytes(map(_Maturity().__getitem__, cards.spans))
    found: dict[str, TopicSum] = {}
    for topic, count in sorted(questions.items()):
        here = _at(cards.now[topic])
        chances, grown = here(cards.chances), bytes(here(maturity))
        chance, young, mature = sum(chances), grown.count(1), grown.count(2)
        every = _at(cards.topics[topic])
        passed, failed = sum(every(cards.passed)), sum(every(cards.failed))
        found[topic] = TopicSum(
            questions=count,
            seen=len(chances),
            learning=len(chances) - young - mature,
            young=young,
            mature=mature,
            answers=sum(here(cards.courses)) >> 40,
            chance=chance / _PARTS,
            variance=_less(chance / _PARTS, (hypot(*chances) / _PARTS) ** 2),
            passed=passed,
            failed=failed,
            spent=(sum(every(cards.spent)) - (passed << 8) - failed) >> 16,
        )
    return found


def _less(total: float, part: float) -> float:
    """Return a sum without a part of it, which may be all of it: what rounding leaves of either sign is nothing."""
    left = total - part
    return left if left > total * _ROUNDING else 0.0


def _at(places: list[int]) -> Callable[[Sequence[int]], Sequence[int]]:
    """Return what takes the figures at some places out of a column."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda column: [column[place] for place in places]


def _stock(
    connection: sqlite3.Connection,
    bank: str,
    topic_of: Mapping[str, str],
    today: date,
    decay: float,
    resting: frozenset[str],
    generations: Mapping[str, int],
) -> Stock:
    first = quarter_number(today) - 1
    factor = 0.9 ** (-1 / decay) - 1
    values = (bank, today.toordinal(), factor, -decay, first)
    questions = Counter(topic_of.values())
    cards = _cards(connection, topic_of, questions, resting, values, generations)
    return Stock(
        topics=_topics(cards, questions),
        due=_due(connection, bank, apart=bool(cards.away or cards.others or cards.idle)),
        load=_load(cards),
        resting=len(cards.idle),
        set_aside=cards.away,
        leeches=_leeches(connection, bank),
    )


def _due(connection: sqlite3.Connection, bank: str, *, apart: bool) -> Counter[date]:
    """Return how many cards come due on each day; `apart`: some cards do not count."""
    if apart:
        rows = connection.execute(
            "SELECT due_day, count(*) FROM cards WHERE bank = ? AND counts(question, generation) GROUP BY due_day",
            (bank,),
        )
        found: Counter[date] = Counter()
    else:
        rows = connection.execute(
            "SELECT due_day, count(*) FROM cards INDEXED BY cards_by_time WHERE bank = ? AND state <> 'review'"
            " GROUP BY due_day",
            (bank,),
        )
        found = Counter(counters.load(connection, bank).by_day())
    for day, count in rows:
        found[columns.day(day)] += count
    return found


def _leeches(connection: sqlite3.Connection, bank: str) -> tuple[Standing, ...]:
    rows = connection.execute(
        "SELECT question, generation, stability, last_day, due_day, state, lapses, reps FROM cards"  # noqa: S608
        f" WHERE bank = ? AND lapses >= {LAPSES} AND is_asked(question, generation)",
        (bank,),
    )
    return tuple(
        Standing(name, generation, stability, columns.day(seen), columns.day(due), state, lapses, reps)
        for name, generation, stability, seen, due, state, lapses, reps in rows
    )
