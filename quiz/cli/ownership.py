"""Whether the `solvers` that Python finds are ours: an unrelated package of that name is on the package index."""

from __future__ import annotations

import sys
from os.path import dirname, realpath, sep

import quiz
from quiz.cli.outcome import Failure

OWNER = "shardwise"


def solvers_problem() -> str | None:
    """Why the installed `solvers` cannot be used, in one sentence, or None if it is our own."""
    beside = f"{_home_of(_home_of(quiz.__file__))}{sep}solvers"
    try:
        import solvers
    except ModuleNotFoundError as missing:
        if missing.name != "solvers":
            raise
        return f"the package 'solvers', a part of Shardwise, is missing; it belongs in {beside}."
    found = _home_of(solvers.__file__)
    if found != beside:
        return f"Python finds another package named 'solvers' in {found}, ahead of Shardwise's own in {beside}."
    if getattr(solvers, "PART_OF", None) != OWNER:
        return f"another package named 'solvers' has been installed over Shardwise's own in {beside}."
    return None


def require_own_solvers() -> None:
    """Pass if `solvers` is our own. Raises Failure, with the way out, if it is not."""
    problem = solvers_problem()
    if problem is not None:
        message = (
            f"{problem}\n"
            "No figure can be trusted then, so the program stops here. Install Shardwise into an environment\n"
            "of its own (pipx install shardwise), or remove the other package and install Shardwise again:\n"
            f"{sys.executable} -m pip uninstall solvers && {sys.executable} -m pip install --force-reinstall shardwise"
        )
        raise Failure(message)


def _home_of(file: str | None) -> str | None:
    # Not pathlib, which brings urllib along: every command waits for this.
    return None if file is None else dirname(realpath(file))  # noqa: PTH120 - as said
