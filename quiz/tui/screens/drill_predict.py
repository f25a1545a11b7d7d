"""Before a drill: what is going to run, and what the learner thinks it will show, one question at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from quiz.drills import told
from quiz.tui.ahead import Stepping
from quiz.tui.drill import spelled
from quiz.tui.lines import BLANK, Lines, join, spread, text, wrap
from quiz.tui.page import HELP, Body, Page, numbered
from quiz.tui.ports import Trouble
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from quiz.bank.rendered import Rendered
    from quiz.drills.records import Prediction, Spec
    from quiz.tui.drill.ports import Lab


class DrillPredict(Stepping, Page):
    """What will you see? Each prediction can be left out; then the run begins."""

    ABOUT = (
        "Say what the run will show before it shows it. What you say is written into the run's record first. "
        "Your schedule is not touched; the score is kept in your history."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *numbered(9, "digit", "Choose", "drill.choose"),
        Binding("f2", "skip", "Leave this one out", id="drill.skip"),
        Binding("f5", "run", "Run without more predictions", id="drill.run"),
        Binding("escape", "back", "One back, or leave", id="drill.back"),
        Binding("q", "leave", "Leave", show=False, id="drill.leave"),
    ]

    def __init__(self, lab: Lab, question: Rendered) -> None:
        super().__init__()
        self.lab = lab
        self.question = question
        self.spec: Spec | None = None
        self.asked: tuple[Prediction, ...] = ()
        self.said: list[Prediction] = []
        self.trouble = ""
        self._starting = False
        self._showing = asyncio.Lock()  # a step is shown whole before the next, or before the screen goes

    # ---------------------------------------------------------------- what is shown

    def head(self, width: int) -> Lines:
        """What this is, and which prediction is asked."""
        left = join(("Prove it", "bold $text-primary"), (f"  {self.desk_app.desk.title(self.question.id)}", "$quiet"))
        asked = self.asked
        place = f"prediction {min(len(self.said) + 1, len(asked))} of {len(asked)}" if asked else ""
        return [spread(left, text(place, "$quiet"), width)]

    def content(self) -> Iterator[Widget]:
        """What is run, then the prediction."""
        yield Flow(self._plan, id="plan")
        yield Flow(self._said, id="given", classes="-empty")
        yield Flow(self._asked, id="prompt", classes="-empty")
        yield Menu(id="menu", picked=lambda index, _: self.step(lambda: self._choose(index)))
        yield Flow(id="trouble", classes="-empty")

    def _plan(self, width: int) -> Lines:
        spec = self.spec
        if spec is None:
            return wrap(text("Planning …" if not self.trouble else "This drill cannot be run here.", "$quiet"), width)
        shape = spec.shape
        over = "1 process" if spec.world == 1 else f"{spec.world:,} ranks"
        where = "on fake tensors" if spec.tier == "fake" else f"on {spec.device.upper()}, really trained"
        what = f"{spelled.model(shape)} of {shape.parameters:,} parameters, {over}, {where}."
        lines = wrap(text(what, "bold"), width)
        if spec.cap is not None:
            lines += wrap(text(f"Each rank may take {spelled.size(spec.cap)} more than it starts with."), width)
        for name, says in told.plans(spec.legs):
            lines += wrap(join((f"{name:<10} ", "$text-primary"), says), width, "  ", " " * 13)
        return lines

    def _said(self, width: int) -> Lines:
        lines: Lines = []
        for one in self.said:
            words = one.choice or one.raw or "left out"
            lines += wrap(join((one.ask, "$quiet"), (f"  {words}", "bold")), width, "", "  ")
        return lines

    def _asked(self, width: int) -> Lines:
        asked = self._now
        if asked is None:
            return [text("Starting …", "$quiet")] if self._starting else [BLANK]
        return wrap(text(asked.ask, "bold"), width)

    @property
    def _now(self) -> Prediction | None:
        """The prediction that is asked."""
        return self.asked[len(self.said)] if len(self.said) < len(self.asked) else None

    def hints(self) -> list[Hint]:
        """The keys of the step."""
        if self.spec is None:
            return [Hint("esc", "back", "leave"), HELP]
        first = Hint("enter", "go on") if self._now is not None else Hint("…", "starting")
        return [first, Hint("F2", "leave out", "skip"), Hint("F5", "run now", "run"), Hint("esc", "back", "back"), HELP]

    # ---------------------------------------------------------------- planning

    def on_mount(self) -> None:
        """Plan, once the screen stands."""
        self.call_after_refresh(lambda: self.go(self._make_plan()))

    async def _make_plan(self) -> None:
        try:
            self.spec = await self.desk_app.at_desk(self.lab.plan, self.question)
            self.asked = self.lab.asked(self.spec)
        except Trouble as trouble:
            self.show_trouble(trouble.message)
        await self._show_step()

    def show_trouble(self, message: str) -> None:
        """Say what stands in the way; the screen stays."""
        self.trouble = message
        flow = self.query_one("#trouble", Flow)
        flow.show(lambda width: [line for part in message.split("\n") for line in wrap(text(part), width)])
        flow.set_class(not message, "-empty")

    async def _show_step(self) -> None:
        """Show the prediction that is asked, or begin when there is none left."""
        async with self._showing:
            if self.is_attached:
                await self._lay_out()

    async def _lay_out(self) -> None:
        await self.query("NumericAnswer").remove()
        menu = self.query_one(Menu)
        asked = self._now
        rows = [Row(text(option), str(number)) for number, option in enumerate(asked.options, 1)] if asked else []
        menu.show_rows(rows, 0)
        menu.set_class(not rows, "-empty")
        for name, empty in (("#plan", False), ("#given", not self.said), ("#prompt", self.spec is None)):
            flow = self.query_one(name, Flow)
            flow.refresh_lines()
            flow.set_class(empty, "-empty")
        self.query_one("#head", Flow).refresh_lines()
        self.refresh_hints()
        if asked is not None and not rows:
            await self._show_field(asked)
        elif rows:
            menu.focus(scroll_visible=False)
        elif self.spec is not None and not self.trouble:
            self.action_run()
        if self.said:
            self.call_after_refresh(lambda: self.bring(self.query_one("#prompt")))

    async def _show_field(self, asked: Prediction) -> None:
        from quiz.tui.widgets.numeric import PLAIN, WITH_UNIT, NumericAnswer

        spec = self.spec
        assert spec is not None  # noqa: S101 - for the type: nothing is asked before it is planned
        field = NumericAnswer(
            "",
            lambda typed: self.desk_app.while_reading(self.lab.read, spec, asked, typed),
            lambda typed: self.step(lambda: self._say(asked, typed.strip() or None)),
            PLAIN if asked.kind == "ratio" else WITH_UNIT,
        )
        await self.query_one(Body).mount(field, before="#trouble")
        field.take_focus()

    # ---------------------------------------------------------------- predicting

    async def action_digit(self, number: int) -> None:
        """A digit chooses."""
        await self._choose(number - 1)

    async def _choose(self, index: int) -> None:
        asked = self._now
        if asked is not None and index < len(asked.options):
            await self._say(asked, asked.options[index])

    async def action_skip(self) -> None:
        """Leave the prediction out."""
        if self._now is not None:
            await self._say(self._now, None)

    async def _say(self, asked: Prediction, words: str | None) -> None:
        from quiz.tui.ports import Echo
        from quiz.tui.widgets.numeric import NumericAnswer

        assert self.spec is not None  # noqa: S101 - for the type: nothing is asked before it is planned
        try:
            made = await self.desk_app.while_reading(self.lab.said, self.spec, asked, words)
        except Trouble as trouble:
            for field in self.query(NumericAnswer):
                field.show_echo(Echo(trouble.message, readable=False))
            return
        self.said.append(made)
        await self._show_step()

    async def action_back(self) -> None:
        """The prediction before, or back to where one came from."""
        if self.said and not self._starting:
            self.said.pop()
            await self._show_step()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Back without a run."""
        if not self._starting:
            self.leave()

    def leave(self) -> None:
        """Close, or end the app where nothing lies below."""
        if len(self.app.screen_stack) <= 1:
            self.app.exit(return_code=0)
        else:
            _ = self.app.pop_screen()

    # ---------------------------------------------------------------- starting

    def action_run(self) -> None:
        """Begin with what was said so far."""
        if self.spec is not None and not self._starting:
            self._starting = True
            self.go(self._start())

    async def _start(self) -> None:
        from msgspec import structs

        from quiz.tui.screens.drill_run import DrillRun

        assert self.spec is not None  # noqa: S101 - for the type: planned before it can start
        spec = structs.replace(self.spec, predictions=(*self.said, *self.asked[len(self.said) :]))
        try:
            running = await self.desk_app.at_desk(self.lab.start, spec)
            await self._showing.acquire()
        except Trouble as trouble:
            self._starting = False
            self.show_trouble(trouble.message)
            return
        _ = await self.app.switch_screen(DrillRun(spec, running))
