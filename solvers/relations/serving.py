"""Serving: the key-value cache, and how many sequences fit beside the weights."""

from __future__ import annotations

from typing import Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import call, number, symbol
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources import COUNTING, DEEPSEEK_V2, GQA, MEGATRON, VLLM

_declare = CATALOGUE.declare

_declare("serving.cache_bytes", "bytes of one element of the key-value cache", "B", letter="b_kv",
         default=number(2, "B"), example="1 B")
_declare("serving.weight_bytes", "bytes per parameter of the weights as they are served", "B/param", letter="b_w",
         default=number(2, "B/param"), example="1 B/param")
_declare("serving.context", "tokens of one sequence in the cache", "token", letter="s", domain="positive integer",
         bare=True, example="8192")
_declare("serving.memory_share", "part of a GPU's memory that weights and cache may take", "%", letter="share",
         domain="fraction", example="90 %")
_declare("serving.weights", "weights of the whole model as they are served", "GB", letter="W", statable=True,
         example="141.1 GB")
_declare("serving.kv_heads_per_rank", "key-value heads on one tensor-parallel rank", letter="kv_rank",
         domain="positive integer")
_declare("serving.kv_per_token", "key-value cache of one token, whole model", "B/token", letter="kv_token")
_declare("serving.kv_per_token_per_gpu", "key-value cache of one token on one GPU", "B/token", letter="kv_token_GPU")
_declare("serving.kv_per_sequence", "key-value cache of one sequence, whole model", "GB", letter="kv_sequence")
_declare("serving.kv_per_sequence_per_gpu", "key-value cache of one sequence on one GPU", "GB",
         letter="kv_sequence_GPU")
_declare("serving.free_per_gpu", "memory of a GPU that is left for the cache", "GB", letter="free", domain="any")
_declare("serving.sequences", "sequences whose cache fits at once", letter="sequences", domain="non-negative integer")

_L, _KV, _D = symbol("model.layers"), symbol("model.kv_heads"), symbol("model.head_dim")
_BYTES: Final = symbol("serving.cache_bytes")
_TP, _PP = symbol("layout.tp"), symbol("layout.pp")

RELATIONS.add(Relation(
    "serving.weights", symbol("serving.weight_bytes") * symbol("model.parameters"),
    "Bytes per parameter times parameters.", COUNTING,
))
RELATIONS.add(Relation(
    "serving.kv_heads_per_rank", call("ceil", _KV / _TP),
    "A head is not split: beyond as many ranks as heads, ranks hold copies.", MEGATRON,
    slips=(Slip("split-heads", "A key-value head is not split between ranks; it is copied.", expr=_KV / _TP),),
))
_LATENT: Final = symbol("model.kv_rank") + symbol("model.rope_head_dim")
_WRITTEN_OUT: Final = 2 * _L * _KV * _D * _BYTES
_MLA: Final = ("model.kv_rank",)
_ABSORBED: Final = (
    ("The compressed keys and values and the rotary part of the keys are kept, as MLA is meant; code that writes out "
     "keys and values for every head keeps far more."),
)
RELATIONS.add(Relation(
    "serving.kv_per_token", _L * _LATENT * _BYTES,
    "MLA keeps one compressed vector and one rotary key for each layer, whatever the heads.", DEEPSEEK_V2, _ABSORBED,
    drops=("token",), stated=_MLA,
    slips=(
        Slip("written-out", "MLA does not keep keys and values of every head.", expr=_WRITTEN_OUT),
        Slip("keys-and-values", "Keys and values share one compressed vector.", expr=2 * _L * _LATENT * _BYTES),
        Slip("no-rotary", "The rotary part of the keys is kept too.",
             expr=_L * symbol("model.kv_rank") * _BYTES),
    ),
))
RELATIONS.add(Relation(
    "serving.kv_per_token_per_gpu", _L / _PP * _LATENT * _BYTES,
    "A GPU holds the compressed vectors of its layers; every tensor rank needs them whole.", DEEPSEEK_V2, _ABSORBED,
    drops=("token",), stated=_MLA,
    slips=(Slip("divided", "The compressed vector serves all heads: tensor ranks do not divide it.",
                expr=_L / _PP * _LATENT * _BYTES / _TP),),
))
RELATIONS.add(Relation(
    "serving.kv_per_token", 2 * _L * _KV * _D * _BYTES,
    "A key and a value for each layer and key-value head.", GQA, drops=("token",), unless=_MLA,
    slips=(
        Slip("query-heads", "You counted the query heads; the cache holds the key-value heads.",
             set={"model.kv_heads": symbol("model.query_heads")}),
        Slip("keys-only", "Keys and values are both kept.", expr=_L * _KV * _D * _BYTES),
    ),
))
RELATIONS.add(Relation(
    "serving.kv_per_token_per_gpu",
    2 * _L / _PP * symbol("serving.kv_heads_per_rank") * _D * _BYTES,
    "A GPU holds the cache of its layers and of its key-value heads.", GQA, drops=("token",), unless=_MLA,
    slips=(
        Slip("split-heads", "A key-value head is not split between ranks; it is copied.",
             expr=2 * _L / _PP * _KV / _TP * _D * _BYTES),
        Slip("whole-model", "That is the whole model's cache, not one GPU's.", expr=symbol("serving.kv_per_token")),
        Slip("query-heads", "You counted the query heads; the cache holds the key-value heads.",
             set={"model.kv_heads": symbol("model.query_heads")}),
    ),
))
RELATIONS.add(Relation(
    "serving.kv_per_sequence", symbol("serving.kv_per_token") * symbol("serving.context"),
    "So much per token, for every token of the sequence.", COUNTING,
))
RELATIONS.add(Relation(
    "serving.kv_per_sequence_per_gpu", symbol("serving.kv_per_token_per_gpu") * symbol("serving.context"),
    "So much per token on this GPU, for every token of the sequence.", COUNTING,
))
RELATIONS.add(Relation(
    "serving.free_per_gpu",
    symbol("serving.memory_share") * symbol("cluster.capacity_per_gpu") - symbol("serving.weights") / (_TP * _PP),
    "What the share leaves after the weights, which tensor and pipeline ranks divide.", VLLM,
    ("Activations of the forward pass are covered by the part of the memory outside the share.",),
))
RELATIONS.add(Relation(
    "serving.sequences",
    call("max", 0, call("floor", symbol("serving.free_per_gpu") / symbol("serving.kv_per_sequence_per_gpu"))),
    "As many whole sequences as fit into what is free.", VLLM,
    ("No sharing of prefixes; the cache is paged, so no room is lost between sequences.",),
))
