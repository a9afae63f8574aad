"""`qnet schema`: the JSON Schema of each output and of the model language, for programs and editors."""

from __future__ import annotations

import click

from qnet.cli.answers import ANSWERS

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
