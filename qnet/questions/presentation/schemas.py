"""The JSON Schema of every kind of answer."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from qnet.record import Record
from qnet.reports.content import Column
from qnet.reports.json_ import dumps
from qnet.reports.schema import json_schema


class Answer(Record):
    """The schema of one type of answer: the command that gives it, and where its columns are."""

    words: str
    module: str
    columns: str = "COLUMNS"
    optional: str = ""
    """Columns that some answers have."""
    more_columns: bool = False
    """Whether models add further columns."""


ANSWERS: dict[str, Answer] = {
    "solution": Answer("what qnet solve answers", "solve.solve", optional="OPTIONAL"),
    "envelope": Answer("what qnet envelope answers", "envelope.report", "KEYS", more_columns=True),
    "cost": Answer("what qnet cost answers", "cost.report", optional="OPTIONAL", more_columns=True),
    "sweep": Answer("what qnet sweep answers", "sweep.sweep", "KEYS", more_columns=True),
    "comparison": Answer("what qnet compare answers", "compare.compare", optional="DOUBT"),
    "knee": Answer("what qnet knee answers", "knee.report", optional="DOUBT"),
    "formula": Answer("what qnet formula answers", "formula.formula"),
    "bottleneck": Answer("what qnet bottleneck answers", "bottleneck.report"),
    "why": Answer("what qnet why answers", "why.why", optional="OPTIONAL"),
    "sensitivity": Answer("what qnet sensitivity answers", "sensitivity.sensitivity"),
    "tornado": Answer("what qnet sensitivity --tornado answers", "sensitivity.uncertainty_report", "TORNADO"),
    "uncertainty": Answer(
        "what qnet sensitivity --sample and --corners answer", "sensitivity.uncertainty_report", "UNCERTAINTY"
    ),
    "calibration": Answer("what qnet calibrate answers", "calibrate.report"),
    "candidates": Answer("what qnet calibrate answers of several models", "calibrate.candidates"),
    "demands": Answer("what qnet calibrate --demands answers", "calibrate.demands_report"),
    "queue": Answer("what qnet queue answers", "tables.queue_report", more_columns=True),
    "methods": Answer("what qnet methods lists", "tables.methods_report"),
    "errors": Answer("what qnet methods --error lists", "tables.methods_report", "ERROR_COLUMNS"),
    "validation": Answer("output of qnet validate: every claim", "study.validate_report"),
    "fits": Answer("output of qnet validate --fits: fits and free choices", "study.fits_report"),
    "account": Answer("output of qnet validate: summary of all studies", "study.validate_report", "ACCOUNT"),
    "study": Answer("output of qnet study: one study", "study.report", more_columns=True),
    "studies": Answer("what qnet study lists", "study.report", "LISTED"),
    "catalog": Answer("output of qnet catalog list", "tables.catalog_report", "LISTED"),
    "part": Answer("output of qnet catalog show: a part", "tables.catalog_report", "SHOWN", "WHY"),
    "system": Answer("output of qnet catalog show: a system", "tables.catalog_report", "SHOWN", "WHY"),
}
"""By the name in `qnet/NAME/1`; a new kind of answer is one more row."""


def schema_text(name: str) -> str:
    """The JSON Schema of one of `ANSWERS`."""
    answer = ANSWERS[name]
    module = import_module(f"qnet.questions.{answer.module}")
    columns: Sequence[Column | str] = getattr(module, answer.columns)
    optional: Sequence[Column] = getattr(module, answer.optional) if answer.optional else ()
    named = [Column(item, item) if isinstance(item, str) else item for item in columns]
    return dumps(json_schema(f"qnet/{name}/1", named, optional, answer.more_columns), indent=2) + "\n"
