"""What is committed can be read anywhere: it names no place of one machine, and leaves nothing half done."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.house import ROOT, relative, tracked_files

# Assembled from halves, so that this file does not break its own rules.
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b")
SOMEBODYS_HOME = re.compile(r"(?<![\w.~-])/(?:home|Users|ro" + r"ot)/[A-Za-z]")
NUMBERED_ISSUE = re.compile(r"\bissue #?" + r"\d", re.IGNORECASE)
UPWARDS = re.compile(r"(?<![\w./])(?:\.\./)+[\w./-]*")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")

TEXT_SUFFIXES = {"", ".cfg", ".in", ".json", ".jsonl", ".md", ".py", ".sh", ".sql", ".tcss", ".toml", ".txt", ".yaml"}
# Places of this very machine: where the repository, the interpreter's environment and the person's home are.
HERE = {
    str(place)
    for place in (ROOT, Path(sys.prefix), Path(sys.base_prefix), Path.home())
    if len(place.parts) > 2 and not place.is_relative_to("/usr")  # /usr and the like are everybody's
}


def texts() -> dict[str, str]:
    files = [path for path in tracked_files() if path.suffix in TEXT_SUFFIXES]
    return {relative(path): path.read_text(encoding="utf-8", errors="replace") for path in files}


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts().items()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def leads_out(name: str, target: str) -> bool:
    """Whether a path with `..` in it, written in the file `name`, ends outside the repository."""
    return not (ROOT / name).parent.joinpath(target).resolve().is_relative_to(ROOT)


@pytest.mark.parametrize(
    "pattern", [UNFINISHED, SOMEBODYS_HOME, NUMBERED_ISSUE], ids=["unfinished", "somebody's home", "numbered issue"]
)
def test_no_tracked_file_says(pattern: re.Pattern[str]) -> None:
    assert lines_with(pattern) == []


def test_no_tracked_file_names_a_place_of_this_machine() -> None:
    pattern = re.compile("|".join(re.escape(place) for place in sorted(HERE)) or r"(?!)")
    assert lines_with(pattern) == []


def test_no_path_leads_out_of_the_repository() -> None:
    found = [
        f"{name}: {target[0]}"
        for name, text in texts().items()
        for target in UPWARDS.finditer(text)
        if leads_out(name, target[0])
    ]
    assert found == []


def test_every_link_between_documents_leads_somewhere() -> None:
    broken = [
        f"{name}: {target}"
        for name, text in texts().items()
        if name.endswith(".md")
        for target in LINK.findall(text)
        if "://" not in target and not (ROOT / name).parent.joinpath(target).exists()
    ]
    assert broken == []


def test_the_rules_have_teeth() -> None:
    assert UNFINISHED.search("# TO" + "DO later")
    assert SOMEBODYS_HOME.search("see /ho" + "me/ada/notes")
    assert not SOMEBODYS_HOME.search("~/.local/share/shardwise")
    assert NUMBERED_ISSUE.search("see issue " + "12")
    assert leads_out("docs/README.md", "../" + "../elsewhere")
    assert not leads_out("docs/README.md", "../README.md")
