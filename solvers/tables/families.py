"""Kinds of layers: everything that a family of models fixes but its sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solvers.expr.tree import Expr, Text, number, symbol
from solvers.relation import Source
from solvers.tables.preset import Preset, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS: Final[Mapping[str, Mapping[str, str | int]]] = {
    "gpt": {"mlp": "plain", "norm": "layernorm", "attention_bias": "all", "mlp_bias": "true", "tied": "true"},
    "bloom": {
        "mlp": "plain",
        "norm": "layernorm",
        "attention_bias": "all",
        "mlp_bias": "true",
        "tied": "true",
        "positions": 0,
        "outer_norms": 2,
    },
    "neox": {
        "mlp": "plain",
        "norm": "layernorm",
        "attention_bias": "all",
        "mlp_bias": "true",
        "tied": "false",
        "positions": 0,
    },
    "falcon": {
        "mlp": "plain",
        "norm": "layernorm",
        "attention_bias": "none",
        "mlp_bias": "false",
        "tied": "true",
        "positions": 0,
    },
    "llama": {
        "mlp": "gated",
        "norm": "rmsnorm",
        "attention_bias": "none",
        "mlp_bias": "false",
        "tied": "false",
        "positions": 0,
    },
    "qwen2": {
        "mlp": "gated",
        "norm": "rmsnorm",
        "attention_bias": "qkv",
        "mlp_bias": "false",
        "tied": "false",
        "positions": 0,
    },
    "qwen3": {
        "mlp": "gated",
        "norm": "rmsnorm",
        "attention_bias": "none",
        "mlp_bias": "false",
        "tied": "false",
        "positions": 0,
        "qk_norm": "per-head",
    },
    "olmo2": {
        "mlp": "gated",
        "norm": "rmsnorm",
        "attention_bias": "none",
        "mlp_bias": "false",
        "tied": "false",
        "positions": 0,
        "qk_norm": "full",
    },
    "gemma": {
        "mlp": "gated",
        "norm": "rmsnorm",
        "attention_bias": "none",
        "mlp_bias": "false",
        "tied": "true",
        "positions": 0,
    },
    "gemma2": {
        "mlp": "gated",
        "norm": "rmsnorm",
        "attention_bias": "none",
        "mlp_bias": "false",
        "tied": "true",
        "positions": 0,
        "norms_per_layer": 4,
    },
    "deepseek": {
        "mlp": "gated",
        "norm": "rmsnorm",
        "attention_bias": "none",
        "mlp_bias": "false",
        "tied": "false",
        "positions": 0,
        "attention": "latent",
    },
}
"""What each family states under `model.`, in words and whole numbers."""

_ALIKE: Final = {
    "gpt": "GPT-2, GPT-3, OPT, Megatron: LayerNorm, biases, a plain block of 4 h, learned positions, a tied head",
    "bloom": "BLOOM: as gpt without learned positions, with a norm behind the embedding",
    "neox": "GPT-NeoX, Pythia: as gpt with rotary positions and a head of its own",
    "falcon": "Falcon: LayerNorm, no linear biases, a plain block of 4 h, rotary positions, a tied head",
    "llama": "Llama, Mistral, Mixtral: RMSNorm, no biases, a gated block, rotary positions, a head of its own",
    "qwen2": "Qwen2, Qwen2.5: as llama with biases on queries, keys and values",
    "qwen3": "Qwen3: as llama with a norm on each query and key head",
    "olmo2": "OLMo 2: as llama with norms over all queries and over all keys",
    "gemma": "Gemma: as llama with a tied head",
    "gemma2": "Gemma 2: as gemma with four norms in a layer",
    "deepseek": "DeepSeek-V2 and V3: as llama with multi-head latent attention",
}
_CONFIGURATION: Final = Source("model-configurations", "published model configurations and reference code")


def parts(sizes: Mapping[str, str | int]) -> dict[str, Expr]:
    """Name under `model.` what a table states in words and whole numbers."""
    return {f"model.{name}": Text(size) if isinstance(size, str) else number(size) for name, size in sizes.items()}


def _family(name: str) -> Preset:
    values = parts(PARTS[name])
    if PARTS[name]["mlp"] == "plain":
        values["model.ffn"] = 4 * symbol("model.hidden")
    return Preset(name, _ALIKE[name], values, _CONFIGURATION)


FAMILIES: Final = Table(PARTS, _family)
