"""Whole commands with all that they print: each folder below `golden` is one case, checked by `test_golden...`.

    golden/TOPIC/CASE/cmd    one command line that starts with `qnet`; `< FILE` at its end gives it a standard input
                      out    what stands on standard output
                      err    what stands on standard error
                      rc     the exit code
                      tolerance   optional: how far numbers may be off, relative and absolute; those of texts too
                      ...    files that the command reads

`pytest tests/cli --regen-golden` writes the present answers; look at the difference before it is committed. Texts and
tables without a tolerance are compared to the letter, all else number by number, because the last digits are the
machine's.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_process import Answer, run_qnet
from warm_process import warm_process

from qnet import __version__
from qnet.catalog.find import root

GOLDEN = Path(__file__).parent / "golden"
SEARCHES = ("bottleneck", "calibrate", "envelope", "knee", "map", "sweep")
"""Topics whose commands solve a model at many points: as much work as all others."""
CASES = sorted(str(path.parent.relative_to(GOLDEN)) for path in GOLDEN.rglob("cmd"))
ANSWERS = ("out", "err", "rc")
RELATIVE, ABSOLUTE = 1e-9, 0.0
NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)")


def huge(folder: Path) -> None:
    """A file of 100 MB that takes no room."""
    with (folder / "model.toml").open("wb") as stream:
        stream.truncate(100_000_000)


def deep(folder: Path) -> None:
    """A sound model but for an expression with 10,000 parentheses, and another with as many signs."""
    text = (folder / "sound.toml").read_text()
    for name, expression in (("brackets", "(" * 10_000 + "10 ms" + ")" * 10_000), ("signs", "-" * 10_000 + "10 ms")):
        (folder / f"{name}.toml").write_text(text.replace("10 ms", expression))


def deep_lists(folder: Path) -> None:
    """TOML whose lists nest 10,000 deep."""
    (folder / "model.toml").write_text("qnet = " + "[" * 10_000 + "]" * 10_000 + "\n")


MADE = {
    "wrong/huge-file": huge,
    "wrong/deep-brackets": deep,
    "wrong/deep-signs": deep,
    "wrong/deep-lists": deep_lists,
}
"""Inputs that are made when they are needed, because nobody wants them in a repository."""


def check(case: str, folder: Path, config: pytest.Config) -> None:
    """Assert that a command answers what its case says, or write that."""
    answer = run_case(case, folder / "case")
    kept = GOLDEN / case
    if config.getoption("--regen-golden", default=False):
        for name, text in zip(ANSWERS, (answer.out, answer.err, f"{answer.code}\n"), strict=True):
            if not (kept / name).exists() or not agree(read(kept, name), text, *tolerances(kept)):
                (kept / name).write_text(text)
        return
    assert answer.err == read(kept, "err")
    assert answer.code == int(read(kept, "rc"))
    expected = read(kept, "out")
    if not agree(expected, answer.out, *tolerances(kept)):
        assert answer.out == expected


def run_case(case: str, folder: Path, alone: bool = False) -> Answer:
    """The answer of a case, by the process that answers all of them, or `alone` by a new one."""
    shutil.copytree(GOLDEN / case, folder, ignore=shutil.ignore_patterns(*ANSWERS, "cmd", "tolerance"))
    MADE.get(case, lambda folder: None)(folder)
    words = shlex.split((GOLDEN / case / "cmd").read_text())
    assert words[0] == "qnet"
    stdin = b""
    if "<" in words:
        stdin = (folder / words[-1]).read_bytes()
        words = words[: words.index("<")]
    return masked(run_qnet(words[1:], folder, stdin) if alone else warm_process().run(words[1:], folder, stdin))


def masked(answer: Answer) -> Answer:
    """Without what differs from place to place and from version to version."""

    def mask(text: str) -> str:
        text = text.replace(root(), "CATALOG").replace(f'"qnet": "{__version__}"', '"qnet": "VERSION"')
        if text.startswith("<!DOCTYPE html>"):
            text = text.replace(f"qnet {__version__}", "qnet VERSION")
        text = re.sub(r"\b([A-Z]) [0-9a-f]{12}\b", r"\1 DIGEST", text)  # of the sides of a comparison
        return re.sub(r'(digest "?|digest <code>|"digest": "|^digest,)[0-9a-f]{12}', r"\1DIGEST", text)

    return Answer(mask(answer.out), mask(answer.err), answer.code)


def read(folder: Path, name: str) -> str:
    path = folder / name
    return path.read_text() if path.exists() else ""


def tolerances(folder: Path) -> tuple[float, float]:
    """How far numbers may be off in a case: relative and absolute."""
    relative, absolute = read(folder, "tolerance").split() or (RELATIVE, ABSOLUTE)
    return float(relative), float(absolute)


def agree(one: str, other: str, relative: float, absolute: float) -> bool:
    """Whether two answers say the same: to the letter, or as JSON, JSON lines or CSV up to the last digits."""
    if one == other:
        return True
    if not one or not other:
        return False
    left, right = parsed(one), parsed(other)
    if left is None and right is None and (relative, absolute) != (RELATIVE, ABSOLUTE):
        left, right = ([number(part) for part in NUMBER.split(text)] for text in (one, other))
    return left is not None and right is not None and close(left, right, relative, absolute)


def parsed(text: str) -> Any:
    """The data of JSON, JSON lines or CSV, and None for other text."""
    try:
        if text.startswith("{"):
            return json.loads(text) if "\n{" not in text else [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return None
    rows = list(csv.reader(text.splitlines()))
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return None
    return [[number(cell) for cell in row] for row in rows]


def number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def close(one: Any, other: Any, relative: float, absolute: float) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(close(one[key], other[key], relative, absolute) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(close(left, right, relative, absolute) for left, right in pairs)
    if isinstance(one, float | int) and isinstance(other, float | int) and not isinstance(one, bool):
        return abs(one - other) <= max(absolute, relative * abs(one))
    return type(one) is type(other) and one == other
