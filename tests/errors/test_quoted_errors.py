"""Errors that texts quote are those of the table: notes and docstrings."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from qnet.explanations import EXPLANATIONS
from qnet.networks.closed import approximate
from qnet.networks.measured_errors import MEASURED, percent

ROOT = Path(__file__).resolve().parents[2]

_FIRST = "first come first served"
_CHAIN = "capacity: passages that may be lost after their first visit"
_BUFFER = "buffer: wait, closed classes"
_THINK = "capacity: closed classes, long or short think times"
_FRONT = "buffer: wait, classes with any station in front"
_ROUTES = "percentiles: open, several servers and routes"
_CLASSES = "service times in open networks: classes and priorities"
_LOST = "buffer: lost, drained with other work"
NOTES: dict[str, list[tuple[str, str]]] = {
    "QN645": [
        ("response had a median error of {} %", "median memory: response of an open class"),
        ("against Markov chains, and up to {} %", "worst memory: response of an open class"),
        ("errors were {} % in the median", "median memory: one visit to each station of an open class"),
        ("and at most {} %; where places", "worst memory: one visit to each station of an open class"),
        ("the median error was {} %", "median memory: second phases of an open class"),
        ("and the largest {} %.", "worst memory: second phases of an open class"),
    ],
    "QN646": [
        ("error of throughputs is {} % in the median for one to four", "median priorities: closed"),
        ("and {} % for up to 25,", "median priorities: up to 25 customers"),
        ("and up to {} %, of responses", "worst priorities: closed, one or two stations, throughput"),
        ("of responses {} %", "worst priorities: closed, one or two stations, response"),
    ],
    "QN654": [
        ("median error of {} % and a worst one of", "median service times in open networks"),
        ("worst one of {} % with Poisson arrivals", "worst service times in open networks"),
        ("with Poisson arrivals ({} % with constant times in a row)",
         "worst service times in open networks: constant times"),
        ("by simulation {} % and", f"median {_CLASSES}"),
        ("1.7 % and {} % with routes", f"worst {_CLASSES}"),
        ("{} % and 12 % with others, without feedback", "median arrivals that are not Poisson"),
        ("2.3 % and {} % with others, without feedback", "worst arrivals that are not Poisson"),
        ("and {} % and 25 % with others with feedback", "median arrivals that are not Poisson: feedback"),
        ("10 % and {} % with others with feedback", "worst arrivals that are not Poisson: feedback"),
    ],
    "QN657": [
        ("below 10 % it was {} % at most", "worst capacity: a queue behind"),
        ("responses were off by up to {} %.", f"worst {_CHAIN}"),
    ],
    "QN658": [
        ("occupancies had a median error of {} %", "median buffer: wait, filled on the way"),
        ("and {} % at most where customers wait", "worst buffer: wait, filled on the way"),
        ("throughputs {} % and", f"median {_LOST}"),
        ("and {} % where customers are lost", f"worst {_LOST}"),
        ("off by {} % in the median", "median buffer: wait, drained by copies"),
        ("in the median and {} % at most. The", "worst buffer: wait, drained by copies"),
        ("the places taken then {} %", f"median {_LOST}, occupancy"),
        ("the places taken then 2.5 % and {} %.", f"worst {_LOST}, occupancy"),
    ],
    "QN660": [
        ("the worst error was {} %", "worst fork-join: closed classes"),
        ("queue lengths of closed classes, {} %", "worst fork-join: closed classes, queue lengths"),
    ],
    "QN662": [
        ("median error of the response was {} %", f"median second-phase work: {_FIRST}"),
        (f"the worst {{}} % {_FIRST}", f"worst second-phase work: {_FIRST}"),
        ("at single servers, {} % and", "median second-phase work: shared service"),
        ("and {} % where one closed class", "worst second-phase work: shared service"),
        ("where the worst was {} %", "worst second-phase work: several servers"),
    ],
    "QN663": [
        ("was off by {} % in open networks", "median percentiles: open"),
        ("and {} % in closed ones", "median percentiles: closed"),
        ("worst {} % and", "worst percentiles: open"),
        ("and {} %), by 3 %", "worst percentiles: closed"),
        ("by {} % with processor sharing", "median percentiles: shared service"),
        ("and by {} % with service times", "median percentiles: service times"),
        ("up to 2 ({} % at worst)", "worst percentiles: one queue, any load"),
        ("off by {} % on routes", f"median {_ROUTES}"),
        ("several servers ({} % at worst)", f"worst {_ROUTES}"),
        ("at worst), by {} % (12 %)", "median percentiles: open, visited again"),
        ("by 4 % ({} %) where", "worst percentiles: open, visited again"),
        ("again, by {} % (15 %)", "median percentiles: open, shared service"),
        ("by 7 % ({} %)", "worst percentiles: open, shared service"),
        ("service, and by {} % (28 %)", "median percentiles: open, times that vary"),
        ("by 4 % ({} %) in networks", "worst percentiles: open, times that vary"),
        ("too short by {} % mostly", "median percentiles: open, probabilistic feedback"),
        ("mostly and {} % at worst", "worst percentiles: open, probabilistic feedback"),
    ],
    "QN670": [
        ("median error of {} to", "median capacity: closed classes"),
        ("median error of 0.1 to {} %", "median buffer: wait, several closed classes"),
        ("and {} % at most; the places", "worst buffer: lost, closed classes"),
        ("the places taken {} to", f"median {_BUFFER}, occupancy"),
        ("the places taken 1 to {} %", f"median {_BUFFER}, occupancy with other work"),
        ("and {} % at most where the station", f"worst {_BUFFER}, occupancy with other work"),
        ("queue lengths {} %", f"median {_BUFFER}, queue lengths with other work"),
        ("queue lengths 2 %, and {} % at most", f"worst {_THINK}, queue lengths"),
        ("in front, throughputs {} %", f"worst {_FRONT}, throughput"),
        ("responses {} % and queue", f"worst {_FRONT}, response"),
        ("and queue lengths {} % at", f"worst {_FRONT}, queue lengths"),
    ],
    "QN716": [("was off by {} % at most", "worst holds: open, inner station asked from outside as well")],
    "QN727": [("wrong by {} % in the median", f"median {_FIRST}, by product form")],
    "QN728": [("were off by up to {} %", "worst last come first served: several servers")],
}  # fmt: skip
"""By code, what its text quotes of which row; the other percentages in it are `OTHERS`."""
OTHERS = {
    "QN644": "25 75 27", "QN645": "70 90 40 25", "QN646": "60 90 80 80 40 60", "QN654": "10 60 40 60",
    "QN657": "10 30 10 10", "QN658": "10 70", "QN660": "30 18 43 23 20", "QN662": "26",
    "QN663": "60 24", "QN670": "69 40 10 16 86",
    "QN716": "10 1 2 60", "QN727": "100", "QN729": "23 77", "QN638": "90 20 50 20 124",
    "QN640": "1 49 129",
}  # fmt: skip
"""By code, percentages that are no errors of a row: limits, and single errors that were observed outside of them."""


def quoted(text: str, fragment: str) -> str:
    """The number that a text has in the place of the braces."""
    found = re.search(re.escape(fragment).replace(r"\{\}", r"([\d.]+)"), text)
    assert found, f"not in the text: {fragment}"
    return found[1]


def rounded(share: float, number: str) -> float:
    """A share in per cent, with the digits of a number."""
    return round(100 * share, len(number.partition(".")[2]))


@pytest.mark.parametrize("code", NOTES)
def test_a_note_quotes_the_table(code: str):
    for fragment, told in NOTES[code]:
        figure, _, name = told.partition(" ")
        number = quoted(EXPLANATIONS[code].means, fragment)
        assert float(number) == rounded(getattr(MEASURED[name], figure), number), fragment


@pytest.mark.parametrize(
    "code", sorted({*NOTES, *OTHERS, *(c for r in MEASURED.values() for c in r.code.split(", "))} - {""})
)
def test_every_percentage_of_a_note_is_an_error_of_the_table_or_known_as_another(code: str):
    text = EXPLANATIONS[code].means
    numbers = [found[1] for found in re.finditer(r"([\d.]+) %", text)]
    for number in OTHERS.get(code, "").split():
        numbers.remove(number)
    told = [quoted(text, fragment) for fragment, _ in NOTES.get(code, []) if "{} %" in fragment]
    assert sorted(numbers) == sorted(told)


def test_the_docstring_of_the_approximations_has_their_rows():
    text = approximate.__doc__ or ""
    rows = [row for row in MEASURED.values() if row.name.startswith("product form: ")]
    lines = re.findall(r"^ {4}(\S.*?)  +([a-z-]+(?:, [a-z-]+)?)  +([\d.]+ %)  +([\d.]+ %)$", text, re.MULTILINE)
    told = [(f"product form: {region}, {method}", median, worst) for region, method, median, worst in lines]
    assert told == [(row.name, percent(row.median), percent(row.worst)) for row in rows]


@pytest.mark.parametrize("path", sorted((ROOT / "qnet/networks/solvers").glob("*.py")), ids=lambda path: path.stem)
def test_a_method_quotes_no_error_that_is_not_in_the_table(path: Path):
    told = {percent(figure) for row in MEASURED.values() for figure in (row.median, row.worst)}
    texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    numbers = [number for text in texts if isinstance(text, str) for number in re.findall(r"[\d.]+ %", text)]
    assert set(numbers) <= told
