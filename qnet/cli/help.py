"""`qnet help`: topics, and the complete help of every command."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from qnet.cli.command_group import root_command


def _complete_word(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.cli.commands import COMMANDS
    from qnet.cli.topics import TOPICS

    known = TOPICS | {name: help for name, (_, help) in COMMANDS.items()}
    return [CompletionItem(name, help=text) for name, text in known.items() if name.startswith(incomplete)]


@click.command("help")
@click.argument("words", nargs=-1, metavar="[TOPIC | COMMAND]", shell_complete=_complete_word)
@click.option("--md", is_flag=True, help="Print a topic as Markdown.")
def command(words: tuple[str, ...], md: bool) -> None:
    """Explain a topic, or a command in detail.

    Without an argument, list the topics and the commands. The help of a command has its complete description and all
    of its examples, of which --help shows the beginning.

    \b
    Examples:
      qnet help units
      qnet help solve
    """
    from qnet.cli.commands import COMMANDS
    from qnet.cli.output import say
    from qnet.cli.topics import TOPICS, plain, topic_text
    from qnet.cli.usage import unknown_word

    if not words:
        say(_overview())
        return
    first = words[0].lower()
    if first in TOPICS and len(words) == 1:
        text = topic_text(first, root_command())
        say(text if md else plain(text))
        return
    context = _context(words)
    if context is None:
        known, wanted = [*TOPICS, *COMMANDS], " ".join(words).lower()
        help = _topics_about(wanted) or "qnet help lists topics and commands"
        raise unknown_word("topic or command", " ".join(words), known, help)
    if isinstance(context.command, click.Group):
        say(context.get_help())
        return
    from qnet.cli.layout import help_text

    say(help_text(context, full=True))


def _overview() -> str:
    """All topics and commands with one line each."""
    from qnet.cli.commands import COMMANDS
    from qnet.cli.screen import columns_of, folded
    from qnet.cli.topics import TOPICS

    lines = ["Topics", *(f"  {name:<14}{text}" for name, text in TOPICS.items()), "", "Commands"]
    lines += [f"  {name:<14}{help}" for name, (_, help) in COMMANDS.items()]
    lines += ["", "qnet help TOPIC and qnet help COMMAND explain; qnet explain CODE explains a message."]
    columns = columns_of(sys.stdout)
    return "\n".join(folded(line, columns, 14 if line.startswith("  ") else 2) for line in lines)


def _topics_about(words: str) -> str:
    """The topics whose text has some words most often, as an advice; empty where none has."""
    from qnet.cli.topics import TOPICS, topic_text

    pattern = re.compile(rf"\b{re.escape(words.removesuffix('s'))}s?\b", re.IGNORECASE)
    counts = {name: len(pattern.findall(topic_text(name, root_command()))) for name in TOPICS}
    most = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])[:3]
    return f'"{words}" is in {", ".join(f"qnet help {name}" for name in most)}' if most and len(words) > 2 else ""


def _context(words: tuple[str, ...]) -> click.Context | None:
    """The context of a command by its words, such as `catalog show`; None where there is none."""
    context = click.Context(root_command(), info_name="qnet")
    for word in words:
        group = context.command
        command = group.get_command(context, word) if isinstance(group, click.Group) else None
        if command is None:
            return None
        context = click.Context(command, info_name=word, parent=context)
    return context
