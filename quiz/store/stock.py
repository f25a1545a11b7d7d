"""The cards added up where they lie: by topic and by day, as the statistics want them."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from quiz.scheduling.leeches import LAPSES
from quiz.statistics.standing import MATURE_DAYS, Standing
from quiz.statistics.stock import Stock, TopicSum
from quiz.statistics.topics import columns_for

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable


# Of a question's generations the last one counts.
_LAST = (
    " AND NOT EXISTS (SELECT 1 FROM cards AS later WHERE later.bank = cards.bank"
    " AND later.question = cards.question AND later.generation > cards.generation)"
)

# The inner query has a limit so that each of its figures is computed once a card.
_TOPICS = """
    SELECT topic, count(*), sum(reps), sum(grown), sum(grown AND span >= {mature}), sum(chance),
        sum(chance * (1 - chance)), sum(resting), sum(CASE WHEN resting THEN 0 ELSE 1.0 / max(1, span) END)
    FROM (
        SELECT topic, reps, resting, state = 'review' AS grown, julianday(due_day) - julianday(last_day) AS span,
            CASE WHEN last_day < ?2
                THEN pow(1 + ?3 * (julianday(?2) - julianday(last_day)) / stability, ?4) ELSE 1.0 END AS chance
        FROM cards JOIN temp.asked ON asked.question = cards.question WHERE bank = ?1{last} LIMIT -1
    )
    GROUP BY topic
"""


def stock(
    connection: sqlite3.Connection,
    bank: str,
    asked: Iterable[tuple[str, str]],
    today: date,
    *,
    decay: float,
    resting: Collection[str] = (),
) -> Stock:
    """Return the cards of a bank, added up.

    Args:
        connection: the history. A table of the questions is made beside it, which no other program sees.
        bank: its id.
        asked: its questions, each with its topic.
        today: the learner's day.
        decay: of the forgetting curve.
        resting: ids of questions that are suspended or buried.
    """
    _teach(connection)
    questions = _ask(connection, asked, resting)
    try:
        return _stock(connection, bank, questions, today, decay)
    finally:
        connection.execute("DROP TABLE temp.asked")


def _stock(connection: sqlite3.Connection, bank: str, questions: dict[str, int], today: date, decay: float) -> Stock:
    (cards, generations) = connection.execute(
        "SELECT count(*), max(generation) FROM cards WHERE bank = ?", (bank,)
    ).fetchone()
    last = _LAST if generations else ""
    if generations:
        (cards,) = connection.execute(f"SELECT count(*) FROM cards WHERE bank = ?{last}", (bank,)).fetchone()  # noqa: S608
    tallied = _tallied(connection, bank, today)
    factor = 0.9 ** (-1 / decay) - 1
    rows = connection.execute(
        _TOPICS.format(mature=MATURE_DAYS, last=last), (bank, today.isoformat(), factor, -decay)
    ).fetchall()
    topics, found = list(questions), {}
    for place, topic in enumerate(topics):
        passed, failed, spent = tallied.get(place, (0, 0, 0))
        found[topic] = TopicSum(questions[topic], 0, 0, 0, 0, 0, 0.0, 0.0, passed, failed, spent)
    for place, seen, reps, grown, mature, chance, variance, *_ in rows:
        found[topics[place]] = found[topics[place]]._replace(
            seen=seen,
            learning=seen - grown,
            young=grown - mature,
            mature=mature,
            answers=reps,
            chance=chance,
            variance=variance,
        )
    gone = cards - sum(row[1] for row in rows)
    idle = sum(row[7] for row in rows)
    return Stock(
        topics=found,
        due=_due(connection, bank, last, apart=bool(gone or idle or generations)),
        load=sum(row[8] for row in rows),
        resting=idle,
        set_aside=gone,
        leeches=_leeches(connection, bank, last),
    )


def _ask(connection: sqlite3.Connection, asked: Iterable[tuple[str, str]], resting: Collection[str]) -> dict[str, int]:
    """Fill the table of questions; return how many each topic has, the topics in the order of their places in it."""
    by_topic: dict[str, list[str]] = {}
    for question, topic in asked:
        names = by_topic.get(topic)
        if names is None:
            names = by_topic[topic] = []
        names.append(question)
    topics = sorted(by_topic)
    connection.execute("DROP TABLE IF EXISTS temp.asked")
    connection.execute(
        "CREATE TEMP TABLE asked (question TEXT PRIMARY KEY, topic INTEGER NOT NULL, resting INTEGER NOT NULL)"
        " WITHOUT ROWID"
    )
    for place, topic in enumerate(topics):
        connection.execute(
            "INSERT OR REPLACE INTO temp.asked SELECT value, ?, 0 FROM json_each(?)",
            (place, json.dumps(by_topic[topic])),
        )
    connection.execute(
        "UPDATE temp.asked SET resting = 1 WHERE question IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(resting)),),
    )
    return {topic: len(by_topic[topic]) for topic in topics}


def _tallied(connection: sqlite3.Connection, bank: str, today: date) -> dict[int, tuple[int, int, int]]:
    """Return by topic the first reviews of two quarters that passed and failed, and the milliseconds spent."""
    names = {name for name, _ in columns_for(today)}
    rows = connection.execute(
        "SELECT topic, sum(count) FILTER (WHERE key = 'pass'), sum(count) FILTER (WHERE key = 'fail'),"  # noqa: S608
        " sum(count) FILTER (WHERE key = '') FROM tallies JOIN temp.asked ON asked.question = tallies.question"
        f" WHERE bank = ? AND name IN ({', '.join('?' * len(names))}) GROUP BY topic",
        (bank, *sorted(names)),
    )
    return {topic: (passed or 0, failed or 0, spent or 0) for topic, passed, failed, spent in rows}


def _due(connection: sqlite3.Connection, bank: str, last: str, *, apart: bool) -> Counter[date]:
    """Return how many cards come due on each day; `apart`: some cards do not count."""
    if apart:
        rows = connection.execute(
            "SELECT due_day, count(*) FROM cards JOIN temp.asked ON asked.question = cards.question"  # noqa: S608
            f" WHERE bank = ? AND NOT resting{last} GROUP BY due_day",
            (bank,),
        )
    else:
        rows = connection.execute(
            "SELECT day, count FROM loads WHERE bank = ?1 UNION ALL"
            " SELECT due_day, count(*) FROM cards WHERE bank = ?1 AND state <> 'review' GROUP BY due_day",
            (bank,),
        )
    found: Counter[date] = Counter()
    for day, count in rows:
        found[date.fromisoformat(day)] += count
    return found


def _leeches(connection: sqlite3.Connection, bank: str, last: str) -> tuple[Standing, ...]:
    rows = connection.execute(
        "SELECT cards.question, generation, stability, last_day, due_day, state, lapses, reps FROM cards"  # noqa: S608
        f" JOIN temp.asked ON asked.question = cards.question WHERE bank = ? AND lapses >= ?{last}",
        (bank, LAPSES),
    )
    return tuple(
        Standing(name, generation, stability, date.fromisoformat(seen), date.fromisoformat(due), state, lapses, reps)
        for name, generation, stability, seen, due, state, lapses, reps in rows
    )


def _teach(connection: sqlite3.Connection) -> None:
    """Give a connection the power function where its SQLite was built without it."""
    if not connection.execute("SELECT 1 FROM pragma_function_list WHERE name = 'pow'").fetchone():
        connection.create_function("pow", 2, pow, deterministic=True)
