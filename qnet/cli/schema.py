"""`qnet schema`: the JSON Schema of each output, for programs that read it."""

from __future__ import annotations

import click

from qnet.questions.presentation.schemas import ANSWERS, schema_text


@click.command("schema")
@click.argument("name", type=click.Choice(list(ANSWERS)), required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema of an output.

    Without a NAME, list the schemas. JSON output names its schema under the key "schema", such as qnet/solution/1.

    The number at the end of a schema's name changes when a key is removed, renamed or redefined; new keys do not change
    it. Envelopes have further columns for the grid and the outputs of a model.
    """
    from qnet.cli.output import say

    if name is None:
        say("\n".join(f"{known:<12}{answer.words}" for known, answer in ANSWERS.items()))
        return
    say(schema_text(name).rstrip("\n"))
