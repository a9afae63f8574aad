"""The comparison of frozen answers finds what it is for."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from qnet.networks.solvers.table import TABLE

sys.path.append(str(Path(__file__).resolve().parents[1]))

import frozen

ANSWER = {"exit": 0, "report": {"exact": True, "rows": [{"response_s": 2.0, "why": "a few words"}]}, "error": []}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with the same answer."""
    found = tmp_path / "before", tmp_path / "after"
    for folder in found:
        folder.mkdir()
        (folder / "a.solve.json").write_text(json.dumps(ANSWER))
    return found


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "text", "differ"),
    [
        ("2.0", "2.000000000001", True, 0),
        ("2.0", "2.00001", True, 1),
        ("true", "false", False, 1),
        ("a few words", "said in other words", True, 1),
        ("a few words", "said in other words", False, 0),
        ("a few words", "QN601 words", False, 1),
    ],
)
def test_what_differs(folders: tuple[Path, Path], old: str, new: str, text: bool, differ: int):
    changed(folders[1] / "a.solve.json", old, new)
    assert frozen.compare(*folders, 1e-9, text) == differ


def test_a_missing_answer(folders: tuple[Path, Path]):
    (folders[1] / "a.solve.json").unlink()
    assert frozen.compare(*folders, 1e-9, True) == 1


@pytest.mark.parametrize(("slow", "differ"), [((0,), 1), ((1,), 1), ((0, 1), 0)])
def test_an_answer_that_is_slow_in_one_folder_only(folders: tuple[Path, Path], slow: tuple[int, ...], differ: int):
    for index in slow:
        (folders[index] / "a.solve.json").write_text(json.dumps({"slow": True}))
    assert frozen.compare(*folders, 1e-9, False) == differ


def test_every_method_of_the_table_is_asked():
    asked = {case.name.rpartition(".solve-")[2] for case in frozen.cases(0, 0) if ".solve-" in case.name}
    assert asked == {row.name for row in TABLE}


def test_every_system_is_swept_or_has_no_range():
    names = [case.name for case in frozen.cases(1, 7)]
    assert len(names) == len(set(names))
    grids = frozen.grids()
    assert len(grids) > 40 and sum(grid is None for grid in grids.values()) < 8
    for name, grid in grids.items():
        assert (f"{name}.sweep" in names) == (f"{name}.map" in names) == (grid is not None)
        assert grid is None or len(set(grid.values)) == 3


@pytest.mark.parametrize(
    ("parameters", "over"),
    [
        ({"mode": {"value": "a", "options": ["a", "b"]}, "rate": {"value": "80/s"}, "n": 3}, None),
        ({"rate": {"value": "80/s", "range": ["1/s", "100/s"]}}, "rate=60/s,80/s,100/s"),
        ({"rate": {"value": "80/s", "range": ["1/s", "90/s"]}}, "rate=40/s,60/s,80/s"),
        ({"cache": {"value": "4 GiB", "range": ["256 MiB", "256 GiB"]}}, "cache=3 GiB,4 GiB,5 GiB"),
        ({"users": {"value": 1, "range": [1, 1000]}}, "users=1,2,3"),
        ({"share": {"value": 0, "range": [0, 1]}}, "share=0,0.25,0.5"),
        ({"sum": {"value": "2 * n", "range": [0, 9]}, "n": {"value": 6, "range": [0, 9]}}, "n=4,6,8"),
        ({"n": {"value": 6, "range": [0, float("inf")]}}, None),
    ],
)
def test_the_values_of_a_sweep(parameters: dict[str, Any], over: str | None):
    grid = frozen.grid_of(parameters)
    assert (grid and grid.over) == over


def test_sweeps_and_maps_have_the_same_figures():
    named = {case.name: case for case in frozen.cases(0, 0)}
    swept, mapped = (frozen.answer(named[f"interactive-users.{kind}"]) for kind in ("sweep", "map"))
    assert swept["exit"] == mapped["exit"] == 0
    rows = swept["report"]["rows"]
    assert [row["response_s"] for row in mapped["report"]] == pytest.approx([row["response_s"] for row in rows])


def test_an_answer_is_written_as_it_is_printed():
    found = frozen.answer(frozen.Case("queue", (*frozen.LISTS[4], "--json")))
    assert found["exit"] == 0
    assert found["report"]["rows"]
