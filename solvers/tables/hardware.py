"""Accelerators: memory, dense peaks by precision, bandwidth of memory and link.

Nominal memory is what the data sheet says, reported memory what the driver's tool shows: an "80 GB" H100 reports
81,559 MiB, which is 85.5 GB, of which a program is told that it has some 79.2 GiB. What it can use is less than what
is reported, by an allowance that a scenario states. Peaks are without sparsity. The link is to the other accelerators
of the node, per accelerator and direction, all its lanes together. Google prints the same memory of a TPU in GB and in
GiB; it stands here in GB, and half of its bidirectional link for a direction. What a card does not have, or what is
not published, is not stated.
"""

from __future__ import annotations

from typing import Final

from solvers.expr.tree import Expr, number
from solvers.relation import Source
from solvers.tables.preset import Preset

_AS_OF: Final = "2026-08"
_PRECISIONS: Final = ("bf16", "fp16", "fp8", "tf32", "fp32", "fp4")
_AMPERE: Final = ("312", "312", "", "156", "19.5")
_HOPPER: Final = ("989", "989", "1979", "494.5", "67")
_NVIDIA, _AMD = "nvidia-smi", "rocm-smi"
_VISIBLE: Final = {
    "v100-16gb": "15.77", "v100-32gb": "31.73", "a100-40gb": "39.49", "a100-80gb": "79.15", "h100-80gb": "79.18",
    "h200-141gb": "139.8", "b200-180gb": "178.35", "mi300x-192gb": "191.98",
}  # fmt: skip
"""GiB that PyTorch names as total in its messages: measured, and some 0.1 GiB more or less with another driver."""


def _gpu(name: str, meaning: str, memory: tuple[int, int], peaks: tuple[str, ...],  # noqa: PLR0913, PLR0917 - columns
         bandwidth: tuple[str, str], sheet: str, tool: str = "", note: str = "") -> Preset:
    """Nominal memory in GB and reported in MiB (0: not known), TFLOP/s by `_PRECISIONS`, TB/s, GB/s of the link."""
    nominal, reported = memory
    shown = f"; reported memory as {tool} shows it" if tool else ""
    source = Source(f"hardware-{name}", f"{sheet}, data sheet{shown}", as_of=_AS_OF)
    values: dict[str, Expr] = {}
    if nominal:
        values["cluster.memory_nominal"] = number(nominal, "GB")
    if reported:
        values["cluster.memory_reported"] = number(reported, "MiB")
    if name in _VISIBLE:
        values["cluster.memory_visible"] = number(_VISIBLE[name], "GiB")
    values |= {f"cluster.peak_{precision}": number(peak, "TFLOP/s")
               for precision, peak in zip(_PRECISIONS, peaks, strict=False) if peak}
    for quantity, figure, unit in (("hbm_bandwidth", bandwidth[0], "TB/s"), ("link_bandwidth", bandwidth[1], "GB/s")):
        if figure:
            values[f"cluster.{quantity}"] = number(figure, unit)
    return Preset(name, meaning, values, source, note)


_MI300: Final = ("1307.4", "1307.4", "2614.9", "653.7", "163.4")
_ROWS: Final = (
    _gpu("v100-16gb", "NVIDIA V100 SXM2 16 GB", (16, 0), ("", "125", "", "", "15.7"), ("0.9", "150"),
         "NVIDIA V100 Tensor Core GPU", note="no bf16"),
    _gpu("v100-32gb", "NVIDIA V100 SXM2 32 GB", (32, 0), ("", "125", "", "", "15.7"), ("0.9", "150"),
         "NVIDIA V100 Tensor Core GPU", note="no bf16"),
    _gpu("a100-40gb", "NVIDIA A100 40 GB", (40, 40_960), _AMPERE, ("1.555", "300"),
         "NVIDIA A100 Tensor Core GPU", _NVIDIA),
    _gpu("a100-80gb", "NVIDIA A100 80 GB", (80, 81_920), _AMPERE, ("2.039", "300"),
         "NVIDIA A100 Tensor Core GPU", _NVIDIA),
    _gpu("a100-80gb-pcie", "NVIDIA A100 80 GB PCIe", (80, 81_920), _AMPERE, ("1.935", "31.5"),
         "NVIDIA A100 80GB PCIe Tensor Core GPU", _NVIDIA, "link: PCIe 4 x16; a bridge to one neighbour has 300 GB/s"),
    _gpu("a800-80gb", "NVIDIA A800 80 GB", (80, 81_920), _AMPERE, ("2.039", "200"),
         "NVIDIA A800 Tensor Core GPU", _NVIDIA),
    _gpu("h100-80gb", "NVIDIA H100 80 GB", (80, 81_559), _HOPPER, ("3.35", "450"),
         "NVIDIA H100 Tensor Core GPU", _NVIDIA),
    _gpu("h100-80gb-pcie", "NVIDIA H100 80 GB PCIe", (80, 81_559), ("756", "756", "1513", "378", "51"),
         ("2.0", "63"), "NVIDIA H100 PCIe", _NVIDIA, "link: PCIe 5 x16; a bridge to one neighbour has 300 GB/s"),
    _gpu("h100-94gb-nvl", "NVIDIA H100 NVL 94 GB, one card of the pair", (94, 0),
         ("835", "835", "1671", "417.5", "60"), ("3.9", "300"), "NVIDIA H100 Tensor Core GPU",
         note="link: the bridge to the other card; PCIe 5 x16 beyond"),
    _gpu("h800-80gb", "NVIDIA H800 80 GB", (80, 81_559), _HOPPER, ("3.35", "200"), "NVIDIA H800", _NVIDIA),
    _gpu("h20-96gb", "NVIDIA H20 96 GB", (96, 0), ("148", "148", "296", "74", "44"), ("4.0", "450"), "NVIDIA H20"),
    _gpu("h200-141gb", "NVIDIA H200 141 GB", (141, 143_771), _HOPPER, ("4.8", "450"),
         "NVIDIA H200 Tensor Core GPU", _NVIDIA),
    _gpu("gh200-96gb", "NVIDIA GH200, Hopper GPU with 96 GB", (96, 0), _HOPPER, ("4.0", "450"),
         "NVIDIA GH200 Grace Hopper Superchip"),
    _gpu("gh200-141gb", "NVIDIA GH200, Hopper GPU with 141 GB", (141, 0), _HOPPER, ("4.8", "450"),
         "NVIDIA GH200 Grace Hopper Superchip", note="newer sheets say 144 GB and 4.9 TB/s"),
    _gpu("l40s-48gb", "NVIDIA L40S 48 GB", (48, 0), ("362", "362", "733", "183", "91.6"), ("0.864", "31.5"),
         "NVIDIA L40S", note="link: PCIe 4 x16"),
    _gpu("b200-180gb", "NVIDIA B200 180 GB (DGX B200)", (180, 183_359),
         ("2250", "2250", "4500", "1125", "80", "9000"), ("8.0", "900"), "NVIDIA DGX B200", _NVIDIA,
         "other sheets say 192 GB, what the stacks hold before some of it is set aside"),
    _gpu("b300-288gb", "NVIDIA B300 288 GB (HGX B300)", (288, 0), ("2250", "2250", "4500", "1125", "80"),
         ("8.0", "900"), "NVIDIA HGX B300", note="sheets disagree on FP4, which is left out"),
    _gpu("gb200-186gb", "NVIDIA GB200, one of its Blackwell GPUs, 186 GB", (186, 0),
         ("2500", "2500", "5000", "1250", "80", "10000"), ("8.0", "900"), "NVIDIA GB200 NVL72"),
    _gpu("gb300", "NVIDIA GB300, one of its Blackwell Ultra GPUs", (0, 0), ("2500", "2500", "5000", "1250", "80"),
         ("8.0", "900"), "NVIDIA GB300 NVL72", note="sheets disagree on memory and FP4, which are left out"),
    _gpu("mi250-128gb", "AMD Instinct MI250 128 GB", (128, 0), ("362.1", "362.1", "", "", "45.3"),
         ("3.2768", "350"), "AMD Instinct MI250", note="two dies that a program sees as two GPUs"),
    _gpu("mi250x-128gb", "AMD Instinct MI250X 128 GB", (128, 0), ("383", "383", "", "", "47.9"),
         ("3.2768", "350"), "AMD Instinct MI250X", note="two dies that a program sees as two GPUs"),
    _gpu("mi300x-192gb", "AMD Instinct MI300X 192 GB", (192, 196_592), _MI300, ("5.3", "448"),
         "AMD Instinct MI300X", _AMD, "link: 64 GB/s to each of seven neighbours"),
    _gpu("mi325x-256gb", "AMD Instinct MI325X 256 GB", (256, 0), _MI300, ("6.0", "448"),
         "AMD Instinct MI325X", note="link: 64 GB/s to each of seven neighbours"),
    _gpu("mi350x-288gb", "AMD Instinct MI350X 288 GB", (288, 0),
         ("2306.9", "2306.9", "4613.7", "", "144.2", "9227.5"), ("8.0", "537.6"), "AMD Instinct MI350X",
         note="link: 76.8 GB/s to each of seven neighbours"),
    _gpu("mi355x-288gb", "AMD Instinct MI355X 288 GB", (288, 0),
         ("2516.6", "2516.6", "5033.2", "", "157.3", "10066.3"), ("8.0", "537.6"), "AMD Instinct MI355X",
         note="link: 76.8 GB/s to each of seven neighbours"),
    _gpu("gaudi2-96gb", "Intel Gaudi 2 96 GB", (96, 0), ("432", "", "865"), ("2.46", "300"), "Intel Gaudi 2"),
    _gpu("gaudi3-128gb", "Intel Gaudi 3 128 GB", (128, 0), ("1678", "", "1678"), ("3.7", "600"), "Intel Gaudi 3"),
    _gpu("trainium2-96gb", "AWS Trainium2 96 GB", (96, 0), ("667", "667", "1299", "667", "181"), ("2.9", "640"),
         "AWS Trainium2"),
    _gpu("tpu-v4", "Google TPU v4 32 GB", (32, 0), ("275",), ("1.2288", "300"), "Google Cloud TPU v4",
         note="HBM: documentation says 1,200 GB/s in round figures; link: six of 50 GB/s"),
    _gpu("tpu-v5e", "Google TPU v5e 16 GB", (16, 0), ("197",), ("0.819", "200"), "Google Cloud TPU v5e"),
    _gpu("tpu-v5p", "Google TPU v5p 95 GB", (95, 0), ("459", "", "459"), ("2.765", "600"), "Google Cloud TPU v5p",
         note="fp8 is computed as fast as bf16"),
    _gpu("tpu-v6e", "Google TPU v6e (Trillium) 32 GB", (32, 0), ("918", "", "918"), ("1.638", "400"),
         "Google Cloud TPU v6e", note="fp8 is computed as fast as bf16"),
    _gpu("tpu-7x", "Google TPU7x (Ironwood) 192 GB", (192, 0), ("2307", "", "4614"), ("7.38", "600"),
         "Google Cloud TPU7x", note="its documentation says GiB"),
)
GPUS: Final = {row.name: row for row in _ROWS}
