"""What this machine offers a drill: free memory, cores, torch, GPUs. Nothing is taken, and torch is not imported."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

_MEMORY_INFO: Final = Path("/proc/meminfo")
_GROUPS: Final = Path("/sys/fs/cgroup")
_GPUS: Final = Path("/proc/driver/nvidia/gpus")
_LEAST_TORCH: Final = (2, 6)


class Machine(NamedTuple):
    """What is there. `memory` is None where the system does not say, `torch` the version, empty where it is missing."""

    memory: int | None
    cores: int
    torch: str
    gpus: int


def look() -> Machine:
    """Look at this machine."""
    return Machine(free_memory(), cores(), torch_version(), gpus())


def free_memory(info: Path = _MEMORY_INFO, groups: Path = _GROUPS) -> int | None:
    """Bytes that can be taken without swapping: what the system says is available, what a container's limit leaves."""
    found = [size for size in (_available(info), _left_in_group(groups)) if size is not None]
    if not found and sys.platform == "darwin":
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return min(found, default=None)


def _available(info: Path) -> int | None:
    try:
        lines = info.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return None


def _left_in_group(groups: Path) -> int | None:
    """What a control group still gives; None where there is no limit."""
    try:
        limit = (groups / "memory.max").read_text(encoding="ascii").strip()
        used = int((groups / "memory.current").read_text(encoding="ascii"))
        return None if limit == "max" else max(int(limit) - used, 0)
    except (OSError, ValueError):
        return None


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def torch_version() -> str:
    """The version of torch that is installed here, empty where it is not."""
    if find_spec("torch") is None:
        return ""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return "unknown"


def is_too_old(version: str) -> bool:
    """Whether a version of torch is older than what drills need."""
    parts = version.split(".")[:2]
    return all(part.isdigit() for part in parts) and tuple(int(part) for part in parts) < _LEAST_TORCH


def gpus(folder: Path = _GPUS) -> int:
    """NVIDIA GPUs that the driver knows of and CUDA_VISIBLE_DEVICES leaves visible."""
    if not folder.is_dir():
        return 0
    count = sum(1 for _ in folder.iterdir())
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return count
    return min(count, len([one for one in visible.split(",") if one.strip() not in ("", "-1")]))
