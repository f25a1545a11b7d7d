"""Which mistakes of the catalogue are not told together, and why: what one leaves open, nothing is said of."""

from __future__ import annotations

DECIDING = {
    "cluster.nodes: four",
    "require: memory.totl_per_gpu",
    "+ spares <=",
    "least memory.total_per_cpu",
    "biggest memory.margin_per_gpu",
    "layout.dp: cluster.gpu_count\n",
    "layout.zeroes: 3",
    "layout.zero: 7}",
    "  memory:\n",
    "asserted: maybe",
    "holds: memory.stat < few\n    slip: all",
    "memory.gradients_per_gpu == hole",
    "in: keptwhole",
    "set: {layout.zro: 0}",
    "    # no source\nfigures:",
    "few: {input: 100 Gb/}",
    "* model.params",
}
"""Mistakes in what decides a question: what figures contradict is not known until they are mended."""
LEANING = {
    ("slip: stage-one-shards-all", "    slip: stage: all"),
    ("slip: all-is-sharded", "    slip: all: sharded"),
    ("  memory:\n", "text: |\n      Nothing sharded"),
    ("is: checkpoint.interval_yung\n", "unit: GB"),
    ("is: checkpoint.interval_yung\n", "within: 3 GB"),
    ("unit: GB", "within: 3 GB"),
    ('checkpoint.interval_jung, unit: "%"', "(1 * checkpoint.interval_young)"),
    ("state: memory.state_totl\n", "{{ state }} is less than {{ spare }}"),
    ("unit: GB", "within: 0.001 %"),
}
"""Pairs of which the second leans on the first: whether a unit, a tolerance or a slip is wrong, a value says."""
OF_YAML = frozenset(
    [
        "after-quote",
        "alias",
        "anchor",
        "braces",
        "colon-in-text",
        "duplicate-key",
        "escape",
        "key-without-value",
        "number",
        "pair-in-list",
        "reserved-character",
        "space-after-colon",
    ]
)
"""What the lint calls the mistakes of the YAML; what they leave open, no fact is judged by."""
