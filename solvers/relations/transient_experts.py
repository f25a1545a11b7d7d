"""Transient memory with experts: units, buckets and temporaries where experts and the rest are held by other ranks."""

from __future__ import annotations

from typing import Final

from solvers.expr.tree import Expr, When, number, symbol, walk, when
from solvers.relation import RELATIONS, Relation
from solvers.relations.transient import BUCKETED, COPIED, RESHARD, SHARDED_WEIGHTS, WITH_EXPERTS, step_temporaries
from solvers.sources import EXPERT_PARALLEL

_DENSE, _EXPERTS = symbol("rank.dense_average"), symbol("rank.experts_average")
_HELD: Final = _DENSE + _EXPERTS
_g: Final = symbol("recipe.gather")
_E, _EXPERT = symbol("model.experts"), symbol("model.expert_parameters")
_NOTHING: Final = number(0, "B")
_EVENLY: Final = "Parameters are divided evenly over tensor, expert and pipeline ranks."


def _add(target: str, expr: Expr, because: str, *assumptions: str, stated: tuple[str, ...] = WITH_EXPERTS) -> None:
    bases = RELATIONS.of(target)
    known = bases[0].reasons if bases else {}
    asked = {node.condition for node in walk(expr) if isinstance(node, When)}
    reasons = {condition: known.get(condition, ("", "")) for condition in asked}
    RELATIONS.add(Relation(target, expr, because, EXPERT_PARALLEL, assumptions, reasons=reasons, stated=stated))


_add(
    "transient.unit_parameters",
    when(
        _E > 0,
        symbol("model.moe_layer_parameters")
        - _E * _EXPERT * (1 - symbol("layout.tp") / (symbol("layout.ep") * symbol("layout.expert_tp"))),
        symbol("model.layer_parameters"),
    ),
    "A rank gathers a block with its own experts, from the ranks that hold them too.",
    "Counted so that the tensor ranks divide it: experts that fewer of them divide count so much more.",
)
_add(
    "transient.root_parameters",
    symbol("model.embedding_parameters")
    + symbol("model.head_parameters")
    + symbol("model.outer_norms") * symbol("model.norm_parameters"),
    "The root has the embedding, the head and the norms outside the layers.",
    stated=("model.experts",),
)
_add(
    "transient.gathered_per_gpu",
    when(
        SHARDED_WEIGHTS,
        when(
            RESHARD,
            symbol("transient.root_weights_per_gpu")
            + symbol("transient.units") * symbol("transient.unit_weights_per_gpu"),
            _g * _HELD,
        ),
        _NOTHING,
    ),
    "One unit computes while the next is gathered, beside the root's own weights.",
    _EVENLY,
)
_add(
    "transient.buckets_per_gpu",
    when(
        COPIED,
        _HELD * symbol("recipe.gradients"),
        when(
            BUCKETED,
            symbol("transient.bucket_parameters") * symbol("recipe.reduce") / symbol("layout.tp"),
            _NOTHING,
        ),
    ),
    "DDP copies every gradient into a bucket, unless the gradients are views of the buckets.",
    _EVENLY,
)
_SHARDED: Final = symbol("layout.zero") > 0
_add(
    "transient.step_per_gpu",
    step_temporaries(
        _DENSE / when(_SHARDED, symbol("layout.shard"), 1)
        + _EXPERTS / when(_SHARDED, symbol("layout.expert_shard"), 1)
    ),
    "A rank steps its own shards of the dense part and of its experts.",
    _EVENLY,
)
