"""Rating an answer oneself: four ratings, each with when it would bring the question back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui.lines import join, text, wrap
from quiz.tui.page import Dialog
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from quiz.tui.ports import Result


class Rate(Dialog):
    """A box with the ratings. It gives back the one chosen, or None."""

    ABOUT = "Your own rating replaces the rule's for this answer. The days are exactly those that will be stored."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            str(n),
            f"take({n - 1})",
            "" if n > 1 else "Rate",
            show=False,
            key_display="1 … 4" if n == 1 else None,
            id=f"rate.{n}",
        )
        for n in range(1, 5)
    ]

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result

    def content(self) -> Iterator[Widget]:
        """What was stored and why, then the choice."""
        now = f"Stored: {self.result.rating}, since {self.result.why}. How well did you know it?"
        yield Flow(lambda width: [*wrap(text(now), width), text("")])
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
        self.action_take(message.index)

    def action_take(self, index: int) -> None:
        """Take a rating."""
        if index < len(self.result.choices):
            _ = self.dismiss(self.result.choices[index].rating)
