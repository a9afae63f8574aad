"""The modules of qnet as trees, read and parsed once for all rules of the house."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def files(room: str = "qnet") -> tuple[Path, ...]:
    """The modules of a folder of the repository, sorted."""
    return tuple(sorted((ROOT / room).rglob("*.py")))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Trees are kept: a collector that walks them again and again takes five times as long as the parser."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if before:
            gc.enable()


@cache
def text_of(path: Path) -> str:
    return path.read_text()


@cache
def tree_of(path: Path) -> ast.Module:
    with _uncollected():
        return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All of a module, in the order of `ast.walk`, which takes twice as long."""
    with _uncollected():
        nodes: list[ast.AST] = [tree_of(path)]
        for node in nodes:
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    nodes += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST):
                    nodes.append(value)
        return tuple(nodes)


def of_kinds(path: Path, *kinds: type[ast.AST]) -> list[ast.AST]:
    """Those nodes of a module that are of some classes of trees, in the same order."""
    return [node for node in nodes_of(path) if type(node) in kinds]


def name_of(path: Path) -> str:
    """The name under which a module is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def modules() -> dict[str, Path]:
    """The files of qnet by the name of the module."""
    return {name_of(path): path for path in files()}
