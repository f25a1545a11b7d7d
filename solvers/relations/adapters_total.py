"""Training adapters on a GPU: what is held, and the activations that go back through the frozen model."""

from __future__ import annotations

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import symbol
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import QLORA

CATALOGUE.declare("adapter.total_per_gpu", "memory that a GPU needs to train adapters: frozen weights, state of the "
                  "adapters, activations", "GB", letter="total_lora", domain="non-negative")  # fmt: skip
RELATIONS.add(Relation(
    "adapter.total_per_gpu", symbol("adapter.state_per_gpu") + symbol("memory.activations_per_gpu"),
    "The gradient goes back through the whole frozen model, so its activations are kept as in any training.", QLORA,
    ((
        "Frozen matrices need no input of theirs for a gradient, which is not taken off; matrices that are dequantised "
        "for a product, masks of the adapters' dropout and workspace are left out: within a quarter of what litgpt "
        "measured."
    ),),
    slips=(
        Slip("no-activations", "The activations of the frozen model are kept too.",
             expr=symbol("adapter.state_per_gpu")),
        Slip("frozen-only", "Adapters and activations come on top of the frozen weights.",
             expr=symbol("adapter.base_per_gpu")),
    ),
))  # fmt: skip
