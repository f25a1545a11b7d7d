"""What the actions of `shardwise author` share: a bank that is opened, the questions that are meant, a file written."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import OUTSIDE, USAGE, Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.bank.library import Bank


def open_bank(path: str | None) -> Bank:
    """The bank in a folder (None: the bundled one). Raises Failure, with every problem of the bank."""
    from quiz import paths
    from quiz.bank import library

    folder = Path(path) if path is not None else paths.bundled_bank()
    try:
        bank = library.open_bank(folder, paths.cache_folder(), bundled=path is None)
    except library.BankError as error:
        raise Failure(f"{folder} cannot be opened.\n{error}", code=USAGE) from error
    for warning in bank.warnings:
        say(warning)
    return bank


def chosen(bank: Bank, topics: Sequence[str], questions: Sequence[str]) -> tuple[str, ...]:
    """The ids that are meant, in the order of the bank: all, or those of the topics and those named.

    Raises Failure, with the nearest names, for one that is not there.
    """
    from quiz.cli.practice import one_of

    every = [entry.id for entry in bank.index]
    there = tuple(dict.fromkeys(entry.topic for entry in bank.index))
    if not topics and not questions:
        return tuple(every)
    wanted = {one_of("topic", name, there) for name in topics}
    named = {one_of("question", name, every) for name in questions}
    return tuple(entry.id for entry in bank.index if entry.topic in wanted or entry.id in named)


def write_out(content: bytes, output: str, *, force: bool) -> None:
    """Write to a file that stands under its name only when it is whole; `-` is standard output. Raises Failure."""
    if output == "-":
        sys.stdout.flush()
        out = getattr(sys.stdout, "buffer", None)
        if out is None:
            print(content.decode("utf-8"), end="")
        else:
            out.write(content)
            out.flush()
        return
    path = Path(output)
    if path.is_dir():
        raise Failure(f"{path} is a folder. Name a file in it.", code=USAGE)
    if os.path.lexists(path) and not force:
        raise Failure(f"{path} exists already. Name another file, or add --force.", code=USAGE)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            part.write_bytes(content)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {(error.strerror or str(error)).lower()}.", code=OUTSIDE) from error
