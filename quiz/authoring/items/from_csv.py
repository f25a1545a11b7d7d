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

Nothing is guessed: what makes the table another one is an `UnreadableError` with its line. A column that is no
question, a key that is no option and an answer that is none are left out and told, and the rest is counted.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.authoring.items.table import Cell, Item, Responses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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


@dataclass(frozen=True, slots=True)
class Asked:
    """What a bank can ask: the names of its questions, and by a name the options, none for a typed answer."""

    names: Sequence[str]
    options: Callable[[str], Sequence[str]]


@dataclass(slots=True)
class LeftOut:
    """Something that is not counted: the line and column of its first cell, and in how many cells it stands."""

    line: int
    column: int
    what: str
    next: str
    cells: int = 1


@dataclass(slots=True)
class _Told:
    """What is left out, each thing once."""

    found: dict[tuple[int, str], LeftOut] = field(default_factory=dict)

    def add(self, line: int, column: int, what: str, next_: str) -> None:
        one = self.found.get((column, what))
        if one is None:
            self.found[column, what] = LeftOut(line, column + 1, what, next_)
        else:
            one.cells += 1


def read_csv(content: bytes) -> Responses:
    """The table in a CSV file. Raises `UnreadableError`."""
    return checked_csv(content, None)[0]


def checked_csv(content: bytes, asked: Asked | None) -> tuple[Responses, tuple[LeftOut, ...]]:
    """The table in a CSV file, and what of it is left out. Raises `UnreadableError`.

    Without `asked`, the questions of a bank, each column is one, and its options are those that the table lists.
    """
    told = _Told()
    rows = list(_rows(_text(content)))
    if not rows:
        raise UnreadableError(0, "this file is empty; its first row names the questions")
    (line, head), body = rows[0], rows[1:]
    names, counted = _names(line, head)
    keys, options, answers = _sorted_out(body, len(head))
    names, offered = _offered(line, names, (keys, options), asked, told)
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
            answer, key = row[column].strip(), keys.at(column)
            cell = _cell(at, name, answer, key)
            if cell is not None and key and cell.option and (next_ := _stranger(answer, key, offered[name])):
                told.add(at, column, f"{name}: {answer!r} is {_none_of(key, offered[name])}", next_)
            elif cell is not None:
                met[name].setdefault(cell.option)
                cells[name].update(dict.fromkeys(range(first, first + times), cell))
    if not people:
        raise UnreadableError(line, "no row with answers follows the names of the questions")
    items = tuple(_item(name, keys.at(column), offered[name], met[name]) for column, name in names)
    return Responses(tuple(people), items, cells), tuple(told.found.values())


class _Row(NamedTuple):
    """A row that says something of each question; it need not be there."""

    line: int = 0
    cells: Sequence[str] = ()

    def at(self, column: int) -> str:
        """What it says of a question."""
        return self.cells[column].strip() if self.cells else ""


def _offered(
    line: int, names: list[tuple[int, str]], special: tuple[_Row, _Row], asked: Asked | None, told: _Told
) -> tuple[list[tuple[int, str]], Mapping[str, Sequence[str]]]:
    """The columns that are counted, and the options of each as far as they are known."""
    kept: list[tuple[int, str]] = []
    offered: dict[str, Sequence[str]] = {}
    keys, listed = special
    for column, name in names:
        if asked is not None and name not in asked.names:
            near = (
                _nearest(name, asked.names) or "Name the question by its id, or leave out BANK to count every column."
            )
            told.add(line, column, f"{name}: the bank has no such question", near)
            continue
        key, said = keys.at(column), [one.strip() for one in listed.at(column).split("|") if one.strip()]
        ours = asked.options(name) if asked is not None and key and not said else ()
        offered[name] = said or (ours if key in ours else ())  # the table may have letters of its own
        if key and said and key not in said:
            near = _nearest(key, said) or "Mend the row `key`, or add it to the row `options`."
            told.add(keys.line, column, f"{name}: its key {key!r} is none of the options ({', '.join(said)})", near)
            continue
        kept.append((column, name))
    return kept, offered


def _stranger(answer: str, key: str, offered: Sequence[str]) -> str:
    """What to do about an answer that is no option; empty for one that is, or may be where no options are listed."""
    if answer == key or answer in offered:
        return ""
    if offered:
        return _nearest(answer, offered) or "Mend the cell, or add it to the row `options`."
    return f"Write it as the key is written: {key}." if answer.casefold() == key.casefold() else ""


def _none_of(key: str, offered: Sequence[str]) -> str:
    return f"none of the options ({', '.join(offered)})" if offered else f"not quite the key {key!r}"


def _nearest(name: str, known: Sequence[str]) -> str:
    by_fold = {one.casefold(): one for one in known}
    near = get_close_matches(name.casefold(), by_fold, n=1)
    return f"Did you mean {by_fold[near[0]]}?" if near else ""


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


def _sorted_out(body: Sequence[tuple[int, list[str]]], width: int) -> tuple[_Row, _Row, list[tuple[int, list[str]]]]:
    """The row of keys, that of options, and those of learners."""
    special: dict[str, _Row] = {}
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
            special[name] = _Row(line, row)
    if _OPTIONS in special and _KEY not in special:
        where = special[_OPTIONS].line
        raise UnreadableError(where, "there is a row of options and none named key, so nothing says which are right")
    return special.get(_KEY, _Row()), special.get(_OPTIONS, _Row()), answers


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


def _item(name: str, key: str, offered: Sequence[str], met: dict[str, None]) -> Item:
    if not key:
        return Item(name)
    return Item(name, tuple(dict.fromkeys([*offered, key, *(one for one in met if one)])), key)
