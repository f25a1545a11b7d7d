"""Named units: decimal and binary prefixes, bytes and bits, FLOP, seconds, counts, money.

1 GB is 1e9 B and 1 GiB is 2^30 B; a prefix is read exactly as written, so `Gb` is a gigabit and never a
gigabyte. The strict spellings are here; what else people type is the lenient reader's business. What a bank adds
of its own (metres, kilograms) is `declared.py`'s; both are a `Table` by name.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from solvers.expr.dimension import PLAIN, Dimension
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping


class UnitError(ValueError):
    """A unit that is not known or not spelled as units are; the message names it."""


class Unit(Record):
    """A named scale: `factor` base units (B, s, FLOP, W, $, counts) of `dimension`."""

    name: str
    factor: Fraction
    dimension: Dimension

    def __str__(self) -> str:
        return self.name


DECIMAL_PREFIXES: Final = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21}
BINARY_PREFIXES: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
SMALL_PREFIXES: Final = {"m": -3, "µ": -6, "u": -6, "n": -9}

_BYTE: Final = Dimension.of(byte=1)
_SECOND: Final = Dimension.of(second=1)
_FLOP: Final = Dimension.of(flop=1)
_WATT: Final = Dimension.of(watt=1)


def _plain_units() -> dict[str, Unit]:
    table: dict[str, Unit] = {}

    def add(names: str, factor: int | Fraction, dimension: Dimension) -> None:
        for name in names.split():
            table[name] = Unit(name, Fraction(factor), dimension)

    add("B byte bytes", 1, _BYTE)
    add("bit bits b", Fraction(1, 8), _BYTE)
    add("s second seconds sec", 1, _SECOND)
    add("min minute minutes", 60, _SECOND)
    add("h hour hours", 3600, _SECOND)
    add("day days d", 86_400, _SECOND)
    add("week weeks", 7 * 86_400, _SECOND)
    add("year years", 365 * 86_400, _SECOND)
    add("Hz", 1, PLAIN / _SECOND)
    add("bps", Fraction(1, 8), _BYTE / _SECOND)
    add("FLOP FLOPs flop flops", 1, _FLOP)
    add("FLOPS FLOP/s", 1, _FLOP / _SECOND)
    add("W watt watts", 1, _WATT)
    add("Wh", 3600, _WATT * _SECOND)
    add("J joule joules", 1, _WATT * _SECOND)
    add("$ USD dollar dollars", 1, Dimension.of(dollar=1))
    add("param params parameter parameters", 1, Dimension.of(parameter=1))
    add("token tokens", 1, Dimension.of(token=1))
    add("GPU GPUs", 1, Dimension.of(gpu=1))
    add("node nodes", 1, Dimension.of(node=1))
    add("layer layers", 1, Dimension.of(layer=1))
    add("step steps", 1, Dimension.of(step=1))
    add("sequence sequences", 1, Dimension.of(sequence=1))
    add("%", Fraction(1, 100), PLAIN)
    return table


_PREFIXED_DECIMAL: Final = ("B", "bit", "b", "bps", "byte", "bytes", "FLOP", "FLOPs", "FLOPS", "FLOP/s", "W", "Wh", "J",
                            "Hz")  # fmt: skip
_PREFIXED_BINARY: Final = ("B", "bit", "b", "byte", "bytes")
_PREFIXED_SMALL: Final = ("s",)


def _all_units() -> dict[str, Unit]:
    plain = _plain_units()
    table = dict(plain)
    for stem in _PREFIXED_DECIMAL:
        for prefix, power in DECIMAL_PREFIXES.items():
            table[prefix + stem] = Unit(prefix + stem, plain[stem].factor * 10**power, plain[stem].dimension)
    for stem in _PREFIXED_BINARY:
        for prefix, power in BINARY_PREFIXES.items():
            table[prefix + stem] = Unit(prefix + stem, plain[stem].factor * 2**power, plain[stem].dimension)
    for stem in _PREFIXED_SMALL:
        for prefix, power in SMALL_PREFIXES.items():
            factor = plain[stem].factor * Fraction(10) ** power
            table[prefix + stem] = Unit(prefix + stem, factor, plain[stem].dimension)
    return table


UNITS: Final = _all_units()
PLAIN_NAMES: Final = frozenset(_plain_units())
"""The names without a prefix."""
PLAIN_UNIT: Final = Unit("", Fraction(1), PLAIN)

_PART: Final = re.compile(r"(?P<name>[^\s/*·^\d-]+)(?:\^(?P<power>-?\d{1,2}))?")
_JOIN: Final = re.compile(r"\s*(?P<join>[/*·-])\s*")


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Unit:
    """Read a unit expression in the names of `UNITS`; see `unit_in`."""
    return unit_in(UNITS, text)


def unit_in(table: Mapping[str, Unit], text: str) -> Unit:
    """Read a strict unit expression: `GB`, `GB/s`, `B/param`, `GPU-hour`, `FLOP/s`, `byte^2`, `m*s^-2`.

    A hyphen behind a count ties the two together (`$/GPU-hour` is per GPU-hour), elsewhere it multiplies the
    whole (`PFLOP/s-day` is a day of PFLOP/s). Raises `UnitError` naming the part that is not a unit.
    """
    wanted = text.strip()
    if not wanted:
        return PLAIN_UNIT
    if wanted in table:
        return table[wanted]
    factor, dimension, position, sign = Fraction(1), PLAIN, 0, 1
    while True:
        match = _PART.match(wanted, position)
        known = match and table.get(match["name"])
        if not match or not known:
            message = f"{wanted[position:] or wanted!r} is not a unit"
            raise UnitError(message)
        power = sign * int(match["power"] or 1)
        factor *= known.factor**power
        dimension *= known.dimension**power
        position = match.end()
        if position == len(wanted):
            return Unit(wanted, factor, dimension)
        join = _JOIN.match(wanted, position)
        if not join:
            message = f"{wanted[position:]!r} is not a unit"
            raise UnitError(message)
        if join["join"] != "-" or not known.dimension.is_count:
            sign = -1 if join["join"] == "/" else 1
        position = join.end()
