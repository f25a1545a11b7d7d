"""What a person types for a formula in the shell, in the signs that a bank writes."""

from __future__ import annotations

from typing import Final

_SIGNS: Final = str.maketrans({
    "×": "*", "∗": "*", "⋅": "*", "÷": "/", "∕": "/", "⁄": "/", "−": "-", "–": "-", "\N{NO-BREAK SPACE}": " ",
    "\N{NARROW NO-BREAK SPACE}": " ", "\N{THIN SPACE}": " ", "\N{FULLWIDTH FULL STOP}": ".",
    **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
})  # fmt: skip
_RAISED: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))


def in_plain_signs(text: str) -> str:
    """The text with `^` for `**` and for raised digits, `*` for `×`, `/` for `÷`, `-` for a long minus sign.

    An answer of practice may be typed with either; so may a value of `shardwise solve`. A text of another kind, such
    as a name, has none of these signs.

    >>> in_plain_signs("7×10⁹"), in_plain_signs("7*10**9"), in_plain_signs("10⁻³")
    ('7*10^9', '7*10^9', '10^-3')
    """
    made = ""
    raised = False
    for sign in text.translate(_SIGNS).replace("**", "^"):
        plain = _RAISED.get(sign)
        made += ("" if raised or plain is None else "^") + (sign if plain is None else plain)
        raised = plain is not None
    return made
