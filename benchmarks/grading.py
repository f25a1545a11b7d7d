"""How long judging takes: equality against `sympy.simplify(a - b) == 0` on the same pairs, and typed answers.

    python benchmarks/grading.py            # a table
    python benchmarks/grading.py --json     # for scripts

Run it from the root of a clone, whether the package is installed or not: it takes the code that lies beside it. It
needs the packages that the program needs (`make practice` installs them); sympy, the peer, is one of them.

Both sides get each pair as their own trees and are timed to the verdict, by processor time. Ends with 1 where ours is
not `RATIO` times faster at the median, where a verdict of ours is wrong, or where a typed answer or a formula takes
longer than `WORST_MS`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
from decimal import Decimal
from functools import partial
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Any, Final, TypeVar

import sympy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from quiz.bank.rendered import NumericPart, SlipFigure, Variable
from quiz.grading.check import check
from quiz.grading.numeric import judge
from quiz.grading.target import target_of
from quiz.grading.task import task_of
from solvers.expr.equality import compare
from solvers.expr.reader import read_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from solvers.expr.tree import Expr

Result = TypeVar("Result")
RATIO: Final = 100
ROUNDS: Final = 3
USUAL_MS: Final = 5
WORST_MS: Final = 50
NAMES: Final = ("P", "N", "D", "L", "h", "s", "b", "m", "p", "a", "t")
_LETTER: Final = re.compile(rf"\b[{''.join(NAMES)}]\b")
# Both spellings, and whether they are the same for all positive values.
PAIRS: Final = (
    ("2*P*(N-1)/N", "2*P - 2*P/N", True), ("2*P*(N-1)/N", "2*P*(N+1)/N", False), ("16*P/N", "(2+2+12)*P/N", True),
    ("4*P + 12*P/N", "16*P/N", False), ("4*P + 12*P/N", "(4*N + 12)*P/N", True), ("6*N*D", "2*N*D + 4*N*D", True),
    ("(p-1)/m", "(p-1)/(m+p-1)", False), ("(p-1)/(m+p-1)", "1 - m/(m+p-1)", True),
    ("1/(1+m/(p-1))", "(p-1)/(m+p-1)", True),
    ("12*L*h**2*(1+s/(6*h))", "12*L*h**2 + 2*L*h*s", True), ("12*L*h**2", "L*(4*h**2 + 8*h**2)", True),
    ("34*s*b*h + 5*a*s**2*b", "s*b*h*(34 + 5*a*s/h)", True), ("s*b*h*(10 + 24/t)", "10*s*b*h + 24*s*b*h*t", False),
    ("sqrt(2*s*m)", "sqrt(2)*sqrt(s)*sqrt(m)", True), ("sqrt(2*s*m) - s", "sqrt(2*s*m)", False),
    ("sqrt(P**2)", "P", True),
    ("log(N**2)", "2*log(N)", True), ("log(P*N)", "log(P)*log(N)", False), ("exp(log(P)+log(N))", "P*N", True),
    ("(P+N)**3", "P**3 + 3*P**2*N + 3*P*N**2 + N**3", True), ("(P+N)**3", "P**3 + N**3", False),
    ("1/(P-N) - 1/(N-P)", "2/(P-N)", True), ("1/(P-N) - 1/(N-P)", "0*P", False), ("P/(N*D)", "P/N/D", True),
    ("P/N*D", "P/(N*D)", False), ("(h+7)/(h**2+4*h-12)", "(h+8)/(h**2+4*h-12)", False),
    ("(h**2-4)/(h-2)", "h + 2", True), ("1/2**99", "1/2**98", False), ("2**m*3**m", "6**m", True),
    ("(P**m)**2", "P**(2*m)", True), ("P**(1/m)/N**(1/m)", "(P/N)**(1/m)", True),
    ("sqrt(11+6*sqrt(2))", "3+sqrt(2)", True),
    ("1/((h+1)**2*sqrt(1-(h/(h+1))**2))", "1/((h+1)*sqrt(2*h+1))", True), ("h - (N + h)", "-N", True),
    ("2*N/(N+1) + 2/(N+1)", "2", True), ("N*(N-1)/2 + N", "N*(N+1)/2", True), ("N*(N-1)/2 + N", "N**2/2", False),
    ("0.1*(2.0*s**2+6.0*s-25.00001)/s", "(2*s**2+6*s-25)/(10*s)", False), ("sqrt(s*m/2)*2", "sqrt(2*s*m)", True),
    ("(a+b+t)**2", "a**2+b**2+t**2+2*a*b+2*a*t+2*b*t", True), ("sin(h)**2+cos(h)**2", "1", True),
    ("tan(h)", "sin(h)/cos(h)", True), ("sin(2*h)", "2*sin(h)", False), ("sqrt(2)*sqrt(2)*P - 2*P", "0", True),
)  # fmt: skip
PART: Final = NumericPart(
    ask="", exact="35000000000", text="35 GB", unit="GB", need_unit=False, relative="3/100",
    slips=(SlipFigure("one-node", "140000000000", "140 GB", ""), SlipFigure("no-master", "26250000000", "26.25 GB",
    "")),
    variables=(Variable("P", "", "70000000000", "param", "70e9 param"), Variable("N", "", "32", "", "32")),
    expression="(2 B/param + 2 B/param + 12 B/param) * P / N",
)  # fmt: skip
USUAL: Final = (
    "35 GB",
    "1120 GB",
    "16P/N",
    "32.6 GB",
    "26.25 GB",
    "70B",
    "60-70 GB",
    "35 GB/GPU",
    "8.75 GB",
    "1.12 TB",
)
HOSTILE: Final = (
    "+".join(["1"] * 99), "70B*" * 95 + "1", "log2(1e400)" + "+log2(1e400)" * 15, "P" * 190, "PN" * 499,
    "70B-" * 95 + "1", "5 % of " * 99 + "1", "1.5^399.5*" * 15 + "1", "1 " * 500, "9**9**9**9", "(" * 250,
    "x" * 200_000, "a" * 1000,
    "sinh(300)+" * 15 + "1", "log(" * 15 + "1e400" + ")" * 15, "asin(1e300)*" + "*".join(["log(P)"] * 15),
    "tan(P/7)+" * 15 + "1", "P^" * 15 + "P", "ceil(P/7)+" * 30 + "1", "(P+N)^99*" * 15 + "1", "1e399+" * 95 + "1",
    "log(1+1e-50)-" * 15 + "1", "(1/7)^" * 20 + "2", "floor(ceil(" * 19 + "P/7" + "))" * 19,
)  # fmt: skip
REFERENCES: Final = ("2*P*(N-1)/N", "sqrt(P*N)", "ceil(P/N)", "log(P)+sin(N)")


def main() -> int:
    """Measure, print, and say by the exit code whether the limits hold."""
    parser = argparse.ArgumentParser(description="Times of judging.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    figures = {**equality(), **typed(), **recognised()}
    if args.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<48} {value:,.4g}")
    holds = (
        figures["equality: times faster, median"] >= RATIO
        and not figures["equality: our wrong verdicts"]
        and figures["typed: usual answer, median ms"] < USUAL_MS
        and figures["typed: hostile answer, worst ms"] < WORST_MS
        and figures["typed: hostile formula, worst ms"] < WORST_MS
    )
    return 0 if holds else 1


def equality() -> dict[str, float]:
    """Both deciders over all pairs, from trees to verdict; the ratio is that of each pair, then the median.

    Each side has the best of `ROUNDS`, with other letters in each, so that neither can look its answer up.
    """
    ours_ms, text_ms, whole_ms, theirs_ms = ([float("inf")] * len(PAIRS) for _ in range(4))
    wrong_ours = wrong_theirs = 0
    for turn in range(ROUNDS):
        names = [f"{name}{turn}" for name in NAMES]
        pairs = [(_renamed(left, turn), _renamed(right, turn), same) for left, right, same in PAIRS]
        for place, (left, right, same) in enumerate(pairs):
            (one, one_ms), (other, other_ms) = _timed(partial(_read, left, names)), _timed(partial(_read, right, names))
            decided, took = _timed(partial(compare, one, other))
            ours_ms[place] = min(ours_ms[place], took)
            text_ms[place] = min(text_ms[place], took + one_ms + other_ms)
            wrong_ours += (decided.verdict == "equal") is not same
            task = task_of({"answer": right, "reference": left, "variables": names})
            whole_ms[place] = min(_timed(partial(check, task))[1] for _ in range(ROUNDS))
        for place, (left, right, same) in enumerate(pairs):
            simplified, took = _timed(partial(_is_zero, _parsed(left, names) - _parsed(right, names)))
            theirs_ms[place] = min(theirs_ms[place], took)
            wrong_theirs += simplified is not same
    return {
        "equality: pairs": len(PAIRS),
        "equality: ours, median ms": statistics.median(ours_ms),
        "equality: ours, worst ms": max(ours_ms),
        "equality: ours with both texts read, median ms": statistics.median(text_ms),
        "equality: a whole check with its words, median ms": statistics.median(whole_ms),
        "equality: our wrong verdicts": wrong_ours,
        "equality: sympy.simplify, median ms": statistics.median(theirs_ms),
        "equality: sympy.simplify, worst ms": max(theirs_ms),
        "equality: its wrong verdicts": wrong_theirs,
        "equality: times faster, median": _times_faster(theirs_ms, ours_ms),
        "equality: with both texts read, times faster, median": _times_faster(theirs_ms, text_ms),
    }


def _times_faster(theirs: list[float], ours: list[float]) -> float:
    return statistics.median(their / our for their, our in zip(theirs, ours, strict=True))


def _renamed(text: str, turn: int) -> str:
    return _LETTER.sub(lambda letter: f"{letter[0]}{turn}", text)


def _timed(action: Callable[[], Result]) -> tuple[Result, float]:
    began = thread_time()
    found = action()
    return found, (thread_time() - began) * 1000


def _best(action: Callable[[], Result]) -> tuple[Result, float]:
    """The best of five: what it takes when nothing else on the machine interrupts."""
    runs = [_timed(action) for _ in range(5)]
    return min(runs, key=lambda run: run[1])


def _is_zero(difference: Any) -> bool:  # noqa: ANN401 - a sympy expression has no better type
    return bool(sympy.simplify(difference) == 0)


def _read(text: str, names: list[str]) -> Expr:
    return read_answer(text, variables=dict.fromkeys(names)).expr


def _parsed(text: str, names: list[str]) -> Any:  # noqa: ANN401 - a sympy expression has no better type
    return sympy.parse_expr(text, {name: sympy.Symbol(name, positive=True) for name in names})


def typed() -> dict[str, float]:
    """Grading usual answers, and the slowest that we could think of."""
    target = target_of(PART)
    judge(target, "1 GB")
    usual = [_best(partial(judge, target, text))[1] for text in USUAL]
    hostile = [_best(partial(judge, target, text))[1] for text in HOSTILE]
    tasks = [
        task_of({"answer": text, "reference": reference, "variables": ["P", "N"]})
        for text in HOSTILE
        for reference in REFERENCES
    ]
    formulas = [_best(partial(check, task))[1] for task in tasks]
    return {
        "typed: usual answer, median ms": statistics.median(usual),
        "typed: usual answer, worst ms": max(usual),
        "typed: hostile answer, worst ms": max(hostile),
        "typed: hostile formula, worst ms": max(formulas),
    }


def recognised() -> dict[str, float]:
    """The share of random wrong answers, of two to four digits within three decades, that get a diagnosis."""
    target, draw = target_of(PART), random.Random(7)  # noqa: S311 - a sample, not a secret
    found = [
        judge(target, f"{Decimal(f'{35 * 10 ** draw.uniform(-1.5, 1.5):.{draw.choice((1, 2, 3))}e}'):f} GB")
        for _ in range(3000)
    ]
    wrong = [grade for grade in found if grade.status != "correct"]
    return {"random wrong answers with a diagnosis, %": 100 * sum(bool(grade.slip) for grade in wrong) / len(wrong)}


if __name__ == "__main__":
    sys.exit(main())
