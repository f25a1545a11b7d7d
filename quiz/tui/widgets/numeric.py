"""A typed answer: the field, and below it how what is typed is read, while it is typed.

Keys never wait for the reading: it goes on elsewhere, one at a time, and reads again what has changed meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.containers import Vertical

from quiz.tui.lines import Lines, text, wrap
from quiz.tui.ports import Echo
from quiz.tui.widgets.answer import AnswerInput
from quiz.tui.widgets.flow import Flow

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import ComposeResult
    from textual.widgets import Input

    from quiz.tui.terminal import TerminalApp


WITH_UNIT = "number with unit, or a formula"
PLAIN = "a number, or a formula"
EMPTY = "Nothing typed. Enter once more says that you don't know."


class NumericAnswer(Vertical):
    """The field with its echo. Enter calls `given` with the text; with an empty one only when pressed twice."""

    DEFAULT_CSS = "NumericAnswer { height: auto; }"

    def __init__(
        self,
        value: str,
        read_back: Callable[[str], Awaitable[Echo]],
        given: Callable[[str], None],
        wanted: str = WITH_UNIT,
    ) -> None:
        super().__init__()
        self._given = given
        self._wanted = wanted
        self._value = value
        self._read_back = read_back
        self._reading = False
        self._empty_once = False

    def compose(self) -> ComposeResult:
        """The field, then the echo."""
        yield AnswerInput(self._value, self._wanted, self._entered)
        yield Flow(id="echo")

    def take_focus(self) -> None:
        """Type here. The page stays where it is until something is typed."""
        self.query_one(AnswerInput).focus(scroll_visible=False)

    @property
    def typed(self) -> str:
        """What stands in the field."""
        return self.query_one(AnswerInput).value

    def on_input_changed(self, message: Input.Changed) -> None:
        """Each keystroke: begin to read, unless that goes on already."""
        message.stop()
        self._empty_once = False
        if not self._reading:
            self._reading = True
            # Textual takes a function too, and its types do not say so.
            self.run_worker(self._read, group="echo")  # type: ignore[arg-type]

    async def _read(self) -> None:
        """Read what stands in the field, and again until it no longer changes."""
        try:
            read: str | None = None
            while self.is_attached and self.typed != read:
                read = self.typed
                echo = await self._read_back(read) if read.strip() else None
                if self.typed == read:
                    self.show_echo(echo)
        finally:
            self._reading = False

    def _entered(self, value: str) -> None:
        if value.strip() or self._empty_once:
            self._given(value if value.strip() else "")
            return
        self._empty_once = True
        self._show(lambda width: wrap(text(EMPTY, "$quiet"), width))

    def on_answer_input_pasted(self, message: AnswerInput.Pasted) -> None:
        """Say what was done to a paste."""
        message.stop()
        cast("TerminalApp", self.app).tell(f"Pasted: {message.note}.")

    def show_echo(self, echo: Echo | None) -> None:
        """Show how the text is read, or where it cannot be."""
        typed = self.typed

        def lay(width: int) -> Lines:
            if echo is None:
                return []
            if echo.readable:
                return wrap(text(echo.text, "$almost" if echo.warns else "$right"), width, "read as  ")
            return pointed(typed, echo, width)

        self._show(lay)

    def refuse(self, why: str, span: tuple[int, int] | None) -> None:
        """Show why Enter led nowhere; `span` is the place in the text without the blanks before it."""
        before = len(self.typed) - len(self.typed.lstrip())
        place = None if span is None else (span[0] + before, span[1] + before)
        self.show_echo(Echo(why or "This cannot be read.", readable=False, span=place))

    def _show(self, layout: Callable[[int], Lines]) -> None:
        self.query_one("#echo", Flow).show(layout)
        self.call_after_refresh(self._into_view)

    def on_resize(self) -> None:
        """The echo takes a line more: field and echo stay in view."""
        if self.typed:
            self._into_view()

    def _into_view(self) -> None:
        self.scroll_visible(animate=False)


def pointed(typed: str, echo: Echo, width: int) -> Lines:
    """Why a text cannot be read, with carets under the place; of a long text the piece around it."""
    lines: Lines = []
    if echo.span is not None:
        start, end = echo.span
        first = max(0, min(start, len(typed)) - width // 2)
        piece = typed[first : first + max(1, width - 2)]
        carets = " " * max(0, start - first) + "^" * max(1, min(end, first + len(piece)) - start)
        lines += [text(piece, "$quiet"), text(carets[: max(1, width)], "$wrong bold")]
    return lines + wrap(text(echo.text, "$almost"), width)
