"""How lines that are no report are folded: for terminals only, so that a pipe has one line for each thing."""

from __future__ import annotations

import os
import re
from typing import TextIO

_NARROWEST = 20
"""Columns of the narrowest screen that lines are fitted to."""
_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")
"""A word of a command line, with its quotes."""


def columns_of(stream: TextIO | None) -> int | None:
    """How many columns a terminal has, or what `QNET_WIDTH` says; None for a pipe or a file."""
    try:
        if stream is None or not stream.isatty():
            return None
        size = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        size = 80
    asked = os.environ.get("QNET_WIDTH", "")
    return max(int(asked) if asked.isdecimal() and len(asked) < 6 else size or 80, _NARROWEST)


def folded(line: str, columns: int | None, hanging: int = 2) -> str:
    """A line that is longer than a screen in several ones, the others indented further than the first."""
    if columns is None or len(line) <= columns:
        return line
    from textwrap import wrap

    indent = " " * (len(line) - len(line.lstrip()))
    after = " " * min(hanging, columns // 2)
    lines = wrap(line.strip(), columns, initial_indent=indent, subsequent_indent=indent + after,
                 break_long_words=False, break_on_hyphens=False)  # fmt: skip
    return "\n".join(lines)


def message(text: str, columns: int | None) -> str:
    """A message with its folded lines; excerpts of models, with a caret below them, keep theirs."""
    lines = text.split("\n")
    return "\n".join(line if line.startswith("    ") else folded(line, columns, 4) for line in lines)


def command_lines(line: str, columns: int) -> str:
    """A command line of a shell that is too long, continued behind backslashes before options and pipes."""
    if len(line) <= columns or "\n" in line:
        return line
    groups: list[str] = []
    for word in _WORD.findall(line):
        begins = word.startswith("-") or word in ("|", "&&")
        groups.append(word) if begins or not groups else groups.append(f"{groups.pop()} {word}")
    lines = [""]
    for group in groups:
        joined = f"{lines[-1]} {group}".strip() if len(lines) == 1 else f"{lines[-1]} {group}"
        if lines[-1] and len(joined) > columns - 2:
            lines.append(f"    {group}")
        else:
            lines[-1] = joined
    return " \\\n".join(lines)
