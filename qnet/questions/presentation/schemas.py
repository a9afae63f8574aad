"""JSON Schemas of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from qnet.question import Answer
from qnet.reports.columns import column_names
from qnet.reports.content import Column
from qnet.reports.json_ import dumps


def columns_of(answer: Answer) -> tuple[list[Column], list[Column]]:
    """The columns that an answer always has, and those that some answers have."""
    module = import_module(f"qnet.questions.{answer.module}")
    columns: Sequence[Column | str] = getattr(module, answer.columns)
    optional: Sequence[Column] = getattr(module, answer.optional) if answer.optional else ()
    return [Column(item, item) if isinstance(item, str) else item for item in columns], list(optional)


def schema_text(answer: Answer) -> str:
    """The JSON Schema of a kind of answer, as text that ends with a newline."""
    columns, optional = columns_of(answer)
    return dumps(json_schema(f"qnet/{answer.name}/1", columns, optional, answer.more_columns), indent=2) + "\n"


def json_schema(
    report_schema_name: str, columns: Sequence[Column], optional: Sequence[Column] = (), more_columns: bool = False
) -> dict[str, Any]:
    """The schema of one kind of report; its top level allows further properties, because provenance differs by model.

    A column with a unit holds numbers; one without may hold a number, a text or a truth value.

    report_schema_name   the name and version that the report states, such as `qnet/solve/1`.
    columns              the columns of every row.
    optional             the columns that a row may have.
    more_columns         whether rows may have further columns, which a model adds.
    """
    row: dict[str, Any] = {**_object(_cells(columns)), "additionalProperties": more_columns}
    row["properties"] = {**row["properties"], **_cells(optional)}
    properties: dict[str, Any] = {
        "schema": {"type": "string", "enum": [report_schema_name]},
        "qnet": {"description": "version of qnet", "type": "string"},
        "columns": _array(_object({key: {"type": "string"} for key in ("key", "unit", "title")})),
        "rows": _array(row),
        "notes": _array(
            _object(
                {
                    "code": {"type": "string"},
                    "severity": {"type": "string", "enum": ["note", "warning"]},
                    "text": {"type": "string"},
                    "next": {"description": "what to do about it; may be empty", "type": "string"},
                }
            )
        ),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": report_schema_name,
        **_object(properties),
        "additionalProperties": True,
    }


def _cells(columns: Sequence[Column]) -> dict[str, Any]:
    """The schemas of the cells of some columns, by the names of the columns."""
    return {
        name: {"description": column.title, "type": _cell_types(column)}
        for name, column in zip(column_names(columns), columns, strict=True)
    }


def _cell_types(column: Column) -> list[str]:
    return ["number", "null"] if column.unit else ["number", "string", "boolean", "null"]


def _array(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object that has all of these properties and no other; draft 4 forbids an empty list of required ones."""
    required = {"required": list(properties)} if properties else {}
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}
