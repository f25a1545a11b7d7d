"""A row of the tables of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.relation import Source


class ModelRow(NamedTuple):
    """A published model.

    `parameters` is the published number, exact, or None where only a rounded one is published; `shape` has the
    layers, the width, query heads, key-value heads, the size of a head and the vocabulary; `family` fixes the kind
    of layer (none: only the number and the shape are known here); `more` is what it has of its own.
    """

    name: str
    meaning: str
    parameters: int | None
    family: str
    shape: tuple[int, ...]
    more: Mapping[str, str | int]
    source: Source
