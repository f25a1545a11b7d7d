"""The memory that Hugging Face Accelerate's estimate-memory shows for training with Adam, under its own conventions."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Text, call, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources_memory import ACCELERATE

_declare = CATALOGUE.declare
_declare("estimator.precision", "precision of the estimate: float32, or float16 (bfloat16 and fp8 are alike)",
         letter="precision", choices=("float32", "float16"), default=Text("float32"), example="float16")  # fmt: skip
_declare("memory.accelerate_training", "memory of training with Adam as Accelerate's estimate-memory gives it", "GB",
         letter="Accelerate", domain="non-negative")  # fmt: skip

_FP32: Final = equal("estimator.precision", Text("float32"))
_MODEL, _HALF, _ADAM, _STEP = (number(size, "B/param") for size in (4, 2, 8, 16))
RELATIONS.add(Relation(
    "memory.accelerate_training",
    symbol("model.parameters")
    * when(_FP32, call("max", _MODEL, _MODEL, _ADAM, _STEP), call("max", _MODEL, _MODEL + _HALF, _ADAM, _ADAM)),
    "The largest of four phases: the model, the gradients, the optimizer, the step.", ACCELERATE,
    ((
        "Accelerate's estimate: a batch of one without its activations; in mixed precision the step is taken to need "
        "what the optimizer state does, 8 B a parameter, though weights, gradients and state are there at once."
    ),),
    slips=(
        Slip("all-at-once", "The estimate takes the largest phase; it does not add them up.",
             expr=symbol("model.parameters") * when(_FP32, _MODEL + _MODEL + _ADAM, _MODEL + _MODEL + _HALF + _ADAM),
             kind="convention"),
    ),
    reasons={_FP32: (
        "in fp32 the step counts weights, gradients and both moments",
        "weights and moments stay in fp32, gradients are there in both",
    )},
))  # fmt: skip
