"""What a drill costs beside the same training loop under bare torchrun.

    python -m benchmarks.drill_overhead            # a table
    python -m benchmarks.drill_overhead --json     # for scripts

Both train the same model with DDP on the same ranks, tokens and seed. Two ratios: the time of a step that carries no
tracker, and the time from the start to the end of the first step. The two run in turn, so that a busy machine slows
both. Of the steps of all rounds the fastest counts, which other programs disturbed least, and of the starts the median.
Ends with 1 where a ratio is over its limit. Needs torch.
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
from typing import TYPE_CHECKING, Any, Final

import msgspec

from quiz.drills import folder
from quiz.drills.events import Step
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


def main() -> int:
    """Measure, print, and say by the exit code whether the limits hold."""
    parser = argparse.ArgumentParser(description="A drill against the same loop under torchrun.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default 3; the median counts)")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=30)
    args = parser.parse_args()
    spec = _spec(args.ranks, args.steps)
    ours, theirs = [], []
    for _ in range(args.rounds):
        ours.append(_drill(spec))
        theirs.append(_torchrun(spec))
    table = [
        _row("fastest step, s", [min(one[1] for one in found) for found in (ours, theirs)], STEP_LIMIT),
        _row(
            "start to the end of the first step, s",
            [statistics.median(one[0] for one in found) for found in (ours, theirs)],
            START_LIMIT,
        ),
    ]
    if args.json:
        print(json.dumps(table, indent=2))
    else:
        for row in table:
            print(f"{row['what']:<38}  drill {row['ours']:.3f}  torchrun {row['peer']:.3f}  "
                  f"ratio {row['ratio']:.2f} (limit {row['limit']:.2f})")  # fmt: skip
    return 0 if all(row["ratio"] <= row["limit"] for row in table) else 1


def _row(what: str, found: list[float], limit: float) -> dict[str, Any]:
    mine, peer = found
    return {"what": what, "ours": mine, "peer": peer, "ratio": mine / peer, "limit": limit}


def _spec(ranks: int, steps: int) -> Spec:
    whole = plan(None, Options(plans=("ddp",), ranks=ranks, steps=steps), Machine(None, ranks, "2.13.0", 0))
    return msgspec.structs.replace(whole, legs=whole.legs[1:])


def _drill(spec: Spec) -> tuple[float, float]:
    """Seconds to the end of the first step, and of a step, as a drill."""
    with tempfile.TemporaryDirectory() as scratch:
        where = folder.create(Path(scratch), spec)
        running = Running(where, spec)
        ended = running.wait()
        steps = [event for event in folder.replay(where) if isinstance(event, Step) and event.rank == 0]
        if ended.code or not steps:
            raise SystemExit(f"the drill failed: {(where / folder.LOG).read_text()}")
    paces = [event.done.seconds for event in steps if not event.done.tracked and event.done.step >= _SETTLED]
    return steps[0].t, min(paces)


def _torchrun(spec: Spec) -> tuple[float, float]:
    """The same of the bare loop."""
    with tempfile.TemporaryDirectory() as scratch:
        where = folder.create(Path(scratch), spec)
        (where / folder.SCRATCH).mkdir()
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={spec.world}",
                   "-m", "benchmarks.drill_overhead", WORKER, str(where)]  # fmt: skip
        ours = environment(where, spec) | {"BEGAN": repr(time.monotonic())}
        done = subprocess.run(command, env=ours, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"torchrun failed: {done.stderr}")
        first, pace = json.loads((where / "measured.json").read_text())
    return first, pace


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
    paces, first = [], 0.0
    for step in range(spec.steps):
        micros = micro_batches(spec, leg, rank, step)
        begun = time.perf_counter()
        for micro in micros:
            model.loss(module(micro.tokens), micro.targets).backward()
        optimizer.step()
        optimizer.zero_grad()
        paces.append(time.perf_counter() - begun)
        first = first or time.monotonic() - float(os.environ["BEGAN"])
    if rank == 0:
        (where / "measured.json").write_text(json.dumps([first, min(paces[_SETTLED:])]))
    distributed.barrier()
    distributed.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:2] == [WORKER]:
        _worker(Path(sys.argv[2]))
    else:
        sys.exit(main())
