"""The shape of the house: which room may use which, and what every room owes its readers."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from source import ROOT, files, nodes_of, of_kinds, text_of, tree_of

FILES = files()

# Each room, and all that it may import. Data flows text -> model -> network -> solution -> question -> report.
GROUND = {"record", "errors", "units", "lazy", "references", "opened", "real", "note"}
MAY_USE = {
    "record": set(),
    "lazy": set(),
    "opened": {"lazy"},
    "real": set(),
    "errors": {"record", "lazy", "explanations"},
    "note": {"record"},
    "question": {"record"},
    "formats": {"record"},
    "budget": {"errors"},
    "units": {"record", "lazy"},
    "arguments": {"errors", "real"},
    "references": {"record"},
    "plain_tables": {"units"},
    "explanations": {"record"},
    "documents": GROUND,
    "expression": GROUND,
    "catalog": GROUND | {"documents", "expression"},
    "queues": GROUND | {"arguments", "budget", "expression", "plain_tables"},
    "networks": GROUND | {"arguments", "budget", "expression", "plain_tables", "queues"},
    "model": GROUND | {"documents", "expression", "catalog", "networks", "queues"},
    "exchange": GROUND | {"documents", "expression", "model", "networks"},
    "reports": GROUND | {"formats", "version"},
    "questions": GROUND
    | {
        "arguments",
        "budget",
        "documents",
        "expression",
        "catalog",
        "model",
        "networks",
        "question",
        "queues",
        "reports",
    },
    "cli": GROUND
    | {
        "budget",
        "documents",
        "formats",
        "queues",
        "networks",
        "explanations",
        "catalog",
        "model",
        "exchange",
        "question",
        "questions",
        "reports",
        "signatures",
        "version",
    },
    "__main__": {"cli", "version"},
    "signatures": {
        "arguments",
        "budget",
        "errors",
        "lazy",
        "model",
        "networks",
        "question",
        "questions",
        "record",
        "reports",
    },
    "system": GROUND | {"arguments", "budget", "model", "questions", "reports", "signatures"},
    "version": set(),
    "__init__": {"errors", "networks", "note", "queues", "reports", "system", "version"},
}

HEAVY = {"sympy", "rich", "dataclasses", "importlib.metadata"}
EXECUTING = {"eval", "exec", "sympify", "parse_expr", "literal_eval"}


def room(path: Path) -> str:
    return path.relative_to(ROOT / "qnet").parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """The rooms a file imports from, anywhere in it."""
    found: set[str] = set()
    for name in imported_modules(path):
        module = name.split(".")[1]
        found.add(module if name.count(".") > 1 or module in MAY_USE else "__init__")
    return found - {room(path)}


def imported_modules(path: Path) -> set[str]:
    """What a file imports of qnet, anywhere in it, as `package.name`: a module, or a name in one."""
    found: set[str] = set()
    for node in of_kinds(path, ast.ImportFrom, ast.Import):
        if isinstance(node, ast.ImportFrom) and node.module and f"{node.module}.".startswith("qnet."):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("qnet.")}
    return found


def imported_first(path: Path) -> set[str]:
    """The packages that the top of a file imports, and `package.module` of those in packages of Python's own."""
    modules = {
        name
        for node in tree_of(path).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    }
    return {name.split(".")[0] for name in modules} | modules


def undocumented(path: Path) -> list[str]:
    """The public names of a file without a docstring, and the file itself where it has none."""
    tree = tree_of(path)
    silent = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    return silent + ([] if ast.get_docstring(tree) or not tree.body else ["the module"])


def called(path: Path) -> set[str]:
    """The names of all that a file calls."""
    return {
        getattr(node.func, "id", getattr(node.func, "attr", ""))
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
    }


def named(by_path: dict[Path, Any]) -> dict[str, Any]:
    """The same with short names of the files: what a failing test shows."""
    return {str(path.relative_to(ROOT)): value for path, value in by_path.items()}


def test_every_room_is_on_the_plan():
    assert {room(path) for path in FILES} == set(MAY_USE)


def test_a_file_uses_only_rooms_below_it():
    wrong = {path: imported_rooms(path) - MAY_USE[room(path)] for path in FILES}
    assert named({path: rooms for path, rooms in wrong.items() if rooms}) == {}


def test_heavy_packages_are_not_imported_with_the_module():
    wrong = {path: imported_first(path) & HEAVY for path in FILES}
    assert named({path: names for path, names in wrong.items() if names}) == {}


def test_only_the_command_line_knows_click():
    users = {room(path) for path in FILES if re.search(r"^\s*(import|from) click", text_of(path), re.MULTILINE)}
    assert users == {"cli"}


def test_only_reports_know_rich():
    users = {room(path) for path in FILES if re.search(r"^\s*(import|from) rich", text_of(path), re.MULTILINE)}
    assert users == {"reports"}


def test_a_file_is_small_enough_to_read():
    lines = {path: len(text_of(path).splitlines()) for path in FILES}
    assert named({path: count for path, count in lines.items() if count > 600}) == {}


def test_what_is_public_says_what_it_is():
    assert named({path: names for path in FILES if (names := undocumented(path))}) == {}


def test_text_is_never_executed():
    wrong = {path: called(path) & EXECUTING for path in FILES}
    assert named({path: names for path, names in wrong.items() if names}) == {}


def test_the_top_level_is_the_design_card():
    tracked = {
        path.name for path in ROOT.iterdir() if not path.name.startswith(".") and path.name not in ("build", "dist")
    }
    tracked -= {name for name in tracked if name.endswith(".egg-info") or name == "__pycache__"}
    assert tracked == {"pyproject.toml", "qnet", "catalog", "examples", "tests", "README.md"}


def test_the_package_is_typed():
    assert (ROOT / "qnet" / "py.typed").exists()
