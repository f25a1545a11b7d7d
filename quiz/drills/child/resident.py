"""What the system counts for this process: its resident memory, the high-water mark of it, its data segment.

Only Linux tells these; elsewhere all of them are None. The high-water mark means something only where the allocator
gives freed blocks back, which MALLOC_MMAP_THRESHOLD_ and MALLOC_ARENA_MAX have to say before the process starts.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")
_CLEAR: Final = Path("/proc/self/clear_refs")
_PEAK: Final = "5"
"""Written to clear_refs, it sets the high-water mark to what is resident now (proc(5))."""


def resident() -> int | None:
    """Bytes that are resident now."""
    return _field("VmRSS")


def high_water() -> int | None:
    """The most that was resident since `reset`."""
    return _field("VmHWM")


def data_segment() -> int | None:
    """Bytes that a limit on data (RLIMIT_DATA) counts."""
    return _field("VmData")


def reset() -> bool:
    """Begin the high-water mark anew; False where that cannot be done."""
    try:
        _CLEAR.write_text(_PEAK, encoding="ascii")
    except OSError:
        return False
    return True


def settle() -> None:
    """Give back what is free, so that what is resident is what is used."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _field(name: str) -> int | None:
    try:
        text = _STATUS.read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return None
