"""`shardwise history erase`: everything that is stored of a person's answers goes, after a question."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.nouns import count
from quiz.cli.outcome import DONE, NEGATIVE, USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def erase(args: argparse.Namespace, path: Path) -> int:
    """Erase the history at a path with its backups; 1 where the answer to the question is no."""
    from quiz.store.erasing import belongings
    from quiz.store.erasing import erase as remove

    found = belongings(path)
    if not found:
        print(f"nothing is stored: there is no history at {path}.")
        return DONE
    size = sum(one.stat().st_size for one in found)
    say(f"{count(len(found), 'file')} with {size / 1e6:,.1f} MB of your answers, backups too:")
    for one in found:
        say(f"  {one}")
    if not args.yes and not _agreed():
        print("nothing was erased.")
        return NEGATIVE
    done = remove(path)
    print(f"erased: {count(len(done.gone), 'file')}.")
    if done.left:
        print(f"left in {path.parent}: {', '.join(one.name for one in done.left)}.")
    print("Not erased: exports and copies that you made elsewhere. A disk may keep what was deleted for a while.")
    return DONE


def _agreed() -> bool:
    """Ask. Raises Failure where nobody can answer."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise Failure("erasing asks first, and there is no terminal to ask on. Add --yes to erase.", code=USAGE)
    say("This cannot be undone. Type the word erase to go on:")
    return sys.stdin.readline().strip().lower() == "erase"
