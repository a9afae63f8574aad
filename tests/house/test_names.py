"""Names in the code are those of the field: none of the words of a private dialect stands for a thing with a name.

`python tests/house/test_names.py` lists every name that has one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from source import ROOT, files, of_kinds, tree_of

RETIRED = re.compile(
    r"(?:^|_)(?:told|tells?|found|place|away|own|whole|alike|calm|thinned|met|seen|unseen|felt|came|stays?|said)(?:_|$)",
    re.IGNORECASE,
)
"""Words that say nothing of what a result, an index, a part or a time is."""

FOUND = "the `found` of a `Problem`: a key of the errors in JSON, and what carries one"
PLACE = "a key of the catalog: where a value stands in its source"

KEPT = {
    ("qnet/budget.py", "found"): FOUND,
    ("qnet/catalog/drafts.py", "place"): PLACE,
    ("qnet/catalog/parts.py", "place"): PLACE,
    ("qnet/errors.py", "found"): FOUND,
    ("qnet/exchange/demands_csv.py", "found"): FOUND,
    ("qnet/exchange/formats.py", "found"): FOUND,
    ("qnet/exchange/imported.py", "found"): FOUND,
    ("qnet/exchange/jmva.py", "found"): FOUND,
    ("qnet/exchange/layers.py", "found"): FOUND,
    ("qnet/exchange/lqn.py", "found"): FOUND,
    ("qnet/exchange/lqnx.py", "found"): FOUND,
    ("qnet/exchange/intervals.py", "found"): FOUND,
    ("qnet/exchange/measured.py", "found"): FOUND,
    ("qnet/model/model.py", "place"): PLACE,
    ("qnet/networks/solution.py", "found_full"): "a metric of the language",
    ("qnet/questions/calibrate/held_out.py", "found"): FOUND,
    ("qnet/questions/study/screen.py", "cannot_tell"): "a key of the stories of studies",
    ("qnet/questions/study/story.py", "cannot_tell"): "a key of the stories of studies",
    ("qnet/questions/study/tally.py", "carried_met"): "a column of `qnet validate`",
    ("qnet/questions/study/tally.py", "met"): "a column of `qnet validate`",
    ("qnet/questions/study/validate.py", "MET"): "a column of `qnet validate`",
    ("qnet/queues/percentile_fit.py", "found"): FOUND,
    ("qnet/queues/stations/conversions.py", "found"): FOUND,
}
"""Names that are part of an interface, by file, and of what."""


@cache
def names(path: Path) -> tuple[tuple[int, str], ...]:
    """Every name that a module gives, with its line."""
    return tuple(_names(path))


def _names(path: Path) -> Iterator[tuple[int, str]]:
    for node in of_kinds(
        path, ast.Name, ast.Attribute, ast.FunctionDef, ast.ClassDef, ast.arg, ast.alias, ast.ExceptHandler
    ):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.lineno, node.name


@cache
def used() -> dict[tuple[str, str], int]:
    """The names with a retired word, by file, with the line of the first."""
    found: dict[tuple[str, str], int] = {}
    for path in files():
        for line, name in names(path):
            if RETIRED.search(name):
                found.setdefault((path.relative_to(ROOT).as_posix(), name), line)
    return found


def hits() -> list[str]:
    return [f"{file}:{line}: {name}" for (file, name), line in used().items() if (file, name) not in KEPT]


def test_names_say_what_they_hold() -> None:
    assert not hits(), "\n".join(hits())


def test_files_say_what_they_hold() -> None:
    every = [path.relative_to(ROOT) for room in ("qnet", "tests") for path in files(room)]
    assert len(every) > 400
    assert [str(path) for path in every if any(RETIRED.search(part) for part in (*path.parts[:-1], path.stem))] == []


def test_exceptions_are_there() -> None:
    assert KEPT.keys() - used().keys() == set()


CAPACITIES = frozenset({
    "qnet/model/model.py", "qnet/model/rate_formula.py", "qnet/networks/capacity/buffers.py",
 "qnet/networks/capacity/copied_drains.py",
    "qnet/networks/capacity/closed.py", "qnet/networks/capacity/closed_levels.py",
    "qnet/networks/capacity/closed_network.py", "qnet/networks/capacity/open_exactness.py",
    "qnet/networks/capacity/stations.py", "qnet/networks/routed.py", "qnet/networks/solution.py",
    "qnet/networks/states/compiler.py", "qnet/queues/m_g_1_k.py", "qnet/queues/places.py",
})  # fmt: skip
"""Where customers take places: of a buffer, or of a station with a capacity."""


def test_only_customers_take_places() -> None:
    """What is in a list or an array has an index, and a resource a name."""
    named = {path for path in files() if any("places" in name.lower().split("_") for _, name in names(path))}
    assert {path.relative_to(ROOT).as_posix() for path in named} == CAPACITIES


def classes_by_name(folder: Path) -> dict[str, list[str]]:
    """The public classes of modules whose name stands in more than one, with those modules."""
    modules: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules.setdefault(node.name, []).append(path.relative_to(folder).as_posix())
    return {name: paths for name, paths in modules.items() if len(paths) > 1}


def test_no_two_public_classes_share_a_name() -> None:
    assert classes_by_name(ROOT / "qnet") == {}


def test_a_shared_name_is_noticed(tmp_path: Path) -> None:
    for module in ("one", "other"):
        (tmp_path / f"{module}.py").write_text("class Table: ...\nclass _Private: ...\n")
    assert classes_by_name(tmp_path) == {"Table": ["one.py", "other.py"]}


def test_a_retired_word_is_noticed() -> None:
    assert all(RETIRED.search(name) for name in ("found", "_told", "own_share", "whole"))
    assert not any(RETIRED.search(name) for name in ("foundation", "metric", "placed", "wholesale"))


if __name__ == "__main__":
    print("\n".join(hits()))
