"""A new key of the language is a row of the field table and an attribute of the network: reading, units, range, JSON
Schema, help, suggestions, numbers and conversions follow from them."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from language_models import problems_of, told

from qnet.cli.group import qnet as command
from qnet.cli.topics import topic_text
from qnet.documents import parse
from qnet.exchange.formats import write_format
from qnet.exchange.imported import Item
from qnet.model.bind import bind, expressions, structural
from qnet.model.fields import TABLES, Field
from qnet.model.json_schema import model_schema
from qnet.model.load import build
from qnet.model.model import Model
from qnet.model.values import Values
from qnet.networks.routed import Hold, OpenClass, RoutedNetwork, Station
from qnet.record import Record
from qnet.units import NUMBER, TIME

ROWS = {
    "station": {
        "setup_time": Field(
            "expression", "time to wake a server", TIME, low=0, high=10, excludes=(("delay", "a delay never sleeps"),)
        ),
        "crews": Field("expression", "crews that repair it", NUMBER, default=1, low=1, high=9, integer=True),
    },
    "step": {
        "patience": Field("expression", "longest wait", TIME, low=0, high=60, needs=("station", "hold")),
        "sort": Field("word", "what is asked for", default="read", options=("read", "write"), needs=("station",)),
    },
    "class": {"batch": Field("expression", "customers of one arrival", NUMBER, low=1, needs=("arrival_rate",))},
}
ATTRIBUTES: tuple[tuple[type[Record], str, Any], ...] = (
    (Station, "setup_time", 0.0),
    (Station, "crews", 1),
    (Hold, "patience", None),
    (Hold, "sort", "read"),
    (OpenClass, "batch", 1.0),
)
TEXT = """\
qnet = 1
title = "A disk that sleeps"

[parameters]
wake = "20 ms"
gangs = 2

[stations]
disk = { setup_time = "2 * wake", crews = "gangs" }
rest = { delay = true }

[classes.io]
arrival_rate = "20/s"
batch = 3
steps = [
  { station = "disk", time = "5 ms", patience = "wake + 1 s", sort = "write" },
  { station = "disk", time = "2 ms" },
  { station = "rest", time = "1 ms" },
]
"""


@pytest.fixture(autouse=True)
def new_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows and the attributes, and nothing else."""
    for table, rows in ROWS.items():
        monkeypatch.setitem(TABLES, table, TABLES[table] | rows)
    for record, name, default in ATTRIBUTES:
        monkeypatch.setattr(record, name, property(itemgetter(len(record.fields()))), raising=False)
        monkeypatch.setattr(record, "_fields", (*record.fields(), name))
        monkeypatch.setattr(record, "_defaults", {**record.defaults(), name: default})
        monkeypatch.setattr(record, "_made", [])
        monkeypatch.setattr(record, "__new__", Record.__new__)


def model(text: str = TEXT) -> Model:
    return build(parse(text.encode(), "model.toml"), "model.toml")


def network(text: str = TEXT, size: int | None = None, **varied: Any) -> RoutedNetwork:
    return bind(model(text), Values(model(text), varied, size))


def spoilt(old: str, new: str) -> list[str]:
    assert TEXT.count(old) == 1
    return told(TEXT.replace(old, new))


def test_it_becomes_a_number_of_the_network():
    disk, rest = network().stations
    assert (disk.setup_time, disk.crews) == (pytest.approx(0.04), 2)
    assert (rest.setup_time, rest.crews) == (0.0, 1)
    (customers,) = network().classes
    assert customers.batch == 3.0
    first, second, _ = customers.routes[0].steps
    assert (first.patience, first.sort) == (pytest.approx(1.02), "write")
    assert (second.patience, second.sort) == (None, "read")


def test_it_may_rest_on_parameters_that_vary():
    batch = network(size=2, wake=np.array([0.01, 0.03]))
    assert batch.stations[0].setup_time == pytest.approx([0.02, 0.06])
    assert batch.classes[0].routes[0].steps[0].patience == pytest.approx([1.01, 1.03])
    named = {name for expression in expressions(model()) for name in expression.names}
    assert {"wake", "gangs"} <= named
    assert [path for _, path in structural(model())] == [("stations", "disk", "crews")]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"2 * wake"', '"2 / wake"', '9: stations.disk.setup_time: "2 / wake" is a rate'),
        ('"wake + 1 s"', "3", '16: classes.io.steps[0].patience: "3" is a plain number'),
        ('"wake + 1 s"', '"wake + x"', '16: classes.io.steps[0].patience: unknown name "x"'),
        ('"write"', '"wite"', "16: classes.io.steps[0].sort: found 'wite'; expected one of read, write"),
        (
            "delay = true",
            'delay = true, setup_time = "1 s"',
            "10: stations.rest.setup_time: setup_time is used with delay = true; expected no setup_time: "
            "a delay never sleeps",
        ),
        (
            '{ station = "disk", time = "2 ms" }',
            '{ delay = "2 ms", patience = "1 s" }',
            "17: classes.io.steps[1].patience: patience is used in a step without station or hold; expected patience "
            "with station or hold",
        ),
        (
            'arrival_rate = "20/s"',
            "population = 3",
            "14: classes.io.batch: batch is used in a class without arrival_rate; expected batch with arrival_rate",
        ),
    ],
)
def test_what_is_wrong_with_it_is_reported_with_its_line(old: str, new: str, problem: str):
    (found,) = spoilt(old, new)
    assert found.startswith(f"model.toml:{problem}"), found


@pytest.mark.parametrize(("key", "typed"), [("setup_time", "setup_tme"), ("patience", "patiense"), ("batch", "bach")])
def test_a_misspelling_is_guessed(key: str, typed: str):
    (problem,) = problems_of(TEXT.replace(key, typed))
    assert (problem.code, problem.path[-1]) == ("QN202", typed)
    assert f'"{key}"' in problem.help


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"2 * wake"', '"11 s"', "model.toml:9: stations.disk.setup_time: the value is 11 s"),
        ('"gangs"', "2.5", "model.toml:9: stations.disk.crews: the value is 2.5; expected an integer"),
        ('"wake + 1 s"', '"wake + 1 min"', "model.toml:16: classes.io.steps[0].patience: the value is 60.02 s"),
        ("batch = 3", "batch = 0.5", "model.toml:14: classes.io.batch: the value is 0.5; expected at least 1"),
    ],
)
def test_its_range_holds(old: str, new: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("model.toml").write_text(TEXT.replace(old, new), encoding="utf-8")
    result = CliRunner().invoke(command, ["check", "./model.toml"])
    assert result.exit_code == 3
    assert problem in result.output.replace("./model.toml", "model.toml"), result.output


def test_editors_and_help_know_it():
    definitions = model_schema()["definitions"]
    assert definitions["step"]["properties"]["patience"]["description"].startswith("longest wait")
    assert definitions["station"]["properties"]["crews"]["maximum"] == 9
    text = topic_text("language", command)
    assert all(f"\n  {key} " in text for rows in ROWS.values() for key in rows)


def test_a_conversion_lists_it_as_lost():
    lost = {item.where: item for item in write_format("jmva", model()).items}
    text = "the other format has no such key"
    for where in (
        "stations.disk.setup_time",
        "stations.disk.crews",
        "classes.io.steps[0].patience",
        "classes.io.steps[0].sort",
        "classes.io.batch",
    ):
        assert lost[where] == Item(where, text, changes=True)
    plain = TEXT.replace('setup_time = "2 * wake", ', "").replace('"gangs"', '"gangs - 1"')
    assert not [
        item.where for item in write_format("jmva", model(plain)).items if item.where.startswith("stations.disk.")
    ]
