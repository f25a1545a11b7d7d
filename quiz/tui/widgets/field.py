"""What the fields to type into have in common: some come and go with the steps of a question; none loses a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip
from textual.widgets import Input

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.geometry import Region
    from textual.widget import Widget as Base
else:
    # No widget by itself: textual would look for the looks of a field in the first of its bases only.
    Base = object


class Passing(Base):
    """A field that may be taken away while it waits to be drawn.

    Textual asks a widget once more for its lines after it has taken its looks, and ends the app where it finds none.
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        """Its lines; blanks once it is taken away."""
        if self.parent is None:
            return [Strip.blank(crop.width)] * crop.height
        return super().render_lines(crop)


class OneLine(Passing, Input):
    """One line of text. Enter calls `entered` at once: behind a message, as textual sends it, keys would come in."""

    def __init__(
        self,
        value: str,
        placeholder: str,
        entered: Callable[[str], None],
        *,
        id: str,  # noqa: A002 - the name that textual gives it
        max_length: int = 0,
    ) -> None:
        self._entered = entered
        super().__init__(value, placeholder=placeholder, id=id, max_length=max_length, select_on_focus=False)

    def is_text(self, key: events.Key) -> bool:
        """Whether a key belongs to the text."""
        return key.is_printable

    async def action_submit(self) -> None:
        """Enter."""
        self._entered(self.value)
