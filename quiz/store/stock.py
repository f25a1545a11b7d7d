"""The cards added up where they lie: by topic and by day, as the statistics want them.

Of many cards one half is added up beside the other, by another connection that sees the same state.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
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
    import sqlite3
    from collections.abc import Collection, Mapping, Sequence


Row = tuple[Any, ...]

#: From so many questions on the cards are added up in two halves, which are told apart by one question in so many.
_MANY: Final = 2_000
_STEP: Final = 64
_AFTER_ALL: Final = "\U0010ffff"

# Of a question's generations the last one counts.
_LAST: Final = (
    " AND NOT EXISTS (SELECT 1 FROM cards AS later WHERE later.bank = cards.bank"
    " AND later.question = cards.question AND later.generation > cards.generation)"
)

#: A chance of recall is told as a whole number of so many parts: as exactly as a float tells it.
_PARTS: Final = 1 << 53
_CHANCE: Final = f"CASE WHEN last_day < ?2 THEN pow(1 + ?3 * (?2 - last_day) / stability, ?4) ELSE 1.0 END * {_PARTS}.0"
# Two figures to a number: SQLite takes longer to tell one more than it takes here to part them. The first has the
# answers above the interval in days, twice, and one more in review; the second the milliseconds above the tests of
# memory that passed, and those that failed, one byte each, since there is one a day at most. The tests are those of two
# quarters, of which the first is a parameter, as `Kept.tested` tells them of a card.
_COURSE: Final = "(reps << 32) + (due_day - last_day << 1) + (state = 'review')"
_SPENT: Final = (
    "(ms << 16) + CASE quarter - ?5 WHEN 0 THEN (passed << 8) + failed"
    " WHEN 1 THEN (passed + passed_before << 8) + failed + failed_before"
    " WHEN 2 THEN (passed_before << 8) + failed_before ELSE 0 END"
)
_SPAN: Final = (1 << 32) - 1
_TESTS: Final = (1 << 16) - 1
_BYTE: Final = (1 << 8) - 1

# Each figure of all cards as one text, a JSON array in the order of the questions: to group them by topic here takes a
# third of what SQLite takes to sort them, and it needs no function of ours, for which two halves would wait in turn.
_COLUMNS: Final = (
    "SELECT max(generation), json_group_array(question), json_group_array(CAST("  # noqa: S608
    f"{_CHANCE} AS INTEGER)), json_group_array({_COURSE}), json_group_array({_SPENT})"
    " FROM cards WHERE bank = ?1 AND question >= ?6 AND question < ?7"
)


class _Sum(NamedTuple):
    """Cards added up."""

    seen: int
    reps: int
    grown: int
    mature: int
    chance: float
    variance: float
    load: float
    passed: int
    failed: int
    ms: int


class _Summed(NamedTuple):
    """The cards of a bank by topic, those of its questions that rest apart; "" is for questions it does not have.

    `reset`: some card is of another generation than the first.
    """

    active: list[tuple[str, _Sum]]
    resting: list[tuple[str, _Sum]]
    reset: bool


def stock(
    connection: sqlite3.Connection,
    bank: str,
    topic_of: Mapping[str, str],
    today: date,
    *,
    decay: float,
    resting: Collection[str] = (),
) -> Stock:
    """Return the cards of a bank, added up.

    Args:
        connection: the history.
        bank: its id.
        topic_of: its questions, each with its topic.
        today: the learner's day.
        decay: of the forgetting curve.
        resting: ids of questions that are suspended or buried.
    """
    _teach(connection)
    connection.create_function(
        "counts", 1, lambda question: question in topic_of and question not in resting, deterministic=True
    )
    connection.create_function("is_asked", 1, topic_of.__contains__, deterministic=True)
    try:
        return _stock(connection, bank, topic_of, today, decay, frozenset(resting))
    finally:
        connection.create_function("counts", 1, None)
        connection.create_function("is_asked", 1, None)


def _teach(connection: sqlite3.Connection) -> None:
    """Let a connection know the power function where its SQLite was built without it."""
    if not connection.execute("SELECT 1 FROM pragma_function_list WHERE name = 'pow'").fetchone():
        connection.create_function("pow", 2, pow, deterministic=True)


def _summed(
    connection: sqlite3.Connection,
    topic_of: Mapping[str, str],
    resting: frozenset[str],
    values: tuple[object, ...],
    last: str,
) -> _Summed:
    """Return the cards added up.

    Args:
        connection: the history.
        topic_of: the topic of each question.
        resting: questions that rest.
        values: the parameters of the columns but the bounds.
        last: a further condition.
    """
    asked = _COLUMNS + last
    rows: list[Row] = []
    if len(topic_of) < _MANY:
        rows.append(connection.execute(asked, (*values, "", _AFTER_ALL)).fetchone())
    else:
        middle = sorted(islice(topic_of, 0, None, _STEP))[len(topic_of) // _STEP // 2]
        with beside(connection) as other:
            if other is None:
                rows.append(connection.execute(asked, (*values, "", _AFTER_ALL)).fetchone())
            else:
                _teach(other)
                with aside(lambda: rows.append(other.execute(asked, (*values, middle, _AFTER_ALL)).fetchone())):
                    found = connection.execute(asked, (*values, "", middle)).fetchone()
                rows.append(found)
    made = _Summed([], [], any(row[0] for row in rows))
    for row in rows:
        questions, figures = columns.names(row[1]), [columns.numbers(text) for text in row[2:]]
        places: dict[str, list[int]] = {}
        for place, topic in enumerate(map(topic_of.get, questions, repeat(""))):
            if topic in places:
                places[topic].append(place)
            else:
                places[topic] = [place]
        for topic, here in places.items():
            apart = {place for place in here if questions[place] in resting} if resting and topic else set()
            if apart:
                made.resting.append((topic, _added(figures, list(apart))))
            if len(apart) < len(here):
                active = [place for place in here if place not in apart] if apart else here
                made.active.append((topic, _added(figures, active)))
    return made


def _added(figures: Sequence[Sequence[int]], places: Sequence[int]) -> _Sum:
    """Add the cards at some places up."""
    take = itemgetter(*places, places[0])  # of a single place it would give no tuple
    chances, courses, spent = (take(column)[:-1] for column in figures)
    chance = sum(chances)
    grown = mature = passed = failed = below = 0
    load = 0.0
    spans = Counter([one & _SPAN for one in courses])
    for code, count in spans.items():
        span = code >> 1
        load += count / max(1, span)
        if code & 1:
            grown += count
            mature += count if span >= MATURE_DAYS else 0
    for code, count in Counter([one & _TESTS for one in spent]).items():
        passed += (code >> 8) * count
        failed += (code & _BYTE) * count
        below += code * count
    return _Sum(
        seen=len(places),
        reps=(sum(courses) - sum(code * count for code, count in spans.items())) >> 32,
        grown=grown,
        mature=mature,
        chance=chance / _PARTS,
        variance=chance / _PARTS - (hypot(*chances) / _PARTS) ** 2,
        load=load,
        passed=passed,
        failed=failed,
        ms=(sum(spent) - below) >> 16,
    )


def _stock(
    connection: sqlite3.Connection,
    bank: str,
    topic_of: Mapping[str, str],
    today: date,
    decay: float,
    resting: frozenset[str],
) -> Stock:
    first = quarter_number(today) - 1
    factor = 0.9 ** (-1 / decay) - 1
    values = (bank, today.toordinal(), factor, -decay, first)
    every = _summed(connection, topic_of, resting, values, "")
    last = _LAST if every.reset else ""
    standing = _summed(connection, topic_of, resting, values, last) if last else every
    found = {
        topic: TopicSum(questions, 0, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0)
        for topic, questions in sorted(Counter(topic_of.values()).items())
    }
    # Tests and times count for a question whatever its generation.
    for topic, one in (*every.active, *every.resting):
        if topic:
            of = found[topic]
            found[topic] = of._replace(
                passed=of.passed + one.passed, failed=of.failed + one.failed, spent=of.spent + one.ms
            )
    for topic, one in (*standing.active, *standing.resting):
        if topic:
            of = found[topic]
            found[topic] = of._replace(
                seen=of.seen + one.seen,
                learning=of.learning + one.seen - one.grown,
                young=of.young + one.grown - one.mature,
                mature=of.mature + one.mature,
                answers=of.answers + one.reps,
                chance=of.chance + one.chance,
                variance=of.variance + one.variance,
            )
    away = sum(one.seen for topic, one in standing.active if not topic)
    idle = sum(one.seen for _, one in standing.resting)
    return Stock(
        topics=found,
        due=_due(connection, bank, last, apart=bool(away or idle or last)),
        load=sum(one.load for topic, one in standing.active if topic),
        resting=idle,
        set_aside=away,
        leeches=_leeches(connection, bank, last),
    )


def _due(connection: sqlite3.Connection, bank: str, last: str, *, apart: bool) -> Counter[date]:
    """Return how many cards come due on each day; `apart`: some cards do not count."""
    if apart:
        rows = connection.execute(
            f"SELECT due_day, count(*) FROM cards WHERE bank = ? AND counts(question){last}"  # noqa: S608
            " GROUP BY due_day",
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
        found[date.fromordinal(day)] += count
    return found


def _leeches(connection: sqlite3.Connection, bank: str, last: str) -> tuple[Standing, ...]:
    rows = connection.execute(
        "SELECT question, generation, stability, last_day, due_day, state, lapses, reps FROM cards"  # noqa: S608
        f" WHERE bank = ? AND lapses >= {LAPSES} AND is_asked(question){last}",
        (bank,),
    )
    return tuple(
        Standing(name, generation, stability, date.fromordinal(seen), date.fromordinal(due), state, lapses, reps)
        for name, generation, stability, seen, due, state, lapses, reps in rows
    )
