"""A run that is over: prediction, solver, fake and measurement side by side, and what they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.drills import told
from quiz.drills.records import PHASES
from quiz.tui import tables
from quiz.tui.drill import picture, spelled
from quiz.tui.lines import BLANK, Lines, join, text, wrap
from quiz.tui.sections import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.drills.live import Live
    from quiz.drills.records import Env, Measured, Result, Row, Sent, Shape, Spec


_TELLING = 1e-3
"""The share of a peak from which on one of its overheads is worth a word."""
LOW = 20
"""Rows below which the lesson moves from the head of the result into its first section."""


def sections(
    spec: Spec, result: Result, live: Live, env: Env | None, *, rows: int = 24, colourless: bool = False
) -> tuple[Section, ...]:
    """What there is to read about a run, in the order in which it is read, on a screen of so many `rows`."""
    made = [Section("shown", "Result", lambda width: outcome(spec, result, width, lesson=rows < LOW))]
    if any(leg.rest or leg.peaks for leg in result.measured):
        made.append(Section("memory", "Memory", lambda width: memory(spec, result, width, colourless=colourless)))
    if any(leg.traffic for leg in result.measured):
        made.append(Section("traffic", "Traffic", lambda width: traffic(result, width)))
    if any(len(leg.curve) > 1 for leg in live.legs.values()):
        made.append(Section("loss", "Loss", lambda width: picture.losses(live, width, max(4, min(12, rows - 12)))))
    made.append(Section("run", "Run", lambda width: about(spec, result, live, env, width)))
    return tuple(made)


def headline(result: Result, width: int, rows: int = 24) -> Lines:
    """How it ended, in a sentence, and the score; the lesson too where there is height for it."""
    if result.outcome == "done":
        lead, style = ("✓ ", "$right bold")
        words = "Measured"
        if result.score is not None:
            words = f"Measured. You scored {round(result.score * 100)} of 100"
    else:
        lead, style = ("✗ ", "$wrong bold")
        said = told.ended(result).sentence
        words = f"{said[:1].upper()}{said[1:]}"
    lines = wrap(text(words, "bold"), width, join((lead, style)))
    return lines + (wrap(text(result.lesson), width, "  ") if result.lesson and rows >= LOW else [])


def outcome(spec: Spec, result: Result, width: int, *, lesson: bool = False) -> Lines:
    """Who died or how far it came; the table of comparison; what the differences are made of.

    With `lesson` that comes first.
    """
    first = [*wrap(text(result.lesson), width), BLANK] if lesson and result.lesson else []
    return first + _partial(spec, result, width) + _dead(spec, result, width) + _table(result, width)


def _partial(spec: Spec, result: Result, width: int) -> Lines:
    """How far each plan of a run came that did not come to its end, and the library's own words of a failure."""
    if result.outcome == "done":
        return []
    beneath = told.ended(result).beneath
    lines = [*wrap(text(f"torch: {beneath}", "$quiet"), width), BLANK] if beneath else []
    if not any(one.steps or one.rest for one in result.measured):
        return [*lines, *wrap(text(told.NOTHING), width)]
    lines += wrap(text(told.PARTIAL), width)
    longest = max(len(leg.name) for leg in spec.legs)
    for name, words in told.so_far(spec, result.measured):
        lines += wrap(join((f"{name:<{longest}}  ", "bold"), (words, "$quiet")), width, "  ", "    ")
    return [*lines, BLANK]


def _dead(spec: Spec, result: Result, width: int) -> Lines:
    """Who died of the cap, in plain words with the library's beneath, and what the relations say of it."""
    lines: Lines = []
    for death in told.deaths(spec, result.measured):
        lines += wrap(text(death.sentence), width)
        lines += wrap(text(f"torch: {death.beneath}", "$quiet"), width, "  ") if death.beneath else []
        lines.append(BLANK)
    relations = told.relations(spec) if result.outcome == "done" else ""
    return lines + ([*wrap(text(relations), width), BLANK] if relations else [])


def _table(result: Result, width: int) -> Lines:
    """What was asked first; then what else was measured, leg by leg."""
    rows = result.rows if result.outcome == "done" else tuple(row for row in result.rows if _was_measured(row))
    asked = [row for row in rows if row.predicted is not None or row.predicted_choice is not None]
    lines = _compared([(row.label, row) for row in asked], width, said=True) if asked else []
    others = [row for row in rows if row not in asked]
    found = [row.key.partition("@")[2] for row in others]
    for leg in dict.fromkeys(name for name in (*(one.leg for one in result.measured), *found) if name in found):
        of_leg = [row for row in others if row.key.partition("@")[2] == leg]
        named = [(row.label.removesuffix(f", {leg}"), row) for row in of_leg]
        lines += [BLANK] if lines else []
        lines += wrap(text(leg.replace("/", " over ") or "all plans", "$text-accent bold"), width)
        lines += _compared(named, width, said=False)
    for row in rows:
        lines += _notes(row, width)
    return lines


def _was_measured(row: Row) -> bool:
    return row.measured is not None or row.fake is not None or row.measured_choice is not None


def _compared(rows: Sequence[tuple[str, Row]], width: int, *, said: bool) -> Lines:
    has_fake = any(row.fake is not None for _, row in rows)
    head = ["", *(["You"] if said else []), "Solver", *(["Fake"] if has_fake else []), "Measured", "Solver is off"]
    cells = [
        [
            label,
            *([_yours(row)] if said else []),
            spelled.told(row, "solved"),
            *([spelled.told(row, "fake")] if has_fake else []),
            spelled.told(row, "measured"),
            _off(row),
        ]
        for label, row in rows
    ]
    return tables.lay([head, *cells], width)


def _yours(row: Row) -> str:
    told = spelled.told(row, "predicted")
    if told == "–":
        return told
    if row.predicted_choice is not None:
        return f"{told} {'✓' if row.predicted_choice == row.measured_choice else '✗'}"
    if row.predicted_error is None:
        return told
    return f"{told} ({spelled.error(row.predicted_error)})" if row.predicted_error else f"{told} ✓"


def _off(row: Row) -> str:
    sign = "" if row.holds is None else "✓ " if row.holds else "✗ "
    if row.solved_choice is not None:
        return sign.strip()
    words = spelled.error(row.solved_error)
    return f"{sign}{'exact' if words == '0' else words}"


def _notes(row: Row, width: int) -> Lines:
    if not row.names and not row.note:
        return []
    lines: Lines = [BLANK, *wrap(text(row.label, "$text-accent bold"), width)]
    for name, count in row.names.items():
        lines += wrap(join((f"{spelled.size(count):>10}  ", "bold"), name), width, "", " " * 12)
    return lines + (wrap(text(row.note, "$quiet"), width) if row.note else [])


def memory(spec: Spec, result: Result, width: int, *, colourless: bool = False) -> Lines:
    """For each leg what the fullest rank holds at rest and in each phase at most."""
    legs = _fullest(result)
    every = [high.held.total for leg in legs for high in leg.peaks] + [leg.rest.total for leg in legs if leg.rest]
    top = float(max([*every, spec.cap or 0]))
    lines: Lines = []
    helds = []
    for leg in legs:
        lines += [BLANK] if lines else []
        died = f"  died in {leg.died}" if leg.died else ""
        rank = f"  rank {leg.rank}" if spec.world > 1 else ""
        lines.append(join((leg.leg, "bold"), (rank, "$quiet"), (died, "$wrong")))
        rows = [("at rest", leg.rest)] if leg.rest else []
        ordered = sorted(leg.peaks, key=lambda high: PHASES.index(high.phase) if high.phase in PHASES else len(PHASES))
        rows += [(high.phase, high.held) for high in ordered]
        for name, held in rows:
            helds.append(held)
            lines.append(picture.held_row(f"{name:<9}", held, top, width, colourless=colourless, cap=spec.cap))
        peak = leg.peak
        if peak is not None and peak.named:
            telling = {name: count for name, count in peak.named.items() if count >= _TELLING * peak.held.total}
            words = ", ".join(f"{name} {spelled.size(count)}" for name, count in telling.items())
            lines += wrap(text(f"in {peak.phase}: {words}", "$quiet"), width, "  ") if words else []
        if peak is not None and peak.resident is not None:
            lines += wrap(text(f"resident at most {spelled.size(peak.resident)}", "$quiet"), width, "  ")
    return [*lines, BLANK, *picture.key(helds, width, colourless=colourless)]


def _fullest(result: Result) -> list[Measured]:
    """Of each leg the rank that held most, in the order of the legs."""
    by_leg: dict[str, Measured] = {}
    for one in result.measured:
        held = one.peak.held.total if one.peak else 0
        kept = by_leg.get(one.leg)
        if kept is None or held > (kept.peak.held.total if kept.peak else 0):
            by_leg[one.leg] = one
    return list(by_leg.values())


def traffic(result: Result, width: int) -> Lines:
    """What the least rank of each leg handed to its collectives in one step."""
    lines: Lines = []
    seen: set[str] = set()
    for leg in result.measured:
        if leg.leg in seen:
            continue
        seen.add(leg.leg)
        lines += [BLANK] if lines else []
        total = sum(sent.bytes for sent in leg.traffic)
        lines += wrap(join((leg.leg, "bold"), (f"  {spelled.size(total)} a step on rank {leg.rank}", "$quiet")), width)
        if not leg.traffic:
            continue
        rows: list[list[str]] = [["collective", "over", "phase", "dtype", "calls", "payload"]]
        rows += [
            [sent.op, _over(sent), sent.phase, sent.dtype, str(sent.count), spelled.size(sent.bytes)]
            for sent in leg.traffic
        ]
        lines += tables.lay(rows, width)
    words = "Payload is what a collective is handed, not what crosses a wire: that depends on the algorithm."
    return [*lines, BLANK, *wrap(text(words, "$quiet"), width)]


def _model(shape: Shape) -> str:
    size = f"{shape.layers} layers, hidden {shape.hidden}, sequence {shape.sequence}"
    return f"{spelled.model(shape)}: {shape.parameters:,} parameters, {size}"


def _over(sent: Sent) -> str:
    return f"{sent.group} of {sent.size}" if sent.size else sent.group


def about(spec: Spec, result: Result, live: Live, env: Env | None, width: int) -> Lines:
    """Where and how it ran, so that it can be run again; then the log."""
    facts = [
        ("run", spec.run),
        ("tier", f"{spec.tier}: {spelled.TIERS[spec.tier]}"),
        ("ranks", f"{spec.world}, {spec.steps} steps, seed {spec.seed}, {result.seconds:.1f} s"),
        ("model", f"{_model(spec.shape)}, micro-batch {spec.batch}"),
    ]
    if spec.cap is not None:
        facts.append(("cap", f"{spelled.size(spec.cap)} a rank beyond what it holds at the start"))
    if env is not None:
        facts.append(("torch", f"{env.torch} on {env.device or spec.device}, {env.backend}, {env.launch}"))
        facts.append(("machine", f"{env.platform}, {env.cores} cores, {spelled.size(env.memory)}"))
    facts.append(("again", f"shardwise prove --replay {spec.run}"))
    lines: Lines = []
    for name, words in facts:
        lines += wrap(text(words), width, join((f"{name:<9}", "$quiet")))
    for name, says in told.plans(spec.legs):
        lines += wrap(join((f"{name}  ", "bold"), says), width, " " * 9)
    if live.log:
        lines += [BLANK, text("Log", "$text-accent bold")]
        for line in live.log:
            lines += wrap(text(line, "$quiet"), width, "  ")
    return lines
