"""Starts a run in processes of its own and follows it: events, time left, cancel, and an end in any case."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.drills import folder
from quiz.drills.events import LegEvent, Step
from quiz.drills.lived import Lived

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quiz.drills.events import AnyEvent
    from quiz.drills.records import Spec

#: How long the runner may take to end what it was told to end, before the system ends it.
_GRACE: Final = 2.0
#: How much later than the runner itself its watcher loses patience.
_LATER: Final = 5.0
#: How many times the time of a stall the runner itself may wait for ranks that compute.
_LONGER: Final = 4.0
#: What the child reads of its environment (`quiz.drills.child` has them too, and may not be imported here).
STDIN_VARIABLE: Final = "SHARDWISE_DRILL_STDIN"
ORIGIN_VARIABLE: Final = "SHARDWISE_DRILL_ORIGIN"


class LaunchError(Exception):
    """The run could not be started. The message says why."""


class Ended(NamedTuple):
    """How the process of a run ended: its exit code (negative for a signal), and who asked for it, if anybody."""

    code: int
    by: str


class Running:
    """A run that goes on. Nothing here waits, save `wait`: a screen calls `poll` as often as it likes."""

    def __init__(
        self,
        where: Path,
        spec: Spec,
        *,
        command: Sequence[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        grace: float = _GRACE,
    ) -> None:
        """Start the run of a folder.

        Args:
            where: the folder, which has its `spec.json`.
            spec: what is in it.
            command: started in place of the child, with the folder as its last argument (for tests).
            clock: the monotonic clock.
            grace: seconds that it has to end by itself when it is cancelled.

        Raises:
            LaunchError: the process or its log could not be made.
        """
        self.where = where
        self.spec = spec
        self._clock = clock
        self._lived = Lived(clock)
        self._grace = grace
        self._began = clock()
        # Nodes wait for each other before any of them says a word.
        self._heard: float | None = 0.0 if spec.nodes == 1 else None
        self._moved = 0.0
        self._tail = folder.Tail(where)
        self._by = ""
        self._deadline: float | None = None
        self._ended: Ended | None = None
        whole = [*(command_of(spec) if command is None else command), str(where)]
        try:
            (where / folder.SCRATCH).mkdir(mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            with os.fdopen(os.open(where / folder.LOG, flags, 0o600), "ab") as log:
                self._process = subprocess.Popen(  # noqa: S603 - our own child
                    whole,
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    cwd=where,
                    env=environment(where, spec),
                    start_new_session=True,
                )
        except OSError as error:
            raise LaunchError(f"the run could not be started: {error.strerror or error}") from error

    @property
    def pid(self) -> int:
        """The process of the runner, which is the leader of its session."""
        return self._process.pid

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return self._clock() - self._began

    @property
    def ended(self) -> Ended | None:
        """How it ended, None while it goes on."""
        return self._ended

    def poll(self) -> list[AnyEvent]:
        """The events since the last call. Ends what has to be ended; when it is over, `ended` says how."""
        found = self._read()
        if self._ended is None:
            self._look()
            # What came until the end is there by now.
            found += self._read()
        return found

    def _read(self) -> list[AnyEvent]:
        found = self._tail.read()
        now = self._lived()
        if found:
            self._heard = now
        if any(isinstance(event, Step | LegEvent) for event in found):
            self._moved = now
        return found

    def cancel(self, by: str = "learner") -> None:
        """Ask the run to end; it is made to within two seconds. `by` is written down as who wanted it."""
        if self._ended is not None or self._deadline is not None:
            return
        self._by = by
        self._deadline = self._clock() + self._grace
        pipe = self._process.stdin
        if pipe is None or pipe.closed:
            return
        try:
            os.write(pipe.fileno(), f"{by}\n".encode())
        except OSError:
            # It has ended or is ending; `poll` takes care of it either way.
            return
        finally:
            pipe.close()

    def wait(self, beat: float = 0.05) -> Ended:
        """Poll until it is over, dropping events (they stay in the folder)."""
        while self._ended is None:
            self.poll()
            if self._ended is None:
                time.sleep(beat)
        return self._ended

    def close(self) -> None:
        """End it now, whatever it does."""
        if self._ended is None:
            self.cancel("parent")
            self._deadline = self._clock()
            self.wait()

    def _look(self) -> None:
        if self._is_over():
            self._finish()
            return
        if self._deadline is None:
            now = self._lived()
            late = self._heard is not None and now - self._moved > self.spec.timeout_s + _LATER
            silent = self._heard is not None and now - self._heard > self.spec.stall_s * _LONGER + _LATER
            if late or silent:
                self.cancel("timeout" if late else "silence")
        elif self._clock() >= self._deadline:
            self._kill()

    def _is_over(self) -> bool:
        """Whether the runner has ended; it stays a zombie, so that its number cannot be somebody else's yet."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return found is not None

    def _finish(self) -> None:
        # Whoever is left of its session has no business any more.
        self._kill()
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        self._ended = Ended(self._process.wait(), self._by)

    def _kill(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # Nobody is left; macOS says so of a zombie by refusing.
            return


def command_of(spec: Spec) -> list[str]:
    """The command that runs a drill here; the folder follows it."""
    child = ["-m", "quiz.drills.child"]
    if spec.nodes == 1:
        return [sys.executable, *child]
    return [
        sys.executable,
        "-m",
        "torch.distributed.run",
        f"--nnodes={spec.nodes}",
        f"--nproc-per-node={spec.world // spec.nodes}",
        "--rdzv-backend=c10d",
        f"--rdzv-endpoint={spec.rdzv}",
        "--rdzv-id=shardwise",
        "--max-restarts=0",
        f"--rdzv-conf=join_timeout={int(spec.timeout_s)},timeout={int(spec.timeout_s)}",
        *child,
    ]


def environment(where: Path, spec: Spec) -> dict[str, str]:
    """The environment of the child: its allocator, its threads, loopback only, a guard on its input."""
    home = str(Path(__file__).resolve().parents[2])
    ours = dict(os.environ)
    before = ours.get("PYTHONPATH")
    ours |= {
        STDIN_VARIABLE: "1",
        ORIGIN_VARIABLE: repr(time.monotonic()),
        "PYTHONPATH": home if not before else f"{home}{os.pathsep}{before}",
        "PYTHONUNBUFFERED": "1",
        "TMPDIR": str(where / folder.SCRATCH),
        # Freed blocks go back to the system, so that resident memory says what is held.
        "MALLOC_MMAP_THRESHOLD_": "65536",
        "MALLOC_ARENA_MAX": "1",
    }
    ours.setdefault("OMP_NUM_THREADS", str(threads(spec)))
    # Left over from a launcher around us, they would make the child believe that it is one of its ranks.
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        ours.pop(name, None)
    if spec.nodes == 1:
        loopback = "lo0" if sys.platform == "darwin" else "lo"
        ours |= {"GLOO_SOCKET_IFNAME": loopback, "NCCL_SOCKET_IFNAME": loopback}
    return ours


def threads(spec: Spec) -> int:
    """Threads of a rank: the cores divided among the ranks of this machine."""
    cores = os.cpu_count() or 1
    here = 1 if spec.tier == "fake" else spec.world // spec.nodes
    return max(1, cores // here)
