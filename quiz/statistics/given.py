"""What the figures are made of, added up once: the cells of days, the cells of questions, the cards."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from quiz.statistics.standing import DECAY, Standing
from quiz.statistics.tally import DAYS, quarter_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quiz.statistics.stock import Stock
    from quiz.statistics.tally import Cell


Columns: TypeAlias = "Mapping[tuple[str, str], Mapping[str, int]]"
"""Cells of questions by name and key: the count by question."""


class Made(NamedTuple):
    """How often a mistake was made, and in which questions how often: all of them, or those with most."""

    times: int
    questions: Mapping[str, int]

    def with_(self, other: Made) -> Made:
        """Return both as one."""
        return Made(self.times + other.times, Counter(self.questions) + Counter(other.questions))


ByDay: TypeAlias = "Mapping[str, Mapping[date, int]]"
"""Cells of days by key: the count on each day."""

Mistaken: TypeAlias = "Mapping[str, Mapping[str, Made]]"
"""By `slip` or `chose`, by what it was."""

_NONE: Final[Columns] = {}
_NO_MISTAKES: Final[Mistaken] = {}
_NO_DAYS: Final[ByDay] = {}


class Asked(NamedTuple):
    """A question of the bank, as far as the figures need it."""

    id: str
    topic: str
    kind: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """What a report is made from.

    Attributes:
        today: the learner's day.
        questions: those that the bank asks; cards and cells of others are counted as set aside.
        cells: the tallies, of the whole bank or of one topic.
        cards: the cards; of several generations of a question the last one counts, and none that is not its own.
        since: the first day that counts for figures of the past; None for all of them.
        topic: the topic that the report is about; "" for all. `questions` and `cells` hold it alone then.
        targets: the retention aimed at, by topic; those that are missing have `target`.
        target: the retention aimed at.
        new_per_day: the limit of new questions a day.
        interview: the day to be ready by.
        resting: ids of questions that are suspended or buried: not due.
        decay: of the forgetting curve; a positive number.
        columns: cells of questions that come by name and key instead, which is quicker where there are many.
        by_day: cells of days from `since` on that come by key and day instead; no day of them is among `cells`.
        reviews: tests of memory in the whole history, whatever the topic and the day; None: all are among the cells.
        stock: the cards added up, in the place of `cards` and `columns`, which is quicker still. Of the questions
            those alone are wanted then of which mistakes are told: claims, and those of its leeches.
        mistakes: how often which `slip` was made and which option was chosen, where that is not among the cells.
    """

    today: date
    questions: tuple[Asked, ...]
    cells: Iterable[tuple[Cell, int]] = ()
    cards: Iterable[Standing] = ()
    since: date | None = None
    topic: str = ""
    targets: Mapping[str, float] = field(default_factory=dict)
    target: float = 0.9
    new_per_day: int = 10
    interview: date | None = None
    resting: frozenset[str] = frozenset()
    decay: float = DECAY
    columns: Columns = field(default_factory=dict)
    mistakes: Mistaken = field(default_factory=dict)
    by_day: ByDay = field(default_factory=dict)
    stock: Stock | None = None
    reviews: int | None = None


class Sums:
    """The cells, added up by what they count. Days before `since` are left out, quarters that end before it too.

    Cells named `DAYS` are sums over days already, for which `right` has no day.
    """

    def __init__(
        self,
        cells: Iterable[tuple[Cell, int]],
        since: date | None = None,
        columns: Columns = _NONE,
        mistaken: Mistaken = _NO_MISTAKES,
        by_day: ByDay = _NO_DAYS,
    ) -> None:
        """Add up; each cell is looked at once, columns, mistakes and what comes by day are taken as they are."""
        self._mistaken = mistaken
        self.answers: Counter[date] = Counter()
        self.right: Counter[date] = Counter()
        self.ms: Counter[date] = Counter()
        self.new: Counter[date] = Counter()
        self.recall: Counter[tuple[date, str, str]] = Counter()
        self.sure: Counter[tuple[int, str]] = Counter()
        self.took: Counter[int] = Counter()
        self.hours: Counter[tuple[int, str]] = Counter()
        self.columns: dict[tuple[str, str], Mapping[str, int]] = dict(columns)
        self.since = since
        for key, counts in by_day.items():
            self._of_days(key, counts)
        found: dict[tuple[str, str], dict[str, int]] = {}
        days: dict[str, date | None] = {DAYS: date.min}
        for (cell_name, question, key), count in cells:
            if question:
                column = found.setdefault((cell_name, key), {})
                column[question] = column.get(question, 0) + count
                continue
            if cell_name not in days:
                of = date.fromisoformat(cell_name.removeprefix("day "))
                days[cell_name] = of if since is None or of >= since else None
            if (day := days[cell_name]) is not None:
                self._of_day(day, key, count)
        self.columns.update(found)

    def column(self, name: str, key: str = "") -> Mapping[str, int]:
        """Return the counts of a cell by question."""
        return self.columns.get((name, key), {})

    def mistakes(self, what: str) -> Mapping[str, Made]:
        """Return by key how often a `slip` or a `chose` was made, since the quarter of the first day."""
        if what in self._mistaken:
            return self._mistaken[what]
        first = quarter_of(self.since) if self.since else ""
        found: dict[str, Counter[str]] = {}
        for (name, key), column in self.columns.items():
            kind, _, quarter = name.partition(" ")
            if kind == what and quarter >= first:
                found.setdefault(key, Counter()).update(column)
        return {key: Made(questions.total(), questions) for key, questions in found.items()}

    def _of_days(self, key: str, counts: Mapping[date, int]) -> None:
        """Take the counts of a key whose figure is kept by day."""
        what, rest = _told(key)
        if what == "recall":
            dict.update(self.recall, {(day, *rest): count for day, count in counts.items()})
            return
        kept = {"answers": self.answers, "ms": self.ms, "new": self.new}
        dict.update(kept[what], counts)  # a counter's own would add them up one by one

    def _of_day(self, day: date, key: str, count: int) -> None:
        what, rest = _told(key)
        match what:
            case "answers":
                _add(self.answers, day, count)
            case "ms":
                _add(self.ms, day, count)
            case "new":
                _add(self.new, day, count)
            case "recall":
                _add(self.recall, (day, *rest), count)
            case "sure":
                _add(self.sure, (int(rest[0]), rest[1]), count)
            case "took":
                _add(self.took, int(rest[0]), count)
            case "hour":
                _add(self.hours, (int(rest[0]), rest[1]), count)
                if rest[1] == "right":
                    _add(self.right, day, count)
            case _:
                message = f"the tallies hold {key!r}, which this program does not know"
                raise ValueError(message)


@lru_cache(maxsize=512)
def _told(key: str) -> tuple[str, Any]:
    """Return what a cell of a day counts, and its further words."""
    what, *rest = key.split(" ")
    return what, tuple(rest)


def _add(counter: Counter[Any], key: object, count: int) -> None:
    """Add to a counter; its own operator looks a key that is not there up twice."""
    counter[key] = counter.get(key, 0) + count


_QUESTION: Final = itemgetter(Standing._fields.index("question"))
_GENERATION: Final = itemgetter(Standing._fields.index("generation"))


def current(cards: Iterable[Standing], questions: Iterable[Asked]) -> tuple[dict[str, Standing], int]:
    """Return the card of each question of the bank, its last generation, and how many questions are set aside."""
    every = list(cards)
    if any(map(_GENERATION, every)):
        every.sort(key=_GENERATION)
    last = dict(zip(map(_QUESTION, every), every, strict=True))  # of equal questions the last one stays
    here = {question.id for question in questions}
    kept = last if here.issuperset(last) else {name: card for name, card in last.items() if name in here}
    return kept, len(last) - len(kept)
