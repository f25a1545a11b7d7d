"""`shardwise history erase`: everything that is stored of a person's answers goes, after a question."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, USAGE, Failure
from quiz.nouns import count

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def erase(args: argparse.Namespace, path: Path) -> int:
    """Erase the history at a path with its backups; 1 where the answer to the question is no."""
    from quiz.store.erasing import belongings
    from quiz.store.erasing import erase as remove

    runs = drill_runs(path)
    found = (*belongings(path), *(one for run in runs for one in sorted(run.rglob("*")) if one.is_file()))
    if not found:
        print(f"nothing is stored: there is no history at {path}.")
        return DONE
    size = sum(one.stat().st_size for one in found)
    also = f" and {count(len(runs), 'run')} of drills" if runs else ""
    say(f"{count(len(found), 'file')} with {size / 1e6:,.1f} MB of your answers, backups too{also}:")
    for one in (*belongings(path), *runs):
        say(f"  {one}")
    if not args.yes and not _agreed():
        print("nothing was erased.")
        return NEGATIVE
    gone = _erase_runs(runs)
    done = remove(path)
    print(f"erased: {count(len(done.gone) + gone, 'file')}.")
    if done.left:
        print(f"left in {path.parent}: {', '.join(one.name for one in done.left)}.")
    print("Not erased: exports and copies that you made elsewhere. A disk may keep what was deleted for a while.")
    return DONE


def drill_runs(history: Path) -> tuple[Path, ...]:
    """The folders of the drills that were run beside a history: what was predicted lies in them."""
    from quiz.drills.folder import runs, runs_folder

    return runs(runs_folder(history.parent))


def _erase_runs(folders: tuple[Path, ...]) -> int:
    """Remove the runs and their folder where it is empty then; return how many files. Raises Failure."""
    from quiz.drills.folder import erase, live

    going = [one for one in folders if live(one)]
    if going:
        raise Failure(f"the drill {going[0].name} still goes on; nothing was erased. End it first.", code=USAGE)
    files = sum(one.is_file() for folder in folders for one in folder.rglob("*"))
    try:
        erase(folders)
        for root in {one.parent for one in folders}:
            if not any(root.iterdir()):
                root.rmdir()
    except OSError as error:
        raise Failure(f"{error.filename} could not be removed: {error.strerror or error}") from error
    return files


def _agreed() -> bool:
    """Ask. Raises Failure where nobody can answer."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise Failure("erasing asks first, and there is no terminal to ask on. Add --yes to erase.", code=USAGE)
    say("This cannot be undone. Type the word erase to go on:")
    return sys.stdin.readline().strip().lower() == "erase"
