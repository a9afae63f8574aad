"""What a public function owes a caller who does not read it: its arguments by name, and what it raises.

Public is what `qnet` exports, the questions of `qnet.System`, and every function that another folder uses.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Iterator

import source

import qnet
from qnet.signatures import Questions


def users() -> dict[str, set[str]]:
    """By function, as `module.function`, the folders that name it."""
    found: dict[str, set[str]] = {}
    for name, path in source.modules().items():
        folder = name.rpartition(".")[0]
        modules = {}
        for node in source.nodes_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("qnet"):
                for alias in node.names:
                    found.setdefault(f"{node.module}.{alias.name}", set()).add(folder)
                    modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        for node in source.nodes_of(path):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                found.setdefault(f"{modules[node.value.id]}.{node.attr}", set()).add(folder)
    return found


def public() -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions that other folders use, by module and name."""
    used = users()
    for name, path in source.modules().items():
        for node in source.tree_of(path).body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            if used.get(f"{name}.{node.name}", set()) - {name.rpartition(".")[0]}:
                yield f"{name}.{node.name}", node


def silent(node: ast.FunctionDef) -> list[str]:
    """The arguments that a docstring does not name nor refer to, and `raises` where it is silent about them."""
    text = ast.get_docstring(node) or ""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    listed = [item for item in (*arguments, node.args.vararg, node.args.kwarg) if item and item.arg != "self"]
    referred = re.search(r"[Aa]rguments (are those|as|and columns as)", text)
    missing = [item.arg for item in listed if not referred and not re.search(rf"\b{re.escape(item.arg)}\b", text)]
    inner = {id(one) for item in ast.walk(node) if isinstance(item, ast.FunctionDef) and item is not node
             for one in ast.walk(item)}  # fmt: skip
    raised = [item for item in ast.walk(node) if isinstance(item, ast.Raise) and item.exc and id(item) not in inner]
    return missing + (["raises"] if raised and not re.search(r"[Rr]aises?\b|[Rr]efuse|Fails\b", text) else [])


def test_a_silent_function_is_found():
    text = 'def f(a, b):\n    """What a does."""\n    if a:\n        raise ValueError(b)\n'
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.FunctionDef)
    assert silent(node) == ["b", "raises"]


def test_the_front_door_is_described():
    """Every argument of every question and function by name; functions also say what they raise."""
    doors = [getattr(qnet, name) for name in qnet.__all__ if inspect.isfunction(getattr(qnet, name))]
    questions = [item for name, item in vars(Questions).items() if not name.startswith("_")]
    methods = [item for kind in (qnet.Network, qnet.Report, qnet.System) for name, item in vars(kind).items()
               if inspect.isfunction(item) and not name.startswith("_")]  # fmt: skip
    assert len(doors) > 4 and len(questions) > 15 and len(methods) > 5
    # What all questions share is said once, by `System`.
    shared = ["method", "operations", "class_name"]
    missing: dict[str, list[str]] = {}
    for door in (*doors, *questions, *methods):
        text, names = inspect.getdoc(door) or "", list(inspect.signature(door).parameters)
        quiet = [name for name in names if name not in ("self", *shared) and not re.search(rf"\b{name}\b", text)]
        quiet += ["Raises"] if door in doors and "Raises" not in text else []
        if quiet:
            missing[door.__qualname__] = quiet
    assert missing == {}


def test_functions_that_other_folders_use_are_described():
    every = dict(public())
    missing = {name: words for name, node in every.items() if (words := silent(node))}
    assert len(every) > 300
    assert missing == {}


ELSEWHERE = {"Any", "DataFrame", "Decimal", "Fraction", "KiB", "Max", "Min", "NamedTuple"}
"""Names in docstrings of what other packages, or the language of the models, define."""


def defined() -> set[str]:
    """The classes of qnet, and the types that it names at the top of a module."""
    names = {*ELSEWHERE, *vars(builtins)}
    for path in source.modules().values():
        for node in source.tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Assign):
                names |= {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
    return names


def test_docstrings_name_classes_that_are_there():
    known, unknown = defined(), set[str]()
    for name, path in source.modules().items():
        for node in source.of_kinds(path, ast.Constant):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                mentioned = set(re.findall(r"`([A-Z][a-z]+[A-Za-z]*)`", node.value))
                unknown |= {f"{name}: {item}" for item in mentioned - known}
    assert "Record" in known and unknown == set()
