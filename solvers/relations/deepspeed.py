"""DeepSpeed's own estimators of model-state memory, under their own conventions.

They are estimates by convention, not this house's state: 18 bytes per parameter (a 16-bit and an fp32 view of
what is trained), half as much again on the host for buffers, and the largest layer whole on every GPU.
"""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources_memory import ESTIMATORS

_declare = CATALOGUE.declare

_declare(
    "estimator.largest_layer_parameters",
    "parameters of the largest single module, which is gathered whole",
    "param",
    letter="P_largest",
    domain="positive integer",
    bare=True,
    example="131e6",
)
_declare(
    "estimator.buffer_factor",
    "what the estimator multiplies host memory by, for buffers",
    letter="factor",
    default=number("1.5"),
    example="1.5",
)
_declare(
    "estimator.zero_init",
    "whether the model is built sharded (zero.Init) and never whole on a host",
    letter="zero_init",
    choices=("true", "false"),
    default=Text("true"),
    example="true",
)
_declare(
    "estimator.zero2_gradients",
    "ZeRO-2 by the estimator: sharded (2 P + 18 P/N, the code) or whole (4 P + 16 P/N,"
    " the documentation and earlier code)",
    letter="zero2_gradients",
    choices=("sharded", "whole"),
    default=Text("sharded"),
    example="sharded",
)
for _name, _letter, _meaning in (
    ("gpus", "N", "GPUs of the cluster, as a number"),
    ("nodes", "nodes", "nodes of the cluster, as a number"),
    ("gpus_per_node", "n", "GPUs in one node, as a number"),
):
    _declare(f"estimator.{_name}", _meaning, letter=_letter, domain="positive integer")
    RELATIONS.add(
        Relation(
            f"estimator.{_name}",
            symbol(f"cluster.{_name}"),
            "The estimator's own argument.",
            ESTIMATORS,
            drops=("gpu", "node"),
        )
    )
_declare(
    "memory.deepspeed_largest_layer",
    "the largest layer, gathered, with its gradients, as DeepSpeed estimates it",
    "GB",
    letter="largest_layer",
    domain="non-negative",
)
_declare(
    "memory.deepspeed_per_gpu",
    "model-state memory of a GPU, as DeepSpeed's estimator gives it",
    "GB",
    letter="DeepSpeed_GPU",
    domain="non-negative",
)
_declare(
    "memory.deepspeed_host_per_node",
    "host memory of a node, as DeepSpeed's estimator gives it",
    "GB",
    letter="DeepSpeed_host",
    domain="non-negative",
)

_P: Final = symbol("model.parameters")
_N, _NODES, _PER_NODE = (symbol(f"estimator.{name}") for name in ("gpus", "nodes", "gpus_per_node"))
_FACTOR: Final = symbol("estimator.buffer_factor")
_BYTE: Final = number(1, "B/param")
_FP32: Final = number(4, "B/param")
_THREE: Final = equal("layout.zero", 3)
_NONE: Final = equal("layout.offload", Text("none"))
_ALL: Final = equal("layout.offload", Text("all"))
_INIT: Final = equal("estimator.zero_init", Text("true"))
_WHOLE: Final = equal("estimator.zero2_gradients", Text("whole"))
_NOTHING: Final = number(0, "B")
_SIXTEEN: Final = number(4) + 4 + 4 + 4
_EIGHTEEN: Final = number(2) + 4 + 4 + 4 + 4
_CONVENTION: Final = (
    "DeepSpeed's estimate: Adam on 2 B of 16-bit weights and 16 B in fp32 (gradients, weights, two "
    "moments), 18 B/param; gathered weights and gradients of the largest layer, 4 B/param."
)
_CASES: Final = {
    _THREE: ("ZeRO-3", "ZeRO-2"),
    _NONE: ("nothing is offloaded", "the optimizer works on the host"),
    _ALL: ("the weights live on the host too", "each GPU keeps its share of the 16-bit weights"),
}
_LAYER: Final = symbol("memory.deepspeed_largest_layer")


def _share(bytes_each: Expr) -> Expr:
    """Whole bytes of a GPU's share, cut off as the estimator does."""
    return call("floor", bytes_each * _P / _N) * _BYTE


RELATIONS.add(
    Relation(
        "memory.deepspeed_largest_layer",
        (number(2) + 2) * symbol("estimator.largest_layer_parameters") * _BYTE,
        "Its gathered 16-bit weights, and its 16-bit gradients.",
        ESTIMATORS,
    )
)
RELATIONS.add(
    Relation(
        "memory.deepspeed_per_gpu",
        when(
            _THREE,
            _LAYER + when(_NONE, _share(_EIGHTEEN), when(_ALL, _NOTHING, _share(number(2)))),
            when(
                _NONE,
                when(_WHOLE, 4 * _P * _BYTE + _share(_SIXTEEN), 2 * _P * _BYTE + _share(_EIGHTEEN)),
                2 * _P * _BYTE,
            ),
        ),
        "The estimator keeps the largest layer whole and divides the rest among all GPUs.",
        ESTIMATORS,
        (_CONVENTION,),
        (
            Slip(
                "sixteen",
                "The estimator counts 18 bytes a parameter: the 16-bit weights beside 16 in fp32.",
                expr=_LAYER + _share(number(16)),
                kind="convention",
            ),
            Slip("no-largest-layer", "The estimator adds the largest layer, gathered whole.", expr=_share(_EIGHTEEN)),
            Slip(
                "per-node",
                "You divided by the GPUs of one node, not by all.",
                set={
                    "cluster.gpus": symbol("cluster.gpus_per_node") * number(1, "node"),
                    "cluster.nodes": number(1, "node"),
                },
            ),
        ),
        {
            **_CASES,
            _WHOLE: ("the documentation keeps the 16-bit gradients whole", "the code divides the gradients too"),
        },
        stated=("layout.zero",),
    )
)
_START: Final = 4 * _PER_NODE
_CASE: Final = when(_ALL, _EIGHTEEN, _SIXTEEN)
RELATIONS.add(
    Relation(
        "memory.deepspeed_host_per_node",
        call(
            "floor",
            when(
                _THREE,
                when(
                    _NONE,
                    when(_INIT, symbol("estimator.largest_layer_parameters"), _P) * _START,
                    _P * when(_INIT, _CASE / _NODES, call("max", _START, _CASE / _NODES)),
                ),
                when(_NONE, _P * _START, _P * call("max", 4 * _N, _SIXTEEN)),
            )
            * _FACTOR,
        )
        * _BYTE,
        "What is offloaded is divided among the nodes, and half as much again is kept free for buffers.",
        ESTIMATORS,
        (
            _CONVENTION,
            (
                "Nothing offloaded: host memory is needed only while the model is built in fp32, by every rank of "
                "the node."
            ),
        ),
        (
            Slip(
                "no-buffer-factor",
                "The estimator adds half as much again for buffers.",
                set={"estimator.buffer_factor": number(1)},
                kind="convention",
            ),
        ),
        {
            **_CASES,
            _INIT: ("the model is built sharded", "every rank first builds the whole model in fp32"),
            _ALL: ("the 16-bit weights live on the host too", ""),
        },
        stated=("layout.zero",),
    )
)
for _name in ("memory.deepspeed_per_gpu", "memory.deepspeed_host_per_node"):
    LAWS.add(
        Law(
            _name,
            symbol("layout.zero") > 1,
            "DeepSpeed's estimators cover ZeRO-2 and ZeRO-3: set layout.zero to 2 or 3, not {layout.zero}",
        )
    )
    LAWS.add(
        Law(
            _name,
            Logic("or", (_THREE, Logic("not", (_ALL,)))),
            "weights move to the host only under ZeRO-3: layout.offload = all needs layout.zero = 3",
        )
    )
