"""Findings as a person, a script or a forge reads them. Whatever a file holds, nothing of it reaches a terminal raw."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from quiz.authoring.items.beside import line_of
from quiz.bank.diagnostics import BankError, escape, excerpt
from quiz.nouns import count, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction
    from pathlib import Path

    from quiz.authoring.items.beside import Answered
    from quiz.authoring.robot import Game
    from quiz.authoring.sheet import Findings, Row
    from quiz.bank.diagnostics import Diagnostic

_COLUMNS: Final = ("question", "kind", "key", "margin", "variants")
_HEADS: Final = (("error", "Errors: facts that are wrong or cannot be read"), ("warning", "Warnings: craft"))


def as_text(found: Findings, *, with_table: bool = True) -> str:
    """Everything, grouped: errors, warnings, what is waived, how each question is decided, what the robot guessed."""
    sources: dict[str, str | None] = {}
    blocks: list[str] = []
    for severity, head in _HEADS:
        group = [one for one in found.diagnostics if one.severity == severity]
        if group:
            blocks += [head, *(_finding(one, found.folder, sources) for one in group)]
    if found.waived:
        blocks.append("\n".join(["Waived", *(_waived(one, reason, found.folder) for one, reason in found.waived)]))
    if with_table and found.rows:
        blocks.append(_table([_COLUMNS, *(_cells(row) for row in found.rows)]))
        notes = [
            f"{row.id}: all {row.draws} draws tried; rejected {row.rejected}." for row in found.rows if row.rejected
        ]
        if notes:
            blocks.append("\n".join(notes))
    if found.robot is not None:
        blocks.append(robot_text(found.robot))
    blocks.append(summary(found))
    if found.answers is not None:
        blocks.append(_answers(found.answers, found.folder))
    return "\n".join(escape(line) for line in "\n\n".join(blocks).split("\n"))


def _answers(answers: Answered, folder: Path) -> str:
    learners = count(answers.learners, "learner")
    head = f"How {learners} answered (first answers; r, D: see author stats)"
    return "\n".join([head, *(f"  {folder / file}:{line}:1: {line_of(item)}" for item, file, line in answers.items)])


def place_of(one: Diagnostic, folder: Path) -> str:
    """The place of a finding as an editor opens it: from the folder that was named."""
    name = one.place.file if one.place.file == str(folder) else str(folder / one.place.file)
    return f"{escape(name)}:{max(one.place.line, 1)}:{max(one.place.column, 1)}"


def _finding(one: Diagnostic, folder: Path, sources: dict[str, str | None]) -> str:
    name = one.place.file
    if one.place.line and name not in sources:
        sources[name] = _text_of(folder / name)
    lines = [f"{place_of(one, folder)}: {one.code}: {escape(one.what)}"]
    text = sources[name] if one.place.line else None
    if text is not None:
        lines += excerpt(text, one.place)
    lines += [f"  {escape(said)}" for said in (one.why, one.next) if said]
    return "\n".join(lines)


def _text_of(path: Path) -> str | None:
    try:  # of an ordinary file only: a pipe would be waited for without end
        return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None
    except OSError:
        return None  # the finding says what is wrong with the file; only the line is not shown


def _waived(one: Diagnostic, reason: str, folder: Path) -> str:
    return f"  {place_of(one, folder)}: {one.code}: {' '.join(reason.split())}"


def _cells(row: Row) -> tuple[str, ...]:
    return row.id, row.kind, row.answer if row.kind == "numeric" else " > ".join(row.key), row.margin, str(row.variants)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def robot_text(games: Sequence[Game]) -> str:
    """The cue robot's scores, and what so many questions could have shown."""
    head = ("guesser", "picks", "right", "by luck", "p", "p (Holm)")
    rows = [
        (game.name, str(game.picks), game.right_text, f"{game.expected:.1f}", f"{game.p:.2g}", f"{game.corrected:.2g}")
        for game in games
    ]
    return f"{_table([head, *rows])}\n{_reach(games)}"


def _reach(games: Sequence[Game]) -> str:
    able = [game for game in games if game.needed]
    if not able:
        return "Too few questions: no score of any guesser could stand out from luck."
    best = max(able, key=lambda game: game.picks)
    detects = (
        f"; one that is right in {best.detects:.0%} of them would be found four times in five" if best.detects else ""
    )
    return (
        f"With {best.picks} questions the {best.name} guesser stands out from {best.needed_text} right on{detects}. "
        f"{len(able)} of {len(games)} guessers could stand out at all."
    )


def summary(found: Findings) -> str:
    """One line: questions, errors, warnings, asserted options."""
    asserted, options = sum(row.asserted for row in found.rows), sum(row.options for row in found.rows)
    share = f"; {asserted} of {options} options are asserted and not computed" if options else ""
    warnings = len(found.diagnostics) - found.errors
    if found.figures_of is not None:
        files = f"{count(found.figures_of, 'file')} checked by form and own figures alone"
        return f"{files}: {count(found.errors, 'error')}, {count(warnings, 'warning')}."
    whole = f"{count(len(found.rows), 'question')} {plural(len(found.rows), 'is', 'are')} whole"
    waived = f", {len(found.waived)} waived" if found.waived else ""
    return f"{whole}, {count(found.errors, 'error')}, {count(warnings, 'warning')}{waived}{share}."


def as_github(found: Findings) -> str:
    """Workflow commands that a GitHub run shows beside the lines of a change."""
    lines = []
    for one in found.diagnostics:
        file = one.place.file if one.place.file == str(found.folder) else str(found.folder / one.place.file)
        where = f"file={_property(file)},line={max(one.place.line, 1)},col={max(one.place.column, 1)}"
        said = " ".join(
            part if part.endswith((".", "?", "!")) else f"{part}." for part in (one.what, one.why, one.next) if part
        )
        lines.append(f"::{one.severity} {where},title={_property(one.code)}::{_message(said)}")
    for item, file, line in found.answers.items if found.answers else ():
        said = " ".join(line_of(item).split())
        lines.append(f"::notice file={_property(str(found.folder / file))},line={line},title=answers::{_message(said)}")
    return "\n".join([*lines, summary(found)])


def _message(text: str) -> str:
    return escape(text).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def as_json(found: Iterable[Findings]) -> str:
    """JSON in which what does not print (a control, a byte of a file name that is no text) stands as an escape."""
    data = [_data(one) for one in found]
    whole = data[0] if len(data) == 1 else {"banks": data}
    text = json.dumps(whole, ensure_ascii=False, indent=2)
    return "".join(one if one == "\n" or one.isprintable() else json.dumps(one)[1:-1] for one in text)


def _data(found: Findings) -> dict[str, Any]:
    return {
        "bank": str(found.folder),
        "questions": [
            {
                "id": row.id,
                "file": row.file,
                "kind": row.kind,
                "key": list(row.key),
                "answer": row.answer,
                "margin": row.margin,
                "variants": row.variants,
                "draws": row.draws,
                "rejected": row.rejected,
                "asserted": row.asserted,
                "options": row.options,
            }
            for row in found.rows
        ],
        "diagnostics": [_finding_data(one) for one in found.diagnostics],
        "waived": [{**_finding_data(one), "reason": reason} for one, reason in found.waived],
        "figures_of": found.figures_of,
        "answers": None if found.answers is None else _answers_data(found.answers),
        "robot": None if found.robot is None else [_game_data(game) for game in found.robot],
    }


def _finding_data(one: Diagnostic) -> dict[str, Any]:
    return {
        "file": one.place.file,
        "line": one.place.line,
        "column": one.place.column,
        "severity": one.severity,
        "code": one.code,
        "path": one.path,
        "what": one.what,
        "why": one.why,
        "next": one.next,
    }


def _answers_data(answers: Answered) -> dict[str, Any]:
    items = [{"file": file, "line": line, **msgspec.to_builtins(item)} for item, file, line in answers.items]
    return {"learners": answers.learners, "items": items}


def _plain_number(score: Fraction) -> float:
    return int(score) if score.denominator == 1 else round(float(score), 4)


def _game_data(game: Game) -> dict[str, Any]:
    return {
        "guesser": game.name,
        "picks": game.picks,
        "right": _plain_number(game.hits),
        "by_luck": round(game.expected, 4),
        "p": game.p,
        "p_holm": game.corrected,
        "stands_out": game.stands_out,
        "stands_out_from": _plain_number(game.needed) or None,
        "detects_share": game.detects,
    }


def not_a_bank(folder: Path, error: BankError) -> str:
    """Why a folder could not be checked at all."""
    return f"{folder} cannot be checked.\n{error}"
