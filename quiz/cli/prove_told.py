"""What `shardwise prove` prints: the comparison, lists of drills and of runs."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any, Final

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, USAGE, Failure
from quiz.nouns import count

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.bank.library import Bank
    from quiz.drills.machine import Machine
    from quiz.drills.records import Result, Row, Spec

_HEAD: Final = ("", "you", "solver", "fake", "measured", "your error", "solver's")
_FIXED: Final = "\N{NO-BREAK SPACE}"
_DETAILS: Final = (
    "rest.parameters",
    "rest.gradients",
    "rest.optimizer",
    "peak.forward",
    "peak.backward",
    "peak.optimizer",
)


def as_json(spec: Spec, result: Result) -> None:
    """Print everything: what was to be run and what came of it."""
    import msgspec

    whole = {"spec": msgspec.to_builtins(spec), "result": msgspec.to_builtins(result)}
    print(json.dumps(whole, ensure_ascii=False, indent=2))


def table(spec: Spec, result: Result) -> None:
    """Print prediction, solver, fake tensors and measurement side by side."""
    from quiz.cli.prove_ask import led
    from quiz.drills import told

    whole = result.outcome == "done"
    if not whole:
        end = told.ended(result)
        say(led(end.sentence))
        if end.beneath:
            say(led(f"torch: {end.beneath}"))
        _partial(spec, result)
    rows = sorted((row for row in result.rows if _is_shown(row, spec.tier, whole=whole)), key=_place)
    if rows:
        _columns([_HEAD, *(_cells(row, is_fake=spec.tier == "fake") for row in rows)])
    _notes(rows)
    _plans(spec, rows)
    if whole and (relations := told.relations(spec)):
        print()
        _prose(relations)
    for death in told.deaths(spec, result.measured):
        print()
        _prose(death.sentence)
        if death.beneath:
            _prose(f"torch: {death.beneath}", "  ")
    if rows or result.lesson:
        print()
    if result.lesson:
        _prose(result.lesson)
    if result.score is not None:
        said = sum(one.raw is not None for one in spec.predictions)
        print(f"Your {count(said, 'prediction')}: {result.score:.0%}.")
    print(f"Run {spec.run}, {result.seconds:.0f} s.")


def _place(row: Row) -> int:
    """What was predicted comes first; then the same thing of all plans stands together."""
    from quiz.drills.things import LABELS, Key

    if row.predicted is not None or row.predicted_choice is not None or row.key.startswith("died"):
        return -1
    return list(LABELS).index(Key.of(row.key).what)


def _partial(spec: Spec, result: Result) -> None:
    """Print how far each plan of a run came that did not come to its end."""
    from quiz.drills import told

    if not any(one.steps or one.rest for one in result.measured):
        _prose(told.NOTHING)
        return
    _prose(told.PARTIAL)
    _pairs([(f"  {name}", words) for name, words in told.so_far(spec, result.measured)])
    print()


def _plans(spec: Spec, rows: list[Row]) -> None:
    """Print what the plans in the table are, and in which precision they compute."""
    from quiz.drills import told
    from quiz.drills.things import Key

    shown = {name for row in rows for name in (Key.of(row.key).leg, Key.of(row.key).other)}
    plans = told.plans(leg for leg in spec.legs if leg.name in shown)
    if plans:
        print()
        _pairs([(f"  {name}", says) for name, says in plans])


def _is_shown(row: Row, tier: str, *, whole: bool) -> bool:
    from quiz.drills.things import Key

    key = Key.of(row.key)
    if row.predicted is not None or row.predicted_choice is not None:
        return True
    # What a plan needs against what there was says who dies, also of the one that died before it had so much.
    if tier == "oom" and whole and key.what == "peak.total":
        return True
    if key.leg == "single" or (row.measured is None and row.fake is None and row.measured_choice is None):
        return False
    return key.what not in _DETAILS or row.holds is False


def _cells(row: Row, *, is_fake: bool) -> tuple[str, ...]:
    return (
        row.label,
        _value(row, row.predicted, row.predicted_choice),
        _value(row, row.solved, row.solved_choice),
        _value(row, row.fake, row.measured_choice if is_fake else None),
        _value(row, row.measured, None if is_fake else row.measured_choice),
        _error(row.predicted_error),
        _verdict(row),
    )


def _verdict(row: Row) -> str:
    """How the solver's figure goes with the measured one; of a name, whether it is the right one."""
    if row.solved_choice is not None and row.holds is not None:
        return "right" if row.holds else "wrong !"
    said = "exact" if row.exact and row.solved_error == 0 else _error(row.solved_error)
    return said + (" !" if row.holds is False else "")


def _value(row: Row, value: float | None, choice: str | None) -> str:
    from quiz.drills.sizes import shown

    if choice is not None:
        return choice
    return "" if value is None else shown(value, row.unit)


def _error(error: float | None) -> str:
    if error is None:
        return ""
    said = f"{error:+.1%}"
    # What rounds to nothing has no sign.
    return said[1:] if said[1:] == "0.0%" else said


def _columns(rows: list[tuple[str, ...]]) -> None:
    """Print cells in columns, those left out that nobody fills."""
    filled = [place for place in range(len(rows[0])) if any(row[place] for row in rows[1:])]
    widths = [max(len(row[place]) for row in rows) for place in filled]
    columns = shutil.get_terminal_size((80, 24)).columns
    if _is_terminal() and sum(widths) + 2 * len(widths) - 2 > columns:
        _one_by_one(rows)
        return
    for row in rows:
        cells = [
            row[place].ljust(width) if at == 0 else row[place].rjust(width)
            for at, (place, width) in enumerate(zip(filled, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def _one_by_one(rows: list[tuple[str, ...]]) -> None:
    """Print in lines what is too wide for the terminal as columns: what it is, and below it each figure by its name."""
    heads, *others = rows
    for row in others:
        # A figure and its name stay together: the space between them is one at which no line ends.
        figures = ", ".join(
            f"{head} {cell}".replace(" ", _FIXED) for head, cell in zip(heads[1:], row[1:], strict=True) if cell
        )
        _prose(row[0])
        _prose(figures, "    ")


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _prose(text: str, margin: str = "") -> None:
    """Print a text: in a terminal in lines that it need not break, elsewhere in one."""
    if _is_terminal():
        columns = shutil.get_terminal_size((80, 24)).columns
        # A number and its unit stay together.
        text = re.sub(r"(?<=\d) (?=[A-Za-z/])", _FIXED, text)
        text = textwrap.fill(text, columns - 1, initial_indent=margin, subsequent_indent=margin).replace(_FIXED, " ")
        margin = ""
    print(f"{margin}{text}")


def _notes(rows: list[Row]) -> None:
    from quiz.drills.sizes import size

    for row in rows:
        if row.names:
            of_what = "tensors" if row.key.startswith("resident") else "state"
            parts = ", ".join(f"{name} {size(of)}" for name, of in row.names.items())
            _prose(f"{row.label}: beyond the {of_what}, {parts}", "  ")
    for note in dict.fromkeys(row.note for row in rows if row.note):
        _prose(note, "  ")


def list_drills(bank: Bank, *, as_json: bool) -> int:
    """Print the questions that have a drill, the plans, and what can be run here."""
    from quiz.drills.machine import look
    from quiz.drills.plan import plans

    found = [
        {"question": entry.id, "title": entry.title, **{key: text for key, text in drill.items() if " " not in key}}
        for entry in bank.index
        if (drill := bank.question(entry.id).drill)
    ]
    machine = look()
    if as_json:
        print(
            json.dumps({"drills": found, "plans": plans(), "machine": machine._asdict()}, ensure_ascii=False, indent=2)
        )
        return DONE
    _prose("Questions with a drill (shardwise prove QUESTION):")
    width = max((len(one["question"]) for one in found), default=0)
    _pairs([(f"  {one['question']:<{width}}  {one['tier']}", one["title"]) for one in found])
    print()
    _prose("Plans (--plan NAME, any number of them):")
    _pairs([(f"  {name}", says) for name, says in plans().items()])
    print()
    _prose(here(machine))
    return DONE


_WAYS: Final = (
    ("QUESTION", "the drill of a question"),
    ("--tier ranks", "a small model, really trained: one process, then DDP and FSDP2 on local ranks"),
    ("--tier fake", "Llama 3 8B at its true size on 8 ranks that are not there"),
    ("--tier oom", "DDP and FSDP2 under a memory cap: which one dies, and where"),
    ("--plan NAME", "plans of your choice beside one process; repeatable"),
    ("--list", "the questions that have a drill, and the plans"),
    ("--runs", "the runs that are kept; --replay RUN shows one again"),
)


def ways(machine: Machine) -> int:
    """Print what can be asked for, where nothing was: a run begins when it is named."""
    _prose("Measure what an answer claims: say what you expect, see it run on this machine, compare.")
    print()
    _pairs([(f"  shardwise prove {way}", says) for way, says in _WAYS])
    print()
    _prose("A run asks first what you expect, and says how long it still takes; Ctrl+C ends it.")
    _prose(here(machine))
    return DONE


def _pairs(rows: list[tuple[str, str]]) -> None:
    """Print what is called so and what it is, side by side; in a terminal that is too narrow one below the other."""
    width = max((len(name) for name, _ in rows), default=0)
    widest = max((len(says) for _, says in rows), default=0)
    below = _is_terminal() and width + 2 + widest >= shutil.get_terminal_size((80, 24)).columns
    for name, says in rows:
        if below:
            print(f"  {' '.join(name.split())}")
            _prose(says, "      ")
        else:
            print(f"{name:<{width}}  {says}")


def here(machine: Machine) -> str:
    """What this machine offers, in a sentence."""
    free = "" if machine.memory is None else f", {machine.memory / 1e9:.1f} GB of memory free"
    torch = f"torch {machine.torch}" if machine.torch else "no torch: pip install 'shardwise[drill]'"
    return f"Here: {torch}, {count(machine.cores, 'core')}, {count(machine.gpus, 'GPU')}{free}."


def list_runs(root: Path, *, as_json: bool) -> int:
    """Print the runs that are kept, the latest first."""
    from quiz.drills import folder
    from quiz.drills.finish import state_of

    found: list[dict[str, Any]] = []
    for where in folder.runs(root):
        try:
            spec, result, state = folder.spec_of(where), folder.result_of(where), state_of(where)
        except folder.FolderError as error:
            say(str(error))
            continue
        score = result.score if result is not None else None
        found.append(
            {"run": where.name, "tier": spec.tier, "question": spec.question, "outcome": state, "score": score}
        )
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return DONE
    if not found:
        print("no runs are kept. Begin one: shardwise prove --list")
    width = max((len(one["run"]) for one in found), default=0)
    for one in found:
        said = "" if one["score"] is None else f"{one['score']:.0%}"
        print(f"{one['run']:<{width}}  {one['tier']:<5}  {one['outcome']:<9}  {said:>4}".rstrip())
    return DONE


def erase(root: Path, name: str) -> int:
    """Remove a run, or all of them that are over."""
    from quiz.drills import folder

    where = folder.runs(root) if name == "all" else (folder.find(root, name),)
    going = [one for one in where if folder.live(one)]
    if name != "all" and going:
        raise Failure(f"{going[0].name} still goes on; end it first.", code=USAGE)
    try:
        gone = folder.erase(where)
    except OSError as error:
        raise Failure(f"{error.filename or root} could not be removed: {error.strerror or error}") from error
    print(f"erased: {count(gone, 'run')}." + (f" {count(len(going), 'run')} still going on." if going else ""))
    return NEGATIVE if going else DONE
