"""The collection in an Anki package: one member of a zip file, by its name, within bounds.

Nothing is extracted: no path of the archive is ever a path on this machine. What a member claims of its size is not
believed; it is read, and unpacked, up to a limit.
"""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.draft import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

MAX_PACKAGE: Final = 2_000_000_000
MAX_COLLECTION: Final = 256_000_000
_MAX_MEMBERS: Final = 200_000
_CHUNK: Final = 1 << 20
#: The newest form first: a package in the current form holds an old collection too, with one note that says "update".
_NAMES: Final = ("collection.anki21b", "collection.anki21", "collection.anki2")
_COMPRESSED: Final = "collection.anki21b"
_OURS: Final = frozenset((*_NAMES, "media", "meta"))
_READ: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
_WINDOW: Final = 1 << 27


class MissingZstandardError(Exception):
    """The library that unpacks the current form is not installed."""


def collection_of(path: Path) -> tuple[bytes, int]:
    """The SQLite file in a package, and how many other files are in it (pictures, sounds).

    Raises `UnreadableError`, `MissingZstandardError`, and OSError where the file cannot be read.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableError("this is no ordinary file")
    if found.st_size > MAX_PACKAGE:
        raise UnreadableError(f"this file is larger than {MAX_PACKAGE // 1_000_000_000} GB")
    try:
        with zipfile.ZipFile(path) as package:
            return _member(package)
    # zipfile raises NotImplementedError for a compression that it does not know and RuntimeError for a locked member.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise UnreadableError(
            "this is no Anki package, or it is damaged: a package is a zip archive that holds a collection"
        ) from error


def _member(package: zipfile.ZipFile) -> tuple[bytes, int]:
    members = package.infolist()
    if len(members) > _MAX_MEMBERS:
        raise UnreadableError(f"there are more than {_MAX_MEMBERS:,} files in this archive")
    by_name: dict[str, list[zipfile.ZipInfo]] = {}
    for member in members:
        by_name.setdefault(member.filename, []).append(member)
    name = next((name for name in _NAMES if name in by_name), None)
    if name is None:
        raise UnreadableError("no collection is in this archive; an Anki package holds collection.anki2 or one like it")
    if len(by_name[name]) > 1:
        raise UnreadableError(f"{name} is in this archive more than once")
    member = by_name[name][0]
    if stat.S_ISLNK(member.external_attr >> 16):
        raise UnreadableError(f"{name} is a link in this archive, and links are not followed")
    if member.flag_bits & _ENCRYPTED or member.compress_type not in _READ:
        raise UnreadableError(f"{name} is encrypted, or compressed in a way that Anki does not use")
    with package.open(member) as stream:
        content = _up_to(stream, name)
    others = sum(1 for other in by_name if other not in _OURS and not other.endswith("/"))
    return (_unpacked(content) if name == _COMPRESSED else content), others


def _up_to(stream: object, name: str) -> bytes:
    """All that a stream gives, unless it is too much."""
    parts: list[bytes] = []
    size = 0
    while part := stream.read(_CHUNK):  # type: ignore[attr-defined]
        size += len(part)
        if size > MAX_COLLECTION:
            raise UnreadableError(f"{name} is larger than {MAX_COLLECTION // 1_000_000} MB when it is unpacked")
        parts.append(part)
    return b"".join(parts)


def _unpacked(content: bytes) -> bytes:
    try:
        import zstandard
    except ModuleNotFoundError as error:
        raise MissingZstandardError("zstandard") from error
    try:
        with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(io.BytesIO(content)) as stream:
            return _up_to(stream, _COMPRESSED)
    except zstandard.ZstdError as error:
        raise UnreadableError(f"{_COMPRESSED} is damaged: it cannot be unpacked") from error
