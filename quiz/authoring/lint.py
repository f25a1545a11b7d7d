"""The lint of a bank: each file that has changed is examined, then all are compared."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from quiz.authoring.former import changed_ids
from quiz.authoring.keep import Known, Shelf
from quiz.authoring.pool import WORTH_IT, cores, sheets_of
from quiz.authoring.sheet import Findings, Sheet
from quiz.authoring.together import answered, dead_links, near_duplicates, shared_ids, stale_dates, usable
from quiz.bank.diagnostics import BankError, Diagnostic, Place, in_order
from quiz.bank.files import MANIFEST, SOURCES, Stamp, digest_of, is_same, list_bank, passed_over, require_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from quiz.authoring.robot import Game
    from quiz.bank.files import Listing


def lint(
    folder: Path,
    today: date,
    only: Collection[str] | None = None,
    *,
    cache: Path | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    since: str = "HEAD",
) -> Findings:
    """Check the bank in `folder`; `only` names those of its files whose findings are wanted (None: all).

    All files are compared, whichever are asked for; what has not changed since the last run comes from `cache`.
    `progress` is told how many of how many files are examined; with the ids that the commit `since` had those of the
    bank are compared. Where bank.yaml or sources.yaml is broken, nothing is compared. Raises `BankError` where there is
    no bank.
    """
    listing = list_bank(folder)
    require_manifest(listing)
    try:
        shared = {name: digest_of(listing.read(name)) for name in listing.shared}
        sheets, made = _sheets(listing, Shelf(cache, folder, shared), cores() if workers is None else workers, progress)
    except BankError:  # of bank.yaml or sources.yaml, on which every question rests
        return Findings(folder, _of_broken(listing, only))
    found = [*listing.problems, *passed_over(listing, only or ()), *(one for sheet in sheets for one in sheet.findings)]
    for check in (shared_ids, dead_links, near_duplicates):
        found += check(sheets)
    found += stale_dates(sheets, today)
    found += changed_ids(folder, sheets, since)
    standing, waived = settled(found, sheets)
    whole = usable(sheets, standing)
    robot = None
    if only is None:
        from quiz.authoring.robot import play, played

        robot = play(played(whole))
        standing += [_caught(game) for game in robot if game.stands_out]
    else:
        standing = [one for one in standing if one.place.file in only]
        waived = [pair for pair in waived if pair[0].place.file in only]
    rows = tuple(sheet.row for sheet in whole if sheet.row is not None and (only is None or sheet.file in only))
    return Findings(folder, in_order(standing), rows, robot, tuple(waived), made)


def _of_broken(listing: Listing, only: Collection[str] | None) -> tuple[Diagnostic, ...]:
    """What is wrong in a bank whose bank.yaml or sources.yaml is: there, and in the files that are wanted."""
    from quiz.bank.shared_files import shared_or_all_problems

    try:
        shared_or_all_problems(listing)
    except BankError as error:
        found = [one for one in error.diagnostics if only is None or one.place.file in {*only, MANIFEST, SOURCES}]
        return in_order(settled(found, ())[0])
    return ()  # mended meanwhile


def settled(
    found: Iterable[Diagnostic], sheets: Sequence[Sheet]
) -> tuple[list[Diagnostic], list[tuple[Diagnostic, str]]]:
    """The findings that stand, each with its fix, and those that their file waives, with its reason."""
    told = [*found]
    known: Mapping[str, str] = {}
    if any(not one.next for one in told) or any(sheet.waivers for sheet in sheets):  # or the codes need not be read
        from quiz.authoring.codes import codes, severities

        told = [
            one if one.next or one.code not in codes() else replace(one, next=codes()[one.code].fix) for one in told
        ]
        known = severities()
    return answered(told, sheets, known)


def maker(
    listing: Listing, before: Mapping[str, Known] | None = None, *, halves: bool = False
) -> Callable[[str], Sheet]:
    """A function that examines one file of the bank; `before` is what was known of its files.

    With `halves` the draws of a file are tried on two cores, which other files leave idle.

    Raises `BankError` where bank.yaml or sources.yaml is broken.
    """
    from quiz.authoring.examine import examine
    from quiz.bank.loader import Loader

    context = Loader(listing, None).context

    def make(name: str) -> Sheet:
        try:
            content = listing.read(name)
        except BankError as error:
            return Sheet(name, "", error.diagnostics)
        known = (before or {}).get(name)
        return examine(
            content, name, digest_of(content), context, None if known is None else known.sheet, halves=halves
        )

    return make


def _sheets(
    listing: Listing, shelf: Shelf, workers: int, progress: Callable[[int, int], None] | None
) -> tuple[list[Sheet], int]:
    """The sheets in the order of the files, and how many had to be made."""
    began = time.time_ns()
    book = shelf.read()
    known = {} if book is None else _unchanged(listing, book.sheets, book.written_ns)
    missing = [name for name in listing.questions if name not in known]
    if not missing:
        if book is not None and len(book.sheets) != len(known):
            shelf.write(began, known)
        return [known[name].sheet for name in listing.questions], 0
    made = dict(known)
    few = workers > 1 and len(missing) < WORTH_IT
    make = maker(listing, None if book is None else book.sheets, halves=few)
    try:
        for count, sheet in enumerate(sheets_of(listing, missing, make, workers), start=1):
            stamp = listing.questions[sheet.file]
            made[sheet.file] = Known(Stamp(stamp.size, stamp.mtime_ns, sheet.digest), sheet)
            if progress is not None:
                progress(count, len(missing))
    finally:
        shelf.write(began, made)  # an interrupted run goes on where it stopped
    return [made[name].sheet for name in listing.questions], len(missing)


def _unchanged(listing: Listing, sheets: Mapping[str, Known], since_ns: int) -> dict[str, Known]:
    return {
        name: known
        for name, known in sheets.items()
        if name in listing.questions and is_same(listing, name, listing.questions[name], known.stamp, since_ns)
    }


def _caught(game: Game) -> Diagnostic:
    shown: Sequence[str] = game.hits_in[:8]
    more = f" and {len(game.hits_in) - len(shown)} more" if len(game.hits_in) > len(shown) else ""
    return Diagnostic(
        Place(MANIFEST, 0, 0),
        "cue-robot",
        f"a guesser that {game.says} is right in {game.right_text} of {game.picks} questions; luck gives "
        f"{game.expected:.1f} (p = {game.corrected:.2g} after Holm)",
        f"It knows nothing of the field. It was right in {', '.join(shown)}{more}.",
        "Change the options of some of these until the surface tells nothing.",
    )
