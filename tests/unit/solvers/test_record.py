"""A record behaves as a frozen dataclass with slots does."""

from __future__ import annotations

import copy
import dataclasses
from fractions import Fraction

import pytest

from solvers.expr.tree import Binary, Number, Symbol, number, symbol
from solvers.expr.units import parse_unit
from solvers.record import Record, changed


class Pair(Record):
    """Two fields, one with a default."""

    left: int
    right: int = 2


class Triple(Pair):
    """Two inherited fields and one of its own."""

    third: tuple[int, ...] = ()


class Wide(Record):
    """More fields than there is a short way for."""

    a: int
    b: int
    c: int = 3
    d: int = 4


def test_fields_are_given_in_order_by_name_or_left_to_their_defaults() -> None:
    assert (Pair(1).right, Pair(1, 5).right, Pair(left=1, right=6).right, Pair(1, right=7).right) == (2, 5, 6, 7)
    assert (Wide(1, 2), Wide(1, b=2, d=9).d, Wide(1, 2, 3, 5).d) == (Wide(1, 2, 3, 4), 9, 5)


def test_what_is_missing_or_too_much_is_said() -> None:
    with pytest.raises(TypeError, match="Pair needs left"):
        Pair()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Wide needs b"):
        Wide(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has 4 fields, 5 were given"):
        Wide(1, 2, 3, 4, 5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no field other"):
        Pair(1, other=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Pair(1, 2, 3)  # type: ignore[call-arg]


def test_equality_and_hash_go_by_the_fields_within_a_class() -> None:
    assert Pair(1) == Pair(1, 2)
    assert hash(Pair(1)) == hash(Pair(1, 2))
    assert Pair(1) != Pair(2)
    assert Pair(1, 2) != Triple(1, 2)
    assert symbol("x") + 1 == Binary("+", Symbol("x"), Number(Fraction(1)))


def test_the_spelling_of_a_number_does_not_count() -> None:
    assert Number(Fraction(70), None, "70") == Number(Fraction(70), None, "7e1")
    assert hash(Number(Fraction(70), None, "70")) == hash(Number(Fraction(70)))
    assert number(1, "GB") != number(1, "B")


def test_a_record_is_frozen_and_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        Pair(1).left = 3  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        Pair(1).other = 3
    with pytest.raises(AttributeError, match="frozen"):
        del Pair(1).left


def test_a_pattern_takes_the_fields_in_order() -> None:
    match Triple(1, 2, (3,)):
        case Triple(left, right, third):
            assert (left, right, third) == (1, 2, (3,))


def test_copies_are_equal_and_changed_ones_differ() -> None:
    gb = parse_unit("GB")
    assert copy.deepcopy(gb) == gb
    assert changed(Pair(1), right=9) == Pair(1, 9)
    with pytest.raises(TypeError, match="no field"):
        changed(Pair(1), other=9)


def test_the_dataclasses_module_takes_a_record_for_one() -> None:
    assert dataclasses.is_dataclass(Pair(1))
    assert [field.name for field in dataclasses.fields(Triple(1))] == ["left", "right", "third"]
    assert dataclasses.replace(Triple(1), right=4) == Triple(1, 4)
    assert dataclasses.asdict(Pair(1)) == {"left": 1, "right": 2}


def test_a_record_says_its_fields() -> None:
    assert repr(Triple(1, 2, (3,))) == "Triple(left=1, right=2, third=(3,))"
