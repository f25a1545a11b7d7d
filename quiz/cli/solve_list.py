"""`solve --list` and `solve --explain`: what there is to compute, which presets, and how a quantity comes about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, USAGE
from quiz.cli.solve_parts import strong

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from solvers.catalogue import SymbolInfo
    from solvers.expr.tree import Expr
    from solvers.relation import Law, Relation
    from solvers.tables.preset import Preset


def listed(args: argparse.Namespace) -> int:
    """List quantities by namespace, or the presets that a name such as recipe stands for."""
    from solvers import CATALOGUE
    from solvers.presets import PRESET_SYMBOLS

    text = args.quantity or ""
    if text in PRESET_SYMBOLS:
        return _presets(text, as_json=args.json)
    # The name of a namespace asks for that one; any other text is looked for in names and meanings.
    spaces = {_space(info) for info in CATALOGUE}
    wanted = [info for info in CATALOGUE if (_space(info) == text if text in spaces else _matches(info, text))]
    if not wanted:
        say(f"no quantity has {text!r} in its name or meaning. All quantities: shardwise solve --list")
        return USAGE
    if args.json:
        print(json.dumps([_described(info) for info in wanted], ensure_ascii=False, indent=2))
        return DONE
    # By namespace, each once: what several subjects add to a namespace stands together.
    shown = dict.fromkeys(_space(info) for info in wanted)
    width = max(len(info.name) for info in wanted)
    units = max(1, *(len(_unit(info)) for info in wanted))
    blocks = [
        "\n".join(
            [
                strong(space),
                *(
                    f"  {info.name:<{width}}  {_unit(info):<{units}}  {info.meaning}"
                    for info in wanted
                    if _space(info) == space
                ),
            ]
        )
        for space in shown
    ]
    print("\n\n".join(blocks))
    presets = [symbol for symbol in PRESET_SYMBOLS if any(info.name == symbol for info in wanted)]
    if presets:
        print("\n" + "\n".join(f"The presets of {symbol}: shardwise solve --list {symbol}" for symbol in presets))
    return DONE


def _matches(info: SymbolInfo, text: str) -> bool:
    low = text.casefold()
    return not text or low in info.name.casefold() or low in info.meaning.casefold()


def _space(info: SymbolInfo) -> str:
    return info.name.partition(".")[0]


def _unit(info: SymbolInfo) -> str:
    return "choice" if info.is_choice else info.unit.name or "-"


def _described(info: SymbolInfo) -> dict[str, object]:
    from solvers import RELATIONS
    from solvers.expr.show import show_expr

    return {
        "quantity": info.name,
        "unit": info.unit.name,
        "meaning": info.meaning,
        "letter": info.letter,
        "choices": list(info.choices),
        "default": show_expr(info.default) if info.default else None,
        "derived": bool(RELATIONS.of(info.name)),
        "example": info.example,
    }


# -- presets -----------------------------------------------------------------------------------------------------


def _presets(symbol: str, *, as_json: bool) -> int:
    from solvers.presets import preset, preset_names

    found = [preset(symbol, name) for name in preset_names(symbol)]
    if as_json:
        print(
            json.dumps(
                [
                    {
                        "name": item.name,
                        "meaning": item.meaning,
                        "note": item.note,
                        "values": dict(_values(item)),
                        "source": str(item.source),
                    }
                    for item in found
                ],
                ensure_ascii=False,
                indent=2,
            )
        )
        return DONE
    print("\n\n".join("\n".join(_preset_lines(item)) for item in found))
    return DONE


def _preset_lines(item: Preset) -> list[str]:
    values = _values(item)
    lines = [f"{strong(item.name)}  {item.meaning}"]
    spaces = {name.partition(".")[0] for name, _ in values}
    short = len(spaces) == 1
    said = ", ".join(f"{name.partition('.')[2] if short else name} {value}" for name, value in values)
    lines.append(f"  {said}")
    if item.note:
        lines.append(f"  {item.note}")
    lines.append(f"  {item.source}")
    return lines


def _values(item: Preset) -> list[tuple[str, str]]:
    from solvers import CATALOGUE
    from solvers.expr.evaluate import evaluate
    from solvers.expr.show import show_expr
    from solvers.expr.tree import symbols
    from solvers.solver import shown

    return [
        (
            name,
            show_expr(expr)
            if CATALOGUE[name].is_choice or symbols(expr)
            else shown(evaluate(expr, {}), CATALOGUE[name]),
        )
        for name, expr in item.values.items()
    ]


# -- explaining --------------------------------------------------------------------------------------------------


def explained(args: argparse.Namespace) -> int:
    """Print the relations of a quantity: letters, reason, source, assumptions, slips."""
    from solvers import CATALOGUE, LAWS, RELATIONS
    from solvers.expr.tree import symbols

    info = CATALOGUE[args.quantity]
    relations = RELATIONS.of(info.name)
    laws = dict.fromkeys(
        _sentence_of(law) for law in LAWS.all if law.on == info.name or info.name in symbols(law.condition)
    )
    if args.json:
        print(
            json.dumps(
                _described(info)
                | {"relations": [_relation_data(relation) for relation in relations], "laws": list(laws)},
                ensure_ascii=False,
                indent=2,
            )
        )
        return DONE
    lines = [strong(f"{info.name}: {info.meaning}"), f"  {_measure(info)}"]
    for at, relation in enumerate(relations, start=1):
        lines += ["", *_relation_lines(relation, f"Relation {at}" if len(relations) > 1 else "Relation")]
    if laws:
        lines += ["", strong("Must hold"), *(f"  otherwise: {law}" for law in laws)]
    print("\n".join(lines))
    return DONE


def _measure(info: SymbolInfo) -> str:
    from solvers import RELATIONS
    from solvers.expr.show import show_expr

    said = [f"one of {', '.join(info.choices)}" if info.is_choice else f"unit {info.unit.name or 'a plain number'}"]
    if info.letter != info.name.rpartition(".")[2]:
        said.append(f"letter {info.letter}")
    if not info.is_choice:
        said.append(info.domain)
    if info.default is not None:
        said.append(f"default {show_expr(info.default)}")
    if not RELATIONS.of(info.name):
        said.append("an input" + (f", such as {info.example}" if info.example else ""))
    return "; ".join(said)


def _relation_lines(relation: Relation, title: str) -> list[str]:
    from solvers import CATALOGUE
    from solvers.expr.tree import symbols

    target = CATALOGUE[relation.target].letter
    lines = [strong(title), *(f"  {line}" for line in _cases(target, relation.expr)), f"  {relation.because}"]
    if relation.stated:
        lines.append(f"  Used where stated: {', '.join(relation.stated)}")
    named = [CATALOGUE[name] for name in symbols(relation.expr)]
    if named:
        letters = max(len(info.letter) for info in named)
        names = max(len(info.name) for info in named)
        lines += [
            "",
            strong("Letters"),
            *(f"  {info.letter:<{letters}}  {info.name:<{names}}  {info.meaning}{_in_unit(info)}" for info in named),
        ]
    if relation.assumptions:
        lines += ["", strong("Assumptions"), *(f"  {text}" for text in relation.assumptions)]
    lines += ["", strong("Source"), f"  {relation.source}"]
    for kind, head in (("mistake", "Where people slip"), ("convention", "Right elsewhere")):
        said = [slip.says for slip in relation.slips if slip.kind == kind]
        if said:
            lines += ["", strong(head), *(f"  {text}" for text in said)]
    return lines


def _in_unit(info: SymbolInfo) -> str:
    from solvers.expr.show import show_expr

    unit = "" if info.is_choice or not info.unit.name or info.bare else f", in {info.unit.name}"
    return unit + (f" (default {show_expr(info.default)})" if info.default is not None else "")


def _cases(target: str, expr: Expr) -> Sequence[str]:
    """The equation in letters, one line for each case of an outermost `when`."""
    from solvers.expr.tree import When

    lines: list[str] = []
    while isinstance(expr, When):
        lines.append(f"{target} = {_in_letters(expr.then)}  where {_in_letters(expr.condition)}")
        expr = expr.otherwise
    return [*lines, f"{target} = {_in_letters(expr)}{'  otherwise' if lines else ''}"]


def _in_letters(expr: Expr) -> str:
    from solvers import CATALOGUE
    from solvers.expr.show import show_expr

    return show_expr(expr, lambda name: CATALOGUE[name].letter)


def _relation_data(relation: Relation) -> dict[str, object]:
    from solvers import CATALOGUE
    from solvers.expr.tree import symbols

    return {
        "symbolic": _in_letters(relation.expr),
        "because": relation.because,
        "source": str(relation.source),
        "assumptions": list(relation.assumptions),
        "stated": list(relation.stated),
        "letters": {CATALOGUE[name].letter: name for name in symbols(relation.expr)},
        "slips": [{"id": slip.id, "says": slip.says, "kind": slip.kind} for slip in relation.slips],
    }


def _sentence_of(law: Law) -> str:
    """The sentence of a law with its figures as names, without the braces."""
    return law.sentence.replace("{", "").replace("}", "")
