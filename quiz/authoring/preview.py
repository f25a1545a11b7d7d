"""A question while it is being written: what it looks like now, what the lint says of it, what it looked like before.

Whatever becomes of the file (it breaks, it is emptied, it vanishes with its folder) the last good picture stays, and
the findings say what is wrong. Nothing here waits or draws: a screen asks `mark` whether something changed, and `look`
what there is now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from quiz.authoring.examine import examined
from quiz.authoring.keep import Shelf
from quiz.authoring.lint import maker, settled
from quiz.authoring.together import dead_links, near_duplicates, shared_ids, stale_dates
from quiz.bank.bench import Bench
from quiz.bank.diagnostics import BankError, Diagnostic, Place, in_order
from quiz.bank.files import MANIFEST, SOURCES, digest_of, is_same, list_bank
from quiz.bank.problems import FOUND, Report
from quiz.bank.prose import Writer
from quiz.bank.render import render
from quiz.bank.scope import World
from quiz.bank.shared_files import shared_of
from quiz.bank.variants import axis_text, values_of

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.authoring.drawn import Tried
    from quiz.authoring.sheet import Row, Sheet
    from quiz.authoring.subject import Subject
    from quiz.bank.bench import Context
    from quiz.bank.rendered import Rendered

_ID: Final = re.compile(rb"^id: *[\"']?([^\s\"'#]+)", re.MULTILINE)
_MOST: Final = 60
"""Other files of a bank that are examined so that this one can be compared with them; more only from the cache."""


@dataclass(slots=True)
class Picture:
    """A whole question with all its numbers. `draws` are the axis values of each variant; the first one's are empty."""

    subject: Subject
    draws: tuple[dict[str, str], ...]
    row: Row
    _made: dict[int, Rendered] = field(default_factory=dict)

    def variant(self, place: int) -> Rendered:
        """The question with the numbers of one variant."""
        if place not in self._made:
            self._made[place] = self._render(self.draws[place]) if place else self.subject.base
        return self._made[place]

    def _render(self, draw: dict[str, str]) -> Rendered:
        subject = self.subject
        report = Report(subject.document)
        try:
            world = World(subject.question, values_of(subject.question, draw), units=subject.context.units)
            found = render(Bench(world, subject.context, report))
        except FOUND as error:
            report.note(error, ("variants",))
            found = None
        if found is None or report.failed:
            raise BankError(report.found)
        return found[0]

    def numbers(self, place: int) -> tuple[tuple[str, str], ...]:
        """The axes with their values in one variant, as prose would show them; those of the question itself as well."""
        subject = self.subject
        question = subject.question
        if question.variants is None:
            return ()
        world = World(question, values_of(question, self.draws[place]), units=subject.context.units)
        return tuple((name, self._spelled(world, name)) for name in question.variants.axes)

    def _spelled(self, world: World, name: str) -> str:
        report = Report(self.subject.document)
        shown = Writer(report).line(f"{{{{ {name} }}}}", world.base, ("variants",))
        return axis_text(world.question.scenario.get(name, "")) if report.failed else shown


@dataclass(frozen=True, slots=True)
class Look:
    """A file at one moment. `picture` is the last good one; `stale` where the file cannot be shown as it is now."""

    file: str
    source: str
    findings: tuple[Diagnostic, ...]
    waived: tuple[tuple[Diagnostic, str], ...] = ()
    picture: Picture | None = None
    stale: bool = False

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(one.severity == "error" for one in self.findings)


class Preview:
    """The files of a bank under the eyes of their author."""

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self.folder = folder
        self._cache = cache
        self._shared: tuple[bytes | None, ...] = ()
        self._context: Context | None = None
        self._pictures: dict[str, Picture] = {}
        self._others: dict[str, Sheet] = {}
        self._tried: dict[str, Tried] = {}

    def names(self) -> tuple[str, ...]:
        """The files of the bank now. Raises `BankError` where there is no bank."""
        return tuple(list_bank(self.folder).questions)

    def named(self, question: str) -> str | None:
        """The file that has a question of this id, whole or not. Raises `BankError`."""
        for name in self.names():
            found = _ID.search(_bytes(self.folder / name) or b"")
            if found and found[1].decode("utf-8", "replace") == question:
                return name
        return None

    def mark(self, name: str) -> object:
        """What differs whenever the file, or what all questions of the bank share, has been written. Quick."""
        return tuple(_stamp(self.folder / part) for part in (name, MANIFEST, SOURCES))

    def look(self, name: str, *, quick: bool = False) -> Look:
        """The file as it is now. Raises nothing that an author can cause.

        `quick` leaves the trying of its variants to a look that follows: those of the last good picture are kept.
        """
        content = _bytes(self.folder / name)
        try:
            context = self._context_now()
        except BankError as error:
            return self._broken(name, content, in_order(settled(error.diagnostics, ())[0]))
        if content is None:
            gone = Diagnostic(_place(name), "unreadable", "this file is not there any more", next="Save it again.")
            if (self.folder / name).exists():
                gone = Diagnostic(_place(name), "unreadable", "this file cannot be read", next="Check its permissions.")
            return self._broken(name, None, (gone,))
        made = examined(content, name, digest_of(content), context, draws=not quick, tried=self._tried.get(name))
        sheet = made.sheet
        standing, waived = self._compared(sheet)
        if made.subject is None or made.tried is None or made.tried.survey is None or sheet.row is None:
            return self._broken(name, content, in_order(standing))
        before = self._pictures.get(name)
        draws = before.draws if quick and before is not None else tuple(made.tried.survey.kept)
        picture = Picture(made.subject, draws, before.row if quick and before is not None else sheet.row)
        if not quick:
            self._pictures[name] = picture
            self._tried[name] = made.tried
        return Look(name, _text(content), in_order(standing), tuple(waived), picture)

    def meet(self) -> None:
        """Get to know the other files, for ids, links and near-duplicates; what the lint knows of them is used."""
        try:
            listing = list_bank(self.folder)
            make = maker(listing)
            shared = {name: digest_of(listing.read(name)) for name in listing.shared}
        except BankError:
            return  # `look` tells it
        book = Shelf(self._cache, self.folder, shared).read()
        seen: dict[str, Sheet] = {}
        for name, stamp in listing.questions.items():
            kept = None if book is None else book.sheets.get(name)
            if kept is not None and book is not None and is_same(listing, name, stamp, kept.stamp, book.written_ns):
                seen[name] = kept.sheet
        if len(listing.questions) - len(seen) > _MOST:
            return  # the lint has not seen this bank: with half of it, good links would seem to lead nowhere
        others = {name: seen.get(name) or make(name) for name in listing.questions}
        self._others = others

    def _compared(self, sheet: Sheet) -> tuple[list[Diagnostic], list[tuple[Diagnostic, str]]]:
        """What stands and what is waived, of the file alone and, once the others are known, beside them."""
        found = [*sheet.findings, *stale_dates([sheet], datetime.now().astimezone().date())]
        if self._others:
            sheets = list({**self._others, sheet.file: sheet}.values())
            for check in (shared_ids, dead_links, near_duplicates):
                found += [one for one in check(sheets) if one.place.file == sheet.file]
        return settled(found, [sheet])

    def _broken(self, name: str, content: bytes | None, found: tuple[Diagnostic, ...]) -> Look:
        return Look(name, _text(content or b""), found, (), self._pictures.get(name), stale=True)

    def _context_now(self) -> Context:
        """What the questions share, read again when it has changed. Raises `BankError`."""
        shared = tuple(_bytes(self.folder / name) for name in (MANIFEST, SOURCES))
        if self._context is None or shared != self._shared:
            self._context = shared_of(list_bank(self.folder))[1]
            self._shared = shared
        return self._context


def _bytes(path: Path) -> bytes | None:
    """The content of an ordinary file; None where there is none that can be read."""
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _stamp(path: Path) -> tuple[int, int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode


def _place(name: str) -> Place:
    return Place(name, 0, 0)
