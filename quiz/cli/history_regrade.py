"""`shardwise history regrade`: answers graded anew where the bank's right answer moved."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from quiz.cli.outcome import DONE, Failure
from quiz.nouns import count

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from quiz.tui.regrading import Moved


def regrade(args: argparse.Namespace, path: Path) -> int:
    """Grade anew, and say how many changed and why."""
    from quiz.cli.practice import open_bank
    from quiz.scheduling import calendar
    from quiz.store import Store
    from quiz.tui.desk import wall_clock
    from quiz.tui.marking import Marking
    from quiz.tui.ports import Trouble
    from quiz.tui.regrading import regrade as again

    try:
        bank = open_bank(args.bank)
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble
    local = wall_clock()
    with Store.open(path, read_only=args.dry_run) as store:
        at = calendar.moment(local, calendar.offset_minutes(local))
        found = again(bank, store, at, Marking(), dry=args.dry_run)
    for moved in found:
        print(_line(moved))
    answers = sum(len(moved.verdicts) for moved in found)
    if not answers:
        print("No answer is graded otherwise: what was right when you answered is right now.")
        return DONE
    done = "would be graded anew" if args.dry_run else "graded anew"
    kept = "" if args.dry_run else " What you were told then is kept beside it, and the schedule follows."
    print(f"{count(answers, 'answer')} {done}.{kept}")
    return DONE


def _line(moved: Moved) -> str:
    changes = Counter(moved.verdicts)
    told = ", ".join(f"{number:,} from {was} to {now}" for (was, now), number in sorted(changes.items()))
    left = f", {moved.unreadable} cannot be read any more and stay" if moved.unreadable else ""
    why = f"the bank was corrected: right is {moved.now}; it was {moved.was}" if moved.was != moved.now else "corrected"
    return f"{moved.question}: {told or 'none changes'}{left} ({why})"
