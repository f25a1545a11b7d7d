"""From a schema's complaint to the line and column of what it is about.

Pydantic says where an error is by a `loc`: keys and indices, and between them the names of union members and of
validators, which stand in no file. A `loc` is walked down the document with those left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from quiz.bank import complaints
from quiz.bank.diagnostics import Diagnostic, Place, format_path, in_order
from solvers.record import Record

if TYPE_CHECKING:
    from pydantic import ValidationError

    from quiz.bank.document import Document, Path, Site

KnownKeys: TypeAlias = Callable[["Path"], Collection[str]]

_KEY = "[key]"  # pydantic's last step for an error about a key


def place_of(document: Document, loc: Path, *, key: bool = False) -> Place:
    """Where the value at `loc` stands, or with `key` its key.

    Where `loc` leads out of the document, the last value on its way counts, by its key.
    """
    steps = tuple(step for step in loc if step != _KEY)
    path, used = _walk(document.data, steps)
    beyond = bool(steps) and (not used or used[-1] != len(steps) - 1)
    return document.place(_spot(document.places[path], key=key or beyond or len(steps) != len(loc)))


def place_in_text(document: Document, path: Path, offset: int) -> Place:
    """Where the character `offset` of the text at `path` stands.

    Exact in literal block scalars (`|`) and in texts written on one line without escapes; for others the place
    where the text begins.
    """
    site = document.places[path]
    text = _text_at(document.data, path)
    line, column = site.value
    lines = document.source.split("\n")
    if site.style == "|":
        row = text.count("\n", 0, offset)
        begun = text.rfind("\n", 0, offset) + 1
        ended = text.find("\n", begun)
        length = (len(text) if ended < 0 else ended) - begun
        return document.place((line + 1 + row, len(lines[line + row]) - length + offset - begun + 1))
    opening = 1 if site.style in {"'", '"'} else 0
    if lines[line - 1].startswith(text, column - 1 + opening):
        return document.place((line, column + opening + offset))
    return document.place(site.value)


def from_validation_error(
    document: Document, exc: ValidationError, known_keys: KnownKeys | None = None
) -> list[Diagnostic]:
    """Each error of the schema as a diagnostic, as in `from_errors`."""
    return from_errors(document, exc.errors(include_url=False), known_keys)


def from_errors(
    document: Document, errors: Sequence[complaints.Error], known_keys: KnownKeys | None = None
) -> list[Diagnostic]:
    """Each of pydantic's errors as a diagnostic.

    `known_keys` gives the keys that the schema has at a `loc`; with it an unknown key is met with the nearest.
    Of a union's members only the one that comes nearest to what was written is reported.
    """
    if errors and isinstance(document.data, list):  # every file of a bank has keys
        return [
            Diagnostic(
                document.place(document.places[()].value),
                "not-a-mapping",
                "the whole file is a list",
                "A dash begins an entry of a list; a file of a bank has keys.",
                "Write it as `key: value` lines, without the dashes in front.",
            )
        ]
    found = [_Located.of(document, error) for error in errors]
    diagnostics: list[Diagnostic] = []
    typed: dict[Path, list[_Located]] = {}
    for error in _nearest_members(found):
        if error.wants is not None:
            typed.setdefault(error.path, []).append(error)
        else:
            diagnostics.append(error.diagnostic(document, known_keys))
    for path, wrong in typed.items():
        site = document.places[path]
        sentence = complaints.wrong_type([str(error.wants) for error in wrong], wrong[0].error["input"], site.style)
        diagnostics.append(_diagnostic(document, sentence, path, key=wrong[0].about_key))
    return list(in_order(diagnostics))


def unknown_keys(
    document: Document, errors: Sequence[complaints.Error], known_keys: KnownKeys
) -> list[tuple[Path, Collection[str]]]:
    """The path of each key that the schema does not have, with those that it has there."""
    found = _nearest_members([_Located.of(document, error) for error in errors])
    return [
        (one.path, known_keys(one.steps[:-1])) for one in found if one.error["type"] == "extra_forbidden" and one.path
    ]


class _Located(Record):
    """An error with its path in the document. `branch` is the member of a union that complains, "" outside of one."""

    error: complaints.Error
    path: Path
    steps: Path
    about_key: bool
    beyond: bool
    branch: str
    branch_at: Path
    wants: str | None

    @classmethod
    def of(cls, document: Document, error: complaints.Error) -> _Located:
        loc: Path = tuple(error["loc"])
        steps = tuple(step for step in loc if step != _KEY)
        path, used = _walk(document.data, steps)
        beyond = bool(steps) and (not used or used[-1] != len(steps) - 1)
        named = len(steps) - (1 if error["type"] == "missing" else 0)
        skipped = next((i for i in range(1, named) if i not in used), None)
        branch = "" if skipped is None else str(steps[skipped])
        branch_at = path if skipped is None else path[: sum(i < skipped for i in used)]
        return cls(error, path, steps, len(steps) != len(loc), beyond, branch, branch_at, complaints.wanted(error))

    def diagnostic(self, document: Document, known_keys: KnownKeys | None) -> Diagnostic:
        """For every error but a wrong type."""
        error, path = self.error, self.path
        kind, ctx = error["type"], error.get("ctx", {})
        if kind == "missing":
            return _diagnostic(document, complaints.missing(self.steps[-1]), path, key=True, name=self.steps[-1])
        if kind == "extra_forbidden" or (kind == "literal_error" and self.about_key):
            keys = (
                complaints.choices(ctx["expected"]) if kind == "literal_error" else _keys(known_keys, self.steps[:-1])
            )
            return _diagnostic(document, complaints.unknown_key(path[-1] if path else "", keys), path, key=True)
        if kind in {"literal_error", "enum"}:
            return _diagnostic(
                document, complaints.not_allowed(error["input"], complaints.choices(ctx["expected"])), path
            )
        if kind == "union_tag_not_found":
            name = str(ctx["discriminator"]).strip("'()")
            return _diagnostic(document, complaints.missing(name), path, key=True, name=name)
        if kind == "union_tag_invalid":
            name = str(ctx["discriminator"]).strip("'()")
            tagged = (*path, name) if (*path, name) in document.places else path
            written = error["input"].get(name, ctx["tag"]) if isinstance(error["input"], dict) else ctx["tag"]
            return _diagnostic(
                document, complaints.not_allowed(written, complaints.choices(ctx["expected_tags"])), tagged
            )
        cause = ctx.get("error")
        key = self.about_key
        if isinstance(cause, complaints.Complaint):
            path, _ = _walk_from(document, path, cause.at)
            key = key or cause.key
        found = _diagnostic(document, complaints.other(error), path, key=key)
        start = cause.start if isinstance(cause, complaints.Complaint) else 0
        return replace(found, place=place_in_text(document, path, start)) if start else found


def _diagnostic(
    document: Document, said: complaints.Sentence, path: Path, *, key: bool = False, name: str | int | None = None
) -> Diagnostic:
    spot = _spot(document.places[path], key=key)
    full = path if name is None else (*path, name)
    return Diagnostic(document.place(spot), said.code, said.what, said.why, said.next, path=format_path(full))


def _nearest_members(found: list[_Located]) -> list[_Located]:
    """Drop what the members of a union say that were not meant.

    Meant is the member that takes this kind of value and has the fewest objections. Where none takes it, all
    are kept: together they say what may stand there.
    """
    members: dict[Path, dict[str, list[_Located]]] = {}
    for error in found:
        if error.branch:
            members.setdefault(error.branch_at, {}).setdefault(error.branch, []).append(error)
    dropped: set[int] = set()
    for at, branches in members.items():
        fitting = {
            name: errors for name, errors in branches.items() if not any(e.wants and e.path == at for e in errors)
        }
        if not fitting:
            continue
        meant = min(fitting, key=lambda name: len(fitting[name]))
        dropped |= {id(error) for name, errors in branches.items() if name != meant for error in errors}
    return [error for error in found if id(error) not in dropped]


def _walk(data: object, steps: Path) -> tuple[Path, tuple[int, ...]]:
    """The longest path that the steps spell in `data`, in order, some left out; and which steps it took."""
    best: tuple[Path, tuple[int, ...]] = ((), ())

    def go(at: int, data: object, path: Path, used: tuple[int, ...]) -> None:
        nonlocal best
        if len(path) > len(best[0]):
            best = (path, used)
        for index in range(at, len(steps)):
            below = _below(data, steps[index])
            if below is not None:
                go(index + 1, below[0], (*path, steps[index]), (*used, index))

    go(0, data, (), ())
    return best


def _below(data: object, step: str | int) -> tuple[object] | None:
    """What `step` leads to, in a tuple because that may be None; None where it leads nowhere."""
    if isinstance(data, dict) and isinstance(step, str) and step in data:
        return (data[step],)
    if isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
        return (data[step],)
    return None


def _walk_from(document: Document, path: Path, steps: Path) -> tuple[Path, tuple[int, ...]]:
    """As `_walk`, from a path of the document."""
    data = document.data
    for step in path:
        data = data[step]  # type: ignore[index]
    below, used = _walk(data, steps)
    return (*path, *below), used


def _text_at(data: object, path: Path) -> str:
    for step in path:
        data = data[step]  # type: ignore[index]
    if not isinstance(data, str):
        raise TypeError(f"{format_path(path)} is no text")
    return data


def _spot(site: Site, *, key: bool) -> tuple[int, int]:
    return site.key if key and site.key is not None else site.value


def _keys(known_keys: KnownKeys | None, loc: Path) -> Collection[str]:
    return () if known_keys is None else known_keys(loc)
