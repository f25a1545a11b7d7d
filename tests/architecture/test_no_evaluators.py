"""No text is ever executed: what a learner or an author writes is read by our own bounded readers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.house import python_files, relative

if TYPE_CHECKING:
    from collections.abc import Iterator

CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {
    "sympify",
    "parse_expr",
    "parse_latex",
    "unsafe_load",
    "full_load",
    "literal_eval",
    "lambdify",
}
SHELLS = {"system", "popen"}
"""Of the module os. Elsewhere a function of our own may have such a name; as an attribute it is refused anyway."""
MODULES = {"pickle", "marshal", "shelve", "dill", "code"}
YAML_READERS = {"load", "load_all", "safe_load", "safe_load_all"}
READS_YAML = "quiz/bank/"
"""Only here, where the strict loader is, may YAML be loaded at all."""


def executed_text(source: str, *, reads_yaml: bool = False) -> Iterator[str]:
    """What in `source` could execute a text, as `line: what`."""
    for node in ast.walk(ast.parse(source)):
        for what in _faults(node, reads_yaml=reads_yaml):
            yield f"{getattr(node, 'lineno', 0)}: {what}"


def _faults(node: ast.AST, *, reads_yaml: bool) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in CALLS | METHODS:
            yield name
        case ast.Attribute(value=ast.Name(id="builtins"), attr=name) if name in CALLS:
            yield f"builtins.{name}"
        case ast.Attribute(value=ast.Name(id="yaml"), attr=name) if name in YAML_READERS:
            if not reads_yaml or name != "load":
                yield f"yaml.{name}"
        case ast.Attribute(attr=name) if name in METHODS | SHELLS:
            yield name
        case ast.Import(names=names):
            yield from (alias.name for alias in names if alias.name.partition(".")[0] in MODULES)
        case ast.ImportFrom(module=str(module), names=names):
            if module.partition(".")[0] in MODULES:
                yield module
            refused = METHODS | SHELLS if module == "os" else METHODS
            yield from (alias.name for alias in names if alias.name in refused)
        case ast.keyword(arg="shell"):
            yield "shell="
        case _:
            return


def test_nothing_in_the_house_executes_a_text() -> None:
    found = [
        f"{relative(path)}:{fault}"
        for path in python_files("quiz", "solvers")
        for fault in executed_text(path.read_text(encoding="utf-8"), reads_yaml=relative(path).startswith(READS_YAML))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "eval(text)",
        "exec(text)",
        "builtins.eval(text)",
        "sympy.sympify(text)",
        "from sympy.parsing.sympy_parser import parse_expr",
        "import pickle",
        "from pickle import loads",
        "yaml.load(text, Loader=yaml.Loader)",
        "yaml.safe_load(text)",
        "subprocess.run(text, shell=True)",
        "os.system(text)",
        "import os as o; o.popen(text)",
        "from os import system as run",
    ],
)
def test_each_way_of_executing_a_text_is_found(source: str) -> None:
    assert list(executed_text(source))


@pytest.mark.parametrize(
    "source", ["model.eval()", "evaluate(tree)", "re.compile(pattern)", "json.loads(text)", "system(unit)"]
)
def test_what_only_looks_like_it_is_left_alone(source: str) -> None:
    assert not list(executed_text(source))
