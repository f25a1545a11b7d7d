"""The examples in the solvers' own docstrings run, and print what they say."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

import solvers
from tests.house import ROOT

MODULES = (
    "solvers",
    "solvers.derive_text",
    "solvers.expr.algebra",
    "solvers.expr.polynomials",
    "solvers.inputs",
    "solvers.inverse",
    "solvers.record",
    "solvers.slips",
    "solvers.axes",
    "solvers.choices",
    "solvers.variations",
    "solvers.verdict",
)
PAGES = ("docs/learners/python-api.md",)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name: str) -> None:
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_a_page_run(name: str) -> None:
    found = doctest.testfile(str(ROOT / name), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0


def test_everything_that_is_exported_is_there_and_documented() -> None:
    for name in solvers.__all__:
        assert getattr(solvers, name).__doc__, name


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = solvers.nothing
