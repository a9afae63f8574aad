"""Which module imports which: without circles, and at the top of a module.

Imports in functions, and modules that are loaded lazily (`qnet.lazy`), count like all others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache

import pytest
import source
from source import nodes_of

from qnet.networks.solvers.table import TABLE

DOORS = ("qnet.cli", "qnet.system", "qnet.__main__")


@cache
def modules() -> dict[str, tuple[ast.AST, ...]]:
    """All nodes of each module."""
    return {name: nodes_of(path) for name, path in source.modules().items()}


def _typing_only(nodes: Iterable[ast.AST]) -> set[int]:
    """The nodes that only type checkers read."""
    blocks = [node for node in nodes if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
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
    for name, nodes in known.items():
        unread = set[int]() if types else _typing_only(nodes)
        found[name] = set()
        for node in nodes:
            named = [item for item in _imported(node) if item in known] if id(node) not in unread else []
            inside = [item for item in named if any(item.startswith(f"{other}.") for other in named)]
            found[name] |= set(inside or named) - {name}
    return found


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


def in_functions(name: str) -> Iterator[str]:
    """What a module of qnet imports of qnet inside its functions."""
    seen: set[int] = set()
    for function in modules()[name]:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in seen:
                    seen.add(id(node))
                    yield from (item for item in _imported(node)[:1] if item.startswith("qnet"))


def test_the_finder_finds_a_circle():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [["a", "b", "c"]]


def test_lazy_modules_and_imports_in_functions_are_seen():
    assert "qnet.networks.closed_networks" in graph()["qnet.networks.solve"]
    assert "qnet.networks.solvers.table" in graph()["qnet.networks.solve"]
    assert list(in_functions("qnet.cli.methods"))


@pytest.mark.parametrize("types", [False, True])
def test_there_is_no_circle(types: bool):
    """What only type checkers read counts as well: a record that two modules need has a module of its own."""
    assert circles(graph(types)) == []


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
    """All but the doors, which load what a command or a question needs."""
    inside = [name for name in modules() if not name.startswith(DOORS) and name != "qnet"]
    assert not {name: found for name in inside if (found := list(in_functions(name)))}
