"""Every folder says what it is, where to begin and what it may import, in names that exist and lists that are true."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
import source
from test_architecture import MAY_USE, imported_modules

ROOT = source.ROOT / "qnet"
ROOMS = [path for path in source.files() if path.name == "__init__.py" and path.parent != ROOT]
_BEGINNING = re.compile(r"\b[Bb]egin (?:at|with) `([\w.]+)`")
NO_MODULES = {"class", "cu", "disk", "document", "namespace", "part"} | {"click", "np", "numpy"}
"""What stands before a dot in names of the model language and in an attribute of a record; and other packages."""
_IMPORTS = re.compile(r"\bMay import ([^.;:]+)")


def described(path: Path) -> str:
    return ast.get_docstring(source.tree_of(path)) or ""


def folder(path: Path) -> str:
    """The name of a room, such as `networks/open`."""
    return str(path.parent.relative_to(ROOT))


def folders(path: Path) -> set[str]:
    """The names of the packages in a folder."""
    return {item.parent.name for item in path.glob("*/__init__.py")}


def beginning(path: Path, text: str) -> str:
    """The name at which a text begins, where there is such a module, or such a definition in one; else empty."""
    match = _BEGINNING.search(text)
    if not match:
        return ""
    module, _, name = match[1].partition(".")
    file = path.parent / f"{module}.py"
    if not file.exists():
        return match[1] if (path.parent / module / f"{name or '__init__'}.py").exists() else ""
    defined = {item.name for item in source.tree_of(file).body if isinstance(item, ast.ClassDef | ast.FunctionDef)}
    return match[1] if not name or name in defined else ""


def permitted(text: str) -> set[str] | None:
    """The names in the sentence about imports; None where there is no such sentence."""
    match = _IMPORTS.search(" ".join(text.split()))
    return set(re.findall(r"`([\w.]+)`", match[1])) if match else None


def used(path: Path) -> set[str]:
    """What the sentence must list: of a room on the plan the folders it may use, of its folders those they import."""
    parents = path.parent.relative_to(ROOT).parts
    if len(parents) == 1:
        return MAY_USE[parents[0]] & folders(ROOT)
    above = ".".join(("qnet", *parents[:-1]))
    siblings = folders(path.parent.parent) - {parents[-1]}
    imported = {name for file in path.parent.glob("*.py") for name in imported_modules(file)}
    return {parents[-2]} | {
        item for item in siblings if any(f"{name}.".startswith(f"{above}.{item}.") for name in imported)
    }


def test_every_folder_introduces_itself():
    short = [folder(path) for path in ROOMS if len(described(path).split("\n")) < 5]
    assert len(ROOMS) > 20
    assert short == []


def test_every_folder_has_a_beginning():
    assert [folder(path) for path in ROOMS if not beginning(path, described(path))] == []


def test_every_folder_lists_what_it_may_import():
    wrong = {folder(path): (permitted(described(path)), used(path)) for path in ROOMS}
    assert {name: both for name, both in wrong.items() if both[0] != both[1]} == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Begin at `find`.", "find"),
        ("begin with `parts.load_part`", "parts.load_part"),
        ("Begin at `lost`.", ""),
        ("Begin at `parts.lost`.", ""),
        ("`find` and `parts`.", ""),
    ],
)
def test_a_beginning_that_is_not_there(text: str, expected: str):
    assert beginning(ROOT / "catalog" / "__init__.py", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("May import `model`\nand `reports`; no `cli`.", {"model", "reports"}),
        ("May import no other folder: `model` is above.", set()),
        ("Imports `model`.", None),
    ],
)
def test_the_sentence_about_imports(text: str, expected: set[str] | None):
    assert permitted(text) == expected


def test_the_modules_that_are_named_exist():
    missing: list[str] = []
    for path in ROOMS:
        parent = path.parent
        known = {item.stem for item in (*parent.iterdir(), *ROOT.iterdir())}
        known |= folders(parent.parent) | {parent.parent.name, "qnet"}
        for name in re.findall(r"`([a-z_]+)(?:\.[\w.]+)?`", described(path)):
            if name not in known:
                missing.append(f"{folder(path)}: {name}")
    assert missing == []


def test_the_modules_that_docstrings_and_comments_name_exist():
    """Of `module.name`, the module; a name that is moved takes what is written of it along."""
    known = {path.stem for path in source.files()} | {path.parent.name for path in ROOMS} | {"qnet"}
    known |= sys.stdlib_module_names | NO_MODULES
    written = re.compile(r"`(?:[a-z_0-9]+\.)*([a-z_0-9]+)\.[A-Za-z_]\w*`")
    files = re.compile(r"`[\w./]+\.(?:toml|py|md|csv|json|jsonl|html|txt)`")
    missing = {
        str(path.relative_to(ROOT)): names
        for path in source.files()
        if (names := set(written.findall(files.sub("", source.text_of(path)))) - known)
    }
    assert missing == {}


def test_the_files_that_the_topic_on_architecture_names_exist():
    text = (ROOT / "topics" / "architecture.md").read_text()
    names = set(re.findall(r"(?<![\w/.])[\w/]*\w(?:\.py|\.md|/(?!\w))", text))
    present = [f"/{path.relative_to(source.ROOT)}" for path in (*ROOT.rglob("*"), *source.ROOT.iterdir())]
    present += [f"/{path.relative_to(source.ROOT)}" for path in (source.ROOT / "tests").rglob("*.py")]
    present += ["/catalog/parts"]
    assert len(names) > 40
    assert [name for name in sorted(names) if not any(item.endswith("/" + name.rstrip("/")) for item in present)] == []
    named = re.findall(r"`(\w+/[\w/]+\.py)`", text)
    assert "networks/laws.py" in named
    assert all((ROOT / name).exists() or (source.ROOT / name).exists() for name in named)
