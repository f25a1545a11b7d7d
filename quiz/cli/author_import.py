"""`shardwise author import`: questions of other programs, as files that say what is missing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, OUTSIDE, USAGE, Failure
from quiz.nouns import count

if TYPE_CHECKING:
    import argparse

    from quiz.authoring.exchange.draft import Imported

_KINDS = {".apkg": "anki", ".colpkg": "anki", ".gift": "gift", ".txt": "gift", ".csv": "csv", ".tsv": "csv"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file, where to, and how it is read."""
    parser.add_argument("file", metavar="FILE", help="an Anki package (.apkg), GIFT (.gift, .txt) or a table (.csv)")
    parser.add_argument("--to", metavar="FOLDER", required=True, help="the folder for the questions; made if it is new")
    parser.add_argument("--format", choices=("anki", "gift", "csv"), help="how FILE is read (default: by its name)")
    parser.add_argument("--json", action="store_true", help="print what was written and what was lost as JSON")
    parser.epilog = (
        "example:\n  shardwise author import physics.gift --to drafts/\n\n"
        "Each file says at its top what it misses; `shardwise author lint FOLDER` shows it by line. No file that\n"
        "exists is replaced. Nothing in FILE is executed.\n\n"
        "exit codes: 0 all taken over, 1 something was not and is listed, 2 nothing in FILE can be read,\n"
        "3 FOLDER cannot be written, or a package is missing"
    )


def run(args: argparse.Namespace) -> int:
    """Write the drafts; list what could not be carried, by line."""
    path = Path(args.file)
    if not path.is_file():
        why = (
            "is a folder; name a file" if path.is_dir() else "is not there" if not path.exists() else "is no plain file"
        )
        raise Failure(f"{path} {why}.", code=USAGE)
    found = _read(path, args.format or _kind(path))
    if not found.drafts:
        listed = "".join(f"\n{_place(path, found, one.line)}: {one.what}." for one in found.lost[:20])
        raise Failure(f"no question in {path} could be taken over.{listed}", code=USAGE)
    files = _write(path, found, Path(args.to))
    if args.json:
        import json

        lost = [{"at": found.unit, "number": one.line, "what": one.what} for one in found.lost]
        print(json.dumps({"file": str(path), "questions": files, "lost": lost}, ensure_ascii=True, indent=2))
    else:
        from quiz.bank.diagnostics import escape

        for name in files:
            print(escape(name))
        for one in found.lost:
            say(escape(f"{_place(path, found, one.line)}: {one.what}."))
        number = len(files)
        say(
            f"{count(number, 'question')} written. Each says at its top what is missing; "
            f"next: shardwise author lint {escape(args.to)}"
        )
    return NEGATIVE if found.lost else DONE


def _place(path: Path, found: Imported, line: int) -> str:
    if not line:
        return str(path)
    return f"{path}:{line}" if found.unit == "line" else f"{path}, {found.unit} {line}"


def _kind(path: Path) -> str:
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise Failure(f"{path}: its name does not say what it is. Add --format anki, gift or csv.", code=USAGE)
    return kind


def _read(path: Path, kind: str) -> Imported:
    from quiz.authoring.exchange.draft import UnreadableError
    from quiz.authoring.exchange.package import MissingZstandardError

    try:
        if kind == "anki":
            from quiz.authoring.exchange.from_anki import read_anki

            return read_anki(path)
        if kind == "gift":
            from quiz.authoring.exchange.from_gift import MAX_BYTES, read_gift

            return read_gift(_content(path, MAX_BYTES))
        from quiz.authoring.exchange.from_csv import MAX_BYTES as MOST
        from quiz.authoring.exchange.from_csv import read_csv

        return read_csv(_content(path, MOST))
    except OSError as error:
        raise Failure(f"{path} cannot be read: {(error.strerror or str(error)).lower()}.", code=USAGE) from error
    except UnreadableError as error:
        where = f"{path}:{error.line}" if error.line else str(path)
        raise Failure(f"{where}: {error.what}.", code=USAGE) from error
    except MissingZstandardError as error:
        raise Failure(
            "this package is in Anki's current form, which is compressed by zstandard: "
            "pip install 'shardwise[exchange]'; or export it from Anki again with `support older Anki versions`.",
            code=OUTSIDE,
        ) from error


def _content(path: Path, most: int) -> bytes:
    """The content of an ordinary file, a byte more than is taken where it is too long."""
    with path.open("rb") as file:
        return file.read(most + 1)


def _write(path: Path, found: Imported, folder: Path) -> list[str]:
    """Write one file a draft, none over another; the paths in the order of the drafts. Raises Failure."""
    from quiz.authoring import begin
    from quiz.authoring.exchange import filing
    from quiz.authoring.naming import slug

    if os.path.lexists(folder) and not folder.is_dir():
        raise Failure(f"{folder} is a file and no folder that questions could be written to.", code=USAGE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = {one.stem for one in folder.rglob("*.yaml")}
        around = begin.bank_around(folder.absolute())
        if around is not None:
            taken |= {id_ for _, id_ in begin.ids_of(around)}
        elif not os.path.lexists(folder / "bank.yaml"):
            id_ = slug(folder.absolute().name, "imported")
            _new(folder / "bank.yaml", filing.manifest(id_, folder.absolute().name or "Imported"))
        names = []
        for topic, id_, draft in filing.named(found.drafts, taken):
            target = folder / topic / f"{id_}.yaml"
            target.parent.mkdir(exist_ok=True)
            where = f"{found.unit} {draft.line}"
            _new(target, filing.written(topic, id_, draft, f"{path.name}, {where}"))
            names.append(str(target))
    except OSError as error:
        at = error.filename or folder
        raise Failure(f"{at} cannot be written: {(error.strerror or str(error)).lower()}.", code=OUTSIDE) from error
    return names


def _new(path: Path, text: str) -> None:
    """A file that was not there; a link in its place is not followed."""
    with path.open("x", encoding="utf-8", newline="\n") as out:
        out.write(text)
