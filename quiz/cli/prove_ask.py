"""In the terminal: the learner's predictions, then the run as it goes on. All of it on standard error."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import time
from typing import TYPE_CHECKING, Final

from quiz.cli.guard import say
from quiz.cli.outcome import USAGE, Failure

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.drills.events import AnyEvent
    from quiz.drills.live import Live
    from quiz.drills.records import Expected, Prediction, Result, Spec

_BEAT: Final = 0.1
_WIDTH: Final = 78
_FIXED: Final = "\N{NO-BREAK SPACE}"


def is_there() -> bool:
    """Whether somebody can answer: a terminal on both ends."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()


def given(texts: list[str], predictions: tuple[Prediction, ...], spec: Spec) -> tuple[Prediction, ...]:
    """The predictions with those of the command line. Raises Failure."""
    from quiz.drills.predictions import Unreadable, read

    found = {one.key: one for one in predictions}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign:
            raise Failure(f"--predict {text}: write KEY=VALUE, such as rest.state='34 MB'.", code=USAGE)
        one = _named(key.strip(), tuple(found.values()), spec)
        try:
            found[one.key] = read(one, value, spec)
        except Unreadable as error:
            raise Failure(f"--predict {text}: {error}", code=USAGE) from error
    return tuple(found.values())


def _named(key: str, predictions: tuple[Prediction, ...], spec: Spec) -> Prediction:
    """The prediction that a key means: one that is asked for, or any other thing that the solver knows."""
    from quiz.drills.records import PHASES, Prediction
    from quiz.drills.things import Key

    asked = [one for one in predictions if key in (one.key, Key.of(one.key).what)]
    if len(asked) == 1:
        return asked[0]
    # What one plan alone is asked of needs no plan.
    known = [one for one in spec.expected if one.key == key] or _of_plans(key, spec.expected)
    if len(known) == 1:
        (one,) = known
        label = Key.of(one.key).label
        if one.choice is not None:
            return Prediction(key=one.key, ask=label, kind="phase", options=PHASES)
        return Prediction(key=one.key, ask=label, kind="bytes", unit="GB" if spec.tier == "fake" else "MB")
    if known:
        these = " or ".join(one.key for one in known[:4])
        raise Failure(led(f"{key!r} is measured of several plans. Say of which, as in {these}."), code=USAGE)
    raise Failure(_unknown(key, predictions, spec), code=USAGE)


def _of_plans(what: str, expected: tuple[Expected, ...]) -> list[Expected]:
    """The same thing of each plan that is compared with one process."""
    from quiz.drills.things import Key

    return [one for one in expected if Key.of(one.key).what == what and Key.of(one.key).leg != "single"]


def _unknown(key: str, predictions: tuple[Prediction, ...], spec: Spec) -> str:
    """What to say of a key that is none: the nearest ones, then all, those of several plans together."""
    from difflib import get_close_matches

    from quiz.drills.things import Key

    keys = list(dict.fromkeys([*(one.key for one in predictions), *(one.key for one in spec.expected)]))
    near = get_close_matches(key, keys, n=3, cutoff=0.7)
    guess = f" Did you mean {' or '.join(near)}?" if near else ""
    plans_of: dict[str, list[str]] = {}
    alone = []
    for one in keys:
        what, leg, other = Key.of(one)
        if leg and not other:
            plans_of.setdefault(what, []).append(leg)
        else:
            alone.append(one)
    alike: dict[tuple[str, ...], list[str]] = {}
    for what, names in plans_of.items():
        alike.setdefault(tuple(leg.name for leg in spec.legs if leg.name in names), []).append(what)
    lines = [led(f"nothing here is called {key!r}.{guess} There are:")]
    for legs, whats in alike.items():
        example = f"as {whats[0]}@{legs[-1]}"
        lines.append(_wrapped(f"  of {', '.join(legs)} ({example}): {', '.join(whats)}"))
    if alone:
        lines.append(_wrapped(f"  {', '.join(alone)}"))
    return "\n".join(lines)


def ask(predictions: tuple[Prediction, ...], spec: Spec) -> tuple[Prediction, ...]:
    """Say what the plans are, then ask for each prediction until it can be read; an empty line skips it."""
    from quiz.drills import told
    from quiz.drills.predictions import Unreadable, hint, read

    for name, says in told.plans(spec.legs):
        _tell(_wrapped(f"  {name}: {says}"))
    _tell(_wrapped(f"What will you see? {hint(spec)}."))
    answered = []
    for one in predictions:
        while True:
            choices = f" [{' / '.join(one.options)}]" if one.options else ""
            _tell(_wrapped(f"  {one.ask}{choices}") + " ", end="")
            line = sys.stdin.readline()
            if not line:
                _tell("")
            try:
                answered.append(read(one, line, spec))
                break
            except Unreadable as error:
                _tell(_wrapped(f"    {error}"))
    return tuple(answered)


def follow(where: Path, spec: Spec) -> Result:
    """Start the run, tell how it goes, and see to it that it ends; Ctrl+C and SIGTERM cancel it and go on."""
    from quiz.drills.finish import finish
    from quiz.drills.launch import LaunchError, Running
    from quiz.drills.live import Live

    try:
        running = Running(where, spec)
    except LaunchError as error:
        raise Failure(str(error)) from error
    live, progress = Live(spec), Progress(spec)
    try:
        while running.ended is None:
            events = running.poll()
            live.take(events)
            progress.show(events, live, running.seconds)
            time.sleep(_BEAT)
        live.take(running.poll())
    except (KeyboardInterrupt, SystemExit) as leaving:
        running.cancel("interrupt" if isinstance(leaving, KeyboardInterrupt) else "signal")
        running.wait()
        finish(where, running.ended)
        progress.end()
        say(led(f"the run was ended; see what it had measured: shardwise prove --replay {where.name}"))
        raise
    finally:
        running.close()
        progress.end()
    return finish(where, running.ended)


class Progress:
    """How a run goes on: one line that is written over in a terminal, a line for each leg elsewhere."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._over = sys.stderr is not None and sys.stderr.isatty()
        self._shown = False

    def show(self, events: list[AnyEvent], live: Live, seconds: float) -> None:
        """Tell what is new."""
        if self._over:
            self._write_over(live, seconds)
            return
        from quiz.drills.events import LegEvent

        for event in events:
            if isinstance(event, LegEvent) and event.rank in (0, None) and event.state != "begin":
                _tell(f"  {event.leg}: {event.state} after {event.t:.1f} s")

    def _write_over(self, live: Live, seconds: float) -> None:
        leg = live.running
        what = "starting" if leg is None else f"{leg.leg.name}, {leg.phase}, step {leg.step + 1} of {live.steps}"
        left = live.left(seconds)
        text = f"  {live.share:4.0%}  {what}  {seconds:.0f} s" + (f", about {left:.0f} s left" if left else "")
        width = min(_WIDTH, _columns() - 1)
        _tell(f"\r{text[:width]:<{width}}", end="")
        self._shown = True

    def end(self) -> None:
        """Clear the line."""
        if self._shown:
            _tell(f"\r{'':<{min(_WIDTH, _columns() - 1)}}\r", end="")
            self._shown = False


def _columns() -> int:
    return max(shutil.get_terminal_size((80, 24)).columns, 20)


def _wrapped(text: str) -> str:
    """The text in lines that the terminal need not break, each as far in as the first; a path stays in one piece.

    Where nobody looks at a terminal, lines are left as they are.
    """
    if not (sys.stderr is not None and sys.stderr.isatty()) and "COLUMNS" not in os.environ:
        return text
    inner = text.lstrip()
    margin = " " * (len(text) - len(inner))
    # A number and its unit stay together.
    inner = re.sub(r"(?<=\d) (?=[A-Za-z/])", _FIXED, inner)
    lines = textwrap.fill(
        inner,
        _columns() - 1,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace(_FIXED, " ")


def led(text: str) -> str:
    """The same for the first line of what went wrong, before which the program's name stands."""
    name = "shardwise: "
    return _wrapped(name + text).removeprefix(name)


def _tell(text: str, end: str = "\n") -> None:
    if sys.stderr is not None:
        print(text, end=end, file=sys.stderr, flush=True)
