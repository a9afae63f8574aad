"""Nobody takes sentences of qnet apart: what a reader needs of one is a field of the record that has it.

A sentence is looked at where a method of texts is called on a field for sentences, or on a variable that is named like
one; where a part of it is asked for; and where a pattern is. Texts of users and of other programs are no sentences.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pytest
from source import ROOT, files, nodes_of

SENTENCES = frozenset({
    "brief", "expected", "found", "help", "message", "reason", "reasons", "reasons_for", "sentence", "text", "warning",
    "warnings", "why",
})  # fmt: skip
"""The fields of sentences, and the variables."""
FIELDS = frozenset({"text"})
"""Those of them that are fields alone: many a variable of the name holds what a user wrote."""
APART = frozenset({
    "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "replace", "rpartition", "rsplit",
    "split", "splitlines", "startswith",
})  # fmt: skip
PATTERNS = frozenset({"findall", "finditer", "fullmatch", "match", "search", "split", "sub"})
KEPT = {
    ("qnet/cli/layout.py", "command.help"): "of click: a text in paragraphs",
    ("qnet/documents.py", "message"): "of the parser of TOML",
    ("qnet/exchange/jmva.py", "element.text"): "of a file",
    ("qnet/model/rewrite.py", "document.text"): "a model",
    ("qnet/questions/study/screen.py", "shown.text"): "a screen of a terminal",
}
"""Texts of others, by module and expression."""


def _sentences(node: ast.AST) -> list[str]:
    """The sentences that an expression is about, as they stand in it."""
    result: list[str] = []
    for item in ast.walk(node):
        if isinstance(item, ast.Name) and item.id in SENTENCES - FIELDS:
            result.append(item.id)
        elif isinstance(item, ast.Attribute) and item.attr in SENTENCES:
            # Readers of documents keep what they read as their text.
            inside = isinstance(item.value, ast.Name) and item.value.id == "self"
            result += [] if inside and item.attr in FIELDS else [ast.unparse(item)]
    return result


def _looked_into(node: ast.AST) -> list[ast.expr]:
    """The expressions that a node takes apart as texts, or looks for a text in."""
    if isinstance(node, ast.Compare):
        words = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        inside = isinstance(node.ops[0], ast.In | ast.NotIn)
        return node.comparators[:1] if words and inside else []
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    # A record is replaced by the names of its fields.
    texts = [node.func.value] if node.func.attr in APART and not node.keywords else []
    return [*texts, *node.args] if node.func.attr in PATTERNS else texts


def taken_apart(nodes: Iterable[ast.AST]) -> list[tuple[int, str]]:
    """The lines on which sentences are taken apart, and which."""
    return [(item.lineno, text) for node in nodes for item in _looked_into(node) for text in _sentences(item)]


def test_no_sentence_is_taken_apart() -> None:
    every = {path.relative_to(ROOT).as_posix(): taken_apart(nodes_of(path)) for path in files()}
    assert [(name, *hit) for name, hits in every.items() for hit in hits if (name, hit[1]) not in KEPT] == []
    assert KEPT.keys() - {(name, text) for name, hits in every.items() for _, text in hits} == set()


@pytest.mark.parametrize(
    "code",
    [
        'error.help.startswith("known names")',
        'problem.found.removeprefix(f"{name} ")',
        'reason.partition(": ")[0]',
        'next(iter(reasons_for(network)), "").partition(";")[0]',
        "item.text.startswith(other.text)",
        '"units are" not in error.help',
        "_WORDS.findall(error.help)",
        're.match("no steady", str(error.problems[0].found))',
        'self.why.endswith(".")',
        'error.problems[0].found.replace("column", "key")',
    ],
)
def test_a_sentence_that_is_taken_apart_is_noticed(code: str) -> None:
    assert taken_apart(ast.walk(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        'problem.replace(found="worse")',
        'text.startswith("-")',
        'self.text.startswith("[[", self.position)',
        "reason in reasons",
        "error.code in CODES",
    ],
)
def test_other_texts_may_be_taken_apart(code: str) -> None:
    assert not taken_apart(ast.walk(ast.parse(code)))
