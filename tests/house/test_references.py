"""Publications are in one table, cited by key."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import source

import qnet
from qnet.networks.solvers.bounds import BOUNDS
from qnet.networks.solvers.loader import solver
from qnet.networks.solvers.table import TABLE
from qnet.queues.stations import gi_g_c
from qnet.queues.stations.queue import queue
from qnet.references import CITED, REFERENCES, Reference, cited

ROOT = source.ROOT / "qnet"
TEXTS = [*source.files(), ROOT / "networks" / "measured_errors.csv"]
_DESCRIBED = ast.Module | ast.ClassDef | ast.FunctionDef
KEYS = {key for path in TEXTS for key in CITED.findall(source.text_of(path))}


def test_every_key_that_is_cited_exists():
    assert KEYS - set(REFERENCES) == set()


def test_every_publication_is_cited():
    assert set(REFERENCES) - KEYS == set()


def test_the_table_is_sorted_by_key():
    assert list(REFERENCES) == sorted(REFERENCES)


def complete(item: Reference) -> bool:
    return bool(
        CITED.fullmatch(f"@{item.key}")
        and item.key.removesuffix("a").endswith(item.year)
        and item.authors
        and item.title
        and re.fullmatch(r"(19|20)\d\d", item.year)
        and re.fullmatch(r"(\d+-\d+)?", item.pages)
        and re.fullmatch(r"(10\.\d{4,9}/\S+)?", item.doi)
        and str(item).count(item.title) == 1
    )


def test_a_publication_has_what_it_needs():
    assert [key for key, item in REFERENCES.items() if not complete(item)] == []


def test_no_publication_is_there_twice():
    assert len({item.title for item in REFERENCES.values()}) == len(REFERENCES)
    dois = [item.doi for item in REFERENCES.values() if item.doi]
    assert len(dois) == len(set(dois))


def test_a_method_and_a_bound_cite_a_publication():
    assert [row.name for row in TABLE if not CITED.search(solver(row).SOURCE)] == []
    assert [name for name, bound in BOUNDS.items() if not CITED.search(bound.source)] == []


SOURCE = re.compile(r"^ *Sources?  +(\S.*(?:\n {8,}\S.*)*)", re.MULTILINE)
ELSEWHERE = re.compile(r"(?:see|as|by kind:) (`[\w.]+`(?: and )?)+\.")
"""A reference to sources that are cited by key themselves."""


def sources(path: Path) -> list[str]:
    """What the docstrings of a module state as their sources."""
    return [text for node in docstrings(path) for text in SOURCE.findall(node)]


def docstrings(path: Path) -> list[str]:
    nodes = source.of_kinds(path, ast.Module, ast.ClassDef, ast.FunctionDef)
    return [
        text for node in nodes if isinstance(node, _DESCRIBED) and (text := ast.get_docstring(node, clean=False) or "")
    ]


def test_every_source_of_a_docstring_is_cited_by_key():
    """All but what this tool adds itself, a definition, and a reference to other sources."""
    found = [(path, text) for path in source.files() for text in sources(path)]
    assert len(found) > 100
    ours = {"this tool.", "definition."}
    without = [
        (source.name_of(path), text)
        for path, text in found
        if not (CITED.search(text) or text in ours or ELSEWHERE.fullmatch(text))
    ]
    assert without == []


def test_a_source_that_is_cited_by_key_has_no_volume_beside_it():
    """Journal, volume and pages are in the table."""
    volume = re.compile(r"\(\d{4}\) \d+-\d+")
    assert [(path, text) for path in source.files() for text in sources(path) if volume.search(text)] == []


def test_every_printed_source_of_a_station_formula_is_cited_by_key():
    found: list[str] = []
    for path in source.files("qnet/queues"):
        text = source.text_of(path)
        found += re.findall(r'^(?:_SOURCE|_ENGSET|_FINITE|_ERLANG) = "(.*)"$', text, re.MULTILINE)
    assert found
    assert [text for text in found if not CITED.search(text)] == []
    assert all(CITED.search(text) for text in gi_g_c.SOURCES.values())


def test_a_station_prints_the_publication_and_not_the_key():
    found = queue("M/M/1", arrival_rate=0.5, service_time=1.0)
    assert found.cites == "@kleinrock1975, sections 3.2 and 3.5"
    assert found.source == "Kleinrock, Queueing Systems, Volume I: Theory, Wiley, 1975, sections 3.2 and 3.5"
    assert f"source: {found.source}" in str(found)


def test_bounds_print_the_publication_and_not_the_key():
    found = qnet.Network([[0.1], [0.2]], population=[3]).bounds("geometric")
    assert found.source == cited(BOUNDS["geometric"].source)
    assert "Casale" in found.source and "@" not in found.source


def test_an_article_has_its_identifier():
    assert cited("@buzen1973") == (
        "Buzen, Computational Algorithms for Closed Queueing Networks with Exponential Servers, "
        "Comm. ACM 16 (1973) 527-531, doi:10.1145/362342.362345"
    )
