"""What a drill costs beside the same training loop under bare torchrun.

    python -m benchmarks.drill_overhead            # a table
    python -m benchmarks.drill_overhead --json     # for scripts

Both train the same model with DDP on the same ranks, tokens and seed. Two ratios have a limit: the processor time of a
step that carries no tracker, and the time from the start to the end of the first step. The two run in turn, so that a
busy machine slows both; the least processor time counts, and of the starts the median. The fastest step by the clock is
told too: on a busy machine it says more of the scheduler, which gives torchrun's ranks, each in a session of its own,
as much as all ranks of a drill together. Ends with 1 where a limit is broken. Needs torch, and Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from quiz.drills import folder
from quiz.drills.events import Started, Step
from quiz.drills.launch import Running, environment
from quiz.drills.machine import Machine
from quiz.drills.plan import Options, plan

if TYPE_CHECKING:
    from quiz.drills.records import Spec

ROOT: Final = Path(__file__).resolve().parent.parent
STEP_LIMIT: Final = 1.10
START_LIMIT: Final = 1.0
WORKER: Final = "--worker"
#: Steps that say nothing of the pace: the first starts things, the next two carry the tracker.
_SETTLED: Final = 3


class Measured(NamedTuple):
    """Of one run, in seconds: start to the end of the first step, processor time of a step, the fastest step."""

    first: float
    processor: float
    clock: float


def main() -> int:
    """Measure, print, and say by the exit code whether the limits hold."""
    parser = argparse.ArgumentParser(description="A drill against the same loop under torchrun.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default 3; of starts the median counts)")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=30)
    args = parser.parse_args()
    spec = _spec(args.ranks, args.steps)
    ours, theirs = [], []
    for _ in range(args.rounds):
        ours.append(_drill(spec))
        theirs.append(_torchrun(spec))
    table = [
        _row(
            "processor time of a step, s", [min(one.processor for one in found) for found in (ours, theirs)], STEP_LIMIT
        ),
        _row(
            "start to the end of the first step, s",
            [statistics.median(one.first for one in found) for found in (ours, theirs)],
            START_LIMIT,
        ),
        _row("fastest step by the clock, s", [min(one.clock for one in found) for found in (ours, theirs)], None),
    ]
    if args.json:
        print(json.dumps(table, indent=2))
    else:
        for row in table:
            print(f"{row['what']:<38}  drill {row['ours']:.3f}  torchrun {row['peer']:.3f}  "
                  f"ratio {row['ratio']:.2f}" + (f" (limit {row['limit']:.2f})" if row["limit"] else ""))  # fmt: skip
    return 0 if all(row["limit"] is None or row["ratio"] <= row["limit"] for row in table) else 1


def _row(what: str, found: list[float], limit: float | None) -> dict[str, Any]:
    mine, peer = found
    return {"what": what, "ours": mine, "peer": peer, "ratio": mine / peer, "limit": limit}


def _spec(ranks: int, steps: int) -> Spec:
    whole = plan(None, Options(plans=("ddp",), ranks=ranks, steps=steps), Machine(None, ranks, "2.13.0", 0))
    return msgspec.structs.replace(whole, legs=whole.legs[1:])


def _drill(spec: Spec) -> Measured:
    """What a drill takes."""
    with tempfile.TemporaryDirectory() as scratch:
        where = folder.create(Path(scratch), spec)
        running = Running(where, spec)
        pid, marks, steps = 0, [], []
        while running.ended is None:
            for event in running.poll():
                if isinstance(event, Started) and event.rank == 0:
                    pid = event.pid
                if isinstance(event, Step) and event.rank == 0:
                    steps.append(event)
                    if event.done.step in (_SETTLED - 1, spec.steps - 1):
                        marks.append(_processor_time(pid))
            time.sleep(0.005)
        if running.ended.code or len(marks) < len("ab"):
            raise SystemExit(f"the drill failed: {(where / folder.LOG).read_text()}")
    paces = [event.done.seconds for event in steps if event.done.step >= _SETTLED]
    return Measured(steps[0].t, (marks[1] - marks[0]) / len(paces), min(paces))


def _processor_time(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _torchrun(spec: Spec) -> Measured:
    """What the bare loop takes."""
    with tempfile.TemporaryDirectory() as scratch:
        where = folder.create(Path(scratch), spec)
        (where / folder.SCRATCH).mkdir()
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={spec.world}",
                   "-m", "benchmarks.drill_overhead", WORKER, str(where)]  # fmt: skip
        ours = environment(where, spec) | {"BEGAN": repr(time.monotonic())}
        done = subprocess.run(command, env=ours, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"torchrun failed: {done.stderr}")
        return Measured(*json.loads((where / "measured.json").read_text()))


def _worker(where: Path) -> None:
    """A rank of the bare loop: no tracker, no events, no guard."""
    import torch
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel

    from quiz.drills.child import model
    from quiz.drills.child.data import micro_batches

    spec = folder.spec_of(where)
    (leg,) = spec.legs
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    distributed.init_process_group("gloo")
    rank = distributed.get_rank()
    decoder = model.Decoder(spec.shape)
    model.initialise(decoder, spec.seed)
    module = DistributedDataParallel(decoder, gradient_as_bucket_view=leg.bucket_view)
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-3, foreach=leg.foreach)
    paces, first, settled = [], 0.0, 0.0
    for step in range(spec.steps):
        micros = micro_batches(spec, leg, rank, step)
        begun = time.perf_counter()
        for micro in micros:
            model.loss(module(micro.tokens), micro.targets).backward()
        optimizer.step()
        optimizer.zero_grad()
        paces.append(time.perf_counter() - begun)
        if step == _SETTLED - 1:
            settled = time.process_time()
        first = first or time.monotonic() - float(os.environ["BEGAN"])
    if rank == 0:
        processor = (time.process_time() - settled) / len(paces[_SETTLED:])
        (where / "measured.json").write_text(json.dumps([first, processor, min(paces[_SETTLED:])]))
    distributed.barrier()
    distributed.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:2] == [WORKER]:
        _worker(Path(sys.argv[2]))
    else:
        sys.exit(main())
