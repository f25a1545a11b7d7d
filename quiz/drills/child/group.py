"""Torch, as the runner and the ranks need it: imported once, a process group with a timeout, the body of each tier."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import torch
import torch.distributed as dist

from quiz._version import __version__
from quiz.drills.child.crews import twins
from quiz.drills.events import Started
from quiz.drills.records import Env

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from quiz.drills.child.ledger import Emitter
    from quiz.drills.records import Spec

#: The variables that a figure depends on.
_TOLD: Final = (
    "OMP_NUM_THREADS", "MALLOC_MMAP_THRESHOLD_", "MALLOC_ARENA_MAX", "GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME",
    "CUDA_VISIBLE_DEVICES", "PYTORCH_CUDA_ALLOC_CONF",
)  # fmt: skip


def prepare(spec: Spec, launch: str) -> Env:
    """Import what the tier needs, and say where we are."""
    _tier(spec)
    if any(twins(spec, leg) for leg in spec.legs):
        import quiz.drills.child.fake  # noqa: F401 - for the ranks that are forked from here
    return environment(spec, launch)


def environment(spec: Spec, launch: str) -> Env:
    """The record of `env.json`. Raises RuntimeError where a GPU is asked for and none is there."""
    device = platform.machine()
    if spec.device == "cuda":
        if not torch.cuda.is_available():
            raise RuntimeError("this drill asks for a GPU, and torch sees none here")
        device = f"{torch.cuda.device_count()} x {torch.cuda.get_device_name(0)}"
    return Env(
        python=platform.python_version(),
        torch=str(torch.__version__),
        platform=platform.platform(),
        device=device,
        backend=backend_of(spec),
        launch=launch,
        cores=os.cpu_count() or 0,
        memory=_memory(),
        shardwise=__version__,
        settings={name: os.environ[name] for name in _TOLD if name in os.environ},
    )


def backend_of(spec: Spec) -> str:
    """The backend of the process group.

    `nccl` refuses two ranks on a GPU: with fewer GPUs than ranks gloo carries CUDA tensors through the host, which
    shows the memory and the payload of a strategy, not its speed.
    """
    if spec.tier == "fake":
        return "fake"
    if spec.device == "cuda" and torch.cuda.device_count() >= spec.world:
        return "nccl"
    return "gloo"


def body(spec: Spec, rank: int, world: int, emit: Emitter, meeting: Path) -> None:
    """Run the legs of a spec as one rank of a group that meets at a file of this machine."""
    if spec.tier == "fake":
        _tier(spec).run(spec, emit)
        return
    set_up(spec, rank, world)
    store = dist.FileStore(str(meeting), world)
    with joined(spec, rank, world, store):
        emit(
            Started(
                leg=spec.legs[0].name,
                pid=os.getpid(),
                world=world,
                backend=backend_of(spec),
                torch=str(torch.__version__),
            )
        )
        perform(spec, rank, world, emit)


def perform(spec: Spec, rank: int, world: int, emit: Emitter) -> None:
    """Run the legs in the group that this process has joined."""
    _tier(spec).rank_main(spec, rank, world, emit)


def set_up(spec: Spec, local: int, processes: int) -> None:
    """Threads, device and seed of this process; `local` counts the ranks of this machine."""
    threads = os.environ.get("OMP_NUM_THREADS")
    torch.set_num_threads(int(threads) if threads else max(1, (os.cpu_count() or 1) // processes))
    torch.manual_seed(spec.seed)
    if spec.device == "cuda":
        torch.cuda.set_device(local % torch.cuda.device_count())


@contextmanager
def joined(spec: Spec, rank: int, world: int, store: dist.Store | None = None) -> Iterator[None]:
    """Be a member of the process group; without a store, by the environment that torchrun sets.

    A rank that fails leaves without ceremony: its peers notice that its connections are closed.
    """
    timeout = timedelta(seconds=spec.group_timeout_s)
    backend = backend_of(spec)
    if store is None:
        dist.init_process_group(backend, timeout=timeout)
    else:
        dist.init_process_group(backend, store=store, rank=rank, world_size=world, timeout=timeout)
    yield
    if dist.is_initialized():  # a rank that died of its cap has left already
        # Whoever leaves first would break the last collective of the others.
        dist.barrier()
        dist.destroy_process_group()


def gathered(mine: bytes) -> list[bytes]:
    """What every rank of the group brings, in their order.

    `all_gather_object` would do it, but needs NumPy, which nothing else here does.
    """
    device = torch.device("cuda" if dist.get_backend() == "nccl" else "cpu")
    world = dist.get_world_size()
    size = torch.tensor([len(mine)], device=device)
    sizes = [torch.zeros_like(size) for _ in range(world)]
    dist.all_gather(sizes, size)
    longest = max(int(one.item()) for one in sizes)
    text = torch.tensor(list(mine.ljust(longest)), dtype=torch.uint8, device=device)
    texts = [torch.empty_like(text) for _ in range(world)]
    dist.all_gather(texts, text)
    return [bytes(text[: int(length.item())].tolist()) for text, length in zip(texts, sizes, strict=True)]


def _tier(spec: Spec) -> Any:
    """The module of a tier; each imports only what it needs of torch."""
    return import_module(f"quiz.drills.child.{spec.tier}")


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def version() -> str:
    """The versions in a line, for the log."""
    return f"torch {torch.__version__}, Python {sys.version.split()[0]}"
