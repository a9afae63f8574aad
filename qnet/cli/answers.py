"""Every kind of answer that has a JSON Schema: those of the questions, by their table, and those of other commands."""

from __future__ import annotations

from qnet.answer import Answer
from qnet.signatures import rows

_OTHERS = (
    Answer("queue", "results of qnet queue", "tables.queue_report", more_columns=True),
    Answer("methods", "what qnet methods lists", "tables.methods_report"),
    Answer("errors", "what qnet methods --error lists", "tables.methods_report", "ERROR_COLUMNS"),
    Answer("validation", "output of qnet validate: every claim", "study.validate_report"),
    Answer("fits", "output of qnet validate --fits: fits and free choices", "study.fits_report"),
    Answer("account", "output of qnet validate: summary of all studies", "study.validate_report", "ACCOUNT"),
    Answer("study", "output of qnet study: one study", "study.report", more_columns=True),
    Answer("studies", "what qnet study lists", "study.report", "LISTED"),
    Answer("catalog", "output of qnet catalog list", "tables.catalog_report", "LISTED"),
    Answer("part", "output of qnet catalog show: a part", "tables.catalog_report", "SHOWN", "WHY"),
    Answer("system", "output of qnet catalog show: a system", "tables.catalog_report", "SHOWN", "WHY"),
)

ANSWERS = {item.name: item for item in (*(kind for row in rows().values() for kind in row.kinds()), *_OTHERS)}
"""By the name in `qnet/NAME/1`."""
