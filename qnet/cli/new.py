"""`qnet new`: a commented model to start from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from qnet.cli.shared_options import INLINE, inline_options

if TYPE_CHECKING:
    from qnet.cli.inline import Inline

KINDS = {
    "open": "requests that arrive from outside",
    "closed": "users that wait for each response and think",
    "web": "a pool of connections held around a call",
    "storage": "disks behind channels, with a cache",
    "memory": "a limit on the number of jobs inside",
}
"""The starter models with their descriptions."""

_COMMENTS = {
    "[parameters]": "# Set with -p NAME=VALUE, varied with --over NAME=GRID.",
    "[stations]": '# First come first served; discipline = "ps" for processor sharing, copies = 2 for two stations.',
    "[classes.customers]": "# The steps of a passage in order; qnet help language lists what a step can be.",
}


def _complete_kind(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=text) for name, text in KINDS.items() if name.startswith(incomplete)]


@click.command("new")
@click.argument("kind", required=False, type=click.Choice(list(KINDS)), shell_complete=_complete_kind)
@inline_options
def command(kind: str | None, **options: Any) -> None:
    """Write a commented starter model to standard output.

    KIND is one of open (requests that arrive from outside), closed (users that wait for each response and think), web
    (a pool of connections held around a call), storage (disks behind channels, with a cache) and memory (a limit on the
    number of jobs inside). Instead of a KIND, the options of qnet solve for a network without a file write that network
    as a model. qnet example lists complete models.

    \b
    Examples:
      qnet new web > web.toml
      qnet new --station cpu=12ms --station disk=8ms --arrival-rate 30/s > m.toml
    """
    from qnet.cli.output import say

    network = tuple(options[key] for key in INLINE)
    if kind is not None and any(network):
        raise click.UsageError("a KIND cannot be combined with options of a network; give one of them")
    if kind is None and not any(network):
        raise click.UsageError(f"KIND is missing, expected one of {', '.join(KINDS)}, or --station and a load")
    say(_starter(kind) if kind else _written(network))


def _starter(kind: str) -> str:
    """The starter model of a kind."""
    import os

    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "topics", "starters")
    with open(os.path.join(folder, f"{kind}.toml"), encoding="utf-8") as stream:
        return stream.read().rstrip("\n")


def _written(network: tuple[Any, ...]) -> str:
    """The network of the options as a model with comments; raises `UsageError` for values that are refused."""
    from qnet.cli.inline import inline
    from qnet.errors import InvalidInput

    stations, delays, servers, arrival_rate, population, think_time = network
    made = inline(stations, delays, servers, arrival_rate or "", population or "", think_time or "")
    try:
        made.model()
    except InvalidInput as error:
        raise made.blame(error) from None
    return "\n".join(_commented(made))


def _commented(made: Inline) -> list[str]:
    """The lines of a network, in blocks with comments."""
    lines = ["# Written by qnet new; qnet check FILE validates it, qnet solve FILE solves it."]
    for line in made.lines:
        if line.startswith("["):
            lines += ["", line]
            if line in _COMMENTS:
                lines.append(_COMMENTS[line])
        else:
            lines.append(re.sub(r'^"([A-Za-z0-9_-]+)" = ', r"\1 = ", re.sub(r' = "(\d+)"$', r" = \1", line)))
    return lines
