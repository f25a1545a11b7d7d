"""Models: published architectures with the exact number of parameters."""

from __future__ import annotations

from typing import Final

from solvers.expr.tree import number
from solvers.relation import Source
from solvers.tables.preset import Preset

SHAPE: Final = ("model.parameters", "model.layers", "model.hidden", "model.query_heads", "model.kv_heads",
                "model.head_dim", "model.vocabulary")


def _model(name: str, meaning: str, shape: tuple[int, int, int, int, int, int, int], source: Source) -> Preset:
    """Parameters, layers, width, query heads, key-value heads, size of a head, vocabulary."""
    units = ("param", "", "", "", "", "", "")
    return Preset(name, meaning,
                  {key: number(size, unit) for key, size, unit in zip(SHAPE, shape, units, strict=True)}, source)


_LLAMA2: Final = Source("llama2-2023", "Llama 2: Open Foundation and Fine-Tuned Chat Models",
                        "table 1 and the published configuration", "arXiv:2307.09288")
_LLAMA3: Final = Source("llama3-2024", "The Llama 3 Herd of Models", "table 3 and the published configuration",
                        "arXiv:2407.21783")
_MISTRAL: Final = Source("mistral-2023", "Mistral 7B", "table 1 and the published configuration", "arXiv:2310.06825")

_ROWS: Final = (
    _model("llama-2-7b", "Llama 2 7B", (6_738_415_616, 32, 4096, 32, 32, 128, 32_000), _LLAMA2),
    _model("llama-2-13b", "Llama 2 13B", (13_015_864_320, 40, 5120, 40, 40, 128, 32_000), _LLAMA2),
    _model("llama-2-70b", "Llama 2 70B", (68_976_648_192, 80, 8192, 64, 8, 128, 32_000), _LLAMA2),
    _model("llama-3-8b", "Llama 3 8B", (8_030_261_248, 32, 4096, 32, 8, 128, 128_256), _LLAMA3),
    _model("llama-3-70b", "Llama 3 70B", (70_553_706_496, 80, 8192, 64, 8, 128, 128_256), _LLAMA3),
    _model("llama-3-405b", "Llama 3.1 405B", (405_853_388_800, 126, 16_384, 128, 8, 128, 128_256), _LLAMA3),
    _model("mistral-7b", "Mistral 7B", (7_241_732_096, 32, 4096, 32, 8, 128, 32_000), _MISTRAL),
)
MODELS: Final = {row.name: row for row in _ROWS}
