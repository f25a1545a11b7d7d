"""A list of the files of a bank, to choose one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui.lines import text
from quiz.tui.page import Dialog
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.widget import Widget


class ChooseFile(Dialog):
    """The files by name; the one that is shown has the cursor."""

    def __init__(self, names: Sequence[str], shown: str) -> None:
        super().__init__()
        self._names = tuple(names)
        self._shown = shown

    def content(self) -> Iterator[Widget]:
        """The list."""
        yield Menu([Row(text(name)) for name in self._names], id="files")

    def on_mount(self) -> None:
        """Begin at the file that is shown."""
        menu = self.query_one(Menu)
        menu.focus()
        if self._shown in self._names:
            menu.move_to(self._names.index(self._shown))

    def on_menu_picked(self, message: Menu.Picked) -> None:
        """Enter or a click chooses."""
        message.stop()
        _ = self.dismiss(self._names[message.index])
