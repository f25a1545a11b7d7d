"""`python -m quiz.drills.child FOLDER`: run the drill that `FOLDER/spec.json` describes.

It joins a group where torchrun started it, else it makes the ranks of this machine. Exit codes: 0 done, 1 failed, 2 the
folder cannot be read, 74 the disk is full, 143 cancelled.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quiz.drills.child.ledger import Emitter
    from quiz.drills.records import Env, Spec

USAGE: Final = 2
#: Resident memory only says what is held if freed blocks go back to the system, which glibc decides at its start.
_ALLOCATOR: Final = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}


def main(argv: list[str]) -> int:
    """Run, and return the exit code."""
    from quiz.drills.child import guard, joined
    from quiz.drills.child.crews import RANK_OPTION, Forks, Spawns
    from quiz.drills.child.ledger import LedgerError
    from quiz.drills.child.runner import Runner
    from quiz.drills.folder import FolderError, spec_of

    if len(argv) not in (1, 3):
        print("usage: python -m quiz.drills.child FOLDER", file=sys.stderr)  # noqa: T201
        return USAGE
    where = Path(argv[0])
    try:
        spec = spec_of(where)
    except FolderError as error:
        print(error, file=sys.stderr)  # noqa: T201 - into the runner's log
        return USAGE
    if argv[1:2] == [RANK_OPTION]:
        return joined.spawned(where, spec, int(argv[2]))
    if "RANK" in os.environ and "LOCAL_WORLD_SIZE" in os.environ:
        return joined.by_torchrun(where, spec)
    forks = sys.platform == "linux" and spec.device == "cpu"
    try:
        runner = Runner(where, spec, Forks(partial(_prepare, launch="fork"), _body) if forks else Spawns())
    except LedgerError as full:
        guard.note(full)
        return guard.DISK
    return runner.run()


def _prepare(spec: Spec, launch: str) -> Env:
    from quiz.drills.child import group

    return group.prepare(spec, launch)


def _body(spec: Spec, rank: int, world: int, emit: Emitter, meeting: Path) -> None:
    from quiz.drills.child import group

    group.body(spec, rank, world, emit, meeting)


def _quiet() -> None:
    """Keep one remark of torch out of the logs: nothing here needs NumPy."""
    import warnings

    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")


def _with_our_allocator() -> None:
    """Begin anew with the allocator's settings where they are missing: it reads them once, at the start."""
    if sys.platform == "linux" and not _ALLOCATOR.items() <= os.environ.items():
        os.environ.update(_ALLOCATOR)
        os.execv(sys.executable, [sys.executable, "-m", "quiz.drills.child", *sys.argv[1:]])  # noqa: S606


if __name__ == "__main__":
    _with_our_allocator()
    _quiet()
    sys.exit(main(sys.argv[1:]))
