"""Files of a few screenfuls: one that outgrows them has two subjects."""

from __future__ import annotations

from tests.house import python_files, relative

MOST_LINES = 400
# name -> why it may be longer
EXCEPTIONS: dict[str, str] = {}


def _lengths() -> dict[str, int]:
    files = python_files("quiz", "solvers", "tests", "benchmarks")
    return {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files}


def test_no_file_has_more_than_400_lines() -> None:
    too_long = {name: lines for name, lines in _lengths().items() if lines > MOST_LINES and name not in EXCEPTIONS}
    assert too_long == {}


def test_an_exception_that_is_not_needed_is_taken_back() -> None:
    lengths = _lengths()
    assert [name for name in EXCEPTIONS if lengths.get(name, 0) <= MOST_LINES] == []
