"""The preview: a question as its learners will see it, with what the lint finds in it beside it, while it is written.

The file is looked at again whenever it is saved. Where there is width the findings stand beside the question; where
there is none, one key shows them in its place.
"""

from __future__ import annotations

import asyncio
import subprocess
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType

from quiz.authoring import editor
from quiz.bank.diagnostics import BankError
from quiz.tui import previewing, sections
from quiz.tui.page import Body, numbered
from quiz.tui.screens.choose_file import ChooseFile
from quiz.tui.screens.pictured import Pictured
from quiz.tui.screens.steps import Draft, rows_of, steps_of
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.menu import Menu

if TYPE_CHECKING:
    from quiz.authoring.preview import Look
    from quiz.bank.diagnostics import Diagnostic

POLL: Final = 0.05
"""Seconds between two looks at the times of the files."""
SLOW: Final = 0.15
"""A file whose variants take longer than this is shown before they are tried."""


class Preview(Pictured):
    """One question of a bank while it is being written."""

    ABOUT = "The question as learners will see it, read again whenever you save. Nothing here is stored or counted."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "turn", "Solution, or the question", id="preview.turn", tooltip="The solution, and back"),
        *numbered(9, "digit", "Answer so, or section of that number", "preview.digit"),
        Binding("0", "unknown", "Answer that one does not know", id="preview.unknown"),
        Binding("a", "answer(1)", "Next way of answering", id="preview.answer"),
        Binding("A", "answer(-1)", "Way of answering before", id="preview.answer-back"),
        Binding("n", "variant(1)", "Next variant", id="preview.variant"),
        Binding("p", "variant(-1)", "Variant before", id="preview.variant-back"),
        Binding("right,l", "section(1)", "Next section", id="preview.right"),
        Binding("left,h", "section(-1)", "Section before", id="preview.left"),
        Binding("v", "conventions", "All conventions, or few", id="preview.conventions"),
        Binding("f", "findings", "Show or hide the findings", id="preview.findings"),
        Binding("tab,right_square_bracket", "finding(1)", "Next finding", id="preview.finding"),
        Binding("shift+tab,left_square_bracket", "finding(-1)", "Finding before", id="preview.finding-back"),
        Binding("e", "edit", "Open the line of the finding in your editor", id="preview.edit"),
        Binding("o", "other", "Another question of the bank", id="preview.other"),
        Binding("down,j", "line(1)", "Down", show=False, id="preview.down"),
        Binding("up,k", "line(-1)", "Up", show=False, id="preview.up"),
        Binding("escape", "back", "Back to the question, or leave", id="preview.back"),
        Binding("q", "leave", "Leave", id="preview.leave"),
    ]

    # ---------------------------------------------------------------- watching the file

    def on_mount(self) -> None:
        """Begin to watch."""
        self.preview_app.take_up(self._watch(), group="watch", exclusive=True)
        self.preview_app.take_up(self._meet(), group="meet", exclusive=True)

    async def _watch(self) -> None:
        """Look at the file whenever it, or what the bank shares, has been written."""
        preview, seen = self.preview_app.preview, object()
        name = ""
        while True:
            mark = await self.preview_app.while_reading(preview.mark, self.name_shown)
            if (mark, self.name_shown) != (seen, name):
                seen, name = mark, self.name_shown
                await self._read(name)
            await asyncio.sleep(POLL)

    async def _read(self, name: str) -> None:
        preview = self.preview_app.preview
        loop = asyncio.get_running_loop()
        if self._slow:
            self._show(await self.preview_app.while_reading(lambda: preview.look(name, quick=True)))
        began = loop.time()
        look = await self.preview_app.while_reading(preview.look, name)
        self._slow = loop.time() - began > SLOW
        self._show(look)

    async def _meet(self) -> None:
        """Get to know the other files, then say what that finds."""
        preview = self.preview_app.preview
        await asyncio.to_thread(preview.meet)
        self._show(await self.preview_app.while_reading(preview.look, self.name_shown))

    def _show(self, look: Look) -> None:
        if look.file != self.name_shown:
            return  # another question was chosen meanwhile
        self.look = look
        self.finding = max(0, min(self.finding, len(look.findings) - 1))
        self._picture()

    def _picture(self) -> None:
        """Draw the variant and the way of answering that are chosen, as far as the question still has them."""
        picture = self.look.picture if self.look is not None else None
        if picture is None:
            self.turn, self.view, self.ways, self.sections = None, None, (), ()
        else:
            self.variant = min(self.variant, len(picture.draws) - 1)
            question = previewing.rendered(picture, self.variant)
            self.turn = previewing.turn_of(question, self.name_shown)
            self.ways = previewing.answers_of(question)
            self.way = min(self.way, len(self.ways))
            self.view = previewing.revealed(self.turn, self.ways[self.way - 1][1]) if self.way else None
            self.sections = sections.sections(self.view) if self.view is not None else ()
            self.section = max(0, min(self.section, len(self.sections) - 1))
            first = next(step for step in steps_of(question))
            rows = rows_of(self.turn, "compare" if first == "write" else first, Draft(list(self.turn.order)))[0]
            menu = self.query_one(Menu)
            menu.can_focus = False
            menu.show_rows(rows[:-1] if first == "write" else rows, 0)
            menu.cursor = -1  # nothing is chosen yet
        self._arrange()

    # ---------------------------------------------------------------- keys

    def show_section(self, index: int) -> None:
        """Show a section from its top."""
        if 0 <= index < len(self.sections):
            self.section = index
            self._arrange()
            self.query_one("#body", Body).scroll_home(animate=False)

    def action_section(self, step: int) -> None:
        """The section after or before."""
        self.show_section(self.section + step)

    def _answer(self, way: int) -> None:
        self.way = way
        self._picture()
        self.query_one("#body", Body).scroll_home(animate=False)

    def action_turn(self) -> None:
        """From the question to its solution, and back."""
        if self.turn is not None:
            self._answer(0 if self.way else 1)

    def action_answer(self, step: int) -> None:
        """The next way of answering; the question itself is one of them."""
        if self.turn is not None:
            self._answer((self.way + step) % (len(self.ways) + 1))

    def action_digit(self, number: int) -> None:
        """In the question, answer with the option of that number; in the solution, the section of that number."""
        if self.view is not None:
            self.show_section(number - 1)
        elif self.turn is not None and self.turn.question.options and number <= len(self.turn.order):
            chosen = self.turn.order[number - 1]
            self._answer(next((n for n, (_, way) in enumerate(self.ways, 1) if way.chosen == chosen), 1))

    def action_unknown(self) -> None:
        """Answer that one does not know."""
        if self.turn is not None and self.view is None:
            self._answer(len(self.ways))

    def on_menu_picked(self, message: Menu.Picked) -> None:
        """A click on an option answers with it."""
        message.stop()
        if self.turn is not None and message.index < len(self.turn.order):
            self.action_digit(message.index + 1)
        else:
            self.action_unknown()

    def action_variant(self, step: int) -> None:
        """Other numbers."""
        if self.look is not None and self.look.picture is not None:
            self.variant = (self.variant + step) % len(self.look.picture.draws)
            self._picture()

    def action_conventions(self) -> None:
        """Show all conventions, or few again."""
        self._all_conventions ^= True
        self._arrange()

    def action_findings(self) -> None:
        """Show the findings, or hide them."""
        shown = self.has_class("-findings") or self.has_class("-wide")
        self.shows_findings = not shown
        self._arrange()

    def action_finding(self, step: int) -> None:
        """The next finding, shown if none was."""
        if self.look is None or not self.look.findings:
            return
        shown = self.has_class("-findings") or self.has_class("-wide")
        if shown:
            self.finding = (self.finding + step) % len(self.look.findings)
        self.shows_findings = True
        self._arrange()
        self.call_after_refresh(self._to_the_finding)

    def _to_the_finding(self) -> None:
        flow = self.query_one("#findings", Flow)
        lines = flow.lines_for(flow.content_size.width)
        at = next((number for number, line in enumerate(lines) if line.plain.startswith("▌")), 0)
        self.query_one("#beside", Body).scroll_to(y=at - 1 if self.finding else 0, animate=False)

    def action_line(self, step: int) -> None:
        """Scroll by a line."""
        self._scrolled.scroll_relative(y=step, animate=False)

    def action_down(self) -> None:
        """Scroll a page down."""
        self._scrolled.scroll_page_down(animate=False)

    def action_up(self) -> None:
        """Scroll a page up."""
        self._scrolled.scroll_page_up(animate=False)

    @property
    def _scrolled(self) -> Body:
        return self.query_one("#beside" if self.has_class("-findings") else "#body", Body)

    def action_back(self) -> None:
        """Back to the question, or leave."""
        if self.way:
            self._answer(0)
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Leave the preview."""
        self.app.exit(return_code=0)

    # ---------------------------------------------------------------- other files, the editor

    def action_other(self) -> None:
        """Choose another question of the bank."""
        try:
            names = self.preview_app.preview.names()
        except BankError as error:
            self.preview_app.tell(previewing.first_sentence(error), "error")
            return
        _ = self.app.push_screen(ChooseFile(names, self.name_shown), self._chosen)

    def _chosen(self, name: object) -> None:
        if isinstance(name, str) and name != self.name_shown:
            self.name_shown, self.look = name, None
            self.variant = self.way = self.section = self.finding = 0
            self._slow = False
            self._picture()
            self.preview_app.take_up(
                self._meet(), group="meet", exclusive=True
            )  # the others may have changed meanwhile

    def action_edit(self) -> None:
        """Open the editor at the finding that is chosen, or the file where there is none; the screen waits for it."""
        one = self._finding_now
        name = one.place.file if one is not None else self.name_shown
        path = self.preview_app.preview.folder / name
        try:
            command = editor.command(path, one.place.line if one is not None else 0)
        except editor.NoEditorError as error:
            self.preview_app.tell(str(error), "error")
            return
        try:
            with self.app.suspend():
                failed = subprocess.call(command)  # noqa: S603 - the author's own editor, without a shell
        except SuspendNotSupported:
            self.preview_app.tell("This terminal cannot be handed to an editor and taken back.", "error")
            return
        except OSError as error:
            self.preview_app.tell(f"{command[0]} cannot be started: {(error.strerror or str(error)).lower()}.", "error")
            return
        if failed:
            self.preview_app.tell(f"{command[0]} ended with {failed}.", "warning")

    @property
    def _finding_now(self) -> Diagnostic | None:
        found = self.look.findings if self.look is not None else ()
        return found[self.finding] if self.finding < len(found) else None
