"""Activations of a layer with experts: the router, the copies of tokens, what each expert keeps, the shared ones."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Text, equal, number, symbol, when
from solvers.relation import RELATIONS, Reasons, Relation, Slip
from solvers.relations.activations import FUSED, LATENT_STATED, PARTS, SPLIT, SPLIT_SEQUENCE, total
from solvers.relations.modules import SHARED
from solvers.sources import DEEPSEEK_V2
from solvers.sources_memory import PAPER, SAVED_TENSORS
from solvers.sources_speed import GSHARD

_declare = CATALOGUE.declare
_declare("activation.routing_weight", "where an expert's output is weighed: after it (its output is kept) or inside, "
         "before its last matrix (it is not)", letter="routing_weight", choices=("after", "inside"),
         default=Text("after"), example="inside")  # fmt: skip
_declare("activation.router_bytes", "bytes of one probability of the router", "B", letter="b_router",
         default=number(4, "B"), example="4 B")  # fmt: skip
_declare("activation.expert_slots", "copies of tokens that the experts of one GPU work on", letter="slots",
         domain="non-negative")  # fmt: skip
for _name, _letter, _meaning in (
    ("router", "router", "probabilities of the router"),
    ("expert_inputs", "expert_inputs", "copies of tokens, as the experts take them in"),
    ("experts", "experts", "what the routed experts keep inside"),
    ("expert_outputs", "expert_outputs", "outputs of the routed experts, before they are weighed"),
    ("shared", "shared", "what the shared experts keep inside"),
):
    _declare(f"activation.{_name}", f"{_meaning}, of one layer and micro-batch on one GPU", "MB", letter=_letter,
             domain="non-negative")  # fmt: skip
_declare("activation.moe_layer", "activations of one layer with experts and one micro-batch on one GPU, nothing "
         "recomputed", "MB", letter="moe_layer")  # fmt: skip

_T, _h, _t = symbol("activation.tokens"), symbol("model.hidden"), symbol("layout.tp")
_ETP: Final = symbol("layout.expert_tp")
_b: Final = symbol("batch.activation_bytes")
_SLOTS: Final = symbol("activation.expert_slots")
_SENT: Final = symbol("traffic.expert_slots")
_E: Final = symbol("model.experts")
_NOTHING: Final = number(0, "B")
_AFTER: Final = equal("activation.routing_weight", Text("after"))
_KEPT: Final = when(FUSED, 3, 4)
_EVEN: Final = "Tokens are routed evenly over the expert-parallel ranks: a rank takes in as many copies as it sends."
_FUSED_SAYS: Final[Reasons] = {
    FUSED: ("gate, up and their product; the kernel computes SiLU again in the backward pass",
            "gate, up, SiLU of the gate, and the product"),
}  # fmt: skip


def _add(name: str, expr: Expr, because: str, assumptions: tuple[str, ...] = (), reasons: Reasons | None = None,
         slips: tuple[Slip, ...] = ()) -> None:  # fmt: skip
    source = GSHARD if "slots" in name else SAVED_TENSORS
    RELATIONS.add(Relation(f"activation.{name}", expr, because, source, assumptions, slips, reasons or {}))


_add(
    "expert_slots",
    when(SPLIT_SEQUENCE, _ETP * _SENT, _SENT),
    "As many copies as are sent; tensor ranks of an expert gather theirs.",
    (_EVEN,),
    {SPLIT_SEQUENCE: ("each tensor rank routes its own share of the tokens", "each tensor rank routes every token")},
    (Slip("top-1", "Each token goes to several experts.", expr=_T),
     Slip("all-experts", "A token goes to a few of the experts.", expr=_T * _E)),
)  # fmt: skip
_add(
    "router",
    _T * _E * symbol("activation.router_bytes") / SPLIT,
    "The router keeps a probability for each token and expert.",
    reasons={SPLIT_SEQUENCE: ("sequence parallelism divides the tokens among the tensor ranks", "")},
)
_add("expert_inputs", _SLOTS * _h * _b, "Gate and up of an expert need their input again, a copy for each choice.")
_add(
    "experts",
    _KEPT * _SLOTS * symbol("model.expert_ffn") * _b / _ETP,
    "The inputs of the activation function and of the last projection of each expert are needed again.",
    reasons=_FUSED_SAYS,
    slips=(Slip("dense-width", "An expert is as wide as model.expert_ffn says.",
                expr=_KEPT * _T * symbol("model.ffn") * _b / _t),),
)  # fmt: skip
_add(
    "expert_outputs",
    when(_AFTER, _SLOTS * _h * _b, _NOTHING),
    "The gradient of a routing weight needs what it was multiplied with.",
    reasons={_AFTER: ("outputs are weighed as they are put together again", "the weight is applied inside the expert")},
)
_add(
    "shared",
    when(SHARED, _KEPT * _T * symbol("model.shared_ffn") * _b / _t, _NOTHING),
    "Shared experts are a block of their own, on every token.",
    reasons={SHARED: ("", "there are no shared experts"), **_FUSED_SAYS},
)
_REST: Final = tuple(part for part in PARTS if part not in {"mlp", "masks"})
_MOE_PARTS: Final = ("router", "expert_inputs", "experts", "expert_outputs", "shared")
_ONE: Final = (
    ("A layer's activations are counted for one micro-batch; weights and buffers of dispatch and combine, which are "
    "freed at once, are no part of them."),
    "The router and the shared experts take in the same normalised tokens.",
)
for _names, _source, _stated, _unless in (
    ((*_REST, "latents"), DEEPSEEK_V2, LATENT_STATED, ()),
    (_REST, PAPER, (), LATENT_STATED),
):
    RELATIONS.add(
        Relation(
            "activation.moe_layer",
            total((*_names, *_MOE_PARTS)),
            "Attention as in any layer, and in place of the dense block the router, the copies and the experts.",
            _source,
            _ONE,
            (
                Slip("dense", "That is a dense layer.", expr=symbol("activation.layer")),
                Slip(
                    "one-copy",
                    "A token that goes to k experts is there k times.",
                    set={"model.experts_per_token": number(1)},
                ),
            ),
            stated=_stated,
            unless=_unless,
        )
    )
