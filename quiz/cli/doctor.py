"""`shardwise doctor`: what the program found on this machine."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from importlib import metadata, util
from typing import TYPE_CHECKING

from quiz import paths
from quiz._version import __version__
from quiz.cli.finding import Finding
from quiz.cli.history_check import history_findings
from quiz.cli.outcome import DONE, OUTSIDE
from quiz.cli.ownership import solvers_problem
from quiz.nouns import count

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

NAME = "doctor"
HELP = "Show what the program found on this machine, and what it misses."

_NEEDED = ("textual", "pydantic", "PyYAML", "sympy", "fsrs", "platformdirs", "msgspec")
_OPTIONAL = (
    ("torch", "torch", "drills that measure need it (shardwise prove): pip install 'shardwise[drill]'"),
    (
        "fsrs-rs-python",
        "fsrs_rs_python",
        "only `shardwise history fit` needs it: pip install 'shardwise[fit]'",
    ),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the one option."""
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.epilog = (
        "example:\n  shardwise doctor --json\n\nexit codes: 0 all is well, 3 something needed is missing or broken"
    )


def run(args: argparse.Namespace) -> int:
    """Print the findings; 3 if one of them is a problem, else 0."""
    found = list(findings())
    print(_as_json(found) if args.json else _as_text(found))
    return OUTSIDE if any(finding.state == "problem" for finding in found) else DONE


def findings() -> Iterator[Finding]:
    """Everything that is looked at, in the order in which it is shown."""
    yield Finding("shardwise", "ok", __version__)
    yield Finding("python", "ok", f"{platform.python_version()} ({sys.executable})")
    for package in _NEEDED:
        yield _needed(package)
    for package, module, advice in _OPTIONAL:
        yield _optional(package, module, advice)
    yield _solvers()
    yield _bank()
    yield _folder("data folder", paths.data_folder())
    yield from history_findings()
    yield _folder("cache folder", paths.cache_folder())
    yield _terminal()


def _needed(package: str) -> Finding:
    try:
        return Finding(package, "ok", metadata.version(package))
    except metadata.PackageNotFoundError:
        return Finding(package, "problem", "not installed", "install Shardwise again in this environment")


def _optional(package: str, module: str, advice: str) -> Finding:
    # Found and not imported: torch alone takes seconds.
    if util.find_spec(module) is None:
        return Finding(package, "absent", "not installed", advice)
    try:
        return Finding(package, "ok", metadata.version(package))
    except metadata.PackageNotFoundError:
        return Finding(package, "ok", "version unknown")


def _solvers() -> Finding:
    problem = solvers_problem()
    if problem is None:
        return Finding("solvers", "ok", "Shardwise's own")
    return Finding("solvers", "problem", problem, "install Shardwise into an environment of its own")


def _bank() -> Finding:
    try:
        folder = paths.bundled_bank()
    except paths.BankMissingError as missing:
        return Finding("bundled bank", "problem", str(missing))
    # The questions lie in folders by topic; what lies beside those folders describes the bank.
    files = sum(1 for _ in folder.glob("*/*.yaml"))
    return Finding("bundled bank", "ok" if files else "problem", f"{folder} ({count(files, 'question file')})")


def _folder(subject: str, folder: Path) -> Finding:
    # Not `exists`, which stumbles over a folder that may not be looked into.
    nearest = next(place for place in (folder, *folder.parents) if os.path.exists(place))  # noqa: PTH110
    if not nearest.is_dir():
        return Finding(subject, "problem", str(folder), f"{nearest} is a file; a folder is needed there")
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Finding(subject, "problem", str(folder), f"{nearest} cannot be written to; make it so, for you")
    return Finding(subject, "ok", f"{folder}{'' if nearest == folder else ' (not made yet)'}")


def _terminal() -> Finding:
    kind = os.environ.get("TERM", "")
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()):
        return Finding("terminal", "absent", "none: input or output is not a terminal", "the screen needs one")
    if kind in ("", "dumb"):
        return Finding("terminal", "absent", f"TERM={kind}", "the screen needs a terminal that can move its cursor")
    size = shutil.get_terminal_size()
    colours = os.environ.get("COLORTERM", "")
    return Finding("terminal", "ok", f"{kind}, {size.columns}x{size.lines}{', ' + colours if colours else ''}")


def _as_json(found: list[Finding]) -> str:
    lines = {finding.subject: {"state": finding.state, "value": finding.value} for finding in found}
    for finding in found:
        if finding.advice:
            lines[finding.subject]["advice"] = finding.advice
    return json.dumps(lines, indent=2, ensure_ascii=False)


def _as_text(found: list[Finding]) -> str:
    width = max(len(finding.subject) for finding in found)
    signs = {"ok": "ok     ", "absent": "absent ", "problem": "PROBLEM"}
    lines = []
    for finding in found:
        lines.append(f"{signs[finding.state]} {finding.subject:<{width}}  {finding.value}")
        if finding.advice:
            lines.append(f"{'':<{8 + width}}  {finding.advice}")
    return "\n".join(lines)
