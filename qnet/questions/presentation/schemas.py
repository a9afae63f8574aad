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
    "solution": Answer("results of qnet solve", "solve.solve", optional="OPTIONAL"),
    "envelope": Answer("results of qnet envelope", "envelope.report", "KEYS", more_columns=True),
    "cost": Answer("results of qnet cost", "cost.report", optional="OPTIONAL", more_columns=True),
    "sweep": Answer("results of qnet sweep", "sweep.sweep", "KEYS", more_columns=True),
    "comparison": Answer("results of qnet compare", "compare.compare", optional="DOUBT"),
    "knee": Answer("results of qnet knee", "knee.report", optional="DOUBT"),
    "formula": Answer("results of qnet formula", "formula.formula"),
    "bottleneck": Answer("results of qnet bottleneck", "bottleneck.report"),
    "why": Answer("results of qnet why", "why.why", optional="OPTIONAL"),
    "sensitivity": Answer("results of qnet sensitivity", "sensitivity.sensitivity"),
    "tornado": Answer("results of qnet sensitivity --tornado", "sensitivity.uncertainty_report", "TORNADO"),
    "uncertainty": Answer(
        "results of qnet sensitivity --sample and --corners", "sensitivity.uncertainty_report", "UNCERTAINTY"
    ),
    "calibration": Answer("results of qnet calibrate", "calibrate.report"),
    "candidates": Answer("results of qnet calibrate of several models", "calibrate.candidates"),
    "demands": Answer("results of qnet calibrate --demands", "calibrate.demands_report"),
    "queue": Answer("results of qnet queue", "tables.queue_report", more_columns=True),
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
    """The JSON Schema of the report `name`, one of `ANSWERS`, as text that ends with a newline."""
    answer = ANSWERS[name]
    module = import_module(f"qnet.questions.{answer.module}")
    columns: Sequence[Column | str] = getattr(module, answer.columns)
    optional: Sequence[Column] = getattr(module, answer.optional) if answer.optional else ()
    named = [Column(item, item) if isinstance(item, str) else item for item in columns]
    return dumps(json_schema(f"qnet/{name}/1", named, optional, answer.more_columns), indent=2) + "\n"
