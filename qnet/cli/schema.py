"""`qnet schema`: what the JSON of an answer looks like, for programs that read it."""

from __future__ import annotations

import click

from qnet.questions.presentation.schemas import ANSWERS, schema_text


@click.command("schema")
@click.argument("name", type=click.Choice(list(ANSWERS)), required=False)
def command(name: str | None) -> None:
    """JSON Schema of an output.

    Without a NAME, what there is. JSON says by its key "schema" which one it keeps, such as qnet/solution/1.

    The number at the end of a schema's name changes when a key is removed, renamed or means something else; new keys
    do not change it. Envelopes have columns of their own for the grid and the outputs of a model.
    """
    from qnet.cli.output import say

    if name is None:
        say("\n".join(f"{known:<12}{answer.words}" for known, answer in ANSWERS.items()))
        return
    say(schema_text(name).rstrip("\n"))
