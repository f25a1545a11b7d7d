"""A terminal for tests: starts a program in a pty of any size, types into it and reads its screen back."""

from __future__ import annotations

import contextlib
import signal
import time
from typing import TYPE_CHECKING, Final, Self

import pexpect
import pyte

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType


#: How long to wait for what has to come, in seconds: only a test that fails waits for so long.
PATIENCE: Final = 120.0


class ScreenTimeoutError(AssertionError):
    """The screen did not come to show what was waited for; the message holds what it showed instead."""


class Terminal:
    """A program in a terminal. Use as a context manager: it ends the program it started.

    `raw` collects every byte the program wrote, for tests that look at modes and escapes.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path | None = None,
        columns: int = 80,
        rows: int = 24,
    ) -> None:
        self.raw = bytearray()
        self.started = time.perf_counter()
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._child = pexpect.spawn(
            command[0],
            list(command[1:]),
            env={"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLUMNS": str(columns), "LINES": str(rows), **env},
            cwd=None if cwd is None else str(cwd),
            dimensions=(rows, columns),
            timeout=None,
        )
        self._child.delaybeforesend = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child.isalive():
            self._child.kill(signal.SIGKILL)
            self._child.wait()
        self._child.close()

    @property
    def pid(self) -> int:
        """The process that was started."""
        return int(self._child.pid)

    def lines(self) -> list[str]:
        """The screen as it stands, without the blanks at the right."""
        return [line.rstrip() for line in self._screen.display]

    def text(self) -> str:
        """The screen as one string."""
        return "\n".join(self.lines())

    def send(self, keys: str) -> None:
        """Type `keys`; escape sequences stand for special keys."""
        self._child.send(keys)

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size, as a person does who drags its corner."""
        self._screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def wait_for(self, wanted: str | Callable[[str], bool], *, seconds: float = PATIENCE) -> str:
        """Read on until the screen shows a text, or satisfies a condition; return the screen.

        Raises ScreenTimeoutError, with the screen, if that does not happen in time or the program ends before.
        """
        end = time.monotonic() + seconds
        while True:
            shown = self.text()
            if wanted(shown) if callable(wanted) else wanted in shown:
                return shown
            left = end - time.monotonic()
            if left <= 0 or not self._read(left):
                why = f"after {seconds} s" if left <= 0 else "when the program ended"
                message = f"{wanted!r} was not on the screen {why}; it showed:\n{self.text()}"
                raise ScreenTimeoutError(message)

    def wait_for_end(self, *, seconds: float = PATIENCE) -> int:
        """Read on until the program ends and return its exit code (128 plus the signal that killed it)."""
        end = time.monotonic() + seconds
        while self._read(max(end - time.monotonic(), 0)):
            if time.monotonic() >= end:
                message = f"the program did not end within {seconds} s; it showed:\n{self.text()}"
                raise ScreenTimeoutError(message)
        # It has let go of the terminal, and may still be on its way out.
        self._child.wait()
        self._child.close()
        if self._child.exitstatus is not None:
            return int(self._child.exitstatus)
        return 128 + int(self._child.signalstatus)

    def _read(self, seconds: float) -> bool:
        """Take what the program has written; False once it has ended."""
        with contextlib.suppress(pexpect.TIMEOUT):
            try:
                data = self._child.read_nonblocking(65536, timeout=min(seconds, 0.5))
            except pexpect.EOF:
                return False
            self.raw += data
            self._stream.feed(data)
            self._answer(data)
        return True

    def _answer(self, data: bytes) -> None:
        """Answer what a program asks a terminal on start, so that it does not wait for the reply."""
        if b"\x1b[c" in data:
            self._child.send("\x1b[?62;22c")
        if b"\x1b[6n" in data:
            self._child.send(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")
