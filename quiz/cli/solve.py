"""`shardwise solve`: a quantity of a training run with its derivation, or the value of an input that reaches it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, USAGE, Failure
from quiz.cli.solve_parts import bound_of, bound_said, pairs, quantity_named, sought, strong, unit_named
from quiz.cli.solve_told import Reading, failure_of, visible

if TYPE_CHECKING:
    import argparse

    from solvers.derivation import Derivation
    from solvers.inverse import Inverse
    from solvers.scenario import Scenario
    from solvers.solver import Solver
    from solvers.verdict import Against

NAME = "solve"
HELP = "Compute a quantity of a training run, with its derivation; or find the input that reaches a bound."

_ON_A_GPU = ("memory.", "stage.", "adapter.", "activation.", "transient.", "serving.")
_NOT_ON_A_GPU = frozenset((
    "memory.host_per_gpu", "memory.margin_per_gpu", "memory.peak_margin_per_gpu", "serving.free_per_gpu",
    "memory.bytes_per_parameter_per_gpu", "memory.expert_bytes_per_parameter_per_gpu",
))  # fmt: skip

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
    try:
        return _chosen(args)
    except (ValueError, LookupError) as error:
        found = failure_of(error)
        if found is None:
            raise
        raise Failure(visible(found.message), code=found.code) from error
    except Failure as error:
        raise Failure(visible(error.message), code=error.code) from error


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
    if args.json + args.markdown + args.brief > 1:
        raise Failure("--json, --markdown and --brief are three forms of one answer: keep one.", code=USAGE)
    if args.compare or args.sweep:
        from quiz.cli.solve_vary import varied

        return varied(args)
    return _solved(args)


def _solved(args: argparse.Namespace) -> int:
    from solvers import Solver, scenario_of

    reading = Reading()
    info = reading.part(quantity_named, args.quantity, computed=args.unknown is None)
    unit = reading.part(unit_named, args.unit, info) if info else None
    reading.part(_check_options, args)
    stated, given = pairs("--set", args.set, reading), pairs("--given", args.given, reading)
    scenario = reading.part(scenario_of, stated, given)
    if args.unknown is not None:
        reading.part(sought, args, reading)
        reading.part(bound_of, args)
    reading.done()
    if scenario is None:  # its faults were told
        return USAGE
    if args.unknown is not None:
        return _inverted(args, scenario)
    solver = Solver(scenario)
    if info is not None and info.is_choice:
        return _named(args, solver)
    derivation = solver.derive(args.quantity, unit)
    _print(args, derivation, _margins(args.quantity, solver))
    _tell_idle(solver)
    return DONE


def _named(args: argparse.Namespace, solver: Solver) -> int:
    """A choice that follows from other quantities: its name, and what decides it."""
    from solvers.choices import chosen

    found = chosen(solver, args.quantity)
    if args.json:
        print(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
    elif args.markdown:
        rows = "".join(f"| {item.info.name} | {item.text} |\n" for item in found.deciding)
        print(f"## {found.name} = {found.text}\n\n{found.meaning}\n\n| quantity | value |\n|---|---|\n{rows}", end="")
    else:
        headline, _, rest = found.to_text().partition("\n")
        print(f"{strong(headline)}\n{rest}")
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
    if args.unknown is None and args.step != 1:
        raise Failure("--step goes with --for; for a range write --sweep layout.dp='8..64 step 8'.", code=USAGE)
    if args.also:
        raise Failure("--also adds a column to --compare or --sweep; leave it out, or add one of the two.", code=USAGE)
    if args.no_plot:
        raise Failure("--no-plot goes with --sweep; leave it out.", code=USAGE)


def _inverted(args: argparse.Namespace, scenario: Scenario) -> int:
    from solvers import Solver
    from solvers.expr.tree import Number
    from solvers.expr.units import Unit
    from solvers.inverse import solve_for
    from solvers.scenario import Scenario, Stated

    bound = bound_of(args)
    if bound is None:
        raise Failure(f"say how far {args.quantity} may go: add --at-most VALUE or --at-least VALUE.", code=USAGE)
    found = solve_for(scenario, args.unknown, args.quantity, bound, at_most=args.at_most is not None, step=args.step)
    unit = Unit(found.unit.name, found.unit.factor, found.value.dimension)
    value = Stated(Number(found.value.value / unit.factor, unit), "stated", "found")
    solver = Solver(Scenario({**scenario.entries, args.unknown: value}))
    derivation = solver.derive(args.quantity)
    _print_inverse(args, found, derivation, _margins(args.quantity, solver))
    _tell_idle(solver)
    return DONE


def _print_inverse(
    args: argparse.Namespace, found: Inverse, derivation: Derivation, margins: tuple[Against, ...]
) -> None:
    from solvers.derive_text import number_of

    if args.json:
        data = derivation.to_json() | {
            "quantity": found.symbol,
            "value": number_of(found.value.value / found.unit.factor),
            "unit": found.unit.name,
            "text": found.text,
            "kind": found.kind,
            "method": found.method,
            "way": found.way,
            "condition": f"{args.quantity} {bound_said(args)}",
            "checked": [{"value": item.text, "holds": item.holds, "reason": item.reason} for item in found.checked],
            "reaches": {"quantity": args.quantity, "text": derivation.text},
            **_margin_data(margins),
        }
        print(json.dumps(data, ensure_ascii=False, indent=2))
        return
    condition = f"{args.quantity} is {bound_said(args)}"
    if args.markdown:
        print(f"## {found.symbol} = {found.text} ({found.kind})\n\nSo that {condition}. {found.explanation}.\n")
    else:
        print(strong(f"{found.symbol} = {found.text} ({found.kind})"))
        print(f"  so that {condition}\n  {found.explanation}\n")
    _print(args, derivation, margins)


def _print(args: argparse.Namespace, derivation: Derivation, margins: tuple[Against, ...]) -> None:
    if args.json:
        print(json.dumps(derivation.to_json() | _margin_data(margins), ensure_ascii=False, indent=2))
    elif args.markdown:
        print(derivation.to_markdown(), end="")
        if margins:
            print("\n**Against the memory of the GPU**\n\n" + "\n".join(f"- {item.text}" for item in margins))
    else:
        headline, _, rest = derivation.to_text(full=not args.brief).partition("\n")
        print(strong(headline) + (f"\n{rest}" if rest else ""))
        if margins:
            print("\nAgainst the memory of the GPU\n" + "\n".join(f"  {item.text}" for item in margins))


def _tell_idle(solver: Solver) -> None:
    """Say on stderr that a layout leaves GPUs of the stated cluster idle, which may be meant or a slip."""
    from solvers import SolveError

    try:
        needed, there = (solver.quantity(name).value for name in ("layout.world", "cluster.gpus"))
    except SolveError:
        return  # the layout or the cluster is not stated
    if needed < there:
        end = "" if there % needed == 0 else ", which it does not divide"
        say(f"the layout has {needed} of the {there} GPUs of the cluster{end}; the others stand idle.")


def _margins(quantity: str, solver: Solver) -> tuple[Against, ...]:
    """What a number of bytes on a GPU leaves of its memory, where the scenario knows the GPU."""
    if not (quantity.startswith(_ON_A_GPU) and quantity.endswith("_per_gpu")) or quantity in _NOT_ON_A_GPU:
        return ()
    from solvers.verdict import against

    return against(solver, solver.quantity(quantity))


def _margin_data(margins: tuple[Against, ...]) -> dict[str, object]:
    from solvers.derive_text import number_of

    return (
        {
            "against": [
                {
                    "memory": item.kind,
                    "capacity": number_of(item.capacity.value),
                    "margin": number_of(item.margin.value),
                    "unit": "B",
                    "fits": item.margin.value >= 0,
                    "text": item.text,
                }
                for item in margins
            ]
        }
        if margins
        else {}
    )
