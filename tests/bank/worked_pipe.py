"""Keys and answers on pipelines, composition, batches, scaling, utilisation and cost, by hand from their stems."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

GB = 10**9
H100 = 989 * 10**12
HOUR = 3600

KEYS = {
    "cbs-speedup": ("diminishing",),
    "cost-dsv3": ("final_run",),
    "cost-offers": ("h100_small",),
    "ga-under-zero": ("zero1_split",),
    "mfu-54days": ("longer",),
    "pp-1f1b-memory": ("f1b",),
    "pp-order-activations": ("gpipe", "zb_h2", "interleaved", "dualpipe", "f1b"),
    "pp-zero3-conflict": ("zero1",),
    "pr-peak-denominator": ("dense",),
    "sl-moe-active": ("over_peak",),
}
ANSWERS = {
    "cbs-speedup": 100_000 * Fraction(16 + 2, 16),
    "cost-8b": Fraction(6 * 8 * 15 * 10**21 * 5, 2 * H100 * HOUR) * 2,
    "cost-dsv3": Fraction("2.788e6") * Fraction("3.2"),
    "cost-offers": Fraction(6 * 13 * 2 * 10**21 * 5, 2 * H100 * HOUR) * Fraction("2.4"),
    "ga-steps": Fraction(10_485_760, 8192 * 32),
    "ga-under-zero": 2 * 2 * 13 * GB * Fraction(63, 64),
    "mesh-405b-state": Fraction(405 * GB, 128) * (2 + Fraction(16, 128)),
    "mfu-54days": Fraction("30.84e6") / 16_384 * HOUR,
    "mfu-8b-torchtitan": Fraction(5762 * (6 * (8_030_261_248 - 128_256 * 4096) + 12 * 32 * 4096 * 8192), H100),
    "pp-1f1b-memory": Fraction(16 * 70_553_706_496, 64) + 8 * Fraction("3.4e9"),
    "pp-head-imbalance": Fraction(128_256 * 8192) / Fraction("855.6e6"),
    "pp-llama3-bubble": Fraction(16 - 1, 2**24 // 8192 // 128),
    "pp-order-activations": 2 * 8 - 1,
    "pp-zb-dualpipe": Fraction(7 * (30 + 20 - 30), 1000),
    "pp-zero3-conflict": Fraction(3 * 32, 2),
    "pr-peak-denominator": Fraction(400, 989),
    "roof-ridge": Fraction(989) / Fraction("3.35"),
    "sl-6nd-days": Fraction(6 * 8 * 15 * 10**21 * 5, 2 * H100 * 1024),
    "sl-chinchilla": sqrt(1e24 / 120),
    "sl-moe-active": Fraction(6 * 37 * 10**9 * 148 * 10**11, 2_664_000 * HOUR * H100),
}
