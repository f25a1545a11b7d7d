"""The line to type an answer into: a paste of several lines is joined, a huge one is cut, both are said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from quiz.tui.harmless import plain
from quiz.tui.widgets.field import OneLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

LONGEST = 400


class AnswerInput(OneLine):
    """One line of text."""

    class Pasted(Message):
        """Something was done to a pasted text; `note` says what."""

        def __init__(self, note: str) -> None:
            super().__init__()
            self.note = note

    def __init__(self, value: str, placeholder: str, entered: Callable[[str], None]) -> None:
        super().__init__(value, placeholder, entered, id="answer", max_length=LONGEST)

    def _on_paste(self, event: events.Paste) -> None:
        """Put the lines of a paste side by side, where textual would drop all but the first."""
        event.stop()
        event.prevent_default()
        lines = [line.strip() for line in event.text[: LONGEST * 20].splitlines() if line.strip()]
        joined = plain(" ".join(lines).replace("\t", " "))
        room = LONGEST - len(self.value) + len(self.selected_text)
        notes = []
        if len(lines) > 1:
            notes.append(f"{len(lines)} lines were joined")
        if len(joined) > room:
            notes.append(f"cut to {LONGEST} characters")
        kept = joined[: max(0, room)]
        if self.selection.is_empty:
            self.insert_text_at_cursor(kept)
        else:
            self.replace(kept, *self.selection)
        if notes:
            self.post_message(self.Pasted(", ".join(notes)))
