"""Units that a bank declares: in terms of known ones, with prefixes and words, and no others."""

from __future__ import annotations

from fractions import Fraction

import pytest

from solvers.expr.declared import FIELD, declare, system, units_from
from solvers.expr.dimension import Dimension
from solvers.expr.evaluate import Quantity, quantity
from solvers.expr.reader import ReadError, read_answer, read_strict
from solvers.expr.units import UNITS, UnitError

SI = system("si")


def value(text: str, **declared: object) -> Quantity:
    units = declare(declared) if declared else SI
    return quantity(read_answer(text, units=units).expr, {})


@pytest.mark.parametrize(("text", "same"), [
    ("1 km", "1000 m"), ("1 kg", "1000 g"), ("1 Mg", "1 t"), ("1 N", "1 kg*m/s^2"), ("1 J", "1 N m"), ("1 kN", "1e3 N"),
    ("9.8 m s^-2", "9.8 m/s^2"), ("9.8 m s⁻²", "9.8 m/s²"), ("5 s^-1", "5 Hz"), ("5 m^(-1)", "5/m"), ("3 N·m", "3 J"),
    ("2 kilometres", "2 km"), ("7 Ω", "7 ohm"), ("1 ft", "12 in"), ("1 mile", "1609.344 m"), ("5 µm", "5e-6 m"),
    ("1 min", "60 s"), ("1 GB", "1e9 B"), ("3 cm + 2 mm", "32 mm"),
])  # fmt: skip
def test_units_of_physics_convert_into_one_another(text: str, same: str) -> None:
    assert value(text) == value(same)


def test_a_unit_is_declared_in_terms_of_those_before_it() -> None:
    own = {"m": "base", "league": {"is": "5556 m", "also": ["leagues"]}, "knot": "1/2 m/s", "dozen": 12, "per": "1/m"}
    assert value("2 leagues", **own) == value("11112 m", **own)
    assert value("4 knot", **own) == value("2 m/s", **own)
    assert value("3 dozen", **own).value == 36


def test_a_new_base_is_a_dimension_of_its_own_and_no_count() -> None:
    read = value("3 m")
    assert read.dimension == Dimension.base("m")
    assert read.dimension.without_counts == read.dimension
    assert str(value("3 kg m/s^2").dimension) == "kg·m/second^2"


def test_prefixes_take_no_other_units_name() -> None:
    """`min` is a minute and no milli-inch, whatever is declared."""
    units = declare({"in": {"is": "2 s", "prefixes": True}})
    assert units.parse("min").factor == 60
    assert units.parse("kin").factor == 2000


def test_a_declared_unit_wins_over_one_of_the_field_and_over_a_count() -> None:
    assert value("5 T").dimension != value("5e12").dimension
    assert quantity(read_answer("5 T").expr, {}).value == 5 * 10**12


def test_declaring_leaves_the_units_of_the_field_as_they_are() -> None:
    declare({"include": "si", "furlong": "660 ft"})
    assert "furlong" not in UNITS
    with pytest.raises(ReadError):
        read_answer("5 m")
    with pytest.raises(ReadError):
        read_strict("5 m")
    assert quantity(read_strict("5 m + 2 km", SI), {}).value == 2005


@pytest.mark.parametrize(("definitions", "words"), [
    ({"m": "3 parsec"}, "unit m cannot be read"), ({"m": ""}, "plain"), ({"m": "0 s"}, "is nothing"),
    ({"GB": "base"}, "no new base"), ({"1m": "base"}, "no name of a unit"), ({"m": None}, "`base`, an amount"),
    ({"m": {"prefixes": True}}, "needs `is`"), ({"m": {"is": "base", "x": 1}}, "no key x"), ({"m": 1.5}, "`base`"),
    ({"m": {"is": "base", "also": [1]}}, "list of words"), ({"m": {"is": "base", "prefixes": "yes"}}, "true or false"),
    ({"include": "cgs"}, "there is si"),
    ({f"u{'abcdefghij'[n % 10] * (n // 10 + 1)}": "1" for n in range(230)}, "at most"),
    ({"__import__": "base"}, "no name"), ({"m": "s; s"}, "cannot be read"), ({"m": "9" * 400 + " s"}, "cannot be read"),
    ({"m": "s^99999"}, "cannot be read"),
])  # fmt: skip
def test_a_definition_that_is_none_is_told(definitions: dict[str, object], words: str) -> None:
    if words == "plain":
        assert declare(definitions).parse("m").dimension.is_plain
        return
    with pytest.raises(UnitError, match=words):
        declare(definitions)


def test_definitions_travel_as_text() -> None:
    units = units_from('{"m":"base","km":"1000 m"}')
    assert units.parse("km/s").factor == Fraction(1000)
    assert units_from("") is FIELD
