"""Each option judged: its standing, and what the reveal says of it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from quiz.bank.bars import bar_in, compared_words, fit_sentence, fit_words, is_about_fit, label_of
from quiz.bank.decide import Standing, Truth, UndecidedError, choose, choose_claim, judge, put_in_order
from quiz.bank.expressions import parsed
from quiz.bank.fields import percent
from quiz.bank.problems import SOLVER_ERRORS, Problem, problem_of
from quiz.bank.rendered import Amount
from quiz.bank.revision import exact
from quiz.bank.schema import Claim, Ordering, Strategy
from quiz.bank.ways import meaning_of
from solvers.expr.tree import symbols
from solvers.record import EMPTY, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quiz.bank.document import Path
    from quiz.bank.rendered import Bar
    from quiz.bank.scope import Scope, World


class Decision(Record):
    """The key with every option's standing. Empty for kinds that have no key."""

    key: tuple[str, ...] = ()
    standings: Mapping[str, Standing] = EMPTY

    @property
    def figures(self) -> dict[str, str]:
        """The exact figures that decide, by option."""
        found: dict[str, str] = {}
        for name, standing in self.standings.items():
            compared = standing.judged.compared if standing.judged else ()
            amounts = [side for one in compared for side in (one.left, one.right)] + standing.values
            found[name] = "; ".join(exact(amount.value) for amount in amounts)
        return found


def decided(world: World) -> Decision:
    """The key of a question with the numbers of `world`. Raises `Problem` where there is none."""
    question = world.question
    if isinstance(question, Strategy):
        return _strategy(world, question)
    if isinstance(question, Claim):
        return _claim(world, question)
    if isinstance(question, Ordering):
        return _ordering(world, question)
    return Decision()


def _strategy(world: World, question: Strategy) -> Decision:
    share = percent(question.decide.decisive)
    standings: dict[str, Standing] = {}
    for name, option in question.options.items():
        standing = Standing(name, asserted=option.asserted)
        standings[name] = standing
        if option.asserted is not None:
            continue
        scope = world.option(name)
        if question.decide.require is not None:
            path: Path = ("decide", "require")
            with reading(path, question.decide.require, name):
                text = question.decide.require
                standing.judged = judge(scope.read(text), scope, share, parsed(text, world.units))
        if standing.truth is Truth.HOLDS:
            for index, preference in enumerate(question.decide.prefer):
                text = preference.partition(" ")[2]
                with reading(("decide", "prefer", index), preference, name):
                    standing.values.append(scope.formula(text))
    with _choosing(("decide",)):
        winner = choose(standings, question.decide.prefer, share)
        return Decision((winner,), standings)


def _claim(world: World, question: Claim) -> Decision:
    share = percent(question.decisive)
    standings: dict[str, Standing] = {}
    for name, option in question.options.items():
        standing = Standing(name, asserted=option.asserted)
        standings[name] = standing
        if option.holds is not None:
            with reading(("options", name, "holds"), option.holds):
                scope = claim_scope(world, name)
                standing.judged = judge(scope.read(option.holds), scope, share, parsed(option.holds, world.units))
    with _choosing(("options",)):
        return Decision((choose_claim(standings, share, wanted=question.wanted),), standings)


def claim_scope(world: World, name: str) -> Scope:
    """Where a claim is read: its own patch, on the option that `in` names."""
    option = world.question.options[name]  # type: ignore[union-attr]  # only claims come here
    other = getattr(option, "in_", None)
    if other is None or other == name:
        return world.option(name)
    return world.option(other).patched(option.set, ("options", name, "set"), name)


def _ordering(world: World, question: Ordering) -> Decision:
    share = percent(question.decisive)
    standings: dict[str, Standing] = {}
    for name, item in question.items.items():
        text = question.by_of(name)
        with reading(("items", name, "by") if item.by else ("by",), text, name):
            standings[name] = Standing(name, values=[world.option(name).formula(text)])
    with _choosing(("by",) if question.by else ("items",)):
        return Decision(put_in_order(standings, share, descending=question.order == "descending"), standings)


@contextmanager
def reading(path: Path, text: str, option: str = "") -> Iterator[None]:
    """Turn errors of the solvers into problems at an expression, saying under which option it was read."""
    try:
        yield
    except SOLVER_ERRORS as error:
        problem = problem_of(error, path, text)
        if option and not problem.why:
            problem.why = f"Read under the option {option}."
        raise problem from error


@contextmanager
def _choosing(path: Path) -> Iterator[None]:
    """Turn a question without one key into a problem that shows every option's figures."""
    try:
        yield
    except UndecidedError as error:
        place = (*path, error.about) if path == ("decide",) else path
        raise Problem(
            place,
            "no-key",
            f"the key is not decided: {error.what}",
            why=f"The figures: {error.table}.",
            next_=error.next,
        ) from error
    except SOLVER_ERRORS as error:
        raise problem_of(error, path) from error


class Spoken(Record):
    """What is said of one option. `word` is what `{{ verdict }}` puts in."""

    verdict: str
    word: str
    amounts: tuple[Amount, ...] = ()
    bar: Bar | None = None


def spoken(standing: Standing, scope: Scope, preferences: tuple[str, ...], best: Standing) -> Spoken:
    """The verdict on one option; `best` is the one that is right."""
    if standing.asserted is not None:
        word = "right" if standing.asserted else "wrong"
        return Spoken(f"asserted to be {word}: no figure decides it", word)
    sentences: list[str] = []
    words: list[str] = []
    amounts: list[Amount] = []
    bar: Bar | None = None
    for compared in standing.judged.compared if standing.judged else ():
        label = label_of(compared)
        if is_about_fit(compared) and (found := bar_in(scope)) is not None:
            bar = found
        if bar is not None and is_about_fit(compared) and _is_total(compared.compare.left):
            sentence, word = fit_sentence(bar), fit_words(bar)
            amounts.append(Amount(label, bar.total_text, f"of {bar.capacity_text}: {word}"))
        else:
            sentence = compared_words(compared)
            word = "holds" if compared.truth is Truth.HOLDS else "fails"
            if label:
                amounts.append(Amount(label, compared.left.text, sentence.removeprefix(label).strip()))
        sentences.append(sentence)
        words.append(word)
    for preference, value, best_value in zip(preferences, standing.values, best.values, strict=False):
        word, _, text = preference.partition(" ")
        label = meaning_of(parsed(text, scope.world.units))
        is_best = value.value == best_value.value
        note = f"the {word}" if is_best else f"where {best_value.text} is possible"
        amounts.append(Amount(label, value.text, note))
        sentences.append(f"{label} {value.text}, {note}")
        if not is_best:
            break
    return Spoken("; ".join(sentences), "; ".join(words), tuple(amounts), bar)


def _is_total(expr: object) -> bool:
    return symbols(expr) == ("memory.total_per_gpu",)  # type: ignore[arg-type]


def asserted_share(decision: Decision) -> tuple[int, int]:
    """How many options are asserted, of how many; the items of an ordering are no options."""
    if len(decision.key) > 1:
        return 0, 0
    standings = decision.standings.values()
    return sum(standing.asserted is not None for standing in standings), len(standings)
