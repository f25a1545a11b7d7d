"""Answers from a plain table in CSV: a row a learner, a column a question.

    learner,which-fits,how-often
    key,sharded,
    options,sharded|replicated|pipeline,
    ada,sharded,1
    ben,replicated,0
    eve,-,

The first row names the questions. A row whose first cell is `key` gives the right option of each; without one, or
where its cell is empty, answers are 1 (right) or 0 (wrong). A row `options` lists those that could be chosen, parted by
`|`, so that one that nobody chose is counted. `-` is "asked, not answered", which counts as wrong; an empty cell is
"not asked". A column `count` says how many learners answered as this row does.

Nothing is guessed: whatever does not fit is an `UnreadableError` with its line.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Final

from quiz.authoring.items.table import Cell, Item, Responses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_BYTES: Final = 32_000_000
MAX_PEOPLE: Final = 100_000
MAX_ITEMS: Final = 1_000
MAX_CELLS: Final = 4_000_000
_LONGEST: Final = 200
_KEY: Final = "key"
_OPTIONS: Final = "options"
_COUNT: Final = "count"
_OMITTED: Final = "-"
_DELIMITERS: Final = (",", ";", "\t")
_CODED: Final = {"1": 1, "0": 0}


class UnreadableError(Exception):
    """A table that cannot be taken as it is. `line` counts from 1; 0 is the file as such."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line, self.what = line, what


def read_csv(content: bytes) -> Responses:
    """The table in a CSV file. Raises `UnreadableError`."""
    rows = list(_rows(_text(content)))
    if not rows:
        raise UnreadableError(0, "this file is empty; its first row names the questions")
    (line, head), body = rows[0], rows[1:]
    names, counted = _names(line, head)
    keys, options, answers = _sorted_out(body, len(head))
    cells: dict[str, dict[int, Cell]] = {name: {} for _, name in names}
    people: list[str] = []
    seen: dict[str, int] = {}
    met: dict[str, dict[str, None]] = {name: {} for _, name in names}
    for at, row in answers:
        who, times = row[0].strip(), _times(at, row[counted]) if counted else 1
        if not who:
            raise UnreadableError(at, "the first cell of this row is empty; it says whose answers these are")
        if who in seen:
            raise UnreadableError(at, f"{who!r} is on line {seen[who]} already; a learner has one row")
        seen[who] = at
        first = len(people)
        people += [who] * times
        if len(people) > MAX_PEOPLE or len(people) * len(names) > MAX_CELLS:
            raise UnreadableError(
                at, f"this table is too large: {MAX_PEOPLE:,} learners and {MAX_CELLS:,} answers at most"
            )
        for column, name in names:
            cell = _cell(at, name, row[column].strip(), keys[column].strip() if keys else "")
            if cell is not None:
                met[name].setdefault(cell.option)
                cells[name].update(dict.fromkeys(range(first, first + times), cell))
    if not people:
        raise UnreadableError(line, "no row with answers follows the names of the questions")
    items = tuple(_item(column, name, keys, options, met[name]) for column, name in names)
    return Responses(tuple(people), items, cells)


def _text(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise UnreadableError(0, f"this file is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableError(line, "this is not UTF-8 text; save the table as CSV in UTF-8") from error
    if "\0" in text:
        raise UnreadableError(
            text.count("\n", 0, text.index("\0")) + 1, "there is a NUL character; this is no text file"
        )
    return text


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with the line that each begins on; empty ones are passed over."""
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableError(line, f"this is no CSV: {error}; a quotation mark may be open") from error


def _names(line: int, head: Sequence[str]) -> tuple[list[tuple[int, str]], int]:
    """The columns that are questions, and that of the count (0 for none)."""
    names: list[tuple[int, str]] = []
    counted = 0
    for column, cell in enumerate(head[1:], start=1):
        name = cell.strip()
        if not name:
            raise UnreadableError(line, f"column {column + 1} has no name; the first row names the questions")
        if len(name) > _LONGEST:
            raise UnreadableError(line, f"the name of column {column + 1} is longer than {_LONGEST} characters")
        if name.lower() == _COUNT and not counted:
            counted = column
        elif name in {known for _, known in names}:
            raise UnreadableError(line, f"two columns are named {name!r}")
        else:
            names.append((column, name))
    if not names:
        raise UnreadableError(line, "no column names a question; the first is the learner's, the others are questions")
    if len(names) > MAX_ITEMS:
        raise UnreadableError(line, f"there are more than {MAX_ITEMS:,} questions")
    return names, counted


def _sorted_out(
    body: Sequence[tuple[int, list[str]]], width: int
) -> tuple[list[str], list[str], list[tuple[int, list[str]]]]:
    """The row of keys, that of options, and those of learners."""
    special: dict[str, list[str]] = {}
    answers: list[tuple[int, list[str]]] = []
    for line, row in body:
        if len(row) != width:
            raise UnreadableError(line, f"this row has {len(row)} cells, and the first row has {width}")
        name = row[0].strip().lower()
        if name not in (_KEY, _OPTIONS):
            answers.append((line, row))
        elif name in special:
            raise UnreadableError(line, f"there are two rows named {name}")
        else:
            special[name] = row
    if _OPTIONS in special and _KEY not in special:
        raise UnreadableError(0, "there is a row of options and none named key, so nothing says which are right")
    return special.get(_KEY, []), special.get(_OPTIONS, []), answers


def _times(line: int, text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()) or len(text) > len(str(MAX_PEOPLE)) + 2:
        raise UnreadableError(line, f"the count is not a whole number of learners: {text[:40]!r}")
    return int(text)


def _cell(line: int, name: str, answer: str, key: str) -> Cell | None:
    if not answer:
        return None
    if answer == _OMITTED:
        return Cell(0)
    if len(answer) > _LONGEST:
        raise UnreadableError(line, f"the answer to {name} is longer than {_LONGEST} characters")
    if key:
        return Cell(int(answer == key), answer)
    if answer not in _CODED:
        raise UnreadableError(
            line,
            f"the answer to {name} is {answer[:40]!r}: without a key an answer is 1 (right), 0 (wrong) or - (none)",
        )
    return Cell(_CODED[answer])


def _item(column: int, name: str, keys: Sequence[str], options: Sequence[str], met: dict[str, None]) -> Item:
    key = keys[column].strip() if keys else ""
    if not key:
        return Item(name)
    listed = [option.strip() for option in options[column].split("|")] if options else []
    every = dict.fromkeys([*(one for one in listed if one), key, *(one for one in met if one)])
    return Item(name, tuple(every), key)
