"""Differences as Markdown, for a review or a message: what changed in each question, the base and then its variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.marks import escape_markdown, printable
from quiz.authoring.versions.compare import BASE
from quiz.nouns import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.authoring.versions.compare import Change, Changed, Differences

_NAMES: Final = {
    "key": "key", "answer": "answer", "tolerance": "tolerance of", "acceptance": "accepted as", "slip": "slip",
    "option": "option", "standing": "figures of", "figure": "figure", "variant": "variant", "kind": "kind",
    "trouble": "cannot be computed",
}  # fmt: skip
_NOTHING: Final = "–"


def as_markdown(found: Differences, before: str, after: str) -> str:
    """The differences as a document; `before` and `after` name the versions."""
    blocks = [f"# {_plain(before)} → {_plain(after)}", _summary(found)]
    blocks += [f"- added: {_code(name)}" for name in found.added]
    blocks += [f"- removed: {_code(name)}" for name in found.removed]
    for title, unread in (("before", found.unread_before), ("now", found.unread_after)):
        blocks += [f"- not compared, {title}: {_code(file)}: {_plain(why)}" for file, why in unread.items()]
    text = _lists(blocks)
    return "\n\n".join([text, *("\n\n".join(_question(one)) for one in found.changed)]) + "\n"


def _lists(blocks: list[str]) -> str:
    """Blocks parted by empty lines, items of a list by none."""
    lines: list[str] = []
    for block in blocks:
        if lines and not (block.startswith("- ") and lines[-1].startswith("- ")):
            lines.append("")
        lines.append(block)
    return "\n".join(lines)


def _summary(found: Differences) -> str:
    if found.is_empty:
        return f"Nothing differs; {count(found.same, 'question')} compared."
    worded = len(found.changed) - found.moved
    return (
        f"{count(found.moved, 'question')} with other keys, figures or options; {worded} in wording alone; "
        f"{len(found.added)} added, {len(found.removed)} removed; {found.same} the same."
    )


def _question(changed: Changed) -> Iterator[str]:
    former = f" (was {_code(changed.former)})" if changed.former else ""
    yield f"## {_plain(changed.id)}{former}"
    yield f"{_code(changed.file)}, {count(changed.variants, 'set')} of numbers."
    if any(change.what == "key" for change in changed.changes):
        yield "**The key changes.**"
    if changed.changes:
        rows = [_row(change) for change in changed.changes]
        yield "\n".join(["| what | numbers | before | now |", "| --- | --- | --- | --- |", *rows])
    if changed.wording:
        yield f"In the file: {', '.join(_code(key) for key in changed.wording)}."


def _row(change: Change) -> str:
    called = change.numbers if change.what == "variant" else change.name
    name = f"{_NAMES[change.what]} {_code(called)}" if called else _NAMES[change.what]
    drawn = change.variant not in ("", BASE)
    where = _code(change.numbers) if drawn else "the author's" if change.variant else ""
    note = " (shown alike)" if change.hidden else ""
    cells = (name, where, _cell(change.before), _cell(change.after) + note)
    return f"| {' | '.join(cells)} |"


def _cell(text: str | None) -> str:
    return _NOTHING if text is None else _plain(text)


def _plain(text: str) -> str:
    return escape_markdown(" ".join(printable(text).split()))


def _code(text: str) -> str:
    return f"`{' '.join(printable(text).split()).replace('`', chr(39)).replace('|', chr(92) + '|')}`"
