"""The field for an open answer: a few lines of plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import TextArea

if TYPE_CHECKING:
    from textual import events

LONGEST = 20_000


class Writing(TextArea):
    """Plain text; Tab leaves the field, ctrl+s hands it in."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "screen.written", "Done", show=False, id="writing.done"),
    ]

    def __init__(self, value: str) -> None:
        super().__init__(value, id="write", soft_wrap=True, show_line_numbers=False, tab_behavior="focus")

    def is_text(self, key: events.Key) -> bool:
        """Whether a key belongs to the text: all do that lead to no other step."""
        return key.key not in ("ctrl+s", "escape", "f2")

    async def _on_paste(self, event: object) -> None:
        """A paste beyond any answer is cut, since each key would pay for it afterwards."""
        text = getattr(event, "text", "")
        if len(text) + len(self.text) > LONGEST:
            event.text = text[: max(0, LONGEST - len(self.text))]  # type: ignore[attr-defined]
        await super()._on_paste(event)  # type: ignore[arg-type]
