"""The texts of `qnet help TOPIC`: files in Markdown, with tables that are made from the code."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from textwrap import wrap

import click

from qnet.cli.screen import command_lines
from qnet.formats import FORMATS

TOPICS = {
    "language": "The model language: every table and key, expressions, examples.",
    "semantics": "What keys of the language mean in combination: holds, phases, losses.",
    "units": "Units and quantities: what is accepted, what is refused, and why.",
    "metrics": "Every metric: unit, definition, and the commands that report it.",
    "methods": "Solution methods: how one is chosen, and how to choose another.",
    "trust": "Exact, approximate, bound: what the labels mean, and how they are verified.",
    "formats": "Output formats, files, pipes, colours: what programs can rely on.",
    "measurements": "Tables of measurements: what is read as it is, renamed, melted, held out.",
    "pipelines": "Many rows: several processes, data frames, Dask, Spark.",
    "exchange": "Models of other tools (JMVA, LQN, tables of demands), files of monitoring tools.",
    "exit-codes": "Exit codes, and how to use them in scripts.",
    "python": "qnet as a library: systems, networks, reports.",
    "tickets": "From a complaint about response time to an answer that fits a ticket.",
    "glossary": "Terms of queueing theory as qnet uses them.",
    "architecture": "How qnet is built: packages, data flow, where to add something.",
}
"""Name -> one line."""

_MARKER = re.compile(r"^<!-- table: (\w+) -->$", re.MULTILINE)


def topic_text(name: str, root: click.Group) -> str:
    """A topic in Markdown, with its tables filled in.

    name   the topic.
    root   the `qnet` command, for the table of commands.
    """
    with open(
        os.path.join(os.path.dirname(os.path.dirname(__file__)), "topics", f"{name}.md"), encoding="utf-8"
    ) as file:
        text = file.read()
    return _MARKER.sub(lambda match: f"```text\n{_tables(root)[match[1]]()}\n```", text).rstrip("\n")


def _tables(root: click.Group) -> dict[str, Callable[[], str]]:
    """The tables that a topic may contain, by name."""
    from qnet.cli.schema import ANSWERS
    from qnet.questions.tables import reference

    return {
        "keys": reference.keys_text,
        "functions": reference.functions_text,
        "units": reference.units_text,
        "methods": reference.methods_text,
        "errors": reference.errors_text,
        "metrics": reference.metrics_text,
        "columns": partial(reference.columns_text, ANSWERS.values()),
        "commands": partial(_commands_text, root),
        "formats": _formats_text,
    }


def _commands_text(root: click.Group) -> str:
    """The options that take a metric, each with the commands that have it."""
    from qnet.questions.tables.reference import two_columns

    takers: dict[str, list[str]] = {}
    context = click.Context(root, info_name="qnet")
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        for parameter in command.params if command else ():
            if parameter.opts[0] in ("--metric", "--limit", "--assert"):
                takers.setdefault(parameter.opts[0], []).append(name)
    return two_columns([(option, ", ".join(names)) for option, names in takers.items()], 10)


def _formats_text() -> str:
    """The output formats with their descriptions."""
    room = max(map(len, FORMATS)) + 3
    return "\n".join(f"{name:{room}}{row.words}" for name, row in FORMATS.items())


_COLUMNS = 80
"""Columns of a plain terminal."""


def plain(markdown: str) -> str:
    """Markdown as text for a terminal of 80 columns: code indented, headings underlined, backticks removed."""
    lines: list[str] = []
    prose: list[str] = []
    code = False

    def end_of_prose() -> None:
        if prose:
            text = " ".join(line.strip() for line in prose).replace("`", "")
            indent = "  " if text.startswith("- ") else ""
            lines.extend(wrap(text, 79, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))
            prose.clear()

    for line in markdown.split("\n"):
        if code and not line.startswith("```"):
            shown = command_lines(line, _COLUMNS - 2) if "qnet " in line else line
            lines.extend(f"  {each}".rstrip() for each in shown.split("\n"))
        elif not line or line.startswith(("```", "#")):
            end_of_prose()
            code = code != line.startswith("```")
            if line.startswith("#"):
                title = line.lstrip("# ")
                lines += [title, ("=" if line.startswith("# ") else "-") * len(title)]
            elif not line:
                lines.append("")
        else:
            if line.startswith("- "):
                end_of_prose()
            prose.append(line)
    end_of_prose()
    return "\n".join(lines)
