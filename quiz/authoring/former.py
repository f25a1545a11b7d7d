"""Ids that a change took away: compared with an earlier commit, where the bank lies in a git repository.

A history belongs to an id. An id that vanishes leaves the answers given to it behind, so that a question which gets a
new one says under which it was known before; an id that another question takes gives it answers to what it never asked.
The commit is the last one, or the one from which a branch was begun, where that is named.
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


class NoCommitError(Exception):
    """Git knows no commit of the name that was asked for; the message says what to do."""


def base_of(folder: Path, since: str) -> str:
    """The commit in which the branch of the bank left `since`. Raises `NoCommitError`."""
    found = _git(folder, "merge-base", "--end-of-options", since, "HEAD").strip()
    if not found and not _git(folder, "rev-parse", "--git-dir"):
        raise NoCommitError(
            f"{folder} lies in no git repository, so that there is no commit to compare it with. Leave `--since` "
            "out, or name the bank inside a clone of its repository."
        )
    if not found:
        raise NoCommitError(
            f"git finds no commit that the bank in {folder} and {since} have in common. A shallow clone lacks it: "
            "fetch the whole history (fetch-depth: 0), or name another commit."
        )
    return found


def changed_ids(folder: Path, sheets: Sequence[Sheet], since: str = "HEAD") -> Iterator[Diagnostic]:
    """Questions whose id was another one in the commit `since` and who do not say so. Nothing where git has no bank."""
    by_file = {sheet.file: sheet for sheet in sheets}
    moved: list[tuple[Sheet, Counter[str]]] | None = None
    present = {sheet.id: sheet for sheet in sheets if sheet.id}
    known = {name for sheet in sheets for name in sheet.renamed_from}
    for name in _changed_files(folder, since):
        sheet = by_file.get(name)
        former = _committed(folder, name, since)
        found = _ID.search(former)
        if found is None or found[1] in known:
            continue
        taken = present.get(found[1])
        if taken is not None:
            if sheet is not None and sheet.id and taken is not sheet and _took(folder, sheet, taken, former):
                yield _taken(sheet, found[1], taken)
            continue
        if sheet is None:
            moved = _new_ones(folder, sheets, since) if moved is None else moved
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


def _taken(sheet: Sheet, former: str, by: Sheet) -> Diagnostic:
    return Diagnostic(
        sheet.id_place or Place(sheet.file, 0, 0),
        "id-changed",
        f"the id of this question was {former}, which {by.file} has now",
        "Whoever answered this question would be shown to have answered the other one.",
        "Give both back their ids; a question that gets a new one needs one that was never another's.",
        path="id",
    )


def _took(folder: Path, sheet: Sheet, other: Sheet, former: str) -> bool:
    """Whether the question in `sheet` is still the former one of its file, and `other` has only its id."""
    was = _lines(former)
    return _kept(folder, sheet, was) > _kept(folder, other, was)


def _kept(folder: Path, sheet: Sheet, was: Counter[str]) -> int:
    try:
        return (_lines((folder / sheet.file).read_text("utf-8", "replace")) & was).total()
    except OSError:
        return 0  # gone since it was examined; the next run says so


def _new_ones(folder: Path, sheets: Sequence[Sheet], since: str) -> list[tuple[Sheet, Counter[str]]]:
    """The questions whose files the commit does not have, with their lines."""
    committed = {*_git(folder, "ls-tree", "-r", "-z", "--name-only", since, "--", ".").split("\0")}
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


def _changed_files(folder: Path, since: str) -> list[str]:
    """The files of questions whose id may be another one than in the commit."""
    if not _has_repository(folder):
        return []
    # Of the changed files those in which a line with an id came or went: reading what each was costs a process.
    words = ("--no-renames", "--name-only", "--relative", "-z", "--text", "-G^id:", since, "--", ".")
    listed = _git(folder, "diff", *words)
    return [name for name in listed.split("\0") if name.endswith(".yaml") and name not in (MANIFEST, SOURCES)]


def _has_repository(folder: Path) -> bool:
    """Whether git could know the folder: asking costs a process, and most new banks lie in no repository."""
    place = folder.absolute()
    return "GIT_DIR" in os.environ or any(
        os.path.lexists(above / ".git") for above in (place, *place.resolve().parents)
    )


def _committed(folder: Path, name: str, since: str) -> str:
    return _git(folder, "show", f"{since}:./{name}")


def _git(folder: Path, *words: str) -> str:
    """What git says; nothing where there is no git, no repository, no commit, no such file in it."""
    import subprocess  # most new banks lie in no repository

    command = ["git", "--no-optional-locks", *words]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603, our words
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
