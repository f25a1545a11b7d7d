"""Keys and typed answers of the questions on memory, by hand from their stems; nothing here knows the solver."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

GB: Final = 10**9
_LLAMA_70B_SIDES: Final = 80 * ((8192 + 8192) * 2 + (8192 + 1024) * 2 + (8192 + 28_672) * 3)
_LLAMA_70B_MATRICES: Final = 80 * (8192 * 8192 * 2 + 8192 * 1024 * 2 + 8192 * 28_672 * 3)
_LLAMA_70B: Final = 70_553_706_496
_LLAMA_2_7B_SIDES: Final = 32 * ((4096 + 4096) * 4 + (4096 + 11_008) * 3)
_NF4_BITS: Final = 4 + Fraction(8, 64) + Fraction(32, 64 * 256)
_NF4_70B: Final = _LLAMA_70B_MATRICES * _NF4_BITS / 8 + 2 * (_LLAMA_70B - _LLAMA_70B_MATRICES)

KEYS: Final[dict[str, tuple[str, ...]]] = {
    "lora-70b-one-gpu": ("nf4",),
    "lora-adapter-state": ("queries_values", "attention", "wide", "mlp", "all_linear"),
    "lora-floor": ("alone",),
    "mb-logits": ("chunked",),
    "oom-frag": ("holes",),
    "opt-8bit": ("quantised",),
    "opt-state-order": ("adafactor", "adam8", "muon", "adam", "shampoo"),
    "pr-bf16-update": ("lost",),
    "pr-fp8-memory": ("both",),
    "rc-every-k": ("two",),
    "zero-least-sharding": ("zero2",),
}
ANSWERS: Final[dict[str, Fraction | float]] = {
    "lora-70b-one-gpu": _NF4_70B + 16 * 16 * _LLAMA_70B_SIDES,
    "lora-floor": Fraction(2 * 6_738_415_616 + 16 * 16 * _LLAMA_2_7B_SIDES),
    "lora-nf4-bits": _NF4_70B,
    "mb-acts-70b": Fraction(34 * 8192 * 8192 * 80),
    "mb-largest-on-80": Fraction((80 - 10) * GB, 16),
    "mb-logits": Fraction(4 * 4 * 8192 * 128_256),
    "mb-megatron-18": Fraction(70 * GB, 8 * 4) * (2 + 4 + Fraction(12, 8)),
    "off-cpu-adam": Fraction(2 * 140 * GB + 28 * 70 * GB, 400 * GB) / Fraction(6 * 70 * GB * 32_768, 8 * 400 * 10**12),
    "oom-frag": (Fraction(121, 2) + Fraction(57, 4)) * 2**30,
    "opt-8bit": (2 + 2 + 4 + 2 * (1 + Fraction(4, 256))) * 13 * GB / 2,
    "opt-muon": Fraction(5 * 16_384, 16_000_000),
    "pr-bf16-update": Fraction(1, 2**8),
    "pr-fp16-scale": Fraction(2**14),
    "pr-fp8-memory": (1 + Fraction(4, 128 * 128) + 4 + 4 + 2 + 2) * 671 * GB,
    "rc-every-k": Fraction((2 * 80 // 2 + 34 * 2) * 8192 * 8192, 8),
    "rc-selective": Fraction(5 * 96 * 2048, 12_288) / (34 + Fraction(5 * 96 * 2048, 12_288)),
    "zero-least-sharding": Fraction(2 * 2 * 16 * GB * 15, 16),
}
