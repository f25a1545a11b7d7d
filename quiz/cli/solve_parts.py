"""What the forms of `shardwise solve` share: reading KEY=VALUE, quantities, units and bounds; bold type."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from quiz.cli.outcome import USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from solvers.catalogue import SymbolInfo
    from solvers.expr.evaluate import Quantity
    from solvers.expr.units import Unit


def pairs(option: str, texts: Iterable[str]) -> dict[str, str]:
    """The values by name; a text that is not KEY=VALUE, or a name that is there twice, is a `Failure`."""
    read: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not (name and equals and value.strip()):
            raise Failure(f"{option} {text!r} is not KEY=VALUE, such as {option} {_such_as(option)}.", code=USAGE)
        if name in read:
            raise Failure(f"{option} names {name} twice; keep one of the two.", code=USAGE)
        read[name] = value.strip()
    return read


def _such_as(option: str) -> str:
    return {
        "--compare": "layout.zero=1,2,3",
        "--sweep": "layout.dp=8..1024",
        "--given": 'memory.activations_per_gpu="15 GB"',
    }.get(option, "layout.dp=8")


def quantity_named(name: str) -> SymbolInfo:
    """The quantity of that name; a choice is a `Failure`. Raises `UnknownNameError`."""
    from solvers import CATALOGUE

    info = CATALOGUE[name]
    if info.is_choice:
        raise Failure(
            f"{name} is a choice ({', '.join(info.choices)}), not a number to compute. State it with "
            f"--set {name}={info.example or info.choices[0]}.",
            code=USAGE,
        )
    return info


def unit_named(text: str | None, info: SymbolInfo) -> Unit | None:
    """The unit to print in, if one is asked for; one that measures something else is a `Failure`."""
    from solvers.expr.units import parse_unit

    if text is None:
        return None
    unit = parse_unit(text)
    if unit.dimension.without_counts != info.unit.dimension.without_counts:
        raise Failure(
            f"{info.name} is measured in {info.unit.name or 'a plain number'}; {text} measures something else.",
            code=USAGE,
        )
    return unit


def bound_of(args: argparse.Namespace) -> Quantity | None:
    """The bound of `--at-most` or `--at-least` in base units; one that cannot be read is a `Failure`."""
    from solvers import CATALOGUE, InputError, expr_of
    from solvers.expr.evaluate import EvaluationError, Quantity, quantity

    text = args.at_most if args.at_most is not None else args.at_least
    if text is None:
        return None
    try:
        value = quantity(expr_of(args.quantity, text), {})
    except (InputError, EvaluationError) as error:
        raise Failure(f"the bound cannot be read: {error}.", code=USAGE) from error
    except KeyError as error:
        raise Failure(f"with --sweep or --compare the bound is a number, not {text!r}.", code=USAGE) from error
    return Quantity(value.value, CATALOGUE[args.quantity].unit.dimension)


def strong(text: str) -> str:
    """`text` in bold where a person sees it on a terminal that can."""
    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
    return text if plain else f"\x1b[1m{text}\x1b[0m"


def sentence(text: str) -> str:
    """`text` with an end."""
    return text if text.endswith((".", "?", "!")) else f"{text}."
