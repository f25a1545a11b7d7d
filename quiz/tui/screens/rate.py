"""Rating an answer oneself: four ratings, each with when it would bring the question back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from quiz.tui import words
from quiz.tui.lines import join, text, wrap
from quiz.tui.page import Dialog, numbered
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.binding import BindingType
    from textual.widget import Widget

    from quiz.tui.ports import Result


class Rate(Dialog):
    """A box with the ratings. It gives back the one chosen, or None."""

    ABOUT = "Your own rating replaces the rule's for this answer. The days are exactly those that will be stored."
    BINDINGS: ClassVar[list[BindingType]] = numbered(4, "take", "Rate", "rate")

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result

    def content(self) -> Iterator[Widget]:
        """What was stored and why, then the choice."""
        now = f"Stored: {self.result.rating}, since {self.result.why}. How well did you know it?"
        yield Flow(lambda width: [*wrap(text(now), width), *wrap(text(words.RULE, "$quiet"), width), text("")])
        yield Menu(
            [
                Row(join(choice.rating.ljust(7), (choice.back, "$quiet")), str(number))
                for number, choice in enumerate(self.result.choices, 1)
            ],
            id="ratings",
        )

    def on_mount(self) -> None:
        """Begin on the rating that stands."""
        menu = self.query_one("#ratings", Menu)
        ratings = [choice.rating for choice in self.result.choices]
        menu.cursor = ratings.index(self.result.rating) if self.result.rating in ratings else 0
        menu.refresh_lines()
        menu.focus()

    def on_menu_picked(self, message: Menu.Picked) -> None:
        """Enter or a click."""
        message.stop()
        self.action_take(message.index + 1)

    def action_take(self, number: int) -> None:
        """Take a rating by its number."""
        if number <= len(self.result.choices):
            _ = self.dismiss(self.result.choices[number - 1].rating)
