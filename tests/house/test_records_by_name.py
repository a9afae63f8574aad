"""Records of more than six fields are built by name: beyond a few values no one knows which is which."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from source import modules, nodes_of, of_kinds, text_of, tree_of

MOST_FIELDS, MOST_BY_POSITION = 6, 2
WIDER = {
    ("qnet.errors", "Problem"): 3,
    ("qnet.errors", "MethodProblem"): 3,
    ("qnet.model.fields", "Field"): 3,
    ("qnet.question", "Option"): 3,
}
"""Three by position: the code, what is wrong and what is expected; a row of the table of keys, with its dimension; the
name of an option, its placeholder and its help."""

UNPACKED = {
    ("qnet.networks.closed.first_come", "FirstComeBatch"): "a part of each of its values",
    ("qnet.networks.closed.newton_core", "NewtonPoint"): "a part of each of its values",
    ("qnet.networks.closed.priorities", "Ranked"): "a part of each of its values",
    ("qnet.networks.layers.core", "Numbers"): "the values of several, joined one by one",
    ("qnet.networks.layers.round", "LayerWaits"): "the values of several, joined one by one",
    ("qnet.networks.layers.solve", "Numbers"): "the values of two, joined one by one",
    ("qnet.networks.layers.table", "Numbers"): "a part of each of its values",
    ("qnet.networks.layers.together", "Numbers"): "the values of several, joined one by one",
    ("qnet.networks.product.solution", "DemandFigures"): "the values of several, joined one by one",
    ("qnet.queues.stations.m_m_c_k", "_Line"): "each value by the load, from one of two",
    ("qnet.references", "Reference"): "a row of the table, whose head has the names of the fields",
    ("qnet.system", "System"): "the values of the model that it is",
}
"""Classes that a module makes of all values of a record, or of a row, at once, and of what."""


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


@cache
def parameters(module: str, name: str) -> int:
    """The number of parameters of the constructor that a class writes itself or inherits; 0 without one."""
    module, name = resolved(module, name)
    node = classes().get((module, name))
    if node is None:
        return 0
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            return len(item.args.args) - 1 + len(item.args.kwonlyargs)
    return max((parameters(module, base.id) for base in node.bases if isinstance(base, ast.Name)), default=0)


def size(module: str, name: str) -> int:
    """How many values a class is made of."""
    return parameters(module, name) or fields(module, name)


def called(module: str, node: ast.Call) -> tuple[str, str] | None:
    """The module and the name of the class that a call may make: by its name, or by that of its module."""
    if isinstance(node.func, ast.Name):
        return resolved(module, node.func.id)
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        held = imported(module).get(node.func.value.id)
        if held and ".".join(held) in modules():
            return resolved(".".join(held), node.func.attr)
    return None


def bases_called(module: str) -> Iterator[tuple[tuple[str, str], ast.Call]]:
    """The calls `super().__init__` and `cls` of a module, with the class that they make."""
    text = text_of(modules()[module])
    if "cls" not in text and "__init__" not in text:
        return
    for (defined, name), node in classes().items():
        if defined != module:
            continue
        for inner in ast.walk(node):
            if not isinstance(inner, ast.Call):
                continue
            if isinstance(inner.func, ast.Name) and inner.func.id == "cls":
                yield (module, name), inner
            elif isinstance(inner.func, ast.Attribute) and inner.func.attr == "__init__":
                for base in node.bases:
                    if isinstance(base, ast.Name):
                        yield resolved(module, base.id), inner


@cache
def calls(module: str) -> list[tuple[tuple[str, str], ast.Call]]:
    """The calls of a module that make a class of more than six values."""
    every = [(made, node) for node in of_kinds(modules()[module], ast.Call) if (made := called(module, node))]
    return [(made, node) for made, node in (*every, *bases_called(module)) if size(*made) > MOST_FIELDS]


def test_large_records_are_built_by_name():
    found = [
        (module, node.lineno, made[1])
        for module in modules()
        for made, node in calls(module)
        if len(node.args) > WIDER.get(made, MOST_BY_POSITION)
    ]
    assert found == []


def test_large_records_are_unpacked_from_others_only():
    """A starred argument alone, `Point(*(value[chosen] for value in self))`, names nothing and mistakes nothing."""
    found = {
        (module, made[1])
        for module in modules()
        for made, node in calls(module)
        if any(isinstance(item, ast.Starred) for item in node.args)
    }
    assert found == UNPACKED.keys()


def test_large_classes_are_known_by_their_import():
    assert size("qnet.model.load", "Model") > MOST_FIELDS and size("qnet.budget", "Problem") > MOST_FIELDS
    assert size("qnet.networks.product.network", "Demands") > MOST_FIELDS
    assert sum(fields(*key) > MOST_FIELDS for key in classes()) > 50
    assert sum(parameters(*key) > MOST_FIELDS for key in classes()) > 5


def test_calls_are_known_by_name_by_module_and_in_subclasses():
    made = {name for module in modules() for (_, name), _ in calls(module)}
    assert {"Problem", "Steady", "Load", "Demands", "QueueRequest"} <= made
    assert "Demands" in {name for (_, name), _ in bases_called("qnet.networks.product.network")}
    assert {("qnet.queues.waiting", "Load")} <= {made for made, _ in calls("qnet.networks.product.priorities")}


def test_exceptions_exist():
    assert all(size(*made) > MOST_FIELDS for made in WIDER)
