"""Ids that a change took away: compared with the last commit, where the bank lies in a git repository.

A history belongs to an id. An id that vanishes leaves the answers given to it behind, so that a question which gets a
new one says under which it was known before.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from quiz.bank.diagnostics import Diagnostic, Place
from quiz.bank.files import MANIFEST, SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from quiz.authoring.sheet import Sheet

_ID: Final = re.compile(r"^id:\s*['\"]?([a-z0-9-]+)", re.MULTILINE)
_SECONDS: Final = 20
_SAME: Final = 0.6
"""The share of lines that a file which moved and was edited has kept."""


def changed_ids(folder: Path, sheets: Sequence[Sheet]) -> Iterator[Diagnostic]:
    """Questions whose id was another one in the last commit and who do not say so. Nothing where git knows no bank."""
    by_file = {sheet.file: sheet for sheet in sheets}
    moved: list[tuple[Sheet, Counter[str]]] | None = None
    present = {sheet.id for sheet in sheets if sheet.id}
    known = {name for sheet in sheets for name in sheet.renamed_from}
    for name in _changed_files(folder):
        sheet = by_file.get(name)
        former = _committed(folder, name)
        found = _ID.search(former)
        if found is None or found[1] in present or found[1] in known:
            continue
        if sheet is None:
            moved = _new_ones(folder, sheets) if moved is None else moved
            sheet = next((new for new, lines in moved if _alike(lines, _lines(former))), None)
        if sheet is not None and sheet.id and sheet.id_place is not None:
            yield Diagnostic(
                sheet.id_place,
                "id-changed",
                f"the id of this question was {found[1]}",
                "The history of those who answered it belongs to that id.",
                f"Add `renamed_from: [{found[1]}]`, or give it back its id.",
                path="id",
            )
        elif sheet is None:
            yield Diagnostic(
                Place(name, 0, 0),
                "id-lost",
                f"the question {found[1]} is gone, and no other says that it was renamed from it",
                "What was answered under that id is set aside, and no longer asked.",
                f"If it lives on, add `renamed_from: [{found[1]}]` there; if not, this is only to let you know.",
                "warning",
            )


def _new_ones(folder: Path, sheets: Sequence[Sheet]) -> list[tuple[Sheet, Counter[str]]]:
    """The questions whose files the last commit does not have, with their lines."""
    committed = {*_git(folder, "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", ".").split("\0")}
    found = []
    for sheet in sheets:
        if sheet.file not in committed and sheet.id:
            try:
                found.append((sheet, _lines((folder / sheet.file).read_text("utf-8", "replace"))))
            except OSError:
                continue  # gone since it was examined; the next run says so
    return found


def _lines(text: str) -> Counter[str]:
    return Counter(line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#"))


def _alike(one: Counter[str], other: Counter[str]) -> bool:
    return (one & other).total() >= _SAME * max(one.total(), other.total(), 1)


def _changed_files(folder: Path) -> list[str]:
    """The files of questions whose id may be another one than in the last commit."""
    if not _has_repository(folder):
        return []
    # Of the changed files those in which a line with an id came or went: reading what each was costs a process.
    words = ("--no-renames", "--name-only", "--relative", "-z", "--text", "-G^id:", "HEAD", "--", ".")
    listed = _git(folder, "diff", *words)
    return [name for name in listed.split("\0") if name.endswith(".yaml") and name not in (MANIFEST, SOURCES)]


def _has_repository(folder: Path) -> bool:
    """Whether git could know the folder: asking costs a process, and most new banks lie in no repository."""
    place = folder.absolute()
    return "GIT_DIR" in os.environ or any(
        os.path.lexists(above / ".git") for above in (place, *place.resolve().parents)
    )


def _committed(folder: Path, name: str) -> str:
    return _git(folder, "show", f"HEAD:./{name}")


def _git(folder: Path, *words: str) -> str:
    """What git says; nothing where there is no git, no repository, no commit, no such file in it."""
    import subprocess  # most new banks lie in no repository

    command = ["git", "--no-optional-locks", *words]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603, our words
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
