"""Records of more than six fields are built by name: beyond three values nobody knows which is which."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache

from source import modules, nodes_of, tree_of

MOST_FIELDS, MOST_BY_POSITION = 6, 3

Classes = Mapping[tuple[str, str], ast.ClassDef]


@cache
def classes() -> dict[tuple[str, str], ast.ClassDef]:
    """Every class at the top of a module of qnet, by the module and its name."""
    return {
        (module, node.name): node
        for module, path in modules().items()
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
    }


@cache
def imported(module: str) -> dict[str, tuple[str, str]]:
    """What a name of a module stands for, where it is imported from another, in a function too."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in nodes_of(modules()[module])
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def resolved(module: str, name: str) -> tuple[str, str]:
    """The module that defines the class which a name of another module stands for, and its name there."""
    seen: set[str] = set()
    while (module, name) not in classes() and module in modules() and module not in seen and name in imported(module):
        seen.add(module)
        module, name = imported(module)[name]
    return module, name


@cache
def fields(module: str, name: str) -> int:
    """The number of fields of a record, those that it inherits included; 0 for any other class."""
    module, name = resolved(module, name)
    if (module, name) == ("qnet.record", "Record") or (module, name) not in classes():
        return 0
    node = classes()[module, name]
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    if not any(is_record(module, base) for base in bases):
        return 0
    return sum(isinstance(item, ast.AnnAssign) for item in node.body) + sum(fields(module, base) for base in bases)


@cache
def is_record(module: str, name: str) -> bool:
    module, name = resolved(module, name)
    if (module, name) == ("qnet.record", "Record"):
        return True
    node = classes().get((module, name))
    return node is not None and any(is_record(module, base.id) for base in node.bases if isinstance(base, ast.Name))


def by_position(nodes: tuple[ast.AST, ...], names: set[str]) -> list[int]:
    """The lines on which one of some records gets more values by position than a reader distinguishes.

    A starred argument alone, `Point(*(value[chosen] for value in self))`, names nothing and mistakes nothing.
    """
    return [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) in names
        and len(node.args) > (1 if any(isinstance(item, ast.Starred) for item in node.args) else MOST_BY_POSITION)
    ]


def large(module: str) -> set[str]:
    """The names of a module that stand for records of more than six fields."""
    own = {name for defined, name in classes() if defined == module}
    return {name for name in own | set(imported(module)) if fields(module, name) > MOST_FIELDS}


def test_large_records_are_built_by_name():
    found = {
        module: lines for module, path in modules().items() if (lines := by_position(nodes_of(path), large(module)))
    }
    assert found == {}


def test_large_records_are_known_by_their_import():
    assert {"Parameter", "Model"} <= large("qnet.model.model")
    assert "Problem" in large("qnet.errors") and "Problem" in large("qnet.budget")
    assert sum(fields(*key) > MOST_FIELDS for key in classes()) > 50


def test_the_finder_finds_one():
    calls = ("A(1, 2, 3, 4)", "A(1, 2, 3, d=4)", "B(1, 2, 3, 4)", "A(*row)", "A(1, *row)", "m.A(1, 2, 3, 4)")
    assert by_position(tuple(ast.walk(ast.parse("\n".join(calls)))), {"A"}) == [1, 5, 6]
