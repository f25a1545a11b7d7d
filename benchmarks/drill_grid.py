"""The solver's transient relations against torch's own code on fake tensors, cell by cell of a grid.

    python benchmarks/drill_grid.py --into FILE [--only NAME ...]      measure what FILE does not have yet
    python benchmarks/drill_grid.py --list                             the names of the cells, most telling ones first
    python benchmarks/drill_grid.py --table FILE                       the comparison, as a table for the docs

FILE has one JSON line for each cell that was measured, written as soon as it is; start the script again and it goes on
where it stopped. A cell takes 10 to 90 seconds of one core and half a gigabyte: run the whole with `nice`, in about two
hours. Measuring needs torch; the table does not.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from quiz.drills.events import Peak, Rest, Traffic  # noqa: E402 - the checkout beside the script comes first
from quiz.drills.records import Leg, Spec  # noqa: E402
from quiz.drills.scenario import shape_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.drills.events import AnyEvent

MODELS: Final = ("llama-3-8b", "llama-3-70b", "llama-3-405b")
RANKS: Final = (64, 8, 1024)
SEQUENCE: Final = 4096


class Cell(NamedTuple):
    """One layout of one model."""

    model: str
    ranks: int
    tp: int
    reshard: bool
    checkpoint: bool
    bf16: bool

    @property
    def name(self) -> str:
        """`llama-3-70b/64/tp1/reshard/full/bf16`."""
        return "/".join(
            (
                self.model,
                str(self.ranks),
                f"tp{self.tp}",
                "reshard" if self.reshard else "keep",
                "full" if self.checkpoint else "none",
                "bf16" if self.bf16 else "fp32",
            )
        )

    @property
    def leg(self) -> Leg:
        """The plan of a drill that measures it. Where tensor ranks are all ranks, nothing is sharded."""
        shard = self.ranks // self.tp
        return Leg(
            name=self.name,
            strategy="fsdp" if shard > 1 else "tp",
            shard=shard,
            tp=self.tp,
            sequence_parallel=self.tp > 1,
            reshard=self.reshard,
            checkpoint="full" if self.checkpoint else "none",
            param_dtype="bf16" if self.bf16 else "fp32",
        )


def cells() -> list[Cell]:
    """The whole grid, so ordered that what has run when it is stopped is a fair sample."""
    grid = [
        Cell(model, ranks, tp, reshard, checkpoint, bf16)
        for tp in (1, 8)
        for ranks in RANKS
        for checkpoint in (True, False)
        for bf16 in (True, False)
        for reshard in (True, False)
        for model in MODELS
        if tp < ranks or (reshard and not bf16)  # tensor parallelism alone has no shards and no mixed precision
    ]
    layouts = ((True, True, True), (False, False, True), (True, False, False), (False, True, False))

    def place(cell: Cell) -> tuple[int, int, int]:
        # Sixths of the grid in which every pair of values occurs; within one, layout by layout over all models.
        model = MODELS.index(cell.model)
        third = (model + RANKS.index(cell.ranks) + (cell.tp > 1)) % 3
        layout = (cell.reshard, cell.checkpoint, cell.bf16)
        even = layout in layouts
        return 2 * third + (not even), layouts.index(layout) if even else 0, model

    return sorted(grid, key=place)


def measure(cell: Cell) -> dict[str, Any]:
    """Run a cell on fake tensors: bytes at rest, peaks by phase with what they are made of, bytes sent by kind."""
    from quiz.drills.child.fake import run

    begun = time.perf_counter()
    events: list[AnyEvent] = []
    shape = shape_of(cell.model, SEQUENCE)
    run(Spec(run="", tier="fake", world=cell.ranks, steps=2, shape=shape, legs=(cell.leg,)), events.append)
    rest = next(event.held for event in events if isinstance(event, Rest))
    peaks = {event.high.phase: event.high for event in events if isinstance(event, Peak)}
    sent = next(event.sent for event in events if isinstance(event, Traffic))
    return {
        "cell": cell.name,
        "rest": [rest.parameters, rest.gradients, rest.optimizer],
        "peaks": {
            phase: {"total": high.held.total, **_parts(high.held.activations, high.named)}
            for phase, high in peaks.items()
        },
        "sent": [[one.op, one.dtype, one.group, one.phase, one.count, one.bytes] for one in sent],
        "seconds": round(time.perf_counter() - begun, 1),
    }


def _parts(activations: int, named: dict[str, int]) -> dict[str, int]:
    return {"activations": activations, **named}


def known(path: Path) -> dict[str, dict[str, Any]]:
    """What a file has already, by the names of the cells. A last line that was cut off does not count."""
    found: dict[str, dict[str, Any]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):
                row = json.loads(line)
                found[row["cell"]] = row
    return found


def missing(path: Path, only: list[str]) -> Iterator[Cell]:
    """The cells that a file does not have, of those whose name has one of the words in it."""
    done = known(path)
    for cell in cells():
        if cell.name not in done and (not only or any(word in cell.name for word in only)):
            yield cell


def main() -> int:
    """Do what the options say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, metavar="FILE", help="measure, and add a line for each cell to FILE")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only cells with this in the name")
    parser.add_argument("--list", action="store_true", help="print the names of the cells")
    args = parser.parse_args()
    if args.list:
        print("\n".join(cell.name for cell in cells()))
    if args.into is not None:
        todo = list(missing(args.into, args.only))
        for place, cell in enumerate(todo, 1):
            row = measure(cell)
            with args.into.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{place}/{len(todo)}  {row['seconds']:6.1f} s  {cell.name}", flush=True)
            gc.collect()
    return 0


if __name__ == "__main__":
    sys.exit(main())
