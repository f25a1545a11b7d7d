"""GPUs: nominal memory (what the data sheet says) and reported memory (what the driver's tool shows).

The two differ: an "80 GB" card reports 81,559 MiB, which is 85.5 GB. What a program can use is less than
what is reported, by an allowance that a scenario states.
"""

from __future__ import annotations

from typing import Final

from solvers.expr.tree import number
from solvers.relation import Source
from solvers.tables.preset import Preset

_AS_OF: Final = "2026-08"


def _gpu(name: str, meaning: str, nominal: int, reported: int, sheet: str, tool: str) -> Preset:
    """Nominal memory in GB, reported memory in MiB."""
    source = Source(f"hardware-{name}", f"{sheet}, data sheet; reported memory as {tool} shows it", as_of=_AS_OF)
    values = {"cluster.memory_nominal": number(nominal, "GB"), "cluster.memory_reported": number(reported, "MiB")}
    return Preset(name, meaning, values, source)


_ROWS: Final = (
    _gpu("a100-40gb", "NVIDIA A100 40 GB", 40, 40_960, "NVIDIA A100 Tensor Core GPU", "nvidia-smi"),
    _gpu("a100-80gb", "NVIDIA A100 80 GB", 80, 81_920, "NVIDIA A100 Tensor Core GPU", "nvidia-smi"),
    _gpu("h100-80gb", "NVIDIA H100 80 GB", 80, 81_559, "NVIDIA H100 Tensor Core GPU", "nvidia-smi"),
    _gpu("h200-141gb", "NVIDIA H200 141 GB", 141, 143_771, "NVIDIA H200 Tensor Core GPU", "nvidia-smi"),
    _gpu("b200-180gb", "NVIDIA B200 180 GB (DGX B200)", 180, 183_359, "NVIDIA DGX B200", "nvidia-smi"),
    _gpu("mi300x-192gb", "AMD Instinct MI300X 192 GB", 192, 196_592, "AMD Instinct MI300X", "rocm-smi"),
)
GPUS: Final = {row.name: row for row in _ROWS}
