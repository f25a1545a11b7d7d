"""How a command ends: the exit codes, which are an interface, and the failure that a person is told about."""

from __future__ import annotations

DONE = 0
NEGATIVE = 1
"""The answer is wrong, or the lint found something."""
USAGE = 2
"""The command line, an answer or a file could not be read."""
OUTSIDE = 3
"""Something outside is missing or full: no torch, no tty, a read-only or full disk; or the program has a fault."""
INTERRUPTED = 130
TERMINATED = 143
HUNG_UP = 129
PIPE_CLOSED = 141
"""The reader of our output went away before we were done (`| head`)."""


class Failure(Exception):
    """A command cannot go on, and `message` tells the person what, where, why and what next.

    `main` prints the message on stderr and ends with `code`. Never shown as a traceback.
    """

    def __init__(self, message: str, *, code: int = OUTSIDE) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
