"""A bank opened: its index at once, its questions when they are asked for.

Whatever is unchanged comes from the cache, without YAML, pydantic or the solvers; what is new is compiled. In a bank
that somebody is writing (`strict`, the default for a folder that was named) any error stops the opening with all
errors told; in the bundled bank the good questions stay usable, and the broken ones are listed.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from quiz.bank.cache import Cache, Index
from quiz.bank.diagnostics import BankError, escape
from quiz.bank.files import Listing, is_same, list_bank, require_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from quiz.bank.diagnostics import Diagnostic
    from quiz.bank.rendered import IndexEntry, Rendered


class UnknownQuestionError(LookupError):
    """No question has that id; the message names the nearest."""

    def __init__(self, id_: str, known: tuple[str, ...]) -> None:
        near = get_close_matches(id_, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        super().__init__(f"this bank has no question {id_!r}{hint}")


class UnknownVariantError(LookupError):
    """A question has no variant with those axis values (any more)."""

    def __init__(self, id_: str, axes: Mapping[str, str]) -> None:
        said = ", ".join(f"{name}={text}" for name, text in axes.items())
        super().__init__(f"the question {id_} has no variant with {said}")


class Bank:
    """An open bank. `warnings` are sentences for whoever practises, `problems` what is wrong with its files."""

    def __init__(
        self,
        listing: Listing,
        cache: Cache,
        index: Index,
        bodies: dict[str, Rendered],
        problems: tuple[Diagnostic, ...],
    ) -> None:
        self._listing, self._cache, self._index, self._bodies = listing, cache, index, bodies
        self._files = _usable(index)
        self.folder = listing.folder
        self.id, self.title = index.shared.id, index.shared.title
        self.licence, self.locale = index.shared.licence, index.shared.locale
        self.problems = problems
        self.index: tuple[IndexEntry, ...] = tuple(
            record.entry for record in (index.files[name] for name in self._files.values()) if record.entry
        )
        self.asserted = sum(index.files[name].asserted for name in self._files.values())
        self.options = sum(index.files[name].options for name in self._files.values())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a learner should know: questions that could not be used, a cache that could not be kept."""
        errors = [one for one in self.problems if one.severity == "error"]
        broken = sorted({one.place.file for one in errors})
        if not broken:
            return tuple(self._cache.warnings)
        which = "1 file" if len(broken) == 1 else f"{len(broken)} files"
        verbs = "has errors and is" if len(broken) == 1 else "have errors and are"
        said = (
            f"{which} of the bank {self.id} {verbs} left out: {', '.join(escape(name) for name in broken)}. "
            f"`shardwise author lint {self.folder}` says what is wrong."
        )
        return (said, *self._cache.warnings)

    @property
    def renamed(self) -> dict[str, str]:
        """The id of today by each former one, for a history to follow; a former id that is in use again is none."""
        return {former: entry.id for entry in self.index for former in entry.renamed_from if former not in self._files}

    def entry(self, id_: str) -> IndexEntry:
        """The index entry of a question. Raises `UnknownQuestionError`."""
        found = self._index.files[self._file(id_)].entry
        if found is None:
            raise UnknownQuestionError(id_, tuple(self._files))
        return found

    def question(self, id_: str, axes: Mapping[str, str] | None = None) -> Rendered:
        """A question with the numbers of a variant (none: the base).

        Raises `UnknownQuestionError` and `UnknownVariantError`, and `BankError` where it has to be compiled and its
        file has changed since the bank was opened.
        """
        name = self._file(id_)
        record = self._index.files[name]
        # The index, which is this program's and of this bank, names the body of the base.
        key = "" if axes else record.body
        if not key:
            key = self._cache.body_name(record.stamp.digest, self._index.shared, dict(axes or {}))
        found = self._bodies.get(key) or self._cache.body(key)
        if found is None:
            found = self._compiled(id_, name, dict(axes or {}))
            self._cache.write_body(key, found)
        self._bodies[key] = found
        return found

    def variants(self, id_: str) -> tuple[Mapping[str, str], ...]:
        """The axis values that a question may be asked with; the base, which has none, comes first."""
        name = self._file(id_)
        record = self._index.files[name]
        if record.variants is None:
            from quiz.bank.loader import Loader

            record = Loader(self._listing, self._index.shared).surveyed(name, record)
            files = {**self._index.files, name: record}
            self._index = self._cache.write_index(self._index.shared, files)
        return record.variants or ({},)

    def source_of(self, id_: str) -> Path:
        """The file of a question."""
        return self._listing.path(self._file(id_))

    def _file(self, id_: str) -> str:
        if id_ not in self._files:
            raise UnknownQuestionError(id_, tuple(self._files))
        return self._files[id_]

    def _compiled(self, id_: str, name: str, axes: dict[str, str]) -> Rendered:
        from quiz.bank.loader import Loader

        try:
            return Loader(self._listing, self._index.shared).rendered(name, self._index.files[name], axes)
        except KeyError as error:
            raise UnknownVariantError(id_, axes) from error


def open_bank(folder: Path, cache: Path | None, *, bundled: bool = False, strict: bool | None = None) -> Bank:
    """Open the bank in `folder`; `cache` is the folder for caches (None: keep nothing).

    Raises `BankError` with every problem: always where the folder is no bank or no question is usable, and with
    `strict` (by default: unless `bundled`) where anything at all is wrong.
    """
    listing = list_bank(folder)
    store = Cache(cache, folder)
    known = store.index()
    index, bodies = _brought_up_to_date(listing, store, known)
    problems = (*listing.problems, *(one for record in index.files.values() for one in record.problems))
    errors = [one for one in problems if one.severity == "error"]
    is_strict = not bundled if strict is None else strict
    if errors and (is_strict or not _usable(index)):
        raise BankError(problems)
    return Bank(listing, store, index, bodies, problems)


def _usable(index: Index) -> dict[str, str]:
    """The usable questions: the file of each id, in the order of the files. An id that two files share is in none."""
    return {
        record.entry.id: name
        for name, record in index.files.items()
        if record.entry is not None and not any(one.code == "duplicate-id" for one in record.problems)
    }


def _brought_up_to_date(listing: Listing, cache: Cache, known: Index | None) -> tuple[Index, dict[str, Rendered]]:
    """The index of the bank as it is now, and what had to be compiled for it."""
    require_manifest(listing)
    if known is not None and _same_shared(listing, known):
        unchanged = {
            name: record
            for name, record in known.files.items()
            if name in listing.questions
            and is_same(listing, name, listing.questions[name], record.stamp, known.written_ns)
        }
        if len(unchanged) == len(listing.questions) == len(known.files):
            return known, {}
    else:
        unchanged = {}
    from quiz.bank.loader import Loader

    loader = Loader(listing, None)
    files, bodies = loader.compiled(unchanged, cache)
    return cache.write_index(loader.shared, files), bodies


def _same_shared(listing: Listing, known: Index) -> bool:
    stamps = known.shared.stamps
    return stamps.keys() == listing.shared.keys() and all(
        is_same(listing, name, stamp, stamps[name], known.written_ns) for name, stamp in listing.shared.items()
    )


__all__ = ["Bank", "BankError", "UnknownQuestionError", "UnknownVariantError", "open_bank"]
