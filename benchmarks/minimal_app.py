"""The peer of the start-up benchmark: the smallest Textual app that shows something."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class MinimalApp(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        """The line."""
        yield Static("a minimal app")


if __name__ == "__main__":
    MinimalApp().run()
