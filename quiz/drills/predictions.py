"""What the learner says before the run: which questions are put, how an answer is read, what it is worth afterwards."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.drills.records import PHASES, Prediction
from quiz.drills.things import NOBODY
from quiz.grading.numeric import Read, read_for
from quiz.grading.target import Estimate, Target
from solvers.expr.dimension import Dimension
from solvers.expr.evaluate import Quantity
from solvers.expr.units import PLAIN_UNIT, parse_unit

if TYPE_CHECKING:
    from quiz.drills.records import Leg, Spec
    from quiz.drills.things import Found

MOST: Final = 4
_SCALE: Final = Estimate(Fraction(105, 100), Fraction(2))
"""A number within 5 % is worth everything, one off by a factor of two nothing, between them by the logarithm."""
_ASKED_OF: Final = {
    "memory.state_per_gpu": "rest.state",
    "memory.optimizer_per_gpu": "rest.optimizer",
    "memory.peak_per_gpu": "peak.total",
    "memory.total_per_gpu": "peak.total",
    "memory.binding_phase": "peak.phase",
}
_PARAMETER: Final = Dimension.of(parameter=1)


class Unreadable(ValueError):
    """A prediction cannot be read. The message says why; nothing is lost, it can be typed again."""


def asked(spec: Spec, predict: str = "") -> tuple[Prediction, ...]:
    """Two to four things to predict of a run; `predict` has what the question's author wants, by quantity."""
    legs = [leg for leg in spec.legs if leg.strategy != "single"] or list(spec.legs)
    main, first = legs[-1], legs[0]
    if spec.tier == "oom":
        names = tuple(leg.name for leg in spec.legs)
        return (
            Prediction(
                key="died",
                ask=f"A rank may take {(spec.cap or 0) / 1e6:,.0f} MB. Which plan dies?",
                kind="leg",
                options=(*names, NOBODY),
            ),
            Prediction(key="died.phase", ask="In which phase does it die?", kind="phase", options=PHASES),
            _bytes(f"rest.state@{main.name}", f"How much state does a rank hold at rest under {main.name}?", spec),
        )
    wanted = [_ASKED_OF.get(name.strip(), "") for name in predict.split(",")]
    if any(name.strip().startswith("traffic.") for name in predict.split(",")):
        wanted.append("traffic.payload")
    found = [_one(what, leg, spec) for what in dict.fromkeys(filter(None, wanted)) for leg in legs[:1]]
    found += [_one("rest.state", main, spec), *_ratio(first, main, spec)]
    found += [_one("peak.total", main, spec), _one("peak.phase", main, spec)]
    unique = {one.key: one for one in found}
    return tuple(unique.values())[:MOST]


def _one(what: str, leg: Leg, spec: Spec) -> Prediction:
    key = f"{what}@{leg.name}"
    if what == "peak.phase":
        return Prediction(
            key=key, ask=f"In which phase does a rank hold most under {leg.name}?", kind="phase", options=PHASES[1:]
        )
    says = {
        "rest.state": "How much state does a rank hold between two steps",
        "rest.optimizer": "How much optimizer state does a rank hold",
        "peak.total": "How much does a rank hold at the peak of a step",
        "traffic.payload": "How much does a rank hand to its collectives in a step",
    }
    return _bytes(key, f"{says[what]} under {leg.name}?", spec)


def _bytes(key: str, ask: str, spec: Spec) -> Prediction:
    return Prediction(key=key, ask=ask, kind="bytes", unit="GB" if spec.tier == "fake" else "MB")


def _ratio(first: Leg, main: Leg, spec: Spec) -> list[Prediction]:
    if first.name == main.name or spec.tier == "fake":
        return []
    return [
        Prediction(
            key=f"traffic.payload@{main.name}/{first.name}",
            ask=f"How many times as much does {main.name} hand to its collectives in a step as {first.name}?",
            kind="ratio",
        )
    ]


def hint(spec: Spec) -> str:
    """What a prediction may be written with: the letters and their values."""
    return (
        f"P = {spec.shape.parameters:,} parameters, N = {spec.world} ranks; an answer may be 34 MB, 16 P / N, 1.5 or a "
        "name; empty skips it"
    )


def read(prediction: Prediction, text: str, spec: Spec) -> Prediction:
    """The prediction with what was typed; an empty text skips it.

    Raises:
        Unreadable: it is no such value or none of the options.
    """
    said = text.strip()
    if not said:
        return prediction
    if prediction.options:
        return msgspec.structs.replace(prediction, raw=said, choice=_choice(prediction, said))
    target = Target(
        Fraction(0),
        PLAIN_UNIT if prediction.kind == "ratio" else parse_unit(prediction.unit),
        need_unit=prediction.kind == "bytes",
        variables={"P": Quantity(Fraction(spec.shape.parameters), _PARAMETER), "N": Quantity(Fraction(spec.world))},
    )
    answer = read_for(target, said)
    if not isinstance(answer, Read):
        raise Unreadable(answer.message or f"{said!r} cannot be read as {_KINDS[prediction.kind]}")
    try:
        value = float((answer.low + answer.high) / 2)
    except OverflowError as error:
        raise Unreadable(f"This is larger than any number that is read. Type {_KINDS[prediction.kind]}.") from error
    if value < 0:
        raise Unreadable(f"This is below zero. Type {_KINDS[prediction.kind]}.")
    return msgspec.structs.replace(prediction, raw=said, value=value)


_KINDS: Final = {"bytes": "bytes, such as 34 MB", "ratio": "a number, such as 1.5"}


_ALSO: Final = {"step": "optimizer"}
"""What the solver and its questions call a phase."""


def _choice(prediction: Prediction, said: str) -> str:
    """One of the options, by its name, its beginning, or its number from 1."""
    options = prediction.options
    if said.isdigit() and 1 <= int(said) <= len(options):
        return options[int(said) - 1]
    said = _ALSO.get(said.lower(), said) if prediction.kind == "phase" else said
    near = [option for option in options if option.lower().startswith(said.lower())]
    exact = [option for option in near if option.lower() == said.lower()] or near
    if len(exact) == 1:
        return exact[0]
    raise Unreadable(f"{said!r} is none of {', '.join(options)}")


def frozen(spec: Spec, predictions: tuple[Prediction, ...]) -> Spec:
    """The spec with what was predicted: this is what is written before anything runs."""
    return msgspec.structs.replace(spec, predictions=predictions)


def error_of(prediction: Prediction, truth: Found) -> float | None:
    """How far a predicted number is from what was found, relative to that; None where there is nothing to compare."""
    if prediction.value is None or truth.value is None or not truth.value:
        return None
    return prediction.value / truth.value - 1


def credit(prediction: Prediction, truth: Found) -> float | None:
    """What a prediction is worth, from 0 to 1; None where it was skipped or nothing was found."""
    if prediction.choice is not None:
        return None if truth.choice is None else float(prediction.choice == truth.choice)
    if prediction.value is None or truth.value is None:
        return None
    return float(_SCALE.credit(Fraction(prediction.value), Fraction(truth.value)))


def score(predictions: tuple[Prediction, ...], truths: dict[str, Found]) -> float | None:
    """The mean worth of what was predicted; None where nothing was."""
    worth = [found for one in predictions if (found := credit(one, truths[one.key])) is not None]
    return sum(worth) / len(worth) if worth else None
