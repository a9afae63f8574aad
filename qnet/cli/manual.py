"""The manual page of qnet, in roff, from the help of its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from qnet.cli.layout import SECTIONS, described, option_sections
from qnet.cli.topics import TOPICS
from qnet.version import __version__

_ENVIRONMENT = {
    "NO_COLOR": "If set, no colour, unless --color asks for it.",
    "FORCE_COLOR": "If set, colour also where the output is no terminal.",
    "QNET_ASCII": "If set to 1, only ASCII characters in tables and charts.",
    "QNET_WIDTH": "Width of tables and messages in columns, also in a pipe or a file.",
    "QNET_CATALOG": "The folder of another catalog.",
}


def manual(root: click.Group) -> str:
    """The manual page qnet(1).

    root   the `qnet` command.
    """
    return "\n".join(_lines(root))


def _lines(root: click.Group) -> Iterator[str]:
    context = click.Context(root, info_name="qnet")
    text = described(root)
    yield f'.TH QNET 1 "" "qnet {__version__}" "User Commands"'
    yield ".SH NAME"
    yield _plain(f"qnet - {text.purpose[:1].lower()}{text.purpose[1:]}".rstrip("."))
    yield ".SH SYNOPSIS"
    yield r".B qnet"
    yield r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENTS\fR]"
    yield ".SH DESCRIPTION"
    for paragraph in text.paragraphs:
        yield from _paragraph(paragraph)
    yield ".SH COMMANDS"
    for inner in _contexts(context):
        yield from _command(inner)
    solve = root.get_command(context, "solve")
    assert solve is not None
    sections = option_sections(click.Context(solve, info_name="solve", parent=context))
    yield ".SH COMMON OPTIONS"
    yield "Commands that solve a model share these options."
    for title, rows in sections[1 if sections[0][0] == SECTIONS[0] else 0 :]:
        yield f".SS {_plain(title)}"
        yield from _options(rows)
    yield ".SH TOPICS"
    yield from _options([(f"qnet help {name}", line) for name, line in TOPICS.items()])
    yield ".SH ENVIRONMENT"
    yield from _options(list(_ENVIRONMENT.items()))


def _contexts(context: click.Context) -> Iterator[click.Context]:
    """Every command that is no group, as the shell calls it."""
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from _contexts(inner)
        else:
            yield inner


def _command(context: click.Context) -> Iterator[str]:
    """One command: usage, description, its options, examples."""
    text = described(context.command)
    yield f".SS {_plain(' '.join([context.command_path, *context.command.collect_usage_pieces(context)]))}"
    yield _plain(text.purpose)
    for paragraph in text.paragraphs:
        yield from _paragraph(paragraph)
    for title, rows in option_sections(context):
        if title == SECTIONS[0]:
            yield from _options(rows)
    if text.examples:
        yield ".PP"
        yield "Examples:"
        yield from (".PP", ".nf", ".RS", *map(_plain, text.examples), ".RE", ".fi")


def _paragraph(text: str) -> Iterator[str]:
    """A paragraph, filled unless it begins with click's mark for preformatted text."""
    lines = text.splitlines()
    yield ".PP"
    if lines[0] == "\b":
        yield from (".nf", *map(_plain, lines[1:]), ".fi")
    else:
        yield _plain(" ".join(line.strip() for line in lines))


def _options(rows: list[tuple[str, str]]) -> Iterator[str]:
    for names, help in rows:
        yield ".TP"
        yield rf"\fB{_plain(names)}\fR"
        yield _plain(help)


def _plain(text: str) -> str:
    """Text with the characters escaped that have a meaning in roff."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("`", r"\(ga").replace("'", r"\(aq")
    return re.sub(r"^\.", r"\\&.", escaped)
