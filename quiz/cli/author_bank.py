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


def bank_of(path: str) -> tuple[Path, str | None]:
    """The folder of the bank that is meant, and the one file or folder in it; None for the whole bank.

    Raises Failure for a file that lies in no bank. What is not there is returned as it was named.
    """
    from quiz.bank.files import MANIFEST

    named = Path(path)
    within = named.is_dir() and not (named / MANIFEST).is_file()
    if not (within or named.is_file()):
        return named, None
    for folder in named.parents if named.is_absolute() else (*named.parents, *Path.cwd().parents):
        if (folder / MANIFEST).is_file():
            name = os.path.normpath(named.absolute().relative_to(folder.absolute()))
            if name.split(os.sep, 1)[0] not in (os.pardir, os.curdir):  # or the path only goes through the folder
                return folder, Path(name).as_posix()
    if within:
        return named, None
    if named.suffix != ".yaml":
        raise Failure(f"{path} is no question: a question is a .yaml file in the folder of a bank.", code=USAGE)
    raise Failure(
        f"{path} lies in no bank: no folder above it has a bank.yaml. Name the bank's folder, or move the file into a "
        "bank; `shardwise author new KIND --bank FOLDER` begins one.",
        code=USAGE,
    )


def files_of(folder: Path, name: str) -> list[str]:
    """The files of a bank that one name in it stands for: itself, or all that lie below it where it is a folder.

    Raises Failure where there are none, and for a bank that cannot be opened.
    """
    from quiz.bank.diagnostics import BankError
    from quiz.bank.files import list_bank

    if not (folder / name).is_dir():
        return [name]
    try:
        listing = list_bank(folder)
    except BankError as error:
        raise Failure(f"{folder} cannot be opened.\n{error}", code=USAGE) from error
    told = {one.place.file for one in listing.problems}
    found = [one for one in (*listing.questions, *sorted(told)) if one.startswith(f"{name}/")]
    if not found:
        raise Failure(
            f"{folder / name} holds no question: a question is a file that ends in .yaml. "
            f"The bank that it lies in is {folder}.",
            code=USAGE,
        )
    return found


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
