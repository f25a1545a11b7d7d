"""What all questions of a bank rest on, bank.yaml and sources.yaml; and what can be said of them without these."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from quiz.bank.bench import Context
from quiz.bank.compile import compile_text, read_manifest, read_sources
from quiz.bank.diagnostics import BankError, Diagnostic, Place
from quiz.bank.files import MANIFEST, SOURCES
from quiz.bank.yaml_reader import read_yaml
from solvers.expr.declared import units_from

if TYPE_CHECKING:
    from quiz.bank.files import Listing
    from quiz.bank.schema import Manifest, SourceEntry

_MOST: Final = 200
"""So many questions are looked at while what they rest on is broken."""
_OF_SHARED: Final = ("unknown-source", "unknown-convention")


class _AnySource(Mapping[str, "SourceEntry"]):
    """The sources of a bank whose sources.yaml cannot be read: nothing is said of what may stand there."""

    def __init__(self) -> None:
        self._entry = read_sources("any: {title: any}", SOURCES)["any"]

    def __getitem__(self, key: str) -> SourceEntry:
        return self._entry

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def shared_of(listing: Listing) -> tuple[Manifest, Context, Mapping[str, bytes]]:
    """What the questions of a bank share, and the files that say so. Raises `BankError` with all mistakes there."""
    manifest, context, contents, problems = _read(listing)
    if manifest is None or problems:
        raise BankError(problems)
    return manifest, context, contents


def shared_or_all_problems(listing: Listing) -> tuple[Manifest, Context, Mapping[str, bytes]]:
    """The same. Raises `BankError` with what is wrong in the whole bank, as far as it can be told without them."""
    manifest, context, contents, problems = _read(listing)
    if manifest is None or problems:
        own_units = manifest is None and b"units" in contents.get(MANIFEST, b"")
        raise BankError([*listing.problems, *problems, *_of_questions(listing, context, only_yaml=own_units)])
    return manifest, context, contents


def _read(listing: Listing) -> tuple[Manifest | None, Context, dict[str, bytes], list[Diagnostic]]:
    contents: dict[str, bytes] = {}
    problems: list[Diagnostic] = []
    manifest: Manifest | None = None
    sources: Mapping[str, SourceEntry] = _AnySource() if os.path.lexists(listing.path(SOURCES)) else {}
    for name in listing.shared:
        try:
            contents[name] = listing.read(name)
            if name == MANIFEST:
                manifest = read_manifest(contents[name], name)
            else:
                sources = read_sources(contents[name], name)
        except BankError as error:
            problems += error.diagnostics
    if manifest is None:
        return None, Context("", sources), contents, problems
    units = units_from(manifest.declared)
    return manifest, Context(manifest.id, sources, manifest.conventions, units, manifest.declared), contents, problems


def _of_questions(listing: Listing, context: Context, *, only_yaml: bool) -> Iterator[Diagnostic]:
    """What is wrong in the questions themselves."""
    for name in list(listing.questions)[:_MOST]:
        try:
            content = listing.read(name)
            if only_yaml:
                read_yaml(content, name)
            else:
                compile_text(content, name, context)
        except BankError as error:
            yield from (one for one in error.diagnostics if one.code not in _OF_SHARED)
    left = len(listing.questions) - _MOST
    if left > 0:
        what = f"{left:,} more of its files are not looked at while what they rest on is broken"
        yield Diagnostic(Place(MANIFEST, 0, 0), "too-large", what, next="Mend that first.", severity="warning")
