"""Help: the keys of the screen that it was called from, and what the signs mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui.lines import BLANK, Lines, heading, text, wrap
from quiz.tui.page import Dialog
from quiz.tui.widgets.flow import Flow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.screen import Screen
    from textual.widget import Widget

_ANYWHERE = (
    ("? or F1", "this help"),
    ("ctrl+p", "command palette: themes, quit"),
    ("ctrl+z", "to the shell; `fg` comes back"),
    ("ctrl+q", "quit"),
    ("ctrl+c", "leave at once; every answer given is kept"),
)


class Help(Dialog):
    """A box with the keys of another screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,enter", "close", "Close", show=False, id="help.close"),
    ]

    def __init__(self, about: Screen[object]) -> None:
        super().__init__()
        self._keys = list(_keys(about))
        self._about = getattr(about, "ABOUT", "")

    def content(self) -> Iterator[Widget]:
        """Everything in one flow."""
        yield Flow(self._lay)

    def _lay(self, width: int) -> Lines:
        lines: Lines = []
        if self._about:
            lines += [*wrap(text(self._about), width), BLANK]
        lines += heading("Here", width)
        lines += _table(self._keys, width)
        lines += [BLANK, *heading("Anywhere", width), *_table(_ANYWHERE, width)]
        return [*lines, BLANK, *wrap(text("escape closes this", "$quiet"), width)]


def _table(rows: list[tuple[str, str]] | tuple[tuple[str, str], ...], width: int) -> Lines:
    column = min(18, width // 2)
    lines: Lines = []
    for key, label in rows:
        lead = text(key[:column].ljust(column), "$text-primary bold") + text("  ")
        lines += wrap(text(label), width, lead)
    return lines


def _keys(about: Screen[object]) -> Iterator[tuple[str, str]]:
    """The keys that work on a screen now, those of one action on one line."""
    found: dict[tuple[str, str], list[str]] = {}
    for _, binding, enabled, tooltip in about.active_bindings.values():
        owner = (binding.id or "").partition(".")[0]
        if not enabled or not binding.description or owner in ("", "app"):
            continue  # textual's own, or told under "Anywhere"
        label = tooltip or binding.tooltip or binding.description
        found.setdefault((binding.action, label), []).append(about.app.get_key_display(binding).replace("⏎", "enter"))
    for (_, label), keys in found.items():
        yield " ".join(dict.fromkeys(keys)), label
