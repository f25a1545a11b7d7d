"""Units that a bank or a request declares for itself: a name, what it is in known units, its prefixes, its words.

A definition is `base` (a base dimension of its own, named like the unit), an amount of known units (`0.3048 m`,
`kg*m/s^2`, `1000`), or a mapping with `is` (one of those), `prefixes` (k, M, m, µ and the others) and `also` (other
words for it). `include: si` takes in the international system. Declared names win over those of the field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from solvers.expr.dimension import Dimension
from solvers.expr.reader_limits import shown
from solvers.expr.reader_spelling import LETTERS, UNIT_SPELLINGS
from solvers.expr.units import PLAIN_NAMES, PLAIN_UNIT, UNITS, Unit, UnitError, unit_in
from solvers.record import Record

BASE: Final = "base"
INCLUDE: Final = "include"
MOST: Final = 200
_NAME: Final = re.compile(rf"[{LETTERS}%$][{LETTERS}]{{0,23}}")
_AMOUNT: Final = re.compile(
    r"(?P<above>\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?)(?:\s*/\s*(?P<below>\d{1,30}))?(?:\s*\*\s*|\s+|$)"
)
_KEYS: Final = ("is", "prefixes", "also")
_PREFIXES: Final = {
    "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1,
    "d": -1, "c": -2, "m": -3, "µ": -6, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18,
}  # fmt: skip
_PREFIX_WORDS: Final = {
    "peta": "P", "tera": "T", "giga": "G", "mega": "M", "kilo": "k", "hecto": "h", "deci": "d", "centi": "c",
    "milli": "m", "micro": "µ", "nano": "n", "pico": "p", "femto": "f",
}  # fmt: skip


class Units(Record):
    """A vocabulary: strict names with their units, and for each lenient spelling the strict name. By identity."""

    table: Mapping[str, Unit]
    spellings: Mapping[str, str]

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def parse(self, text: str) -> Unit:
        """Read a unit expression in this vocabulary. Raises `UnitError`."""
        return _parsed(self, text)


@lru_cache(maxsize=2048)
def _parsed(units: Units, text: str) -> Unit:
    return unit_in(units.table, text)


FIELD: Final = Units(MappingProxyType(UNITS), MappingProxyType(UNIT_SPELLINGS))
"""The units of this field, where nothing else is declared."""


class _Definition(Record):
    name: str
    amount: str
    prefixes: bool = False
    also: tuple[str, ...] = ()


SI: Final[Mapping[str, object]] = {
    "m": {"is": BASE, "prefixes": True, "also": ["metre", "metres", "meter", "meters"]},
    "kg": {"is": BASE, "also": ["kilo", "kilos"]},
    "g": {"is": "0.001 kg", "prefixes": True, "also": ["gram", "grams", "gramme", "grammes"]},
    "A": {"is": BASE, "prefixes": True, "also": ["amp", "amps", "ampere", "amperes"]},
    "K": {"is": BASE, "prefixes": True, "also": ["kelvin", "kelvins"]},
    "mol": {"is": BASE, "prefixes": True, "also": ["mole", "moles"]},
    "cd": {"is": BASE, "also": ["candela", "candelas"]},
    "rad": {"is": "1", "also": ["radian", "radians"]},
    "s": {"is": "s", "prefixes": True, "also": ["sec", "secs", "second", "seconds"]},
    "N": {"is": "kg*m/s^2", "prefixes": True, "also": ["newton", "newtons"]},
    "Pa": {"is": "N/m^2", "prefixes": True, "also": ["pascal", "pascals"]},
    "J": {"is": "N*m", "prefixes": True, "also": ["joule", "joules", "Joule"]},
    "W": {"is": "J/s", "prefixes": True, "also": ["watt", "watts", "Watt"]},
    "Wh": {"is": "3600 J", "prefixes": True},
    "C": {"is": "A*s", "prefixes": True, "also": ["coulomb", "coulombs"]},
    "V": {"is": "J/C", "prefixes": True, "also": ["volt", "volts"]},
    "F": {"is": "C/V", "prefixes": True, "also": ["farad", "farads"]},
    "ohm": {"is": "V/A", "prefixes": True, "also": ["ohms", "Ω"]},
    "S": {"is": "A/V", "prefixes": True, "also": ["siemens"]},
    "Wb": {"is": "V*s", "prefixes": True, "also": ["weber", "webers"]},
    "T": {"is": "Wb/m^2", "prefixes": True, "also": ["tesla", "teslas"]},
    "H": {"is": "Wb/A", "prefixes": True, "also": ["henry", "henrys", "henries"]},
    "Hz": {"is": "1/s", "prefixes": True, "also": ["hertz"]},
    "L": {"is": "0.001 m^3", "prefixes": True, "also": ["l", "litre", "litres", "liter", "liters"]},
    "t": {"is": "1000 kg", "also": ["tonne", "tonnes"]},
    "bar": {"is": "100000 Pa", "prefixes": True, "also": ["bars"]},
    "atm": {"is": "101325 Pa"},
    "eV": {"is": "1.602176634e-19 J", "prefixes": True},
    "cal": {"is": "4.184 J", "prefixes": True, "also": ["calorie", "calories"]},
    "angstrom": {"is": "1e-10 m", "also": ["angstroms", "Angstrom"]},
    "ft": {"is": "0.3048 m", "also": ["foot", "feet"]},
    "in": {"is": "0.0254 m", "also": ["inch", "inches"]},
    "yd": {"is": "0.9144 m", "also": ["yard", "yards"]},
    "mi": {"is": "1609.344 m", "also": ["mile", "miles"]},
    "mph": {"is": "mi/h"},
    "kph": {"is": "km/h", "also": ["kmh"]},
    "lb": {"is": "0.45359237 kg", "also": ["lbs", "pound", "pounds"]},
    "oz": {"is": "0.028349523125 kg", "also": ["ounce", "ounces"]},
    "lbf": {"is": "4.4482216152605 N"},
}


def declare(definitions: Mapping[str, object]) -> Units:
    """Make the vocabulary of the field with `definitions`, each in names of the field and of those before it.

    Raises `UnitError` naming the definition that cannot be read.
    """
    if len(definitions) > MOST:
        raise UnitError(f"{len(definitions)} units are declared; at most {MOST} are read")
    rest = dict(definitions)
    included = rest.pop(INCLUDE, None)
    if included not in (None, "si"):
        raise UnitError(f"{INCLUDE}: {shown(str(included))} is no set of units; there is si")
    start = FIELD if included is None else system("si")
    return _extended(start, rest) if rest else start


@lru_cache(maxsize=32)
def units_from(definitions: str) -> Units:
    """The vocabulary of definitions in JSON, as a question carries them; the field's own for an empty text.

    Raises `UnitError`.
    """
    return declare(json.loads(definitions)) if definitions else FIELD


@lru_cache(maxsize=4)
def system(name: str) -> Units:
    """A set of units by name; there is `si`. Raises `UnitError`."""
    if name != "si":
        raise UnitError(f"{shown(name)} is no set of units; there is si")
    return _extended(FIELD, SI)


def _extended(start: Units, definitions: Mapping[str, object]) -> Units:
    table, spellings = dict(start.table), dict(start.spellings)
    read = [_definition(name, raw) for name, raw in definitions.items()]
    own = {one.name for one in read} | {word for one in read for word in one.also}
    for one in read:
        unit = _unit(table, one)
        _put(table, spellings, unit, (one.name, *one.also))
        if one.prefixes:
            _put_prefixed(table, spellings, unit, one, PLAIN_NAMES | own)
    return Units(MappingProxyType(table), MappingProxyType(spellings))


def _definition(name: object, raw: object) -> _Definition:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UnitError(f"{shown(str(name))} is no name of a unit: letters, at most 24")
    if isinstance(raw, int) and not isinstance(raw, bool):
        raw = str(raw)
    if isinstance(raw, str):
        return _Definition(name, raw.strip())
    if not isinstance(raw, Mapping):
        raise UnitError(f"the unit {name} is `base`, an amount such as `0.3048 m`, or a mapping with `is`")
    strange = [key for key in raw if key not in _KEYS]
    if strange:
        raise UnitError(f"the unit {name} has no key {shown(str(strange[0]))}; there are {', '.join(_KEYS)}")
    amount, also, prefixes = raw.get("is"), raw.get("also", ()), raw.get("prefixes", False)
    if isinstance(also, str):
        also = (also,)
    if not isinstance(amount, str):
        raise UnitError(f"the unit {name} needs `is`: `base`, or an amount such as `0.3048 m`")
    if not isinstance(also, list | tuple) or not all(isinstance(w, str) and _NAME.fullmatch(w) for w in also):
        raise UnitError(f"`also` of the unit {name} is a list of words of letters")
    if not isinstance(prefixes, bool):
        raise UnitError(f"`prefixes` of the unit {name} is true or false")
    return _Definition(name, amount.strip(), prefixes, tuple(also))


def _unit(table: Mapping[str, Unit], one: _Definition) -> Unit:
    if one.amount == BASE:
        if one.name in UNITS:
            raise UnitError(f"{one.name} is a unit of this field and no new base")
        return Unit(one.name, Fraction(1), Dimension.base(one.name))
    number, rest = Fraction(1), one.amount
    if match := _AMOUNT.match(one.amount):
        below = int(match["below"] or 1)
        number = Fraction(match["above"]) / below if below else Fraction(0)
        rest = one.amount[match.end() :].strip()
    elif one.amount.startswith("1/"):
        rest = one.amount
    try:
        unit = _measured(table, rest)
    except UnitError as error:
        raise UnitError(f"the unit {one.name} cannot be read: {error}") from error
    if not number:
        raise UnitError(f"the unit {one.name} is nothing")
    return Unit(one.name, number * unit.factor, unit.dimension)


def _measured(table: Mapping[str, Unit], text: str) -> Unit:
    if text.startswith("1/"):
        unit = unit_in(table, text[2:])
        return Unit(text, 1 / unit.factor, PLAIN_UNIT.dimension / unit.dimension)
    return unit_in(table, text)


def _put(table: dict[str, Unit], spellings: dict[str, str], unit: Unit, words: tuple[str, ...]) -> None:
    table[unit.name] = unit
    spellings.update(dict.fromkeys(words, unit.name))


def _put_prefixed(
    table: dict[str, Unit], spellings: dict[str, str], unit: Unit, one: _Definition, taken: frozenset[str]
) -> None:
    """The unit with each prefix, where that is not another unit's own name (`min` is no milli-inch)."""
    for prefix, power in _PREFIXES.items():
        name = prefix + one.name
        if name not in taken:
            factor = unit.factor * Fraction(10) ** power
            spelled = (name, name.replace("µ", "μ")) if prefix == "µ" else (name,)
            _put(table, spellings, Unit(name, factor, unit.dimension), spelled)
    for word, prefix in _PREFIX_WORDS.items():
        name = prefix + one.name
        spellings.update(
            {word + other: name for other in one.also if len(other) > 2 and name in table}  # noqa: PLR2004 - words
        )
