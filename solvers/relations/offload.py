"""Offloading beyond the state itself: what stays on the GPU by what moves, NVMe, and loading a checkpoint."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Logic, Text, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.sources import COUNTING
from solvers.sources_memory import ZERO_INFINITY, ZERO_OFFLOAD

_declare = CATALOGUE.declare

_declare(
    "offloading.moved",
    "what moves to the host, before any sharding: none, gradients, optimizer (master copy and "
    "moments), optimizer-and-gradients, or all",
    letter="moved",
    choices=("none", "gradients", "optimizer", "optimizer-and-gradients", "all"),
    example="optimizer",
)
_declare(
    "offloading.gpu_bytes_per_parameter",
    "bytes per parameter that stay on the GPU, before any sharding",
    "B/param",
    letter="b_GPU",
    domain="non-negative",
)
_declare(
    "offloading.host_bytes_per_parameter",
    "bytes per parameter that live on the host",
    "B/param",
    letter="b_host",
    domain="non-negative",
)
_declare(
    "offloading.tier",
    "where offloaded state lives: host memory or NVMe",
    letter="tier",
    choices=("host", "nvme"),
    default=Text("host"),
    example="nvme",
)
_declare(
    "offloading.nvme_per_gpu", "offloaded state on NVMe for one GPU", "GB", letter="NVMe_per_GPU", domain="non-negative"
)
_declare(
    "offloading.nvme_per_node",
    "offloaded state on the NVMe of one node",
    "GB",
    letter="NVMe_per_node",
    domain="non-negative",
)
_declare(
    "offloading.staging_per_gpu",
    "host buffers between NVMe and one GPU",
    "GB",
    letter="staging",
    domain="non-negative",
    default=number(0, "B"),
    example="2 GB",
)
_declare(
    "offloading.staging_per_node",
    "host buffers between NVMe and the GPUs of a node",
    "GB",
    letter="staging_node",
    domain="non-negative",
)
_declare(
    "offloading.load_bytes",
    "bytes per parameter of the weights as they are loaded",
    "B/param",
    letter="b_load",
    default=number(4, "B/param"),
    example="2 B/param",
)
_declare(
    "offloading.loaders",
    "which ranks of a node hold the whole model in host memory while it is loaded",
    letter="loaders",
    choices=("every-rank", "one-per-node"),
    default=Text("every-rank"),
    example="one-per-node",
)
_declare(
    "offloading.load_per_node",
    "host memory of a node while the model is loaded",
    "GB",
    letter="load_per_node",
    domain="non-negative",
)

_ALL: Final = equal("offloading.moved", Text("all"))
_BOTH: Final = equal("offloading.moved", Text("optimizer-and-gradients"))
_GRADIENTS: Final = Logic("or", (_ALL, _BOTH, equal("offloading.moved", Text("gradients"))))
_OPTIMIZER: Final = Logic("or", (_ALL, _BOTH, equal("offloading.moved", Text("optimizer"))))
_ZERO: Final = number(0, "B/param")
_REASONS: Final = {
    _ALL: ("the weights move too", ""),
    _GRADIENTS: ("the gradients move", "the gradients stay"),
    _OPTIMIZER: ("master copy and moments move", "master copy and moments stay"),
}
_GRADIENT_BYTES: Final = symbol("recipe.gradients") + symbol("recipe.accumulation")
_OPTIMIZER_BYTES: Final = symbol("recipe.master") + symbol("recipe.moment1") + symbol("recipe.moment2")

RELATIONS.add(
    Relation(
        "offloading.gpu_bytes_per_parameter",
        when(_ALL, _ZERO, symbol("recipe.weights"))
        + when(_GRADIENTS, _ZERO, _GRADIENT_BYTES)
        + when(_OPTIMIZER, _ZERO, _OPTIMIZER_BYTES),
        "What does not move stays on the GPU.",
        ZERO_OFFLOAD,
        ("Before any sharding; a replica's bytes per parameter.",),
        reasons=_REASONS,
        stated=("offloading.moved",),
        slips=(
            Slip(
                "nothing-moved",
                "That is everything: what moves no longer counts on the GPU.",
                expr=symbol("recipe.bytes_per_parameter"),
            ),
        ),
    )
)
RELATIONS.add(
    Relation(
        "offloading.host_bytes_per_parameter",
        when(_ALL, symbol("recipe.weights"), _ZERO)
        + when(_GRADIENTS, _GRADIENT_BYTES, _ZERO)
        + when(_OPTIMIZER, _OPTIMIZER_BYTES, _ZERO),
        "What moves lives on the host.",
        ZERO_OFFLOAD,
        ("Gradients in the precision of the recipe; DeepSpeed keeps them in fp32 on the host.",),
        reasons=_REASONS,
        stated=("offloading.moved",),
    )
)
# What is offloaded is the same, wherever it goes.
_MOVED: Final = RELATIONS.of("memory.host_per_gpu")[0]
_NVME: Final = equal("offloading.tier", Text("nvme"))
RELATIONS.add(
    Relation(
        "offloading.nvme_per_gpu",
        when(_NVME, _MOVED.expr, number(0, "B")),
        "What is offloaded is sharded first: each rank keeps its own share on the NVMe of its node.",
        ZERO_INFINITY,
        ("State alone; checkpoints and files that are being swapped come on top.",),
        reasons={_NVME: ("", "offloaded state lives in host memory"), **_MOVED.reasons},
    )
)
RELATIONS.add(
    Relation(
        "offloading.nvme_per_node",
        symbol("offloading.nvme_per_gpu") * symbol("cluster.gpus_per_node"),
        "A node's NVMe serves the GPUs of the node.",
        ZERO_INFINITY,
        drops=("gpu", "node"),
    )
)
RELATIONS.add(
    Relation(
        "offloading.staging_per_node",
        symbol("offloading.staging_per_gpu") * symbol("cluster.gpus_per_node"),
        "Each GPU of a node has its own buffers.",
        ZERO_INFINITY,
        ("Buffers as stated; DeepSpeed's: 5 buffers for weights, 4 for optimizer state, times the size of one.",),
        drops=("gpu", "node"),
    )
)
_EVERY: Final = equal("offloading.loaders", Text("every-rank"))
RELATIONS.add(
    Relation(
        "offloading.load_per_node",
        symbol("offloading.load_bytes")
        * symbol("model.parameters")
        * when(_EVERY, symbol("cluster.gpus_per_node") * number(1, "node") / number(1, "GPU"), 1),
        "Every rank that loads the whole model has its own copy in the memory of the node.",
        COUNTING,
        ("Nothing is mapped or shared between ranks.",),
        (
            Slip(
                "one-copy",
                "Each rank of the node loads its own copy.",
                set={"offloading.loaders": Text("one-per-node")},
            ),
            Slip(
                "bf16",
                "Weights are loaded in fp32 unless a dtype is asked for.",
                set={"offloading.load_bytes": number(2, "B/param")},
                kind="convention",
            ),
        ),
        {_EVERY: ("every rank loads its own copy", "one rank of the node loads")},
    )
)
LAWS.add(
    Law(
        "memory.host_per_gpu",
        equal("offloading.tier", Text("host")),
        "offloaded state lives on NVMe (offloading.tier = nvme): ask for offloading.nvme_per_gpu; host memory "
        "holds the buffers "
        "of offloading.staging_per_gpu",
        knows=("offloading.tier",),
    )
)
