"""Drafts from a table in CSV: a question a row, with columns that are known by their names.

`question` (or `stem`, `front`) is needed; then `answer` (or `back`), options in `option A` to `option H` (or `a` to
`h`, or `option 1` ..., or together in `options`, with | between them) with `key` (or `correct answer`; a letter, a
number, or the text of an option), and `id`, `topic`, `title`, `difficulty`, `why`, `unit`. Without a `key` the `answer`
to options is one. Wrong options may have columns of their own (`incorrect answer 1`). Other columns are named as not
taken over. What this program exports is read back.
"""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final
from unicodedata import decimal as decimal_of

from quiz.authoring.exchange.as_csv import COLUMNS, EXACT, unguarded
from quiz.authoring.exchange.as_gift import decimal
from quiz.authoring.exchange.bank_text import half_a_digit
from quiz.authoring.exchange.csv_key import rights, several
from quiz.authoring.exchange.draft import MAX_OPTIONS, Choice, Draft, Imported, UnreadableError, Value, in_words
from quiz.authoring.exchange.html_text import has_markup, plain_text, tags_in
from quiz.authoring.exchange.marks import printable
from solvers.expr.units import UNITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_BYTES: Final = 32_000_000
_NAMES: Final = {
    "question": "stem", "stem": "stem", "front": "stem", "prompt": "stem",
    "answer": "answer", "back": "answer", "solution": "answer",
    "key": "key", "correct": "key", "right": "key", "correct answer": "key", "correct option": "key",
    "correctanswer": "key", "correctoption": "key", "right answer": "key", "answer key": "key",
    "options": "list", "choices": "list",
    "id": "id", "topic": "topic", "category": "topic", "title": "title", "difficulty": "difficulty",
    "why": "why", "explanation": "why", "feedback": "why", "unit": "unit", "kind": "kind", "tolerance": "tolerance",
}  # fmt: skip
_INSTEAD: Final = {"subject": "topic", "chapter": "topic"}
"""What stands for a column where there is none of its own name."""
_WRONG: Final = re.compile(r"(?:incorrect|wrong)[ _]?(?:answer|option)?[ _]?([a-h]|[1-8])?|distractor[ _]?([1-8])?")
_OPTION: Final = re.compile(r"(?:option|choice|answer)?[ _]?([a-h]|[1-8])", re.IGNORECASE)
_DELIMITERS: Final = (",", ";", "\t")
_AMOUNT: Final = re.compile(r"([-−+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−+]?\d{1,30}(?:\.\d{1,30})?)\s*(\S{0,30})")
_MONEY: Final = re.compile(r"^([-−]?)\$\s?(\d[\d,]*(?:\.\d{1,30})?)$")
_SHARE: Final = re.compile(r"(\d{1,2}(?:\.\d{1,4})?)\s*%")
_PLAIN: Final = re.compile(r"(\d{1,30}(?:\.\d{1,30})?)")
_OURS: Final = re.compile(r"(relative|absolute) (\d{1,60}(?:/[1-9]\d{0,60})?)(?: in base units)?")
_LEVELS: Final = ("1", "2", "3", "4", "5")
# Ours, and derived again from a question: nothing is lost with them.
_DERIVED: Final = ("derivation", "conventions", "sources", "variant")


def read_csv(content: bytes) -> Imported:
    """The rows of a table as drafts. Raises `UnreadableError`."""
    rows = list(_rows(_text(content)))
    if not rows:
        raise UnreadableError("this file is empty; its first row names the columns")
    (line, head), body = rows[0], rows[1:]
    found = Imported()
    columns, options, wrong = _columns(line, head, found)
    ours = [unguarded(cell) for cell in head] == [*COLUMNS]
    if not body:
        raise UnreadableError("no row follows the names of the columns")
    for at, row in body:
        if len(row) != len(head):
            found.lose(at, f"this row has {len(row)} cells, and the first row has {len(head)}; left out")
            continue
        cells = [unguarded(cell) for cell in row]
        named = {name: cells[column] for name, column in columns.items()}
        _take(found, at, named, [cells[one] for one in options], [cells[one] for one in wrong], plain=ours)
    return found


def _text(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise UnreadableError(f"this file is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = "this is not UTF-8 text; save the table as CSV in UTF-8"
        raise UnreadableError(what, content.count(b"\n", 0, error.start) + 1) from error
    if "\0" in text:
        raise UnreadableError(
            "there is a NUL character; this is no text file", text.count("\n", 0, text.index("\0")) + 1
        )
    return text


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableError(f"this is no CSV: {error}; a quotation mark may be open", line) from error


def _columns(line: int, head: Sequence[str], found: Imported) -> tuple[dict[str, int], list[int], list[int]]:
    """The columns by what they are, those of options in their order, and those of wrong options."""
    columns: dict[str, int] = {}
    options: list[tuple[str, int]] = []
    wrong: list[int] = []
    names = [" ".join(unguarded(cell).strip().lower().replace("_", " ").split()) for cell in head]
    there = {_NAMES[name] for name in names if name in _NAMES}
    for column, name in enumerate(names):
        option = _OPTION.fullmatch(name)
        if name in _NAMES and _NAMES[name] not in columns:
            columns[_NAMES[name]] = column
        elif option:
            options.append((option[1], column))
        elif _WRONG.fullmatch(name):
            wrong.append(column)
        elif name in _INSTEAD and _INSTEAD[name] not in {*there, *columns}:
            columns[_INSTEAD[name]] = column
        elif name and name not in _DERIVED:
            found.lose(line, f"the column {name[:60]!r} is not known and not taken over")
    if "stem" not in columns:
        known = ", ".join(sorted(_NAMES))
        raise UnreadableError(f"no column is named question; columns are known by name: {known}, option A ...", line)
    return columns, [column for _, column in sorted(options)], wrong


def _take(
    found: Imported, line: int, cells: dict[str, str], options: Sequence[str], wrong: Sequence[str], *, plain: bool
) -> None:
    """Take a row; with `plain` no cell is HTML, whatever stands in it."""

    def words(text: str) -> str:
        if plain or not has_markup(text):
            return printable(text).strip()
        read, lost = plain_text(text.replace("\n", "<br>"))
        for what in lost:
            found.lose(line, f"{what} is not taken over")
        if tags := tags_in(text):
            found.lose(line, f"read as HTML, without its {tags}")
        return read

    texts = [words(text) for text in (options or cells.get("list", "").split("|"))]
    distractors = [text for text in map(words, wrong) if text]
    level = cells.get("difficulty", "").strip()
    if level and level not in _LEVELS:
        found.lose(line, f"the difficulty {level[:20]!r} is none of 1 to 5 and is not taken over")
    key = words(cells.get("key", ""))
    answer = words(cells.get("answer", ""))
    if not key and (any(texts) or distractors):
        key, answer = answer, ""  # beside options an answer says which
    if distractors and key and not any(texts):
        texts = sorted((key, *distractors), key=str.casefold)  # in an order that tells nothing
    elif not any(texts):
        key, answer = "", answer or key
    order = several(texts, key) if key and not rights(texts, key) else ()
    ordered = cells.get("kind", "").strip() == "ordering"
    right = rights(texts, key) if ordered or not order else frozenset(order)
    base = Draft(
        line,
        words(cells["stem"]),
        tuple(Choice(text, at in right) for at, text in enumerate(texts) if text),
        why=words(cells.get("why", "")),
        id=words(cells.get("id", "")),
        topic=words(cells.get("topic", "")),
        title=words(cells.get("title", "")),
        difficulty=int(level) if level in _LEVELS else None,
        sketch=answer,
    )
    if ordered and order:
        inner = "\n".join(f"{number}. {texts[at]}" for number, at in enumerate(order, start=1))
        found.add(in_words(base, "an ordering", found, inner))
        return
    found.add(_fitted(base, found, key, (words(cells.get("unit", "")), words(cells.get("tolerance", "")))))


def _fitted(base: Draft, found: Imported, key: str, measured: tuple[str, str]) -> Draft:
    """A draft of the kind that its cells make: a choice, a number (`measured`: unit and tolerance), or words."""
    right = sum(option.right for option in base.options)
    if base.options and not key:
        return in_words(base, "no key says which option is right", found)
    if base.options and not right:
        why = f"the key {key[:40]!r} names none of the options"
        return in_words(base, why, found, f"The key of the table: {key}")
    if base.options and right != 1:
        return in_words(base, f"{right} options are right, where a choice here has one", found)
    if len(base.options) > MAX_OPTIONS:
        return in_words(base, f"{len(base.options)} options, where a choice here has at most {MAX_OPTIONS}", found)
    said = {key.casefold(), *(option.text.casefold() for option in base.options)}
    if base.options:
        if base.sketch and base.sketch.casefold() not in said:
            found.lose(base.line, f"the answer {base.sketch[:40]!r} beside the choice is not taken over")
        return base
    return _measured(base, found, *measured)


def _measured(base: Draft, found: Imported, unit: str, tolerance: str) -> Draft:
    """A draft whose answer is a number; as it is where the answer is none."""
    dollars = _MONEY.sub(r"\1\2 $", base.sketch)
    amount = _AMOUNT.fullmatch("".join(str(decimal_of(one, one)) for one in dollars))
    if amount is None or (unit and amount[2] and amount[2] != unit):
        if ";" in unit:
            found.lose(base.line, f"several answers, {base.sketch[:60]!r}; they are asked for in words")
        elif unit:
            found.lose(base.line, f"{base.sketch[:40]!r} is no number in {unit[:20]}; it is asked for in words")
        return base
    number = amount[1].replace(",", "").replace("−", "-").lstrip("+")
    unit = unit or amount[2]
    share, within = ("", half_a_digit(number)) if tolerance == EXACT else _within(tolerance, unit)
    if tolerance and not share and not within:
        found.lose(base.line, f"the tolerance {tolerance[:40]!r} is not taken over")
    value = Value(number, within, unit, share)
    return Draft(base.line, base.stem, (), value, "", base.why, base.id, base.topic, base.title, base.difficulty)


def _within(tolerance: str, unit: str) -> tuple[str, str]:
    """A tolerance as a share and as an amount in the unit, of which one is empty; both where it is none of ours."""
    percent, ours, plain = (one.fullmatch(tolerance) for one in (_SHARE, _OURS, _PLAIN))
    if percent:
        return f"{percent[1]} %", ""
    if plain:
        return "", plain[1]
    if not ours:
        return "", ""
    value = Fraction(ours[2])
    if ours[1] == "relative":
        return f"{decimal(value * 100)} %", ""
    known = UNITS.get(unit) if unit else None
    return "", decimal(value / known.factor) if known is not None else "" if unit else decimal(value)
