"""Every private interface of torch that drills use, with a probe that says which of them are missing.

Private names move between releases. They are looked up here alone, so that a release in which one is gone costs one
measurement, named, and not a traceback.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import torch

if TYPE_CHECKING:
    from collections.abc import Callable


class Interface(NamedTuple):
    """A private name and what is lost without it."""

    module: str
    name: str
    costs: str


INTERFACES: Final = {
    "dispatch_mode": Interface(
        "torch.utils._python_dispatch", "TorchDispatchMode", "memory by category and traffic cannot be measured"
    ),
    "graph_task": Interface(
        "torch._C", "_current_graph_task_id", "a pipeline's forward and backward memory cannot be told apart"
    ),
    "async_tensor": Interface(
        "torch.distributed._functional_collectives",
        "AsyncCollectiveTensor",
        "operations on results that are still under way are not seen",
    ),
    "resolve_group": Interface(
        "torch.distributed.distributed_c10d",
        "_resolve_process_group",
        "the size of a collective's group is not known",
    ),
    "unsharded": Interface(
        "torch.distributed.fsdp._fully_shard._fsdp_param",
        "FSDPParam",
        "gradients that FSDP2 keeps whole over micro-batches count as temporaries",
    ),
    "fake_tensors": Interface(
        "torch._subclasses.fake_tensor", "FakeTensorMode", "a model cannot be measured at its true size"
    ),
    "fake_store": Interface(
        "torch.testing._internal.distributed.fake_pg", "FakeStore", "ranks that are not there cannot be stood in for"
    ),
}


def find(key: str) -> Any:
    """The object behind a key of `INTERFACES`, or None where this release of torch does not have it."""
    interface = INTERFACES[key]
    try:
        module = import_module(interface.module)
    except ImportError:
        return None
    return getattr(module, interface.name, None)


def probe() -> dict[str, str]:
    """What is missing from this release of torch: the dotted name, and what that costs. Empty where all is there."""
    return {
        f"{interface.module}.{interface.name}": interface.costs
        for key, interface in INTERFACES.items()
        if find(key) is None
    }


def dispatch_mode() -> type[Any]:
    """The class whose instances see every operation; raises RuntimeError with the reason where it is missing."""
    found = find("dispatch_mode")
    if found is None:
        raise RuntimeError(f"{INTERFACES['dispatch_mode'].costs}: torch {torch.__version__} has no dispatch mode.")
    mode: type[Any] = found
    return mode


def in_backward() -> Callable[[], bool]:
    """A function that says whether autograd is at work on this thread; always False where that is not known."""
    current = find("graph_task")
    if current is None:
        return lambda: False
    return lambda: bool(current() != -1)


def wrappers() -> tuple[type[Any], ...]:
    """Subclasses of tensors that hand an operation on to the tensors which they hold."""
    from torch.distributed.tensor import DTensor

    found = find("async_tensor")
    return (DTensor,) if found is None else (DTensor, found)


def group_of(value: object) -> tuple[str, int] | None:
    """The name and the size of a group, given as the operation was: by name, as itself, boxed. None if it is none."""
    group: Any = value
    if isinstance(value, str):
        resolve = find("resolve_group")
        if resolve is None:
            return None
        group = resolve(value)
    elif isinstance(value, torch.ScriptObject):
        unbox = getattr(torch.distributed.ProcessGroup, "unbox", None)
        if unbox is None or "ProcessGroup" not in str(value._type()):  # noqa: SLF001 - a boxed object says its type
            return None
        group = unbox(value)
    if not isinstance(group, torch.distributed.ProcessGroup):
        return None
    return str(group.group_name), int(group.size())


def fake_mode() -> Any:
    """A context in which tensors have shapes and storages but no memory; raises RuntimeError where it is missing."""
    found = find("fake_tensors")
    if found is None:
        raise RuntimeError(f"{INTERFACES['fake_tensors'].costs}: torch {torch.__version__} has no fake tensors.")
    # A model that was built and divided on the meta device is taken in by `to_empty`.
    return found(allow_non_fake_inputs=True)


def fake_group(rank: int, world: int) -> None:
    """Begin a process group whose collectives do nothing, as one of `world` ranks; raises RuntimeError without it."""
    store = find("fake_store")  # its module registers the backend
    if store is None:
        raise RuntimeError(f"{INTERFACES['fake_store'].costs}: torch {torch.__version__} has no fake process group.")
    torch.distributed.init_process_group("fake", rank=rank, world_size=world, store=store())


def unsharded_gradients(module: Any) -> list[Any]:
    """Gradients that FSDP2 keeps whole while it does not reduce; none where it keeps none, or does not say."""
    found = []
    for each in module.modules():
        state = getattr(each, "_get_fsdp_state", None)
        group = getattr(state(), "_fsdp_param_group", None) if state is not None else None
        for parameter in getattr(group, "fsdp_params", ()):
            found.append(getattr(parameter, "unsharded_accumulated_grad", None))
            found.append(getattr(getattr(parameter, "_unsharded_param", None), "grad", None))
    return [gradient for gradient in found if gradient is not None]


def waiting() -> Any:
    """The operation that waits for a functional collective, and gives what it was given; None where it is missing."""
    return getattr(getattr(torch.ops, "_c10d_functional", None), "wait_tensor", None)
