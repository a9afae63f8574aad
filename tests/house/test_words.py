"""What users read is written in the field's terms: no retired word in messages, help, explanations or the README.

`python tests/house/test_words.py [ROOM]` lists every retired word with the better one.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]

RETIRED = {
    r"told|tells?|tell": "shown, given, reported, states",
    r"said|says? that|say (?=--)": "stated; use --option",
    r"(?:is|are|was|were|be|what) found(?! in)|found full|found it|who find": "computed, full",
    r"in (?:the|its|their) places? of": "instead of",
    r"away": "delay, immediately",
    r"own": "separate, its",
    r"whole": "integer, entire",
    r"alike|unlike": "identical, the same, similar",
    r"calm(?:er|s)?|thinned|felt|came": "(a term of the field)",
    r"(?<!be )met": "satisfied, reproduced, holds",
    r"seen|unseen": "observed, reached",
    r"stay(?:s|ed|ing)?": "residence time; remains",
    r"settles?|settled": "converges",
    r"(?:is|are) full(?: first| second)?(?= at| first| second)|how full": "saturates, utilization",
    r"where the time goes": "breakdown of response time",
    r"those who|who is|who are|who goes|who comes|who waits|who finds": "customers that ...",
    r"nobody|somebody|anybody": "no one; rephrase as a passive",
    r"looked (?:at|for)|look(?:s|ing)? (?:at|for) the end": "evaluated, searched",
    r"held against|hold against|holds? .{1,20} against": "compared with",
    r"left behind|leaves? behind|left after the response": "second-phase work",
    r"waited for while": "simultaneous resource possession; waiting while ... is held",
    r"uneven(?:ly)?|gaps?": "variable; interarrival times",
    r"trust differences": "Only the sign of a difference is reliable",
    r"less than signs": "only the sign is reliable",
    r"if left out|, else \d": "default: ...",
    r"stands for": "means, denotes",
    r"for ever": "forever, indefinitely",
    r"so many": "a number of, N",
    r"asked for [\d.{]": "would be ... utilized",
    r"(?<!standard )(?<!standard_)deviations?": "standard deviation",
    r"largest (?:possible )?rates?|maximum rates?": "saturation throughput",
    r"time told": "response time",
    r"interrupting or not": "preemptive-resume or head-of-line",
    r"the doubt|in doubt|a doubt|doubt": "uncertainty",
    r"right angles": "orthogonal",
    r"heeded|vouch(?:es)?|bears?": "(plain English)",
    r"beside": "besides, with, next to",
}
"""Regular expressions of words and phrases that are no longer written (whole words, any case), and what to write."""

DONE = (
    "qnet/cli",
    "qnet/explanations",
    "qnet/model",
    "qnet/expression",
    "qnet/catalog",
    "qnet/queues",
    "qnet/networks",
    "qnet/networks/measured_errors.csv",
    "qnet/questions",
    "qnet/reports",
    "qnet/documents.py",
    "qnet/errors.py",
    "qnet/units.py",
    "qnet/system.py",
    "qnet/__init__.py",
    "README.md",
)
"""Rooms whose texts are rewritten: none of the retired words is left in them."""

KEPT = {
    ("qnet/cli/validate.py", "met"): "the name of a figure of the report",
}
"""Words that are names of the language or of columns, by file."""

WORDS = re.compile("|".join(rf"(?P<w{index}>\b(?:{word})\b)" for index, word in enumerate(RETIRED)), re.IGNORECASE)


class Hit(NamedTuple):
    """A retired word in a text."""

    file: str
    line: int
    word: str
    better: str
    text: str

    def __str__(self) -> str:
        return f'{self.file}:{self.line}: "{self.word}": write {self.better} [{self.text}]'


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """What users can read of a file: its strings of two words or more, and docstrings of commands; or its prose."""
    if path.suffix == ".md":
        yield from prose(path.read_text())
        return
    if path.suffix == ".csv":
        yield from (
            (number, cell) for number, row in enumerate(csv.reader(path.read_text().splitlines()), 1) for cell in row
        )
        return
    tree = ast.parse(path.read_text())
    hidden: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            command = isinstance(node, ast.FunctionDef) and any(
                "command" in ast.unparse(d) for d in node.decorator_list
            )
            command |= isinstance(node, ast.FunctionDef) and any("group" in ast.unparse(d) for d in node.decorator_list)
            for statement in node.body:
                # Docstrings, also those below an attribute.
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and not command:
                    hidden.add(id(statement.value))
        if isinstance(node, ast.Assert | ast.Raise) and "NotImplemented" in ast.unparse(node):
            hidden |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            hidden |= {id(part) for part in node.values}
            text = "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            text = node.value
        else:
            continue
        if id(node) not in hidden and re.search(r"[a-z,}] [a-z{]", text):
            yield node.lineno, text


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a page without its blocks of code and the code in its lines."""
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, re.sub(r"`[^`]*`", "``", line)


def hits(path: Path) -> Iterator[Hit]:
    """The retired words of a file."""
    name = path.relative_to(ROOT).as_posix()
    for line, text in texts(path):
        for match in WORDS.finditer(text):
            if (name, match[0].lower()) not in KEPT:
                better = list(RETIRED.values())[int(str(match.lastgroup)[1:])]
                start = max(0, match.start() - 40)
                yield Hit(name, line, match[0], better, " ".join(text[start : match.end() + 40].split()))


def files(room: str) -> list[Path]:
    path = ROOT / room
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


@pytest.mark.parametrize("room", DONE)
def test_users_read_no_retired_word(room: str):
    found = [str(hit) for path in files(room) for hit in hits(path)]
    assert not found, "\n" + "\n".join(found)


def test_rooms_exist():
    assert all((ROOT / room).exists() for room in (*DONE, *(name for name, _ in KEPT)))


if __name__ == "__main__":
    for chosen in sys.argv[1:] or DONE:
        listed = [hit for path in files(chosen) for hit in hits(path)]
        if sys.argv[1:]:
            print(*listed, sep="\n")
        print(f"{chosen}: {len(listed)}")
