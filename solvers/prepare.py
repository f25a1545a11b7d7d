"""What is known of a scenario before its first value, and what it may keep of the values of a near one.

A question asks the same scenario under each option, in each draw and at each value that a search tries. Most
quantities (those of the model, of the recipe) are the same in all of them and need not be worked out again: those
that nothing in which the two differ can reach.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE, UnknownNameError
from solvers.errors import DomainError
from solvers.expr.tree import Number, Text, symbols
from solvers.presets import PRESET_SYMBOLS, preset_entries
from solvers.ready import plans_where
from solvers.relation import LAWS, RELATIONS
from solvers.scenario import Prepared, Scenario, Stated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from solvers.expr.tree import Expr

_CONSTANTS: Final = (Number, Text)


def prepared(scenario: Scenario) -> Prepared:
    """Prepare `scenario`, with what it may keep of the nearest one that has values.

    Raises `DomainError` for a preset that there is not.
    """
    beside = _beside(scenario)
    made = scenario.prepared = beside or _from_entries(scenario)
    near = scenario.near
    while near is not None and (near.prepared is None or not near.prepared.worked):
        near = near.near
    if near is not None and near.prepared is not None:
        # A preset states more than its name: then all that is known is compared.
        _inherit(made, near.prepared, scenario.differs if beside is not None and near is scenario.near else None)
    return made


def _from_entries(scenario: Scenario) -> Prepared:
    known: Mapping[str, Stated] = scenario.entries
    for name in PRESET_SYMBOLS:
        if name in scenario.entries:
            known = {**_preset(name, scenario.entries[name].expr, scenario), **known}
    return Prepared(known, plans_where(frozenset(known)), _following(known, known))


def _beside(scenario: Scenario) -> Prepared | None:
    """The same, quicker, where it differs from a prepared one in values and not in presets."""
    near, changes = scenario.near, scenario.differs
    if near is None or near.prepared is None or not changes:
        return None
    there = near.prepared
    for name in changes:
        if name in PRESET_SYMBOLS or (name.startswith("model.") and name not in near.entries):
            return None
    known = {**there.known, **{name: scenario.entries[name] for name in changes}}
    plans = there.plans if len(known) == len(there.known) else plans_where(frozenset(known))
    follows = {name: read for name, read in there.follows.items() if name not in changes}
    return Prepared(known, plans, {**follows, **_following(known, changes)})


def _following(known: Mapping[str, Stated], names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    return {name: symbols(known[name].expr) for name in names if type(known[name].expr) not in _CONSTANTS}


def _preset(symbol: str, expr: Expr, scenario: Scenario) -> Mapping[str, Stated]:
    try:
        return preset_entries(symbol, expr, scenario)
    except UnknownNameError as error:
        raise DomainError(str(error)) from error


@cache
def reached(name: str) -> frozenset[str]:
    """All names that the value of `name`, or whether it is admitted, can depend on in any scenario; itself too."""
    seen = {name}
    open_ = [name]
    while open_:
        for other in _read_by(open_.pop()):
            if other not in seen:
                seen.add(other)
                open_.append(other)
    return frozenset(seen)


@cache
def _read_by(name: str) -> frozenset[str]:
    """The names that the relations, the default and the laws of a quantity read, or ask whether they are stated."""
    if name not in CATALOGUE:
        return frozenset()
    default = CATALOGUE[name].default
    read = set(symbols(default)) if default is not None else set()
    for relation in RELATIONS.of(name):
        read.update(symbols(relation.expr), relation.stated, relation.unless)
    for law in LAWS.on(name):
        read.update(symbols(law.condition), law.knows, law.unless, law.any_of)
    return frozenset(read)


def _inherit(here: Prepared, there: Prepared, changes: Iterable[str] | None) -> None:
    """Take over the values of `there` that nothing can reach in which the two differ: `changes`, where it is known."""
    moved = _moved(here, _differing(here.known, there.known) if changes is None else set(changes))
    for name, value in there.worked.items():
        if reached(name).isdisjoint(moved):
            here.worked[name] = value
            if name in there.relations:
                here.relations[name] = there.relations[name]


def _differing(here: Mapping[str, Stated], there: Mapping[str, Stated]) -> set[str]:
    """The names that are stated otherwise, or in one of the two only."""
    moved = {name for name, stated in here.items() if (other := there.get(name)) is not stated and other != stated}
    moved.update(name for name in there if name not in here)
    return moved


def _moved(here: Prepared, moved: set[str]) -> set[str]:
    """`moved`, and what follows from it by what is stated."""
    follows = {name: read for name, read in here.follows.items() if name not in moved}
    while follows:
        hit = [name for name, read in follows.items() if any(not reached(one).isdisjoint(moved) for one in read)]
        if not hit:
            break
        for name in hit:
            del follows[name]
        moved.update(hit)
    return moved
