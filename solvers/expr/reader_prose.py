r"""What is typed around numbers and units, in words or in LaTeX: `answer: 140 GB`, `per direction`, `1.4\times10^{11}`.

Each spelling is replaced by a plain one of the same length, so that a place in the text stays where it was typed. A
word that a question declares as a name is never touched.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Container

# Two letters, a letter with two digits, a backslash, a brace: anything else is a formula or a number with a unit.
_WORDY: Final = re.compile(r"[A-Za-z][A-Za-z]|[A-Z][0-9]{2}|L4|[\\{]")

_OPENING: Final = re.compile(
    r" *(?:(?:(?:my|the) )?(?:final )?(?:ans(?:wer)?|result|total|sum)\b(?: is\b| ?[:=])+"
    r"|(?:i (?:think|guess|get|got|say) |i'd say )?(?:it|that)(?:'s| is)\b|i (?:think|guess|get|got|say)\b|i'd say\b)",
    re.IGNORECASE,
)
_DIRECTION: Final = re.compile(
    r"(?:/ ?|(?<![A-Za-z0-9_])(?:in )?(?:(?:each|every|one|either|per)[ -]))(direction|way)(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_])(unidirectional)(?:ly)?(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_SHARED_BY: Final = re.compile(
    r"(?:/ ?|(?<![A-Za-z0-9_])per )(stage|replica|shard|micro-?batch|batch|expert|head|worker|process|chip|server|link|"
    r"port|nic|group|user|request|pass)(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_REMARK: Final = re.compile(
    r"\( ?(?:per (?:gpu|device|rank|card|node|layer|step|token|parameter|param|sequence)|each|(?:in )?total|overall"
    r"|approx(?:\.|imately)?|about|roughly|estimated?) ?\)(?= *$)",
    re.IGNORECASE,
)
_EMPTY: Final = re.compile(r"\( *\)")
_PER_CENT: Final = re.compile(r"(?<![A-Za-z])per cent(?![A-Za-z])")

_FROM_ZERO: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_DIGITS: Final = {word: str(value) for value, word in enumerate(_FROM_ZERO.split())}
_DIGITS.update({"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90"})
_ANY_DIGIT: Final = "|".join(_DIGITS)
_SCALE: Final = "hundred|thousand|million|billion|trillion"
_TIME: Final = "second|minute|hour|day|week|year"
# `twenty-one` and `thirty five` stay words, which are refused: half of them would be read as something else.
_WORD: Final = re.compile(
    rf"(?<![A-Za-z0-9_.-])(?<!-)({_ANY_DIGIT})(?=[ .,;]|$)(?! *(?:{_ANY_DIGIT}|and|[0-9])\b)", re.IGNORECASE
)
_ARTICLE: Final = re.compile(rf"(?<![A-Za-z0-9_] )(?<![A-Za-z0-9_])an?(?= (?:{_SCALE}|{_TIME})\b)", re.IGNORECASE)
_AND_A_HALF: Final = re.compile(rf"(?<![A-Za-z0-9_.])({_ANY_DIGIT}|[0-9]{{1,3}}) and a half(?= )", re.IGNORECASE)
_HALF: Final = re.compile(r"(?<![A-Za-z0-9_.] )(?<![A-Za-z0-9_.])half an? (?=[A-Za-z])", re.IGNORECASE)

_RATE_DAYS: Final = re.compile(r"(?<![A-Za-z_])[tpe]f(?=[- ]days?\b)")
_CHIP: Final = re.compile(
    r"(?:(?<![A-Za-z0-9_.])|(?<=[0-9][xX]))(?:[AHV]100|[HB]200|[AH]800|B[13]00|H20|GH200|GB[23]00|MI[23][0-9]{2}[AX]?"
    r"|L40S?|TPU(?:v[3-6][ep]?)?)(s?)(?![A-Za-z0-9_.(])(?!-?[0-9])"
)


def plain_prose(plain: str, names: Container[str]) -> str:
    """Replace words and LaTeX around the value by signs and spaces; `names` are those that a question declares."""
    if not _WORDY.search(plain):
        return plain
    if "\\" in plain or "{" in plain:
        from solvers.expr.reader_latex import without_latex  # its patterns take as long to make as all others here

        plain = without_latex(plain)
    if opening := _OPENING.match(plain):
        words = opening[0].lower().split()
        if not any(word.strip(":=") in names for word in words):
            plain = " " * opening.end() + plain[opening.end() :]
    return _without_words(plain, names)


def _without_words(plain: str, names: Container[str]) -> str:
    def blank(found: re.Match[str]) -> str:
        word = found[found.lastindex or 0]
        return found[0] if word in names else " " * len(found[0])

    def digits(found: re.Match[str]) -> str:
        return found[0] if found[1] in names else _DIGITS[found[1].lower()].rjust(len(found[0]))

    def chip(found: re.Match[str]) -> str:
        return found[0] if found[0] in names else f"GPU{found[1]}".rjust(len(found[0]))

    lowered = plain.lower()
    if "direction" in lowered or "way" in lowered:
        plain = _DIRECTION.sub(blank, plain)
    if "per " in lowered or "/" in plain:
        plain = _SHARED_BY.sub(blank, _PER_CENT.sub(" percent", plain))
    if ")" in plain:
        plain = _REMARK.sub(blank, plain)
        plain = _EMPTY.sub(lambda found: " " * len(found[0]), plain) if _is_emptied(plain, lowered) else plain
    plain = _WORD.sub(digits, plain)
    if " " in plain:
        plain = _AND_A_HALF.sub(_and_a_half, plain)
        plain = _HALF.sub(lambda found: "0.5 ".rjust(len(found[0])), plain)
        plain = _ARTICLE.sub(lambda found: found[0] if found[0] in names else "1".rjust(len(found[0])), plain)
    plain = _RATE_DAYS.sub(lambda found: found[0].upper(), plain)
    return _CHIP.sub(chip, plain)


def _is_emptied(plain: str, lowered: str) -> bool:
    """Whether a parenthesis is empty that was typed with words in it."""
    found = _EMPTY.search(plain)
    return found is not None and not lowered[found.start() + 1 : found.end() - 1].isspace() and len(found[0]) > 2  # noqa: PLR2004 - the pair


def _and_a_half(found: re.Match[str]) -> str:
    number = _DIGITS.get(found[1].lower(), found[1])
    return f"{number}.5".rjust(len(found[0]))


