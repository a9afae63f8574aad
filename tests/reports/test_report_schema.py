"""The JSON Schema: what is written satisfies it, what is wrong does not, and it keeps to words that draft 4 knows."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from qnet.questions.presentation.schemas import json_schema
from qnet.reports.content import Style
from qnet.reports.render import render
from qnet.reports.report import Report

KEYWORDS = {
    "$schema",
    "title",
    "description",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
}
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "null": type(None)}


def faults(value: Any, schema: dict[str, Any], path: str = "$") -> Iterator[str]:
    """What a value has against a schema, for the keywords in use."""
    kinds = schema.get("type", list(KINDS))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    kind = "boolean" if isinstance(value, bool) else next(kind for kind in KINDS if isinstance(value, KINDS[kind]))
    if kind not in kinds:
        yield f"{path}: {value!r} is not {kinds}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is not in {schema['enum']}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        yield from (f"{path}: {key} is missing" for key in schema.get("required", []) if key not in value)
        if schema.get("additionalProperties") is False:
            yield from (f"{path}: {key} is unknown" for key in value if key not in known)
        for key, item in value.items():
            yield from faults(item, known.get(key, {}), f"{path}.{key}")
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{path}[{index}]")


def subschemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for child in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from subschemas(child)


def written(report: Report) -> tuple[Any, dict[str, Any]]:
    return json.loads(render(report, "json", Style())), json_schema(report.schema, report.columns)


def test_what_is_written_satisfies_the_schema(blocks: Report, sweep: Report) -> None:
    for report in (blocks, sweep, blocks.replace(rows=[], notes=())):
        value, schema = written(report)
        assert list(faults(value, schema)) == []


def test_an_optional_column_may_be_there(blocks: Report) -> None:
    value, _ = written(blocks)
    schema = json_schema(blocks.schema, blocks.columns[:-1], blocks.columns[-1:])
    assert list(faults(value, schema)) == []
    for row in value["rows"]:
        row.popitem()
    assert list(faults(value, schema)) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), "qnet/solution/2"),
        (("qnet",), 1),
        (("rows", 0, "response_s"), "12 ms"),
        (("rows", 0, "response_s"), True),
        (("rows", 0, "more"), 1),
        (("rows",), {}),
        (("columns", 0, "unit"), None),
        (("columns", 0, "more"), ""),
        (("notes", 0, "severity"), "fatal"),
        (("notes", 0, "more"), ""),
    ],
)
def test_what_is_wrong_does_not(path: tuple[str | int, ...], value: object, blocks: Report) -> None:
    found, schema = written(blocks)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert len(list(faults(found, schema))) == 1


@pytest.mark.parametrize(
    "path",
    [("schema",), ("qnet",), ("columns",), ("rows",), ("notes",), ("rows", 0, "response_s"), ("notes", 0, "next")],
)
def test_every_key_is_required(path: tuple[str | int, ...], blocks: Report) -> None:
    found, schema = written(blocks)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    assert len(list(faults(found, schema))) == 1


def test_only_the_top_level_is_open(blocks: Report) -> None:
    schema = json_schema(blocks.schema, blocks.columns)
    objects = [part for part in subschemas(schema) if part.get("type") == "object"]
    assert [part["additionalProperties"] for part in objects] == [True] + [False] * (len(objects) - 1)


def test_it_uses_only_words_that_draft_4_knows(blocks: Report) -> None:
    schema = json_schema(blocks.schema, blocks.columns)
    assert {key for part in subschemas(schema) for key in part} <= KEYWORDS


def test_it_is_json_and_leaves_its_arguments_alone(blocks: Report) -> None:
    columns = copy.deepcopy(blocks.columns)
    schema = json_schema(blocks.schema, blocks.columns)
    assert json.loads(json.dumps(schema)) == schema
    assert blocks.columns == columns
