"""Two versions told apart. Pure: snapshots go in, changes come out, the gravest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import msgspec

from quiz.authoring.versions.snapshot import BASE, Amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.authoring.versions.snapshot import Draw, Known, Snapshot

What = Literal[
    "key", "answer", "tolerance", "acceptance", "slip", "option", "standing", "figure", "variant", "kind", "trouble"
]
_ORDER: Final = (
    "trouble", "kind", "key", "answer", "tolerance", "acceptance", "slip", "option", "standing", "figure", "variant",
)  # fmt: skip
# Keys of a file whose change is told as what it does to figures, or by itself.
_TOLD: Final = ("id", "kind", "renamed_from")
_T = TypeVar("_T")


class Change(msgspec.Struct, frozen=True):
    """One difference. `before` or `after` is None where there was nothing; `variant` is empty where it is no matter.

    With `hidden` both are shown alike and differ in digits that are not shown. `numbers` are those of the variant as
    prose shows them; empty for the author's own.
    """

    what: What
    name: str
    variant: str
    before: str | None
    after: str | None
    hidden: bool = False
    numbers: str = ""


class Changed(msgspec.Struct, frozen=True):
    """A question that both versions have.

    `former` is its id then, where that was another; `wording` are keys of the file whose content changed.
    """

    id: str
    file: str
    former: str
    changes: tuple[Change, ...]
    wording: tuple[str, ...]
    variants: int


class Differences(msgspec.Struct, frozen=True):
    """Everything that differs: ids that came and went, questions that changed, files that could not be compared."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[Changed, ...]
    same: int
    unread_before: Mapping[str, str]
    unread_after: Mapping[str, str]

    @property
    def is_empty(self) -> bool:
        """Whether the two versions say the same."""
        return not (self.added or self.removed or self.changed)

    @property
    def moved(self) -> int:
        """How many questions have another key, answer, tolerance, slip, option or figure than before."""
        return sum(bool(one.changes) for one in self.changed)


def compare(before: Snapshot, after: Snapshot) -> Differences:
    """What differs between two versions."""
    pairs = dict(_pairs(before, after))
    every = [_changed(before.questions[old], after.questions[new]) for new, old in pairs.items()]
    new = [name for name in after.questions if name not in pairs]
    gone = [name for name in before.questions if name not in pairs.values()]
    changed = tuple(one for one in every if one.changes or one.wording or one.former)
    return Differences(
        tuple(name for name in new if after.questions[name].file not in before.unread),
        tuple(name for name in gone if before.questions[name].file not in after.unread),
        changed,
        len(every) - len(changed),
        before.unread,
        after.unread,
    )


def _pairs(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, str]]:
    """The id of each question of both versions, now and then."""
    for name, known in after.questions.items():
        if name in before.questions:
            yield name, name
            continue
        former = [old for old in known.former if old in before.questions and old not in after.questions]
        if former:
            yield name, former[0]


def _changed(before: Known, after: Known) -> Changed:
    changes = [*_of_the_whole(before, after)]
    for variant in after.draws:
        if variant in before.draws:
            found = _of_a_draw(variant, before.draws[variant], after.draws[variant])
            changes += [msgspec.structs.replace(change, numbers=after.draws[variant].numbers) for change in found]
    changes.sort(key=lambda change: _ORDER.index(change.what))  # stable: the base stays first, variants in their order
    keys = dict.fromkeys([*before.wording, *after.wording])
    wording = tuple(key for key in keys if key not in _TOLD and before.wording.get(key) != after.wording.get(key))
    former = before.id if before.id != after.id else ""
    return Changed(after.id, after.file, former, tuple(changes), wording, len(after.draws))


def _of_the_whole(before: Known, after: Known) -> Iterator[Change]:
    if before.trouble != after.trouble:
        yield Change("trouble", "", "", before.trouble or None, after.trouble or None)
    if before.kind != after.kind:
        yield Change("kind", "", "", before.kind, after.kind)
    yield from _of_mapping("tolerance", "", before.tolerances, after.tolerances, str)
    yield from _of_mapping("acceptance", "", before.accepted, after.accepted, str)
    if before.trouble or after.trouble:
        return  # what the others of its options and variants are is not known
    yield from _of_mapping("option", "", before.options, after.options, str)
    for variant in dict.fromkeys([*before.draws, *after.draws]):
        if variant not in after.draws:
            yield Change("variant", variant, "", "drawn", None, numbers=before.draws[variant].numbers)
        elif variant not in before.draws:
            yield Change("variant", variant, "", None, "drawn", numbers=after.draws[variant].numbers)


def _of_a_draw(variant: str, before: Draw, after: Draw) -> Iterator[Change]:
    if before.key != after.key:
        yield Change("key", "", variant, ", ".join(before.key) or None, ", ".join(after.key) or None)
    yield from _of_amounts("answer", variant, before.answers, after.answers)
    yield from _of_amounts("slip", variant, before.slips, after.slips)
    yield from _of_mapping("standing", variant, before.standings, after.standings, str)
    yield from _of_amounts("figure", variant, before.figures, after.figures)


def _of_amounts(
    what: What, variant: str, before: Mapping[str, Amount], after: Mapping[str, Amount]
) -> Iterator[Change]:
    for change in _of_mapping(what, variant, before, after, lambda amount: amount.text):
        hidden = change.before is not None and change.before == change.after
        if hidden:
            old, new = before[change.name], after[change.name]
            one, other = (old.full, new.full) if old.full != new.full else (old.exact, new.exact)
            yield Change(what, change.name, variant, one, other, hidden=True)
        else:
            yield change


def _of_mapping(
    what: What, variant: str, before: Mapping[str, _T], after: Mapping[str, _T], text: Callable[[_T], str]
) -> Iterator[Change]:
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old != new:
            yield Change(what, name, variant, None if old is None else text(old), None if new is None else text(new))


__all__ = ["BASE", "Change", "Changed", "Differences", "compare"]
