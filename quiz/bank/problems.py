"""Problems met while a question is compiled: raised where they are found, collected where all are shown.

A `Problem` knows the path of the value in the document and, where the value is a text, the characters in it.
`Report` turns problems into diagnostics with file, line and column.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from quiz.bank.at_fault import start_of, start_of_name
from quiz.bank.diagnostics import Diagnostic, format_path
from quiz.bank.locate import place_in_text, place_of
from solvers.catalogue import CATALOGUE, UnknownNameError
from solvers.errors import DomainError, InverseError, LawError
from solvers.expr.evaluate import EvaluationError
from solvers.expr.reader_limits import ReadError
from solvers.solver import MissingError, SolveError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from quiz.bank.diagnostics import Severity
    from quiz.bank.document import Document, Path

SOLVER_ERRORS = (SolveError, EvaluationError, UnknownNameError, ReadError, InverseError)
TOLD: Final = "told.already"
"""What stands for a value that was told as wrong; as a name no solver knows it, so that nothing comes of it."""


class Problem(Exception):
    """One finding at a path; `start` counts characters inside the text there, `key` means the key and not the value.

    `needs` are the names that would have to be stated; `ways` says from what some of these, and what lacks them, would
    follow.
    """

    def __init__(
        self,
        path: Path,
        code: str,
        what: str,
        *,
        why: str = "",
        next_: str = "",
        start: int | None = None,
        key: bool = False,
    ) -> None:
        super().__init__(what)
        self.path, self.code, self.what, self.why, self.next = path, code, what, why, next_
        self.start, self.key = start, key
        self.needs: tuple[str, ...] = ()
        self.ways: Mapping[str, tuple[str, ...]] = {}


class EchoError(Problem):
    """Nothing can be said here, since what it leans on was told as wrong at its own place."""

    def __init__(self) -> None:
        super().__init__((), "echo", "this leans on what was told")


class Problems(Exception):
    """Several findings at once, as a scenario has them."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.what for problem in problems))
        self.problems = tuple(problems)


FOUND = (Problem, Problems, *SOLVER_ERRORS)
"""What comes up when a bank is at fault."""


def problem_of(error: Exception, path: Path, text: str = "") -> Problem:  # noqa: PLR0911 - one return a kind
    """The problem that an error of the solvers is, at the expression `text` that stands at `path`."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, Problems):
        return error.problems[0]
    if isinstance(error, ReadError):
        return Problem(path, "expression", error.reason, next_=error.hint, start=error.start)
    if isinstance(error, UnknownNameError):
        if error.name == TOLD:
            return EchoError()
        return Problem(
            path,
            "unknown-name",
            unknown_name(error),
            start=start_of_name(text, error.name),
            next_=getattr(error, "hint", "") or _how_to_name(error.name),
        )
    if isinstance(error, MissingError):
        missing = Problem(
            path, "missing", str(error), start=start_of_name(text, error.target), next_=_how_to_state(error.needs)
        )
        missing.needs, missing.ways = error.needs, {error.target: error.needs, **error.ways}
        return missing
    if isinstance(error, EvaluationError):
        return Problem(
            path,
            "no-value",
            f"{_quoted(text)}has no value: {error}",
            next_="Check the units and the numbers that go in.",
            start=_start(text, error),
        )
    return Problem(path, "solver", str(error), next_=_how_to_solve(error), start=_start(text, error))


def _how_to_solve(error: Exception) -> str:
    """What to do next; nothing where the advice of the code itself fits: a number stands for a condition."""
    if isinstance(error, InverseError):
        return "Name an input on which the condition depends; some of its values must meet it, and some must not."
    if isinstance(error, LawError | DomainError):
        return "Change the numbers or the plan so that it can be computed."
    return getattr(error, "hint", "")


def _start(text: str, error: Exception) -> int | None:
    """The character of an expression that an error is about, where it knows."""
    where = getattr(error, "where", None)
    return None if where is None else start_of(text, where)


def unknown_name(error: UnknownNameError) -> str:
    """What an unknown name is told as: with the nearest names, and without the list of all."""
    return str(error).partition("; known:")[0]


def _how_to_name(name: str) -> str:
    if any(name in info.choices for info in CATALOGUE):
        return f'The name of a choice stands in quotes: "{name}".'
    return "`shardwise solve --list` names every quantity; figures are named under `figures`."


def problems_of(error: Exception, path: Path, text: str = "") -> tuple[Problem, ...]:
    """All problems that an error is."""
    return error.problems if isinstance(error, Problems) else (problem_of(error, path, text),)


def _value(data: object, path: Path) -> object:
    """The value at a path of the document; None where there is none."""
    for step in path:
        try:
            data = data[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _quoted(text: str) -> str:
    return f"`{text}` " if text else "this "


def _how_to_state(needs: tuple[str, ...]) -> str:
    named = needs[0] if needs else "it"
    return (
        f"State {named} under `scenario`, or pin it under `given`; where only an option states it, "
        f"read it there (`in: OPTION`, or OPTION.quantity)."
    )


class Report:
    """All findings about one file."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.found: list[Diagnostic] = []

    @property
    def failed(self) -> bool:
        """Whether any finding is an error."""
        return any(diagnostic.severity == "error" for diagnostic in self.found)

    def add(self, problem: Problem, severity: Severity = "error") -> None:
        """Note a problem at its place; an echo is not noted."""
        if isinstance(problem, EchoError):
            return
        if problem.start is not None and isinstance(_value(self.document.data, problem.path), str):
            place = place_in_text(self.document, problem.path, problem.start)
        else:
            place = place_of(self.document, problem.path, key=problem.key)
        self.found.append(
            Diagnostic(
                place, problem.code, problem.what, problem.why, problem.next, severity, format_path(problem.path)
            )
        )

    @contextmanager
    def catching(self, path: Path, text: str = "") -> Iterator[None]:
        """Note what the block raises, as a problem at `path`, and go on after it."""
        try:
            yield
        except FOUND as error:
            self.note(error, path, text)

    def note(self, error: Exception, path: Path, text: str = "") -> None:
        """Note an error that was caught, as problems at `path` unless it knows better."""
        for problem in problems_of(error, path, text):
            self.add(problem)
