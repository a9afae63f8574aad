"""Regular expressions on text that nobody vouches for take a time that grows as the text does.

Every pattern of qnet meets texts of a repeated word with an end that fits nothing: where a run of them can be divided
between two neighbours in many ways, or is searched again from each of its characters, the time is the square of the
length: with 2,000 characters a hundred times as long.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from itertools import product
from time import process_time

import pytest
from source import files, name_of, text_of, tree_of

from qnet import documents
from qnet.documents import parse
from qnet.errors import InvalidInput
from qnet.questions.map.parameter_cells import parameter_columns
from qnet.reports.text import clean
from qnet.system import load
from qnet.units import UnitError, quantity

LENGTH = 2_000
SEARCHED = ("qnet.reports.", "qnet.references.", "qnet.questions.study.story.")
"""The rooms that look for a pattern anywhere in a text; the others expect it at a place."""
PIECES = (" ", "a", "1", ".", "_", '"', '\\"', "'", "\x90", "\x1b", "(at ", "[", "/", ")", "=")


def _modules() -> list[str]:
    """The modules that name a pattern, or make one."""
    found: list[str] = []
    for path in files():
        if "import re\n" not in text_of(path):
            continue
        tree = tree_of(path)
        if any(isinstance(node, ast.Import) and any(item.name == "re" for item in node.names) for node in tree.body):
            found.append(name_of(path))
    return found


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Every pattern that a module keeps, compiled or as a text beside it, by its name."""
    found: dict[str, re.Pattern[str]] = {}
    for name in _modules():
        for key, value in vars(import_module(name)).items():
            if isinstance(value, re.Pattern):
                found[f"{name}.{key}"] = value
            elif isinstance(value, str) and key.isupper() and key.lower().endswith(("_pattern", "_string", "_key")):
                found[f"{name}.{key}"] = re.compile(value)
    return found


@cache
def _texts() -> list[str]:
    pairs = ["".join(pair) for pair in product(PIECES, repeat=2)]
    runs = [word * (LENGTH // len(word)) for word in dict.fromkeys([*PIECES, *pairs])]
    return [f"{begin}{run}\0" for run in runs for begin in ("", "1")]


def test_the_patterns_of_the_tool_are_found():
    assert {"qnet.units._QUANTITY_PATTERN", "qnet.reports.text._ESCAPE_SEQUENCE"} <= _patterns().keys()


def _square(length: int) -> float:
    """Processor seconds of a pattern that divides one run between two neighbours: the square of the length."""
    began = process_time()
    assert not re.fullmatch(r"1\s*(a)?\s*", "1" + " " * length + "\0")
    return process_time() - began


@cache
def _allowed() -> float:
    """Half of what a square of the length takes on this machine."""
    return min(_square(LENGTH) for _ in range(3)) / 2


def test_a_square_is_noticed():
    assert _square(2 * LENGTH) > 6 * _square(LENGTH // 2)


def test_every_pattern_takes_a_time_that_grows_as_the_text():
    squares: list[tuple[str, str]] = []
    for name, pattern in _patterns().items():
        searched = name.startswith(SEARCHED)
        slow = [text for text in _texts() if _taken(pattern, text, searched) > _allowed()]
        again = [text for text in slow if _taken(pattern, text, searched) > _allowed()]  # not by chance
        squares += [(name, text[:20]) for text in again]
    assert squares == []


def _taken(pattern: re.Pattern[str], text: str, searched: bool) -> float:
    began = process_time()
    pattern.fullmatch(text)
    pattern.match(text)
    if searched:
        pattern.search(text)
    return process_time() - began


@pytest.mark.parametrize(
    "text",
    ["1" + " " * 200_000 + "x!", "1 B" + " " * 200_000 + "/ !", "1 B" + "*s" * 100_000 + "!", "1" * 200_000 + "!"],
)
def test_a_quantity_is_refused_at_once(text: str):
    with pytest.raises(UnitError):
        quantity(text)


@pytest.mark.parametrize("text", ["\x90" * 300_000, "\x1b]" * 300_000, "\x9b0" * 300_000, "\x9d\x90x" * 100_000])
def test_a_text_of_escapes_is_cleaned_at_once(text: str):
    assert not set(clean(text)) - set("0x]")


@pytest.mark.parametrize("inside", ['\\"', "a.", '\\".', "'", "'.", '\\"a.'])
def test_a_string_of_a_model_is_looked_through_at_once(inside: str):
    try:
        assert parse(f'title = "{inside * 100_000}"\n'.encode(), "m.toml").data
    except InvalidInput as error:
        assert error.problems[0].code == "QN103"


def test_a_fault_of_the_syntax_is_told_at_once_with_its_place():
    with pytest.raises(InvalidInput) as caught:
        parse(f'["{" " * 200_000}"]\n["{" " * 200_000}"]\nx = \n'.encode(), "m.toml")
    assert caught.value.problems[0].line == 2


def test_a_dotted_key_of_many_parts_is_still_refused():
    keys = "".join(f'"a{number}" . ' for number in range(documents.MAX_KEY_PARTS))
    with pytest.raises(InvalidInput, match="QN103"):
        parse(f"{keys}b = 1\n".encode(), "m.toml")


def test_a_column_of_a_long_name_is_judged_at_once():
    model = load("examples/web-tier.toml")
    name = next(iter(model.parameters))
    assert parameter_columns([name, "_" * 200_000, "a_" * 100_000], model) == {name: name}
