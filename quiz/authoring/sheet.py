"""What the lint knows of one file, and of a bank: records that a cache holds and other processes hand back.

A sheet has whatever the checks across files need, so that a bank of thousands is checked as a whole without compiling
what has not changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from quiz.bank.diagnostics import Diagnostic, Place
from solvers.record import Record

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.authoring.items.beside import Answered
    from quiz.authoring.robot import Game


class Row(msgspec.Struct, frozen=True):
    """One question in the author's table."""

    id: str
    file: str
    kind: str
    key: tuple[str, ...]
    answer: str
    margin: str
    variants: int
    draws: int
    rejected: str
    asserted: int
    options: int


class Choice(msgspec.Struct, frozen=True):
    """An option as a learner reads it."""

    id: str
    text: str
    correct: bool
    place: Place


class Mention(msgspec.Struct, frozen=True):
    """Something that is named at a place: an id of another question, the date of a statement, a waived code."""

    name: str
    place: Place
    note: str = ""


class Sheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file: its own findings, and what is compared with other files.

    `id` is empty where it cannot be read, `row` None where the file has errors. `text` is the wording without its
    figures; `dates` are those of statements that can go out of date, `note` saying whose; `drawn` what the trying of
    its draws rests on.
    """

    file: str
    digest: str
    findings: tuple[Diagnostic, ...] = ()
    id: str = ""
    id_place: Place | None = None
    row: Row | None = None
    stem: str = ""
    text: str = ""
    choices: tuple[Choice, ...] = ()
    links: tuple[Mention, ...] = ()
    renamed_from: tuple[str, ...] = ()
    dates: tuple[Mention, ...] = ()
    waivers: tuple[Mention, ...] = ()
    drawn: str = ""


class Findings(Record):
    """What the lint found in a bank: findings in the order of the files, the questions that are whole, the cue robot.

    `robot` is None where only some files were asked for. `waived` are findings that a file answers, with the reasons.
    `figures_of` is how many files were checked by their form and own figures alone; None after the whole lint.
    `answers` is how a class answered, where histories were named.
    """

    folder: Path
    diagnostics: tuple[Diagnostic, ...]
    rows: tuple[Row, ...] = ()
    robot: tuple[Game, ...] | None = None
    waived: tuple[tuple[Diagnostic, str], ...] = ()
    compiled: int = 0
    figures_of: int | None = None
    answers: Answered | None = None

    @property
    def errors(self) -> int:
        """How many of the findings are errors."""
        return sum(one.severity == "error" for one in self.diagnostics)
