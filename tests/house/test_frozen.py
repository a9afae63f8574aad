"""The comparison of frozen answers finds what it is for."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

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


def test_an_answer_is_written_as_it_is_printed():
    found = frozen.answer(frozen.Case("queue", (*frozen.LISTS[4], "--json")))
    assert found["exit"] == 0
    assert found["report"]["rows"]
