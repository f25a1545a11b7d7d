r"""LaTeX in a typed answer as plain signs, each of the same length: `1.4\times10^{11}`, `\frac{7}{2}`."""

from __future__ import annotations

import re
from typing import Final

_COMMANDS: Final = {"times": "*", "cdot": "*", "ast": "*", "approx": "~", "sim": "~", "div": "/", "pm": "±",
                    "left": "", "right": "", "quad": "", "qquad": "", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊",
                    "rfloor": "⌋"}  # fmt: skip
_COMMAND: Final = re.compile(rf"\\({'|'.join(_COMMANDS)})(?![A-Za-z])")
_UPRIGHT: Final = re.compile(r"\\(?:text|textrm|mathrm|mathit|mathbf|operatorname|mbox)\{([^{}\\]*)\}")
_FRACTION: Final = re.compile(r"\\[dt]?frac\{([^{}\\]*)\}\{([A-Za-z0-9.]+)\}")
_ROOT: Final = re.compile(r"\\sqrt\{([^{}\\]*)\}")
_NAMED: Final = re.compile(
    r"\\(?=(?:log|ln|exp|min|max|alpha|beta|gamma|delta|epsilon|eta|theta|kappa|lambda|mu|rho|sigma|tau|phi|pi)\b)"
)
_GAP: Final = re.compile(r"\\[,;:! ]")
_RAISED: Final = re.compile(r"\^\{ ?([+-]?[0-9]{1,4}) ?\}")
_RAISED_BY_MORE: Final = re.compile(r"\^\{([^{}]*)\}")


def without_latex(plain: str) -> str:
    """Replace commands and braces by what they stand for; a place in the text stays where it was typed."""
    if "\\" in plain:
        plain = _without_commands(plain)
    if "{" in plain:
        plain = _RAISED.sub(lambda found: f"^{found[1]}".ljust(len(found[0])), plain)
        plain = _RAISED_BY_MORE.sub(r"^(\1)", plain)
    return plain


def _without_commands(plain: str) -> str:
    plain = _UPRIGHT.sub(lambda found: f"{found[1]} ".rjust(len(found[0])), plain)
    plain = _COMMAND.sub(lambda found: _COMMANDS[found[1]].ljust(len(found[0])), plain)
    plain = _FRACTION.sub(lambda found: f"(({found[1]})/{found[2]})".rjust(len(found[0])), plain)
    plain = _ROOT.sub(lambda found: f" sqrt({found[1]})", plain)
    plain = _GAP.sub("  ", plain)
    return _NAMED.sub(" ", plain).replace("\\%", " %")
