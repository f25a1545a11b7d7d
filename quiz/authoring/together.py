"""What can be said only of a whole bank: shared ids, links that lead nowhere, near-duplicates, old dates, waivers."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from quiz.authoring.words import content_words
from quiz.bank.diagnostics import Diagnostic, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from quiz.authoring.sheet import Sheet

_ALIKE: Final = 0.4
_STALE_MONTHS: Final = 24
_FIGURE: Final = re.compile(r"\d[\d,.]*")


def shared_ids(sheets: Sequence[Sheet]) -> Iterator[Diagnostic]:
    """Ids that two files have."""
    files: dict[str, list[str]] = {}
    for sheet in sheets:
        if sheet.id:
            files.setdefault(sheet.id, []).append(sheet.file)
    for sheet in sheets:
        others = [name for name in files.get(sheet.id, ()) if name != sheet.file]
        if others and sheet.id_place is not None:
            yield Diagnostic(
                sheet.id_place,
                "duplicate-id",
                f"the id {sheet.id} is also that of {', '.join(others)}",
                "A history belongs to an id, so that no two questions may share one.",
                "Give one of them another id; neither is used until then."
                if len(others) == 1
                else "Give each an id of its own; none of them is used until then.",
                path="id",
            )


def dead_links(sheets: Sequence[Sheet]) -> Iterator[Diagnostic]:
    """Names of questions that the bank does not have."""
    known = dict.fromkeys(sheet.id for sheet in sheets if sheet.id)
    for sheet in sheets:
        for link in sheet.links:
            if link.name not in known:
                near = get_close_matches(link.name, known, n=1)
                yield Diagnostic(
                    link.place,
                    "unknown-question",
                    f"there is no question {link.name!r} in this bank",
                    next=f"Did you mean {near[0]}?" if near else "Name an id that exists, or leave it out.",
                    path=link.note,
                )


def near_duplicates(sheets: Sequence[Sheet]) -> Iterator[Diagnostic]:
    """Questions with the same options, the same key and at least 40 % of the wording."""
    alike: dict[tuple[object, ...], list[Sheet]] = {}
    for sheet in sheets:
        if sheet.row is not None and sheet.row.kind != "open":
            options = frozenset(_plain(choice.text) for choice in sheet.choices)
            key = frozenset(_plain(choice.text) for choice in sheet.choices if choice.correct)
            by_answer = (sheet.row.answer, sheet.row.key) if not options else ()
            alike.setdefault((sheet.row.kind, options, key, by_answer), []).append(sheet)
    for group in alike.values():
        words = [frozenset(content_words(sheet.text)) for sheet in group]
        for place, sheet in enumerate(group):
            twins = (other for other in range(place) if _shared(words[other], words[place]) >= _ALIKE)
            twin = next((other for other in twins if not _other_numbers(group[other], sheet)), None)
            if twin is not None and sheet.id_place is not None:
                if _both_untouched(group[twin], sheet):
                    continue  # as `author new` wrote them, and about to be changed
                share = _shared(words[twin], words[place])
                yield Diagnostic(
                    sheet.id_place,
                    "near-duplicate",
                    f"{sheet.id} has the options, the key and {share:.0%} of the wording of {group[twin].id} "
                    f"({group[twin].file})",
                    "Whoever has met one remembers the other.",
                    "Make one a variant of the other by `variants`, or ask for something else.",
                    "warning",
                    "id",
                )


def _plain(text: str) -> str:
    return " ".join(_FIGURE.sub("#", text.lower()).split())


def _both_untouched(one: Sheet, other: Sheet) -> bool:
    from quiz.authoring.scaffold import untouched_stems

    if one.text != other.text or one.row is None or other.row is None or one.text not in untouched_stems():
        return False
    same_options = [choice.text for choice in one.choices] == [choice.text for choice in other.choices]
    return same_options and (one.row.answer, one.row.margin) == (other.row.answer, other.row.margin)


def _other_numbers(one: Sheet, other: Sheet) -> bool:
    """Whether the options are numbers alone, and not the same ones: then neither they nor the key are shared."""
    from quiz.authoring.amounts import amounts  # few banks have options that agree so far

    texts, theirs = ([choice.text for choice in sheet.choices] for sheet in (one, other))
    return sorted(texts) != sorted(theirs) and amounts(texts) is not None


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def stale_dates(sheets: Sequence[Sheet], today: date) -> Iterator[Diagnostic]:
    """Statements about things that move, last looked at long ago; and dates that are still to come."""
    for sheet in sheets:
        for dated in sheet.dates:
            year, _, rest = dated.name.partition("-")
            month = int(rest.partition("-")[0] or 12)
            age = (today.year - int(year)) * 12 + today.month - month
            if dated.name > today.isoformat()[: len(dated.name)]:
                yield Diagnostic(
                    dated.place,
                    "future-as-of",
                    f"{dated.name} is still to come",
                    "`as_of` is when the source said so, or was read.",
                    "Write the date of the source.",
                    "warning",
                )
            elif dated.note and age > _STALE_MONTHS:
                yield Diagnostic(
                    dated.place,
                    "stale-as-of",
                    f"what {dated.note} says was last looked at {age} months ago",
                    "Its address is a page, and pages change.",
                    "Read it again and set the date, or cite a publication.",
                    "warning",
                )


def answered(
    found: Iterable[Diagnostic], sheets: Sequence[Sheet], known: Mapping[str, str]
) -> tuple[list[Diagnostic], list[tuple[Diagnostic, str]]]:
    """The findings that stand, and those that their file waives, with its reason.

    `known` has every code and its severity. A waiver that answers nothing is a finding itself.
    """
    waivers = {(sheet.file, waiver.name): waiver for sheet in sheets for waiver in sheet.waivers}
    standing: list[Diagnostic] = []
    waived: list[tuple[Diagnostic, str]] = []
    used: set[tuple[str, str]] = set()
    for one in found:
        waiver = waivers.get((one.place.file, one.code))
        if waiver is None or one.severity == "error":
            standing.append(one)
        else:
            used.add((one.place.file, one.code))
            waived.append((one, waiver.note))
    broken = {one.place.file for one in standing if one.severity == "error"}
    for (file, code), waiver in waivers.items():
        if (file, code) not in used:
            standing += _idle(waiver.place, code, known, is_broken=file in broken)
    return standing, waived


def _idle(place: Place, code: str, known: Mapping[str, str], *, is_broken: bool) -> Iterator[Diagnostic]:
    if code not in known:
        near = get_close_matches(code, known, n=1)
        yield Diagnostic(
            place,
            "waiver-unknown",
            f"the lint has no code {code}",
            next=f"Did you mean {near[0]}?" if near else "`shardwise author lint --explain` lists them.",
            path=f"waive.{code}",
        )
    elif known[code] == "error":
        yield Diagnostic(
            place,
            "waiver-of-error",
            f"{code} is an error and cannot be waived",
            "A wrong fact stays wrong, whatever the reason.",
            "Mend the question, and delete the waiver.",
            path=f"waive.{code}",
        )
    elif not is_broken:  # in a file with errors not everything could be looked for
        yield Diagnostic(
            place,
            "waiver-unused",
            f"nothing in this file has the code {code}",
            "A waiver that waives nothing hides the next finding.",
            "Delete it.",
            "warning",
            f"waive.{code}",
        )


def usable(sheets: Sequence[Sheet], findings: Iterable[Diagnostic]) -> list[Sheet]:
    """The sheets of questions that can be asked: those that compile and have an id of their own."""
    shared = {one.place.file for one in findings if one.code == "duplicate-id"}
    return [sheet for sheet in sheets if sheet.row is not None and sheet.file not in shared]
