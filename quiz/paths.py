"""Where things lie on this machine: the learner's data, the cache, the bundled bank.

Folders are named here and not created; whoever writes into one creates it.
"""

from __future__ import annotations

import os
from pathlib import Path

DATA_VARIABLE = "SHARDWISE_DATA"
CACHE_VARIABLE = "SHARDWISE_CACHE"

_PACKAGE = Path(__file__).resolve().parent


class BankMissingError(FileNotFoundError):
    """The program was installed without its questions."""


def data_folder() -> Path:
    """The folder of the learner's history: `SHARDWISE_DATA`, or the platform's place for user data."""
    chosen = _chosen(DATA_VARIABLE)
    if chosen is not None:
        return chosen
    from platformdirs import user_data_path

    return user_data_path("shardwise", appauthor=False)


def cache_folder() -> Path:
    """The folder of what can be made again at any time: `SHARDWISE_CACHE`, or the platform's place for caches."""
    chosen = _chosen(CACHE_VARIABLE)
    if chosen is not None:
        return chosen
    from platformdirs import user_cache_path

    return user_cache_path("shardwise", appauthor=False)


def bundled_bank() -> Path:
    """The folder of the questions that came with the program.

    In an installed wheel it is `quiz/_bank`, in a checkout `questions/` beside `quiz/`.
    Raises BankMissingError if neither is there.
    """
    installed = _PACKAGE / "_bank"
    if installed.is_dir():
        return installed
    checkout = _PACKAGE.parent
    # Beside an installed package a folder named `questions` would be somebody else's.
    if (checkout / "pyproject.toml").is_file() and (checkout / "questions").is_dir():
        return checkout / "questions"
    message = f"the bundled questions are missing: {installed} is not there. Install Shardwise again."
    raise BankMissingError(message)


def _chosen(variable: str) -> Path | None:
    """The folder that an environment variable names; a relative one counts from the current folder."""
    text = os.environ.get(variable, "")
    return Path(text).expanduser().absolute() if text else None
