"""Compiles the files of a bank: the half of opening one that needs YAML, pydantic and the solvers."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

import msgspec

from quiz.bank.cache import FileRecord, LinkRecord, Shared
from quiz.bank.compile import (
    NotCompiledError,
    compile_text,
    named_in,
    render_variant,
    survey_text,
)
from quiz.bank.diagnostics import BankError, Diagnostic, Place
from quiz.bank.files import Stamp, digest_of
from quiz.bank.shared_files import shared_of, shared_or_all_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from quiz.bank.cache import Cache
    from quiz.bank.compile import Compiled, Link
    from quiz.bank.files import Listing
    from quiz.bank.rendered import Rendered


class Loader:
    """Compiles files of one bank. Reads bank.yaml and sources.yaml first.

    Raises `BankError` where they are broken: with the problems of the whole bank, unless it was `known` before.
    """

    def __init__(self, listing: Listing, known: Shared | None) -> None:
        self._listing = listing
        manifest, self.context, contents = (shared_or_all_problems if known is None else shared_of)(listing)
        self.shared = known or Shared(
            {name: _stamped(listing.shared[name], content) for name, content in contents.items()},
            manifest.id,
            manifest.title,
            manifest.licence,
            manifest.locale,
        )

    def compiled(
        self, unchanged: Mapping[str, FileRecord], cache: Cache
    ) -> tuple[dict[str, FileRecord], dict[str, Rendered]]:
        """A record of every file, `unchanged` ones as they were, and the questions that were compiled."""
        files: dict[str, FileRecord] = {}
        bodies: dict[str, Rendered] = {}
        for name, stamp in self._listing.questions.items():
            if name in unchanged and unchanged[name].entry is not None:
                files[name] = _without_links_problems(unchanged[name])
                continue
            record, found = self._one(name, stamp)
            if found is not None:
                body = cache.body_name(record.stamp.digest, self.shared)
                record = msgspec.structs.replace(record, body=body)
                bodies[body] = found.base
                cache.write_body(body, found.base)
            files[name] = record
        return _checked_together(files), bodies

    def each(self) -> Iterator[tuple[str, FileRecord, Compiled | None]]:
        """Every file compiled now, with its record and, where it has no error of its own, its question."""
        found = {name: self._one(name, stamp) for name, stamp in self._listing.questions.items()}
        files = _checked_together({name: record for name, (record, _) in found.items()})
        for name, (_, compiled) in found.items():
            yield name, files[name], compiled

    def _one(self, name: str, stamp: Stamp) -> tuple[FileRecord, Compiled | None]:
        content = b""
        try:
            content = self._listing.read(name)
            stamp = _stamped(stamp, content)
            found = compile_text(content, name, self.context)
        except BankError as error:
            named = error.named if isinstance(error, NotCompiledError) else named_in(content, name)
            record = FileRecord(stamp, error.diagnostics, place=named.place, links=_linked(named.links), named=named.id)
            return record, None
        return _record(found, stamp), found

    def rendered(self, name: str, record: FileRecord, axes: Mapping[str, str]) -> Rendered:
        """A question as shown with `axes`. Raises `BankError`; `KeyError` for axis values that it does not have."""
        return render_variant(self._unchanged(name, record), name, self.context, axes)

    def surveyed(self, name: str, record: FileRecord) -> FileRecord:
        """The record with the variants that the question keeps."""
        survey, _ = survey_text(self._unchanged(name, record), name, self.context)
        return msgspec.structs.replace(record, variants=tuple(survey.kept))

    def _unchanged(self, name: str, record: FileRecord) -> bytes:
        content = self._listing.read(name)
        if digest_of(content) == record.stamp.digest:
            return content
        raise BankError(
            [
                Diagnostic(
                    Place(name, 0, 0),
                    "changed",
                    "this file has changed since the bank was opened",
                    next="Open the bank again.",
                )
            ]
        )


def _stamped(stamp: Stamp, content: bytes) -> Stamp:
    return Stamp(len(content), stamp.mtime_ns, digest_of(content))


def _linked(links: Sequence[Link]) -> tuple[LinkRecord, ...]:
    return tuple(LinkRecord(link.to, link.kind, link.place) for link in links)


def _record(found: Compiled, stamp: Stamp) -> FileRecord:
    return FileRecord(
        stamp,
        found.warnings,
        found.entry,
        found.place,
        "",
        _linked(found.links),
        found.asserted,
        found.options,
        None if found.varies else ({},),
    )


_TOGETHER = ("duplicate-id", "unknown-question")


def _without_links_problems(record: FileRecord) -> FileRecord:
    """The record without what is said of it together with other files, which may have changed."""
    return msgspec.structs.replace(record, problems=tuple(one for one in record.problems if one.code not in _TOGETHER))


def _checked_together(files: dict[str, FileRecord]) -> dict[str, FileRecord]:
    """Note ids that two files share, and links to questions that are not there."""
    by_id: dict[str, list[str]] = {}
    for name, record in files.items():
        if record.id:
            by_id.setdefault(record.id, []).append(name)
    checked: dict[str, FileRecord] = {}
    for name, record in files.items():
        found = [*record.problems]
        if record.id and record.place is not None and len(by_id[record.id]) > 1:
            others = [other for other in by_id[record.id] if other != name]
            found.append(
                Diagnostic(
                    record.place,
                    "duplicate-id",
                    f"the id {record.id} is also that of {', '.join(others)}",
                    "A history belongs to an id, so that no two questions may share one.",
                    "Give one of them another id; neither is used until then."
                    if len(others) == 1
                    else "Give each an id of its own; none of them is used until then.",
                    path="id",
                )
            )
        found += _unknown(record, by_id)
        checked[name] = msgspec.structs.replace(record, problems=tuple(found))
    return checked


def _unknown(record: FileRecord, known: Mapping[str, list[str]]) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for link in record.links:
        if link.to not in known:
            near = get_close_matches(link.to, known, n=1)
            found.append(
                Diagnostic(
                    link.place,
                    "unknown-question",
                    f"there is no question {link.to!r} in this bank",
                    next=f"Did you mean {near[0]}?" if near else "Name an id that exists, or leave it out.",
                    path=link.kind,
                )
            )
    return found
