"""A session on a history of years, beside Anki on the same reviews, in one run: what each step takes.

    python -m benchmarks.memory --anki PYTHON                 # 10,000 cards, 100,000 reviews
    python -m benchmarks.memory --anki PYTHON --large         # 100,000 cards, 1,000,000 reviews: takes half an hour
    python -m benchmarks.memory                               # installs `anki` into a temporary environment first
    python -m benchmarks.memory --anki PYTHON --keep FOLDER   # histories are made there once and copied for each run

PYTHON is the interpreter of an environment that holds the `anki` wheel; it is never imported here. Both sides write
synchronously (FULL), each in a process of its own. Ends with 1 where a row misses its share of Anki's figure.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from benchmarks import memory_anki, memory_made, memory_ours

ANSWERS: Final = 60
SMALL: Final = (10_000, 100_000)
LARGE: Final = (100_000, 1_000_000)
#: What we take at most, as a share of what Anki takes; at the smaller size every row is to be ahead.
SHARES: Final = {
    "open": 0.1,
    "first question": 0.1,
    "next question": 0.5,
    "answer": 1.2,
    "answer, processor": 0.5,
    "statistics": 0.5,
    "backup": 0.5,
    "peak": 1 / 3,
}


def main() -> int:
    """Measure, print, and say by the exit code whether every row holds."""
    parser = argparse.ArgumentParser(description="A session on a history of years, beside Anki.")
    parser.add_argument("--anki", metavar="PYTHON", help="the interpreter of an environment with the anki wheel")
    parser.add_argument("--large", action="store_true", help="100,000 cards and 1,000,000 reviews")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="make the histories here once, and use them again")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    cards, reviews = LARGE if args.large else SMALL
    with tempfile.TemporaryDirectory(prefix="memory-") as place:
        work = Path(place)
        python = args.anki or _environment(work / "anki-environment")
        made = (args.keep or work) / f"{cards}-{reviews}"
        _make(made, cards, reviews, python)
        copy = work / "run"
        shutil.copytree(made, copy)
        sync = _sync(copy)
        theirs = _run([python, memory_anki.__file__, "run", str(copy), str(ANSWERS)])
        ours = _run([sys.executable, "-m", "benchmarks.memory_ours", str(copy), str(cards), str(ANSWERS)])
    rows = _rows(ours, theirs, large=args.large)
    if args.json:
        print(json.dumps({"cards": cards, "reviews": reviews, "sync": sync, "rows": rows}))
    else:
        print(f"{cards:,} cards, {reviews:,} reviews; median of {ANSWERS} answers; the disk's sync {sync:.1f} ms")
        print(f"{'':<20}{'ours':>12}{'Anki':>12}{'share':>8}{'at most':>9}")
        for row in rows:
            sign = "" if row["holds"] else "  missed"
            print(
                f"{row['name']:<20}{row['ours']:>12,.3f}{row['anki']:>12,.3f}{row['share']:>8.2f}"
                f"{row['at most']:>9.2f} {row['unit']}{sign}"
            )
    return 0 if all(row["holds"] for row in rows) else 1


def _environment(place: Path) -> str:
    venv.create(place, with_pip=True)
    python = str(place / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "anki"], check=True)
    return python


def _make(folder: Path, cards: int, reviews: int, python: str) -> None:
    """Make both histories, unless they are there."""
    ready = folder / "ready"
    if ready.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    memory_made.ours(folder / memory_ours.FILE, cards, reviews)
    lines = "\n".join(memory_made.for_anki(cards, reviews))
    subprocess.run([python, memory_anki.__file__, "make", str(folder)], input=lines, text=True, check=True)
    ready.touch()


def _run(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _sync(folder: Path) -> float:
    """What writing and syncing a page of a log takes on this disk, the median in milliseconds."""
    times = []
    with (folder / "sync").open("wb") as file:
        for _ in range(50):
            clock = perf_counter()
            file.write(os.urandom(4_096))
            file.flush()
            os.fsync(file.fileno())
            times.append(perf_counter() - clock)
    return statistics.median(times) * 1_000


def _rows(ours: dict[str, Any], theirs: dict[str, Any], *, large: bool) -> list[dict[str, Any]]:
    rows = []
    for name, share in SHARES.items():
        if name == "peak":
            mine, other, unit = ours[name] / 1e6, theirs[name] / 1e6, "MB"
        else:
            mine, other = (statistics.median(side[name]) * 1_000 for side in (ours, theirs))
            unit = "ms"
        most = share if large else max(share, 1.0)
        row = {"name": name, "ours": mine, "anki": other, "share": mine / other, "at most": most, "unit": unit}
        rows.append(row | {"holds": mine <= most * other})
    return rows


if __name__ == "__main__":
    sys.exit(main())
