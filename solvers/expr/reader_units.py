"""Units as people write them: `GB / s`, `bytes per param`, `GPU hours`, `TFLOPS`, `PFLOP/s-days`, `GB each`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from solvers.expr.dimension import COUNTS, Dimension
from solvers.expr.reader_limits import AmbiguousError
from solvers.expr.reader_spelling import LETTERS, SMALL_LETTER_BYTES, UNIT_WORDS
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Container

    from solvers.expr.declared import Units
    from solvers.expr.units import Unit

_WORD: Final = re.compile(rf"[{LETTERS}]+|[%$]")
_OVER: Final = re.compile(r" *(?:/|(?<![A-Za-z])per(?![A-Za-z])) *")
_TIED: Final = re.compile(r"(?:-|\*)(?=[A-Za-z])")
_POWER: Final = re.compile(r"\^(?:(-?[1-9])|\((-?[1-9])\))(?![0-9.])|(⁻?[¹²³⁴])")
_RAISED: Final = str.maketrans("⁻¹²³⁴", "-1234")
_SPACED: Final = re.compile(r" +")
_TIME: Final = Dimension.of(second=1)
_FLOPS: Final = Dimension.of(flop=1)
_MOST_PARTS: Final = 6
_FLOP_PLURAL: Final = re.compile(r"(?i:flops)$|^[TPE]F$")
_FLOP: Final = re.compile(r"(?i:flops?)$|^[TPEtpe][Ff]s?$")


class UnitRun(Record):
    """A unit in a text: where it ends, and what it is."""

    end: int
    unit: Unit


@dataclass(slots=True)
class _Part:
    join: str
    typed: str
    name: str
    unit: Unit
    power: str = ""

    @property
    def dimension(self) -> Dimension:
        return self.unit.dimension


def scan_unit(
    source: str,
    plain: str,
    start: int,
    names: Container[str],
    expects: Dimension | None,
    *,
    units: Units,
    money: bool = False,
) -> UnitRun | None:
    """Read the longest unit that begins at `start`, or return None. A declared name is never a unit.

    `money` reads on behind a `$` that stood before the number. FLOPS is a rate where a rate is expected, a
    count where a count is. Raises `AmbiguousError` for `gb/s`, which is bytes to some and bits to others.
    """
    parts: list[_Part] = []
    position = start
    if money:
        parts.append(_part("", "$", units))
    elif not (first := _unit_word(plain, start, names, units)) or _is_doubtful(first, expects):
        return None
    else:
        parts.append(_part("", first, units))
        position = start + len(first)
    while len(parts) < _MOST_PARTS:
        if power := _POWER.match(plain, position):
            parts[-1].power = f"^{power[1] or power[2] or power[3].translate(_RAISED)}"
            position = power.end()
        following = _next_part(plain, position, parts, names, units)
        if following is None:
            break
        part, position = following
        parts.append(part)
    return UnitRun(position, _composed(source, start, position, parts, expects, units))


def _part(join: str, typed: str, units: Units) -> _Part:
    name = units.spellings[typed]
    return _Part(join, typed, name, units.table[name] if name in units.table else units.parse(name))


def _unit_word(plain: str, start: int, names: Container[str], units: Units) -> str:
    match = _WORD.match(plain, start)
    if not match or match[0] in names:
        return ""
    word = match[0]
    if word not in units.spellings:
        word = word.lower()
        if word not in UNIT_WORDS or word not in units.spellings or match[0] not in (word.capitalize(), word.upper()):
            return ""
    behind = plain[match.end() : match.end() + 1]
    if behind == "_" or ("0" <= behind <= "9") or (word in ("min", "lb") and _opens(plain, match.end())):
        return ""
    return word


def _is_doubtful(word: str, expects: Dimension | None) -> bool:
    """Whether a lone `d` cannot be meant for a day, since no time is asked for."""
    return word == "d" and expects is not None and "second" not in dict(expects.powers)


def _opens(plain: str, position: int) -> bool:
    return plain[position:].lstrip(" ")[:1] == "("


def _next_part(
    plain: str, position: int, parts: list[_Part], names: Container[str], units: Units
) -> tuple[_Part, int] | None:
    if over := _OVER.match(plain, position):
        word = _unit_word(plain, over.end(), names, units)
        return (_part("/", word, units), over.end() + len(word)) if word else None
    if tied := _TIED.match(plain, position):
        word = _unit_word(plain, tied.end(), names, units)
        return (_part(tied[0], word, units), tied.end() + len(word)) if word else None
    if spaced := _SPACED.match(plain, position):
        word = _unit_word(plain, spaced.end(), names, units)
        if word and _belongs(parts, part := _part("-", word, units)):
            return part, spaced.end() + len(word)
    return None


def _belongs(parts: list[_Part], part: _Part) -> bool:
    """Whether a unit behind a space goes with the one before it: `GPU hours`, `PFLOP/s days`."""
    before = parts[-1]
    if part.dimension != _TIME or before.power:
        return False
    is_rate = (before.join == "/" and before.name == "s") or _FLOP.search(before.typed) is not None
    return is_rate or before.name in COUNTS or before.name == "GPU"


def _composed(source: str, start: int, end: int, parts: list[_Part], expects: Dimension | None, units: Units) -> Unit:
    has_time = any("second" in dict(part.dimension.powers) for part in parts)
    for part, behind in zip(parts, (*parts[1:], None), strict=True):
        is_days = behind is not None and behind.join != "/" and behind.dimension == _TIME  # PFLOPS-days
        # Nobody multiplies FLOP and days: PF-days and petaflop-days are days of a rate.
        is_rate = part.dimension == _FLOPS and part.join != "/" and is_days
        if is_rate or (_FLOP_PLURAL.search(part.typed) and not has_time and _is_rate(part.typed, expects)):
            part.name = f"{part.name}/s"
        if part.typed == "kb" and not has_time:
            readings = ("kB", "kbit")
            raise AmbiguousError(source, start, end, readings, "B is a byte and b a bit: write which.")
        if part.typed in SMALL_LETTER_BYTES and has_time:
            bits = f"{part.name[:-1]}bit/s"
            raise AmbiguousError(source, start, end, (f"{part.name}/s", bits), "B is a byte and b a bit: write which.")
    return units.parse("".join(f"{part.join}{part.name}{part.power}" for part in parts))


def _is_rate(typed: str, expects: Dimension | None) -> bool:
    if expects is None or "flop" not in dict(expects.powers):
        return typed.endswith(("S", "F"))
    return "second" in dict(expects.powers)
