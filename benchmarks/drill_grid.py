"""The solver's transient relations against torch's own code on fake tensors, cell by cell of a grid.

    python benchmarks/drill_grid.py --into FILE [--only NAME …] [--layers N]   measure what FILE does not have yet
    python benchmarks/drill_grid.py --list                                    the names of the cells, in their order
    python benchmarks/drill_grid.py --check [FILE]                            1 where the solver is off
    python benchmarks/drill_grid.py --table [FILE]                            the comparison, as a table for the docs

FILE (benchmarks/drill_grid.jsonl unless said) has one JSON line for each cell that was measured, written as soon as it
is; start the script again and it goes on where it stopped. A cell takes 10 to 60 seconds of one core and half a
gigabyte: run the whole with `nice`, in about two hours. With `--layers` the models have so many layers and their own
widths, which takes some seconds a cell. Measuring needs torch; the comparison does not.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from quiz.drills.events import Peak, Rest, Traffic  # noqa: E402 - the checkout beside the script comes first
from quiz.drills.expect import expected  # noqa: E402
from quiz.drills.records import Leg, Shape, Spec  # noqa: E402
from quiz.drills.scenario import shape_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.drills.events import AnyEvent

MODELS: Final = ("llama-3-8b", "llama-3-70b", "llama-3-405b")
RANKS: Final = (64, 8, 1024)
SEQUENCE: Final = 4096
WITHIN: Final = 0.03
"""How far the solver may be off in the peak of a phase."""
PARTS: Final = ("parameters", "gradients", "optimizer")
SENT: Final = "traffic.payload"
MEASURED: Final = Path(__file__).with_suffix(".jsonl")


class Cell(NamedTuple):
    """One layout of one model."""

    model: str
    ranks: int
    tp: int
    reshard: bool
    checkpoint: bool
    bf16: bool
    layers: int = 0

    @property
    def name(self) -> str:
        """`llama-3-70b/64/tp1/reshard/full/bf16`, `llama-3-70b-6/…` with six layers."""
        return "/".join(
            (
                f"{self.model}-{self.layers}" if self.layers else self.model,
                str(self.ranks),
                f"tp{self.tp}",
                "reshard" if self.reshard else "keep",
                "full" if self.checkpoint else "none",
                "bf16" if self.bf16 else "fp32",
            )
        )

    @property
    def shape(self) -> Shape:
        """The model, whole or of so many layers."""
        shape = shape_of(self.model, SEQUENCE)
        return msgspec.structs.replace(shape, layers=self.layers, name="") if self.layers else shape

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


def cells(layers: int = 0) -> list[Cell]:
    """The whole grid, so ordered that what has run when it is stopped is a fair sample."""
    grid = [
        Cell(model, ranks, tp, reshard, checkpoint, bf16, layers)
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
    run(Spec(run="", tier="fake", world=cell.ranks, steps=2, shape=cell.shape, legs=(cell.leg,)), events.append)
    rest = next(event.held for event in events if isinstance(event, Rest))
    sent = next(event.sent for event in events if isinstance(event, Traffic))
    return {
        "cell": cell.name,
        "rest": [rest.parameters, rest.gradients, rest.optimizer],
        "peaks": {event.high.phase: event.high.held.total for event in events if isinstance(event, Peak)},
        "sent": sum(one.bytes for one in sent),
        "seconds": round(time.perf_counter() - begun, 1),
    }


class Compared(NamedTuple):
    """A cell as measured and as solved: bytes by phase, and those that have to be equal."""

    cell: Cell
    measured: dict[str, int]
    solved: dict[str, float]
    unequal: tuple[str, ...]

    @property
    def errors(self) -> dict[str, float]:
        """How far the solver is off, by phase."""
        return {phase: self.solved[phase] / size - 1 for phase, size in self.measured.items()}

    @property
    def peak(self) -> float:
        """How far it is off in the largest phase."""
        return max(self.solved.values()) / max(self.measured.values()) - 1

    @property
    def binds(self) -> tuple[str, str]:
        """The phase that binds, as measured and as solved."""
        return max(self.measured, key=lambda name: self.measured[name]), max(
            self.solved, key=lambda name: self.solved[name]
        )


def compared(path: Path) -> list[Compared]:
    """What a file has, beside the solver, in the order of the grid; whole models first."""
    done = known(path)
    depths = sorted({int(name.split("/", maxsplit=1)[0].rpartition("-")[2]) for name in done if _is_cut(name)})
    return [
        _beside(cell, done[cell.name]) for layers in (0, *depths) for cell in sorted(cells(layers)) if cell.name in done
    ]


def _beside(cell: Cell, row: dict[str, Any]) -> Compared:
    said = {one.key.partition("@")[0]: one.value or 0.0 for one in expected(cell.shape, (cell.leg,), 1, "fake")}
    exact = {f"rest.{part}": size for part, size in zip(PARTS, row["rest"], strict=True)} | {SENT: row["sent"]}
    return Compared(
        cell,
        row["peaks"],
        {phase: said[f"peak.{phase}"] for phase in row["peaks"]},
        tuple(f"{key} is {size:,}, not {said[key]:,.0f}" for key, size in exact.items() if said[key] != size),
    )


def _is_cut(name: str) -> bool:
    return name.split("/", maxsplit=1)[0].rpartition("-")[0] in MODELS


def check(path: Path) -> list[str]:
    """What is wrong in a file: another phase that binds, a phase more than `WITHIN` off, a byte at rest or sent."""
    wrong = []
    for one in compared(path):
        name = one.cell.name
        if one.binds[0] != one.binds[1]:
            wrong.append(f"{name}: {one.binds[0]} binds, the solver says {one.binds[1]}")
        wrong.extend(
            f"{name}: {phase} is {error:+.2%} off" for phase, error in one.errors.items() if abs(error) > WITHIN
        )
        wrong.extend(f"{name}: {said}" for said in one.unequal)
    return wrong


def table(path: Path) -> str:
    """The comparison in Markdown."""
    heads = (
        "model", "ranks", "tp", "weights after forward", "recompute", "computes in", "binds", "measured, GB",
        "solver, GB", "error", "forward", "backward", "step",
    )  # fmt: skip
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for one in compared(path):
        cell, errors = one.cell, one.errors
        model = f"{cell.model}, {cell.layers} layers" if cell.layers else cell.model
        columns = (
            model,
            f"{cell.ranks:,}",
            str(cell.tp),
            "freed" if cell.reshard else "kept",
            "full" if cell.checkpoint else "none",
            "bf16" if cell.bf16 else "fp32",
            one.binds[0] if one.binds[0] == one.binds[1] else f"**{one.binds[0]}, solver {one.binds[1]}**",
            f"{max(one.measured.values()) / 1e9:,.2f}",
            f"{max(one.solved.values()) / 1e9:,.2f}",
            _percent(one.peak),
            *(_percent(errors[phase]) for phase in ("forward", "backward", "optimizer")),
        )
        lines.append("| " + " | ".join(columns) + " |")
    return "\n".join(lines)


def _percent(error: float) -> str:
    shown = f"{100 * error:+.2f} %".replace("-", "−")
    return "0.00 %" if shown[1:] == "0.00 %" else shown


def known(path: Path) -> dict[str, dict[str, Any]]:
    """What a file has already, by the names of the cells. A last line that was cut off does not count."""
    found: dict[str, dict[str, Any]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):
                row = json.loads(line)
                found[row["cell"]] = row
    return found


def missing(path: Path, only: list[str], layers: int = 0) -> Iterator[Cell]:
    """The cells that a file does not have, of those whose name has one of the words in it."""
    done = known(path)
    for cell in cells(layers):
        if cell.name not in done and (not only or any(word in cell.name for word in only)):
            yield cell


def main() -> int:
    """Do what the options say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, metavar="FILE", help="measure, and add a line for each cell to FILE")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only cells with this in the name")
    parser.add_argument("--layers", type=int, default=0, metavar="N", help="measure models of so many layers")
    parser.add_argument("--list", action="store_true", help="print the names of the cells")
    for name, says in (("--check", "tell where the solver is off, and exit with 1"), ("--table", "print the table")):
        parser.add_argument(name, type=Path, nargs="?", const=MEASURED, metavar="FILE", help=says)
    args = parser.parse_args()
    if args.list:
        print("\n".join(cell.name for cell in cells(args.layers)))
    if args.table is not None:
        print(table(args.table))
    if args.check is not None:
        wrong = check(args.check)
        count = len(known(args.check))
        print("\n".join(wrong) or ("1 cell agrees." if count == 1 else f"{count} cells agree."))
        return int(bool(wrong))
    if args.into is not None:
        todo = list(missing(args.into, args.only, args.layers))
        for place, cell in enumerate(todo, 1):
            row = measure(cell)
            with args.into.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{place}/{len(todo)}  {row['seconds']:6.1f} s  {cell.name}", flush=True)
            gc.collect()
    return 0


if __name__ == "__main__":
    sys.exit(main())
