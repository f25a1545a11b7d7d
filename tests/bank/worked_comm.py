"""Keys and typed answers of the questions on communication, worked out by hand from their stems."""

from __future__ import annotations

from fractions import Fraction

GB = 10**9
KEYS = {
    "moe-ep-degree": ("ep16",),
    "moe-folding": ("folded",),
    "moe-tokens-order": ("deepseek", "qwen", "mixtral", "dense"),
    "cp-ring-vs-ulysses": ("ring", "ulysses", "queries", "inputs"),
    "moe-memory": ("all",),
    "tp-cross-node": ("tp8",),
    "tp-vs-fsdp-bytes": ("cp_fsdp", "tp_sp", "tp", "fsdp", "ddp"),
    "coll-bits-bytes": ("both_wrong",),
    "coll-hier": ("own_part",),
    "ddp-bucket-latency": ("large",),
    "fsdp-root-wrap": ("blocks",),
}
ANSWERS = {
    "moe-a2a-bytes": 4 * 7168 * (1 + 2) * 58,
    "moe-ep-degree": Fraction(2 * 94 * 128 * 3 * 4096 * 1536, 2 * 16),
    "moe-folding": 2 + 2 + Fraction(12, 2),
    "moe-tokens-order": Fraction(2 * 989 * 10**12, 2 * 400 * GB) * Fraction(671_026_419_200, 37_552_297_472),
    "cp-attn-flops": Fraction(6 * 80 * 131_072 * 8192, 6 * 70 * GB),
    "cp-causal-balance": Fraction(7, 16) / Fraction(1, 4),
    "moe-memory": -(-16 * 671_026_419_200 // (80 * GB)),
    "hsdp-traffic": 3 * 4 * 2 * 13 * GB * Fraction(31, 32),
    "tp-cross-node": 10 * 80 * (8192 * 8192 * 2) * Fraction(7, 8),
    "tp-sp-acts": (10 + Fraction(24, 8)) / Fraction(34, 8),
    "coll-bits-bytes": 400 * 10**9 // 8,
    "coll-busbw": 200 * GB * Fraction(2 * 7, 8),
    "coll-hier": Fraction(2 * 7 * 14, 8 * 450),
    "ddp-bucket-latency": Fraction(2 * 31 * 14, 32 * 230),
    "fsdp-min-gpus": 8 * -(-16 * 70_553_706_496 // (8 * 50 * GB)),
    "fsdp-overlap-tokens": Fraction(989 * 10**12, 8 * 50 * GB),
    "fsdp-root-wrap": 2 * (2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28_672 + 2 * 8192),
    "zero3-grad-accum": Fraction(16 * 3, 2),
}
