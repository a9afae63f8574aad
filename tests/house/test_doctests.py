"""The examples in docstrings give what they show."""

from __future__ import annotations

import ast
import doctest
from importlib import import_module
from pathlib import Path

import pytest
from source import ROOT, files, name_of, nodes_of, text_of

import qnet

FILES = [path for path in files() if ">>>" in text_of(path)]


def examples(path: Path) -> list[doctest.DocTest]:
    """The docstrings with examples, those of decorated functions too, which `doctest` alone passes over."""
    found: list[doctest.DocTest] = []
    names = {**vars(import_module(name_of(path))), "qnet": qnet}
    for node in nodes_of(path):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text, name = ast.get_docstring(node) or "", getattr(node, "name", "module")
            if ">>>" in text:
                found.append(doctest.DocTestParser().get_doctest(text, names, name, str(path), node.body[0].lineno))
    return found


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_examples_give_what_they_show(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    runner = doctest.DocTestRunner(verbose=False)
    for case in examples(path):
        runner.run(case)
        assert runner.tries and not runner.failures, case.name


def test_public_functions_have_examples():
    assert sum(len(examples(path)) for path in FILES) > 60
