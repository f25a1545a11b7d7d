"""What a person is told where a request of `shardwise solve` cannot be answered: everything at once, and what next."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar

from quiz.cli.outcome import USAGE, Failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from solvers.catalogue import UnknownNameError
    from solvers.solver import MissingError

_P = ParamSpec("_P")
_T = TypeVar("_T")
_MOST_NAMED = 6
_MOST_WAYS = 3


def sentence(text: str) -> str:
    """`text` with an end."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def visible(text: str) -> str:
    """`text` with what a terminal would obey or hide spelled out."""
    return "".join(sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)


def failure_of(error: Exception) -> Failure | None:
    """What to say of an error of the solvers or of the command line; None for one of another kind."""
    from solvers import AxisError, InputError, MissingError, ScenarioError, SolveError, UnknownNameError
    from solvers.expr.evaluate import EvaluationError
    from solvers.expr.units import UnitError

    match error:
        case Failure():
            return error
        case MissingError():
            return Failure(_needs(error), code=USAGE)
        case ScenarioError():
            return Failure("\n".join(sentence(str(item)) for item in error.complaints), code=USAGE)
        case UnknownNameError():
            return Failure(_unknown(error), code=USAGE)
        case SolveError() | UnitError() | EvaluationError() | InputError() | AxisError():
            return Failure("\n".join(sentence(line) for line in str(error).splitlines()), code=USAGE)
    return None


class Reading:
    """Reads the parts of a request one after another, and tells everything that is wrong with them at once."""

    def __init__(self) -> None:
        self._told: dict[str, None] = {}

    def part(self, read: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T | None:
        """What `read` gives of the arguments, or None where that cannot be read."""
        try:
            return read(*arguments, **named)
        except Exception as error:
            found = failure_of(error)
            if found is None:
                raise
            self.fault(found.message)
            return None

    def fault(self, message: str) -> None:
        """Note what is wrong."""
        self._told |= dict.fromkeys(message.splitlines())

    def done(self) -> None:
        """Raise a `Failure` with all that was noted."""
        if self._told:
            raise Failure("\n".join(self._told), code=USAGE)


def _unknown(error: UnknownNameError) -> str:
    from solvers import CATALOGUE

    said = sentence(str(error))
    if error.kind != "quantity":
        return said
    if any(info.name.startswith(f"{error.name}.") for info in CATALOGUE):
        return f"{error.name} is a namespace, not a quantity. Its quantities: shardwise solve --list {error.name}"
    word = error.name.rpartition(".")[2]
    if len(word) > 2 and any(word in info.name for info in CATALOGUE):  # noqa: PLR2004 - a letter is in everything
        return f"{said}\nQuantities with {word!r}: shardwise solve --list {word}"
    return f"{said}\nAll quantities: shardwise solve --list"


def _needs(error: MissingError) -> str:
    from solvers import CATALOGUE, RELATIONS

    lines = [f"{error.target} needs what is not stated:"]
    for name in error.needs:
        info = CATALOGUE[name]
        unit = f", in {info.unit.name}" if info.unit.name and not info.bare else ""
        choices = f" ({_some(info.choices, name)})" if info.is_choice else ""
        option = "--set" if info.statable or not RELATIONS.of(name) else "--given"
        lines.append(f"  {name}  {info.meaning}{unit}{choices}")
        if info.example:
            example = f'"{info.example}"' if set(info.example) & set(" $") else info.example
            lines.append(f"      for example {option} {name}={example}")
    asked = {*error.needs, *(lack for lacks in error.ways.values() for lack in lacks)}
    lines += [f"  {preset} has no {name}" for name, preset in error.silent.items() if name in asked]
    for name, lacks in list(error.ways.items())[:_MOST_WAYS]:
        lines.append(f"  Instead of {name}: {', '.join(lacks)}")
    return "\n".join(lines)


def _some(choices: tuple[str, ...], name: str) -> str:
    """The names that may be chosen; of many the first few, and where the others are listed."""
    if len(choices) <= _MOST_NAMED:
        return ", ".join(choices)
    return f"{', '.join(choices[:_MOST_NAMED])}, …; all: shardwise solve --list {name}"
