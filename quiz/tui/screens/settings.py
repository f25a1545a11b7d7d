"""The settings: what each is, what it does; Enter changes one, from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.widgets import Input

from quiz.tui.lines import Layout, Lines, join, spread, text, wrap
from quiz.tui.page import HELP, Dialog, Page
from quiz.tui.ports import Trouble
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.menu import Menu, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from quiz.tui.app import ShardwiseApp
    from quiz.tui.ports import Setting

WIDE = 64  # from this width on what a setting does stands beside it
VALUE = 12
LONGEST = 100


class Settings(Page):
    """The list of settings."""

    ABOUT = "A change holds from now on. The days that were promised stay, and the past stays as it was."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "change", "Change it", id="settings.change"),
        Binding("d", "reset", "Put the default back", id="settings.reset"),
        Binding("q,escape", "leave", "Back", id="settings.leave"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.settings: tuple[Setting, ...] = ()

    def head(self, width: int) -> Lines:
        """What this is."""
        return [spread(join(("Settings", "bold $text-primary")), text("from now on", "$quiet"), width)]

    def content(self) -> Iterator[Widget]:
        """The list."""
        yield Menu(id="settings")

    def hints(self) -> list[Hint]:
        """What can be done."""
        return [Hint("enter", "change", "change"), Hint("d", "default", "reset"), Hint("q", "back", "leave"), HELP]

    async def on_mount(self) -> None:
        """Read them."""
        await self._read()
        self.query_one(Menu).focus()

    async def _read(self) -> None:
        try:
            self.settings = await self.desk_app.at_desk(self.desk_app.desk.settings)
        except Trouble as trouble:
            self.desk_app.end_with(trouble)
            return
        name = max((len(one.name) for one in self.settings), default=0)
        self.query_one(Menu).show_rows([Row(_layout(one, name), " ") for one in self.settings])

    @property
    def chosen(self) -> Setting | None:
        """The setting under the cursor."""
        place = self.query_one(Menu).cursor
        return self.settings[place] if place < len(self.settings) else None

    def on_menu_picked(self, message: Menu.Picked) -> None:
        """Enter or a click."""
        message.stop()
        self.action_change()

    def action_change(self) -> None:
        """Turn it on or off, or type another value."""
        chosen = self.chosen
        if chosen is None:
            return
        if chosen.on is None:
            _ = self.app.push_screen(Change(chosen), self._changed)
        else:
            self.go(self._set(chosen.name, "off" if chosen.on else "on"))

    def action_reset(self) -> None:
        """Put the default back."""
        if self.chosen is not None:
            self.go(self._set(self.chosen.name, ""))

    async def _set(self, name: str, value: str) -> None:
        try:
            told = await self.desk_app.at_desk(self.desk_app.desk.change_setting, name, value)
        except Trouble as trouble:
            self.desk_app.tell(trouble.message, "error")
            return
        self._changed(told)

    def _changed(self, told: object) -> None:
        if isinstance(told, str):
            self.desk_app.tell(told)
            self.go(self._read())

    def action_leave(self) -> None:
        """Back to the first screen."""
        self.go(self.desk_app.show_home())


class Change(Dialog):
    """A box to type a value in. It closes when the value is kept, and gives back what to tell."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.setting = setting
        self.fault = ""

    def content(self) -> Iterator[Widget]:
        """What it is, the field, why the value was refused."""
        yield Flow(self._about)
        yield Input(self.setting.value, id="value", max_length=LONGEST, select_on_focus=True)
        yield Flow(self._why, id="fault")

    def _about(self, width: int) -> Lines:
        told = self.setting
        lines = wrap(text(told.name, "bold"), width)
        lines += wrap(text(f"{told.what[:1].upper()}{told.what[1:]}."), width)
        return lines + wrap(text(f"It may be {told.allowed}. Empty puts the default back.", "$quiet"), width)

    def _why(self, width: int) -> Lines:
        return wrap(text(self.fault, "$almost"), width) if self.fault else []

    def on_mount(self) -> None:
        """The keys go to the field."""
        self.query_one(Input).focus()

    async def on_input_submitted(self, message: Input.Submitted) -> None:
        """Enter keeps the value; one that cannot be is told here, and can be mended."""
        message.stop()
        app = cast("ShardwiseApp", self.app)
        try:
            told = await app.at_desk(app.desk.change_setting, self.setting.name, message.value)
        except Trouble as trouble:
            self.fault = trouble.message
            self.query_one("#fault", Flow).refresh_lines()
        else:
            _ = self.dismiss(told)


def _layout(setting: Setting, name: int) -> Layout:
    def lay(width: int) -> Lines:
        if width < WIDE:
            return [spread(text(setting.name), text(setting.value, "$accent"), width)]
        lead = join(setting.name.ljust(name), "  ", (setting.value.ljust(VALUE), "$accent"), "  ")
        return wrap(text(setting.what, "$quiet"), width, lead)

    return lay
