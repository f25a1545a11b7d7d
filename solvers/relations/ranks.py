"""What one GPU holds of each module: tensor parallelism divides widths, expert parallelism divides the experts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import call, equal, number, symbol, when
from solvers.relation import LAWS, RELATIONS, Law, Relation, Slip
from solvers.relations.modules import (
    ATTENTION_REASONS,
    HEAD_BIAS,
    HEAD_REASONS,
    MLP_REASONS,
    ROUTER_BIAS,
    SHARED_REASONS,
    attention,
    head,
    mlp,
    own_head,
    shared,
)
from solvers.sources import COUNTING, EXPERT_PARALLEL, GQA, MEGATRON

if TYPE_CHECKING:
    from solvers.expr.tree import Expr
    from solvers.relation import Reasons, Source

_declare = CATALOGUE.declare
_TP, _EP, _ETP = symbol("layout.tp"), symbol("layout.ep"), symbol("layout.expert_tp")
_h, _E = symbol("model.hidden"), symbol("model.experts")

_declare("layout.expert_tp", "tensor-parallel degree of the experts", letter="t_e", domain="positive integer",
         default=_TP, example="1")  # fmt: skip
_declare("layout.expert_shard", "ranks that the state of an expert is divided among", letter="S_e",
         domain="positive integer")  # fmt: skip
for _name, _letter, _meaning in (
    ("query_width", "w_q/t", "width of the queries"), ("kv_width", "w_kv/t", "width of the keys, and of the values"),
    ("heads", "a/t", "query heads"), ("ffn", "f/t", "width of the feed-forward block"),
    ("expert_ffn", "f_e/t", "width of a routed expert"), ("vocabulary", "V/t", "rows of the embedding"),
):  # fmt: skip
    _declare(f"rank.{_name}", f"{_meaning} on one GPU", letter=_letter, domain="positive integer")
_declare("rank.shared_ffn", "width of the shared experts on one GPU", letter="f_s/t", domain="non-negative integer")
for _name, _letter, _meaning in (
    ("attention_parameters", "R_attn", "attention of one layer"),
    ("mlp_parameters", "R_mlp", "the feed-forward block of a dense layer"),
    ("shared_parameters", "R_shared", "the shared experts of a layer"),
    ("experts_parameters", "R_experts", "the routed experts of a layer"),
    ("layer_parameters", "R_layer", "a dense layer"),
    ("moe_layer_parameters", "R_moe", "a layer with experts, the routed experts themselves left out"),
    ("embedding_parameters", "R_emb", "the embedding, learned positions included"),
    ("head_parameters", "R_head", "the head, a copy of the embedding where the two are tied"),
    ("own_head_parameters", "R_own_head", "the head, beyond what it shares with the embedding"),
):
    _declare(f"rank.{_name}", f"parameters on one GPU: {_meaning}", "param", letter=_letter,
             domain="non-negative integer", bare=True)  # fmt: skip

_WHOLE: Final = ("Tensor parallelism divides matrices; norms, routers, compressions of MLA, learned positions and the "
                 "biases of row-parallel matrices stay whole on every rank.")  # fmt: skip


def _rank(target: str, expr: Expr, because: str, source: Source, reasons: Reasons | None = None,
          assumptions: tuple[str, ...] = (), unless: tuple[str, ...] = ()) -> None:  # fmt: skip
    RELATIONS.add(Relation(
        f"rank.{target}", expr, because, source, assumptions, reasons=reasons or {},
        drops=("parameter",) if target.endswith("parameters") else (), unless=unless,
    ))  # fmt: skip


_rank("query_width", symbol("model.query_width") / _TP, "Tensor parallelism divides the heads.", MEGATRON)
_rank("kv_width", symbol("model.kv_width") / call("min", _TP, symbol("model.kv_heads")),
      "Key-value heads are divided until each rank has one, then repeated.", GQA,
      assumptions=("With more ranks than key-value heads, several ranks hold the same head.",))  # fmt: skip
_rank("kv_width", symbol("model.kv_width") / _TP, "Tensor parallelism divides the heads.", MEGATRON,
      unless=("model.kv_heads",))  # fmt: skip
_rank("heads", symbol("model.query_heads") / _TP, "Tensor parallelism divides the heads.", MEGATRON)
_rank("ffn", symbol("model.ffn") / _TP, "Tensor parallelism divides the width of the block.", MEGATRON)
_rank("expert_ffn", symbol("model.expert_ffn") / _ETP, "Experts have a tensor-parallel degree of their own.",
      EXPERT_PARALLEL)  # fmt: skip
_rank("shared_ffn", symbol("model.shared_ffn") / _TP, "Shared experts are divided like a dense block.",
      EXPERT_PARALLEL)  # fmt: skip
_rank("vocabulary", call("ceil", symbol("model.padded_vocabulary") / _TP), "The rows of the embedding are divided.",
      MEGATRON)  # fmt: skip
_rank("attention_parameters",
      attention(symbol("rank.query_width"), symbol("rank.kv_width"), symbol("rank.heads")),
      "A rank has its heads' columns of the projections in, and their rows of the projection out.", MEGATRON,
      ATTENTION_REASONS, (_WHOLE,))  # fmt: skip
_rank("mlp_parameters", mlp(symbol("rank.ffn")), "A rank has its columns of the matrices in, and rows of the one out.",
      MEGATRON, MLP_REASONS, (_WHOLE,))  # fmt: skip
_rank("shared_parameters", shared(symbol("rank.shared_ffn")), "Every rank has its part of the shared experts.",
      EXPERT_PARALLEL, SHARED_REASONS)  # fmt: skip
_rank("experts_parameters", _E / _EP * mlp(symbol("rank.expert_ffn")),
      "Expert parallelism gives each rank whole experts.", EXPERT_PARALLEL, MLP_REASONS)  # fmt: skip
_NORMS: Final = symbol("model.norms_per_layer") * symbol("model.norm_parameters")
_rank("layer_parameters", symbol("rank.attention_parameters") + symbol("rank.mlp_parameters") + _NORMS,
      "What a rank has of attention and block, and the norms whole.", COUNTING)  # fmt: skip
_rank("moe_layer_parameters",
      symbol("rank.attention_parameters") + symbol("rank.shared_parameters")
      + (_h * _E + when(ROUTER_BIAS, _E, 0)) * number(1, "param") + _NORMS,
      "What a rank has of attention and shared experts; router and norms whole.", COUNTING,
      {ROUTER_BIAS: ("each expert has a bias that balances the load", "")})  # fmt: skip
_rank("embedding_parameters", symbol("rank.vocabulary") * _h + symbol("model.positions") * _h,
      "A rank has its rows of the embedding, and all learned positions.", MEGATRON)  # fmt: skip
_rank("head_parameters", head(symbol("rank.vocabulary")), "A rank has its rows of the head.", MEGATRON,
      {HEAD_BIAS: ("", "")})  # fmt: skip
_rank("own_head_parameters", own_head(symbol("rank.vocabulary")),
      "A rank has its rows of the head, unless they are those of the embedding.", MEGATRON, HEAD_REASONS)  # fmt: skip

RELATIONS.add(Relation(
    "layout.expert_shard", symbol("layout.shard") * _TP / (_EP * _ETP),
    "The ranks of a stage divide into groups that hold one set of experts; as many groups hold the same one.",
    EXPERT_PARALLEL,
    (("Expert-parallel ranks are taken from the data-parallel ranks of one shard group, tensor-parallel ones "
      "included."),),
    slips=(Slip("shard-as-dense", "The state of an expert is divided among fewer ranks: those that hold it too.",
                expr=symbol("layout.shard")),),
))  # fmt: skip


def _divides(divisor: Expr, whole: Expr) -> Expr:
    return equal(call("floor", whole / divisor) * divisor, whole)


LAWS.add(Law(
    "layout.ep", _divides(_EP * _ETP, symbol("layout.shard") * _TP),
    "experts on {layout.ep} × {layout.expert_tp} ranks do not divide the {layout.shard} × {layout.tp} ranks of a stage "
    "that share its state", knows=("layout.ep",),
))  # fmt: skip
