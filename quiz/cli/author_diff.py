"""`shardwise author diff`: what changed in keys, figures and options between two versions of a bank."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.cli.outcome import DONE, NEGATIVE, OUTSIDE, USAGE, Failure

if TYPE_CHECKING:
    import argparse

    from quiz.authoring.versions.compare import Differences
    from quiz.authoring.versions.snapshot import Snapshot
    from quiz.bank.bench import Context


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two versions and the form of output."""
    what = "a bank's folder, a question's file, or a git revision: REVISION, or REVISION:PATH"
    parser.add_argument("old", metavar="OLD", help=what)
    parser.add_argument("new", metavar="NEW", help="the same; where one is a revision alone, it is of the other's path")
    parser.add_argument("--base", action="store_true", help="compare only the authors' own numbers, not each variant")
    parser.add_argument("--json", action="store_true", help="print the differences as JSON (default: Markdown)")
    parser.epilog = (
        "examples:\n  shardwise author diff HEAD~1 my-bank/\n  shardwise author diff v1:my-bank v2:my-bank --json\n"
        "  shardwise author diff old/zero.yaml my-bank/zero/zero.yaml\n\n"
        "exit codes: 0 nothing differs, 1 something does, 2 one of them is no bank, file or revision, 3 no git"
    )


def run(args: argparse.Namespace) -> int:
    """Print the differences; 1 where there are any."""
    from quiz.authoring.versions.compare import compare
    from quiz.authoring.versions.revisions import MissingGitError, RevisionError

    try:
        with tempfile.TemporaryDirectory(prefix="shardwise-") as scratch:
            old, new = _versions(args.old, args.new, Path(scratch))
            found = compare(_snapshot(old, new, args), _snapshot(new, old, args))
    except RevisionError as error:
        code = OUTSIDE if isinstance(error, MissingGitError) else USAGE
        raise Failure(f"{error}.", code=code) from error
    print(_as_json(found, args) if args.json else _as_text(found, args))
    return NEGATIVE if not found.is_empty or found.unread_after else DONE


@dataclass(frozen=True, slots=True)
class _Version:
    """A folder or a file, and what the person called it."""

    place: Path
    called: str


def _versions(old: str, new: str, scratch: Path) -> tuple[_Version, _Version]:
    """Both versions as places on this machine; a revision is written into `scratch`."""
    paths = [Path(word) if Path(word).exists() else None for word in (old, new)]
    found = []
    for at, word in enumerate((old, new)):
        path, other = paths[at], paths[1 - at]
        found.append(_Version(path or _extracted(word, other, scratch / str(at)), word))
    return found[0], found[1]


def _extracted(word: str, other: Path | None, folder: Path) -> Path:
    """What lies at `REVISION:PATH`, or at a revision where the other version lies."""
    from quiz.authoring.versions.revisions import RevisionError, extract, top_of

    revision, colon, path = word.partition(":")
    if not revision:
        raise RevisionError(f"{word!r} names no revision")
    if not colon and other is None:
        raise RevisionError(f"there is no file or folder {word}; for a revision say of which folder: {word}:PATH")
    place = Path() if colon or other is None else other
    try:
        top = top_of(place.absolute())
    except RevisionError as error:
        named = word if colon else f"there is no file or folder {word}, and it is no revision"
        raise type(error)(f"{named}: {error}") from error
    if not colon:
        path = place.resolve().relative_to(top.resolve()).as_posix()
    folder.mkdir()
    bank = _bank_above(top / path, top)
    if bank is not None:
        extract(top, revision, bank, folder)
    else:
        extract(top, revision, path, folder)
    if not (folder / path).exists():
        raise RevisionError(f"there is no {path} at {revision}")
    return folder / path


def _bank_above(path: Path, top: Path) -> str | None:
    """The folder of the bank that a file lies in, from the repository's root; None for a folder, or no bank."""
    if not path.name.endswith(".yaml"):
        return None
    for folder in path.parents:
        if (folder / "bank.yaml").is_file():
            return folder.relative_to(top).as_posix()
        if folder == top:
            break
    return None


def _snapshot(version: _Version, other: _Version, args: argparse.Namespace) -> Snapshot:
    """What a version says. A lone file is read with the units and sources of the bank of the other one."""
    from quiz.authoring.versions.snapshot import snapshot, snapshot_of_file
    from quiz.bank.diagnostics import BankError

    _require_question(version)
    try:
        if version.place.is_dir():
            return snapshot(version.place, variants=not args.base)
        context = _context(version.place) or _context(other.place)
        if context is None:
            return snapshot_of_file(version.place.read_bytes(), version.place.name, variants=not args.base)
        return snapshot_of_file(version.place.read_bytes(), version.place.name, context, variants=not args.base)
    except BankError as error:
        raise Failure(f"{version.called} cannot be compared.\n{error}", code=USAGE) from error
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise Failure(f"{version.called} cannot be read: {why}.", code=USAGE) from error


def _require_question(version: _Version) -> None:
    """Raise Failure for a file that is no question's, and for a folder that lies in a bank and is none."""
    place = version.place
    if place.is_dir():
        around = next((one for one in place.absolute().parents if (one / "bank.yaml").is_file()), None)
        if around is not None and not (place / "bank.yaml").is_file():
            what = f"is a folder of the bank {around}: compare that, or one of its files"
            raise Failure(f"{version.called} {what}.", code=USAGE)
    elif place.suffix != ".yaml":
        raise Failure(f"{version.called} is no question: a question is a .yaml file.", code=USAGE)


def _context(place: Path) -> Context | None:
    from quiz.authoring.versions.snapshot import context_of

    for folder in (place, *place.absolute().parents):
        if (folder / "bank.yaml").is_file():
            shared = {name: folder / name for name in ("bank.yaml", "sources.yaml")}
            return context_of({name: path.read_bytes() for name, path in shared.items() if path.is_file()})
    return None


def _as_text(found: Differences, args: argparse.Namespace) -> str:
    from quiz.authoring.versions.told import as_markdown

    return as_markdown(found, args.old, args.new).rstrip("\n")


def _as_json(found: Differences, args: argparse.Namespace) -> str:
    import json

    import msgspec

    return json.dumps({"old": args.old, "new": args.new, **msgspec.to_builtins(found)}, ensure_ascii=True, indent=2)
