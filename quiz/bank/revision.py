"""The meaning revision: a short hash that moves when what a question means moves, and not for a typo.

It covers the kind, the inputs of the numbers at hand, each option's patch, the decider, the tolerance, and what was
rendered from them: the key, the reference and every figure. Texts, sources, slips and links are not in it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from quiz.bank.forms import Form
from quiz.bank.problems import FOUND
from quiz.bank.scope import spell_choice
from solvers.expr.evaluate import Quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.fields import Raw
    from quiz.bank.schema import AnyQuestion
    from quiz.bank.scope import Scope, World
    from solvers.expr.evaluate import Value

_LENGTH: Final = 16
_LATER: Final = ("followed_by", "estimate", "range")  # keys that came later: where they say nothing they change nothing
_DECIDERS: Final = ("decide", "wanted", "decisive", "by", "order", "answer")


def revision_of(world: World, key: tuple[str, ...], deciding: Mapping[str, object]) -> str:
    """The revision of a question with the numbers of `world`; `deciding` are the exact figures that decide it."""
    question = world.question
    meaning = {
        "kind": question.kind,
        "inputs": {name: _raw(world.axes.get(name, raw)) for name, raw in question.scenario.items()},
        "given": {name: _raw(world.axes.get(name, raw)) for name, raw in question.given.items()},
        "options": {
            name: {symbol: _raw(raw) for symbol, raw in patch.items()} for name, patch in world.patches.items()
        },
        "decider": {name: _plain(getattr(question, name)) for name in _DECIDERS if hasattr(question, name)},
        "items": {name: item.by or "" for name, item in getattr(question, "items", {}).items()},
        "asserted": {
            name: (option.asserted, option.holds if hasattr(option, "holds") else "")
            for name, option in getattr(question, "options", {}).items()
        },
        "then": _plain(getattr(getattr(question, "then", None), "answer", None)),
        **_parts(question),
        "key": list(key),
        "deciding": dict(deciding),
        "figures": {name: figure_text(world.base, name) for name in sorted(question.figures)},
    }
    text = json.dumps(meaning, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:_LENGTH]


def _parts(question: AnyQuestion) -> dict[str, object]:
    """The further typed parts; nothing where there are none, so that they move no other question."""
    parts = getattr(question, "parts", ())
    return {"parts": [_plain(part.answer) for part in parts]} if parts else {}


def figure_text(scope: Scope, name: str) -> str:
    """A figure's exact value as text; empty where it has one only inside an option."""
    try:
        return exact(scope.figure(name).value)
    except FOUND:
        return ""


def exact(value: Value) -> str:
    """A value without rounding."""
    return f"{value.value} {value.dimension}" if isinstance(value, Quantity) else spell_choice(value)


def _raw(raw: Raw) -> str:
    """An input as text; spaces do not matter."""
    if isinstance(raw, bool):
        return spell_choice(raw)
    return " ".join(str(raw).split())


def _plain(value: object) -> object:
    """A form or a field as plain data, expressions without superfluous spaces."""
    if isinstance(value, Form):
        value = value.as_data()
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if name not in _LATER or item not in (None, ())}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None else _raw(value)  # type: ignore[arg-type]
