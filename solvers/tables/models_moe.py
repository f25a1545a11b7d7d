"""Models with experts: `ffn` is the width of their dense layers, `expert_ffn` that of one expert."""

from __future__ import annotations

from typing import Final

from solvers.relation import Source
from solvers.tables.model_row import ModelRow

_CARD: Final = "the published configuration"
_MIXTRAL: Final = Source("mixtral-2024", "Mixtral of Experts", f"table 1 and {_CARD}", "arXiv:2401.04088")
_MIXTRAL22: Final = Source(
    "mixtral-8x22b-card",
    "Mixtral 8x22B Instruct v0.1 model card",
    f"{_CARD}; the base release has 32,000 entries in its vocabulary, this one 32,768",
    "huggingface.co/mistralai",
)
_DEEPSEEK_MOE: Final = Source(
    "deepseek-moe-2024",
    "DeepSeekMoE: Towards Ultimate Expert Specialization in Mixture-of-Experts Language Models",
    f"section 5 and {_CARD}",
    "arXiv:2401.06066",
)
_DEEPSEEK2: Final = Source(
    "deepseek-v2-2024",
    "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model",
    f"section 3.1.2 and {_CARD}",
    "arXiv:2405.04434",
)
_DEEPSEEK3: Final = Source(
    "deepseek-v3-2024",
    "DeepSeek-V3 Technical Report",
    f"section 4.2 and {_CARD}; without the multi-token-prediction module",
    "arXiv:2412.19437",
)
_QWEN3: Final = Source("qwen3-2025", "Qwen3 Technical Report", f"table 2 and {_CARD}", "arXiv:2505.09388")
_QWEN2: Final = Source("qwen2-2024", "Qwen2 Technical Report", f"table 1 and {_CARD}", "arXiv:2407.10671")
_QWEN15: Final = Source("qwen1.5-moe-2024", "Qwen1.5-MoE-A2.7B model card", _CARD, "huggingface.co/Qwen")
_DBRX: Final = Source("dbrx-2024", "Introducing DBRX", _CARD, "huggingface.co/databricks/dbrx-base")
_KIMI: Final = Source(
    "kimi-k2-2025", "Kimi K2: Open Agentic Intelligence", f"section 2.3 and {_CARD}", "arXiv:2507.20534"
)
_CODER: Final = Source("qwen3-coder-2025", "Qwen3-Coder-480B-A35B model card", _CARD, "huggingface.co/Qwen")
_OSS: Final = Source(
    "gpt-oss-2025",
    "gpt-oss-120b & gpt-oss-20b Model Card",
    f"section 2 and {_CARD}; its active parameters leave out the embedding",
    "arXiv:2508.10925",
)
_MLA: Final = {"kv_rank": 512, "nope_head_dim": 128, "rope_head_dim": 64, "value_head_dim": 128}


def _oss(size: str, parameters: int, layers: int, experts: int) -> ModelRow:
    # A learned sink for each query head of each layer stands outside the pattern.
    return ModelRow(
        f"gpt-oss-{size}",
        f"gpt-oss {size}",
        parameters,
        "llama",
        (layers, 2880, 64, 8, 64, 201_088),
        {
            "ffn": 2880,
            "experts": experts,
            "experts_per_token": 4,
            "expert_ffn": 2880,
            "attention_bias": "all",
            "mlp_bias": "true",
            "router_bias": "true",
            "other_parameters": 64 * layers,
        },
        _OSS,
    )


EXPERTS: Final = (
    _oss("120b", 116_829_156_672, 36, 128),
    _oss("20b", 20_914_757_184, 24, 32),
    ModelRow(
        "kimi-k2",
        "Kimi K2 1T",
        None,
        "deepseek",
        (61, 7168, 64, 64, 192, 163_840),
        {
            **_MLA,
            "q_rank": 1536,
            "ffn": 18_432,
            "experts": 384,
            "experts_per_token": 8,
            "expert_ffn": 2048,
            "shared_experts": 1,
            "dense_layers": 1,
            "router_bias": "true",
        },
        _KIMI,
    ),
    ModelRow(
        "qwen3-coder-480b-a35b",
        "Qwen3 Coder 480B-A35B",
        480_154_875_392,
        "qwen3",
        (62, 6144, 96, 8, 128, 151_936),
        {"ffn": 8192, "experts": 160, "experts_per_token": 8, "expert_ffn": 2560},
        _CODER,
    ),
    ModelRow(
        "mixtral-8x7b",
        "Mixtral 8x7B",
        46_702_792_704,
        "llama",
        (32, 4096, 32, 8, 128, 32_000),
        {"ffn": 14_336, "experts": 8, "experts_per_token": 2, "expert_ffn": 14_336},
        _MIXTRAL,
    ),
    ModelRow(
        "mixtral-8x22b",
        "Mixtral 8x22B",
        140_630_071_296,
        "llama",
        (56, 6144, 48, 8, 128, 32_768),
        {"ffn": 16_384, "experts": 8, "experts_per_token": 2, "expert_ffn": 16_384},
        _MIXTRAL22,
    ),
    ModelRow(
        "deepseek-moe-16b",
        "DeepSeekMoE 16B",
        16_375_728_128,
        "llama",
        (28, 2048, 16, 16, 128, 102_400),
        {
            "ffn": 10_944,
            "experts": 64,
            "experts_per_token": 6,
            "expert_ffn": 1408,
            "shared_experts": 2,
            "dense_layers": 1,
        },
        _DEEPSEEK_MOE,
    ),
    ModelRow(
        "deepseek-v2-lite",
        "DeepSeek-V2-Lite 16B",
        15_706_484_224,
        "deepseek",
        (27, 2048, 16, 16, 192, 102_400),
        {
            **_MLA,
            "ffn": 10_944,
            "experts": 64,
            "experts_per_token": 6,
            "expert_ffn": 1408,
            "shared_experts": 2,
            "dense_layers": 1,
        },
        _DEEPSEEK2,
    ),
    ModelRow(
        "deepseek-v2",
        "DeepSeek-V2 236B",
        235_741_434_880,
        "deepseek",
        (60, 5120, 128, 128, 192, 102_400),
        {
            **_MLA,
            "q_rank": 1536,
            "ffn": 12_288,
            "experts": 160,
            "experts_per_token": 6,
            "expert_ffn": 1536,
            "shared_experts": 2,
            "dense_layers": 1,
        },
        _DEEPSEEK2,
    ),
    ModelRow(
        "deepseek-v3",
        "DeepSeek-V3 671B",
        671_026_419_200,
        "deepseek",
        (61, 7168, 128, 128, 192, 129_280),
        {
            **_MLA,
            "q_rank": 1536,
            "ffn": 18_432,
            "experts": 256,
            "experts_per_token": 8,
            "expert_ffn": 2048,
            "shared_experts": 1,
            "dense_layers": 3,
            "router_bias": "true",
        },
        _DEEPSEEK3,
    ),
    ModelRow(
        "qwen1.5-moe-a2.7b",
        "Qwen1.5 MoE A2.7B",
        14_315_784_192,
        "qwen2",
        (24, 2048, 16, 16, 128, 151_936),
        {
            "ffn": 5632,
            "experts": 60,
            "experts_per_token": 4,
            "expert_ffn": 1408,
            "shared_experts": 1,
            "shared_ffn": 5632,
            "shared_gate": "true",
        },
        _QWEN15,
    ),
    ModelRow(
        "qwen2-57b-a14b",
        "Qwen2 57B-A14B",
        None,
        "qwen2",
        (28, 3584, 28, 4, 128, 151_936),
        {
            "ffn": 18_944,
            "experts": 64,
            "experts_per_token": 8,
            "expert_ffn": 2560,
            "shared_experts": 1,
            "shared_ffn": 20_480,
            "shared_gate": "true",
        },
        _QWEN2,
    ),
    ModelRow(
        "qwen3-30b-a3b",
        "Qwen3 30B-A3B",
        30_532_122_624,
        "qwen3",
        (48, 2048, 32, 4, 128, 151_936),
        {"ffn": 6144, "experts": 128, "experts_per_token": 8, "expert_ffn": 768},
        _QWEN3,
    ),
    ModelRow(
        "qwen3-235b-a22b",
        "Qwen3 235B-A22B",
        235_093_634_560,
        "qwen3",
        (94, 4096, 64, 4, 128, 151_936),
        {"ffn": 12_288, "experts": 128, "experts_per_token": 8, "expert_ffn": 1536},
        _QWEN3,
    ),
    ModelRow(
        "dbrx-132b",
        "DBRX 132B",
        131_596_523_520,
        "llama",
        (40, 6144, 48, 8, 128, 100_352),
        {"ffn": 10_752, "experts": 16, "experts_per_token": 4, "expert_ffn": 10_752, "norm": "layernorm-no-bias"},
        _DBRX,
    ),
)
