"""Where a new question goes: its bank, made where there is none, its file, its source; checked before it is written."""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quiz.authoring.examine import examine
from quiz.authoring.naming import readable, slug
from quiz.authoring.scaffold import SCHEMA_FILE, question_text
from quiz.bank.bench import Context
from quiz.bank.cache import write_whole
from quiz.bank.compile import read_manifest, read_sources
from quiz.bank.diagnostics import BankError, Diagnostic
from quiz.bank.files import MANIFEST, SOURCES, digest_of, list_bank
from solvers.expr.declared import units_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quiz.authoring.scaffold import Wanted
    from quiz.bank.schema import Manifest, SourceEntry

SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST: Final = 60
_NO_TEXT: Final = re.compile(r"null|true|false|\d+(?:e\d+)?")
"""What a bank file does not read as a text where it stands without quotes."""
_ADDRESS: Final = "arXiv:1910.02054"
_KEYS: Final = ("zero-2019", "zero-1910-02054")
_SOURCE: Final = """\
{key}:
  title: "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models"
  address: arXiv:1910.02054
"""
_ID: Final = re.compile(r"^id: *[\"']?([^\s\"'#]+)", re.MULTILINE)


class RefusedError(Exception):
    """A new question that is not written; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What writing the question would do. `made` are new files, `grown` are files with their new content."""

    folder: Path
    file: Path
    made: Mapping[Path, bytes]
    grown: Mapping[Path, bytes] = field(default_factory=dict)


def bank_around(place: Path) -> Path | None:
    """The nearest folder, `place` itself or above it, that has a bank.yaml."""
    return next((folder for folder in (place, *place.parents) if (folder / MANIFEST).is_file()), None)


def is_name(text: str) -> bool:
    """Whether a text can be an id or a topic."""
    return SLUG.fullmatch(text) is not None and len(text) <= LONGEST and _NO_TEXT.fullmatch(text) is None


def as_name(text: str) -> str:
    """A text as an id or a topic: lower case, digits, single hyphens; empty where nothing of it can stand."""
    return readable(text, LONGEST)


def topics_of(folder: Path) -> list[str]:
    """The folders of a bank that hold questions."""
    return sorted({path.parent.name for path in folder.glob("*/*.yaml") if is_name(path.parent.name)})


def plan(wanted: Wanted, folder: Path, file: Path) -> Plan:
    """What has to be written for a new question at `file` in the bank `folder`. Raises `RefusedError`.

    The question is linted here, so that what is written is clean.
    """
    if os.path.lexists(file):
        raise RefusedError(
            f"{file} exists already, and nothing is ever overwritten. Choose another --id, or --to FILE."
        )
    made: dict[Path, bytes] = {}
    grown: dict[Path, bytes] = {}
    manifest = _manifest(folder, made)
    key, sources = _sources(folder, made, grown)
    taken = _taken(folder, wanted.id)
    if taken is not None:
        raise RefusedError(f"the id {wanted.id} is that of {taken}. A history belongs to an id: choose another one.")
    name = file.relative_to(folder).as_posix()
    content = question_text(wanted, key, name.count("/")).encode()
    context = Context(manifest.id, sources, manifest.conventions, units_from(manifest.declared), manifest.declared)
    found = examine(content, name, digest_of(content), context).findings
    if found:
        raise RefusedError(f"this would not be a clean question.\n{told(found)}")
    schema = folder / SCHEMA_FILE
    if not os.path.lexists(schema):
        made[schema] = _schema()
    made[file] = content
    return Plan(folder, file, made, grown)


def write(planned: Plan) -> None:
    """Write what is planned, the question last; each file whole or not at all, none over another. Raises `OSError`."""
    for path, content in planned.made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_new(path, content)
    for path, content in planned.grown.items():
        write_whole(path, content)


def told(found: tuple[Diagnostic, ...]) -> str:
    """Findings about something that is no file yet: without a place."""
    return "\n".join(" ".join(part for part in (f"{one.what}.", one.why, one.next) if part) for one in found)


def _write_new(path: Path, content: bytes) -> None:
    """Write a file that must not be there yet. It stands under its name only when it is whole."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        try:
            os.link(temporary, path)  # unlike a rename, it refuses where the name is taken
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            with path.open("xb") as file:
                file.write(content)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _manifest(folder: Path, made: dict[Path, bytes]) -> Manifest:
    path = folder / MANIFEST
    if os.path.lexists(path):
        return read_manifest(_content(path), MANIFEST) if path.is_file() else _no_file(path)
    around = bank_around(folder.absolute())
    if around is not None:
        raise RefusedError(
            f"{folder} lies in the bank {around}, and a bank holds no other. Give --bank {around}; --topic names the "
            "folder in it."
        )
    name = slug(folder.absolute().name, "bank")
    title = folder.absolute().name or "My bank"
    text = (
        "# Which bank this is. Histories know it by its id: choose it well, and keep it.\n"
        f"id: {name}\ntitle: {json.dumps(title, ensure_ascii=False)}\nlicence: CC-BY-4.0\n"
    )
    made[path] = text.encode()
    try:
        return read_manifest(made[path], MANIFEST)
    except BankError as error:
        raise RefusedError(f"no bank can be made of a folder of this name.\n{told(error.diagnostics)}") from error


def _sources(folder: Path, made: dict[Path, bytes], grown: dict[Path, bytes]) -> tuple[str, Mapping[str, SourceEntry]]:
    """The key under which the scaffold's source stands in sources.yaml, and all sources then."""
    path = folder / SOURCES
    if not os.path.lexists(path):
        head = "# Where statements come from. A question names a key of this file.\n"
        made[path] = f"{head}{_SOURCE.format(key=_KEYS[0])}".encode()
        return _KEYS[0], read_sources(made[path], SOURCES)
    if not path.is_file():
        _no_file(path)
    content = _content(path)
    known = read_sources(content, SOURCES) if content.strip() else {}
    for key, entry in known.items():
        if entry.address == _ADDRESS:
            return key, known
    free = next((key for key in _KEYS if key not in known), None)
    if free is None:
        raise RefusedError(f"{path} has both {' and '.join(_KEYS)}, and neither is {_ADDRESS}. Add that source to it.")
    end = b"" if not content or content.endswith(b"\n") else b"\n"
    text = _SOURCE.format(key=free)
    if b"\r\n" in content:
        text = text.replace("\n", "\r\n")
    grown[path] = content + end + text.encode()
    return free, read_sources(grown[path], SOURCES)


def _content(path: Path) -> bytes:
    return path.read_bytes()


def _no_file(path: Path) -> Manifest:
    raise RefusedError(f"{path} is no ordinary file. Replace it by one, or remove it.")


def _taken(folder: Path, name: str) -> str | None:
    """The file of the bank that has this id already."""
    return next((file for file, known in ids_of(folder) if known == name), None)


def ids_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Each file of a bank with the id that it states; nothing where the folder is no bank yet."""
    try:
        listing = list_bank(folder)
    except BankError:
        return  # a bank that is only now being made, or that has no questions yet
    for file in listing.questions:
        found = _ID.search(listing.read(file).decode("utf-8", "replace"))
        if found:
            yield file, found[1]


def _schema() -> bytes:
    from quiz.authoring.json_schema import question_schema

    return (json.dumps(question_schema(), ensure_ascii=False, indent=2) + "\n").encode()
