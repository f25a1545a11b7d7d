"""Everything that can be said of a bank, for its author: problems of every file, and how each question is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quiz.bank.compile import survey_text
from quiz.bank.diagnostics import BankError, Diagnostic, in_order
from quiz.bank.files import list_bank, require_manifest
from quiz.bank.loader import Loader
from quiz.bank.margins import margin_of

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.bank.cache import FileRecord
    from quiz.bank.variants import Survey


@dataclass(frozen=True, slots=True)
class Row:
    """One question in the author's table."""

    id: str
    file: str
    kind: str
    key: tuple[str, ...]
    answer: str
    margin: str
    variants: int
    rejected: str
    asserted: int
    options: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What the lint found: the diagnostics, the questions that are whole, and the text of each file."""

    diagnostics: tuple[Diagnostic, ...]
    rows: tuple[Row, ...]
    sources: dict[str, str]

    @property
    def errors(self) -> int:
        """How many of the diagnostics are errors."""
        return sum(one.severity == "error" for one in self.diagnostics)


def lint(folder: Path, only: str | None = None) -> Findings:
    """Check the bank in `folder`; `only` names one of its files. Raises `BankError` where there is no bank.

    What is a warning when a bank is opened (too few variants) is an error here.
    """
    listing = list_bank(folder)
    require_manifest(listing)
    loader = Loader(listing, None)
    found = list(listing.problems)
    rows: list[Row] = []
    sources: dict[str, str] = {}
    for name, record, compiled in loader.each():
        found += record.problems
        if only is not None and name != only:
            continue
        survey: Survey | None = None
        try:
            content = listing.read(name)
            sources[name] = content.decode("utf-8", "replace")
            if compiled is not None:
                survey, said = survey_text(content, name, loader.context)
                found += said
        except BankError as error:
            found += error.diagnostics
        if compiled is not None and survey is not None and not _is_shared(record):
            base = compiled.base
            rows.append(
                Row(
                    base.id,
                    name,
                    base.kind,
                    base.key,
                    base.numeric.text if base.numeric else "",
                    margin_of(compiled),
                    len(survey.kept),
                    survey.account,
                    compiled.asserted,
                    compiled.options,
                )
            )
    if only is not None:
        found = [one for one in found if one.place.file == only]
    return Findings(tuple(_strict(one) for one in in_order(found)), tuple(rows), sources)


def _is_shared(record: FileRecord) -> bool:
    """Whether another file has the same id, so that neither question is used."""
    return any(one.code == "duplicate-id" for one in record.problems)


def _strict(one: Diagnostic) -> Diagnostic:
    if one.code != "few-variants":
        return one
    return Diagnostic(one.place, one.code, one.what, one.why, one.next, "error", one.path)
