"""The question: scenario, conventions, and the steps of an answer, one at a time.

The steps follow from the kind: choose, order, type or write; then the numeric part where there is one; then how sure
one is; an open answer is compared with the sketch last. Escape goes a step back. An answer is graded and stored after
its last step, and stays on the screen if it cannot be stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from textual.binding import Binding, BindingType

from quiz.tui import prose
from quiz.tui.ahead import Stepping
from quiz.tui.page import HELP, Body, numbered
from quiz.tui.ports import CONFIDENCES, Answer, NotSaved, Trouble, Turn
from quiz.tui.screens.mark import MarkablePage
from quiz.tui.screens.steps import (
    Draft,
    before_sketch,
    chosen_lines,
    convention_lines,
    convention_room,
    head_line,
    mark_of,
    order_rows,
    part_of,
    prompt,
    rows_of,
    rubric_rows,
    step_hints,
    steps_of,
    unsaved_lines,
)
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.menu import Menu

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual import events
    from textual.widget import Widget

    from quiz.bank.rendered import NumericPart
    from quiz.tui.lines import Lines
    from quiz.tui.ports import Result
    from quiz.tui.screens.steps import Step

State = Literal["answering", "saving", "unsaved"]
SAVING = (Hint("…", "storing"),)
UNSAVED = (Hint("r", "store again", "retry"), Hint("q", "leave without it", "leave"))


class Question(Stepping, MarkablePage):
    """One question, until its answer is stored."""

    ABOUT = "Give your answer, say how sure you are, and the solution is shown. Each answer is stored before that."
    BINDINGS: ClassVar[list[BindingType]] = [
        *numbered(9, "digit", "Choose, or tick", "question.choose"),
        Binding("space", "tick", "Tick what the cursor stands on, or scroll", show=False, id="question.tick"),
        Binding("0", "unknown", "I don't know", id="question.unknown"),
        *[
            Binding(key, f"sure({n})", name.title(), show=False, id=f"question.{name}", tooltip=f"{name}, {share} %")
            for n, (share, name, key) in enumerate(CONFIDENCES)
        ],
        Binding("shift+up,alt+up,K", "carry(-1)", "Move the item up", show=False, id="question.item-up"),
        Binding("shift+down,alt+down,J", "carry(1)", "Move the item down", show=False, id="question.item-down"),
        Binding("f2", "unknown", "I don't know", show=False, id="question.unknown-typing"),
        Binding("r", "retry", "Store again", show=False, id="question.retry"),
        Binding("v,f3", "conventions", "All conventions, or few", show=False, id="question.conventions"),
        Binding("u,f4", "undo", "Take the answer before this one back", show=False, id="question.undo"),
        Binding("escape", "back", "Fold the conventions, a step back, or leave", id="question.back"),
        Binding("q", "leave", "Leave the session", id="question.leave"),
    ]

    def __init__(self, turn: Turn) -> None:
        super().__init__()
        self.turn = turn
        self.question = turn.question
        self.steps = steps_of(turn.question)
        self.at = 0
        self.draft = Draft(order=list(turn.order), text=turn.text)
        self.state: State = "answering"
        self._all_conventions = self._done_without_ticks = False

    # ---------------------------------------------------------------- what is shown

    def content(self) -> Iterator[Widget]:
        """The scenario, the conventions, then the step."""
        yield Flow(lambda width: prose.lay(self.question.stem, width), id="stem")
        conventions = Flow(self._conventions, id="conventions", classes="" if self.question.conventions else "-empty")
        conventions.border_title = "conventions"
        yield conventions
        yield Flow(lambda width: chosen_lines(self.turn, self.draft, self.now_at, width, self.place), id="given")
        yield Flow(lambda width: prompt(self.turn, self.now_at, self.draft, width, self.place), id="prompt")
        yield Menu(id="menu", picked=lambda index, clicked: self.step(lambda: self._picked(index, clicked=clicked)))
        yield Flow(id="trouble", classes="-empty")

    def head(self, width: int) -> Lines:
        """Topic, difficulty, why it is asked, and how far the session is."""
        return [head_line(self.turn, width, self.desk_app.desk.now())]

    @property
    def marked_question(self) -> str:
        """The question, until its answer is handed in."""
        return self.question.id if self.state == "answering" else ""

    def _conventions(self, width: int) -> Lines:
        key = "F3" if self.now_at in ("type", "then", "write") else "v"
        menu = self.query_one("#menu", Menu).lines_for
        room = None if self._all_conventions else convention_room(self.turn, self.size.width, self.size.height, menu)
        return convention_lines(self.question, width, room, key)

    def action_conventions(self) -> None:
        """Show all conventions, or few again."""
        self._all_conventions ^= True
        self.query_one("#conventions", Flow).refresh_lines()

    def on_resize(self, event: events.Resize) -> None:
        """Another size: room for more or fewer conventions; the step stays in view."""
        super().on_resize(event)
        self.query_one("#conventions", Flow).refresh_lines()
        if self.at:
            self.call_after_refresh(self._to_what_is_new)

    def hints(self) -> list[Hint]:
        """The keys of the step, or of storing."""
        if self.state == "answering":
            return step_hints(self.now_at, len(self.turn.order), len(self.question.rubric))
        return [*(SAVING if self.state == "saving" else UNSAVED), HELP]

    @property
    def now_at(self) -> Step:
        """Where the answer is."""
        return self.steps[self.at]

    @property
    def part(self) -> NumericPart | None:
        """What is typed in this step."""
        return part_of(self.question, self.now_at, self.place)

    @property
    def place(self) -> int:
        """Which of the further parts the step asks for."""
        return max(0, self.steps[: self.at + 1].count("part") - 1)

    async def on_mount(self) -> None:
        """Begin with the first step; the clock of an interview runs from here."""
        if self.turn.ends:
            self.set_interval(1.0, self.query_one("#head", Flow).refresh_lines)
        await self._show_step()

    async def _show_step(self) -> None:
        """Show what the step needs and hide the rest."""
        menu = self.query_one("#menu", Menu)
        for selector in ("NumericAnswer", "#write"):
            await self.query(selector).remove()
        rows, cursor = rows_of(self.turn, self.now_at, self.draft)
        menu.show_rows(rows, cursor)
        menu.picks_on_click = self.now_at != "order"
        menu.set_class(not rows, "-empty")
        for name in ("#conventions", "#given", "#prompt"):
            flow = self.query_one(name, Flow)
            flow.refresh_lines()
            flow.set_class(not flow.lines_for(80), "-empty")
        if self.part is not None:
            await self._show_input(self.part)
        elif self.now_at == "write":
            await self._show_writing()
        else:
            menu.focus(scroll_visible=False)
        self.refresh_hints()
        if self.at:
            self.call_after_refresh(self._to_what_is_new)

    def _to_what_is_new(self) -> None:
        new = self.query_one("#prompt" if self.state == "answering" else "#trouble", Flow)
        self.bring(new, before_sketch(self.draft, new.size.width) if self.now_at == "compare" else 0)

    async def _show_input(self, part: NumericPart) -> None:
        from quiz.tui.widgets.numeric import NumericAnswer

        typed = self.draft.typed(self.now_at, self.place)
        field = NumericAnswer(
            typed,
            lambda text: self.desk_app.while_reading(self.desk_app.desk.read_back, part, text),
            lambda text: self.step(lambda: self._given(text)),
        )
        await self.query_one(Body).mount(field, before="#trouble")
        field.take_focus()

    async def _show_writing(self) -> None:
        from quiz.tui.widgets.writing import Writing

        field = Writing(self.draft.text)
        await self.query_one(Body).mount(field, before="#trouble")
        field.focus(scroll_visible=False)

    # ---------------------------------------------------------------- choosing, ordering, ticking

    async def _picked(self, index: int, *, clicked: bool) -> None:
        if self.state != "answering":
            return
        match self.now_at:
            case "choose":
                await self._choose(index)
            case "sure":
                await self.action_sure(index)
            case "order":
                await self._forward()
            case "compare" if clicked and index < len(self.question.rubric):
                self._tick(index)
            case "compare":
                await self._compared()

    async def _compared(self) -> None:
        """Enter on the rubric: done. With nothing ticked it is asked for once more, since it may have come too soon."""
        if self.draft.ticks or self._done_without_ticks:
            await self._forward()
            return
        self._done_without_ticks = True
        self.desk_app.tell("Nothing is ticked. Enter once more says that you said none of it.")

    async def action_tick(self) -> None:
        """Tick what the cursor stands on; where there is nothing to tick, scroll down."""
        menu = self.query_one("#menu", Menu)
        if self.now_at != "compare":
            self.action_down()
        elif self.state == "answering" and menu.cursor < len(self.question.rubric):
            self._tick(menu.cursor)
        elif self.state == "answering":
            await self._compared()

    async def _choose(self, index: int) -> None:
        self.draft.cursor = index
        if index >= len(self.turn.order):
            self._store(Answer(), None)
            return
        self.draft.chosen = self.turn.order[index]
        await self._forward()

    def _tick(self, index: int) -> None:
        self.draft.ticks ^= {index}
        menu = self.query_one("#menu", Menu)
        menu.show_rows(rubric_rows(self.question, self.draft))
        menu.move_to(index)

    async def action_digit(self, number: int) -> None:
        """A digit chooses the row of that number."""
        if self.state != "answering":
            return
        index = number - 1
        match self.now_at:
            case "choose" if index < len(self.turn.order):
                await self._choose(index)
            case "sure" if index < len(CONFIDENCES):
                await self.action_sure(index)
            case "order" if index < len(self.draft.order):
                self.query_one("#menu", Menu).move_to(index)
            case "compare" if index < len(self.question.rubric):
                self._tick(index)

    async def action_sure(self, index: int) -> None:
        """How sure, by letter."""
        if self.state == "answering" and self.now_at == "sure":
            self.draft.confidence = CONFIDENCES[index][0]
            await self._forward()

    def action_carry(self, by: int) -> None:
        """Move the item under the cursor up or down."""
        if self.now_at != "order" or self.state != "answering":
            return
        menu = self.query_one("#menu", Menu)
        here, there = menu.cursor, menu.cursor + by
        order = self.draft.order
        if 0 <= there < len(order):
            order[here], order[there] = order[there], order[here]
            menu.show_rows(order_rows(self.turn, self.draft), there)
            menu.move_to(there)

    async def action_unknown(self) -> None:
        """I don't know: the whole question in its first step, the numeric part in its own."""
        if self.state != "answering" or self.now_at in ("sure", "compare"):
            return
        if self.now_at in ("then", "part"):
            self.draft.put(self.now_at, self.place, None)
            await self._forward()
        else:
            self._store(Answer(), None)

    # ---------------------------------------------------------------- typing

    async def _given(self, text: str) -> None:
        """Enter in the field: grade it; what cannot be read is shown and costs nothing."""
        from quiz.tui.widgets.numeric import NumericAnswer

        if self.state != "answering" or not text:
            await self.action_unknown()
            return
        self.draft.put(self.now_at, self.place, text.strip())
        try:
            mark = await self.desk_app.at_desk(self.desk_app.desk.mark, self.draft.answer(self.question))
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
            return
        refused = mark_of(mark, self.question, self.now_at, self.place)
        if refused is not None and refused.status == "invalid":
            self.query_one(NumericAnswer).refuse(refused.message, refused.span)
        else:
            await self._forward()

    async def action_written(self) -> None:
        """The open answer is written."""
        from quiz.tui.widgets.writing import Writing

        if self.now_at != "write" or self.state != "answering":
            return
        self.draft.text = self.query_one(Writing).text.strip()
        if self.draft.text:
            await self._forward()
        else:
            self.desk_app.tell("Nothing is written yet. F2 says that you don't know.")

    # ---------------------------------------------------------------- forward, back, storing

    async def _forward(self) -> None:
        if self.at + 1 < len(self.steps):
            self.at += 1
            await self._show_step()
        else:
            self._store(self.draft.answer(self.question), self.draft.confidence)

    async def action_back(self) -> None:
        """Fold what was unfolded; else a step back; from the first step, out of the session."""
        if self._all_conventions:
            self.action_conventions()
        elif self.state == "answering" and self.at:
            self.at -= 1
            await self._show_step()
        elif self.state != "saving":
            self.action_leave()

    def _store(self, answer: Answer, confidence: int | None) -> None:
        self.draft.given = (answer, confidence)
        self._save(lambda: self.desk_app.desk.submit(answer, confidence))

    def action_retry(self) -> None:
        """Store the same answer again."""
        if self.state == "unsaved":
            self._save(self.desk_app.desk.retry)

    def _save(self, storing: Callable[[], Result]) -> None:
        self.steps_going += 1  # what is pressed until the solution is shown was meant for no page of it
        self._now("saving")
        self.go(self._wait_for(storing))

    async def _wait_for(self, storing: Callable[[], Result]) -> None:
        try:
            result = await self.desk_app.at_desk(storing)
        except NotSaved as failure:
            self.step_is_done()
            self._show_trouble(failure.message)
            return
        answer, confidence = self.draft.given
        await self.desk_app.show_reveal(self.turn, answer, result, confidence)

    def _show_trouble(self, reason: str) -> None:
        box = self.query_one("#trouble", Flow)
        box.border_title = "not saved"
        box.show(lambda width: unsaved_lines(reason, width))
        self._now("unsaved")

    def _now(self, state: State) -> None:
        self.state = state
        self.query_one("#trouble", Flow).set_class(state != "unsaved", "-empty")
        self.refresh_hints()
        if state == "unsaved":
            self.call_after_refresh(self._to_what_is_new)
            self.set_focus(None)

    def action_undo(self) -> None:
        """Take back the answer before this question and ask that one again; this one comes after it."""
        if self.state == "answering":
            self.desk_app.undo()

    def action_leave(self) -> None:
        """Leave the session; what was answered is kept."""
        if self.state != "saving":
            self.go(self._leave())

    async def _leave(self) -> None:
        try:
            ended = await self.desk_app.at_desk(self.desk_app.desk.leave)
        except Trouble as trouble:
            self.desk_app.end_with(trouble)
        else:
            await self.desk_app.show_step(ended)
