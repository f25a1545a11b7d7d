"""A session on a history of years, beside Anki on the same reviews, in one run: what each step takes.

    python -m benchmarks.memory --anki PYTHON                 # 10,000 cards, 100,000 reviews
    python -m benchmarks.memory --anki PYTHON --large         # 100,000 cards, 1,000,000 reviews: takes half an hour
    python -m benchmarks.memory                               # installs `anki` into a temporary environment first
    python -m benchmarks.memory --anki PYTHON --keep FOLDER   # histories are made there once and copied for each run

PYTHON is the interpreter of an environment that holds the `anki` wheel; it is never imported here.

Both sides do the same. They hold the same cards with the same answers, and one card in twenty that was never asked.
Anki's notes hold what our exporter writes of the bundled questions, question and solution, again and again; ours show
the same questions out of the bank. FSRS, fuzz and the balance of the days are on, with the same limits a day. Both
write synchronously (FULL). A question counts as asked when question and solution are rendered. Session, statistics and
backup are each a process of their own, with the libraries loaded before the clock starts, the sides in turn; the least
of the rounds counts, and of a session's answers and questions the median.

What differs. Our questions lie in a bank beside the history, which is open before the clock starts (`startup.py`
measures that), so that only Anki's backup holds the questions; ours holds of each answer what stood on the screen,
Anki's a line of numbers. `--short` gives Anki notes of a word instead. Anki counts its graphs, we our own figures. A
question's variants are left out, since Anki has none.

Who learns reads the question and, after the answer, the solution. Our program uses that time: while a question is read
it works out what each rating will store, while a solution is read it reads the next question. Nobody waits for it, so
it is left out of the rows and printed below them. Anki's answer takes what was worked out when its card was shown; it
does nothing while the learner reads.

Beside each row stands the processor's time, of all threads, which other programs on the machine disturb less.

Ends with 1 where a row misses its share of Anki's figure.
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
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final

from benchmarks import memory_anki, memory_made, memory_ours

if TYPE_CHECKING:
    from benchmarks.memory_anki import Times

ANSWERS: Final = 60
ROUNDS: Final = 3
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
_STEPS: Final = ("session", "statistics", "backup")
_PAGE: Final = 4_096


def main() -> int:
    """Measure, print, and say by the exit code whether every row holds."""
    parser = argparse.ArgumentParser(description="A session on a history of years, beside Anki.")
    parser.add_argument("--anki", metavar="PYTHON", help="the interpreter of an environment with the anki wheel")
    parser.add_argument("--large", action="store_true", help="100,000 cards and 1,000,000 reviews")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="make the histories here once, and use them again")
    parser.add_argument("--short", action="store_true", help="give Anki notes of a word instead of whole questions")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    cards, reviews = LARGE if args.large else SMALL
    with tempfile.TemporaryDirectory(prefix="memory-") as place:
        work = Path(place)
        python = args.anki or _environment(work / "anki-environment")
        made = (args.keep or work) / f"{cards}-{reviews}"
        theirs = made / ("anki-short" if args.short else "anki")
        _make(made, theirs, (cards, reviews), python)
        shutil.copytree(made / memory_ours.CACHE, work / memory_ours.CACHE)
        sync = _sync(work)
        found = _measured(made / "ours", theirs, work, cards, python)
    rows = _rows(*found, large=args.large)
    beforehand = {name: _least(found[0], name) for name in (memory_ours.QUESTION_READ, memory_ours.SOLUTION_READ)}
    if args.json:
        made = {"cards": cards, "reviews": reviews, "sync": sync, "rows": rows, "beforehand": beforehand}
        print(json.dumps(made))
    else:
        wall, busy = sync
        print(f"{cards:,} cards, {reviews:,} reviews; median of {ANSWERS} answers, best of {ROUNDS} rounds")
        print(f"a page written and synced takes {wall:.2f} ms here, {busy:.2f} ms of them the processor's")
        print(f"{'':<20}{'ours':>12}{'Anki':>12}{'share':>8}{'at most':>9}       processor: ours, Anki, share")
        for row in rows:
            sign = "" if row["holds"] else "  missed"
            mine, other = row.get("processor", (0, 0))
            spent = f"{mine:>12,.3f}{other:>12,.3f}{mine / other:>8.2f}" if other else ""
            print(
                f"{row['name']:<20}{row['ours']:>12,.3f}{row['anki']:>12,.3f}{row['share']:>8.2f}"
                f"{row['at most']:>9.2f} {row['unit']}{spent}{sign}"
            )
        for name, (wall, busy) in beforehand.items():
            print(f"ours makes ready what comes next, while a {name[:8]} is read, in {wall:.3f} ms ({busy:.3f})")
    return 0 if all(row["holds"] for row in rows) else 1


def _environment(place: Path) -> str:
    venv.create(place, with_pip=True)
    python = str(place / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "anki"], check=True)
    return python


def _make(made: Path, theirs: Path, size: tuple[int, int], python: str) -> None:
    """Make both histories and the compiled bank, as far as they are not there."""
    cards, reviews = size
    bank = memory_made.opened(made / memory_ours.CACHE)
    for entry in bank.index:
        bank.question(entry.id)
    ours = made / "ours"
    if not (ours / "ready").exists():
        ours.mkdir(parents=True, exist_ok=True)
        _ours("make", ours, str(cards), str(reviews))
        (ours / "ready").touch()
    if not (theirs / "ready").exists():
        theirs.mkdir(parents=True, exist_ok=True)
        lines = "\n".join(memory_made.for_anki(cards, reviews, bank, short=theirs.name != "anki"))
        subprocess.run([python, memory_anki.__file__, "make", str(theirs)], input=lines, text=True, check=True)
        (theirs / "ready").touch()


def _measured(made: Path, peers: Path, work: Path, cards: int, python: str) -> tuple[Times, Times]:
    """Run the rounds, the sides in turn; return what ours took and what theirs did, each round's figure by name."""
    ours: Times = {}
    theirs: Times = {}
    for number in range(ROUNDS):
        for source, name in ((made, "ours"), (peers, "anki")):
            shutil.rmtree(work / name, ignore_errors=True)
            shutil.copytree(source, work / name)
        _ours("ready", work / "ours", str(cards))
        os.sync()  # or the first who syncs would wait for what was copied here
        for step in _STEPS:
            answers = [str(ANSWERS)] if step == "session" else []
            mine = _read(_ours(step, work / "ours", str(cards), *answers))
            peer = _read(_run([python, memory_anki.__file__, step, str(work / "anki"), *answers]))
            for into, one in (ours, mine), (theirs, peer):
                for name, times in one.items():
                    figure = statistics.median(times)
                    if name == "peak" and len(into.get(name, ())) > number:
                        into[name][number] = max(figure, into[name][number])  # of the processes of a round
                    else:
                        into.setdefault(name, []).append(figure)
    return ours, theirs


def _ours(step: str, folder: Path, *more: str) -> str:
    return _run([sys.executable, "-m", "benchmarks.memory_ours", step, str(folder), *more])


def _run(command: list[str]) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _read(text: str) -> Times:
    found: Times = json.loads(text)
    return found


def _sync(folder: Path) -> tuple[float, float]:
    """What writing and syncing a page of a log takes on this disk: medians in milliseconds, all and the processor's."""
    times, busy = [], []
    with (folder / "sync").open("wb") as file:
        for _ in range(50):
            clock, start = perf_counter(), process_time()
            file.write(os.urandom(_PAGE))
            file.flush()
            os.fsync(file.fileno())
            times.append(perf_counter() - clock)
            busy.append(process_time() - start)
    return statistics.median(times) * 1_000, statistics.median(busy) * 1_000


def _least(times: Times, name: str) -> tuple[float, float]:
    """The least of the rounds in milliseconds, by the clock and by the processor."""
    return min(times[name]) * 1_000, min(times[f"{name}, processor"]) * 1_000


def _rows(ours: Times, theirs: Times, *, large: bool) -> list[dict[str, Any]]:
    rows = []
    for name, share in SHARES.items():
        unit, times = ("MB", 1e-6) if name == "peak" else ("ms", 1_000)
        mine, other = (min(side[name]) * times for side in (ours, theirs))
        most = share if large else max(share, 1.0)
        row = {"name": name, "ours": mine, "anki": other, "share": mine / other, "at most": most, "unit": unit}
        if (busy := f"{name}, processor") in ours:
            row["processor"] = tuple(min(side[busy]) * 1_000 for side in (ours, theirs))
        rows.append(row | {"holds": mine <= most * other})
    return rows


if __name__ == "__main__":
    sys.exit(main())
