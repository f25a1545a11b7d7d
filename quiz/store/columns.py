"""Columns of many rows as one text each, which `json_group_array` makes: no object is made of a row."""

from __future__ import annotations

import sqlite3
from datetime import date
from typing import Final

import msgspec

_NAMES: Final = msgspec.json.Decoder(list[str])
_NUMBERS: Final = msgspec.json.Decoder(list[int])
_DAMAGED: Final = "a column of it is damaged"


def names(text: str) -> list[str]:
    """Return the texts of a column. Raises sqlite3.DatabaseError where it holds something else."""
    try:
        return _NAMES.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise sqlite3.DatabaseError(_DAMAGED) from error


def numbers(text: str) -> list[int]:
    """Return the whole numbers of a column. Raises sqlite3.DatabaseError where it holds something else."""
    try:
        return _NUMBERS.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise sqlite3.DatabaseError(_DAMAGED) from error


def day(number: int) -> date:
    """Return the day of a number. Raises sqlite3.DatabaseError where none has it."""
    try:
        return date.fromordinal(number)
    except (TypeError, ValueError, OverflowError) as error:
        raise sqlite3.DatabaseError(_DAMAGED) from error
