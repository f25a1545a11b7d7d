"""The app around a preview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui.screens.preview import Preview as PreviewScreen
from quiz.tui.terminal import TerminalApp

if TYPE_CHECKING:
    from textual.screen import Screen

    from quiz.authoring.preview import Preview


class PreviewApp(TerminalApp):
    """A preview in a terminal. `first` is the file to begin with, `variant` which of its variants (0: its own)."""

    def __init__(self, preview: Preview, first: str, variant: int = 0) -> None:
        super().__init__()
        self.preview = preview
        self._first = first
        self._variant = variant

    def get_default_screen(self) -> Screen[None]:
        """The one screen."""
        return PreviewScreen(self._first, self._variant)
