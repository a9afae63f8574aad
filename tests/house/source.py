"""The modules of qnet as trees, read and parsed once for all rules of the house."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

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


@cache
def _by_kind(path: Path) -> dict[type[ast.AST], list[tuple[int, ast.AST]]]:
    """The nodes of each class of trees with their places among all."""
    with _uncollected():
        result: dict[type[ast.AST], list[tuple[int, ast.AST]]] = {}
        for position, node in enumerate(nodes_of(path)):
            result.setdefault(type(node), []).append((position, node))
        return result


def of_kinds(path: Path, *kinds: type[ast.AST]) -> list[Any]:
    """Those nodes of a module that are of some classes of trees, in the same order."""
    found = [_by_kind(path).get(kind, []) for kind in kinds]
    together = found[0] if len(found) == 1 else sorted((pair for pairs in found for pair in pairs), key=itemgetter(0))
    return [node for _, node in together]


def name_of(path: Path) -> str:
    """The name under which a module is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def modules() -> dict[str, Path]:
    """The files of qnet by the name of the module."""
    return {name_of(path): path for path in files()}
