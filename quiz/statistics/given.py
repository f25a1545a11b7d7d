"""What the figures are made of, added up once: the cells of days, the cells of questions, the cards."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from quiz.statistics.standing import DECAY, Standing
from quiz.statistics.tally import quarter_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quiz.statistics.tally import Cell


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
        questions: the questions of the bank; cards and cells of others are counted as set aside.
        cells: the tallies, of the whole bank or of one topic.
        cards: the cards; of several generations of a question the last one counts.
        since: the first day that counts for figures of the past; None for all of them.
        topic: the topic that the report is about; "" for all. `questions` and `cells` hold it alone then.
        targets: the retention aimed at, by topic; those that are missing have `target`.
        target: the retention aimed at.
        new_per_day: the limit of new questions a day.
        interview: the day to be ready by.
        resting: ids of questions that are suspended or buried: not due.
        decay: of the forgetting curve; a positive number.
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


class Sums:
    """The cells, added up by what they count. Days before `since` are left out, quarters that end before it too."""

    def __init__(self, cells: Iterable[tuple[Cell, int]], since: date | None = None) -> None:
        """Add up; each cell is looked at once."""
        self.answers: Counter[date] = Counter()
        self.right: Counter[date] = Counter()
        self.ms: Counter[date] = Counter()
        self.new: Counter[date] = Counter()
        self.recall: Counter[tuple[date, str, str]] = Counter()
        self.sure: Counter[tuple[int, str]] = Counter()
        self.took: Counter[int] = Counter()
        self.hours: Counter[tuple[int, str]] = Counter()
        self.spent: Counter[str] = Counter()
        self.tested: Counter[tuple[str, str, str]] = Counter()
        self.slips: Counter[tuple[str, str]] = Counter()
        self.chosen: Counter[tuple[str, str]] = Counter()
        first_quarter = quarter_of(since) if since else ""
        name, day, wanted = "", date.min, True
        for (cell_name, question, key), count in cells:
            if not question:
                if cell_name != name:
                    name, day = cell_name, date.fromisoformat(cell_name.removeprefix("day "))
                    wanted = since is None or day >= since
                if wanted:
                    self._of_day(day, key, count)
                continue
            what, _, quarter = cell_name.partition(" ")
            if what == "ms":
                self.spent[question] += count
            elif what == "recall":
                self.tested[quarter, question, key] += count
            elif quarter >= first_quarter:
                (self.slips if what == "slip" else self.chosen)[question, key] += count

    def _of_day(self, day: date, key: str, count: int) -> None:
        what, _, rest = key.partition(" ")
        match what:
            case "answers":
                self.answers[day] += count
            case "ms":
                self.ms[day] += count
            case "new":
                self.new[day] += count
            case "recall":
                grown, _, outcome = rest.partition(" ")
                self.recall[day, grown, outcome] += count
            case "sure":
                percent, _, outcome = rest.partition(" ")
                self.sure[int(percent), outcome] += count
            case "took":
                self.took[int(rest)] += count
            case "hour":
                hour, _, outcome = rest.partition(" ")
                self.hours[int(hour), outcome] += count
                if outcome == "right":
                    self.right[day] += count
            case _:
                message = f"the tallies hold {key!r}, which this program does not know"
                raise ValueError(message)


def current(cards: Iterable[Standing], questions: Iterable[Asked]) -> tuple[dict[str, Standing], int]:
    """Return the card of each question of the bank, its last generation, and how many questions are set aside."""
    here = {question.id for question in questions}
    kept: dict[str, Standing] = {}
    gone: set[str] = set()
    for card in cards:
        if card.question not in here:
            gone.add(card.question)
        elif card.question not in kept or kept[card.question].generation < card.generation:
            kept[card.question] = card
    return kept, len(gone)
