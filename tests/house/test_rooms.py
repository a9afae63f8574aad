"""Every folder says what it is and where to begin, in names that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import source

ROOT = source.ROOT / "qnet"
ROOMS = [path for path in source.files() if path.name == "__init__.py" and path.parent != ROOT]


def described(path: Path) -> str:
    return ast.get_docstring(source.tree_of(path)) or ""


def test_every_folder_introduces_itself():
    short = [str(path.relative_to(ROOT)) for path in ROOMS if len(described(path).split("\n")) < 3]
    assert len(ROOMS) > 20
    assert short == ["expression/__init__.py"]


def test_the_modules_that_are_named_exist():
    missing: list[str] = []
    rooms = {item.stem for item in ROOT.iterdir()} | {item.stem for item in (ROOT / "questions").iterdir()}
    for path in ROOMS:
        beside = {item.stem for item in path.parent.iterdir()} | rooms
        for name in re.findall(r"`([a-z_]+)(?:\.[\w.]+)?`", described(path)):
            if name not in beside and name != "qnet":
                missing.append(f"{path.parent.relative_to(ROOT)}: {name}")
    assert missing == []
