"""The author's own editor, opened at a line: `$VISUAL`, or `$EDITOR`."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# Programs that take `file:line`; what they need besides, to stay until the file is closed.
_COLON: Final = {
    "code": ("--wait", "--goto"),
    "code-insiders": ("--wait", "--goto"),
    "codium": ("--wait", "--goto"),
    "cursor": ("--wait", "--goto"),
    "zed": ("--wait",),
    "subl": ("--wait",),
    "hx": (),
    "helix": (),
}


class NoEditorError(Exception):
    """No editor can be opened; the message says why and what to do."""


def command(path: Path, line: int, environment: Mapping[str, str] = os.environ) -> list[str]:
    """The command that opens `path` at `line` (0: wherever the editor likes). Raises `NoEditorError`.

    Most editors take `+LINE FILE`; those that want `FILE:LINE` are known by name. Nothing goes through a shell.
    """
    name = next((name for name in ("VISUAL", "EDITOR") if environment.get(name, "").strip()), None)
    if name is None:
        raise NoEditorError("neither VISUAL nor EDITOR names an editor. For example: export EDITOR=vim")
    try:
        words = shlex.split(environment[name])
    except ValueError as error:
        raise NoEditorError(f"{name} cannot be read as a command ({error}): {environment[name]}") from error
    if shutil.which(words[0], path=environment.get("PATH")) is None:
        raise NoEditorError(f"{name} names {words[0]}, and there is no such program. Set it to one that there is.")
    program = Path(words[0]).name
    place = str(path.absolute())  # never to be taken for an option
    if program in _COLON:
        more = [word for word in _COLON[program] if word not in words]
        return [*words, *more, f"{place}:{line}" if line else place]
    return [*words, f"+{line}", place] if line else [*words, place]
