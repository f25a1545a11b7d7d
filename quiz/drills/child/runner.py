"""The runner: makes the ranks of a drill, watches over them, and sees to it that all of them end.

It needs no torch of its own: what is imported before the ranks are made, and what a rank does, comes in as a `Crew`.
"""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING, Final, Protocol

from quiz.drills import folder
from quiz.drills.child import guard
from quiz.drills.child.ledger import Ledger, LedgerError, origin_of
from quiz.drills.child.patience import Patience
from quiz.drills.child.perform import cause_of
from quiz.drills.events import Cancelled, Done, Failed, LegEvent, PhaseEvent, Started, Step
from quiz.drills.lived import Lived

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import FrameType

    from quiz.drills.records import Env, Leg, Spec

#: How often the ranks are looked after, in seconds.
_BEAT: Final = 0.03
#: How long the others may take to end by themselves after one has failed: they notice within half a second.
_GRACE: Final = 1.0
#: How long ranks may take to write their stacks before they are killed: those of a busy machine need more than others,
#: and one that is stopped never writes any.
_STACKS: Final = 1.0
#: How often standard input is looked at while libraries are imported.
_IMPORTING: Final = 0.25


class Stop(BaseException):
    """The run is to end now; `by` says who wants it."""

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by


class Member(Protocol):
    """The process of a rank."""

    rank: int
    pid: int

    def poll(self) -> int | None:
        """The exit code if it has ended, negative for a signal, else None."""

    def kill(self) -> None:
        """End it and take its exit code."""


class Crew(Protocol):
    """How ranks are made on this machine."""

    launch: str
    """The word for it: `fork` or `spawn`."""

    def prepare(self, spec: Spec) -> Env | None:
        """Import what ranks need, as far as they can share it, and say where we are, or leave that to a rank."""

    def groups(self, spec: Spec) -> Sequence[tuple[Leg, ...]]:
        """Which legs one set of processes runs."""

    def start(self, where: Path, spec: Spec, ledger: Ledger) -> list[Member]:
        """Make the ranks for the legs of `spec`."""


class Orders:
    """What comes by standard input: the word of the parent that wants to cancel, or its end."""

    def __init__(self, *, heard: bool) -> None:
        self._heard = heard
        self._text = b""

    def check(self) -> None:
        """Raise Stop where the parent has spoken or is gone. Never waits."""
        if not self._heard or not select.select([0], [], [], 0)[0]:
            return
        text = os.read(0, 4096)
        self._text += text
        if not text or b"\n" in self._text:
            raise Stop(self._text.partition(b"\n")[0].decode("utf-8", "replace").strip() or "parent")


class Runner:
    """One run: its ledger, its orders, its limits."""

    def __init__(self, where: Path, spec: Spec, crew: Crew) -> None:
        self._where = where
        self._spec = spec
        self._crew = crew
        self._ledger = Ledger(where, origin_of(spec), lock=True)
        self._orders = Orders(heard=bool(os.environ.get(guard.STDIN_VARIABLE)))
        self._tail = folder.Tail(where)
        self._failed: dict[int | None, Failed] = {}
        self._last: dict[int, tuple[float, str]] = {}
        self._lived = Lived()
        self._moved = 0.0
        self._patience = Patience(spec.stall_s, [], self._moved)

    def run(self) -> int:
        """Run all legs; return the exit code: 0 done, 1 failed, 74 disk, 143 cancelled."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, _stop)
        try:
            code = self._run()
        except Stop as stop:
            return self._end(Cancelled(by=stop.by), guard.SIGNALLED)
        except LedgerError as full:
            guard.note(full)
            return guard.DISK
        except Exception as error:  # noqa: BLE001 - the cause of the end of the run, told as an event
            import traceback

            guard.note(traceback.format_exc())
            return self._end(Failed(cause=cause_of(error), error=type(error).__name__), guard.RANK)
        finally:
            # Whoever started us may be gone, and nobody else would take it away.
            folder.sweep(self._where)
        return code

    def _run(self) -> int:
        write = self._ledger.write
        write(Started(pid=os.getpid(), world=self._spec.world, device=self._spec.device, launch=self._crew.launch))
        self._prepare()
        for legs in self._crew.groups(self._spec):
            code = self._watched(legs)
            if code:
                return code
        write(Done(seconds=round(self._ledger.now(), 6)))
        return 0

    def _prepare(self) -> None:
        """Import, with an ear for the parent all the while."""
        signal.signal(signal.SIGALRM, lambda _number, _frame: self._orders.check())
        signal.setitimer(signal.ITIMER_REAL, _IMPORTING, _IMPORTING)
        try:
            env = self._crew.prepare(self._spec)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            if env is not None:
                folder.write(self._where / folder.ENV, env)
        except OSError as error:
            raise LedgerError(f"{self._where} takes nothing more: {error.strerror or error}") from error

    def _watched(self, legs: tuple[Leg, ...]) -> int:
        import msgspec

        members = self._crew.start(self._where, msgspec.structs.replace(self._spec, legs=legs), self._ledger)
        now = self._moved = self._lived()
        self._last = {member.rank: (now, "") for member in members}
        self._patience = Patience(self._spec.stall_s, [member.pid for member in members], now)
        alive = list(members)
        try:
            while alive:
                time.sleep(_BEAT)
                self._orders.check()
                self._listen()
                ended = [(member, code) for member in alive if (code := member.poll()) is not None]
                alive = [member for member in alive if all(member is not one for one, _ in ended)]
                wrong = [(member, code) for member, code in ended if code]
                if wrong:
                    return self._fallen(wrong, alive)
                self._look_at_the_clock(alive)
        except TimeoutError as late:
            self._stacks(alive)
            return self._end(Failed(cause=str(late), error="TimeoutError"), guard.RANK)
        finally:
            for member in alive:
                member.kill()
        return 0

    def _listen(self) -> None:
        now = self._lived()
        events = self._tail.read()
        if events:
            self._patience.hear(now)
        for event in events:
            if isinstance(event, Failed):
                self._failed.setdefault(event.rank, event)
            if isinstance(event, Step | LegEvent):
                self._moved = now
            if event.rank is not None:
                self._last[event.rank] = (now, _place(event) or self._last.get(event.rank, (0.0, ""))[1])

    def _look_at_the_clock(self, alive: list[Member]) -> None:
        limit, now = self._spec.timeout_s, self._lived()
        if now - self._moved > limit:
            place = next((self._last[member.rank][1] for member in alive), "")
            raise TimeoutError(f"no step was done for {limit:g} s, though its ranks were heard of{place}")
        times = {member.rank: self._last[member.rank] for member in alive}
        if not times or not self._patience.is_over(now):
            return
        quiet = now - max(at for at, _ in times.values())
        rank, (at, place) = min(times.items(), key=lambda item: item[1][0])
        raise TimeoutError(
            f"nothing has moved for {quiet:.0f} s; rank {rank} was the first to fall silent, "
            f"{now - at:.0f} s ago{place}. The stacks of all ranks are in their logs"
        )

    def _fallen(self, wrong: list[tuple[Member, int]], alive: list[Member]) -> int:
        """Ranks have ended badly: let the others end, then say what was not said yet."""
        until = time.monotonic() + _GRACE
        left = list(alive)
        while left and time.monotonic() < until:
            time.sleep(_BEAT)
            self._orders.check()
            for member in tuple(left):
                code = member.poll()
                if code is not None:
                    left.remove(member)
                    wrong += [(member, code)] if code else []
        self._listen()
        if left:
            self._stacks(left)
        for member, code in wrong:
            if code == guard.DISK:
                raise LedgerError(f"rank {member.rank} could not write to {self._where}: is the disk full?")
            if code < 0 or member.rank not in self._failed:
                where = self._last.get(member.rank, (0.0, ""))[1]
                self._ledger.write(Failed(cause=_ended(code) + where, error="Ended", rank=member.rank))
                self._failed[member.rank] = Failed(cause="")
        if left and all(failed.echo for failed in self._failed.values()):
            rank = min(left, key=lambda member: self._last[member.rank][0]).rank
            self._ledger.write(
                Failed(
                    rank=rank,
                    error="Hung",
                    cause=f"rank {rank} hangs{self._last[rank][1]}: the others waited for it until the timeout of "
                    f"their group ({self._spec.group_timeout_s:g} s). Its stack is in rank{rank}.log",
                )
            )
        return guard.RANK

    def _stacks(self, members: list[Member]) -> None:
        asked = [member for member in members if member.poll() is None]
        before = seen = self._logged(asked)
        for member in asked:
            os.kill(member.pid, signal.SIGUSR1)
        until = time.monotonic() + _STACKS
        while asked and time.monotonic() < until:
            time.sleep(2 * _BEAT)
            now = self._logged(asked)
            if now == seen and all(size > before[rank] for rank, size in now.items()):
                return
            seen = now

    def _logged(self, members: Sequence[Member]) -> dict[int, int]:
        """How much each rank has written into its log."""
        logs = {member.rank: self._where / f"rank{member.rank}.log" for member in members}
        return {rank: log.stat().st_size if log.exists() else 0 for rank, log in logs.items()}

    def _end(self, event: Cancelled | Failed, code: int) -> int:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        try:
            self._ledger.write(event)
        except LedgerError as full:
            guard.note(full)
            return guard.DISK
        return code


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stop("signal")


def _place(event: object) -> str:
    match event:
        case PhaseEvent(phase=phase, leg=leg):
            return f", in {phase} of {leg}"
        case LegEvent(leg=leg):
            return f", in {leg}"
    return ""


def _ended(code: int) -> str:
    if code >= 0:
        return f"it ended with code {code} and did not say why; see its log"
    number = -code
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "unknown"
    who = " (the system does so where memory has run out)" if number == signal.SIGKILL else ""
    return f"it was ended by signal {number}, {name}{who}"
