"""What the forms of `shardwise solve` share: reading KEY=VALUE, quantities, units and bounds; bold type."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from quiz.cli.outcome import USAGE, Failure
from quiz.cli.solve_told import sentence
from quiz.cli.spelling import in_plain_signs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from quiz.cli.solve_told import Reading
    from solvers.catalogue import SymbolInfo
    from solvers.expr.tree import Expr
    from solvers.expr.units import Unit


def pairs(option: str, texts: Iterable[str], reading: Reading) -> dict[str, str]:
    """The values by name; a text that is not KEY=VALUE, or a name that is there twice, is a fault of the reading."""
    read: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if name and equals and not value.strip():
            reading.fault(f"{option} {name}= has no value; write it, as in {option} {_for(option, name)}.")
        elif not (name and equals):
            reading.fault(f"{option} {text!r} is not KEY=VALUE, such as {option} {_such_as(option)}.")
        elif name in read:
            reading.fault(f"{option} names {name} twice; keep one of the two.")
        else:
            read[name] = in_plain_signs(value.strip())
    return read


def _for(option: str, name: str) -> str:
    """A value for that very name, where one is known."""
    from solvers import CATALOGUE

    info = CATALOGUE[name] if name in CATALOGUE else None  # noqa: SIM401 - a catalogue has no `get`
    example = (info.example or next(iter(info.choices), "")) if info is not None else ""
    if not example or option in ("--compare", "--sweep"):
        return _such_as(option)
    return f'{name}="{example}"' if " " in example else f"{name}={example}"


def _such_as(option: str) -> str:
    return {
        "--compare": "layout.zero=1,2,3",
        "--sweep": "layout.dp=8..1024",
        "--given": 'memory.activations_per_gpu="15 GB"',
    }.get(option, "layout.dp=8")


def quantity_named(name: str, *, computed: bool = False) -> SymbolInfo:
    """The quantity of that name; a choice is a `Failure`, or with `computed` only one that follows from nothing.

    Raises `UnknownNameError`.
    """
    from solvers import CATALOGUE
    from solvers.choices import is_computed

    info = CATALOGUE[name]
    if info.is_choice and not (computed and is_computed(info)):
        if is_computed(info):
            raise Failure(f"{name} is one of {', '.join(info.choices)} and follows from other quantities: it is no "
                          "number to bound, plot or state.", code=USAGE)  # fmt: skip
        raise Failure(
            f"{name} is a choice ({_some(info.choices)}), not a number to compute. State it with "
            f"--set {name}={info.example or info.choices[0]}.",
            code=USAGE,
        )
    return info


def sought(args: argparse.Namespace, reading: Reading) -> SymbolInfo:
    """The input that `--for` names; a choice is a `Failure`, and one that is stated or varied too is a fault.

    Raises `UnknownNameError`.
    """
    from solvers import CATALOGUE

    name: str = args.unknown
    for option in ("set", "given", "compare", "sweep"):
        if any(text.partition("=")[0].strip() == name for text in getattr(args, option)):
            reading.fault(f"{name} is both stated and sought: leave out --{option} {name}=….")
    info = CATALOGUE[name]
    if info.is_choice:
        raise Failure(
            f"{name} is a choice, not a number to search: go over its names with "
            f"--compare {name}={','.join(info.choices[:3])}.",
            code=USAGE,
        )
    return info


def _some(choices: tuple[str, ...]) -> str:
    most = 12
    return ", ".join(choices) if len(choices) <= most else f"{', '.join(choices[:most])}, …"


def unit_named(text: str | None, info: SymbolInfo) -> Unit | None:
    """The unit to print in, if one is asked for; one that measures something else is a `Failure`."""
    from solvers.expr.units import parse_unit

    if text is None:
        return None
    if not text.strip():
        raise Failure("--unit names no unit; write --unit GiB, for example.", code=USAGE)
    unit = parse_unit(text)
    if info.is_choice:
        raise Failure(f"{info.name} is a name, which has no unit: leave out --unit.", code=USAGE)
    if unit.dimension.without_counts != info.unit.dimension.without_counts:
        raise Failure(
            f"{info.name} is measured in {info.unit.name or 'a plain number'}; {text} measures something else.",
            code=USAGE,
        )
    return unit


def bound_of(args: argparse.Namespace) -> Expr | None:
    """The bound of `--at-most` or `--at-least`, which may name quantities; one that cannot be read is a `Failure`."""
    from solvers import CATALOGUE, InputError, expr_of
    from solvers.expr.tree import symbols

    text = args.at_most if args.at_most is not None else args.at_least
    if text is None:
        return None
    if CATALOGUE[args.quantity].is_choice:
        raise Failure(f"{args.quantity} is a name, which has no bound: leave out --at-most and --at-least.", code=USAGE)
    try:
        bound = expr_of(args.quantity, in_plain_signs(text))
    except InputError as error:
        raise Failure(sentence(f"the bound cannot be read: {error}"), code=USAGE) from error
    for name in symbols(bound):
        quantity_named(name)
        if CATALOGUE[name].unit.dimension.without_counts != CATALOGUE[args.quantity].unit.dimension.without_counts and (
            text.strip() == name
        ):
            raise Failure(f"{name} does not measure what {args.quantity} does, so that it is no bound of it.",
                          code=USAGE)  # fmt: skip
    return bound


def bound_said(args: argparse.Namespace) -> str:
    """The bound as it was written: `at most 80 GB`."""
    text = args.at_most if args.at_most is not None else args.at_least
    return f"at {'most' if args.at_most is not None else 'least'} {' '.join(text.split())}"


def strong(text: str) -> str:
    """`text` in bold where a person sees it on a terminal that can."""
    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
    return text if plain else f"\x1b[1m{text}\x1b[0m"
