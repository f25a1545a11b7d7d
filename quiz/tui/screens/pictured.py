"""What a preview draws: the question or its solution on the left, what the lint found on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from textual.containers import Horizontal, Vertical

from quiz.tui import header, previewing, prose, sections
from quiz.tui.lines import Lines, join, spread, text, wrap
from quiz.tui.page import HELP, ROOMY, Body, Page
from quiz.tui.screens.steps import Draft, convention_lines, convention_room, prompt, steps_of
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint, KeyBar
from quiz.tui.widgets.menu import Menu
from quiz.tui.widgets.tabs import Tabs

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from quiz.authoring.preview import Look
    from quiz.tui.ports import Turn
    from quiz.tui.preview_app import PreviewApp

WIDE: Final = 100
"""From this width on the findings stand beside the question."""


class Pictured(Page):
    """A look at a question as a screen; what changes it is the business of whoever extends this."""

    def __init__(self, name: str, variant: int = 0) -> None:
        super().__init__()
        self.name_shown = name
        self.look: Look | None = None
        self.variant = variant
        self.way = 0  # 0 is the question, 1 the first way of answering it
        self.section = 0
        self.finding = 0
        self.shows_findings: bool | None = None  # None: where there is room
        self.turn: Turn | None = None
        self.view: sections.Reveal | None = None
        self.ways: tuple[previewing.Told, ...] = ()
        self.sections: tuple[sections.Section, ...] = ()
        self._all_conventions = False
        self._slow = False

    @property
    def preview_app(self) -> PreviewApp:
        """The app, by its own type."""
        return cast("PreviewApp", self.app)

    # ---------------------------------------------------------------- what is shown

    def compose(self) -> ComposeResult:
        """The question on the left, the findings on the right."""
        yield Flow(self.head, id="head")
        with Horizontal(id="bench"):
            with Vertical(id="picture"):
                yield Flow(self._numbers, id="numbers")
                yield Flow(self._verdict, id="verdict")
                yield Tabs(())
                with Body(id="body"):
                    yield Flow(self._stem, id="stem")
                    conventions = Flow(self._conventions, id="conventions")
                    conventions.border_title = "conventions"
                    yield conventions
                    yield Flow(self._prompt, id="prompt")
                    yield Menu(id="menu")
                    yield Flow(self._after, id="after")
                    yield Flow(self._section, id="section")
            with Body(id="beside"):
                yield Flow(self._findings, id="findings")
        yield KeyBar(self.hints())
        yield Flow(id="small")

    def head(self, width: int) -> Lines:
        """Which file, and how it stands."""
        state = previewing.counted(self.look) if self.look is not None else text("reading …", "$quiet")
        name = text(self.name_shown, "bold $text-primary")
        if self.look is not None and self.look.stale and self.look.picture is not None:
            longer = join(("as last whole  ", "$quiet"), state)
            state = longer if name.cell_length + longer.cell_length + 2 <= width else state
        return [spread(name, state, width)]

    def _numbers(self, width: int) -> Lines:
        picture = self.look.picture if self.look is not None else None
        if picture is None:
            if self.look is None:
                return []
            where = "the findings beside say why" if self.has_class("-wide") else "f shows why"
            return wrap(text(f"Nothing can be shown yet: {where}.", "$quiet"), width)
        question = previewing.rendered(picture, self.variant)
        return previewing.numbers_lines(picture, question, self.variant, width)

    def _verdict(self, width: int) -> Lines:
        if self.view is None:
            return []
        told = f"{self.ways[self.way - 1][0]} · {self.way}/{len(self.ways)}"
        room = header.room(self.size.height)
        return [*previewing.verdict_line(self.view, told, width), *header.lay(self.view, width, room)]

    def _stem(self, width: int) -> Lines:
        return prose.lay(self.turn.question.stem, width) if self.turn is not None and self.view is None else []

    def _conventions(self, width: int) -> Lines:
        if self.turn is None or self.view is not None:
            return []
        menu = self.query_one(Menu).lines_for
        room = convention_room(self.turn, width, self.size.height - 4, menu)
        return convention_lines(self.turn.question, width, None if self._all_conventions else room)

    def _prompt(self, width: int) -> Lines:
        return self._prompts(width, ("order", "type", "write"))

    def _after(self, width: int) -> Lines:
        return self._prompts(width, ("then", "part"))

    def _prompts(self, width: int, wanted: tuple[str, ...]) -> Lines:
        """What the steps of an answer ask for, one below the other."""
        if self.turn is None or self.view is not None:
            return []
        draft = Draft(list(self.turn.order))
        lines: Lines = []
        parts = 0
        for step in steps_of(self.turn.question):
            if step in wanted:
                lines += [*([text("")] if lines else []), *prompt(self.turn, step, draft, width, parts)]
            parts += step == "part"
        return lines

    def _section(self, width: int) -> Lines:
        if self.view is None or not self.sections:
            return []
        whole = header.left_out(self.view, width, header.room(self.size.height))
        lines = self.sections[self.section].layout(width)
        with_reasons = next((n for n, one in enumerate(self.sections) if one.id in ("why", "sketch")), 0)
        return [*lines, text(""), *whole] if whole and self.section == with_reasons else lines

    def _findings(self, width: int) -> Lines:
        return previewing.finding_lines(self.look, self.finding, width) if self.look is not None else []

    def hints(self) -> list[Hint]:
        """The keys, most useful first."""
        found = Hint("f", "findings", "findings")
        if self.has_class("-findings"):
            keys = [Hint("f", "question", "findings"), Hint("tab", "next", "finding(1)"), Hint("e", "edit", "edit")]
            return [*keys, Hint("q", "leave", "leave"), HELP]
        if self.turn is None:  # nothing is shown that could be answered
            keys = [found, Hint("e", "edit", "edit"), Hint("o", "other", "other"), Hint("q", "leave", "leave")]
            return [*keys, HELP]
        keys = [Hint("enter", "solution" if self.view is None else "question", "turn"), found]
        keys.append(Hint("a", "answers", "answer(1)"))
        if self.view is not None:
            keys.append(Hint("←→", "sections"))
        if self.look is not None and self.look.picture is not None and len(self.look.picture.draws) > 1:
            keys.append(Hint("n/p", "variants", "variant(1)"))
        if self.has_class("-wide") and self.look is not None and len(self.look.findings) > 1:
            keys.append(Hint("tab", "next finding", "finding(1)"))
        return [*keys, Hint("e", "edit", "edit"), Hint("o", "other", "other"), Hint("q", "leave", "leave"), HELP]

    def on_resize(self, event: events.Resize) -> None:
        """Another size: perhaps with room for the findings beside the question."""
        super().on_resize(event)
        self._arrange()

    def _arrange(self) -> None:
        """Lay everything out as it is now."""
        wide = self.size.width >= WIDE
        beside = self.shows_findings if self.shows_findings is not None else wide or self._only_findings
        self.set_class(bool(beside) and not wide, "-findings")
        self.set_class(bool(beside) and wide, "-wide")
        tabs = self.query_one(Tabs)
        tabs.names = tuple(section.name for section in self.sections)
        tabs.current, tabs.rows, tabs.colourless = self.section, self.size.height, self.app_colourless
        if self.view is not None:
            self.view.roomy = self.size.height >= ROOMY
            self.view.colourless = self.app_colourless
        tabs.set_class(self.view is None, "-empty")
        asks = self.turn is not None and self.view is None
        for name, there in (("#stem", asks), ("#menu", asks), ("#section", not asks)):
            self.query_one(name).set_class(not there, "-empty")
        has_box = asks and self.turn is not None and bool(self.turn.question.conventions)
        self.query_one("#conventions").set_class(not has_box, "-empty")
        self.query_one("#verdict").set_class(self.view is None, "-empty")
        for flow in self.query(Flow):
            if flow.id not in ("small", "keys"):
                flow.refresh_lines()
        for name in ("#prompt", "#after"):
            self.query_one(name).set_class(not self.query_one(name, Flow).lines_for(80), "-empty")
        self.refresh_hints()

    @property
    def app_colourless(self) -> bool:
        """Whether no colour may tell anything."""
        return self.preview_app.colourless

    @property
    def _only_findings(self) -> bool:
        return self.look is not None and self.look.picture is None
