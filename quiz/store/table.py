"""The answers as a table for spreadsheets and data frames: one row an attempt, as it counts now."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Final

from quiz.session.attempt import Attempt
from quiz.session.changes import Names, Rename
from quiz.session.history import Amendments
from quiz.session.wire import instant_text
from quiz.store.export import Exported
from quiz.store.rows import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date
    from typing import TextIO

    from quiz.store.reading import Reader

#: The columns, in order.
COLUMNS: Final = (
    "id",
    "time",
    "offset",
    "day",
    "bank",
    "question",
    "generation",
    "verdict",
    "verdict_given",
    "slip",
    "rating",
    "confidence",
    "duration_ms",
    "promised_day",
    "chosen",
    "text",
    "key",
    "variant",
    "meaning",
    "counts",
)

#: A cell that begins with one of these is a formula, or becomes one, in a spreadsheet; the full-width forms too.
FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - the full-width forms are meant
#: What a spreadsheet may pass over before them.
_PASSED_OVER: Final = " \u00a0\0\ufeff"


def write(store: Reader, out: TextIO, *, safe: bool = True) -> Exported:
    """Write the attempts as CSV with a head. Damaged events are left out and named in the result.

    Args:
        store: the history.
        out: opened with `newline=""`.
        safe: put an apostrophe before a text that a spreadsheet would take for a formula. Without it the texts are
            exact, for programs.
    """
    amendments = Amendments.of(event for kind in ("retraction", "rerating", "regrade") for event in store.of_kind(kind))
    names = Names(event for event in store.of_kind("rename") if isinstance(event, Rename))

    def promised(attempt: Attempt) -> date:
        return _promised(store, attempt, amendments, names)

    table = csv.writer(out)  # its line end quotes a lone carriage return too
    table.writerow(COLUMNS)
    count = 0
    damaged: list[Damaged] = []
    for event in store.events():
        if isinstance(event, Damaged):
            damaged.append(event)
        elif isinstance(event, Attempt):
            row = _row(event, amendments, names, promised)
            table.writerow([_cell(value) if safe else value for value in row])
            count += 1
    return Exported(count, tuple(damaged))


def _promised(store: Reader, given: Attempt, amendments: Amendments, names: Names) -> date:
    """Return the day that goes with the rating that counts: as it was told, or as it follows from a regrade."""
    rated, regraded = amendments.reratings.get(given.id), amendments.regrades.get(given.id)
    if rated is not None:
        return rated.promise.day
    if regraded is not None and regraded.rating not in (None, given.rating):
        for one in store.course(names.key(given)).counted:
            if one.attempt.id == given.id:
                return one.after.due_day
    return given.promise.day


def _row(
    given: Attempt, amendments: Amendments, names: Names, promised: Callable[[Attempt], date]
) -> tuple[str | int | None, ...]:
    regraded, rated = amendments.regrades.get(given.id), amendments.reratings.get(given.id)
    attempt = regraded.applied(given) if regraded else given
    by_rule = (regraded.rating if regraded else None) or given.rating
    rating = rated.rating if rated else by_rule
    return (
        given.id,
        instant_text(given.time),
        given.offset,
        given.day.isoformat(),
        *names.key(given),
        attempt.verdict,
        given.verdict,
        attempt.slip,
        int(rating),
        given.confidence,
        given.duration_ms,
        promised(given).isoformat(),
        " ".join(given.response.chosen),
        given.response.text,
        " ".join(given.shown.key),
        " ".join(f"{name}={value}" for name, value in sorted(given.shown.variant.items())),
        given.shown.meaning,
        0 if given.id in amendments.retracted else 1,
    )


def _cell(value: str | int | None) -> str | int | None:
    """A text that cannot become a formula; numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.lstrip(_PASSED_OVER).startswith(FORMULA) else value
