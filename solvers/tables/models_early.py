"""Models with plain blocks: GPT, Megatron, OPT, BLOOM, Pythia, Falcon; and T5, of which only the size is known here."""

from __future__ import annotations

from typing import Final

from solvers.relation import Source
from solvers.tables.model_row import ModelRow

_CARD: Final = "the published configuration"
_GPT2: Final = Source("gpt2-2019", "Language Models are Unsupervised Multitask Learners", f"table 2 and {_CARD}")
_GPT3: Final = Source(
    "gpt3-2020", "Language Models are Few-Shot Learners", "table 2.1; vocabulary of GPT-2", "arXiv:2005.14165"
)
_SELECTIVE: Final = Source(
    "selective-2022", "Reducing Activation Recomputation in Large Transformer Models", "table 3", "arXiv:2205.05198"
)
_OPT: Final = Source(
    "opt-2022", "OPT: Open Pre-trained Transformer Language Models", f"table 1 and {_CARD}", "arXiv:2205.01068"
)
_BLOOM: Final = Source(
    "bloom-2022",
    "BLOOM: A 176B-Parameter Open-Access Multilingual Language Model",
    f"table 3 and {_CARD}",
    "arXiv:2211.05100",
)
_NEOX: Final = Source(
    "neox-2022", "GPT-NeoX-20B: An Open-Source Autoregressive Language Model", _CARD, "arXiv:2204.06745"
)
_PYTHIA: Final = Source(
    "pythia-2023", "Pythia: A Suite for Analyzing Large Language Models", f"table 1 and {_CARD}", "arXiv:2304.01373"
)
_FALCON: Final = Source("falcon-2023", "The Falcon Series of Open Language Models", _CARD, "arXiv:2311.16867")
_STABLELM: Final = Source("stablelm-alpha", "StableLM Base Alpha model cards", _CARD, "huggingface.co/stabilityai")
_GPTJ: Final = Source("gptj-2021", "GPT-J-6B model card", _CARD, "huggingface.co/EleutherAI/gpt-j-6b")
_PHI2: Final = Source("phi2-2023", "Phi-2 model card", _CARD, "huggingface.co/microsoft/phi-2")
_PHI15: Final = Source(
    "phi1.5-2023",
    "Textbooks Are All You Need II: phi-1.5 technical report",
    f"section 2.1 and {_CARD}",
    "arXiv:2309.05463",
)
_T5: Final = Source(
    "t5-2019",
    "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
    f"section 3.7 and {_CARD}",
    "arXiv:1910.10683",
)


def _gpt2(name: str, meaning: str, parameters: int, layers: int, hidden: int) -> ModelRow:
    return ModelRow(
        name,
        meaning,
        parameters,
        "gpt",
        (layers, hidden, hidden // 64, hidden // 64, 64, 50_257),
        {"positions": 1024},
        _GPT2,
    )


def _megatron(size: str, layers: int, hidden: int, heads: int) -> ModelRow:
    return ModelRow(
        f"megatron-{size.lower()}",
        f"Megatron {size}",
        None,
        "gpt",
        (layers, hidden, heads, heads, hidden // heads, 51_200),
        {"positions": 2048},
        _SELECTIVE,
    )


def _opt(size: str, parameters: int | None, layers: int, hidden: int, heads: int) -> ModelRow:
    # The table of positions has two rows in front that no token uses.
    return ModelRow(
        f"opt-{size.lower()}",
        f"OPT {size}",
        parameters,
        "gpt",
        (layers, hidden, heads, heads, hidden // heads, 50_272),
        {"positions": 2050},
        _OPT,
    )


def _bloom(size: str, parameters: int, layers: int, hidden: int, heads: int) -> ModelRow:
    return ModelRow(
        f"bloom-{size.lower()}",
        f"BLOOM {size}",
        parameters,
        "bloom",
        (layers, hidden, heads, heads, hidden // heads, 250_880),
        {},
        _BLOOM,
    )


def _neox(
    name: str, meaning: str, parameters: int | None, shape: tuple[int, int, int, int], source: Source
) -> ModelRow:
    layers, hidden, heads, vocabulary = shape
    return ModelRow(
        name, meaning, parameters, "neox", (layers, hidden, heads, heads, hidden // heads, vocabulary), {}, source
    )


EARLY: Final = (
    _gpt2("gpt2", "GPT-2 small 124M", 124_439_808, 12, 768),
    _gpt2("gpt2-medium", "GPT-2 medium 355M", 354_823_168, 24, 1024),
    _gpt2("gpt2-large", "GPT-2 large 774M", 774_030_080, 36, 1280),
    _gpt2("gpt2-xl", "GPT-2 XL 1.5B", 1_557_611_200, 48, 1600),
    ModelRow("gpt-3-175b", "GPT-3 175B", None, "gpt", (96, 12_288, 96, 96, 128, 50_257), {"positions": 2048}, _GPT3),
    _megatron("22B", 48, 6144, 64),
    _megatron("175B", 96, 12_288, 96),
    _megatron("530B", 105, 20_480, 128),
    _megatron("1T", 128, 25_600, 160),
    _opt("125M", 125_239_296, 12, 768, 12),
    _opt("1.3B", 1_315_758_080, 24, 2048, 32),
    _opt("2.7B", 2_651_596_800, 32, 2560, 32),
    _opt("6.7B", 6_658_473_984, 32, 4096, 32),
    _opt("13B", 12_853_473_280, 40, 5120, 40),
    _opt("30B", 29_974_540_288, 48, 7168, 56),
    _opt("66B", None, 64, 9216, 72),
    _bloom("560M", 559_214_592, 24, 1024, 16),
    _bloom("1B1", 1_065_314_304, 24, 1536, 16),
    _bloom("1B7", 1_722_408_960, 24, 2048, 16),
    _bloom("3B", 3_002_557_440, 30, 2560, 32),
    _bloom("7B1", 7_069_016_064, 30, 4096, 32),
    _bloom("176B", 176_247_271_424, 70, 14_336, 112),
    _neox("gpt-neox-20b", "GPT-NeoX 20B", 20_554_567_680, (44, 6144, 64, 50_432), _NEOX),
    _neox("pythia-70m", "Pythia 70M", 70_426_624, (6, 512, 8, 50_304), _PYTHIA),
    _neox("pythia-160m", "Pythia 160M", 162_322_944, (12, 768, 12, 50_304), _PYTHIA),
    _neox("pythia-410m", "Pythia 410M", 405_334_016, (24, 1024, 16, 50_304), _PYTHIA),
    _neox("pythia-1b", "Pythia 1B", 1_011_781_632, (16, 2048, 8, 50_304), _PYTHIA),
    _neox("pythia-1.4b", "Pythia 1.4B", 1_414_647_808, (24, 2048, 16, 50_304), _PYTHIA),
    _neox("pythia-2.8b", "Pythia 2.8B", 2_775_208_960, (32, 2560, 32, 50_304), _PYTHIA),
    _neox("pythia-6.9b", "Pythia 6.9B", 6_857_302_016, (32, 4096, 32, 50_432), _PYTHIA),
    _neox("pythia-12b", "Pythia 12B", 11_846_072_320, (36, 5120, 40, 50_688), _PYTHIA),
    _neox("stablelm-alpha-3b", "StableLM Base Alpha 3B", None, (16, 4096, 32, 50_688), _STABLELM),
    _neox("stablelm-alpha-7b", "StableLM Base Alpha 7B", None, (16, 6144, 48, 50_432), _STABLELM),
    ModelRow(
        "falcon-7b",
        "Falcon 7B",
        6_921_720_704,
        "falcon",
        (32, 4544, 71, 1, 64, 65_024),
        {"norms_per_layer": 1},
        _FALCON,
    ),
    ModelRow("falcon-40b", "Falcon 40B", 41_303_293_952, "falcon", (60, 8192, 128, 8, 64, 65_024), {}, _FALCON),
    ModelRow("falcon-180b", "Falcon 180B", None, "falcon", (80, 14_848, 232, 8, 64, 65_024), {}, _FALCON),
    ModelRow(
        "gpt-j-6b",
        "GPT-J 6B",
        6_050_882_784,
        "neox",
        (28, 4096, 16, 16, 256, 50_400),
        {"attention_bias": "none", "norms_per_layer": 1, "head_bias": "true"},
        _GPTJ,
    ),
    ModelRow(
        "phi-1.5",
        "Phi-1.5 1.3B",
        1_418_270_720,
        "neox",
        (24, 2048, 32, 32, 64, 51_200),
        {"norms_per_layer": 1, "head_bias": "true"},
        _PHI15,
    ),
    ModelRow(
        "phi-2",
        "Phi-2 2.7B",
        2_779_683_840,
        "neox",
        (32, 2560, 32, 32, 80, 51_200),
        {"norms_per_layer": 1, "head_bias": "true"},
        _PHI2,
    ),
    ModelRow("t5-large", "T5 large", 737_668_096, "", (), {}, _T5),
    ModelRow("t5-3b", "T5 3B", 2_851_598_336, "", (), {}, _T5),
)
