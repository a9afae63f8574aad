"""Records of more than six fields are built by name: beyond three values nobody knows which is which."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "qnet"
MOST_FIELDS, MOST_BY_POSITION = 6, 3


def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}


def large_records(files: dict[Path, ast.Module]) -> set[str]:
    """The names of records with more than six fields, where all classes of that name are such records."""
    sizes: dict[str, int] = {}
    for tree in files.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                record = any(getattr(base, "id", "") == "Record" for base in node.bases)
                size = sum(isinstance(item, ast.AnnAssign) for item in node.body) if record else 0
                sizes[node.name] = min(size, sizes.get(node.name, size))
    return {name for name, size in sizes.items() if size > MOST_FIELDS}


def by_position(tree: ast.Module, names: set[str]) -> list[int]:
    """The lines on which one of some records gets more values by position than are told apart."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") in names
        and len(node.args) > MOST_BY_POSITION
        and not any(isinstance(item, ast.Starred) for item in node.args)
    ]


def test_large_records_are_built_by_name():
    files = trees()
    names = large_records(files)
    assert {"StationFigures", "Problem"} <= names
    found = {str(path.relative_to(ROOT)): lines for path, tree in files.items() if (lines := by_position(tree, names))}
    assert found == {}


def test_the_finder_finds_one():
    assert by_position(ast.parse("A(1, 2, 3, 4)\nA(1, 2, 3, d=4)\nB(1, 2, 3, 4)"), {"A"}) == [1]
