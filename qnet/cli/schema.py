"""`qnet schema`: the JSON Schema of each output and of the model language, for programs and editors."""

from __future__ import annotations

import click

from qnet.question import Answer
from qnet.signatures import rows

_OTHERS = (
    Answer("queue", "results of qnet queue", "tables.queue_report", more_columns=True),
    Answer("methods", "output of qnet methods", "tables.methods_report"),
    Answer("errors", "output of qnet methods --error", "tables.methods_report", "ERROR_COLUMNS"),
    Answer("validation", "output of qnet validate: every claim", "study.validate_report"),
    Answer("fits", "output of qnet validate --fits: fits and free choices", "study.fits_report"),
    Answer("account", "output of qnet validate: summary of all studies", "study.validate_report", "ACCOUNT"),
    Answer("study", "output of qnet study: one study", "study.report", more_columns=True),
    Answer("studies", "output of qnet study: the list of studies", "study.report", "LISTED"),
    Answer("catalog", "output of qnet catalog list", "tables.catalog_report", "LISTED"),
    Answer("part", "output of qnet catalog show: a part", "tables.catalog_report", "SHOWN", "WHY"),
    Answer("system", "output of qnet catalog show: a system", "tables.catalog_report", "SHOWN", "WHY"),
)

ANSWERS = {item.name: item for item in (*(answer for row in rows().values() for answer in row.schemas()), *_OTHERS)}
"""The answers by their NAME in `qnet/NAME/1`."""

MODEL = "model"
"""The name of the schema of the model language."""


@click.command("schema")
@click.argument("name", type=click.Choice([*ANSWERS, MODEL]), required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema of an output, or of the model language.

    Without a NAME, list the schemas. JSON output names its schema under the key "schema", such as qnet/solution/1.

    The number at the end of a schema's name changes when a key is removed, renamed or redefined; new keys do not change
    it. Envelopes have further columns for the grid and the outputs of a model.

    The schema named model describes model files, for editors that complete and validate TOML: save it as
    model.schema.json and begin a model with the line #:schema ./model.schema.json (Taplo, Even Better TOML).

    \b
    Examples:
      qnet schema model > model.schema.json
      qnet schema solution
    """
    from qnet.cli.output import say

    if name is None:
        lines = [f"{known:<12}{answer.words}" for known, answer in ANSWERS.items()]
        say("\n".join([*lines, f"{MODEL:<12}model files, for editors of TOML"]))
        return
    if name == MODEL:
        from qnet.model.json_schema import model_schema
        from qnet.reports.json_ import dumps

        say(dumps(model_schema(), indent=2))
        return
    from qnet.questions.presentation.schemas import schema_text

    say(schema_text(ANSWERS[name]).rstrip("\n"))
