"""The training state: bytes per parameter by recipe, and what of it each GPU holds under a layout."""

from __future__ import annotations

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import number, symbol, when
from solvers.relation import RELATIONS, Relation
from solvers.sources import ZERO

_declare = CATALOGUE.declare

_declare("model.parameters", "parameters of the model", "param", letter="P", domain="positive integer", short=True)
_declare("recipe", "what is kept per parameter, and in which precision", choices=("zero-paper",))
for _name, _meaning in (("weights", "weights"), ("gradients", "gradients"), ("master", "fp32 master copy"),
                        ("moment1", "first moment"), ("moment2", "second moment"),
                        ("gather", "a gathered parameter on the wire"), ("reduce", "a reduced gradient on the wire")):
    _declare(f"recipe.{_name}", f"bytes per parameter: {_meaning}", "B/param", domain="non-negative")
_declare("layout.zero", "ZeRO stage: 0 replicates (DDP), 1 shards the optimizer state, 2 gradients too, 3 weights too",
         letter="stage", domain="non-negative integer", default=number(0))
_declare("layout.dp", "data-parallel degree", letter="N", domain="positive integer")
_declare("memory.weights_per_gpu", "weights that a GPU holds", "GB", letter="weights", domain="non-negative")

RELATIONS.add(Relation(
    "memory.weights_per_gpu",
    symbol("recipe.weights") * symbol("model.parameters") / when(symbol("layout.zero") >= 3, symbol("layout.dp"), 1),
    "ZeRO-3 divides the weights among the data-parallel ranks; below stage 3 every rank holds them whole.",
    ZERO,
))
