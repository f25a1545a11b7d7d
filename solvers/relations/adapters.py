"""Low-rank adapters: what they train by rank, target and architecture, and what a GPU then holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Compare, Expr, Logic, Text, call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.relations.modules import COMPRESSED, GATED, LATENT, SHARED
from solvers.sources import LORA, PEFT, QLORA
from solvers.tables.targets import MATRICES, TARGETS

if TYPE_CHECKING:
    from solvers.relation import Reasons

_declare = CATALOGUE.declare

_declare("adapter.targets", "the matrices that have adapters", choices=tuple(TARGETS), example="q,v")
_declare("adapter.rank", "rank of the adapters", letter="r", domain="positive integer", example="16")
for _name in MATRICES:
    _declare(f"adapter.on_{_name}", f"1 if the {_name} matrices have adapters, 0 if not", letter=f"on_{_name}",
             domain="non-negative integer", default=number(0), most=1, example="1")  # fmt: skip
_declare("adapter.fused", "whether queries, keys and values are one matrix with one adapter", letter="fused",
         choices=("true", "false"), default=Text("false"), example="true")  # fmt: skip
_declare("adapter.saved", "bytes of an adapter's parameter in a checkpoint", "B/param", letter="b_saved",
         domain="positive", example="2 B/param")  # fmt: skip
for _name, _letter, _meaning in (
    ("attention_sides", "s_attn", "attention"), ("mlp_sides", "s_mlp", "a dense feed-forward block"),
    ("expert_sides", "s_moe", "the experts, and the router"),
):  # fmt: skip
    _declare(f"adapter.{_name}", f"columns and rows of the adapted matrices of one layer: {_meaning}", letter=_letter,
             domain="non-negative integer")  # fmt: skip
_declare("adapter.parameters", "parameters of all adapters: what is trained", "param", letter="P_lora",
         domain="non-negative integer", bare=True)  # fmt: skip
_declare("adapter.all_parameters", "parameters of the model and its adapters", "param", letter="P_all",
         domain="positive integer", bare=True)  # fmt: skip
_declare("adapter.share", "trained parameters out of all", "%", letter="share", domain="fraction", decimals=4)
_declare("adapter.checkpoint_size", "an adapter checkpoint", "MB", letter="checkpoint", domain="non-negative")
_declare("adapter.base_per_gpu", "frozen weights on a GPU", "GB", letter="base_GPU", domain="non-negative")
_declare("adapter.trained_state_per_gpu", "training state of the adapters on a GPU", "GB", letter="adapters_GPU",
         domain="non-negative")  # fmt: skip
_declare("adapter.state_per_gpu", "frozen weights and training state of the adapters on a GPU", "GB",
         letter="state_lora", domain="non-negative")  # fmt: skip


def _on(name: str) -> Expr:
    return symbol(f"adapter.on_{name}")


_h, _E = symbol("model.hidden"), symbol("model.experts")
_QUERIES, _KEYS, _HEADS = symbol("model.query_width"), symbol("model.kv_width"), symbol("model.query_heads")
_rope, _nope, _values = (symbol(f"model.{name}_head_dim") for name in ("rope", "nope", "value"))
_q_rank, _kv_rank = symbol("model.q_rank"), symbol("model.kv_rank")
_FUSED: Final = equal("adapter.fused", Text("true"))
_LATENT_SIDES: Final = (
    _on("q") * when(COMPRESSED, (_h + _q_rank) + (_q_rank + _HEADS * (_nope + _rope)),
                    _h + _HEADS * (_nope + _rope))
    + _on("k") * ((_h + _kv_rank + _rope) + (_kv_rank + _HEADS * (_nope + _values)))
    + _on("o") * (_HEADS * _values + _h)
)  # fmt: skip
_FUSED_SIDES: Final = (call("max", _on("q"), _on("k"), _on("v")) * (_h + (_QUERIES + 2 * _KEYS))
                       + _on("o") * (_QUERIES + _h))  # fmt: skip
_APART_SIDES: Final = (_on("q") * (_h + _QUERIES) + _on("k") * (_h + _KEYS) + _on("v") * (_h + _KEYS)
                       + _on("o") * (_QUERIES + _h))  # fmt: skip


def _block(width: Expr) -> Expr:
    return (when(GATED, _on("gate") + _on("up"), _on("up")) + _on("down")) * (_h + width)


_BLOCK_REASONS: Final[Reasons] = {GATED: ("", "a plain block has no gate")}
RELATIONS.add(Relation(
    "adapter.attention_sides", when(LATENT, _LATENT_SIDES, when(_FUSED, _FUSED_SIDES, _APART_SIDES)),
    "An adapter of rank 1 has a value for each column and each row of its matrix.", LORA,
    reasons={
        LATENT: ("MLA has a pair of matrices for keys and values, and for queries where they are compressed", ""),
        COMPRESSED: ("", ""), _FUSED: ("queries, keys and values are one matrix, adapted as a whole", ""),
    },
))  # fmt: skip
RELATIONS.add(Relation(
    "adapter.mlp_sides", _block(symbol("model.ffn")),
    "An adapter of rank 1 has a value for each column and each row of its matrix.", LORA, reasons=_BLOCK_REASONS,
))  # fmt: skip
RELATIONS.add(Relation(
    "adapter.expert_sides",
    _E * _block(symbol("model.expert_ffn")) + when(SHARED, _block(symbol("model.shared_ffn")), 0)
    + _on("router") * (_h + _E),
    "Each expert has adapters of its own.", PEFT, ("Every routed expert and the shared block are adapted one by one.",),
    reasons={**_BLOCK_REASONS, SHARED: ("", "")},
))  # fmt: skip

_BLOCK_ON: Final = _on("gate") + _on("up") + _on("down") + _on("router") > 0
_MOE_LAYERS: Final = symbol("model.moe_layers")
_DENSE_LAYERS: Final = symbol("model.layers") - _MOE_LAYERS
_HAS_DENSE, _HAS_MOE = _DENSE_LAYERS > 0, _MOE_LAYERS > 0
RELATIONS.add(Relation(
    "adapter.parameters",
    symbol("adapter.rank") * (
        symbol("model.layers") * symbol("adapter.attention_sides")
        + when(_BLOCK_ON, when(_HAS_DENSE, _DENSE_LAYERS * symbol("adapter.mlp_sides"), 0)
               + when(_HAS_MOE, _MOE_LAYERS * symbol("adapter.expert_sides"), 0), 0)),
    "Two thin matrices beside each adapted one: rank times columns, and rows times rank.", LORA,
    ("Adapters have no biases; the head and the embedding have none.",),
    reasons={_BLOCK_ON: ("the feed-forward blocks are adapted too", ""), _HAS_DENSE: ("", ""), _HAS_MOE: ("", "")},
    slips=(
        Slip("one-side", "An adapter is two matrices: down to the rank, and up again.",
             expr=symbol("adapter.rank") * symbol("model.layers") * _h
             * (_on("q") + _on("k") + _on("v") + _on("o")) * number(1, "param")),
        Slip("mha-for-gqa", "Under GQA keys and values are narrower than the queries.",
             set={"model.kv_heads": symbol("model.query_heads")}),
        Slip("one-layer", "That is one layer.", expr=symbol("adapter.parameters") / symbol("model.layers")),
    ), drops=("parameter",),
))  # fmt: skip
RELATIONS.add(Relation(
    "adapter.all_parameters", symbol("model.parameters") + symbol("adapter.parameters"),
    "The adapters come on top of the frozen model.", PEFT,
))  # fmt: skip
RELATIONS.add(Relation(
    "adapter.share", symbol("adapter.parameters") / symbol("adapter.all_parameters"),
    "What is trained, out of the model with its adapters.", PEFT,
))  # fmt: skip
RELATIONS.add(Relation(
    "adapter.checkpoint_size", symbol("adapter.parameters") * symbol("adapter.saved"),
    "Only the adapters are saved.", LORA,
    slips=(Slip("whole-model", "The frozen model is not saved again.",
                expr=symbol("adapter.all_parameters") * symbol("adapter.saved")),),
))  # fmt: skip

_RANKS: Final = symbol("layout.tp") * symbol("layout.pp")
_SHARDED: Final = Compare(">=", symbol("layout.zero"), number(3))
_EVENLY: Final = "Tensor and pipeline parallelism divide base and adapters evenly."
RELATIONS.add(Relation(
    "adapter.base_per_gpu",
    symbol("quant.size") / (_RANKS * when(_SHARDED, symbol("layout.shard"), 1)),
    "Frozen weights have neither gradients nor optimizer state; ZeRO-3 and FSDP divide them as they are stored.", QLORA,
    (_EVENLY,), reasons={_SHARDED: ("stage 3 divides the frozen weights too", "every rank holds the frozen weights")},
))  # fmt: skip
RELATIONS.add(Relation(
    "adapter.trained_state_per_gpu",
    symbol("adapter.parameters") / _RANKS * symbol("memory.bytes_per_parameter_per_gpu"),
    "Only what is trained has gradients and optimizer state.", LORA,
    (_EVENLY, "The recipe is that of the adapters."),
    slips=(Slip("whole-model", "The frozen model has no gradients and no optimizer state.",
                expr=symbol("memory.state_per_gpu")),),
))  # fmt: skip
RELATIONS.add(Relation(
    "adapter.state_per_gpu", symbol("adapter.base_per_gpu") + symbol("adapter.trained_state_per_gpu"),
    "The frozen model, and the training state of the adapters.", QLORA,
    ("Activations, the dequantised matrix in flight and workspace are left out.",),
    slips=(Slip("base-only", "The adapters have weights, gradients and optimizer state.",
                expr=symbol("adapter.base_per_gpu")),),
))  # fmt: skip

LAWS.add(Law(
    "adapter.parameters",
    _on("q") + _on("k") + _on("v") + _on("o") + _on("gate") + _on("up") + _on("down") + _on("router") > 0,
    "no matrix has an adapter: state adapter.targets (q,v or all-linear, for example)",
))  # fmt: skip
LAWS.add(Law(
    "adapter.attention_sides", Logic("or", (Logic("not", (LATENT,)), equal(_on("k"), _on("v")))),
    "latent attention has common matrices for keys and values: adapt both or none (adapter.on_k, adapter.on_v)",
))  # fmt: skip
