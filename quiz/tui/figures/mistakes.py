"""The section on mistakes: slips, red flags that were missed, and questions that will not stick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.tui import words
from quiz.tui.figures import spelled
from quiz.tui.lines import BLANK, Lines, cut, heading, join, text, wrap
from quiz.tui.plots import column, level_bar, note

if TYPE_CHECKING:
    from textual.content import Content

    from quiz.statistics.mistakes import Count, Leech, Missed, Slip
    from quiz.tui.figures import Drawn

#: How many of each are drawn; the JSON has all.
MOST: Final = 10
#: Slips whose id does not say what they are.
NAMES: Final = {"edit": "one step off"}
_NAME: Final = 22
_LONGEST: Final = 3  # lines of what the bank says to a mistake
_BAR: Final = 24


def lay(drawn: Drawn, width: int) -> Lines:
    """The three lists."""
    found = drawn.report.mistakes
    since = f" since {spelled.day(found.since, drawn.report.day)}" if found.since else ""
    lines = heading(f"Slips made most{since}", width)
    top = max((slip.count for slip in found.slips), default=0)
    for slip in found.slips[:MOST]:
        lines += _slip(slip, top, width)
    if not found.slips:
        lines += wrap(note("None was recognised."), width)
    lines += _more(len(found.slips), width)
    lines += [BLANK, *heading(f"Red flags missed{since}", width)]
    for flag in found.flags[:MOST]:
        lines += _flag(flag, width)
    if not found.flags:
        lines += wrap(note("No wrong statement was let pass."), width)
    lines += _more(len(found.flags), width)
    lines += [BLANK, *heading("Leeches", width)]
    for leech in found.leeches[:MOST]:
        lines += _leech(leech, width)
    if not found.leeches:
        lines += wrap(note(f"No question was forgotten {found.leech_from} times or more."), width)
    else:
        lines += wrap(
            note("Forgotten again and again: read its solution once more, or suspend it and learn what it rests on."),
            width,
        )
    return lines + _more(len(found.leeches), width)


def _more(count: int, width: int) -> Lines:
    return wrap(note(f"and {count - MOST:,} more"), width) if count > MOST else []


def _short(said: Content, width: int) -> Lines:
    """At most three lines of it; the solution of the question has the rest."""
    lines = wrap(said, width, "  ")
    if len(lines) <= _LONGEST:
        return lines
    return [*lines[: _LONGEST - 1], cut(join(lines[_LONGEST - 1], " …"), width)]


def _slip(slip: Slip, top: int, width: int) -> Lines:
    bar = _BAR if width >= _NAME + _BAR + 10 else max(1, min(8, width - _NAME - 1 - len(f"{top:,}")))
    lines = [
        cut(
            join(
                column(NAMES.get(slip.id, slip.id.replace("-", " ")), _NAME, "bold"),
                level_bar(slip.count, top, bar, "$term-gradients"),
                f" {slip.count:,}",
            ),
            width,
        )
    ]
    if slip.says:
        lines += _short(text(slip.says), width)
    return lines + wrap(note(f"in {_counts(slip.questions)}"), width, "  ")


def _flag(flag: Missed, width: int) -> Lines:
    lines = wrap(
        join((flag.title or flag.question, "bold"), (f"  {words.count(flag.count, 'time')}", "$wrong")), width, "⚑ "
    )
    if flag.flag:
        lines += _short(join(("junior  ", "$wrong"), flag.flag), width)
    if flag.instead:
        lines += _short(join(("say     ", "$right"), flag.instead), width)
    return lines + wrap(note(f"chosen: {_counts(flag.options)} · {flag.question}"), width, "  ")


def _leech(leech: Leech, width: int) -> Lines:
    return wrap(
        join(
            (leech.title or leech.question, "bold"),
            (f"  forgotten {leech.lapses:,} times in {leech.answers:,} answers · {leech.question}", "$quiet"),
        ),
        width,
        "  ",
    )


def _counts(found: tuple[Count, ...]) -> str:
    shown = ", ".join(f"{one.id} ({one.count:,})" for one in found[:3])
    return f"{shown}, and {len(found) - 3} more" if len(found) > 3 else shown  # noqa: PLR2004 - three say enough
