"""What both fields for an answer have in common: they come and go with the steps of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip

if TYPE_CHECKING:
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
