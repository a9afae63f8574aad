"""What is written in the field's terms: messages, help, explanations and the README, docstrings and comments.

`python tests/house/test_words.py [ROOM]` lists every retired word that users read, with the better one;
`python tests/house/test_words.py --code [ROOM]` lists those of docstrings and comments.
"""

from __future__ import annotations

import ast
import csv
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

from many import many
from source import ROOT, of_kinds, text_of

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
    r"asked for(?= (?:[\d.{]|too ))|times what (?:it|they) can": "would be ... utilized",
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
    "qnet/exchange",
    "qnet/queues",
    "qnet/networks",
    "qnet/networks/measured_errors.csv",
    "qnet/questions",
    "qnet/reports",
    "qnet/topics",
    "qnet/arguments.py",
    "qnet/budget.py",
    "qnet/documents.py",
    "qnet/errors.py",
    "qnet/formats.py",
    "qnet/note.py",
    "qnet/opened.py",
    "qnet/real.py",
    "qnet/references.csv",
    "qnet/units.py",
    "qnet/system.py",
    "qnet/__init__.py",
    "README.md",
    "qnet/signatures.py",
    "catalog/parts",
    "catalog/sources.toml",
    "catalog/studies",
    "catalog/systems",
    "examples",
)
"""Rooms whose texts are rewritten: none of the retired words is left in them."""

PROSE_KEYS = {
    "alternatives", "answer", "cannot_tell", "causes", "chosen", "description", "machine", "metric", "miss", "note",
    "null", "question", "remark", "short", "text", "title", "why",
}  # fmt: skip
"""Keys of models, parts and studies whose strings are prose."""

DONE_IN_CODE = (
    "qnet/catalog",
    "qnet/cli",
    "qnet/exchange",
    "qnet/explanations",
    "qnet/expression",
    "qnet/model",
    "qnet/networks",
    "qnet/questions",
    "qnet/queues",
    "qnet/reports",
    "qnet/__init__.py",
    "qnet/__main__.py",
    "qnet/arguments.py",
    "qnet/budget.py",
    "qnet/documents.py",
    "qnet/errors.py",
    "qnet/formats.py",
    "qnet/lazy.py",
    "qnet/note.py",
    "qnet/opened.py",
    "qnet/plain_tables.py",
    "qnet/real.py",
    "qnet/record.py",
    "qnet/references.py",
    "qnet/signatures.py",
    "qnet/system.py",
    "qnet/units.py",
)
"""Rooms whose docstrings and comments are rewritten: none of the retired words is left in them."""

_GAP = "the gap between records of a track, or between frames of a network"

KEPT = {
    ("catalog/parts/dasd/ibm-3390-1.toml", "gaps"): _GAP,
    ("catalog/parts/dasd/ibm-3390-2.toml", "gaps"): _GAP,
    ("catalog/parts/dasd/ibm-3390-3.toml", "gaps"): _GAP,
    ("catalog/parts/dasd/ibm-3390-9.toml", "gaps"): _GAP,
    ("catalog/parts/lan/ethernet-10g.toml", "gap"): _GAP,
    ("catalog/parts/lan/ethernet-25g.toml", "gap"): _GAP,
    ("catalog/parts/lan/ethernet-100g.toml", "gap"): _GAP,
    ("qnet/cli/validate.py", "met"): "the name of a figure of the report",
}
"""Words that are names of the language or of columns, by file."""

KEPT_IN_CODE = {
    ("qnet/cli/validate.py", "met"): "the name of a figure of the report, in the list of all of them",
}
"""Words of docstrings and comments that stay, by file: names in the code, or the word itself is meant."""

DESCRIBED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
"""What has a docstring."""

WORDS = re.compile("|".join(rf"(?P<w{index}>\b(?:{word})\b)" for index, word in enumerate(RETIRED)), re.IGNORECASE)
ANY_WORD = re.compile(rf"\b(?:{'|'.join(RETIRED)})\b")
"""The same of a text in small letters, without which of them it is: 18 times as fast, and most texts have none."""


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
        yield from prose(text_of(path))
        return
    if path.suffix == ".csv":
        yield from (
            (number, cell) for number, row in enumerate(csv.reader(text_of(path).splitlines()), 1) for cell in row
        )
        return
    if path.suffix == ".toml":
        yield from sentences(text_of(path))
        return
    hidden: set[int] = set()
    for node in of_kinds(path, *DESCRIBED, ast.Assert, ast.Raise):
        if isinstance(node, DESCRIBED):
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
    for node in of_kinds(path, ast.JoinedStr, ast.Constant):
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


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The prose of a model, a part or a study, with the line where the first line of each stands."""
    lines = text.split("\n")

    def inside(value: Any, key: str) -> Iterator[str]:
        if isinstance(value, dict):
            for name, item in value.items():
                yield from inside(item, name)
        elif isinstance(value, list):
            for item in value:
                yield from inside(item, key)
        elif isinstance(value, str) and key in PROSE_KEYS:
            yield value

    for sentence in inside(tomllib.loads(text), ""):
        first = sentence.strip().split("\n")[0][:40]
        line = next((number for number, written in enumerate(lines, 1) if first in written), 1)
        yield line, re.sub(r"`[^`]*`", "``", sentence)


def remarks(path: Path) -> Iterator[tuple[int, str]]:
    """What developers read of a file: its docstrings, also those below attributes, and its comments.

    Names in backticks and the names of arguments in front of their lines are left out. Comments on successive lines
    are one text.
    """
    if path.suffix != ".py":
        return
    for node in of_kinds(path, *DESCRIBED):
        if isinstance(node, DESCRIBED):
            names = arguments(node)
            for statement in node.body:
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    yield statement.lineno, without_code(str(statement.value.value), names)
    start, end, comment = 0, 0, ""
    for line, text in comments(text_of(path)):
        if line != end + 1:
            if comment:
                yield start, without_code(comment)
            start, comment = line, ""
        end = line
        comment += text.lstrip("# ") + "\n"
    if comment:
        yield start, without_code(comment)


STRING_OR_COMMENT = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(#[^\n]*)''', re.DOTALL
)


def comments(text: str) -> Iterator[tuple[int, str]]:
    """The comments of a module, each with its line: what follows a sign that is in no string."""
    line, last = 1, 0
    for found in STRING_OR_COMMENT.finditer(text) if "#" in text else ():
        if found[1]:
            line, last = line + text.count("\n", last, found.start()), found.start()
            yield line, found[1]


def test_comments_are_those_of_the_tokenizer():
    for path in files("tests/house"):
        tokens = tokenize.generate_tokens(io.StringIO(text_of(path)).readline)
        expected = [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
        assert list(comments(text_of(path))) == expected, path


def arguments(node: ast.AST) -> set[str]:
    """The names of the arguments of a function, or of the fields of a class and of the arguments of its `__init__`."""
    if isinstance(node, ast.ClassDef):
        fields = {ast.unparse(item.target) for item in node.body if isinstance(item, ast.AnnAssign)}
        made = (item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__")
        return fields.union(*map(arguments, made))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {inner.arg for inner in ast.walk(node.args) if isinstance(inner, ast.arg)}
    return set()


def without_code(text: str, names: Set[str] = frozenset()) -> str:
    """A text without its doctests, the names and code in backticks, and names at the beginning of a line."""
    lines = text.split("\n")
    doctest = False
    for index, line in enumerate(lines):
        doctest = line.lstrip().startswith(">>>") or (doctest and bool(line.strip()))
        if doctest:
            lines[index] = ""
        named = re.match(r" *(\w+(?:, \w+)*)  ", line)
        if named and set(named[1].split(", ")) <= names:
            lines[index] = line[named.end() :]
    return re.sub(r"`[^`\n]*`", "``", "\n".join(lines))


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a page without its blocks of code and the code in its lines."""
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, re.sub(r"`[^`]*`", "``", line)


def hits(path: Path) -> Iterator[Hit]:
    """The retired words that users read in a file."""
    yield from retired(path, texts(path), KEPT)


def hits_in_code(path: Path) -> Iterator[Hit]:
    """The retired words in the docstrings and comments of a file."""
    yield from retired(path, remarks(path), KEPT_IN_CODE)


def retired(path: Path, texts: Iterator[tuple[int, str]], kept: Mapping[tuple[str, str], str]) -> Iterator[Hit]:
    """The retired words of some texts of a file that are not among the words kept."""
    name = path.relative_to(ROOT).as_posix()
    for line, text in texts:
        for match in WORDS.finditer(text) if ANY_WORD.search(text.lower()) else ():
            word = " ".join(match[0].lower().split())
            if (name, word) not in kept:
                better = list(RETIRED.values())[int(str(match.lastgroup)[1:])]
                start = max(0, match.start() - 40)
                shown = " ".join(text[start : match.end() + 40].split())
                yield Hit(name, line + text.count("\n", 0, match.start()), word, better, shown)


def files(room: str) -> list[Path]:
    path = ROOT / room
    if not path.is_dir():
        return [path]
    return sorted(item for item in path.rglob("*") if item.suffix in (".py", ".md", ".toml"))


@many("room", DONE)
def test_users_read_no_retired_word(room: str):
    found = [str(hit) for path in files(room) for hit in hits(path)]
    assert not found, "\n" + "\n".join(found)


@many("room", DONE_IN_CODE)
def test_docstrings_and_comments_hold_no_retired_word(room: str):
    found = [str(hit) for path in files(room) for hit in hits_in_code(path)]
    assert not found, "\n" + "\n".join(found)


def test_rooms_exist():
    named = (*DONE, *DONE_IN_CODE, *(name for name, _ in (*KEPT, *KEPT_IN_CODE)))
    assert all((ROOT / room).exists() for room in named)


if __name__ == "__main__":
    code = sys.argv[1:2] == ["--code"]
    rooms = sys.argv[2:] if code else sys.argv[1:]
    for chosen in rooms or (DONE_IN_CODE if code else DONE):
        listed = [hit for path in files(chosen) for hit in (hits_in_code(path) if code else hits(path))]
        if rooms:
            print(*listed, sep="\n")
        print(f"{chosen}: {len(listed)}")
