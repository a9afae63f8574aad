"""`qnet example`: the models that come with qnet, to start from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from qnet.cli.options import stated

if TYPE_CHECKING:
    from qnet.catalog.find import CatalogFile


def _complete_example(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.catalog.find import examples

    return [CompletionItem(entry.id, help=_title(entry)) for entry in examples() if entry.id.startswith(incomplete)]


@click.command("example")
@click.argument("name", required=False, callback=stated, shell_complete=_complete_example)
def command(name: str | None) -> None:
    """List the example models, or print one.

    Without a NAME, list all examples. Every command that takes a SYSTEM takes the name of an example.

    \b
    Examples:
      qnet example web-tier > web.toml
      qnet solve web-tier
    """
    from qnet.catalog.find import example
    from qnet.cli.output import say
    from qnet.errors import Problem, UsageError

    if name is None:
        say(_overview())
        return
    entry = example(name)
    try:
        with open(entry.path, encoding="utf-8") as stream:
            text = stream.read()
    except OSError as error:
        raise UsageError(Problem("QN002", f"cannot be read: {error.strerror or error}", file=entry.path)) from None
    say(text.rstrip("\n"))


def _overview() -> str:
    """All examples with their titles, by kind."""
    from qnet.catalog.find import DATA, EXAMPLE, NOTEBOOK, examples
    from qnet.cli.screen import columns_of, folded

    columns = columns_of(sys.stdout)
    listed = examples()
    width = max((len(entry.id) for entry in listed), default=0) + 2
    headings = {EXAMPLE: "Models", DATA: "Measurements for qnet calibrate", NOTEBOOK: "Python, as a notebook"}
    lines: list[str] = []
    for kind, heading in headings.items():
        rows = (f"  {entry.id:<{width}}{_title(entry)}" for entry in listed if entry.kind == kind)
        lines += [heading, *(folded(row, columns, width) for row in rows), ""]
    return "\n".join([*lines, "qnet example NAME prints an example; qnet solve NAME solves a model."])


def _title(entry: CatalogFile) -> str:
    """The title of a model or a notebook; of measurements their columns."""
    from qnet.catalog.find import DATA

    if entry.kind != DATA:
        return entry.title
    try:
        with open(entry.path, encoding="utf-8") as stream:
            return stream.readline().strip().replace(",", ", ")
    except OSError:
        return ""
