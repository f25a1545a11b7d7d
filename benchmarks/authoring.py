"""What an author waits for, as ratios against named peers in the same run, and in seconds where the bank is ours.

    python -m benchmarks.authoring                        # a table
    python -m benchmarks.authoring --questions 10000      # the whole claim; filling the cache takes minutes
    python -m benchmarks.authoring --json                 # for scripts

The large bank is made of the bundled questions, each with an id of its own. Loading strictly means reading the YAML
with all its checks and validating the form; the peer is PyYAML's C loader, which parses the same texts and checks
nothing. Ends with 1 where a limit is exceeded.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from quiz.authoring.lint import maker
from quiz.authoring.own_figures import check_figures
from quiz.authoring.pool import cores, sheets_of
from quiz.bank.files import list_bank
from quiz.bank.library import open_bank
from quiz.bank.loader import Loader
from quiz.bank.numeric import Reference
from quiz.bank.schema import QUESTION, Numeric
from quiz.bank.scope import World
from quiz.bank.verdicts import decided
from quiz.bank.yaml_reader import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from quiz.bank.files import Listing
    from solvers.expr.declared import Units

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "questions"
SPREAD = (
    "batch-size/ga-steps.yaml",
    "cost/cost-offers.yaml",
    "fault-tolerance/ft-young-daly.yaml",
    "moe-ep/moe-folding.yaml",
    "zero-stages/zero-least-sharding.yaml",
)
"""Questions of several kinds, with usual numbers of draws."""
LONGEST = "memory-budget/mb-70b-4nodes.yaml"
"""The bundled question whose draws take longest."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A value with its limit; for a ratio `ours` and `peer` are the seconds that it was made of."""

    what: str
    value: float
    limit: float
    unit: str
    ours: float
    peer: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        return self.value <= self.limit


def main() -> int:
    """Measure, print, and say by the exit code whether the limits hold."""
    parser = argparse.ArgumentParser(description="Loading and lint against peers.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--questions", type=int, default=1000, help="size of the large bank (default 1000)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default 3; the median counts)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bank = made_bank(Path(folder) / "bank", args.questions)
        found = [*loading(bank, Path(folder) / "cache", args.rounds), *variants(bank), *shipped(Path(folder))]
    if args.json:
        print(json.dumps([{**asdict(one), "holds": one.holds} for one in found], indent=2))
    else:
        for one in found:
            peer = f"{one.ours:8.2f} s against {one.peer:7.2f} s" if one.peer else " " * 28
            verdict = "ok" if one.holds else "OVER"
            print(f"{one.what:<58} {peer}   {one.value:7.3f} {one.unit:<12} of at most {one.limit:g}  {verdict}")
    return 0 if all(one.holds for one in found) else 1


def made_bank(folder: Path, count: int) -> Path:
    """A bank of `count` questions, made of those that come with the program."""
    originals = [path.read_text(encoding="utf-8") for path in sorted(SHIPPED.glob("*/*.yaml"))]
    folder.mkdir()
    for name in ("bank.yaml", "sources.yaml"):
        shutil.copy(SHIPPED / name, folder)
    for number in range(count):
        text = originals[number % len(originals)]
        round_ = number // len(originals)
        if round_:
            name, rest = text.removeprefix("id: ").split("\n", 1)
            text = f"id: {name}-{round_}\n{rest}"
        topic = folder / f"topic-{number // 500}"
        topic.mkdir(exist_ok=True)
        (topic / f"question-{number}.yaml").write_text(text, encoding="utf-8")
    return folder


def loading(bank: Path, cache: Path, rounds: int) -> list[Measured]:
    """Strict loading against PyYAML's C loader; then warm, and with the base figures."""
    listing = list_bank(bank)
    texts = {name: listing.read(name) for name in listing.questions}
    context = Loader(listing, None).context

    def peer() -> None:
        for text in texts.values():
            yaml.load(text, yaml.CSafeLoader)

    def strict() -> None:
        for name, text in texts.items():
            QUESTION.read(read_yaml(text, name).data, context.units)

    def figures() -> None:
        for name, text in texts.items():
            base_figures(text, name, context.units)

    times = in_turn(rounds, peer, strict, figures)
    (every,) = in_turn(rounds, lambda: check_figures(bank, workers=cores()))
    open_bank(bank, cache)
    (warm,) = in_turn(rounds, lambda: open_bank(bank, cache))
    return [
        Measured("strict loading, cold, to PyYAML's C loader", times[1] / times[0], 1.4, "times", times[1], times[0]),
        Measured("strict loading, warm, to cold", warm / times[1], 1 / 20, "times", warm, times[1]),
        Measured(
            f"structure and base figures on {cores()} cores, to strict loading on one",
            every / times[1],
            1.6,
            "times",
            every,
            times[1],
        ),
        Measured(
            "structure and base figures on one core, to strict loading",
            times[2] / times[1],
            4,
            "times",
            times[2],
            times[1],
        ),
    ]


def base_figures(text: bytes, name: str, units: Units) -> None:
    """Read, validate, and work out what decides a question and every figure that it names."""
    question = QUESTION.read(read_yaml(text, name).data, units)
    world = World(question, units=units)
    decision = decided(world)
    if len(decision.key) == 1:
        world.key_option = decision.key[0]
    for figure in question.figures:
        world.require_value(figure)
    if isinstance(question, Numeric):
        list(Reference(world, question.answer, ("answer",)).wrong_values(question.slips, ("slips",)))


def variants(bank: Path) -> list[Measured]:
    """The whole lint of part of the large bank, variants included, on all cores."""
    listing: Listing = list_bank(bank)
    names = list(listing.questions)[:400]
    began = time.perf_counter()
    made = list(sheets_of(listing, names, maker(listing), cores()))
    each = (time.perf_counter() - began) / len(made)
    return [Measured(f"full lint of {len(made)} questions on {cores()} cores", each, 0.1, "s a question", each)]


def shipped(folder: Path) -> list[Measured]:
    """The bundled bank from a shell: cold, warm, and with one file changed, its words or its numbers."""
    copy = folder / "shipped"
    shutil.copytree(SHIPPED, copy)
    command = [sys.executable, "-m", "quiz", "author", "lint", str(copy)]
    environment = {**os.environ, "SHARDWISE_CACHE": str(folder / "lint-cache")}

    def run() -> float:
        began = time.perf_counter()
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began

    def after(change: str, *names: str) -> float:
        times = []
        for name in names:
            with (copy / name).open("a", encoding="utf-8") as file:
                file.write(change)
            times.append(run())
        return statistics.median(times)

    cold = run()
    warm = statistics.median(run() for _ in range(3))
    words = after("# changed\n", *SPREAD)
    numbers = after("generation: 1\n", *SPREAD)  # of no draw, but kept draws rest on every key that is not words
    longest = after("# changed\n", LONGEST), after("generation: 1\n", LONGEST)
    return [
        Measured("full lint of the bundled bank, cold", cold, 10, "s", cold),
        Measured("full lint of the bundled bank, warm", warm, 1, "s", warm),
        Measured("lint from a shell, words of one file changed", words, 0.7, "s", words),
        Measured("lint from a shell, numbers of one file changed", numbers, 0.7, "s", numbers),
        Measured("the same, words, of the question with the longest draws", longest[0], 0.7, "s", longest[0]),
        Measured("the same, numbers, of the question with the longest draws", longest[1], 0.7, "s", longest[1]),
    ]


def in_turn(rounds: int, *works: Callable[[], object]) -> list[float]:
    """Medians in seconds of each work, taken in turn so that a busy machine slows all."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, taken in zip(works, times, strict=True):
            gc.collect()
            began = time.perf_counter()
            work()
            taken.append(time.perf_counter() - began)
    return [statistics.median(taken) for taken in times]


if __name__ == "__main__":
    sys.exit(main())
