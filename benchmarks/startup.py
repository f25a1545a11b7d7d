"""How long a person waits before anything happens, as ratios against named peers in the same run.

    python -m benchmarks.startup            # a table
    python -m benchmarks.startup --json     # for scripts

Two questions: how `shardwise --version` compares with `python -c pass`, and how the first painted screen compares with
that of a minimal Textual app, both started in a terminal, with a filled and with an empty cache folder. Peers are run
in turn, so that a busy machine slows both. Ends with 1 where a ratio is over its limit.
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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = Path(sys.executable).with_name("shardwise")
"""The command as people start it; `python -m quiz` stands in where only the source is there."""
PROGRAM = [str(INSTALLED)] if INSTALLED.exists() else [sys.executable, "-m", "quiz"]
MINIMAL = [sys.executable, str(Path(__file__).with_name("minimal_app.py"))]
MINIMAL_SHOWS = "a minimal app"
PAINTED = "Shardwise"
"""What the home screen shows as soon as it is painted, before the bank is open."""
FILLED = "Start"
"""What it shows once the bank is open and a key would start a question: stricter, and held to the same limit."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Medians in milliseconds of ours and of the peer, their ratio and its limit."""

    what: str
    peer: str
    ours_ms: float
    peer_ms: float
    ratio: float
    limit: float


def main() -> int:
    """Measure, print, and say by the exit code whether the limits hold."""
    parser = argparse.ArgumentParser(description="Start-up times against peers.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=9, help="runs of each (default 9; the median counts)")
    parser.add_argument("--no-screen", action="store_true", help="leave the screens out")
    args = parser.parse_args()
    found = [version_ratio(args.rounds)]
    if not args.no_screen:
        with tempfile.TemporaryDirectory() as folder:
            for cold in (False, True):
                found += [screen_ratio(args.rounds, Path(folder), shows, cold=cold) for shows in (PAINTED, FILLED)]
    if args.json:
        print(json.dumps([asdict(ratio) for ratio in found], indent=2))
    else:
        for ratio in found:
            verdict = "ok" if ratio.ratio <= ratio.limit else "OVER"
            print(
                f"{ratio.what:<28} {ratio.ours_ms:7.1f} ms   {ratio.peer:<22} {ratio.peer_ms:7.1f} ms"
                f"   ratio {ratio.ratio:4.2f} of at most {ratio.limit:.1f}  {verdict}"
            )
    return 0 if all(ratio.ratio <= ratio.limit for ratio in found) else 1


def version_ratio(rounds: int) -> Ratio:
    """`--version` against a bare interpreter."""
    ours = [*PROGRAM, "--version"]
    peer = [sys.executable, "-c", "pass"]
    return compare(
        "shardwise --version", "python -c pass", rounds, lambda: process_ms(ours), lambda: process_ms(peer), 3
    )


def screen_ratio(rounds: int, folder: Path, shows: str, *, cold: bool) -> Ratio:
    """The home screen against a minimal Textual app's first; cold means an empty cache folder each time."""
    count = iter(range(10**6))

    def ours() -> float:
        cache = folder / (f"cache-{shows}-{next(count)}" if cold else "cache")
        return painted_ms(PROGRAM, shows, {"SHARDWISE_DATA": str(folder / "data"), "SHARDWISE_CACHE": str(cache)})

    def peer() -> float:
        return painted_ms(MINIMAL, MINIMAL_SHOWS, {})

    ours()  # fills the warm cache, and the bytecode of both
    peer()
    name = f"{'painted' if shows == PAINTED else 'ready'}, {'cold' if cold else 'warm'}"
    return compare(name, "minimal Textual app", rounds, ours, peer, 3 if cold else 1.8)


def compare(
    what: str, peer_name: str, rounds: int, ours: Callable[[], float], peer: Callable[[], float], limit: float
) -> Ratio:
    """Medians of `rounds` runs of each, taken in turn."""
    pairs = [(ours(), peer()) for _ in range(rounds)]
    our_ms, peer_ms = (statistics.median(times) for times in zip(*pairs, strict=True))
    return Ratio(what, peer_name, round(our_ms, 1), round(peer_ms, 1), round(our_ms / peer_ms, 2), limit)


def process_ms(command: list[str]) -> float:
    """A process from its start to its end."""
    # Compiled files are used as they are on a learner's machine, whatever this environment says.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - started)


def painted_ms(command: list[str], shows: str, env: dict[str, str]) -> float:
    """A program in a terminal of 80x24 from its start until its screen shows a word."""
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **env}
    with Terminal(command, env=environment, cwd=ROOT) as terminal:
        terminal.wait_for(shows, seconds=60)
        return 1000 * (time.perf_counter() - terminal.started)


if __name__ == "__main__":
    sys.exit(main())
