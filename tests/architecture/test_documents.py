"""Every page can be found from the first one, and every place that a link names is there."""

from __future__ import annotations

import re

from tests.house import ROOT, relative, tracked_files

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FIRST = "docs/README.md"


def pages() -> dict[str, str]:
    return {relative(path): path.read_text(encoding="utf-8") for path in tracked_files() if path.suffix == ".md"}


def links(name: str, text: str) -> list[tuple[str, str]]:
    """The links of a page that stay in the repository: the file and the heading that each names."""
    found = []
    for target in LINK.findall(CODE.sub("", text)):
        if "://" in target or target.startswith("mailto:"):
            continue
        file, _, heading = target.partition("#")
        place = (ROOT / name).parent.joinpath(file).resolve() if file else ROOT / name
        found.append((relative(place) if place.is_relative_to(ROOT) else target, heading))
    return found


def anchor(heading: str) -> str:
    """The name that a page gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def reachable() -> set[str]:
    texts, found, left = pages(), {FIRST}, [FIRST]
    while left:
        name = left.pop()
        for target, _ in links(name, texts.get(name, "")):
            if target not in found:
                found.add(target)
                left.append(target)
    return found


def test_every_page_of_the_documentation_is_reachable_from_its_first() -> None:
    missed = {name for name in pages() if name.startswith("docs/")} - reachable()
    assert missed == set()


def test_every_picture_lies_beside_a_page_that_can_be_found() -> None:
    found = reachable()
    others = [name for name in map(relative, tracked_files()) if name.startswith("docs/") and not name.endswith(".md")]
    assert others
    assert [name for name in others if name not in found and f"{name.rpartition('/')[0]}/README.md" not in found] == []


def test_the_first_page_of_the_documentation_names_every_page_itself() -> None:
    """So that it is a list, and not a start into a maze."""
    named = {target for target, _ in links(FIRST, pages()[FIRST])}
    assert {name for name in pages() if name.startswith("docs/")} - named == {FIRST}


def test_every_relative_link_leads_to_a_file_and_to_a_heading_in_it() -> None:
    texts = pages()
    broken = [
        f"{name}: {target}#{heading}"
        for name, text in texts.items()
        for target, heading in links(name, text)
        if not (ROOT / target).exists()
        or (heading and heading not in {anchor(found) for found in HEADING.findall(texts.get(target, ""))})
    ]
    assert broken == []


def test_every_command_has_its_line_in_the_readme() -> None:
    from quiz.cli import commands

    table = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in commands.NAMES if f"| `shardwise {name}" not in table] == []


def test_the_readme_begins_with_a_picture_and_the_two_commands() -> None:
    """One that runs the program, one that tests it: in the first 25 lines."""
    top = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:25])
    assert "](docs/screens/" in top
    assert top.index("](docs/screens/") < top.index("make practice") < top.index("make test")


def test_a_broken_link_and_a_missing_heading_would_be_found() -> None:
    assert links(FIRST, "[a](nowhere.md) [b](#here) [c](https://x.y) ```\n") == [
        ("docs/nowhere.md", ""),
        (FIRST, "here"),
    ]
    assert anchor("`check`: What you *can* type") == "check-what-you-can-type"
