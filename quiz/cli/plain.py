"""Output that cannot spell a sign (an old console, `PYTHONIOENCODING=ascii`) gets a plain one instead of a fault."""

from __future__ import annotations

import codecs
import sys
from typing import Final

_PLAIN: Final = {
    "−": "-", "×": "x", "·": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "→": "->", "←": "<-", "…": "...",
    "²": "^2", "³": "^3", "½": "1/2", "µ": "u", "α": "alpha", "β": "beta", "“": '"', "”": '"', "’": "'", "–": "-",
    "—": "-", "±": "+-", "√": "sqrt", "█": "#",
}  # fmt: skip
_REPLACED: Final = ("strict", "backslashreplace", "surrogateescape")
_NAME: Final = "shardwise-plain"


def spell_plainly() -> None:
    """Let stdout and stderr replace what they cannot encode."""
    codecs.register_error(_NAME, _plainly)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        # UTF-8 spells everything but half of a pair, which a file name that is no text may hold. In the locale C Python
        # lets some halves through and stumbles over the others.
        if reconfigure is not None and getattr(stream, "errors", "") in _REPLACED:
            reconfigure(errors=_NAME)


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(sign, "?") for sign in error.object[error.start : error.end]), error.end
