"""The factors by which answers of this field are off, each with what was done and how to see it."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.grading.candidate import Candidate
from quiz.grading.spelling import spell_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.grading.target import Target
    from solvers.expr.units import Unit

_PREFIXES: Final = {1: ("kB", "KiB"), 2: ("MB", "MiB"), 3: ("GB", "GiB"), 4: ("TB", "TiB")}
_BIT: Final = re.compile(r"(?P<prefix>(?:[kMGTPE]i?)?)bit(?![a-z])")
_KIBI: Final = Fraction(1024, 1000)
_MOST_DEGREES: Final = 3
_LARGEST_DEGREE: Final = 100_000
_PERCENT: Final = 100


def factor_candidates(target: Target) -> Iterator[Candidate]:
    """The reference off by each named factor, the likeliest first."""
    powers = dict(target.unit.dimension.powers)
    if "byte" in powers:
        yield from _binary_prefix(target, _own_prefix(target))
    yield from _pair(
        target,
        2,
        "twice",
        "This is twice the value: something was counted double.",
        "This is half the value: something that comes twice was counted once.",
    )
    if "byte" in powers:
        yield from _pair(
            target,
            8,
            "bits",
            "This is 8 times too large: bits were counted, and a byte has 8.",
            "This is 8 times too small: bytes were divided by 8 as if they were bits.",
        )
    yield from _degrees(target)
    for exponent in (1, 2, 3):
        size = f"{1000**exponent:,}"
        yield from _pair(
            target,
            1000**exponent,
            f"thousand-{exponent}",
            f"This is {size} times too large: check the prefix (k, M, G, T).",
            f"This is {size} times too small: check the prefix (k, M, G, T).",
        )
    if target.unit.dimension.is_plain:
        yield from _pair(
            target,
            _PERCENT,
            "percent",
            "This is 100 times too large: a share was written as a percentage.",
            "This is 100 times too small: a percentage was written as a share.",
        )
    if "second" in powers:
        yield from _pair(
            target,
            60,
            "minutes",
            "This is 60 times too large: check minutes against seconds or hours.",
            "This is 60 times too small: check minutes against seconds or hours.",
        )
        yield from _pair(
            target,
            3600,
            "hours",
            "This is 3,600 times too large: check hours against seconds.",
            "This is 3,600 times too small: check hours against seconds.",
        )


def other_prefix_candidates(target: Target) -> Iterator[Candidate]:
    """The reference off by the binary prefixes of another size than its own: the least likely."""
    if "byte" in dict(target.unit.dimension.powers):
        own = _own_prefix(target)
        for power in _PREFIXES:
            if power != own:
                yield from _binary_prefix(target, power)


def _own_prefix(target: Target) -> int:
    return next((power for power, names in _PREFIXES.items() if target.unit.name.startswith(names)), 3)


def mixed_unit(target: Target, typed: Unit) -> Candidate | None:
    """The value of the right number behind a unit of the other kind: TiB for TB, Gbit for GB, and the other way."""
    if "byte" in dict(target.unit.dimension.powers) and (bits := _bits_for_bytes(target, typed)) is not None:
        return bits
    for power, (decimal, binary) in _PREFIXES.items():
        factor = _KIBI**power
        ratio = f"1 {binary} is {spell_number(factor)} {decimal}"
        if typed.name.startswith(binary) and _is_of(target.unit.name, 0):
            said = f"The number is right in {decimal}, not in {binary}: {ratio}."
            return Candidate(f"{decimal}-as-{binary}", "factor", target.value * factor, said)
        if typed.name.startswith(decimal) and _is_of(target.unit.name, 1):
            said = f"The number is right in {binary}, not in {decimal}: {ratio}."
            return Candidate(f"{binary}-as-{decimal}", "factor", target.value / factor, said)
    return None


def _bits_for_bytes(target: Target, typed: Unit) -> Candidate | None:
    """The right number with bits typed for bytes, or bytes for bits."""
    bit, asked = _BIT.match(typed.name), _BIT.match(target.unit.name)
    if bit and not asked:
        right = typed.name.replace(bit[0], f"{bit['prefix']}B")
        said = f"The number is right in {right}, not in {typed.name}: a byte has 8 bits."
        return Candidate("bytes-as-bits", "factor", target.value / 8, said)
    if asked and not bit:
        said = f"The number is right in {target.unit.name}, not in {typed.name}: a byte has 8 bits."
        return Candidate("bits-as-bytes", "factor", target.value * 8, said)
    return None


def _is_of(name: str, kind: int) -> bool:
    """Whether a unit has a decimal prefix (0) or a binary one (1)."""
    return any(name.startswith(names[kind]) for names in _PREFIXES.values())


def _pair(target: Target, factor: int, name: str, above: str, below: str) -> Iterator[Candidate]:
    yield Candidate(name, "factor", target.value * factor, above)
    yield Candidate(f"{name}-inverse", "factor", target.value / factor, below)


def _binary_prefix(target: Target, power: int) -> Iterator[Candidate]:
    """The decimal prefix of 1000^power read as the binary one, and the other way."""
    decimal, binary = _PREFIXES[power]
    factor = _KIBI**power
    ratio = f"1 {binary} is {spell_number(factor)} {decimal}"
    yield Candidate(
        f"{binary}-as-{decimal}",
        "factor",
        target.value / factor,
        f"This number is right in {binary}, not in {decimal}: {ratio}.",
    )
    yield Candidate(
        f"{decimal}-as-{binary}",
        "factor",
        target.value * factor,
        f"This is right with {decimal} in place of {binary}: {ratio}.",
    )


def _degrees(target: Target) -> Iterator[Candidate]:
    """Off by a number of ranks that the question names, by one less, or by the ring's (N-1)/N."""
    degrees = [
        (letter, item.value)
        for letter, item in target.variables.items()
        if item.dimension.is_count and item.value.denominator == 1 and 1 < item.value <= _LARGEST_DEGREE
    ]
    for letter, size in degrees[:_MOST_DEGREES]:
        yield from _by(target, letter, size)
        if size > 2:  # noqa: PLR2004 - below, N-1 is 1
            yield from _by(target, f"{letter} − 1", size - 1)
            if "byte" in dict(target.unit.dimension.powers):
                yield from _ring(target, letter, (size - 1) / size)


def _by(target: Target, letter: str, factor: Fraction) -> Iterator[Candidate]:
    size = spell_number(factor)
    yield Candidate(
        f"times-{letter}",
        "factor",
        target.value * factor,
        f"This is {size} times too large: it was not divided by {letter} = {size}, or was multiplied by it.",
    )
    yield Candidate(
        f"over-{letter}",
        "factor",
        target.value / factor,
        f"This is {size} times too small: it was divided by {letter} = {size} once too often.",
    )


def _ring(target: Target, letter: str, share: Fraction) -> Iterator[Candidate]:
    yield Candidate(
        f"times-ring-{letter}",
        "factor",
        target.value * share,
        f"This is the value times ({letter} − 1)/{letter}: that factor does not belong here.",
    )
    yield Candidate(
        f"over-ring-{letter}",
        "factor",
        target.value / share,
        f"The factor ({letter} − 1)/{letter} is missing: a rank sends every share but one.",
    )
