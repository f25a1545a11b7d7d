"""`shardwise solve`: a quantity of a training run with its derivation, or the value of an input that reaches it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from quiz.cli.outcome import DONE, USAGE, Failure
from quiz.cli.solve_parts import pairs, quantity_named, sentence, strong, unit_named

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from solvers.derivation import Derivation
    from solvers.expr.tree import Expr
    from solvers.inverse import Inverse
    from solvers.scenario import Scenario
    from solvers.solver import MissingError

NAME = "solve"
HELP = "Compute a quantity of a training run, with its derivation; or find the input that reaches a bound."

_MOST_NAMED = 6

_EXAMPLES = """\
examples:
  shardwise solve memory.state_per_gpu --set model.parameters=70e9 --set recipe=zero-paper \\
      --set layout.zero=3 --set layout.dp=8
  shardwise solve memory.total_per_gpu --for layout.dp --at-most "80 GB" --set model.parameters=70e9 \\
      --set recipe=zero-paper --set layout.zero=3 --given memory.activations_per_gpu="15 GB"
  shardwise solve memory.state_per_gpu --compare recipe=zero-paper,megatron-bf16 --set model.parameters=70e9 \\
      --set layout.dp=8 --set layout.zero=3
  shardwise solve memory.state_per_gpu --sweep layout.dp=8..1024 --compare layout.zero=1,3 --at-most "80 GB" \\
      --set model.parameters=70e9 --set recipe=zero-paper
  shardwise solve --list memory
  shardwise solve --explain traffic.data_parallel_sent

exit codes: 0 done, 2 the request cannot be read or has no answer, 3 something outside is missing"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("quantity", nargs="?", help="what to compute, such as memory.state_per_gpu")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="state an input; repeatable")
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="fix a quantity that could be derived, such as measured activations; repeatable",
    )
    parser.add_argument("--for", dest="unknown", metavar="SYMBOL", help="find this input instead, for a bound")
    bound = parser.add_mutually_exclusive_group()
    bound.add_argument(
        "--at-most",
        metavar="VALUE",
        help="with --for: the quantity is at most this; with --sweep: mark the first value that does",
    )
    bound.add_argument("--at-least", metavar="VALUE", help="the same from below")
    parser.add_argument(
        "--step",
        type=int,
        default=1,
        metavar="N",
        help="with --for: only multiples of N, such as whole nodes of 8 GPUs",
    )
    parser.add_argument(
        "--compare",
        action="append",
        default=[],
        metavar="KEY=A,B,…",
        help="a table over the values of an input, and why they differ",
    )
    parser.add_argument(
        "--sweep",
        action="append",
        default=[],
        metavar="KEY=A..B",
        help="a table and a plot over a range: 8..1024 (doubling), 8..64 step 8, 1..64 times 4",
    )
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="QUANTITY",
        help="with --compare or --sweep of one input: another column",
    )
    parser.add_argument("--no-plot", action="store_true", help="with --sweep: the table only")
    parser.add_argument("--unit", metavar="UNIT", help="print in this unit, such as GiB")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--markdown", action="store_true", help="print the derivation as Markdown")
    parser.add_argument("--brief", action="store_true", help="print the answer and one line that a person can say")
    parser.add_argument(
        "--list",
        action="store_true",
        help="list quantities with unit and meaning, of a namespace or with a text; or the presets of "
        "recipe, model, cluster.gpu",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="print how the quantity comes about: relation, letters, source, assumptions, slips",
    )
    parser.epilog = _EXAMPLES


def run(args: argparse.Namespace) -> int:
    """Print the answer; 2 with a sentence where the request cannot be read or has no answer."""
    from solvers import MissingError, ScenarioError, SolveError, UnknownNameError
    from solvers.expr.evaluate import EvaluationError
    from solvers.expr.units import UnitError

    try:
        return _chosen(args)
    except MissingError as error:
        raise Failure(_needs(error), code=USAGE) from error
    except ScenarioError as error:
        raise Failure("\n".join(sentence(str(item)) for item in error.complaints), code=USAGE) from error
    except UnknownNameError as error:
        raise Failure(f"{sentence(str(error))}\nAll quantities: shardwise solve --list", code=USAGE) from error
    except (SolveError, UnitError, EvaluationError) as error:
        raise Failure(sentence(str(error)), code=USAGE) from error


def _chosen(args: argparse.Namespace) -> int:
    if args.list:
        from quiz.cli.solve_list import listed

        return listed(args)
    if args.quantity is None:
        raise Failure(
            "name a quantity to compute, such as memory.state_per_gpu.\nAll quantities: shardwise solve --list",
            code=USAGE,
        )
    if args.explain:
        from quiz.cli.solve_list import explained

        return explained(args)
    if args.compare or args.sweep:
        from quiz.cli.solve_vary import varied

        return varied(args)
    return _solved(args)


def _solved(args: argparse.Namespace) -> int:
    from solvers import Solver, scenario_of

    info = quantity_named(args.quantity)
    _check_options(args)
    scenario = scenario_of(pairs("--set", args.set), pairs("--given", args.given))
    if args.unknown is not None:
        return _inverted(args, scenario)
    _print(args, Solver(scenario).derive(args.quantity, unit_named(args.unit, info)))
    return DONE


def _check_options(args: argparse.Namespace) -> None:
    bound = args.at_most is not None or args.at_least is not None
    if args.unknown is None and bound:
        raise Failure(
            "a bound needs the input that is sought: add --for SYMBOL, such as --for layout.dp; or a range, "
            "such as --sweep layout.dp=8..1024.",
            code=USAGE,
        )
    if args.unknown is not None and not bound:
        raise Failure(f"say how far {args.quantity} may go: add --at-most VALUE or --at-least VALUE.", code=USAGE)
    if args.unknown is not None and args.unit is not None:
        raise Failure("--unit goes with a quantity that is computed; the input is printed in its own unit.", code=USAGE)
    if args.also:
        raise Failure("--also adds a column to --compare or --sweep; leave it out, or add one of the two.", code=USAGE)


def _inverted(args: argparse.Namespace, scenario: Scenario) -> int:
    from solvers import Solver, expr_of
    from solvers.expr.tree import Number
    from solvers.expr.units import Unit
    from solvers.inputs import InputError
    from solvers.inverse import solve_for

    if args.unknown in scenario:
        raise Failure(f"{args.unknown} is both stated and sought: leave out --set {args.unknown}=….", code=USAGE)
    quantity_named(args.unknown)
    text = args.at_most if args.at_most is not None else args.at_least
    try:
        bound = expr_of(args.quantity, text)
    except InputError as error:
        raise Failure(f"the bound cannot be read: {error}.", code=USAGE) from error
    found = solve_for(scenario, args.unknown, args.quantity, bound, at_most=args.at_most is not None, step=args.step)
    unit = Unit(found.unit.name, found.unit.factor, found.value.dimension)
    value: Mapping[str, Expr] = {args.unknown: Number(found.value.value / unit.factor, unit)}
    derivation = Solver(scenario.patched(value)).derive(args.quantity)
    _print_inverse(args, found, derivation)
    return DONE


def _print_inverse(args: argparse.Namespace, found: Inverse, derivation: Derivation) -> None:
    from solvers.derive_text import number_of

    if args.json:
        data = derivation.to_json() | {
            "quantity": found.symbol,
            "value": number_of(found.value.value / found.unit.factor),
            "unit": found.unit.name,
            "text": found.text,
            "kind": found.kind,
            "method": found.method,
            "checked": [{"value": item.text, "holds": item.holds, "reason": item.reason} for item in found.checked],
            "reaches": {"quantity": args.quantity, "text": derivation.text},
        }
        print(json.dumps(data, ensure_ascii=False, indent=2))
        return
    print(strong(f"{found.symbol} = {found.text} ({found.kind})"))
    print(f"  {found.explanation}\n")
    _print(args, derivation)


def _print(args: argparse.Namespace, derivation: Derivation) -> None:
    if args.json:
        print(json.dumps(derivation.to_json(), ensure_ascii=False, indent=2))
    elif args.markdown:
        print(derivation.to_markdown(), end="")
    else:
        headline, _, rest = derivation.to_text(full=not args.brief).partition("\n")
        print(strong(headline) + (f"\n{rest}" if rest else ""))


def _needs(error: MissingError) -> str:
    from solvers import CATALOGUE

    lines = [f"{error.target} needs what is not stated:"]
    for name in error.needs:
        info = CATALOGUE[name]
        unit = f", in {info.unit.name}" if info.unit.name and not info.bare else ""
        choices = f" ({_some(info.choices, name)})" if info.is_choice else ""
        option = "--set" if info.statable or not _derived(name) else "--given"
        lines.append(f"  {name}  {info.meaning}{unit}{choices}")
        if info.example:
            example = f'"{info.example}"' if " " in info.example else info.example
            lines.append(f"      for example {option} {name}={example}")
    return "\n".join(lines)


def _some(choices: tuple[str, ...], name: str) -> str:
    """The names that may be chosen; of many the first few, and where the others are listed."""
    if len(choices) <= _MOST_NAMED:
        return ", ".join(choices)
    return f"{', '.join(choices[:_MOST_NAMED])}, …; all: shardwise solve --list {name}"


def _derived(name: str) -> bool:
    from solvers import RELATIONS

    return bool(RELATIONS.of(name))
