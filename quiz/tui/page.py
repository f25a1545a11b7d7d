"""What all screens have in common: a head, a body that scrolls, a line of keys, and manners in small terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen

from quiz.tui.lines import Lines, join, text, wrap
from quiz.tui.widgets.flow import Flow
from quiz.tui.widgets.keys import Hint, KeyBar

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from textual import events
    from textual.app import ComposeResult
    from textual.timer import Timer
    from textual.widget import Widget

    from quiz.tui.app import ShardwiseApp

LEAST_WIDTH = 36
LEAST_HEIGHT = 10
WIDEST = 116
ROOMY = 32
"""From this height on there is room for blank lines between things."""


def numbered(last: int, action: str, label: str, name: str) -> list[BindingType]:
    """Bindings for the digits 1 to `last` (10 is the 0), each with its number; help shows them on one line."""
    return [
        Binding(
            str(number % 10),
            f"{action}({number})",
            label if number == 1 else "",
            show=False,
            key_display=f"1 … {min(last, 9)}" if number == 1 else None,
            id=f"{name}-{number}",
        )
        for number in range(1, last + 1)
    ]


HELP = Hint("?", "help", "app.help")


class Body(VerticalScroll, can_focus=False):
    """What scrolls. The keys stay with the screen, so it never takes the focus."""


class Manners:
    """For a screen: hide everything behind one sentence while the terminal is smaller than anything can be drawn in."""

    def __init__(self) -> None:
        self.focus: Widget | None = None

    def suit(self, screen: Screen[object], width: int, height: int) -> None:
        """Show the content, or say how much room it takes."""
        small = width < LEAST_WIDTH or height < LEAST_HEIGHT
        if small and self.focus is None:
            self.focus = screen.focused  # what is hidden loses the focus; it gets it back
        elif not small and self.focus is not None:
            screen.call_after_refresh(screen.set_focus, self.focus)
            self.focus = None
        screen.set_class(small, "-small")
        screen.set_class(width < 60, "-narrow")  # noqa: PLR2004 - where two columns end
        screen.set_class(height < 20, "-low")  # noqa: PLR2004 - where padding has to go
        if small:
            screen.query_one("#small", Flow).show(lambda room: _too_small(room, width, height))


def _too_small(room: int, width: int, height: int) -> Lines:
    if room < 12:  # noqa: PLR2004 - the shortest form of it
        return wrap(text(f"too small: {LEAST_WIDTH}x{LEAST_HEIGHT}"), room)
    return [
        *wrap(text("too small", "bold"), room),
        *wrap(text(f"This terminal has {width}x{height}; {LEAST_WIDTH}x{LEAST_HEIGHT} is needed."), room),
    ]


class Page(Screen[None]):
    """A screen of the app."""

    AUTO_FOCUS = ""  # each screen says what has the keys; textual would scroll to it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown,space", "down", "Scroll down", show=False, id="page.down"),
        Binding("pageup,b", "up", "Scroll up", show=False, id="page.up"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._manners = Manners()
        self._room: Timer | None = None

    @property
    def desk_app(self) -> ShardwiseApp:
        """The app, by its own type."""
        return cast("ShardwiseApp", self.app)

    def go(self, work: Coroutine[object, object, None]) -> None:
        """Do something that may end in another screen. It belongs to the app, since this screen may go meanwhile."""
        self.desk_app.take_up(work)

    def compose(self) -> ComposeResult:
        """Head, body, keys."""
        yield Flow(self.head, id="head")
        yield from self.above()
        with Body(id="body"):
            yield from self.content()
        yield KeyBar(self.hints())
        yield Flow(id="small")

    def head(self, width: int) -> Lines:
        """The line at the top."""
        return [join(("Shardwise", "bold"))][: max(0, width)]

    def above(self) -> Iterator[Widget]:
        """What stands between the head and the body and does not scroll."""
        yield from ()

    def content(self) -> Iterator[Widget]:
        """What stands in the body."""
        yield from ()

    def hints(self) -> list[Hint]:
        """The keys, most useful first, help last."""
        return [HELP]

    def refresh_hints(self) -> None:
        """The keys have changed with what is shown."""
        self.query_one(KeyBar).show_hints(self.hints())

    def on_resize(self, event: events.Resize) -> None:
        """Another size: perhaps too small, perhaps large enough again."""
        self._manners.suit(cast("Screen[object]", self), event.size.width, event.size.height)

    def make_room(self, message: str, seconds: float) -> None:
        """Make the line of keys as high as a message that stands there for a while."""
        keys = self.query_one(KeyBar)
        keys.styles.height = len(wrap(text(message), max(1, min(self.size.width, WIDEST) - 2)))
        if self._room is not None:
            self._room.stop()
        self._room = self.set_timer(seconds, lambda: keys.set_styles(height=1))

    def bring(self, new: Widget, known: int = 0) -> None:
        """Bring into view what is new in the body, to the end; of what does not fit, its beginning.

        Its first `known` lines are known to the reader: where they take much room, the view begins behind them.
        """
        body = self.query_one(Body)
        start = new.virtual_region.y + (known if known > body.size.height // 3 else 0)
        body.scroll_to(y=start, animate=False)

    def action_down(self) -> None:
        """Scroll a page down."""
        self.query_one(Body).scroll_page_down(animate=False)

    def action_up(self) -> None:
        """Scroll a page up."""
        self.query_one(Body).scroll_page_up(animate=False)


class Dialog(ModalScreen[object]):
    """A small window over a screen; Escape closes it without a choice."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", show=False, id="dialog.close"),
        Binding("pagedown,space", "down", "Scroll down", show=False, id="dialog.down"),
        Binding("pageup,b", "up", "Scroll up", show=False, id="dialog.up"),
        Binding("down,j", "line(1)", "Down", show=False, id="dialog.line-down"),
        Binding("up,k", "line(-1)", "Up", show=False, id="dialog.line-up"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._manners = Manners()

    def compose(self) -> ComposeResult:
        """A box with a scrolling body."""
        with Body(id="box"):
            yield from self.content()
        yield Flow(id="small")

    def content(self) -> Iterator[Widget]:
        """What stands in the box."""
        yield from ()

    def on_resize(self, event: events.Resize) -> None:
        """Another size: perhaps too small, perhaps large enough again."""
        self._manners.suit(cast("Screen[object]", self), event.size.width, event.size.height)

    def action_close(self) -> None:
        """Close without a choice."""
        _ = self.dismiss(None)

    def action_down(self) -> None:
        """Scroll a page down."""
        self.query_one(Body).scroll_page_down(animate=False)

    def action_up(self) -> None:
        """Scroll a page up."""
        self.query_one(Body).scroll_page_up(animate=False)

    def action_line(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one(Body).scroll_relative(y=step, animate=False)
