"""The conventions box: what a number rests on, in lines that a person reads beside it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.expr.dimension import Dimension
from solvers.expr.evaluate import Quantity
from solvers.expr.show import show_number
from solvers.expr.tree import Symbol
from solvers.presets import RECIPES, preset_stating

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from solvers.expr.units import Unit
    from solvers.relation import Relation
    from solvers.solver import Resolved

NAMED: Final[Mapping[str, str]] = {
    "young-first-order": "Young's rule, first order: the stall is short against the mean time between failures of the "
                         "whole job; restart time is left out.",
    "daly-first-order": "Daly, first order: Young's interval less one stall; restart time is left out.",
    "bubble-over-ideal": "Bubble over ideal time: (p-1)/m.",
    "bubble-of-total": "Bubble as a part of the whole step: (p-1)/(m+p-1).",
    "decimal-gb": "1 GB = 1e9 B.",
    "ring": "Ring collectives: bytes sent per rank, with the factor (n-1)/n.",
    "matmul-flops": "Matmul FLOPs only: forward 2 per parameter and token, backward 4.",
    "state-only": "Weights, gradients and optimizer state only; activations, buffers and fragmentation come on top.",
}
"""Texts that a question may name beside those that follow from its figures."""

_BYTES: Final = Dimension.of(byte=1)
_PARTS: Final = (("recipe.weights", "weights"), ("recipe.gradients", "gradients"),
                 ("recipe.accumulation", "accumulation"), ("recipe.master", "master copy"),
                 ("recipe.moment1", "first moment"), ("recipe.moment2", "second moment"))
_SILENT: Final = ("recipe.accumulation", "cluster.capacity")
_WIRE: Final = (("recipe.gather", "gathered weights"), ("recipe.reduce", "reduced gradients"))


def conventions_of(used: Mapping[str, Resolved], relations: Sequence[Relation], unit: Unit) -> tuple[str, ...]:
    """The lines of the box for the quantities in `used` and the relations that joined them."""
    lines = [*_recipe(used), *_wire(used), *_capacity(used), *_unit(unit)]
    lines += [text for relation in relations for text in relation.assumptions]
    lines += _defaults(used)
    return tuple(dict.fromkeys(lines))


def _recipe(used: Mapping[str, Resolved]) -> list[str]:
    parts = [(used[name], word) for name, word in _PARTS if name in used]
    if not parts:
        return []
    names = dict.fromkeys(part.note for part, _ in parts if part.origin == "preset")
    counted = [(part.value.value, word) for part, word in parts
               if isinstance(part.value, Quantity) and part.value.value]
    split = " + ".join(f"{show_number(value)} {word}" for value, word in counted)
    total = sum((value for value, _ in counted), Fraction(0))
    whose = f" ({', '.join(names)})" if names else ""
    lines = [f"Bytes per parameter{whose}: {split} = {show_number(total)} B/param." if len(counted) > 1
             else f"Bytes per parameter{whose}: {split}."] if counted else []
    return lines + [f"{name}: {RECIPES[name].note}." for name in names if name in RECIPES and RECIPES[name].note]


def _wire(used: Mapping[str, Resolved]) -> list[str]:
    parts = [(used[name].value, word) for name, word in _WIRE if name in used]
    said = ", ".join(f"{word} {show_number(value.value)} B/param" for value, word in parts
                     if isinstance(value, Quantity))
    return [f"On the wire: {said}."] if said else []


def _capacity(used: Mapping[str, Resolved]) -> list[str]:
    if "cluster.capacity" not in used or "cluster.capacity_per_gpu" not in used:
        return []
    kind, capacity = used["cluster.capacity"], used["cluster.capacity_per_gpu"]
    facts = [used[name] for name in ("cluster.memory_nominal", "cluster.memory_reported") if name in used]
    sources = [found.source for fact in facts if (found := preset_stating(fact.info.name, fact.note))]
    dated = f" ({sources[0].title}, as of {sources[0].as_of})" if sources else ""
    default = " by default" if kind.origin == "default" else ""
    return [f"Capacity: {kind.value}{default}, {capacity.text} a GPU{dated}."]


def _unit(unit: Unit) -> list[str]:
    if unit.dimension.without_counts != _BYTES or unit.factor == 1:
        return []
    binary = "i" in unit.name
    power = f"2^{unit.factor.numerator.bit_length() - 1}" if binary else f"1e{len(str(unit.factor.numerator)) - 1}"
    return [f"1 {unit.name} = {power} B."]


def _defaults(used: Mapping[str, Resolved]) -> list[str]:
    """What nobody stated and a default decided, in one line; an alias of another quantity decides nothing."""
    said = [f"{name} = {resolved.text}" for name, resolved in used.items()
            if resolved.origin == "default" and name not in _SILENT and not isinstance(resolved.expr, Symbol)]
    return [f"Defaults: {', '.join(said)}."] if said else []
