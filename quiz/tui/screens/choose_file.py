"""A list of the files of a bank, to choose one; in a bank of many a part of the name narrows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.widgets import Input

from quiz.tui.lines import text, wrap
from quiz.tui.page import Dialog
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.widget import Widget

    from quiz.tui.lines import Lines

_MOST: Final = 100
"""Names that are listed all at once: a list lays out all its rows whenever the cursor moves."""
_SHOWN: Final = 12
"""Of more names, as many as fit below the field."""


class ChooseFile(Dialog):
    """The files by name; the one that is shown has the cursor."""

    def __init__(self, names: Sequence[str], shown: str) -> None:
        super().__init__()
        self._names = tuple(names)
        self._shown = shown
        self._many = len(self._names) > _MOST
        self._found = self._around() if self._many else self._names

    def content(self) -> Iterator[Widget]:
        """The list; above it, where there are many, what they are narrowed by."""
        if self._many:
            yield Input(placeholder="part of a name", id="part")
            yield Flow(self._more, id="more")
        yield Menu([Row(text(name)) for name in self._found], id="files")

    def on_mount(self) -> None:
        """Begin at the file that is shown."""
        menu = self.query_one(Menu)
        (self.query_one(Input) if self._many else menu).focus()
        if self._shown in self._found:
            menu.move_to(self._found.index(self._shown))

    def on_menu_picked(self, message: Menu.Picked) -> None:
        """Enter or a click chooses."""
        message.stop()
        _ = self.dismiss(self._found[message.index])

    def on_input_changed(self, message: Input.Changed) -> None:
        """List the names that have the part."""
        message.stop()
        part = message.value.strip().lower()
        self._found = tuple(name for name in self._names if part in name.lower())[:_SHOWN] if part else self._around()
        menu = self.query_one(Menu)
        menu.show_rows([Row(text(name)) for name in self._found], 0)
        self.query_one("#more", Flow).refresh_lines()
        menu.move_to(self._found.index(self._shown) if self._shown in self._found else 0)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Enter in the field chooses what the cursor stands on."""
        message.stop()
        if self._found:
            _ = self.dismiss(self._found[self.query_one(Menu).cursor])

    def action_line(self, step: int) -> None:
        """The arrows move the cursor of the list while the field has the keys."""
        self.query_one(Menu).action_move(step)

    def _around(self) -> tuple[str, ...]:
        """The names nearest to the one that is shown."""
        at = self._names.index(self._shown) if self._shown in self._names else 0
        start = max(0, min(at - _SHOWN // 2, len(self._names) - _SHOWN))
        return self._names[start : start + _SHOWN]

    def _more(self, width: int) -> Lines:
        said = f"{len(self._found)} of {len(self._names):,} files; type a part of a name to find others"
        return wrap(text(said if self._found else "no file has that in its name"), width)
