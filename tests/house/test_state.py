"""No module keeps what a question or a run leaves behind: no list or table at its top that a function changes, and no
cache that grows with what is asked. What a run carries along is a `ContextVar`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from source import modules, nodes_of

CONSTANTS = {
    ("qnet.expression.tokens", "_compiled"): "the patterns of the language, compiled where they are first needed",
    ("qnet.networks.closed.approximate_servers", "_nodes"): "the nodes of a quadrature",
    ("qnet.questions.formula.text", "_printers"): "two classes",
    ("qnet.queues.stations.batches", "at_arrival"): "inside a function: held by one answer",
}
"""Functions that are cached without a bound, and why what they return is a constant."""
MOST_KEPT = 256
"""Answers that a bounded cache keeps."""
CHANGES = {
    "add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update",
}  # fmt: skip
"""Methods that change a list, a table or a set."""


def named_at_the_top(tree: ast.Module) -> set[str]:
    """The names that the statements at the top of a module assign."""
    targets = [
        target
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def changed(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names at the top of a module, of all its nodes, that a function of it changes or assigns."""
    assert isinstance(nodes[0], ast.Module)
    top = named_at_the_top(nodes[0])
    if not any(_may_change(node, top) for node in nodes if isinstance(node, _CHANGING)):
        return
    for function in nodes:
        if not isinstance(function, ast.FunctionDef | ast.Lambda):
            continue
        inside = list(ast.walk(function))
        local = {node.arg for node in inside if isinstance(node, ast.arg)}
        local |= {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in inside:
            if isinstance(node, ast.Global):
                yield from node.names
            held = node.value if isinstance(node, ast.Subscript | ast.Attribute) else None
            method = isinstance(node, ast.Attribute) and node.attr in CHANGES
            stored = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del)
            if (method or stored) and isinstance(held, ast.Name) and held.id in top - local:
                yield held.id


_CHANGING = (ast.Subscript, ast.Attribute, ast.Global)


def _may_change(node: ast.Subscript | ast.Attribute | ast.Global, top: set[str]) -> bool:
    """Whether a node changes or assigns one of some names, if it is in a function that has no such name itself."""
    if isinstance(node, ast.Global):
        return True
    held = isinstance(node.value, ast.Name) and node.value.id in top
    return held and (isinstance(node, ast.Subscript) or node.attr in CHANGES)


def cached(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[str, int | None]]:
    """The functions that are cached, with the number of answers kept; None without a bound."""
    for node in nodes:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if name in ("cache", "lru_cache"):
                sizes = [word.value for word in decorator.keywords] if isinstance(decorator, ast.Call) else []
                yield node.name, sizes[0].value if sizes and isinstance(sizes[0], ast.Constant) else None


def test_no_function_changes_what_stands_at_the_top_of_its_module():
    found = {module: names for module, path in modules().items() if (names := sorted(set(changed(nodes_of(path)))))}
    assert found == {}


def test_caches_are_bounded():
    kept = {(module, name): size for module, path in modules().items() for name, size in cached(nodes_of(path))}
    assert {key for key, size in kept.items() if size is None} == set(CONSTANTS)
    assert max(size for size in kept.values() if size is not None) <= MOST_KEPT


def test_what_is_forbidden_is_noticed():
    text = "kept = []\ntable: dict = {}\ndef f(x):\n    kept.append(x)\n    table[x] = 1\n    y = {}\n    y[x] = kept\n"
    assert set(changed(list(ast.walk(ast.parse(text))))) == {"kept", "table"}
    text = "count = 0\ndef f():\n    global count\n    count += 1\n"
    assert set(changed(list(ast.walk(ast.parse(text))))) == {"count"}
    text = "@cache\ndef f(): ...\n@lru_cache(maxsize=4)\ndef g(x): ...\n@functools.lru_cache\ndef h(x): ...\n"
    assert list(cached(tuple(ast.walk(ast.parse(text))))) == [("f", None), ("g", 4), ("h", None)]
