"""`qnet schema`: what the JSON of an answer looks like, for programs that read it."""

from __future__ import annotations

import click

NAMES = ("solution", "envelope", "queue", "methods", "validation", "catalog")


@click.command("schema")
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> None:
    """JSON Schema of an output.

    The number at the end of a schema's name changes when a key is removed, renamed or means something else; new keys
    do not change it. Envelopes have columns of their own for the grid and the outputs of a model.
    """
    from qnet.cli.output import say
    from qnet.questions.schemas import schema_text

    say(schema_text(name).rstrip("\n"))
