"""The field for an open answer: a few lines of plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from quiz.tui.page import Body
from quiz.tui.widgets.field import Passing

if TYPE_CHECKING:
    from textual import events

LONGEST = 20_000


class Writing(Passing, TextArea):
    """Plain text; Tab leaves the field, ctrl+s hands it in."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "screen.written", "Done", show=False, id="writing.done"),
    ]

    def __init__(self, value: str) -> None:
        super().__init__(value, id="write", soft_wrap=True, show_line_numbers=False, tab_behavior="focus")

    def is_text(self, key: events.Key) -> bool:
        """Whether a key belongs to the text: all do that lead to no other step."""
        return key.key not in ("ctrl+s", "escape", "f2")

    def on_text_area_changed(self) -> None:
        """What is typed is seen, wherever the page stood."""
        self.scroll_visible(animate=False)

    def action_cursor_page_down(self) -> None:
        """A page of the text down, or, where all of it is seen, of the page around it."""
        if self._overflows():
            super().action_cursor_page_down()
        else:
            self.screen.query_one(Body).scroll_page_down(animate=False)

    def action_cursor_page_up(self) -> None:
        """The same upwards."""
        if self._overflows():
            super().action_cursor_page_up()
        else:
            self.screen.query_one(Body).scroll_page_up(animate=False)

    def _overflows(self) -> bool:
        return self.wrapped_document.height > self.content_size.height

    async def _on_paste(self, event: object) -> None:
        """A paste beyond any answer is cut, since each key would pay for it afterwards."""
        text = getattr(event, "text", "")
        if len(text) + len(self.text) > LONGEST:
            event.text = text[: max(0, LONGEST - len(self.text))]  # type: ignore[attr-defined]
        await super()._on_paste(event)  # type: ignore[arg-type]
