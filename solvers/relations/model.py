"""What is trained: the model, the recipe, the batch. Inputs, and the counts that follow from them."""

from __future__ import annotations

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import call, equal, number, symbol
from solvers.relation import LAWS, RELATIONS, Law, Relation
from solvers.sources import COUNTING, DEFINITION
from solvers.tables.models import MODELS
from solvers.tables.recipes import RECIPES

_declare = CATALOGUE.declare

_declare("model", "a published model, which states its parameters and shape", choices=tuple(MODELS),
         example="llama-3-70b")
_declare("model.parameters", "parameters of the model", "param", letter="P", domain="positive integer", short=True,
         bare=True, statable=True, example="70e9")
_declare("model.layers", "transformer layers", letter="L", domain="positive integer", example="80")
_declare("model.hidden", "width of the residual stream", letter="h", domain="positive integer", example="8192")
_declare("model.query_heads", "attention (query) heads", letter="a", domain="positive integer", example="64")
_declare("model.kv_heads", "key-value heads: fewer than the query heads under GQA, 1 under MQA", letter="kv",
         domain="positive integer", example="8")
_declare("model.head_dim", "size of one attention head", letter="d", domain="positive integer", example="128")
_declare("model.vocabulary", "entries of the vocabulary", letter="V", domain="positive integer", example="128256")

_declare("recipe", "what is kept per parameter, and in which precision", choices=tuple(RECIPES), example="zero-paper")
for _name, _letter, _meaning in (
    ("weights", "b_w", "weights"), ("gradients", "b_g", "gradients"), ("master", "b_master", "fp32 master copy"),
    ("moment1", "b_m1", "first moment"), ("moment2", "b_m2", "second moment"),
    ("gather", "b_gather", "a gathered weight on the wire"), ("reduce", "b_reduce", "a reduced gradient on the wire"),
):
    _declare(f"recipe.{_name}", f"bytes per parameter: {_meaning}", "B/param", letter=_letter, domain="non-negative",
             example="2 B/param")
_declare("recipe.accumulation", "bytes per parameter: a separate accumulation of the gradients", "B/param",
         letter="b_acc", domain="non-negative", default=number(0, "B/param"), example="4 B/param")
_declare("recipe.bytes_per_parameter", "bytes that a parameter costs in all, before sharding", "B/param",
         letter="b_total", domain="non-negative")

_declare("recipe.moments", "bytes per parameter: both moments", "B/param", letter="b_m", domain="non-negative")
_declare("recipe.optimizer", "bytes per parameter: optimizer state, which is master copy and moments", "B/param",
         letter="b_o", domain="non-negative")

_declare("batch.sequence", "tokens of one sequence", "token", letter="s", domain="positive integer", bare=True,
         example="8192")
_declare("batch.micro", "sequences in one micro-batch", letter="b", domain="positive integer", example="1",
         default=number(1))
_declare("batch.accumulation", "micro-batches per optimizer step on a rank", letter="m", domain="positive integer",
         default=number(1), statable=True, example="32")
_declare("batch.activation_bytes", "bytes of one activation element between layers", "B", letter="b_act",
         domain="positive", default=number(2, "B"), example="2 B")
_declare("batch.tokens_per_micro_batch", "tokens of one micro-batch", "token", letter="tokens",
         domain="positive integer", bare=True)
_declare("batch.tokens_per_step", "tokens of one optimizer step, over all data-parallel ranks", "token",
         letter="tokens_step", domain="positive integer", bare=True, statable=True, example="4194304")

RELATIONS.add(Relation(
    "recipe.bytes_per_parameter",
    symbol("recipe.weights") + symbol("recipe.gradients") + symbol("recipe.accumulation") + symbol("recipe.master")
    + symbol("recipe.moment1") + symbol("recipe.moment2"),
    "Weights, gradients, master copy and both moments are added up, each in its own precision.",
    COUNTING,
))
RELATIONS.add(Relation(
    "recipe.moments", symbol("recipe.moment1") + symbol("recipe.moment2"), "Both moments add up.", COUNTING,
))
RELATIONS.add(Relation(
    "recipe.optimizer", symbol("recipe.master") + symbol("recipe.moment1") + symbol("recipe.moment2"),
    "The master copy belongs to the optimizer, as its moments do.", COUNTING,
))
RELATIONS.add(Relation(
    "batch.tokens_per_micro_batch", symbol("batch.sequence") * symbol("batch.micro"),
    "A micro-batch is so many sequences of so many tokens.", DEFINITION,
))
RELATIONS.add(Relation(
    "batch.tokens_per_step",
    symbol("batch.sequence") * symbol("batch.micro") * symbol("batch.accumulation") * symbol("layout.dp"),
    "Every data-parallel rank works through its micro-batches; ranks of one tensor, pipeline or context group "
    "share them.", DEFINITION,
))
LAWS.add(Law(
    "model.kv_heads", symbol("model.kv_heads") <= symbol("model.query_heads"),
    "a model has at most as many key-value heads ({model.kv_heads}) as query heads ({model.query_heads})",
    knows=("model.query_heads",),
))
LAWS.add(Law(
    "model.query_heads", equal(call("floor", symbol("model.hidden") / symbol("model.query_heads"))
                               * symbol("model.query_heads"), symbol("model.hidden")),
    "{model.query_heads} heads do not divide a width of {model.hidden}: state model.head_dim, where a head has another "
    "size", knows=("model.query_heads", "model.hidden"), unless=("model.head_dim", "model.kv_rank"),
))
LAWS.add(Law(
    "model.kv_heads", equal(call("floor", symbol("model.query_heads") / symbol("model.kv_heads"))
                            * symbol("model.kv_heads"), symbol("model.query_heads")),
    "each key-value head serves as many query heads as the others: {model.kv_heads} do not divide the "
    "{model.query_heads} query heads", knows=("model.query_heads",),
))
