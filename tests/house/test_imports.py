"""Which module imports which: without circles, and at the top of a module.

Imports in functions, and modules that are loaded lazily (`qnet.lazy`), count like all others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from source import modules, of_kinds, tree_of

import qnet
from qnet.cli.commands import COMMANDS, RUN_BY
from qnet.cli.schema import ANSWERS
from qnet.exchange.formats import FORMATS as EXCHANGED
from qnet.expression.names import FUNCTIONS
from qnet.formats import FORMATS as RENDERED
from qnet.networks.solvers.table import TABLE
from qnet.queues.stations.front import STATIONS
from qnet.signatures import rows

ASKED = {row.answer.partition(":")[0] for row in rows().values()}
WORDS = {f"{name.partition('.')[0]}.command" for name in ASKED} & {
    name.removeprefix("qnet.questions.") for name in modules()
}
ANSWERING = {f"qnet.questions.{row.module}" for row in ANSWERS.values()}
BY_NAME: dict[str, set[str]] = {
    # A table, and the modules of its rows.
    "qnet": set(qnet._DOORS.values()),
    "qnet.signatures": {f"qnet.questions.{name}" for name in ASKED | WORDS},
    "qnet.queues.stations.front": {f"qnet.queues.stations.{row[0].partition('.')[0]}" for row in STATIONS.values()},
    "qnet.expression.evaluate": {f"qnet.expression.{row.module}" for row in FUNCTIONS.values() if row.module},
    "qnet.exchange.formats": {row.module for row in EXCHANGED.values()},
    "qnet.questions.presentation.schemas": ANSWERING,
    "qnet.reports.render": {row.module for row in RENDERED.values()},
    "qnet.networks.solvers.loader": {row.module for row in TABLE},
    "qnet.cli.group": {module for module, _ in COMMANDS.values()},
    "qnet.cli.question": {*RUN_BY.values()},
    # `lazy` counts where it is called; the others load, or look for, what is no part of qnet.
    "qnet.__main__": set(),
    "qnet.lazy": set(),
    "qnet.record": set(),
    "qnet.reports.columns": set(),
    "qnet.reports.figure_files": set(),
}
"""The modules that may load others by name, and those of qnet among them, which count as imported."""

DOORS = ("qnet.cli", "qnet.system", "qnet.__main__")


def _typing_only(path: Path) -> set[int]:
    """The nodes of a module that only type checkers read."""
    blocks = [node for node in of_kinds(path, ast.If) if "TYPE_CHECKING" in ast.dump(node.test)]
    return {id(inner) for block in blocks for line in block.body for inner in ast.walk(line)}


def _imported(node: ast.AST) -> list[str]:
    """The modules that a node of a tree loads."""
    if isinstance(node, ast.ImportFrom) and node.module:
        return [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "lazy" and isinstance(node.args[0], ast.Constant):
        return [str(node.args[0].value)]
    return []


@cache
def graph(types: bool = False) -> dict[str, set[str]]:
    """By module, the modules that it imports anywhere; a package counts where nothing inside it is named.

    types   whether those count that only type checkers read.
    """
    found: dict[str, set[str]] = {}
    known = modules()
    for name, path in known.items():
        unread = set[int]() if types else _typing_only(path)
        found[name] = set()
        for node in of_kinds(path, ast.ImportFrom, ast.Import, ast.Call):
            if id(node) in unread:
                continue
            named = [item for item in _imported(node) if item in known]
            inside = [item for item in named if any(item.startswith(f"{other}.") for other in named)]
            found[name] |= set(inside or named) - {name}
        found[name] |= BY_NAME.get(name, set()) - {name}
    return found


NAMING = (ast.Import, ast.ImportFrom, ast.Attribute, ast.Name)
"""Nodes that name a module, or what loads it."""


def by_name(nodes: Iterable[ast.AST]) -> bool:
    """Whether a module loads others by name: `import_module`, under any name, or what is below it."""
    for node in nodes:
        if not isinstance(node, NAMING):
            continue
        names = [alias.name for alias in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
        called = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if {"import_module", "importlib", "__import__", "modules"} & {*names, called}:
            return True
    return False


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in edges.get(name, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == order[name]:
            place = stack.index(name)
            part, stack[place:] = stack[place:], []
            if len(part) > 1:
                found.append(sorted(part))

    for name in edges:
        if name not in order:
            visit(name)
    return found


def in_functions(path: Path) -> Iterator[str]:
    """What a module of qnet imports inside its functions, of the standard library and of others too."""
    top = set(map(id, tree_of(path).body))
    inner = [node for node in of_kinds(path, ast.Import, ast.ImportFrom) if id(node) not in top]
    functions = of_kinds(path, ast.FunctionDef, ast.AsyncFunctionDef) if inner else []
    for node in inner:
        if any(function.lineno <= node.lineno <= function.end_lineno for function in functions):
            yield from _imported(node)[:1]


def test_the_finder_finds_a_circle():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [["a", "b", "c"]]


def test_lazy_modules_and_imports_in_functions_are_seen():
    assert "qnet.networks.closed_networks" in graph()["qnet.networks.solve"]
    assert "qnet.networks.solvers.table" in graph()["qnet.networks.solve"]
    assert list(in_functions(modules()["qnet.cli.methods"]))


def test_only_tables_load_modules_by_name():
    """A circle behind a name in a text is a circle."""
    assert by_name(ast.walk(ast.parse("from importlib import import_module as load")))
    assert by_name(ast.walk(ast.parse("import importlib")))
    assert by_name(ast.walk(ast.parse("import sys\nsys.modules['qnet.cli']")))
    loading = {name for name, path in modules().items() if by_name(of_kinds(path, *NAMING))}
    assert loading == BY_NAME.keys()
    assert set().union(*BY_NAME.values()) <= modules().keys()


@pytest.mark.parametrize("types", [False, True])
def test_there_is_no_circle(types: bool):
    """What only type checkers read counts as well: a record that two modules need has a module of its own."""
    assert circles(graph(types=True) if types else graph()) == []


def test_no_solver_knows_who_chooses_it():
    """What decomposes a network is given the chooser."""
    solvers = {row.module for row in TABLE}
    choosers = {"qnet.networks.solve", "qnet.networks.product.solve", "qnet.networks.solvers.chooser"}
    reached: dict[str, set[str]] = {}
    for name in graph():
        if name in solvers or (name.startswith("qnet.networks.solvers.") and name not in choosers):
            waiting, seen = [name], set[str]()
            while waiting:
                for other in graph()[waiting.pop()] - seen:
                    seen.add(other)
                    waiting.append(other)
            reached[name] = seen & choosers
    assert reached.keys() >= solvers and len(solvers) > 10
    assert not {name: found for name, found in reached.items() if found}


def test_modules_import_at_their_top():
    """All but the doors, which load what a command or a question needs; elsewhere `lazy` delays what is slow."""
    inside = {name: path for name, path in modules().items() if not name.startswith(DOORS) and name != "qnet"}
    assert not {name: found for name, path in inside.items() if (found := list(in_functions(path)))}
