"""Names in the code are those of the field: none of the words of a private dialect stands for a thing with a name.

`python tests/house/test_names.py` lists every name that has one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from source import ROOT, files, nodes_of

RETIRED = re.compile(
    r"(?:^|_)(?:told|tells?|found|place|away|own|whole|alike|calm|thinned|met|seen|unseen|felt|came|stays?|said)(?:_|$)",
    re.IGNORECASE,
)
"""Words that say nothing of what a result, an index, a part or a time is."""

KEPT = {
    "found": "of a `Problem`: a key of the errors in JSON, and the fields that carry one",
    "place": "of a document: where a problem, a parameter or a claim stands in its file",
    "found_full": "a metric of the language",
    "found_range": "of a `Problem`, as found",
    "cannot_tell": "a key of the studies' stories",
    "met": "a column of `qnet validate`",
    "carried_met": "as met",
    "MET": "as met",
    "own": "an argument of functions that are bound by keyword: the own service time included",
}
"""Names that are part of an interface, and of what."""

MOST_OTHERS = 0
"""Others that are left."""


def names(path: Path) -> Iterator[tuple[int, str]]:
    """Every name that a module gives, with its line."""
    for node in nodes_of(path):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def hits() -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in files()
        for line, name in names(path)
        if RETIRED.search(name) and name not in KEPT
    ]


def test_names_say_what_they_hold() -> None:
    assert len(hits()) <= MOST_OTHERS, "\n".join(hits())


def test_a_retired_word_is_noticed() -> None:
    assert all(RETIRED.search(name) for name in ("found", "_told", "own_share", "whole"))
    assert not any(RETIRED.search(name) for name in ("foundation", "metric", "placed", "wholesale"))


if __name__ == "__main__":
    print("\n".join(hits()))
