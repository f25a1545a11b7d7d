"""Answers from histories of this program: one learner a file, or several files of one learner.

Only a learner's first answer to a question counts, of those that were not taken back: later ones follow a solution. It
counts as right where it was graded correct as a whole; "close" and "I don't know" are not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from quiz.authoring.items.table import Cell, Item, Responses
from quiz.session.attempt import Attempt
from quiz.session.events import EventError, Retraction
from quiz.store.export import read_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from quiz.bank.library import Bank
    from quiz.session.events import Event

_DATABASE: Final = b"SQLite format 3\0"
_TABLES: Final = (".csv", ".tsv")
MAX_BYTES: Final = 1_000_000_000


@dataclass(slots=True)
class Learner:
    """One learner: a name for the table, and the events of all files that are this learner's."""

    name: str
    events: dict[str, Event] = field(default_factory=dict)


@dataclass(slots=True)
class Class:
    """The learners of several files. `said` is what was left out or taken together, one sentence each."""

    learners: list[Learner] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def add(self, name: str, events: Iterable[Event]) -> None:
        """Take a file's events. A file that shares an event with another is the same learner's."""
        mine = {event.id: event for event in events}
        same = [one for one in self.learners if not one.events.keys().isdisjoint(mine)]
        learner = Learner(name)
        if same:
            learner = same[0]
            self.said.append(
                f"{name} is named twice; it counts once."
                if name == learner.name
                else f"{name} holds answers that are in {learner.name} too: taken as one learner."
            )
            for other in same[1:]:
                learner.events |= other.events
                self.learners.remove(other)
        else:
            self.learners.append(learner)
        learner.events |= mine


def events_of(path: Path, said: list[str]) -> Iterator[Event]:
    """The events of an export (JSON Lines) or of a history file; what cannot be read is told with its line.

    Raises OSError where the file cannot be read.
    """
    with path.open("rb") as file:
        if file.read(len(_DATABASE)) == _DATABASE:
            from quiz.store.salvage import events

            yield from events(path)
            return
    if path.stat().st_size > MAX_BYTES:
        said.append(f"{path}: it is larger than {MAX_BYTES // 1_000_000_000} GB and was not read.")
        return
    if path.suffix.lower() in _TABLES:
        said.append(f"{path}: a table is no history. Its answers are read by `--csv {path}`.")
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                yield read_line(line.decode("utf-8"))
            except (EventError, UnicodeDecodeError) as error:
                why = str(error) if isinstance(error, EventError) else "it is not UTF-8 text"
                said.append(f"{path}:{number}: {why}.")


def first_attempts(
    events: Iterable[Event], bank: str, renamed: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Attempt]:
    """By question, the first attempt of a learner in a bank that was not taken back.

    `renamed` gives the id of today by a former one: an answer to a question counts under whatever name it was given.
    """
    every = sorted(events, key=lambda event: event.id)
    taken_back = {event.target for event in every if isinstance(event, Retraction)}
    found: dict[str, Attempt] = {}
    for event in every:
        if isinstance(event, Attempt) and event.card.bank == bank and event.id not in taken_back:
            found.setdefault(renamed.get(event.card.question, event.card.question), event)
    return found


def responses_of(learners: Sequence[Learner], bank: Bank, wanted: Sequence[str] = ()) -> Responses:
    """The table of a class in a bank; with `wanted` only these questions. Who answered none of them is left out."""
    firsts = [(learner.name, first_attempts(learner.events.values(), bank.id, bank.renamed)) for learner in learners]
    asked = {question for _, first in firsts for question in first}
    known = [entry.id for entry in bank.index]
    names = [name for name in (*known, *sorted(asked - set(known))) if name in asked and (not wanted or name in wanted)]
    people = [(name, first) for name, first in firsts if not first.keys().isdisjoint(names)]
    cells: dict[str, dict[int, Cell]] = {name: {} for name in names}
    given: dict[str, list[Attempt]] = {name: [] for name in names}
    for person, (_, first) in enumerate(people):
        for name in first.keys() & cells.keys():
            attempt = first[name]
            given[name].append(attempt)
            chosen = attempt.response.chosen
            cells[name][person] = Cell(int(attempt.verdict == "correct"), chosen[0] if len(chosen) == 1 else "")
    items = tuple(_item(name, given[name], _options(bank, name)) for name in names)
    return Responses(tuple(name for name, _ in people), items, cells)


def unknown_of(table: Responses, bank: Bank) -> tuple[str, ...]:
    """Questions that were answered and that the bank no longer has."""
    known = {entry.id for entry in bank.index}
    return tuple(item.id for item in table.items if item.id not in known)


def _options(bank: Bank, question: str) -> Mapping[str, bool]:
    """The options of a question as it is now, each with whether it is right; none for a typed answer or an order."""
    if question not in {entry.id for entry in bank.index}:
        return {}
    return {option.id: option.correct for option in bank.question(question).options}


def _item(name: str, attempts: Sequence[Attempt], now: Mapping[str, bool]) -> Item:
    """What was asked, as it stood with the answers; options that the question has now are added."""
    keys = {attempt.shown.key for attempt in attempts if attempt.shown.options}
    options = dict.fromkeys([*now, *(one for attempt in attempts for one in attempt.shown.options)])
    single = [key for key in keys if len(key) == 1]
    if not options or not single or len(single) < len(keys):
        return Item(name)  # typed, or an order: no single option is right
    if len(single) > 1:
        return Item(name, tuple(options), moved=True)
    return Item(name, tuple(options), single[0][0])
