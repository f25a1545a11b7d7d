"""The ways of dividing the work, each as a plan: what a rank holds, and how it goes through a step."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import distributed, nn

from quiz.drills.child import model, private
from quiz.drills.child.layout import divide, mesh_of
from quiz.drills.child.tracker import BACKWARD, COUNTERS, FORWARD, GRADIENTS, OPTIMIZER, PARAMETERS
from quiz.drills.unfit import undivided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from torch import Tensor

    from quiz.drills.child.data import Micro
    from quiz.drills.child.tracker import Owned
    from quiz.drills.records import Leg, Spec

    Enter = Callable[[str], None]

LEARNING_RATE: Final = 1e-3


class Plan:
    """What a rank holds under a leg: its part of the model, wrapped as the strategy wants, and its optimizer.

    `groups` names process groups by the dimension of the mesh that they are for.
    """

    def __init__(self, module: nn.Module, optimizer: Any, groups: dict[str, str]) -> None:
        self.module, self.optimizer, self.groups = module, optimizer, groups
        # Under FSDP2 a module's own parameters are the gathered ones for a while; these are the shards.
        self.parameters: tuple[Tensor, ...] = tuple(module.parameters())

    def passes(self, micros: Sequence[Micro], enter: Enter) -> Tensor | None:
        """Forward and backward of every micro-batch; return the mean loss of this rank's own, detached.

        `enter` is told of each phase. None is returned by a rank that does not see the loss.
        """
        total: Tensor | None = None
        for number, micro in enumerate(micros):
            with self.synchronising(last=number == len(micros) - 1):
                enter(FORWARD)
                loss = model.loss(self.module(micro.tokens), micro.targets) / len(micros)
                enter(BACKWARD)
                loss.backward()
            total = loss.detach() if total is None else total + loss.detach()
            del loss
        return total

    def synchronising(self, *, last: bool) -> AbstractContextManager[None]:  # noqa: ARG002 - for those who reduce
        """A context in which gradients are reduced, or not before the last micro-batch."""
        return nullcontext()

    def clear(self) -> None:
        """Let go of the gradients after a step."""
        self.optimizer.zero_grad()

    def states(self) -> Iterator[Tensor]:
        """The tensors of the optimizer's state on this rank."""
        for state in self.optimizer.state.values():
            yield from (value for value in state.values() if isinstance(value, torch.Tensor))

    def owned(self) -> Iterable[Owned]:
        """What the tracker is to call by its name."""
        yield PARAMETERS, self.parameters
        yield GRADIENTS, (parameter.grad for parameter in self.parameters)
        yield GRADIENTS, private.unsharded_gradients(self.module)
        yield OPTIMIZER, (state for state in self.states() if state.dim())
        yield COUNTERS, (state for state in self.states() if not state.dim())


class Replicated(Plan):
    """DDP, with the whole of the optimizer or a part of it (ZeRO-1)."""

    def __init__(self, module: nn.Module, optimizer: Any, leg: Leg) -> None:
        super().__init__(module, optimizer, {})
        self._each, self._view = leg.sync == "each", leg.bucket_view

    def clear(self) -> None:
        """Let go of the gradients, or make zeros of them where they are views of the buckets.

        Without a gradient the first micro-batch that does not reduce would make one beside the buckets.
        """
        self.module.zero_grad(set_to_none=not self._view)

    def synchronising(self, *, last: bool) -> AbstractContextManager[None]:
        """Leave the reduction out before the last micro-batch, unless each is to reduce."""
        if last or self._each:
            return nullcontext()
        context: AbstractContextManager[None] = self.module.no_sync()
        return context

    def states(self) -> Iterator[Tensor]:
        """The state that this rank holds; ZeRO-1's optimizer has a local one inside."""
        local = getattr(self.optimizer, "optim", self.optimizer)
        for state in local.state.values():
            yield from (value for value in state.values() if isinstance(value, torch.Tensor))


class Sharded(Plan):
    """FSDP2, alone, with replicas (HSDP) or over what tensor ranks have left."""

    def __init__(self, module: nn.Module, optimizer: Any, groups: dict[str, str], *, each: bool) -> None:
        super().__init__(module, optimizer, groups)
        self._each = each

    def synchronising(self, *, last: bool) -> AbstractContextManager[None]:
        """Keep gradients whole until the last micro-batch, unless each is to reduce."""
        self.module.set_requires_gradient_sync(last or self._each)
        return nullcontext()


def build(spec: Spec, leg: Leg, rank: int) -> Plan:
    """Make the plan of a leg on a rank of its world.

    Raises:
        ValueError: the leg asks for what its strategy does not have, or does not divide.
    """
    check(spec, leg)
    if leg.strategy == "pp":
        from quiz.drills.child.pipeline import staged

        return staged(spec, leg, rank)
    # Weights that stay on the host are made there.
    decoder = model.Decoder(spec.shape).to("cpu" if leg.offload else spec.device)
    model.initialise(decoder, spec.seed)
    if leg.strategy == "single":
        divide(decoder, leg, None)
        return Plan(decoder, adam(decoder, leg), {})
    if leg.strategy in {"ddp", "zero1"}:
        return _replicated(decoder, leg)
    mesh = mesh_of(leg, spec.device)
    divide(decoder, leg, mesh)
    groups = {} if mesh is None else {mesh.get_group(name).group_name: name for name in mesh.mesh_dim_names}
    if leg.strategy == "tp" or mesh is None:  # a mesh of one rank divides nothing
        return Plan(decoder, adam(decoder, leg), groups)
    return Sharded(decoder, adam(decoder, leg), groups, each=leg.sync == "each")


def _replicated(decoder: nn.Module, leg: Leg) -> Plan:
    from torch.nn.parallel import DistributedDataParallel

    divide(decoder, leg, None)
    module = DistributedDataParallel(decoder, gradient_as_bucket_view=leg.bucket_view)
    if leg.strategy == "ddp":
        return Replicated(module, adam(module, leg), leg)
    from torch.distributed.optim import ZeroRedundancyOptimizer

    optimizer = ZeroRedundancyOptimizer(
        module.parameters(), optimizer_class=torch.optim.AdamW, lr=LEARNING_RATE, foreach=leg.foreach
    )
    return Replicated(module, optimizer, leg)


def adam(module: nn.Module, leg: Leg) -> torch.optim.Optimizer:
    """AdamW over what the module has, in the precision in which it has it."""
    return torch.optim.AdamW(module.parameters(), lr=LEARNING_RATE, foreach=leg.foreach)


def check(spec: Spec, leg: Leg) -> None:
    """Refuse a leg that cannot be built, before anything is. Raises ValueError with the reason."""
    shape, split = spec.shape, undivided(spec.shape, leg)
    for said, refused in (
        (
            leg.foreach and leg.tp > 1,
            "Adam cannot step all tensors at once where some are divided among tensor ranks: foreach has to be off",
        ),
        (leg.tp > 1 and shape.tied, "a head that shares the embedding cannot be divided among tensor ranks here"),
        (split is not None, split),
        (leg.strategy != "pp" and leg.microbatches > 1, "micro-batches of a pipeline are for the strategy pp"),
        (leg.offload and leg.strategy != "fsdp", "offload is for the strategy fsdp"),
        (
            leg.strategy not in {"fsdp", "single"} and "bf16" in {leg.param_dtype, leg.reduce_dtype},
            "mixed precision is for the strategy fsdp",
        ),
        (
            distributed.is_initialized() and leg.strategy != "single" and distributed.get_world_size() != leg.world,
            "the leg's ranks are not as many as there are",
        ),
    ):
        if said:
            raise ValueError(f"Leg {leg.name!r} cannot be run: {refused}.")
