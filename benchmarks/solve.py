"""What a figure costs: in a loaded program against the bare formula, and from the shell against `import sympy`.

    python benchmarks/solve.py [--rounds N] [--json]

Every figure is a ratio of medians against a named peer, run in turn in the same run. The limits are those that the
project holds itself to; the exit code is 1 where one is exceeded.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = [sys.executable, "-c", "import sys; from quiz.cli.entry import main; sys.exit(main(sys.argv[1:]))", "solve"]
PLAN = {"model.parameters": "70e9", "recipe": "zero-paper", "layout.zero": "3", "layout.dp": "8"}
STATED = [word for name, value in PLAN.items() for word in ("--set", f"{name}={value}")]
FORWARD = ["memory.state_per_gpu", *STATED]
INVERSE = ["checkpoint.interval_daly", "--for", "checkpoint.stall", "--at-most", "1000 s", "--set", "run.mtbf=3 h"]
SEARCH = ["memory.state_per_gpu", "--for", "layout.dp", "--at-most", "20 GB", *STATED[:-2]]
SWEEP = ["memory.state_per_gpu", "--sweep", "layout.dp=8..1024", *STATED[:-2]]
LIBRARY = [sys.executable, "-c", "from solvers import Solver, scenario_of"]
SYMPY = [sys.executable, "-c", "import sympy"]


class Ratio(NamedTuple):
    """Two medians in a unit, their ratio, and the limit where there is one."""

    what: str
    peer: str
    ours: float
    theirs: float
    unit: str
    limit: float | None

    @property
    def ratio(self) -> float:
        """Ours over theirs."""
        return self.ours / self.theirs


def main() -> int:
    """Measure, print, and return 1 where a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="runs of each, taken in turn (default 9)")
    parser.add_argument("--json", action="store_true", help="print the ratios as JSON")
    args = parser.parse_args()
    ratios = [*in_a_program(args.rounds), *from_the_shell(args.rounds)]
    if args.json:
        print(json.dumps([ratio._asdict() | {"ratio": round(ratio.ratio, 3)} for ratio in ratios], indent=2))
    else:
        for ratio in ratios:
            limit = f"  (at most {ratio.limit})" if ratio.limit is not None else ""
            print(
                f"{ratio.what:<34} {ratio.ours:9.1f} {ratio.unit}  /  {ratio.peer:<26} {ratio.theirs:9.3f} "
                f"{ratio.unit}  =  {ratio.ratio:.2f}{limit}"
            )
    return 1 if any(ratio.limit is not None and ratio.ratio > ratio.limit for ratio in ratios) else 0


def in_a_program(rounds: int) -> list[Ratio]:
    """A figure of a loaded program against the formula written out by hand."""
    sys.path.insert(0, str(ROOT))
    from solvers import Solver, scenario_of

    scenario = scenario_of(PLAN)
    per_parameter = {"weights": 2, "gradients": 2, "master": 4, "moment1": 4, "moment2": 4}

    def by_hand() -> float:
        parameters, stage, ranks = 70e9, 3, 8
        weights = per_parameter["weights"] * parameters / (ranks if stage >= 3 else 1)  # noqa: PLR2004 - the stage
        gradients = per_parameter["gradients"] * parameters / (ranks if stage >= 2 else 1)  # noqa: PLR2004 - as above
        rest = per_parameter["master"] + per_parameter["moment1"] + per_parameter["moment2"]
        return weights + gradients + rest * parameters / (ranks if stage >= 1 else 1)

    def figure() -> object:
        return Solver(scenario).quantity("memory.state_per_gpu")

    def read_too() -> object:
        return Solver(scenario_of(PLAN)).quantity("memory.state_per_gpu")

    def derived() -> object:
        return Solver(scenario).derive("memory.state_per_gpu")

    jobs: list[tuple[str, Callable[[], object], int]] = [
        ("a figure", figure, 200), ("a figure, its inputs read", read_too, 50), ("a derivation", derived, 5),
    ]  # fmt: skip
    ratios = []
    for what, job, times in jobs:
        job()
        pairs = [(microseconds(job, times), microseconds(by_hand, 2000)) for _ in range(rounds)]
        ratios.append(_ratio(what, "the formula by hand", pairs, "µs", None))
    return ratios


def microseconds(job: Callable[[], object], times: int) -> float:
    """One call of a job, of `times` calls in a row."""
    started = time.perf_counter()
    for _ in range(times):
        job()
    return 1e6 * (time.perf_counter() - started) / times


def from_the_shell(rounds: int) -> list[Ratio]:
    """Whole processes against one that imports sympy."""
    return [
        _ratio(
            what,
            "python -c 'import sympy'",
            [(process_ms(ours), process_ms(SYMPY)) for _ in range(rounds)],
            "ms",
            limit,
        )
        for what, ours, limit in (
            ("solve, forward", [*PROGRAM, *FORWARD], 0.5),
            ("solve, inverse by algebra", [*PROGRAM, *INVERSE], 1.6),
            ("solve, inverse by search", [*PROGRAM, *SEARCH], 1.6),
            ("solve, a sweep of 8 with its plot", [*PROGRAM, *SWEEP], None),
            ("from solvers import Solver", LIBRARY, None),
        )
    ]


def process_ms(command: list[str]) -> float:
    """A process from its start to its end."""
    # Compiled files are used as they are on a learner's machine, whatever this environment says.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - started)


def _ratio(what: str, peer: str, pairs: list[tuple[float, float]], unit: str, limit: float | None) -> Ratio:
    ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    return Ratio(what, peer, round(ours, 1), round(theirs, 3), unit, limit)


if __name__ == "__main__":
    sys.exit(main())
