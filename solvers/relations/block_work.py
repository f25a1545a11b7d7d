"""What the backward pass of one block makes beside what the forward pass kept: gradients of activations and weights.

A block goes back from its MLP to its attention. What is kept goes as its gradients come, so that the most lies at one
of a few moments; each is counted here, less the whole of what the block keeps.
"""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, call, equal, number, symbol, when
from solvers.relation import RELATIONS, Reasons, Relation
from solvers.relations.activations import COPIES, GPT, MODULES
from solvers.relations.activations_model import FULL
from solvers.relations.transient import ADDED_AT_ONCE, SHARDED_WEIGHTS
from solvers.sources_memory import FSDP2_MEMORY

_declare = CATALOGUE.declare
for _name, _letter, _meaning in (
    ("mlp", "mlp_tensor", "one tensor inside the MLP of a block and micro-batch"),
    ("matrix_gradient", "matrix_gradient", "gradient of one matrix of the MLP, not yet reduced"),
    ("norm_work", "norm_work", "temporaries of the backward pass of one norm"),
    ("forward_work", "forward_work", "what the forward pass of a block holds beside what it keeps"),
):
    _declare(f"transient.{_name}_per_gpu", f"{_meaning}, on one GPU", "GB", letter=_letter, domain="non-negative")
_declare(
    "transient.block_work_per_gpu",
    "what the backward pass of a block makes beside what the block kept, less what it has let go by then, on one GPU",
    "GB",
    letter="block_work",
    domain="any",
)

_T, _h, _t = symbol("activation.tokens"), symbol("model.hidden"), symbol("layout.tp")
_b, _g = symbol("batch.activation_bytes"), symbol("recipe.gather")
_NOTHING: Final = number(0, "B")
_INPUT: Final = symbol("activation.layer_input")
_LAYER: Final = symbol("activation.layer")
_MLP: Final = symbol("transient.mlp_per_gpu")
_MATRIX: Final = symbol("transient.matrix_gradient_per_gpu")
_STAY: Final = when(ADDED_AT_ONCE, _NOTHING, _MATRIX)
"""A matrix's gradient after its moment, unless it is added to one that is kept."""
_NORM: Final = symbol("transient.norm_work_per_gpu")
_WIDTH: Final = when(GPT, 4 * _h, symbol("model.ffn"))
_GPT_SAYS: Final = ("its MLP is 4 h wide", "")
_SHARDED: Final[Reasons] = {SHARDED_WEIGHTS: ("", "gradients are whole anyway")}
_DENSE: Final = equal("model.experts", 0)


def _add(
    name: str, expr: Expr, because: str, assumptions: tuple[str, ...] = (), reasons: Reasons | None = None
) -> None:
    RELATIONS.add(
        Relation(f"transient.{name}_per_gpu", expr, because, FSDP2_MEMORY, assumptions, reasons=reasons or {})
    )


_add("mlp", _T * _WIDTH * _b / _t, "Tokens times the width of the MLP.", reasons={GPT: _GPT_SAYS})
_add(
    "matrix_gradient",
    when(SHARDED_WEIGHTS, _h * _WIDTH * number(1, "param") * _g / _t, _NOTHING),
    "A matrix's gradient is whole until the block is reduced.",
    reasons={**_SHARDED, GPT: _GPT_SAYS},
)
_add(
    "norm_work",
    when(MODULES, 4 * _INPUT * number(4, "B") / _b, _INPUT),
    "A norm in one kernel makes the gradient of its input; without one, four fp32 tensors of that size.",
    reasons={MODULES: ("", "")},
)
# A norm that keeps an fp32 copy leaves the sum itself to the forward pass alone; one that keeps the sum shares it with
# the checkpoint before the block.
_OWN: Final = Logic("and", (Logic("or", (MODULES, COPIES)), Compare("!=", _b, number(4, "B"))))
_add(
    "forward_work",
    2 * _INPUT + when(FULL, when(GPT, 2, 3) * _MLP, when(_OWN, 2 * _INPUT, _NOTHING)),
    "The sums of the residual stream; and what lives inside the MLP where it is not kept.",
    reasons={
        FULL: ("nothing inside the MLP is kept", "what the MLP makes is kept anyway"),
        GPT: ("", ""),
        _OWN: ("", ""),
    },
)
# What the up and the gate projection are given, of which both make a gradient.
_GIVEN: Final = symbol("activation.inputs") / 2
_UNIT: Final = symbol("transient.unit_gradients_per_gpu")
_add(
    "block_work",
    when(
        _DENSE,
        when(Logic("and", (FULL, Logic("not", (_OWN,)))), _NOTHING, _INPUT)
        + when(
            GPT,
            call("max", _MLP + _MATRIX, _MATRIX + _STAY - _MLP, _UNIT - _LAYER),
            call(
                "max",
                _MLP + call("max", _MATRIX, _MLP + _STAY),
                _MATRIX + _STAY - _MLP + _GIVEN,
                _MATRIX + 2 * _STAY - 3 * _MLP + 2 * _GIVEN,
                3 * _STAY - 4 * _MLP - _GIVEN + _NORM,
                _UNIT - _LAYER + symbol("activation.norms") / 2 + _NORM,
            ),
        ),
        _UNIT,
    ),
    "The largest of its moments: the activation function, each matrix of the MLP, the norm before it, the first norm.",
    (
        "A gated MLP goes back through its last matrix, the product, the up projection, SiLU and the gate projection.",
        "Where there are experts, an upper bound: all gradients of the block beside all that it kept.",
    ),
    {
        _DENSE: ("", "experts are counted by an upper bound"),
        Logic("and", (FULL, Logic("not", (_OWN,)))): ("the block's input is also its checkpoint", ""),
        GPT: ("", ""),
        ADDED_AT_ONCE: ("a matrix's gradient is added to the one that is kept, and gone", ""),
    },
)
