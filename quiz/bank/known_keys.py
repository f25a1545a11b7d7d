"""Which keys a schema has at a place, read from its pydantic models.

Pydantic reports an unknown key without saying which it knows. The annotations of the models are walked along the
error's `loc`, of which union tags and member names choose a member of a union. Pydantic itself is not imported:
the models are known by their `model_fields`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.bank.document import Path


def known_keys_of(model: Any) -> Callable[[Path], Collection[str]]:  # noqa: ANN401, any annotation
    """A function from the `loc` of a mapping to the keys that `model` (a model, a union, any annotation) has there."""

    def keys(loc: Path) -> Collection[str]:
        members = list(_members(model))
        for step in loc:
            members = _step(members, step)
        return sorted({name for member in members for name in _names(member)})

    return keys


def _members(annotation: Any) -> Iterator[Any]:  # noqa: ANN401
    """The alternatives of an annotation, unions and wrappers opened."""
    origin = get_origin(annotation)
    if hasattr(annotation, "__value__"):  # `type X = ...`, from Python 3.12 on
        yield from _members(annotation.__value__)
    elif origin is Annotated:
        yield from _members(get_args(annotation)[0])
    elif origin is Union or isinstance(annotation, types.UnionType):
        for argument in get_args(annotation):
            yield from _members(argument)
    elif "root" in _fields(annotation) and len(_fields(annotation)) == 1:
        yield from _members(_fields(annotation)["root"].annotation)
    else:
        yield annotation


def _step(members: list[Any], step: str | int) -> list[Any]:
    """The alternatives one step further; a step that leads nowhere names a member, or nothing."""
    below = [child for member in members for child in _children(member, step)]
    if below:
        return below
    named = [member for member in members if step == getattr(member, "__name__", None) or step in _tags(member)]
    return named or members


def _children(member: Any, step: str | int) -> Iterator[Any]:  # noqa: ANN401
    for name, field in _fields(member).items():
        if step in {name, field.alias}:
            yield from _members(field.annotation)
    origin, arguments = get_origin(member), get_args(member)
    if not isinstance(origin, type) or not arguments:
        return
    if issubclass(origin, Mapping):
        # A key of the mapping, unless it is the name of a member that a union above has left to choose.
        if isinstance(step, str):
            yield from _members(arguments[1])
    elif isinstance(step, int) and issubclass(origin, Collection):
        for argument in arguments:
            if argument is not Ellipsis:
                yield from _members(argument)


def _names(member: Any) -> Iterator[str]:  # noqa: ANN401
    """The keys of a model, or those of a mapping whose keys are a Literal."""
    for name, field in _fields(member).items():
        yield field.alias or name


def _tags(member: Any) -> set[object]:  # noqa: ANN401
    """The literal values by which a model is told from others (kind: strategy)."""
    return {
        value
        for field in _fields(member).values()
        if get_origin(field.annotation) is Literal
        for value in get_args(field.annotation)
    }


def _fields(member: Any) -> Mapping[str, Any]:  # noqa: ANN401
    return getattr(member, "model_fields", None) or {} if isinstance(member, type) else {}
