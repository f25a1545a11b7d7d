"""Dense models with gated blocks: Llama and what is built alike."""

from __future__ import annotations

from typing import Final

from solvers.relation import Source
from solvers.tables.model_row import ModelRow

_CARD: Final = "the published configuration"
_LLAMA1: Final = Source(
    "llama1-2023", "LLaMA: Open and Efficient Foundation Language Models", f"table 2 and {_CARD}", "arXiv:2302.13971"
)
_LLAMA2: Final = Source(
    "llama2-2023",
    "Llama 2: Open Foundation and Fine-Tuned Chat Models",
    "table 1 and the published configuration",
    "arXiv:2307.09288",
)
_LLAMA3: Final = Source(
    "llama3-2024", "The Llama 3 Herd of Models", "table 3 and the published configuration", "arXiv:2407.21783"
)
_MISTRAL: Final = Source("mistral-2023", "Mistral 7B", "table 1 and the published configuration", "arXiv:2310.06825")
_MISTRAL_CARDS: Final = Source("mistral-cards", "Mistral AI model cards", _CARD, "huggingface.co/mistralai")
_QWEN25: Final = Source("qwen2.5-2024", "Qwen2.5 Technical Report", f"table 1 and {_CARD}", "arXiv:2412.15115")
_QWEN3: Final = Source("qwen3-2025", "Qwen3 Technical Report", f"table 1 and {_CARD}", "arXiv:2505.09388")
_GEMMA: Final = Source(
    "gemma-2024",
    "Gemma: Open Models Based on Gemini Research and Technology",
    f"table 1 and {_CARD}",
    "arXiv:2403.08295",
)
_GEMMA2: Final = Source(
    "gemma2-2024",
    "Gemma 2: Improving Open Language Models at a Practical Size",
    f"table 1 and {_CARD}",
    "arXiv:2408.00118",
)
_GEMMA3: Final = Source("gemma3-2025", "Gemma 3 Technical Report", f"table 1 and {_CARD}", "arXiv:2503.19786")
_SMOL2: Final = Source("smollm2-2025", "SmolLM2: When Smol Goes Big", _CARD, "arXiv:2502.02737")
_SMOL3: Final = Source("smollm3-2025", "SmolLM3 model card", _CARD, "huggingface.co/HuggingFaceTB")
_OLMO: Final = Source(
    "olmo-2024", "OLMo: Accelerating the Science of Language Models", f"table 1 and {_CARD}", "arXiv:2402.00838"
)
_OLMO2: Final = Source("olmo2-2025", "2 OLMo 2 Furious", f"table 3 and {_CARD}", "arXiv:2501.00656")
_PALM: Final = Source("palm-2022", "PaLM: Scaling Language Modeling with Pathways", "table 1", "arXiv:2204.02311")
_TINY: Final = Source("tinyllama-2024", "TinyLlama: An Open-Source Small Language Model", _CARD, "arXiv:2401.02385")
_YI: Final = Source("yi-2024", "Yi: Open Foundation Models by 01.AI", _CARD, "arXiv:2403.04652")
_PHI3: Final = Source("phi3-2024", "Phi-3 Technical Report", _CARD, "arXiv:2404.14219")
_DEEPSEEK: Final = Source(
    "deepseek-llm-2024", "DeepSeek LLM: Scaling Open-Source Language Models", _CARD, "arXiv:2401.02954"
)
_TIED: Final = {"tied": "true"}
_PALM_BLOCK: Final[dict[str, str | int]] = {"tied": "true", "norm": "layernorm-no-bias", "norms_per_layer": 1}

DENSE: Final = (
    ModelRow(
        "llama-1-7b", "Llama 7B", 6_738_415_616, "llama", (32, 4096, 32, 32, 128, 32_000), {"ffn": 11_008}, _LLAMA1
    ),
    ModelRow(
        "llama-1-13b", "Llama 13B", 13_015_864_320, "llama", (40, 5120, 40, 40, 128, 32_000), {"ffn": 13_824}, _LLAMA1
    ),
    ModelRow(
        "llama-1-33b", "Llama 33B", 32_528_943_616, "llama", (60, 6656, 52, 52, 128, 32_000), {"ffn": 17_920}, _LLAMA1
    ),
    ModelRow(
        "llama-1-65b", "Llama 65B", 65_285_660_672, "llama", (80, 8192, 64, 64, 128, 32_000), {"ffn": 22_016}, _LLAMA1
    ),
    ModelRow(
        "llama-2-7b", "Llama 2 7B", 6_738_415_616, "llama", (32, 4096, 32, 32, 128, 32_000), {"ffn": 11_008}, _LLAMA2
    ),
    ModelRow(
        "llama-2-13b", "Llama 2 13B", 13_015_864_320, "llama", (40, 5120, 40, 40, 128, 32_000), {"ffn": 13_824}, _LLAMA2
    ),
    ModelRow(
        "llama-2-70b", "Llama 2 70B", 68_976_648_192, "llama", (80, 8192, 64, 8, 128, 32_000), {"ffn": 28_672}, _LLAMA2
    ),
    ModelRow(
        "codellama-34b",
        "Code Llama 34B",
        33_743_970_304,
        "llama",
        (48, 8192, 64, 8, 128, 32_000),
        {"ffn": 22_016},
        _LLAMA2,
    ),
    ModelRow(
        "llama-3-8b", "Llama 3 8B", 8_030_261_248, "llama", (32, 4096, 32, 8, 128, 128_256), {"ffn": 14_336}, _LLAMA3
    ),
    ModelRow(
        "llama-3-70b", "Llama 3 70B", 70_553_706_496, "llama", (80, 8192, 64, 8, 128, 128_256), {"ffn": 28_672}, _LLAMA3
    ),
    ModelRow(
        "llama-3-405b",
        "Llama 3.1 405B",
        405_853_388_800,
        "llama",
        (126, 16_384, 128, 8, 128, 128_256),
        {"ffn": 53_248},
        _LLAMA3,
    ),
    ModelRow(
        "llama-3.2-1b",
        "Llama 3.2 1B",
        1_235_814_400,
        "llama",
        (16, 2048, 32, 8, 64, 128_256),
        {"ffn": 8192, **_TIED},
        _LLAMA3,
    ),
    ModelRow(
        "llama-3.2-3b",
        "Llama 3.2 3B",
        3_212_749_824,
        "llama",
        (28, 3072, 24, 8, 128, 128_256),
        {"ffn": 8192, **_TIED},
        _LLAMA3,
    ),
    ModelRow(
        "tinyllama-1.1b", "TinyLlama 1.1B", 1_100_048_384, "llama", (22, 2048, 32, 4, 64, 32_000), {"ffn": 5632}, _TINY
    ),
    ModelRow("yi-34b", "Yi 34B", 34_388_917_248, "llama", (60, 7168, 56, 8, 128, 64_000), {"ffn": 20_480}, _YI),
    ModelRow(
        "deepseek-llm-7b",
        "DeepSeek LLM 7B",
        6_910_365_696,
        "llama",
        (30, 4096, 32, 32, 128, 102_400),
        {"ffn": 11_008},
        _DEEPSEEK,
    ),
    ModelRow(
        "deepseek-llm-67b",
        "DeepSeek LLM 67B",
        67_425_001_472,
        "llama",
        (95, 8192, 64, 8, 128, 102_400),
        {"ffn": 22_016},
        _DEEPSEEK,
    ),
    ModelRow(
        "phi-3-mini", "Phi-3 mini 3.8B", 3_821_079_552, "llama", (32, 3072, 32, 32, 96, 32_064), {"ffn": 8192}, _PHI3
    ),
    ModelRow(
        "phi-3-medium",
        "Phi-3 medium 14B",
        13_960_238_080,
        "llama",
        (40, 5120, 40, 10, 128, 32_064),
        {"ffn": 17_920},
        _PHI3,
    ),
    ModelRow(
        "mistral-7b", "Mistral 7B", 7_241_732_096, "llama", (32, 4096, 32, 8, 128, 32_000), {"ffn": 14_336}, _MISTRAL
    ),
    ModelRow(
        "mistral-nemo-12b",
        "Mistral NeMo 12B",
        12_247_782_400,
        "llama",
        (40, 5120, 32, 8, 128, 131_072),
        {"ffn": 14_336},
        _MISTRAL_CARDS,
    ),
    ModelRow(
        "mistral-small-24b",
        "Mistral Small 3 24B",
        23_572_403_200,
        "llama",
        (40, 5120, 32, 8, 128, 131_072),
        {"ffn": 32_768},
        _MISTRAL_CARDS,
    ),
    ModelRow(
        "mistral-large-123b",
        "Mistral Large 2 123B",
        122_610_069_504,
        "llama",
        (88, 12_288, 96, 8, 128, 32_768),
        {"ffn": 28_672},
        _MISTRAL_CARDS,
    ),
    ModelRow(
        "qwen2.5-0.5b",
        "Qwen2.5 0.5B",
        494_032_768,
        "qwen2",
        (24, 896, 14, 2, 64, 151_936),
        {"ffn": 4864, **_TIED},
        _QWEN25,
    ),
    ModelRow(
        "qwen2.5-1.5b",
        "Qwen2.5 1.5B",
        1_543_714_304,
        "qwen2",
        (28, 1536, 12, 2, 128, 151_936),
        {"ffn": 8960, **_TIED},
        _QWEN25,
    ),
    ModelRow(
        "qwen2.5-3b",
        "Qwen2.5 3B",
        3_085_938_688,
        "qwen2",
        (36, 2048, 16, 2, 128, 151_936),
        {"ffn": 11_008, **_TIED},
        _QWEN25,
    ),
    ModelRow(
        "qwen2.5-7b", "Qwen2.5 7B", 7_615_616_512, "qwen2", (28, 3584, 28, 4, 128, 152_064), {"ffn": 18_944}, _QWEN25
    ),
    ModelRow(
        "qwen2.5-14b", "Qwen2.5 14B", 14_770_033_664, "qwen2", (48, 5120, 40, 8, 128, 152_064), {"ffn": 13_824}, _QWEN25
    ),
    ModelRow(
        "qwen2.5-32b", "Qwen2.5 32B", 32_763_876_352, "qwen2", (64, 5120, 40, 8, 128, 152_064), {"ffn": 27_648}, _QWEN25
    ),
    ModelRow(
        "qwen2.5-72b", "Qwen2.5 72B", 72_706_203_648, "qwen2", (80, 8192, 64, 8, 128, 152_064), {"ffn": 29_568}, _QWEN25
    ),
    ModelRow(
        "qwen3-0.6b",
        "Qwen3 0.6B",
        596_049_920,
        "qwen3",
        (28, 1024, 16, 8, 128, 151_936),
        {"ffn": 3072, **_TIED},
        _QWEN3,
    ),
    ModelRow(
        "qwen3-1.7b",
        "Qwen3 1.7B",
        1_720_574_976,
        "qwen3",
        (28, 2048, 16, 8, 128, 151_936),
        {"ffn": 6144, **_TIED},
        _QWEN3,
    ),
    ModelRow(
        "qwen3-4b", "Qwen3 4B", 4_022_468_096, "qwen3", (36, 2560, 32, 8, 128, 151_936), {"ffn": 9728, **_TIED}, _QWEN3
    ),
    ModelRow("qwen3-8b", "Qwen3 8B", 8_190_735_360, "qwen3", (36, 4096, 32, 8, 128, 151_936), {"ffn": 12_288}, _QWEN3),
    ModelRow(
        "qwen3-14b", "Qwen3 14B", 14_768_307_200, "qwen3", (40, 5120, 40, 8, 128, 151_936), {"ffn": 17_408}, _QWEN3
    ),
    ModelRow(
        "qwen3-32b", "Qwen3 32B", 32_762_123_264, "qwen3", (64, 5120, 64, 8, 128, 151_936), {"ffn": 25_600}, _QWEN3
    ),
    ModelRow("gemma-2b", "Gemma 2B", 2_506_172_416, "gemma", (18, 2048, 8, 1, 256, 256_000), {"ffn": 16_384}, _GEMMA),
    ModelRow("gemma-7b", "Gemma 7B", 8_537_680_896, "gemma", (28, 3072, 16, 16, 256, 256_000), {"ffn": 24_576}, _GEMMA),
    ModelRow(
        "gemma-2-2b", "Gemma 2 2B", 2_614_341_888, "gemma2", (26, 2304, 8, 4, 256, 256_000), {"ffn": 9216}, _GEMMA2
    ),
    ModelRow(
        "gemma-2-9b", "Gemma 2 9B", 9_241_705_984, "gemma2", (42, 3584, 16, 8, 256, 256_000), {"ffn": 14_336}, _GEMMA2
    ),
    ModelRow(
        "gemma-2-27b",
        "Gemma 2 27B",
        27_227_128_320,
        "gemma2",
        (46, 4608, 32, 16, 128, 256_000),
        {"ffn": 36_864},
        _GEMMA2,
    ),
    ModelRow(
        "gemma-3-1b",
        "Gemma 3 1B",
        999_885_952,
        "gemma2",
        (26, 1152, 4, 1, 256, 262_144),
        {"ffn": 6912, "qk_norm": "per-head"},
        _GEMMA3,
    ),
    ModelRow(
        "smollm2-1.7b",
        "SmolLM2 1.7B",
        1_711_376_384,
        "llama",
        (24, 2048, 32, 32, 64, 49_152),
        {"ffn": 8192, **_TIED},
        _SMOL2,
    ),
    ModelRow(
        "smollm3-3b",
        "SmolLM3 3B",
        3_075_098_624,
        "llama",
        (36, 2048, 16, 4, 128, 128_256),
        {"ffn": 11_008, **_TIED},
        _SMOL3,
    ),
    ModelRow(
        "olmo-7b",
        "OLMo 7B",
        6_888_095_744,
        "llama",
        (32, 4096, 32, 32, 128, 50_304),
        {"ffn": 11_008, "norm": "none"},
        _OLMO,
    ),
    ModelRow("olmo-2-1b", "OLMo 2 1B", 1_484_916_736, "olmo2", (16, 2048, 16, 16, 128, 100_352), {"ffn": 8192}, _OLMO2),
    ModelRow(
        "olmo-2-7b", "OLMo 2 7B", 7_298_617_344, "olmo2", (32, 4096, 32, 32, 128, 100_352), {"ffn": 11_008}, _OLMO2
    ),
    ModelRow(
        "olmo-2-13b", "OLMo 2 13B", 13_716_198_400, "olmo2", (40, 5120, 40, 40, 128, 100_352), {"ffn": 13_824}, _OLMO2
    ),
    ModelRow(
        "olmo-2-32b", "OLMo 2 32B", 32_234_279_936, "olmo2", (64, 5120, 40, 8, 128, 100_352), {"ffn": 27_648}, _OLMO2
    ),
    ModelRow(
        "palm-8b", "PaLM 8B", None, "llama", (32, 4096, 16, 1, 256, 256_000), {"ffn": 16_384, **_PALM_BLOCK}, _PALM
    ),
    ModelRow(
        "palm-62b", "PaLM 62B", None, "llama", (64, 8192, 32, 1, 256, 256_000), {"ffn": 32_768, **_PALM_BLOCK}, _PALM
    ),
    ModelRow(
        "palm-540b",
        "PaLM 540B",
        None,
        "llama",
        (118, 18_432, 48, 1, 256, 256_000),
        {"ffn": 73_728, **_PALM_BLOCK},
        _PALM,
    ),
)
