"""The layout of the help of a command: examples first, then its text, then its options by group.

`--help` is shortened to 60 lines where it can be; `qnet help COMMAND` prints everything.
"""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Sequence

import click

from qnet.cli.options import MethodOption, ModelOption, OutputOption, RareOption
from qnet.cli.screen import command_lines
from qnet.record import Record

MAX_LINES = 60
"""Lines up to which help is shown in full: more than about two screens are shortened. A choice."""
EXAMPLES = 2
"""Examples that `--help` shows; `qnet help COMMAND` prints all."""

SECTIONS = ("Options", ModelOption.section, MethodOption.section, OutputOption.section)
"""The groups of options, in this order."""

_FIRST_COLUMN = 26
"""Columns for names of options; longer names stand on a line above their text. A choice of layout."""
_RANGE = re.compile(r"\s*\[[^\]]*\]$")
"""The range that click appends to the help of a number."""
_WIDTH = 80
"""The most columns of help: those of a plain terminal."""


class Described(Record):
    """The help text of a command, in parts."""

    purpose: str
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]


def described(command: click.Command) -> Described:
    """The purpose, the further paragraphs and the examples of a command; text after a form feed is no help."""
    blocks = inspect.cleandoc((command.help or "").partition("\f")[0]).split("\n\n")
    paragraphs: list[str] = []
    examples: list[str] = []
    for block in blocks[1:]:
        lines = block.splitlines()
        heading = next((index for index, line in enumerate(lines) if line in ("Example:", "Examples:")), len(lines))
        examples += [line.strip() for line in lines[heading + 1 :]]
        if any(line != "\b" for line in lines[:heading]):
            paragraphs.append("\n".join(lines[:heading]))
    if command.epilog:
        paragraphs += inspect.cleandoc(command.epilog).split("\n\n")
    return Described(" ".join(blocks[0].split()), tuple(paragraphs), _joined(examples))


def help_text(ctx: click.Context, full: bool = False) -> str:
    """The help of a command.

    full   whether to include all paragraphs, examples and options, however many lines that takes.
    """
    parts = described(ctx.command)
    name = ctx.command_path.partition(" ")[2]
    more = f"Details and more examples: qnet help {name}"
    examples = parts.examples if full else parts.examples[:EXAMPLES]
    rare = any(isinstance(item, RareOption) for item in ctx.command.params)
    cut = not full and (rare or len(parts.examples) > EXAMPLES)
    shown = list(parts.paragraphs)
    while True:
        text = _laid_out(ctx, parts.purpose, examples, shown, more if cut else "", full)
        if full or not shown or text.count("\n") < MAX_LINES:
            return text
        shown.pop()
        cut = True


def _laid_out(
    ctx: click.Context, purpose: str, examples: Sequence[str], paragraphs: Sequence[str], more: str, full: bool
) -> str:
    width = max(50, min(shutil.get_terminal_size().columns, _WIDTH)) if ctx.terminal_width is None else _WIDTH
    formatter = click.HelpFormatter(width=width, max_width=width)
    ctx.command.format_usage(ctx, formatter)
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(purpose)
    if examples:
        with formatter.section("Examples" if len(examples) > 1 else "Example"):
            indent = " " * formatter.current_indent
            for example in examples:
                lines = command_lines(example, width - len(indent)).split("\n")
                formatter.write("".join(f"{indent}{line}\n" for line in lines))
    for paragraph in paragraphs:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(paragraph)
    for title, rows in option_sections(ctx, full):
        with formatter.section(title):
            for names, help in rows:
                formatter.write("\n".join(_row(names, help, width)) + "\n")
    if more:
        formatter.write_paragraph()
        formatter.write_text(more)
    return formatter.getvalue().rstrip("\n")


def _joined(lines: Sequence[str]) -> tuple[str, ...]:
    """Examples of several lines, which end in a backslash, as one text each."""
    result: list[str] = []
    for line in lines:
        if result and result[-1].endswith("\\"):
            result[-1] += f"\n    {line}"
        else:
            result.append(line)
    return tuple(result)


def _row(names: str, help: str, width: int) -> list[str]:
    """An option and its help, which begins on the next line where the names are long."""
    margin = " " * (_FIRST_COLUMN + 4)
    lines = textwrap.wrap(help, width - len(margin), break_on_hyphens=False) or [""]
    first = f"  {names:<{_FIRST_COLUMN}}  "
    if len(names) > _FIRST_COLUMN:
        return [f"  {names}", *(margin + line for line in lines)]
    return [first + lines[0], *(margin + line for line in lines[1:])]


def option_sections(ctx: click.Context, full: bool = True) -> list[tuple[str, list[tuple[str, str]]]]:
    """The options by group: those of the command first, and help last.

    full   whether to include those that are rarely needed.
    """
    sections: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
    last: list[tuple[str, str]] = []
    for parameter in ctx.command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None or not isinstance(parameter, click.Option) or _is_short_form(parameter):
            continue
        if isinstance(parameter, RareOption) and not full:
            continue
        names, help = record[0], _RANGE.sub("", record[1])
        if "--help" in parameter.opts:
            last.append((names, help))
        else:
            sections[getattr(parameter, "section", SECTIONS[0])].append((names, help))
    only = ("system", "settings")
    if not any(isinstance(item, ModelOption) and item.name not in only for item in ctx.command.params):
        sections = {title.partition(" (")[0]: rows for title, rows in sections.items()}
    shown = [(title, rows) for title, rows in sections.items() if rows]
    if shown:
        shown[-1][1].extend(last)
    return shown or [(SECTIONS[0], last)]


def _is_short_form(option: click.Option) -> bool:
    """Whether an option is `--csv` and the like, which the help of `--format` names."""
    return option.name == "format_name" and option.is_flag
