"""The statistics as layouts: each section draws its part of a report, for a screen and for plain text alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from quiz.statistics.report import Report
    from quiz.tui.lines import Lines


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a section needs to draw: the report, whether colours are there, whether there is room for taller plots.

    `together`: all sections stand under each other, so that none repeats what another draws.
    """

    report: Report
    colourless: bool = False
    tall: bool = False
    together: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its id, its name on the screen, and its layout."""

    id: str
    name: str
    lay: Callable[[Drawn, int], Lines]


def sections() -> tuple[Section, ...]:
    """All sections, in order."""
    from quiz.tui.figures import ahead, confidence, memory, mistakes, overview, practice, topics

    return (
        Section("overview", "Overview", overview.lay),
        Section("memory", "Memory", memory.lay),
        Section("topics", "Topics", topics.lay),
        Section("ahead", "Ahead", ahead.lay),
        Section("practice", "Practice", practice.lay),
        Section("confidence", "Confidence", confidence.lay),
        Section("mistakes", "Mistakes", mistakes.lay),
    )


def as_text(report: Report, width: int) -> list[str]:
    """All sections as plain text, one under the other, each line at most `width` cells."""
    drawn = Drawn(report, colourless=True, together=True)
    lines: list[str] = []
    for section in sections():
        rule = f"── {section.name} "
        lines += (
            ["", rule + "─" * max(0, width - len(rule)), ""] if lines else [rule + "─" * max(0, width - len(rule)), ""]
        )
        lines += [line.plain.rstrip() for line in section.lay(drawn, width)]
    return lines
