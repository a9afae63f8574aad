"""`qnet explain`: what a code such as QN401 means and what to do about it."""

from __future__ import annotations

from typing import Any

import click


def _complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.explanations import EXPLANATIONS

    found = {code: item.title for code, item in EXPLANATIONS.items() if code.startswith(incomplete.upper())}
    return [CompletionItem(code, help=title) for code, title in found.items()]


@click.command("explain")
@click.argument("code", required=False, shell_complete=_complete_code)
def command(code: str | None) -> None:
    """What an error or note code means and what to do.

    Without a CODE, all of them by kind. The codes stand in brackets behind every message; they do not change.

    \b
    Example:
      qnet explain QN401
    """
    from qnet.cli.failures import unknown_word
    from qnet.cli.output import say
    from qnet.explanations import EXPLANATIONS

    if code is None:
        say(_overview())
        return
    given = code.strip().upper()
    known = f"QN{given}" if given.isdigit() else given
    if known not in EXPLANATIONS:
        raise unknown_word("code", code, list(EXPLANATIONS), "qnet explain lists all codes")
    say(_explained(known))


def _overview() -> str:
    """All codes and their titles, by family."""
    from qnet.explanations import EXPLANATIONS, FAMILIES

    blocks = [
        "\n".join([heading, *(f"  {code}  {item.title}" for code, item in EXPLANATIONS.items() if code[:3] == family)])
        for family, heading in FAMILIES.items()
    ]
    return "\n\n".join([*blocks, "qnet explain CODE says more."])


def _explained(code: str) -> str:
    """One code in full."""
    from textwrap import fill

    from qnet.explanations import EXPLANATIONS

    item = EXPLANATIONS[code]
    parts = [f"{code}: {item.title}", item.means, f"What to do: {item.action}"]
    return "\n\n".join(fill(part, 79) for part in parts)
