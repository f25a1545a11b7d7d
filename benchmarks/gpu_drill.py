"""What drills show on a GPU: one script of at most eight minutes for one large card (written for an H200).

    python -m benchmarks.gpu_drill                  # everything, as a table; 1 where something does not hold
    python -m benchmarks.gpu_drill --json FILE      # and the figures
    python -m benchmarks.gpu_drill --device cpu     # the same code at a size that a laptop holds: a test of itself

Four parts, each in processes of its own and with a limit of its own, so that one that fails costs the others nothing:

parity      ranks that share the card over gloo (NCCL refuses two ranks on one GPU): DDP, FSDP2 and HSDP against one
            process, loss by loss. Gloo stages CUDA tensors through the host: times say nothing here
allocated   the real code on real memory of the card, in a process group that is not there, against what the tier
            `fake` foretold: `max_memory_allocated` by phase, for Llama 3 8B on 8 ranks
shard       the same for Llama 3 70B on 64 ranks: 17.6 GB at rest, 34.6 GB at the peak, foretold
oom         a pair under a memory fraction: one dies, the other finishes
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
LIMITS: Final = {"parity": 150.0, "allocated": 90.0, "shard": 150.0, "oom": 90.0}
"""Seconds that each part may take on a card; together eight minutes."""
PATIENCE: Final = {"cuda": 1, "cpu": 6}
"""How many times as long it may take: a CPU that tests the script may be busy."""
WITHIN: Final = 0.02
PARITY: Final = 5e-4
STEPS: Final = 8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import nn
    from torch.optim import Optimizer

    from quiz.drills.records import Leg, Result, Shape, Spec, Tier


class Line(NamedTuple):
    """One line of the table: what was foretold, what was measured, and whether that holds."""

    part: str
    what: str
    foretold: float | str
    measured: float | str
    holds: bool


def main() -> int:
    """Run the parts that are asked for, print, and say by the exit code whether everything holds."""
    parser = argparse.ArgumentParser(description="Drills on one GPU.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--part", choices=tuple(LIMITS), action="append", help="only this part; may be repeated")
    parser.add_argument("--json", type=Path, help="write the lines to this file")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    parts = args.part or list(LIMITS)
    if args.inside:
        print(json.dumps([line._asdict() for line in PARTS[parts[0]](args.device)]))
        return 0
    lines: list[Line] = []
    for part in parts:
        begun = time.monotonic()
        found = apart(part, args.device)
        lines += found
        print(f"{part} ({time.monotonic() - begun:.0f} s)")
        for line in found:
            print(f"  {'holds' if line.holds else 'FAILS'}  {line.what}: foretold {line.foretold}, {line.measured}")
    if args.json:
        args.json.write_text(json.dumps([line._asdict() for line in lines], indent=1), encoding="utf-8")
    return 0 if all(line.holds for line in lines) else 1


def apart(part: str, device: str) -> list[Line]:
    """Run a part in a process of its own; what goes wrong there is its line."""
    command = [sys.executable, "-m", "benchmarks.gpu_drill", "--inside", "--part", part, "--device", device]
    limit = LIMITS[part] * PATIENCE[device]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return [Line(part, "the part ends in its time", f"{limit:.0f} s", "it did not", holds=False)]
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        return [Line(part, "the part runs", "yes", f"exit code {done.returncode}: {last}", holds=False)]
    return [Line(**line) for line in json.loads(done.stdout.splitlines()[-1])]


def parity(device: str) -> Iterator[Line]:
    """DDP, FSDP2 and HSDP on ranks that share the device, against one process."""
    from quiz.drills import legs, things
    from quiz.drills.plan import on_same_tokens

    names = {"ddp": 2, "fsdp": 2, "hsdp": 4}
    for name, world in names.items():
        pair = on_same_tokens([legs.by_name("single", 1), legs.by_name(name, world)])
        result = ran(spec_of("ranks", device, tuple(pair), world, small()))
        apart_by = things.found(f"loss.parity@{name}", result.measured).value
        if result.outcome != "done" or apart_by is None:
            yield Line("parity", f"{name} on {world} ranks", "done", result.cause or result.outcome, holds=False)
            continue
        yield Line("parity", f"{name} on {world} ranks, loss", f"< {PARITY}", apart_by, holds=apart_by < PARITY)


def allocated(device: str) -> Iterator[Line]:
    """Llama 3 8B on 8 ranks, from the card's own count."""
    yield from on_the_card("allocated", "llama-3-8b", 8, device)


def shard(device: str) -> Iterator[Line]:
    """Llama 3 70B on 64 ranks, in the memory of one card."""
    yield from on_the_card("shard", "llama-3-70b", 64, device)


def on_the_card(part: str, model: str, ranks: int, device: str) -> Iterator[Line]:
    """What the tier `fake` foretells of a leg, and what the same code takes of the device."""
    from quiz.drills.child.fake import run as fake
    from quiz.drills.events import Peak
    from quiz.drills.records import Leg
    from quiz.drills.scenario import shape_of

    shape = shape_of(model, 4096) if device == "cuda" else small()
    half: dict[str, Any] = {"param_dtype": "bf16", "reduce_dtype": "fp32", "checkpoint": "full"}
    leg = Leg(name=model, strategy="fsdp", shard=ranks, **half)
    told: list[Any] = []
    fake(spec_of("fake", "cpu", (leg,), ranks, shape), told.append)
    foretold = {event.high.phase: event.high.held.total for event in told if isinstance(event, Peak)}
    for phase, size in real(leg, shape, device).items():
        off = size / foretold[phase] - 1
        yield Line(part, f"{model} on {ranks} ranks, {phase}, bytes", foretold[phase], size, holds=abs(off) <= WITHIN)


def real(leg: Leg, shape: Shape, device: str) -> dict[str, int]:
    """Two steps of a leg on real memory, as the first of ranks that are not there; the second's peak by phase."""
    import torch

    from quiz.drills.child import model as models
    from quiz.drills.child import private
    from quiz.drills.child.layout import divide, mesh_of
    from quiz.drills.child.tracker import BACKWARD, FORWARD, STEP

    private.fake_group(rank=0, world=leg.world)
    mesh = mesh_of(leg, device)
    with torch.device("meta"):
        decoder = models.Decoder(shape)
    divide(decoder, leg, mesh)
    decoder.to_empty(device=device)
    with torch.no_grad():
        for parameter in decoder.parameters():
            parameter.zero_()
    optimizer = torch.optim.AdamW(decoder.parameters(), foreach=leg.foreach)
    tokens = torch.zeros(1, shape.sequence, dtype=torch.long, device=device)
    meter = Meter(device, decoder, optimizer)
    for number in range(2):
        with meter.step(last=number == 1):
            meter.enter(FORWARD)
            value = models.loss(decoder(tokens), tokens)
            meter.enter(BACKWARD)
            value.backward()
            del value
            meter.enter(STEP)
            optimizer.step()
            meter.enter("")
        optimizer.zero_grad()
    torch.distributed.destroy_process_group()
    return meter.peaks


class Meter:
    """The peak of each phase: the card's own on CUDA; on a CPU, which counts none, the tracker's."""

    def __init__(self, device: str, decoder: nn.Module, optimizer: Optimizer) -> None:
        from quiz.drills.child.tracker import GRADIENTS, OPTIMIZER, PARAMETERS, Tracker

        shards = tuple(decoder.parameters())

        def owned() -> Iterator[tuple[str, Any]]:
            yield PARAMETERS, shards
            yield GRADIENTS, (parameter.grad for parameter in shards)
            yield OPTIMIZER, (each for state in optimizer.state.values() for each in state.values())

        self._cuda = device == "cuda"
        self._tracker = Tracker(owned, device)
        self._phase = ""
        self._last = False
        self.peaks: dict[str, int] = {}

    def step(self, *, last: bool) -> ExitStack:
        """A context around a step; only the last counts."""
        from quiz.drills.child.watch import Watch

        self._last = last
        around = ExitStack()
        if not self._cuda:
            around.enter_context(self._tracker)
            around.enter_context(Watch([self._tracker]))
        return around

    def enter(self, phase: str) -> None:
        """End a phase and begin another."""
        if self._cuda:
            import torch

            torch.cuda.synchronize()
            if self._phase and self._last:
                self.peaks[self._phase] = torch.cuda.max_memory_allocated()
            torch.cuda.reset_peak_memory_stats()
        else:
            self._tracker.enter(phase)
            if self._phase and self._last:
                self.peaks[self._phase] = self._tracker.peaks[self._phase].total
        self._phase = phase


def oom(device: str) -> Iterator[Line]:
    """DDP and FSDP2 under a cap between their needs."""
    import msgspec

    from quiz.drills import legs
    from quiz.drills.plan import LARGER, cap_between

    pair = tuple(legs.by_name(name, 2) for name in ("ddp", "fsdp"))
    spec = spec_of("oom", device, pair, 2, LARGER)
    result = ran(msgspec.structs.replace(spec, cap=cap_between(spec)))
    dead = {one.leg: one.died for one in result.measured if one.died is not None}
    yield Line("oom", "who dies", "ddp", ", ".join(dead) or result.cause or "nobody", holds=set(dead) == {"ddp"})


def small() -> Shape:
    """The model of the tier `ranks`."""
    from quiz.drills.plan import SMALL

    return SMALL


def spec_of(tier: Tier, device: str, legs: tuple[Leg, ...], world: int, shape: Shape) -> Spec:
    """A spec without predictions."""
    from quiz.drills.records import Spec

    return Spec(
        run="gpu",
        tier=tier,
        device="cuda" if device == "cuda" else "cpu",
        world=world,
        steps=STEPS if tier == "ranks" else 4,
        seed=1,
        shape=shape,
        batch=2 if tier != "fake" else 1,
        legs=legs,
    )


def ran(spec: Spec) -> Result:
    """Run a spec in a folder that is gone afterwards."""
    from quiz.drills import folder
    from quiz.drills.finish import finish
    from quiz.drills.launch import Running

    with tempfile.TemporaryDirectory() as root:
        where = folder.create(Path(root), spec)
        running = Running(where, spec)
        try:
            return finish(where, running.wait())
        finally:
            running.close()


PARTS: Final[dict[str, Callable[[str], Iterator[Line]]]] = {
    "parity": parity,
    "allocated": allocated,
    "shard": shard,
    "oom": oom,
}

if __name__ == "__main__":
    sys.exit(main())
