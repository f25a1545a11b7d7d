"""Models: published architectures, with the exact number of parameters where one is published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.expr.tree import number
from solvers.tables.families import PARTS, parts
from solvers.tables.models_dense import DENSE
from solvers.tables.models_early import EARLY
from solvers.tables.models_moe import EXPERTS
from solvers.tables.preset import Preset, Table

if TYPE_CHECKING:
    from solvers.tables.model_row import ModelRow

SHAPE: Final = ("layers", "hidden", "query_heads", "kv_heads", "head_dim", "vocabulary")
ROWS: Final[dict[str, ModelRow]] = {row.name: row for row in (*DENSE, *EXPERTS, *EARLY)}


def _model(name: str) -> Preset:
    row = ROWS[name]
    values = {"model.parameters": number(row.parameters, "param")} if row.parameters else {}
    sizes: dict[str, str | int] = dict(zip(SHAPE, row.shape, strict=False))
    if row.family:
        sizes |= PARTS[row.family]
        if PARTS[row.family]["mlp"] == "plain":
            sizes["ffn"] = 4 * row.shape[1]
    return Preset(name, row.meaning, values | parts({**sizes, **row.more}), row.source)


MODELS: Final = Table(ROWS, _model)
