"""The cards added up where they lie: by topic and by day, as the statistics want them.

Of many cards one half is added up beside the other, by another connection that sees the same state.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from quiz.scheduling.leeches import LAPSES
from quiz.statistics.standing import MATURE_DAYS, Standing
from quiz.statistics.stock import Stock, TopicSum
from quiz.statistics.tally import quarter_number
from quiz.store import counters
from quiz.store.beside import aside, beside

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator, Mapping


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

# Tests of memory in two quarters, the first of which is the parameter; as `Kept.tested` tells them of a card.
_TESTED: Final = (
    "sum(CASE quarter - {first} WHEN 0 THEN {one} WHEN 1 THEN {one} + {one}_before WHEN 2 THEN {one}_before ELSE 0 END)"
)
_PASSED: Final = _TESTED.format(first="?5", one="passed")
_FAILED: Final = _TESTED.format(first="?5", one="failed")

# The inner query has a limit so that each of its figures is computed once a card. A place is that of the topic, twice,
# and one more where the question rests; it is null where the bank has no such question.
_TOPICS: Final = f"""
    SELECT place, count(*), sum(reps), sum(grown), sum(grown AND span >= {MATURE_DAYS}), sum(chance),
        sum(chance * (1 - chance)), sum(1.0 / max(1, span)), {_PASSED}, {_FAILED}, sum(ms), max(generation)
    FROM (
        SELECT place_of(question) AS place, generation, reps, state = 'review' AS grown, due_day - last_day AS span,
            CASE WHEN last_day < ?2 THEN pow(1 + ?3 * (?2 - last_day) / stability, ?4) ELSE 1.0 END AS chance,
            ms, quarter, passed, failed, passed_before, failed_before
        FROM cards WHERE bank = ?1 AND question >= ?6 AND question < ?7{{last}} LIMIT -1
    )
    GROUP BY place
"""  # noqa: S608


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
    counts = Counter(topic_of.values())
    topics = sorted(counts)
    place_of = {topic: 2 * place for place, topic in enumerate(topics)}
    places = dict(zip(topic_of, map(place_of.__getitem__, topic_of.values()), strict=True))
    for question in resting:
        if question in places:
            places[question] += 1
    with _taught(connection, places):
        return _stock(connection, bank, [(topic, counts[topic]) for topic in topics], places, today, decay)


@contextmanager
def _taught(connection: sqlite3.Connection, places: Mapping[str, int]) -> Iterator[None]:
    """Let a connection know the places, and the power function where its SQLite was built without it."""
    if not connection.execute("SELECT 1 FROM pragma_function_list WHERE name = 'pow'").fetchone():
        connection.create_function("pow", 2, pow, deterministic=True)
    connection.create_function("place_of", 1, places.get, deterministic=True)
    try:
        yield
    finally:
        connection.create_function("place_of", 1, None)


def _summed(
    connection: sqlite3.Connection, places: Mapping[str, int], values: tuple[object, ...], last: str
) -> list[Row]:
    """Return the rows of `_TOPICS`: of all cards, or of each half of many."""
    asked = _TOPICS.format(last=last)
    if len(places) < _MANY:
        return connection.execute(asked, (*values, "", _AFTER_ALL)).fetchall()
    middle = sorted(islice(places, 0, None, _STEP))[len(places) // _STEP // 2]
    with beside(connection) as other:
        if other is None:
            return connection.execute(asked, (*values, "", _AFTER_ALL)).fetchall()
        with _taught(other, places):
            rows: list[Row] = []
            with aside(lambda: rows.extend(other.execute(asked, (*values, middle, _AFTER_ALL)).fetchall())):
                found = connection.execute(asked, (*values, "", middle)).fetchall()
            return found + rows


def _stock(
    connection: sqlite3.Connection,
    bank: str,
    topics: list[tuple[str, int]],
    places: Mapping[str, int],
    today: date,
    decay: float,
) -> Stock:
    first = quarter_number(today) - 1
    factor = 0.9 ** (-1 / decay) - 1
    values = (bank, today.toordinal(), factor, -decay, first)
    rows = _summed(connection, places, values, "")
    last = _LAST if any(row[-1] for row in rows) else ""
    # Tests and times count for a question whatever its generation.
    tested = [(row[0], row[8:11]) for row in rows]
    if last:
        rows = _summed(connection, places, values, last)
    found = {topic: TopicSum(questions, 0, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0) for topic, questions in topics}
    for place, (passed, failed, spent) in tested:
        if place is not None:
            name = topics[place // 2][0]
            one = found[name]
            found[name] = one._replace(passed=one.passed + passed, failed=one.failed + failed, spent=one.spent + spent)
    for place, seen, reps, grown, mature, chance, variance, *_ in rows:
        if place is not None:
            name = topics[place // 2][0]
            one = found[name]
            found[name] = one._replace(
                seen=one.seen + seen,
                learning=one.learning + seen - grown,
                young=one.young + grown - mature,
                mature=one.mature + mature,
                answers=one.answers + reps,
                chance=one.chance + chance,
                variance=one.variance + variance,
            )
    gone = sum(row[1] for row in rows if row[0] is None)
    idle = sum(row[1] for row in rows if row[0] is not None and row[0] % 2)
    return Stock(
        topics=found,
        due=_due(connection, bank, last, apart=bool(gone or idle or last)),
        load=sum(row[7] for row in rows if row[0] is not None and not row[0] % 2),
        resting=idle,
        set_aside=gone,
        leeches=_leeches(connection, bank, last),
    )


def _due(connection: sqlite3.Connection, bank: str, last: str, *, apart: bool) -> Counter[date]:
    """Return how many cards come due on each day; `apart`: some cards do not count."""
    if apart:
        rows = connection.execute(
            f"SELECT due_day, count(*) FROM cards WHERE bank = ? AND place_of(question) % 2 = 0{last}"  # noqa: S608
            " GROUP BY due_day",
            (bank,),
        )
        found: Counter[date] = Counter()
    else:
        rows = connection.execute(
            "SELECT due_day, count(*) FROM cards WHERE bank = ? AND state <> 'review' GROUP BY due_day", (bank,)
        )
        found = Counter(counters.load(connection, bank))
    for day, count in rows:
        found[date.fromordinal(day)] += count
    return found


def _leeches(connection: sqlite3.Connection, bank: str, last: str) -> tuple[Standing, ...]:
    rows = connection.execute(
        "SELECT question, generation, stability, last_day, due_day, state, lapses, reps FROM cards"  # noqa: S608
        f" WHERE bank = ? AND lapses >= {LAPSES} AND place_of(question) IS NOT NULL{last}",
        (bank,),
    )
    return tuple(
        Standing(name, generation, stability, date.fromordinal(seen), date.fromordinal(due), state, lapses, reps)
        for name, generation, stability, seen, due, state, lapses, reps in rows
    )
