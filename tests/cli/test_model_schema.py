"""`qnet schema model`: every shipped model is valid by it, and typical mistakes are not."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from json_validator import faults
from many import many
from warm_process import answer_of

from qnet.catalog.find import EXAMPLE, entries, examples
from qnet.model.fields import TABLES
from qnet.model.json_schema import model_schema

SCHEMA = model_schema()
STARTERS = Path(__file__).parents[2] / "qnet" / "topics" / "starters"
MODELS = {
    **{entry.id: entry.path for entry in entries() if entry.kind == "system"},
    **{entry.id: entry.path for entry in examples() if entry.kind == EXAMPLE},
    **{f"new {path.stem}": str(path) for path in STARTERS.glob("*.toml")},
}
SMALL: dict[str, Any] = {
    "qnet": 1,
    "title": "One queue",
    "stations": {"server": {}},
    "classes": {"request": {"arrival_rate": "80/s", "steps": [{"station": "server", "time": "10 ms"}]}},
}


def test_the_command_prints_the_schema() -> None:
    assert json.loads(answer_of("schema", "model").out) == SCHEMA


@many("name", sorted(MODELS))
def test_every_shipped_model_is_valid(name: str) -> None:
    assert faults(tomllib.loads(Path(MODELS[name]).read_text()), SCHEMA) == []


def test_every_key_of_the_language_has_title_and_description() -> None:
    tables = {"model": SCHEMA, **{key.replace("_", " "): value for key, value in SCHEMA["definitions"].items()}}
    assert {name: list(table["properties"]) for name, table in tables.items()} == {
        name: list(fields) for name, fields in TABLES.items()
    }
    for table in tables.values():
        assert all(item["title"] and item["description"] for item in table["properties"].values())


def test_examples_are_valid() -> None:
    wrong = [
        fault
        for table in (SCHEMA, *SCHEMA["definitions"].values())
        for item in table["properties"].values()
        for example in item.get("examples", ())
        for fault in faults(example, item, SCHEMA)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "change",
    [
        {"titel": "misspelt"},
        {"title": 3},
        {"qnet": 2},
        {"stations": {}},
        {"stations": {"server": {"servers": 0}}},
        {"stations": {"server": {"discipline": "lifo"}}},
        {"stations": {"server": {"delay": "yes"}}},
        {"stations": {"server": {"split": "odd"}}},
        {"classes": {"request": {"arrival_rate": "80/s"}}},
        {"classes": {"request": {"arrival_rate": "80/s", "steps": []}}},
        {"classes": {"request": {"arrival_rate": "80/s", "steps": [{"station": "server"}]}}},
        {"classes": {"request": {"arrival_rate": "80/s", "steps": [{"delay": "1 ms", "phase": 3}]}}},
        {"parameters": {"hit": {"range": [0, 1]}}},
        {"envelopes": {"one": {"vary": "rate"}}},
    ],
    ids=str,
)
def test_a_mistake_is_reported(change: dict[str, Any]) -> None:
    assert faults(SMALL, SCHEMA) == []
    assert faults({**SMALL, **change}, SCHEMA)


def test_a_model_needs_customers() -> None:
    assert faults({key: value for key, value in SMALL.items() if key != "classes"}, SCHEMA)


def test_what_a_number_may_be_and_examples_stand_where_it_is_described() -> None:
    tables = {"model": SCHEMA, **{key.replace("_", " "): value for key, value in SCHEMA["definitions"].items()}}
    for name, fields in TABLES.items():
        for key, field in fields.items():
            item = tables[name]["properties"][key]
            if field.kind == "expression":
                for word, bound in (("at least", field.low), ("at most", field.high)):
                    assert bound is None or f"{word} {bound:g}" in item["description"]
                assert item["examples"]
            if field.kind == "word":
                assert set(item["examples"]) <= set(item["enum"])


def test_names_are_given_once_each() -> None:
    kept = {**SMALL, "classes": {"request": {**SMALL["classes"]["request"]}}}
    for names, wrong in ((["server", "other"], False), (["server", "server"], True)):
        step = {"hold": "server", "keeps": names, "steps": [{"delay": "1 ms"}]}
        kept["classes"]["request"]["steps"] = [step]
        assert bool(faults(kept, SCHEMA)) == wrong
