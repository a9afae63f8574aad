"""What the README's command leaves to the full mode of `.ci/run` is marked, so that nothing is left out of both."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from full import LONGEST, long_but

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
MORE_IN_FULL = {"full.FULL", "kept_chains.kept", "kept.kept_exact", "models.answer", "kept_oracle"}
"""What gives a test more systems, or more chains that are computed, in the full mode."""


def imported(path: Path) -> set[str]:
    """Of `MORE_IN_FULL`, what a file of tests imports."""
    names: set[str] = set()
    text = path.read_text()
    if not any(item.rpartition(".")[2] in text for item in MORE_IN_FULL):
        return names
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module.split('.')[-1]}.{alias.name}" for alias in node.names}
    return names & MORE_IN_FULL


def test_what_takes_more_systems_in_the_full_mode_is_marked():
    more = [path for path in TESTS.rglob("test_*.py") if imported(path)]
    assert len(more) > 20
    assert [path.name for path in more if "mark.sliced" not in path.read_text()] == []


def test_what_is_marked_runs_before_a_change_lands():
    marks = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["markers"]
    assert {text.split(":")[0] for text in marks} == {"long", "sliced"}
    ci = (ROOT / ".ci" / "run").read_text()
    assert re.search(r'^QNET_FULL=1 .* -m "long or sliced"$', ci, re.MULTILINE)


def test_the_longest_files_exist():
    assert set(LONGEST) <= {path.name for path in TESTS.rglob("test_*.py")}


def test_values_of_a_long_test():
    marked = {case.values: [mark.name for mark in case.marks] for case in long_but([1, (2, 3), "a"], (2, 3), "a")}
    assert marked == {(1,): ["long"], (2, 3): [], ("a",): []}


def test_a_short_value_that_is_not_tried_is_refused():
    with pytest.raises(AssertionError):
        long_but([1, 2], 3)
