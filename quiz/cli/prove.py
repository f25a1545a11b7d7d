"""`shardwise prove`: predict what a training run holds, sends or dies of; run it on this machine; see who was right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, OUTSIDE, USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from quiz.bank.rendered import Rendered
    from quiz.drills.plan import Options
    from quiz.drills.records import Result, Spec

NAME = "prove"
HELP = (
    "Measure what an answer claims: a small model really trained under several plans (ranks), the question's own model "
    "at its true size on fake tensors (fake), or a memory cap under which one plan dies (oom). You predict first."
)
_EXAMPLES = """\
examples:
  shardwise prove                                                       # what there is
  shardwise prove --list
  shardwise prove mb-70b-4nodes
  shardwise prove mb-70b-4nodes --predict rest.state="70e9 * 16 B / N" --json
  shardwise prove --tier ranks --plan ddp --plan zero1 --plan fsdp --ranks 4
  shardwise prove --tier oom
  shardwise prove --replay 20261130T061500Z-zero-order-1f3c
  shardwise prove --ranks 16 --nnodes 2 --rdzv-endpoint node0:29500     # the same line on each node

exit codes: 0 the run came to its end and the solver was right; 1 it failed, or an exact figure was not met;
            2 no such question, plan or prediction; 3 it cannot run here (no torch, no GPU, too little memory, a full
            disk); 130 interrupted; 143 terminated

Drills need torch: pip install 'shardwise[drill]'. Runs are kept in the folder drills of your data."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is run and what is shown."""
    from quiz.cli.practice import add_bank

    add = parser.add_argument
    add(
        "question",
        nargs="?",
        metavar="QUESTION",
        help="a question that has a drill; without one, a tier or plans of your choice",
    )
    add("--tier", choices=("ranks", "fake", "oom"), help="in place of the question's own")
    add("--ranks", type=int, metavar="N", help="ranks in all; as many as the tier and this machine suggest by default")
    add("--plan", action="append", default=[], metavar="NAME", help="a plan to run; repeatable (--list names them)")
    add("--steps", type=int, metavar="N", help="optimizer steps of each plan")
    add("--predict", action="append", default=[], metavar="KEY=VALUE", help="what you expect; repeatable")
    add("--no-predict", action="store_true", help="do not ask what you expect")
    add("--device", choices=("auto", "cpu", "cuda"), default="auto", help="auto takes GPUs where there is one a rank")
    add("--seed", type=int, default=0, metavar="N", help="of the weights and the tokens")
    add("--nnodes", type=int, default=1, metavar="N", help="nodes; run the same line on each of them")
    add("--rdzv-endpoint", default="", metavar="HOST:PORT", help="where the nodes meet: a port of one of them")
    add("--json", action="store_true", help="print the result as JSON, everything that was measured included")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--list", action="store_true", help="questions that have a drill, and the plans that there are")
    shown.add_argument("--runs", action="store_true", help="the runs that are kept")
    shown.add_argument("--replay", metavar="RUN", help="show a run that is over, by its name or the end of it")
    shown.add_argument("--erase", metavar="RUN", help="remove a run, or all of them: --erase all")
    add_bank(parser)
    parser.epilog = _EXAMPLES


def run(args: argparse.Namespace) -> int:
    """Do it; what stands in the way becomes a sentence and its exit code."""
    from quiz.drills.folder import FolderError
    from quiz.drills.plan import CannotRun
    from quiz.tui.ports import Trouble

    try:
        return _run(args)
    except CannotRun as cannot:
        raise Failure(str(cannot), code=USAGE if cannot.usage else OUTSIDE) from cannot
    except FolderError as error:
        raise Failure(str(error), code=OUTSIDE if args.replay is args.erase is None else USAGE) from error
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble


def _run(args: argparse.Namespace) -> int:
    from quiz.cli import prove_told as told

    root = _root()
    if args.list:
        return told.list_drills(_bank(args), as_json=args.json)
    if args.runs:
        return told.list_runs(root, as_json=args.json)
    if args.erase is not None:
        return told.erase(root, args.erase)
    if _asks_nothing(args):
        from quiz.drills.machine import look
        from quiz.drills.plan import require_torch

        machine = look()
        code = told.ways(machine)
        require_torch(machine)
        return code
    if args.replay is not None:
        from quiz.drills.finish import seen
        from quiz.drills.folder import find, live, spec_of

        where = find(root, args.replay)
        if live(where):
            raise Failure(f"{where.name} still goes on; it can be shown when it is over.", code=USAGE)
        return _show(spec_of(where), seen(where), as_json=args.json)
    return _prove(args, root)


def _asks_nothing(args: argparse.Namespace) -> bool:
    """Whether no run is described: then nobody expects that processes start."""
    described = (args.question, args.tier, args.ranks, args.steps, args.replay)
    said = (args.plan, args.predict, args.no_predict, args.json, args.seed, args.rdzv_endpoint)
    return all(one is None for one in described) and not any(said) and (args.device, args.nnodes) == ("auto", 1)


def _prove(args: argparse.Namespace, root: Path) -> int:
    from quiz.cli import prove_ask as ask
    from quiz.cli.remember import remember
    from quiz.drills import folder
    from quiz.drills.machine import look
    from quiz.drills.plan import plan
    from quiz.drills.predictions import asked, frozen

    question, title = _question(args)
    spec = plan(question, _options(args), look(), title)
    predict = question.drill.get("predict", "") if question is not None else ""
    predictions = ask.given(args.predict, asked(spec, predict), spec)
    if not args.predict and not args.no_predict and not args.json and ask.is_there():
        predictions = ask.ask(predictions, spec)
    spec = frozen(spec, predictions)
    where = folder.create(root, spec)
    say(ask.led(f"{_what(spec)}; the run is kept in {where}"))
    result = ask.follow(where, spec)
    note = remember(spec, result)
    if note:
        say(note)
    return _show(spec, result, as_json=args.json)


def _what(spec: Spec) -> str:
    names = ", ".join(leg.name for leg in spec.legs)
    if spec.tier == "fake":
        return f"{spec.shape.name} at its true size ({spec.shape.parameters:,} parameters) on fake tensors: {names}"
    cap = f" within {spec.cap / 1e6:,.0f} MB a rank" if spec.cap is not None else ""
    return f"{spec.shape.parameters:,} parameters on {spec.world} ranks ({spec.device}){cap}: {names}"


def _show(spec: Spec, result: Result, *, as_json: bool) -> int:
    from quiz.cli import prove_told as told

    if as_json:
        told.as_json(spec, result)
    else:
        told.table(spec, result)
    if result.outcome == "cancelled":
        return NEGATIVE
    if result.outcome == "failed":
        return OUTSIDE if "disk" in result.cause else NEGATIVE
    wrong = [row for row in result.rows if row.exact and row.holds is False]
    return NEGATIVE if wrong else DONE


def _question(args: argparse.Namespace) -> tuple[Rendered | None, str]:
    """The question and its title."""
    if args.question is None:
        return None, ""
    from quiz.cli.practice import one_of

    bank = _bank(args)
    name = one_of("question", args.question, [entry.id for entry in bank.index])
    return bank.question(name), bank.entry(name).title


def _bank(args: argparse.Namespace) -> BankOf:
    from quiz.bank import library
    from quiz.paths import BankMissingError, bundled_bank, cache_folder

    try:
        folder = args.bank if args.bank is not None else bundled_bank()
        return library.open_bank(folder, cache_folder(), bundled=args.bank is None)
    except library.BankError as error:
        raise Failure(str(error), code=USAGE) from error
    except BankMissingError as error:
        raise Failure(str(error)) from error


def _options(args: argparse.Namespace) -> Options:
    from quiz.drills.plan import Options

    return Options(
        tier=args.tier,
        ranks=args.ranks,
        plans=tuple(args.plan),
        steps=args.steps,
        device=args.device,
        nodes=args.nnodes,
        rdzv=args.rdzv_endpoint,
        seed=args.seed,
    )


def _root() -> Path:
    from quiz.drills.folder import runs_folder
    from quiz.paths import data_folder

    return runs_folder(data_folder())


if TYPE_CHECKING:
    from quiz.bank.library import Bank as BankOf
