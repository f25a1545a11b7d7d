"""What to write under `figures` for a figure that is typed in prose: the same number as an expression reads it."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from solvers.expr.units import UNITS, UnitError, unit_in

_NUMBER: Final = re.compile(
    r"(?P<whole>\d[\d_]*(?:,\d{3})*(?:\.\d+)?)?(?:[eE](?P<ten>[+-]?\d+))?"
    r"(?:\^(?P<power>[+-]?\d+)|(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]+))?(?P<part>[½¼¾⅐-⅞])?(?:/(?P<below>\d+))?"
)
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_PARTS: Final = {
    "½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅐": (1, 7), "⅑": (1, 9), "⅒": (1, 10), "⅓": (1, 3), "⅔": (2, 3),
    "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8),
    "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
_LETTERS: Final = {"k": 3, "K": 3, "M": 6, "B": 9, "b": 9, "bn": 9, "T": 12}
_WORDS: Final = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "quadrillion": 15}
_LETTER: Final = re.compile(r"(?P<scale>[kKMBbT]|bn)(?![\w/])[\s-]*")
_LETTER_APART: Final = re.compile(r"(?P<scale>[kKMT])\s+(?=[A-Za-z])")
_WORD: Final = re.compile(rf"(?P<scale>{'|'.join(_WORDS)})(?!\w)[\s-]*")
_DOZEN: Final = re.compile(r"dozen(?!\w)[\s-]*")
_JOIN: Final = " \t-‐‑*×\u00a0\u2009\u202f"
_SHARE: Final = re.compile(r"%|per\s?cent|percentage\s+points?")
_PREFIXES: Final = {
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E",
    "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "milli": "m", "micro": "µ", "nano": "n",
}  # fmt: skip
_STEMS: Final = {
    "byte": "B", "bit": "bit", "watt": "W", "hertz": "Hz", "second": "s", "flop": "FLOP", "flops": "FLOPS",
}  # fmt: skip
_SPELLED: Final = re.compile(rf"(?P<prefix>{'|'.join(_PREFIXES)})(?P<stem>byte|bit|watt|hertz|second|flop)(?P<many>s?)")
_SAME: Final = {
    "secs": "s", "mins": "min", "hr": "h", "hrs": "h", "US$": "$", "watts": "W", "hertz": "Hz", "flops": "FLOPS",
}  # fmt: skip
_MANY: Final = frozenset({"second", "minute", "hour", "day", "week", "year"})
_CARD: Final = re.compile(r"(?:[ABHLPV]\d{2,3}[A-Z]?|T4|GB?[23]\d{2}|GH200|MI\d{3}[A-Z]?)(?:-\w+)?s?")
_CENTS: Final = re.compile(r"cents?")
_NO_UNIT: Final = re.compile(
    r"months?|km|cm|mm|kg|kV|°[CF]?|degrees?|miles?|litres?|rpm|fps|euros?|EUR|GBP|.*met(?:re|er)s?"
)
_QUANTITIES: Final = {
    "head": "model.query_heads", "expert": "model.experts", "layer": "model.layers", "param": "model.parameters",
    "parameter": "model.parameters", "gpu": "cluster.gpus", "node": "cluster.nodes", "stage": "layout.pp",
    "micro-batch": "batch.accumulation", "microbatch": "batch.accumulation",
}  # fmt: skip
_LIMIT: Final = 10**6
_DIGITS: Final = 60
_LONGEST: Final = 90


def instead_of(figure: str) -> str:
    """What to do about a typed figure; what it proposes for `figures` is read as the number that stands there."""
    expression, unit, counted = expression_of(figure)
    own = f" {unit} is no unit here: bank.yaml may declare it." if unit else ""
    known = f"; a quantity of the scenario has its name already{f', such as {{{{ {counted} }}}}' if counted else ''}."
    return (
        f"Name it under `figures` (derived, or `{{input: {expression}}}` for an assumption, or `quote:` with its "
        f"source) and write {{{{ name }}}}{known}{own}"
    )


def expression_of(figure: str) -> tuple[str, str, str]:
    """A typed figure as an expression; the unit that none has there, and the quantity that is counted so, or ""."""
    text = " ".join(figure.replace("*", " ").split())
    number = re.search(r"[\d½¼¾⅐-⅞]", text)
    start = number.start() if number else 0
    before, match = text[:start], _NUMBER.match(text, start)
    if match is None or len(text) > _LONGEST:
        return text, "", ""
    tail = text[match.end() :]
    power, tail = _scale(tail)
    dozen = _DOZEN.match(tail)
    if dozen:
        tail = tail[dozen.end() :]
    value, typed = _value(match)
    if dozen:
        value, typed = value * 12, ""
    unit, factor, unknown = _unit(_money(before), tail)
    if factor != 1:
        value, typed = value * factor, ""
    spelled = _spelled(value, typed, power)
    if unit and "/" in spelled:
        spelled = f"{spelled} * 1"
    return f"{spelled} {unit}".rstrip(), unknown, _counted(tail)


def _value(match: re.Match[str]) -> tuple[Fraction, str]:
    """The number, and its digits where they are to stay as they are."""
    digits = (match["whole"] or "").replace(",", "").replace("_", "")
    value = Fraction(digits or 0)
    if not any(match[part] for part in ("power", "raised", "part", "below")):
        ten = match["ten"]
        return value * Fraction(10) ** _exponent(ten), f"{digits}e{ten}" if ten else digits
    power = _exponent(match["power"] or (match["raised"] or "").translate(_RAISED) or "1")
    value = (value * Fraction(10) ** _exponent(match["ten"])) ** power + Fraction(
        *_PARTS.get(match["part"] or "", (0, 1))
    )
    return value / int(match["below"] or 1), ""


def _exponent(typed: str | None) -> int:
    """A power as typed, within what an expression may have."""
    return max(-_DIGITS, min(_DIGITS, int(typed or 0)))


def _scale(tail: str) -> tuple[int, str]:
    """The power of ten that a letter or a word behind the number means, and what follows it."""
    attached = _LETTER.match(tail.lstrip("-‐‑"))
    if attached:
        return _LETTERS[attached["scale"]], tail.lstrip("-‐‑")[attached.end() :]
    rest = tail.lstrip(_JOIN)
    apart = _LETTER_APART.match(rest)
    if apart:
        return _LETTERS[apart["scale"]], rest[apart.end() :]
    power = 0
    while word := _WORD.match(rest):
        power, rest = power + _WORDS[word["scale"]], rest[word.end() :]
    return power, rest


def _money(before: str) -> str:
    return "$" if before.strip() in ("$", "USD", "US$") else ""


def _unit(money: str, tail: str) -> tuple[str, Fraction, str]:  # noqa: PLR0911 - one return a form
    """The unit behind the number as expressions have it, what it multiplies by, and the word that is no unit there."""
    rest = tail.strip(_JOIN)
    if money:
        return _with_per(money, rest.partition("/")[2]), Fraction(1), ""
    if _SHARE.fullmatch(rest):
        return "%", Fraction(1), ""
    words = rest.split()
    if not words:
        return "", Fraction(1), ""
    word, _, per = words[-1].partition("/")
    if _CENTS.fullmatch(word):
        return _with_per("$", per), Fraction(1, 100), ""
    if len(words) > 1 and words[-2] == "GPU" and word in UNITS:
        return f"GPU-{word}", Fraction(1), ""
    if _CARD.fullmatch(word.removeprefix("x")):
        return "GPUs", Fraction(1), ""
    unit = _known(word)
    if not unit:
        return "", Fraction(1), word if _NO_UNIT.fullmatch(word) else ""
    return _with_per(f"{unit}s" if unit in _MANY and not per else unit, per), Fraction(1), ""


def _known(word: str) -> str:
    """The unit of expressions that a word means; empty where none has that name."""
    word = _SAME.get(word, word).replace("μ", "µ")
    if word in UNITS:
        return word
    if spelled := _SPELLED.fullmatch(word):
        stem = spelled["stem"] + (spelled["many"] if spelled["stem"] == "flop" else "")
        return _known(_PREFIXES[spelled["prefix"]] + _STEMS[stem])
    if word.endswith("ps") and (rate := _known(word.removesuffix("ps"))):
        return f"{rate}/s"
    alike = [unit for unit in UNITS if unit.casefold() == word.casefold()]
    return max(alike, key=lambda unit: (unit.endswith(("B", "FLOPS")), unit), default="")


def _with_per(unit: str, per: str) -> str:
    """A unit with what it is counted on, where expressions have that too."""
    try:
        unit_in(UNITS, f"{unit}/{per}")
    except UnitError:
        return unit
    return f"{unit}/{per}"


def _spelled(value: Fraction, typed: str, power: int) -> str:
    if typed and (not power or "e" not in typed):
        return f"{typed}e{power}" if power else typed
    value *= Fraction(10) ** power
    if value.denominator > 1:
        places = next((places for places in range(1, 13) if (value * 10**places).denominator == 1), 0)
        return f"{float(value):.{places}f}" if places else str(value)
    zeros = len(str(value.numerator)) - len(str(value.numerator).rstrip("0"))
    return f"{value.numerator // 10**zeros}e{zeros}" if value >= _LIMIT else str(value.numerator)


def _counted(tail: str) -> str:
    """The quantity of a scenario that is counted in the last word, if there is one."""
    word = tail.strip(_JOIN).rpartition(" ")[2].casefold()
    return _QUANTITIES.get(word.removesuffix("es" if word.endswith("ches") else "s"), "")
