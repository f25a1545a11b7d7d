"""Drafts as question files: YAML in our form, that says at its top and in its places what is missing.

A draft is no question yet. Its figures are typed where ours are derived, and it does not say by what its key holds; the
lint finds both, each at its line. Names of files are made here and never taken over.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.bank_text import amount, amount_off, in_bank
from quiz.authoring.exchange.marks import printable
from quiz.authoring.naming import slug
from quiz.bank.literals import literals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quiz.authoring.exchange.draft import Draft

_FILES: Final = ("bank", "sources")
"""Names of files that say what a bank is, wherever they lie."""
_VALUES: Final = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
_SHOWN: Final = 5


def named(drafts: Sequence[Draft], taken: set[str]) -> list[tuple[str, str, Draft]]:
    """Each draft with a topic and an id that no other has."""
    found = []
    used = {*taken, *_FILES}
    next_number: dict[str, int] = {}
    for draft in drafts:
        base = slug(_first(draft.id, draft.title, draft.stem), "question")
        id_, number = base, next_number.get(base, 2)
        while id_ in used:
            id_, number = f"{base}-{number}", number + 1
        next_number[base] = number
        used.add(id_)
        found.append((slug(draft.topic, "imported"), id_, draft))
    return found


def _first(*texts: str) -> str:
    """The first text that names something; else one that is the same only for a question that is the same."""
    return next((text for text in texts if any(one.isalnum() for one in text)), " ".join(texts))


def manifest(id_: str, title: str) -> str:
    """A `bank.yaml` for a folder that has none."""
    return (
        "# Made by an import. Say whose questions these are and under which licence they may be used.\n"
        f"id: {_word(id_)}\ntitle: {_quoted(title)}\nlicence: not stated\n"
    )


def written(topic: str, id_: str, draft: Draft, origin: str) -> str:
    """The question file of a draft; `origin` says where it comes from."""
    kind = "claim" if draft.options else "numeric" if draft.value else "open"
    lines = [f"# Imported from {_comment(origin)}. What is missing before it can be asked:"]
    lines += [f"# - {what}" for what in _missing(kind, draft)]
    lines += [f"id: {_word(id_)}", f"kind: {kind}", f"topic: {_word(topic)}"]
    lines.append(f"difficulty: {draft.difficulty}" if draft.difficulty else "# difficulty: 1 (easy) to 5")
    if draft.title:
        lines.append(f"title: {_quoted(draft.title)}")
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
        if draft.value is not None and draft.value.unit and not amount(draft.value.number, draft.value.unit):
            yield f"unit: {_comment(draft.value.unit)} is none that is known; declare it in bank.yaml, or leave it out"
        if draft.value is not None and not (draft.value.within or draft.value.share):
            yield "within: how far off an answer may be; where none is written, 3 % is"
    else:
        yield "rubric: what a good answer does, each point checkable by the learner alone"
        if not draft.sketch:
            yield "sketch: a good answer in two or three sentences"
    typed = [one.plain for text in _texts(draft) for one in literals(text)]
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
    joined = amount(value.number, value.unit) if value.unit else ""
    within = (amount_off(value.within, value.unit) if joined and value.within else "") or value.within
    return [
        "answer:",
        f"  is: {joined or value.number}",
        *([f"  unit: {_quoted(value.unit)}"] if joined else []),
        f"  within: {value.share or within}" if value.share or within else "  # within: 3 %",
    ]


def _sketch(draft: Draft) -> list[str]:
    missing = '# rubric: ["what a good answer does", "another point"]'
    return [missing, *(_prose("sketch", draft.sketch) if draft.sketch else ["# sketch: a good answer"])]


def _prose(key: str, text: str, indent: int = 0) -> list[str]:
    """A text as a block scalar: its lines stand deeper than their key, so that nothing in it can be read as YAML."""
    before = " " * indent
    lines = in_bank(text).split("\n")
    return [f"{before}{key}: |", *(f"{before}  {line}".rstrip() for line in lines)]


def _quoted(text: str) -> str:
    """One line in double quotes, as JSON and YAML both read it."""
    return json.dumps(" ".join(printable(text).split())[:200], ensure_ascii=False)


def _word(slug: str) -> str:
    """An id as YAML reads it: in quotes where it would be a number, a date or a truth value."""
    return slug if slug[0].isalpha() and slug not in _VALUES else f'"{slug}"'


def _comment(text: str) -> str:
    return " ".join(printable(text).split())
