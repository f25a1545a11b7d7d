"""Named presets: a recipe, model, GPU, network or link stands for several stated values, each with its source."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from solvers.catalogue import UnknownNameError
from solvers.expr.tree import Expr, Symbol, Text
from solvers.scenario import Stated
from solvers.tables.families import FAMILIES
from solvers.tables.hardware import GPUS
from solvers.tables.links import LINK_TABLE, NETWORKS
from solvers.tables.models import MODELS
from solvers.tables.optimizers import OPTIMIZER_TABLE
from solvers.tables.preset import Preset
from solvers.tables.quantisations import QUANTISATIONS
from solvers.tables.recipes import RECIPES
from solvers.tables.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["FAMILIES", "GPUS", "MODELS", "PRESET_SYMBOLS", "RECIPES", "Preset", "preset", "preset_entries",
           "preset_names", "preset_stating"]

_TABLES: Final[Mapping[str, tuple[str, Mapping[str, Preset]]]] = {
    "recipe": ("recipe", RECIPES), "model": ("model", MODELS), "cluster.gpu": ("GPU", GPUS),
    "model.family": ("family", FAMILIES),
    "cluster.network": ("network", NETWORKS), "link.kind": ("link", LINK_TABLE),
    "matrix.optimizer": ("optimizer", OPTIMIZER_TABLE), "quant.scheme": ("scheme", QUANTISATIONS),
    "adapter.targets": ("choice of targets", TARGETS),
}
PRESET_SYMBOLS: Final = tuple(_TABLES)


def preset(symbol: str, name: str) -> Preset:
    """The preset that `symbol` (recipe, model, GPU, …) names; raises `UnknownNameError` with the nearest."""
    kind, table = _TABLES[symbol]
    if name not in table:
        raise UnknownNameError(name, tuple(table), kind)
    return table[name]


def preset_entries(symbol: str, expr: Expr, beside: Iterable[str] = ()) -> Mapping[str, Stated]:
    """What the preset named by `expr` states, each value noted with the preset's name.

    A model whose shape is stated otherwise in part (the names in `beside`) no longer has the published number of
    parameters: that one is left out, and is counted anew.
    """
    name = expr.value if isinstance(expr, Text) else expr.name if isinstance(expr, Symbol) else ""
    entries = _entries(symbol, name)
    if symbol == "model" and any(other.startswith("model.") for other in beside):
        return {key: entry for key, entry in entries.items() if key != "model.parameters"}
    return entries


@lru_cache(maxsize=256)
def _entries(symbol: str, name: str) -> Mapping[str, Stated]:
    return {key: Stated(value, "preset", name) for key, value in preset(symbol, name).values.items()}


def preset_stating(quantity: str, name: str) -> Preset | None:
    """The preset `name` that states `quantity`, so that a value can be traced to its source."""
    for _, table in _TABLES.values():
        found = table.get(name)
        if found and quantity in found.values:
            return found
    return None


def preset_names(symbol: str) -> tuple[str, ...]:
    """The names that `symbol` (recipe, model, cluster.gpu, …) may take, in the order of the table."""
    return tuple(_TABLES[symbol][1])
