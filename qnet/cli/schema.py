"""`qnet schema`: what the JSON of an answer looks like, for programs that read it."""

from __future__ import annotations

import click

NAMES = {
    "solution": "what qnet solve answers",
    "envelope": "what qnet envelope answers",
    "queue": "what qnet queue answers",
    "methods": "what qnet methods lists",
    "validation": "what qnet validate answers",
    "catalog": "what qnet catalog list tells",
    "part": "what qnet catalog show tells of a part",
    "system": "what qnet catalog show tells of a system",
}
"""The outputs that have a schema; the schema of each is called qnet/NAME/1."""


@click.command("schema")
@click.argument("name", type=click.Choice(list(NAMES)), required=False)
def command(name: str | None) -> None:
    """JSON Schema of an output.

    Without a NAME, what there is. JSON says by its key "schema" which one it keeps, such as qnet/solution/1.

    The number at the end of a schema's name changes when a key is removed, renamed or means something else; new keys
    do not change it. Envelopes have columns of their own for the grid and the outputs of a model.
    """
    from qnet.cli.output import say
    from qnet.questions.schemas import schema_text

    if name is None:
        say("\n".join(f"{known:<12}{words}" for known, words in NAMES.items()))
        return
    say(schema_text(name).rstrip("\n"))
