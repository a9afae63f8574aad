"""`qnet schema`: what the JSON of an answer looks like, for programs that read it."""

from __future__ import annotations

import click

NAMES = ("solution", "envelope", "validation", "catalog")


@click.command("schema")
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> None:
    """Print the JSON Schema of an output.

    The number at the end of a schema's name changes when a key is removed, renamed or means something else; new keys
    do not change it. Envelopes have columns of their own for the grid and the outputs of a model.
    """
    from qnet.questions.schemas import schema_text

    click.echo(schema_text(name), nl=False)
