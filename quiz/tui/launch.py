"""The way in: is there a terminal to draw on, then the app, then how it ended. Imports textual only after the first."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quiz.tui.ports import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from quiz.authoring.preview import Preview
    from quiz.tui.drill.ports import Lab
    from quiz.tui.ports import Desk, Turn, Waiting, WantedFigures, WantedList
    from quiz.tui.terminal import TerminalApp

OUTSIDE = 3


@dataclass(frozen=True, slots=True)
class Launch:
    """What to open: a desk, the step to begin with (none: the home screen), and where drills run (none: nowhere)."""

    desk: Desk
    first: Turn | Waiting | WantedFigures | WantedList | None = None
    lab: Callable[[], Lab] | None = None


def require_terminal() -> None:
    """Pass if a screen can be drawn. Raises Trouble, with the reason, if not."""
    for stream, name in ((sys.__stdin__, "input"), (sys.__stdout__, "output"), (sys.__stderr__, "error output")):
        if stream is None or not stream.isatty():
            raise Trouble(
                f"the screen needs a terminal, and this program's {name} is not one.\n"
                "Run it in a terminal, without a pipe or a redirection."
            )
    kind = os.environ.get("TERM", "")
    if kind in ("", "dumb", "unknown"):
        raise Trouble(
            f"the screen needs a terminal that moves its cursor, and TERM={kind or '(not set)'} names none that can.\n"
            "Set TERM to what your terminal is, for example: TERM=xterm-256color shardwise"
        )


def run(launch: Launch) -> int:
    """Open the screen and return the exit code. Raises Trouble where there is no terminal, or for a fault's story."""
    require_terminal()
    _free_the_size()
    from quiz.tui.app import ShardwiseApp

    return _ended(ShardwiseApp(launch.desk, launch.first, launch.lab))


def run_preview(preview: Preview, first: str, variant: int = 0) -> int:
    """Open the preview of a file of a bank and return the exit code. Raises as `run`."""
    require_terminal()
    _free_the_size()
    from quiz.tui.preview_app import PreviewApp

    return _ended(PreviewApp(preview, first, variant))


def _free_the_size() -> None:
    for fixed in ("COLUMNS", "LINES"):
        os.environ.pop(fixed, None)  # exported, they would stand for the window's size however it is dragged


def _ended(app: TerminalApp) -> int:
    try:
        app.run()
    finally:
        app.let_go()
    if app.fault is not None:
        raise app.fault
    if app.ending:
        raise Trouble(app.ending, app.return_code or OUTSIDE)
    return app.return_code or 0
