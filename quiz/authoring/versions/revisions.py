"""A version of a bank out of git: the question files of a folder at a revision, in a folder of their own.

git is asked for an archive, of which only ordinary YAML files are taken, each within the folder that it is written to.
No hook runs and no working tree is touched.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path, PurePosixPath
from typing import Final

_SECONDS: Final = 60
_LARGEST: Final = 4_000_000
_MOST: Final = 500_000_000


class RevisionError(Exception):
    """There is no such version; the message says why and what next."""


class MissingGitError(RevisionError):
    """git is not installed."""


def top_of(place: Path) -> Path:
    """The root of the repository that a folder or file lies in. Raises `RevisionError`."""
    folder = place if place.is_dir() else place.parent
    said = _git(folder, "rev-parse", "--show-toplevel")
    if said is None:
        raise RevisionError(f"{folder} lies in no git repository, so it has no revisions")
    return Path(said.decode("utf-8", "surrogateescape").rstrip("\n"))


def extract(top: Path, revision: str, path: str, folder: Path) -> Path:
    """Write what lies at `path` of the repository `top` at a revision into `folder`; return where it is there.

    Args:
        top: the repository's root.
        revision: anything that git resolves to a commit.
        path: a folder or file, relative to the root.
        folder: an empty folder.

    Raises:
        RevisionError: there is no such revision, or nothing at that path.
    """
    commit = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit is None:
        raise RevisionError(f"git knows no revision {revision!r} in {top}")
    named = PurePosixPath(path or ".").as_posix()
    wanted = [] if named == "." else ["--", f":(literal){named}"]
    archive = _git(top, "archive", "--format=tar", commit.decode("ascii").strip(), *wanted)
    if archive is None:
        raise RevisionError(f"there is no {path} at {revision}")
    _unpack(archive, folder)
    return folder / named


def _git(folder: Path, *words: str) -> bytes | None:
    """What git prints; None where it fails. Raises `MissingGitError`, and `RevisionError` where it does not end."""
    git = shutil.which("git")
    if git is None:
        raise MissingGitError("git is not installed, so that revisions cannot be read")
    command = [git, "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603, our words
    except subprocess.TimeoutExpired as error:
        raise RevisionError(f"git did not answer in {_SECONDS} seconds") from error
    return done.stdout if done.returncode == 0 else None


def _unpack(archive: bytes, folder: Path) -> None:
    total = 0
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
        for member in opened:
            name = PurePosixPath(member.name)
            inside = not name.is_absolute() and ".." not in name.parts
            if not (member.isfile() and inside and name.suffix == ".yaml" and member.size <= _LARGEST):
                continue
            total += member.size
            if total > _MOST:
                raise RevisionError(f"the questions at this revision take more than {_MOST // 1_000_000} MB")
            stream = opened.extractfile(member)
            if stream is not None:
                target = folder.joinpath(*name.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(stream.read())
