"""No module keeps what a question or a run leaves behind: no list or table at its top that a function changes, and no
cache that grows with what is asked. What a run carries along is a `ContextVar`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from source import modules, nodes_of

HELD = {
    ("qnet.queues.stations.batches", "at_arrival"),
    ("qnet.queues.stations.m_d_c", "waiting"),
    ("qnet.queues.stations.m_e_1", "phases_at_arrival"),
}
"""Functions that are cached without a bound inside another function: one answer holds what they return, and ends it."""
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


def cached(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, int | None, bool]]:
    """The functions that are cached, with the number of answers kept, None without a bound; and whether at the top."""
    assert isinstance(nodes[0], ast.Module)
    top = set(map(id, nodes[0].body))
    decorating: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                decorating |= {id(decorator), id(called)}
                if _name(called) in _CACHES:
                    yield node.name, _size(decorator), id(node) in top
    for node in nodes:
        # `known = cache(function)`, which no decorator is.
        if isinstance(node, ast.Call) and id(node) not in decorating and _name(node.func) in _CACHES and node.args:
            yield _name(node.args[0]), None, any(id(node) in set(map(id, ast.walk(line))) for line in _lines(nodes[0]))


_CACHES = ("cache", "lru_cache")


def _lines(module: ast.Module) -> list[ast.stmt]:
    """What is done when a module is loaded."""
    return [line for line in module.body if not isinstance(line, ast.FunctionDef | ast.ClassDef)]


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _size(decorator: ast.expr) -> int | None:
    sizes = [word.value for word in decorator.keywords] if isinstance(decorator, ast.Call) else []
    return sizes[0].value if sizes and isinstance(sizes[0], ast.Constant) else None


def changed_of_others(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names that a module imports from qnet, in whatever way, and changes or assigns to."""
    held = {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("qnet")
        for alias in node.names
        if alias.name != "np"  # Its functions `append` and `insert` change nothing.
    }
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            target = node.func.value
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            target = node.value
        else:
            continue
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in held:
            yield f"{target.value.id}.{target.attr}"
        elif isinstance(target, ast.Name) and target.id in held:
            yield target.id


def test_no_function_changes_what_stands_at_the_top_of_its_module():
    found = {module: names for module, path in modules().items() if (names := sorted(set(changed(nodes_of(path)))))}
    assert found == {}


def test_no_module_changes_what_another_has_at_its_top():
    found = {module: names for module, path in modules().items() if (names := list(changed_of_others(nodes_of(path))))}
    assert found == {}


def test_caches_are_bounded():
    kept = [(module, *item) for module, path in modules().items() for item in cached(nodes_of(path))]
    assert {(module, name) for module, name, size, top in kept if size is None and not top} == HELD
    assert [(module, name) for module, name, size, top in kept if size is None and top] == []
    assert max(size for _, _, size, _ in kept if size is not None) <= MOST_KEPT


def test_what_is_forbidden_is_noticed():
    text = "kept = []\ntable: dict = {}\ndef f(x):\n    kept.append(x)\n    table[x] = 1\n    y = {}\n    y[x] = kept\n"
    assert set(changed(list(ast.walk(ast.parse(text))))) == {"kept", "table"}
    text = "count = 0\ndef f():\n    global count\n    count += 1\n"
    assert set(changed(list(ast.walk(ast.parse(text))))) == {"count"}
    text = "@cache\ndef f(): ...\n@lru_cache(maxsize=4)\ndef g(x): ...\n@functools.lru_cache\ndef h(x): ...\n"
    text += "k = cache(g)\ndef f():\n    return cache(g)\n"
    expected = [("f", None, True), ("g", 4, True), ("h", None, True), ("g", None, True), ("g", None, False)]
    assert list(cached(list(ast.walk(ast.parse(text))))) == expected
    text = "from qnet.a import TABLE, b\ndef f(x):\n    TABLE.append(x)\n    b.kept[x] = 1\n    b.count = x\n"
    assert set(changed_of_others(list(ast.walk(ast.parse(text))))) == {"TABLE", "b.kept", "b"}
