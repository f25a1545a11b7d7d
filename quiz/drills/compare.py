"""After a run: prediction, solver, fake tensors and measurement side by side, and what they teach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.drills import payload, things
from quiz.drills.predictions import error_of
from quiz.drills.records import Row
from quiz.drills.sizes import size
from quiz.drills.things import FAKE, NOBODY, Found, Key, found, highest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quiz.drills.records import Expected, Measured, Prediction, Spec

_ONLY_MEASURED = ("resident", "loss.parity", "step.seconds")
_UNITS = {"loss.parity": "", "step.seconds": "s"}
_SLOW = "which most CPUs multiply slowly: its time says nothing of a GPU"
_EVEN = 0.005
"""A ratio of two measurements that are as good as equal."""


def rows(spec: Spec, measured: Sequence[Measured], *, whole: bool = True) -> tuple[Row, ...]:
    """A row for everything that was predicted, expected or measured, in this order and by leg.

    Of a run that is not `whole`, since it was ended, nobody can say that nobody died.
    """
    said = {one.key: one for one in spec.predictions}
    solved = {one.key: one for one in spec.expected}
    keys = list(dict.fromkeys([*said, *solved]))
    keys += [f"{what}@{leg.name}" for leg in spec.legs for what in _ONLY_MEASURED]
    return tuple(
        _row(spec, key, said.get(key), solved, measured, whole=whole) for key in keys if _is_told(key, spec, measured)
    )


def _is_told(key: str, spec: Spec, measured: Sequence[Measured]) -> bool:
    what = Key.of(key).what
    if what in _ONLY_MEASURED and (found(key, measured).value is None or key == "loss.parity@single"):
        return False
    return not (spec.tier == "fake" and what in ("step.seconds", "loss.parity"))


def _row(
    spec: Spec,
    key: str,
    prediction: Prediction | None,
    solved: dict[str, Expected],
    measured: Sequence[Measured],
    *,
    whole: bool,
) -> Row:
    parts = Key.of(key)
    expected = solved.get(key)
    solver = _solved(key, solved)
    truth = found(key, measured)
    if truth.choice == NOBODY and not whole:
        truth = Found()
    fake = truth if spec.tier == "fake" else _on_fake(parts, measured)
    real = Found() if spec.tier == "fake" else truth
    best = truth if truth.value is not None or truth.choice is not None else solver
    exact = expected is not None and expected.exact
    return Row(
        key=key,
        label=parts.label,
        unit=_UNITS.get(parts.what, "" if parts.other or best.choice is not None else "B"),
        predicted=prediction.value if prediction is not None else None,
        predicted_choice=prediction.choice if prediction is not None else None,
        predicted_error=error_of(prediction, best) if prediction is not None else None,
        solved=solver.value,
        solved_choice=solver.choice,
        solved_error=_error(solver, truth),
        fake=fake.value,
        measured=real.value,
        measured_choice=truth.choice,
        exact=exact,
        holds=_holds(solver, truth, expected),
        names=_names(parts, measured),
        note=_note(spec, parts, expected, measured),
    )


def _note(spec: Spec, parts: Key, expected: Expected | None, measured: Sequence[Measured]) -> str:
    """What holds in place of the solver's own quantity; of a ratio, what makes it."""
    if expected is not None and expected.exception:
        return f"{expected.exception}: {expected.relation}"
    if parts.other and parts.what == "traffic.payload":
        legs = {leg.name: leg for leg in spec.legs}
        if parts.leg in legs and parts.other in legs:
            return payload.why(legs[parts.leg], legs[parts.other], measured)
    if parts.what == "step.seconds" and spec.device == "cpu":
        is_half = any(leg.name == parts.leg and leg.computes_in == "bf16" for leg in spec.legs)
        return f"{parts.leg} computes in BF16, {_SLOW}" if is_half else ""
    return ""


def _solved(key: str, solved: dict[str, Expected]) -> Found:
    parts = Key.of(key)
    if parts.other:
        over, under = (solved.get(f"{parts.what}@{leg}") for leg in (parts.leg, parts.other))
        if over is None or under is None or over.value is None or not under.value:
            return Found()
        return Found(over.value / under.value)
    if key in solved:
        return Found(solved[key].value, solved[key].choice)
    return Found()


def _on_fake(parts: Key, measured: Sequence[Measured]) -> Found:
    """The same of the leg's twin on fake tensors, where it has one."""
    if not parts.leg or parts.other:
        return Found()
    return found(f"{parts.what}@{parts.leg}{FAKE}", measured)


def _error(solver: Found, truth: Found) -> float | None:
    if solver.value is None or truth.value is None:
        return None
    if not truth.value:
        return 0.0 if not solver.value else None
    return solver.value / truth.value - 1


def _holds(solver: Found, truth: Found, expected: Expected | None) -> bool | None:
    """Whether the solver is right: to the byte, within its tolerance, or by name; None where nothing says so."""
    if expected is None:
        return None
    if truth.choice is not None and solver.choice is not None:
        return truth.choice == solver.choice
    error = _error(solver, truth)
    if error is None:
        return None
    return error == 0 if expected.exact else abs(error) <= expected.within


def _names(parts: Key, measured: Sequence[Measured]) -> dict[str, int]:
    """What a peak is made of beyond the state, and what the process has beyond the tensors."""
    ranks = [one for one in measured if one.leg == parts.leg]
    high = highest(ranks)
    if high is None or parts.what not in ("peak.total", "resident"):
        return {}
    if parts.what == "resident":
        resident = found(f"resident@{parts.leg}", measured).value or 0
        return {"allocator and temporaries": max(int(resident) - high.held.total, 0)}
    named = dict(high.named)
    if high.held.activations:
        named["activations"] = high.held.activations - named.pop("logits", 0)
        if high.named.get("logits"):
            named["logits"] = high.named["logits"]
    # What is less than a thousandth of it explains nothing.
    return {name: of for name, of in named.items() if of * 1000 >= high.held.total}


def lesson(spec: Spec, measured: Sequence[Measured]) -> str:
    """What a run that came to its end teaches, in one sentence made of its figures."""
    legs = [leg.name for leg in spec.legs if leg.strategy != "single"] or [leg.name for leg in spec.legs]
    if spec.tier == "oom":
        return _of_death(spec, measured)
    if spec.tier == "fake":
        return next(_of_size(legs, measured), "")
    return next(_of_pair(spec, legs, measured), "")


def _of_death(spec: Spec, measured: Sequence[Measured]) -> str:
    died = found("died", measured).choice
    cap = f"{(spec.cap or 0) / 1e6:,.0f} MB"
    if died == NOBODY:
        return f"Within {cap} both finished: the cap lies above what either needs on this machine."
    phase = found("died.phase", measured).choice
    other = next((leg.name for leg in spec.legs if leg.name != died), "")
    if any(one.died is not None for one in measured if one.leg == other):
        return f"Within {cap} neither finished: the cap lies below what either needs on this machine."
    return f"Within {cap} {died} died in {phase} and {other} finished: what a strategy saves decides what runs at all."


def _of_size(legs: list[str], measured: Sequence[Measured]) -> Iterator[str]:
    for leg in legs[:1]:
        rest, peak = found(f"rest.state@{leg}", measured).value, found(f"peak.total@{leg}", measured).value
        phase = found(f"peak.phase@{leg}", measured).choice
        if rest and peak:
            yield (
                f"Under {leg} a rank holds {size(rest)} between two steps and {size(peak)} at the peak, in {phase}: "
                f"a card must have room for {size(peak - rest)} beyond the state."
            )


def _of_pair(spec: Spec, legs: list[str], measured: Sequence[Measured]) -> Iterator[str]:
    first, last = legs[0], legs[-1]
    states = [found(f"rest.state@{leg}", measured).value for leg in (first, last)]
    sent = [found(f"traffic.payload@{leg}", measured).value for leg in (first, last)]
    if first == last or not all(states):
        if states[0]:
            yield f"Under {first} each of {spec.world} ranks holds {size(states[0])} of state between two steps."
        return
    less = (states[0] or 0) / (states[1] or 1)
    yield (
        f"On {spec.world} ranks {last} holds {size(states[1] or 0)} of state where {first} holds {size(states[0] or 0)}"
        f"{_times(less)}{_price(sent, first, last)}."
    )


def _times(less: float) -> str:
    if abs(less - 1) < _EVEN:
        return ", the same"
    return f", {less:.3g} times less" if less > 1 else f", {1 / less:.3g} times more"


def _price(sent: list[float | None], first: str, last: str) -> str:
    if not sent[0] or sent[1] is None:
        return ""
    ratio = sent[1] / sent[0]
    if abs(ratio - 1) < _EVEN:
        return f", and {last} hands its collectives as much as {first}"
    return f", and {last} hands its collectives {ratio:.3g} times as much as {first}"


def truths(spec: Spec, measured: Sequence[Measured]) -> dict[str, Found]:
    """What each prediction is held against: what was measured, or the solver's where the run did not come so far."""
    solved = {one.key: one for one in spec.expected}
    found_ = {}
    for one in spec.predictions:
        truth = things.found(one.key, measured)
        nothing = truth.value is None and truth.choice is None
        found_[one.key] = _solved(one.key, solved) if nothing else truth
    return found_
