"""Every question of the bundled bank, computed a second time from its stem by arithmetic that shares no code.

The modules in `second/` were written from what a learner sees, without the relations: they know neither the solver nor
the bank. Here their figures meet the program's, for the base and for draws that take every value of every axis.
"""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.bank.library import open_bank
from tests.bank.second.plain import REGISTER, Found
from tests.house import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.library import Bank
    from quiz.bank.rendered import Option, Rendered

SECOND = Path(__file__).parent / "second"
for _path in sorted(SECOND.glob("*.py")):
    import_module(f"tests.bank.second.{_path.stem}")

ALLOWED = {"__future__", "collections.abc", "dataclasses", "fractions", "math", "typing"}
EXACT = 1e-9
UNITS = {
    "B/token": 1, "B/param": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "MiB": 2**20, "GiB": 2**30,
    "GB/s": 1e9, "TB/s": 1e12, "Gb/s": 1e9 / 8, "FLOP/s": 1, "TFLOP/s": 1e12, "PFLOP/s": 1e15, "FLOP": 1, "FLOP/B": 1,
    "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3_600, "day": 86_400, "days": 86_400, "%": 0.01,
    "$/GPU-hour": 1, "GPU-hour": 1, "token/s": 1, "token": 1, "tokens": 1, "param": 1, "steps": 1, "sequences": 1,
    "token/param": 1, "GPU": 1, "GPUs": 1, "GPU-hours": 1,
}  # fmt: skip
"""What one of a unit is in base units; GPU-hours and dollars are counted as they are."""
_UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_QUANTITY = rf"\$?-?\d[\d,]*(?:\.\d+)?(?:e\d+)?(?: (?:{_UNIT})(?![\w/]))?"
QUANTITY = re.compile(rf"(?<![\w.,=-])({_QUANTITY})(?![\w-])")
CLAIM = re.compile(rf"({_QUANTITY})(?: (?:=|≠|≥|≤|<|>)|, not) ({_QUANTITY}): (?:holds|fails)")
NUMBER = re.compile(rf"\$?(-?[\d,]+)(?:\.(\d+))?(?:e(\d+))?(?: ({_UNIT}))?")


@cache
def bank() -> Bank:
    return open_bank(ROOT / "questions", None, bundled=True)


def shown(text: str, *, whole: bool = False) -> tuple[float, float]:
    """A printed quantity in base units, and half a unit of the last digit that was printed.

    Zeros at the end of four digits are not printed: a short number without a point is as good as one of four digits,
    unless `whole` says that it may have been rounded to a whole one.
    """
    match = NUMBER.fullmatch(text)
    assert match, f"no quantity: {text!r}"
    digits, decimals, power, unit = match.groups()
    factor = 10.0 ** int(power or 0) * UNITS.get(unit or "", 1)
    number = float(digits.replace(",", "") + "." + (decimals or "0"))
    significant = len((digits.replace(",", "").replace("-", "") + (decimals or "")).lstrip("0"))
    places = len(decimals or "")
    if not whole and significant < (3 if decimals else 4):
        places += 4 - max(significant, 1)
    return number * factor, 0.5 * 10.0**-places * factor * (1 + EXACT)


def check(mine: float, text: str, what: str, *, whole: bool = False) -> None:
    """The figure agrees with the printed one, to the printed digits."""
    value, half = shown(text, whole=whole)
    assert abs(mine - value) <= half, f"{what}: {mine!r} by the second computation, shown as {text!r}"


def close(mine: float, exact: str, what: str) -> None:
    """The figure agrees with an exact value, given as a rational in base units."""
    assert mine == pytest.approx(float(Fraction(exact)), rel=EXACT), f"{what}: {mine!r}, exactly {exact}"


def argument(value: str) -> float | str:
    """An axis value as an argument: a quantity in base units, or the name of a model, device or kind."""
    if not NUMBER.fullmatch(value):
        return value
    number = shown(value)[0]
    return int(number) if number.is_integer() else number


def draws(axes: tuple[Mapping[str, str], ...], *, most: int = 3) -> list[Mapping[str, str]]:
    """The base and as few draws as have every value of every axis once."""
    chosen, seen = [axes[0]], set[tuple[str, str]]()
    for one in sorted(axes[1:], key=lambda draw: list(draw.values()), reverse=True):
        if len(chosen) < most and not (rest := set(one.items())) <= seen and len(rest - seen) >= min(2, len(rest)):
            chosen.append(one)
            seen |= rest
    for one in axes[1:]:
        if len(chosen) < most and not set(one.items()) <= seen:
            chosen.append(one)
            seen |= set(one.items())
    return chosen


def check_option(found: Found, question: Rendered, option: Option, what: str) -> None:
    figures = found.figures[option.id]
    if question.kind == "claim":
        sides = CLAIM.findall(option.verdict)
        assert len(sides) == len(figures), f"{what}: {option.verdict}"
        for figure, (left, right) in zip(figures, sides, strict=True):
            mine = figure if isinstance(figure, tuple) else (figure,)
            for value, text in zip(mine, (left, right), strict=False):
                check(value, text, what)
    else:
        texts = [amount.text for amount in option.amounts]
        required = [left for left, _ in CLAIM.findall(option.verdict) if left not in texts]  # has no label of its own
        assert 0 < len(required + texts) <= len(figures), f"{what}: {option.verdict}"
        for figure, text in zip(figures, required + texts, strict=False):
            assert not isinstance(figure, tuple)
            check(figure, text, what)
    if option.bar is not None:
        total = figures[0]
        assert not isinstance(total, tuple)
        assert total == pytest.approx(option.bar.total, rel=EXACT), what
    named, printed = found.named.get(option.id, ()), QUANTITY.findall(option.text)
    assert len(named) <= len(printed), f"{what}, its text: {printed}"
    for value, text in zip(named, printed, strict=False):
        check(value, text, f"{what}, its text", whole=True)


def check_numbers(found: Found, question: Rendered, what: str) -> None:
    typed = [*([question.numeric] if question.numeric else []), *question.parts]
    exact = [value for part in typed for value in (part.values or (part.exact,))]
    assert len(exact) == len(found.numbers), f"{what}: {len(exact)} typed answers"
    for mine, value in zip(found.numbers, exact, strict=True):
        close(mine, value, f"{what}, typed answer")
    if found.carried:
        for part in typed:
            for carried in part.carried:
                close(found.carried[carried.option], carried.exact, f"{what}, typed answer after {carried.option}")


def check_draw(name: str, axes: Mapping[str, str]) -> None:
    """One question with one set of numbers."""
    question, second = bank().question(name, axes), REGISTER[name]
    found = second.work(**{second.axes[axis]: argument(value) for axis, value in axes.items()})
    what = f"{name} {dict(axes) or ''}"
    assert found.key == question.key, f"{what}: the key is {question.key}, by the second computation {found.key}"
    for option in question.options:
        check_option(found, question, option, f"{what}, {option.id}")
    for item in question.items:
        (figure,) = found.figures[item.id]
        assert not isinstance(figure, tuple)
        check(figure, item.figure, f"{what}, {item.id}", whole=True)
    check_numbers(found, question, what)
    told = " ".join([question.sketch, *question.rubric])
    for piece in found.said:
        assert piece in told, f"{what}: the sketch does not say {piece!r}"
    assert question.kind != "open" or found.said, f"{what}: no figure of the sketch was computed"


def test_every_question_has_a_second_computation() -> None:
    """No question is served that was computed only once."""
    ids = {entry.id for entry in bank().index}
    missing = ids - set(REGISTER)
    assert not missing, f"write a function of the stem's numbers in {SECOND}: {sorted(missing)}"
    assert set(REGISTER) <= ids


def test_the_second_computation_shares_no_code_with_the_first() -> None:
    """What agrees because it is the same code proves nothing."""
    for path in SECOND.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.Import) or {name.name for name in node.names} <= ALLOWED, path.name
            if isinstance(node, ast.ImportFrom):
                assert node.module in ALLOWED or str(node.module).startswith("tests.bank.second."), path.name


@pytest.mark.parametrize("name", sorted(REGISTER))
def test_both_computations_agree(name: str) -> None:
    """Key, each option's figures and typed answers are the same, worked out twice."""
    for axes in draws(bank().variants(name)):
        check_draw(name, axes)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(REGISTER))
def test_both_computations_agree_in_every_draw(name: str) -> None:
    """The same in all that can be drawn."""
    for axes in bank().variants(name):
        check_draw(name, axes)


@pytest.mark.parametrize(
    ("text", "value", "wrong"),
    [
        ("60 GB", 60e9, 60.1e9),
        ("63.3 GB", 63.25e9, 63.4e9),
        ("1,575 GB", 1_575.4e9, 1_576e9),
        ("77.78 %", 7 / 9, 0.7779),
        ("3.791e25 FLOP", 3.7908e25, 3.792e25),
        ("$262,892", 262_891.8, 262_893),
        ("0.5243 GB", 0.52429e9, 0.5244e9),
    ],
)
def test_a_figure_agrees_to_the_printed_digits_only(text: str, value: float, wrong: float) -> None:
    """A comparison that would let another figure pass would prove nothing."""
    check(value, text, "right")
    with pytest.raises(AssertionError, match="shown as"):
        check(wrong, text, "wrong")
