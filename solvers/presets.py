"""Named presets: a recipe, a model or a GPU stands for several stated values, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from solvers.catalogue import UnknownNameError
from solvers.expr.tree import Expr, Symbol, Text, number
from solvers.relation import Source
from solvers.scenario import Stated
from solvers.sources import ZERO


@dataclass(frozen=True, slots=True)
class Preset:
    """A name, what it means, the values that it states, and where they are published."""

    name: str
    meaning: str
    values: Mapping[str, Expr]
    source: Source


def _recipe(name: str, meaning: str, parts: tuple[int, int, int, int, int], wire: tuple[int, int],
            source: Source) -> Preset:
    """Bytes per parameter of weights, gradients, master copy and the two moments; gather and reduce on the wire."""
    names = ("recipe.weights", "recipe.gradients", "recipe.master", "recipe.moment1", "recipe.moment2",
             "recipe.gather", "recipe.reduce")
    values = {key: number(size, "B/param") for key, size in zip(names, (*parts, *wire), strict=True)}
    return Preset(name, meaning, values, source)


RECIPES: Final = {preset.name: preset for preset in (
    _recipe("zero-paper", "bf16 or fp16 weights and gradients, fp32 master copy and Adam moments",
            (2, 2, 4, 4, 4), (2, 2), ZERO),
)}
MODELS: Final[dict[str, Preset]] = {}
GPUS: Final[dict[str, Preset]] = {}

_TABLES: Final[Mapping[str, tuple[str, Mapping[str, Preset]]]] = {
    "recipe": ("recipe", RECIPES), "model": ("model", MODELS), "cluster.gpu": ("GPU", GPUS),
}


def preset(symbol: str, name: str) -> Preset:
    """The preset that `symbol` (recipe, model or cluster.gpu) names; raises `UnknownNameError` with the nearest."""
    kind, table = _TABLES[symbol]
    if name not in table:
        raise UnknownNameError(name, tuple(table), kind)
    return table[name]


def preset_entries(symbol: str, expr: Expr) -> dict[str, Stated]:
    """What the preset named by `expr` states, each value noted with the preset's name."""
    name = expr.value if isinstance(expr, Text) else expr.name if isinstance(expr, Symbol) else ""
    return {key: Stated(value, "preset", name) for key, value in preset(symbol, name).values.items()}
