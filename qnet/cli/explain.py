"""`qnet explain`: the meaning of a code such as QN401 and what to do about it."""

from __future__ import annotations

from typing import Any

import click


def _complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.explanations import EXPLANATIONS

    matching = {code: item.title for code, item in EXPLANATIONS.items() if code.startswith(incomplete.upper())}
    return [CompletionItem(code, help=title) for code, title in matching.items()]


@click.command("explain")
@click.argument("code", required=False, shell_complete=_complete_code)
def command(code: str | None) -> None:
    """Explain an error or note code and what to do about it.

    Without a CODE, list all codes. Every message ends with its code in brackets; codes are stable.

    \b
    Example:
      qnet explain QN401
    """
    from qnet.cli.output import say
    from qnet.cli.usage import unknown_word
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
    return "\n\n".join([*blocks, "qnet explain CODE gives details."])


def _explained(code: str) -> str:
    """One code in full."""
    from textwrap import fill

    from qnet.explanations import EXPLANATIONS

    item = EXPLANATIONS[code]
    parts = [f"{code}: {item.title}", item.means, *([f"What to do: {item.action}"] if item.action else [])]
    return "\n\n".join(fill(part, 79) for part in parts)
