"""Drafts as question files: YAML in our form, that says at its top and in its places what is missing.

A draft is no question yet. Its figures are typed where ours are derived, and it does not say by what its key holds; the
lint finds both, each at its line. Names of files are made here and never taken over.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.marks import printable
from quiz.bank.literals import literals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quiz.authoring.exchange.draft import Draft

_WORDS: Final = 7
_LONGEST: Final = 50
_SHOWN: Final = 5


def slug(text: str, other: str) -> str:
    """A text as an id: lower-case letters, digits and hyphens; `other` where nothing is left of it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.lower())[:_WORDS]
    made = "-".join(words)[:_LONGEST].strip("-")
    return made or other


def named(drafts: Sequence[Draft], taken: set[str]) -> list[tuple[str, str, Draft]]:
    """Each draft with a topic and an id that no other has."""
    found = []
    used = set(taken)
    next_number: dict[str, int] = {}
    for draft in drafts:
        base = slug(draft.id or draft.title or draft.stem, "question")
        id_, number = base, next_number.get(base, 2)
        while id_ in used:
            id_, number = f"{base}-{number}", number + 1
        next_number[base] = number
        used.add(id_)
        found.append((slug(draft.topic, "imported"), id_, draft))
    return found


def manifest(id_: str, title: str) -> str:
    """A `bank.yaml` for a folder that has none."""
    return (
        "# Made by an import. Say whose questions these are and under which licence they may be used.\n"
        f"id: {id_}\ntitle: {_quoted(title)}\nlicence: not stated\n"
    )


def written(topic: str, id_: str, draft: Draft, origin: str) -> str:
    """The question file of a draft; `origin` says where it comes from."""
    kind = "claim" if draft.options else "numeric" if draft.value else "open"
    lines = [f"# Imported from {_comment(origin)}. What is missing before it can be asked:"]
    lines += [f"# - {what}" for what in _missing(kind, draft)]
    lines += [f"id: {id_}", f"kind: {kind}", f"topic: {topic}"]
    lines.append(f"difficulty: {draft.difficulty}" if draft.difficulty else "# difficulty: 1 (easy) to 5")
    if draft.title:
        lines.append(f"title: {_quoted(draft.title)[:300]}")
    lines += ["", *_prose("stem", draft.stem), ""]
    lines += {"claim": _options, "numeric": _value, "open": _sketch}[kind](draft)
    if draft.why:
        lines += ["", *_prose("why", draft.why)]
    return "\n".join(lines) + "\n"


def _missing(kind: str, draft: Draft) -> Iterator[str]:
    if draft.difficulty is None:
        yield "difficulty: 1 (easy) to 5"
    if kind == "claim":
        yield "of each option: `holds:` with a condition, so that its verdict is computed; or `source:`, who says so"
        if not all(option.why for option in draft.options):
            yield "of each option: `why:`, what is wrong with it"
    elif kind == "numeric":
        yield "scenario and relation: `answer: is:` names a quantity that the program computes, not a typed number"
        yield "slips: the mistakes by which a wrong number is recognised"
    else:
        yield "rubric: what a good answer does, each point checkable by the learner alone"
        if not draft.sketch:
            yield "sketch: a good answer in two or three sentences"
    typed = [one.text for text in _texts(draft) for one in literals(text)]
    if typed:
        shown = ", ".join(_comment(text) for text in dict.fromkeys(typed[: _SHOWN * 4]))
        yield f"figures: typed in its texts ({shown}); name each and write the name between double braces"
    yield "sources, and the rest of the reveal"


def _texts(draft: Draft) -> list[str]:
    return [draft.stem, draft.sketch, draft.why, *(text for one in draft.options for text in (one.text, one.why))]


def _options(draft: Draft) -> list[str]:
    lines = ["options:"]
    for at, option in enumerate(draft.options):
        lines.append(f"  option_{'abcdef'[at]}:")
        lines += _prose("text", option.text or "(empty)", 4)
        lines.append(f"    asserted: {'true' if option.right else 'false'}")
        lines.append("    # source: a key of sources.yaml")
        if option.why:
            lines += _prose("why", option.why, 4)
    return lines


def _value(draft: Draft) -> list[str]:
    value = draft.value
    if value is None:
        return []
    return [
        "answer:",
        f"  is: {value.number}",
        *([f"  unit: {_quoted(value.unit)}"] if value.unit else []),
        f"  within: {value.within}" if value.within else "  # within: 3 %",
    ]


def _sketch(draft: Draft) -> list[str]:
    missing = '# rubric: ["what a good answer does", "another point"]'
    return [missing, *(_prose("sketch", draft.sketch) if draft.sketch else ["# sketch: a good answer"])]


def _prose(key: str, text: str, indent: int = 0) -> list[str]:
    """A text as a block scalar: its lines stand deeper than their key, so that nothing in it can be read as YAML."""
    before = " " * indent
    plain = _unnamed(printable(text).replace("\t", "  "))
    lines = [line.strip() for line in plain.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return [f"{before}{key}: |", *(f"{before}  {line}".rstrip() for line in lines)]


def _quoted(text: str) -> str:
    """One line in double quotes, as JSON and YAML both read it."""
    return json.dumps(" ".join(_unnamed(printable(text)).split())[:200], ensure_ascii=False)


def _unnamed(text: str) -> str:
    """A text in which nothing stands between double braces, where a bank would look for a name."""
    while "{{" in text or "}}" in text:
        text = text.replace("{{", "{ {").replace("}}", "} }")
    return text


def _comment(text: str) -> str:
    return " ".join(printable(text).split())
