"""The JSON Schema of every kind of answer."""

from __future__ import annotations

from qnet.reports.json_ import dumps
from qnet.reports.report import Column
from qnet.reports.schema import json_schema


def schema_text(name: str) -> str:
    """The JSON Schema of `solution`, `envelope`, `queue`, `methods`, `validation`, `catalog`, `part`, `system`."""
    optional: tuple[Column, ...] = ()
    if name in ("part", "system"):
        from qnet.questions.catalog_report import WHY as optional
    schema = json_schema(f"qnet/{name}/1", _columns(name), optional, more_columns=name == "envelope")
    return dumps(schema, indent=2) + "\n"


def _columns(name: str) -> tuple[Column, ...]:
    if name == "solution":
        from qnet.questions.solve import COLUMNS as solution

        return solution
    if name == "validation":
        from qnet.questions.validate import COLUMNS as validation

        return validation
    if name == "queue":
        from qnet.questions.queue_report import COLUMNS as queue

        return queue
    if name == "methods":
        from qnet.questions.methods_report import COLUMNS as methods

        return methods
    if name == "envelope":
        from qnet.questions.envelope_report import KEYS

        return tuple(Column(key, key) for key in KEYS)
    from qnet.questions.catalog_report import LISTED, SHOWN

    return LISTED if name == "catalog" else SHOWN
