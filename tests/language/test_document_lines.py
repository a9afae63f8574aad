"""On which line a key stands, in every way that TOML has to write one down."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from many import many

from qnet.documents import Path, parse


def line(text: str, *path: str | int) -> int:
    return parse(text.encode(), "m.toml").line(path)


def test_keys_of_tables():
    text = "a = 1\n\n[t]\nb = 1 # c = 2\n[t.u]\nc = 1\n"
    assert [line(text, *path) for path in [("a",), ("t",), ("t", "b"), ("t", "u"), ("t", "u", "c")]] == [1, 3, 4, 5, 6]


def test_dotted_and_quoted_keys():
    text = 'a.b.c = 1\n"d e".\'f.g\' = 2\n[ h . "i\\"j" ]\n\'k\\\' = 3\n"\\u00e9" = 4\n"" = 5\n'
    assert line(text, "a", "b", "c") == 1
    assert line(text, "d e", "f.g") == 2
    assert line(text, "h", 'i"j') == 3
    assert line(text, "h", 'i"j', "k\\") == 4
    assert line(text, "h", 'i"j', "é") == 5
    assert line(text, "h", 'i"j', "") == 6


@pytest.mark.parametrize(
    "string",
    [
        '"""x\n"""',
        '"""x\n""""',
        '"""x\n"""""',
        "'''x\n'''",
        "'''x\n''''",
        "'''x\n'''''",
        '"""\\\n"""',
        '"""a\\"""b\n"""',
        '"""\n""b"a""c"""',
        "'''\n''b'a''c\\'''",
        '"""\\\\\n"""',
    ],
)
def test_a_multi_line_string_ends_where_toml_says(string: str):
    text = f"a = {string}\nb = 1\n"
    assert line(text, "b") == 3


@pytest.mark.parametrize("string", ['"b = 2 # \\" ["', "'b = 2 # \\'", '"]"', "'{'", '"#"'])
def test_what_stands_in_a_string_is_no_key(string: str):
    text = f"a = {string}\nb = 1\n[c]\nb = 2\n"
    assert (line(text, "b"), line(text, "c", "b")) == (2, 4)


def test_lists_over_several_lines():
    text = "a = [ # first\n  1, [ 2,\n  3 ], # ]\n  { k = 4, l = [\n    '] }' ] },\n]\nb = 1\n"
    places = {(0,): 2, (1,): 2, (1, 0): 2, (1, 1): 3, (2,): 4, (2, "k"): 4, (2, "l"): 4, (2, "l", 0): 5}
    assert {path: line(text, "a", *path) for path in places} == places
    assert line(text, "b") == 7


def test_tables_of_lists_are_counted():
    text = "[[a]]\nx = 1\n[[a.b]]\ny = 1\n[[a.b]]\ny = 2\n[[a]]\n[[a.b]]\ny = 3\n[a.b.c]\nz = 4\n"
    assert [line(text, "a", index) for index in (0, 1)] == [1, 7]
    assert line(text, "a", 0, "x") == 2
    assert [line(text, "a", 0, "b", index, "y") for index in (0, 1)] == [4, 6]
    assert line(text, "a", 1, "b", 0, "y") == 9
    assert line(text, "a", 1, "b", 0, "c", "z") == 11


def test_values_of_every_kind():
    text = "a = 1979-05-27 07:32:00\nb = -1_000.5e3\nc = true\nd = {}\ne = []\nf = {x.y = 1, z = 'a'}\ng = inf"
    assert [line(text, key) for key in "abcdefg"] == [1, 2, 3, 4, 5, 6, 7]
    assert line(text, "f", "x", "y") == 6


STRINGS = ['""', "''", '"a\\"b#"', "'a\\'", '"""a\n"b"""""', "'''a\n\n'b''''", '"""\\\n  c\\""""""', '"[x]"', "'= {'"]


class RandomDocument:
    """A TOML document in which every key is k and a number of its own."""

    def __init__(self, number: int) -> None:
        self.seed = random.Random(number)
        self.keys = 0
        headers = [item for item in ("[t]", "[[u]]", "[[u]]", "[ v . 'w x' ]", "[[u.n]]") if self.seed.random() < 0.6]
        self.text = "".join(f"{header}\n{self.pairs(3, chr(10))}\n# end = [\n" for header in ["", *headers])

    def pairs(self, count: int, between: str, depth: int = 0) -> str:
        return between.join(f"{self.key()} = {self.value(depth + 1)}" for _ in range(count))

    def key(self) -> str:
        self.keys += 1
        return self.seed.choice(["k{0}", '"k{0}"', "'k{0}'", '"\\u006b{0}"', "x{0} . k{0}"]).format(self.keys)

    def value(self, depth: int) -> str:
        form = self.seed.randrange(6)
        if form < 2 or depth > 3:
            return self.seed.choice([*STRINGS, "1", "2.5e3", "true", "1979-05-27"])
        if form == 2:
            return "{ " + self.pairs(self.seed.randrange(4), ", ", depth) + " }"
        gap = self.seed.choice(["", " ", "\n", " # ]\n", "\n\n  "])
        items = [self.value(depth + 1) for _ in range(self.seed.randrange(4))]
        return "[" + gap + f",{gap}".join(items) + gap + "]"


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of everything below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from paths(inner, (*path, key))


@many("number", range(60))
def test_every_key_of_a_random_document_is_found(number: int):
    text = RandomDocument(number).text
    document = parse(text.encode(), "m.toml")
    rows = text.split("\n")
    wanted = [path for path in paths(document.data) if isinstance(path[-1], str) and path[-1].startswith("k")]
    assert len(wanted) >= 3
    for path in wanted:
        row = rows[document.line(path) - 1]
        assert re.search(rf"(k|\\u006b){path[-1][1:]}\b", row), (path, document.line(path), text)
