"""Options and items as shown: text, verdict, figures, bar, derivation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.bank.bars import SIGNS
from quiz.bank.expressions import parsed
from quiz.bank.problems import FOUND, TOLD, Problem
from quiz.bank.prose import VERDICT
from quiz.bank.rendered import Item, Option
from quiz.bank.schema import Claim, Ordering, Strategy
from quiz.bank.shown import shown_expr
from quiz.bank.verdicts import Spoken, claim_scope, spoken
from quiz.bank.ways import meaning_of, note_all, way_of
from solvers.catalogue import CATALOGUE
from solvers.expr.evaluate import Quantity
from solvers.expr.tree import Compare, Expr, Logic, Symbol

if TYPE_CHECKING:
    from quiz.bank.bench import Bench
    from quiz.bank.decide import Standing
    from quiz.bank.document import Path
    from quiz.bank.rendered import Way
    from quiz.bank.scope import Scope
    from quiz.bank.verdicts import Decision


def options_of(
    bench: Bench, question: Strategy | Claim, decision: Decision
) -> tuple[tuple[Option, ...], dict[str, str]]:
    """The options as shown, and the word that `{{ verdict }}` puts in for each."""
    key = decision.key[0]
    preferences = question.decide.prefer if isinstance(question, Strategy) else ()
    options: list[Option] = []
    words: dict[str, str] = {}
    check_slips(bench, question)
    for name, form in question.options.items():
        path: Path = ("options", name)
        scope = claim_scope(bench.world, name)
        said, way = Spoken("", ""), None
        with bench.report.catching(path):
            said = spoken(decision.standings[name], scope, preferences, decision.standings[key])
            way = _way(bench, decider_of(question, name, decision), scope)
            for text in _deciders(question, decision.standings[name]):
                note_all(scope.read(text), scope, bench.notes)
        words[name] = said.word
        known = {VERDICT: said.word}
        source = bench.cited(form.source, (*path, "source")).text if form.source else ""
        options.append(
            Option(
                name,
                bench.writer.line(form.text, scope, (*path, "text"), known),
                name == key,
                said.verdict,
                bench.writer.text(form.why, scope, (*path, "why"), known),
                said.amounts,
                said.bar,
                way,
                form.asserted is not None,
                source,
                form.slip or "",
            )
        )
    return tuple(options), words


def check_slips(bench: Bench, question: Strategy | Claim) -> None:
    """Each option names a belief of its own, since statistics tell beliefs apart by it."""
    seen: dict[str, str] = {}
    for name, form in question.options.items():
        if form.slip in (None, TOLD):
            continue
        if form.slip in seen:
            bench.report.add(
                Problem(
                    ("options", name, "slip"),
                    "duplicate",
                    f"the options {seen[form.slip]} and {name} name the same slip",
                    next_="Statistics tell beliefs apart by it: give each its own.",
                )
            )
        else:
            seen[form.slip] = name


def decider_of(question: Strategy | Claim, name: str, decision: Decision) -> str:
    """The expression whose way is shown for an option: its claim, what is required, or what is preferred.

    What is preferred is shown where it told apart two options that both meet what is required.
    """
    form = question.options[name]
    if form.asserted is not None:
        return ""
    if isinstance(question, Claim):
        return question.options[name].holds or ""
    compared = [standing for standing in decision.standings.values() if standing.values]
    is_preferred = question.decide.prefer and (question.decide.require is None or len(compared) > 1)
    if is_preferred and decision.standings[name].values:
        return question.decide.prefer[0].partition(" ")[2]
    return question.decide.require or ""


def _deciders(question: Strategy | Claim, standing: Standing) -> tuple[str, ...]:
    """All that was read for an option of a strategy: the box says what each of these figures rests on."""
    if not isinstance(question, Strategy) or standing.asserted is not None:
        return ()
    required = (question.decide.require,) if question.decide.require else ()
    preferred = question.decide.prefer if standing.values else ()
    return (*required, *(preference.partition(" ")[2] for preference in preferred))


def _way(bench: Bench, text: str, scope: Scope) -> Way | None:
    """The derivation of an expression, or of the first side of its first comparison that is computed."""
    if not text:
        return None
    whole = scope.read_open(text)
    note_all(whole, scope, bench.notes)
    expr = _first_comparison(scope.solver.taken(whole))
    if isinstance(expr, Compare):
        expr = expr.left
    return way_of(expr, scope, bench.notes) if isinstance(scope.value(expr), Quantity) else None


def _first_comparison(expr: Expr) -> Expr:
    while isinstance(expr, Logic):
        expr = expr.operands[0]
    return expr


def items_of(bench: Bench, question: Ordering, decision: Decision) -> tuple[Item, ...]:
    """The items as shown, each with the figure that it is ordered by."""
    items: list[Item] = []
    for name, form in question.items.items():
        path: Path = ("items", name)
        scope = bench.world.option(name)
        items.append(
            Item(
                name,
                bench.writer.line(form.text, scope, (*path, "text")),
                decision.standings[name].values[0].text,
                decision.key.index(name),
                bench.writer.text(form.why, scope, (*path, "why")),
            )
        )
    return tuple(items)


def criterion_of(bench: Bench) -> str:
    """What decides, in words."""
    question = bench.world.question
    if isinstance(question, Strategy):
        parts = [_required(question.decide.require, bench)] if question.decide.require else []
        for preference in question.decide.prefer:
            word, _, rest = preference.partition(" ")
            parts.append(f"{'then ' if parts else ''}the {word} {meaning_of(parsed(rest, bench.world.units))}")
        return "; ".join(parts)
    if isinstance(question, Ordering):
        each = (parsed(question.by_of(name), bench.world.units) for name in question.items)
        by = " / ".join(dict.fromkeys(meaning_of(one) for one in each))
        return f"{by}, {'largest' if question.order == 'descending' else 'smallest'} first"
    if isinstance(question, Claim):
        return "exactly one claim holds" if question.wanted else "exactly one claim fails"
    return ""


def _required(text: str, bench: Bench) -> str:
    """What must hold: each edge with its value where that is the same under every option."""
    return _condition(parsed(text, bench.world.units), bench)


def _condition(expr: Expr, bench: Bench) -> str:
    if isinstance(expr, Logic) and expr.operator != "not":
        return f" {expr.operator} ".join(_condition(operand, bench) for operand in expr.operands)
    if not isinstance(expr, Compare):
        return meaning_of(expr)
    edge = _edge(expr.right, bench)
    words = meaning_of(expr.right)
    if edge and isinstance(expr.right, Symbol) and expr.right.name in CATALOGUE:
        words = f"{words} ({edge})"
    elif edge:
        words = edge
    return f"{meaning_of(expr.left)} {SIGNS[expr.operator]} {words}"


def _edge(expr: Expr, bench: Bench) -> str:
    """The value of the right-hand side, where every option has the same; else nothing."""
    texts: set[str] = set()
    for name in bench.world.patches:
        scope = bench.world.option(name)
        try:
            texts.add(shown_expr(expr, scope.value(scope.inlined(expr)), scope.shown).text)
        except FOUND:
            return ""  # not said under this option: the words alone are shown
    return texts.pop() if len(texts) == 1 else ""
