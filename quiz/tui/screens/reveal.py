"""The reveal: the verdict on top, and one section at a time below it, so that it is never a wall of text.

Left and right, or a digit, change the section; Space reads on through all of them. Enter uncovers the next
follow-up where they are shown, and goes on to the next question anywhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.tui import header, sections, words
from quiz.tui.lines import BLANK, Lines, join, spread, text, wrap
from quiz.tui.page import HELP, ROOMY
from quiz.tui.ports import Rating, Trouble
from quiz.tui.screens.mark import MarkablePage
from quiz.tui.sectioned import Sectioned, reading_keys
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from textual import events
    from textual.widget import Widget

    from quiz.tui.ports import Answer, Result, Step, Turn


class Reveal(MarkablePage, Sectioned):
    """What an answer came to, and everything there is to know about it."""

    ABOUT = (
        "The verdict, then one section at a time. The answer is stored; u takes it back, r rates it yourself. "
        + words.RULE
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "on", "Uncover, or go on", id="reveal.on", tooltip="Uncover a follow-up, or the next question"
        ),
        Binding("n", "next", "Next question", id="reveal.next"),
        *reading_keys("reveal", 10),
        Binding("u", "undo", "Take the answer back", id="reveal.undo"),
        Binding("r", "rate", "Rate it yourself", id="reveal.rate"),
        Binding("d", "prove", "Prove it: predict, run, compare", id="reveal.prove"),
        Binding("q,escape", "leave", "Leave the session", id="reveal.leave"),
    ]

    sections: tuple[sections.Section, ...]

    def __init__(self, turn: Turn, answer: Answer, result: Result, confidence: int | None) -> None:
        super().__init__()
        self.turn = turn
        self.view = sections.Reveal(turn, answer, result, confidence, self._title)
        self.sections = sections.sections(self.view)
        self._busy = False

    @property
    def marked_question(self) -> str:
        """The question whose solution this is."""
        return self.turn.question.id

    def _title(self, name: str) -> str:
        return self.desk_app.desk.title(name)

    def head(self, width: int) -> Lines:
        """Where the session is, and how sure one was."""
        left = join(
            (words.topic(self.turn.question.topic), "bold $text-primary"),
            (f"  {words.dots(self.turn.question.difficulty)}", "$quiet"),
        )
        sure = f"you said {words.confidence(self.view.confidence)}  " if self.view.confidence and width >= 60 else ""  # noqa: PLR2004
        return [spread(left, text(f"{sure}{self.turn.number}/{self.turn.total}", "$quiet"), width)]

    def above(self) -> Iterator[Widget]:
        """The verdict and the names of the sections, which stay."""
        yield Flow(self._verdict, id="verdict")
        yield from super().above()

    def content(self) -> Iterator[Widget]:
        """The section that is shown."""
        yield Flow(self._section, id="section")

    def _verdict(self, width: int) -> Lines:
        return [*header.verdict(self.view, width), *header.lay(self.view, width, header.room(self.size.height))]

    def _section(self, width: int) -> Lines:
        room = header.room(self.size.height)
        whole = header.left_out(self.view, width, room)
        if not self.sections:
            return whole
        lines = self.sections[self.at].layout(width)
        if self.at == 0 and self.view.result.note:
            lines = [*wrap(text(self.view.result.note, "$almost"), width, "! "), BLANK, *lines]
        # What had to be cut on top stands in full where the reasons are.
        with_reasons = next((n for n, section in enumerate(self.sections) if section.id in ("why", "sketch")), 0)
        return [*lines, BLANK, *whole] if whole and self.at == with_reasons else lines

    def hints(self) -> list[Hint]:
        """The keys of the section."""
        on = "uncover" if self._covered else "next"
        keys = [Hint("enter", on, "on"), Hint("←→", "sections"), Hint("space", "read on", "read")]
        if self.view.result.can_undo:
            keys.append(Hint("u", "undo", "undo"))
        if self.view.result.choices:
            keys.append(Hint("r", "rate", "rate"))
        if self.desk_app.proves(self.turn.question):
            keys.insert(2, Hint("d", "prove it", "prove"))
        return [*keys, Hint("q", "leave", "leave"), HELP]

    @property
    def _covered(self) -> bool:
        """True where a follow-up of the section shown is still covered."""
        here = self.sections[self.at].id if self.sections else ""
        return here == sections.FOLLOW_UPS and self.view.uncovered < len(self.turn.question.follow_ups)

    def on_resize(self, event: events.Resize) -> None:
        """Another size: perhaps with room between the bars."""
        super().on_resize(event)
        self.view.roomy = event.size.height >= ROOMY
        self.view.colourless = self.desk_app.colourless
        self.fit(event.size.height)

    # ---------------------------------------------------------------- reading

    def action_on(self) -> None:
        """Uncover the next follow-up, or go on."""
        if not self._covered:
            self.action_next()
            return
        self.view.uncovered += 1
        self.query_one("#section", Flow).refresh_lines()
        self.refresh_hints()

    # ---------------------------------------------------------------- what goes on at the desk

    def action_next(self) -> None:
        """The next question, or the end."""
        self._at_desk(self._step(self.desk_app.desk.next))

    def action_leave(self) -> None:
        """Leave the session."""
        self._at_desk(self._step(self.desk_app.desk.leave))

    def action_undo(self) -> None:
        """Take the answer back and ask again."""
        if self.view.result.can_undo:
            self._at_desk(self._step(self.desk_app.desk.undo))

    def _at_desk(self, work: Coroutine[object, object, None]) -> None:
        if self._busy:
            work.close()
            return
        self._busy = True
        self.go(work)

    async def _step(self, action: Callable[[], Step]) -> None:
        try:
            step = await self.desk_app.at_desk(action)
        except Trouble as trouble:
            self._busy = False
            self.desk_app.tell(trouble.message, "error")
            return
        await self.desk_app.show_step(step)

    def action_prove(self) -> None:
        """Run the question's drill; one comes back here from it."""
        if not self._busy:
            self.desk_app.prove(self.turn.question)

    def action_rate(self) -> None:
        """Choose a rating instead of the rule's."""
        if self.view.result.choices:
            self._at_desk(self._ask_rating())

    async def _ask_rating(self) -> None:
        from quiz.tui.screens.rate import Rate

        try:
            self.view.result = await self.desk_app.at_desk(self.desk_app.desk.ratings)
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
        else:
            _ = self.app.push_screen(Rate(self.view.result), self._rated)
        self._told_anew()

    def _rated(self, rating: object) -> None:
        if rating in ("again", "hard", "good", "easy"):
            self._at_desk(self._rerate(rating))

    async def _rerate(self, rating: Rating) -> None:
        try:
            self.view.result = await self.desk_app.at_desk(self.desk_app.desk.rerate, rating)
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
        self._told_anew()

    def _told_anew(self) -> None:
        """What was asked of the desk is done: the verdict, and what is told beside it, as they stand now."""
        self._busy = False
        self.query_one("#verdict", Flow).refresh_lines()
        self.query_one("#section", Flow).refresh_lines()
