"""Where the house stands, and its tracked files, for tests that look at the source."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_ALONE = {".git", ".venv", "__pycache__", "build", "dist"}


def tracked_files() -> list[Path]:
    """Every file that git tracks or would track; without git (an unpacked archive) every file that lies here."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        found = (path for path in ROOT.rglob("*") if not LEFT_ALONE & set(path.relative_to(ROOT).parts))
        return sorted(path for path in found if path.is_file())
    return sorted(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())


def python_files(*folders: str) -> list[Path]:
    """The Python files in folders of the house."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def relative(path: Path) -> str:
    """A file's name as a person in the repository would write it."""
    return path.relative_to(ROOT).as_posix()
