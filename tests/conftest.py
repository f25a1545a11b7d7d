"""What holds for every test: folders of its own, no luck in property tests, and an honest end of the run."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Derandomised: a red run must be red again. No deadline, and no complaint of slowness: other work on the machine is
# not what a test is about.
settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

_LEFT_OUT = pytest.StashKey[list[str]]()
_TORCH = re.compile(r"\btorch\b")


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the history or the cache of whoever runs it, nor how wide and how colourful their terminal is."""
    monkeypatch.setenv("SHARDWISE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SHARDWISE_CACHE", str(tmp_path / "cache"))
    for name in ("SHARDWISE_DEBUG", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_LEFT_OUT] = []
    _take_signals()


def _take_signals() -> None:
    """Let programs that tests start be interrupted, even where the run is in the background or under nohup.

    What is ignored is inherited, and a program of ours leaves an ignored signal ignored.
    """
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("torch") is not None:
            item.config.stash[_LEFT_OUT].append(item.nodeid)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """End the run by naming what was left out for lack of torch."""
    skipped = [
        report.nodeid
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple) and _TORCH.search(report.longrepr[2])
    ]
    left_out = sorted({*config.stash[_LEFT_OUT], *skipped})
    terminalreporter.section("left out for lack of torch")
    for nodeid in left_out:
        terminalreporter.write_line(f"  {nodeid}")
    terminalreporter.write_line(
        f"{len(left_out)} left out; with torch installed `pytest -m torch` runs them." if left_out else "nothing"
    )
