"""The JSON Schema of a kind of answer."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from qnet.question import Answer
from qnet.reports.content import Column
from qnet.reports.json_ import dumps
from qnet.reports.schema import json_schema


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
