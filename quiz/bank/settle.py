"""One mistake that shows in many places is told in the first: what a scenario lacks, a figure that there is none of."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from quiz.bank.diagnostics import Diagnostic
    from quiz.bank.lenient_world import LenientReport

_NAMED: Final = re.compile(r"(?:is named|there is no option) '([^']+)'")
_LINES: Final = 4


def settle(report: LenientReport, elsewhere: Container[str]) -> None:
    """Leave of each mistake one finding. `elsewhere` are the names that an option states."""
    told = _settle_lacking(report, elsewhere)
    found = [one for one in report.found if one.code != "axis" or one.path.rpartition("axes.")[2] not in told]
    groups: dict[str, list[Diagnostic]] = {}
    for one in sorted(found, key=lambda one: one.place):
        groups.setdefault(_undefined(one), []).append(one)
    rest = {id(one): group for name, group in groups.items() if name for one in group}
    report.found = [
        _with_others(one, rest[id(one)]) if id(one) in rest else one
        for one in found
        if id(one) not in rest or one is rest[id(one)][0]
    ]


def _settle_lacking(report: LenientReport, elsewhere: Container[str]) -> set[str]:
    """Tell once what several places lack, if no option states it: one line of the scenario mends them all."""
    told: set[str] = set()
    for diagnostic, problem in sorted(report.lacking, key=lambda pair: pair[0].place):
        names = {*problem.needs, *problem.ways}.union(*problem.ways.values())
        if all(_would_follow(need, problem.ways, told) for need in problem.needs):
            report.found.remove(diagnostic)
        elif not any(name in elsewhere for name in names):
            told |= names
    return told


def _would_follow(
    name: str, ways: Mapping[str, tuple[str, ...]], told: Container[str], above: tuple[str, ...] = ()
) -> bool:
    """Whether a name is known as soon as what was told is mended; `above` are those that lean on it."""
    rest = [one for one in ways.get(name, ()) if one != name and one not in above]
    return name in told or (bool(rest) and all(_would_follow(one, ways, told, (*above, name)) for one in rest))


def _undefined(one: Diagnostic) -> str:
    """The figure, option or source that a finding says there is none of; empty for other findings.

    A misspelled quantity is no such: it is mended where it stands. So is a source that is like another.
    """
    if one.code == "unknown-source":
        return "" if one.next.startswith("Did you mean") else one.what
    named = _NAMED.search(one.what) if one.code in ("unknown-name", "unknown-option") else None
    head = named[1].partition(".")[0] if named else ""
    return "" if head in {name.partition(".")[0] for name in CATALOGUE.names} else head


def _with_others(one: Diagnostic, group: list[Diagnostic]) -> Diagnostic:
    lines = list(dict.fromkeys(str(other.place.line) for other in group[1:]))
    if not lines:
        return one
    said = ", ".join(lines[:_LINES]) + (f" and {len(lines) - _LINES} more" if len(lines) > _LINES else "")
    plural = "s" if len(lines) > 1 else ""
    mended = "an entry there" if one.code == "unknown-source" else "giving its definition this name"
    return replace(one, why=f"It is named on line{plural} {said} too: {mended} mends them all.")
