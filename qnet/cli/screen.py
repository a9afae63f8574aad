"""Folding of messages and lists on terminals; in a pipe each item remains on one line."""

from __future__ import annotations

import os
import re
from typing import TextIO

_NARROWEST = 20
"""Columns of the narrowest screen to which lines are fitted."""
_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")
"""A word of a command line, with its quotes."""


def columns_of(stream: TextIO | None) -> int | None:
    """The columns of a terminal, or the value of `QNET_WIDTH`; None for a pipe or a file."""
    try:
        if stream is None or not stream.isatty():
            return None
        size = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        size = 80
    wanted = os.environ.get("QNET_WIDTH", "")
    return max(int(wanted) if wanted.isdecimal() and len(wanted) < 6 else size or 80, _NARROWEST)


def folded(line: str, columns: int | None, hanging: int = 2) -> str:
    """A line folded to a number of columns, with continuation lines indented by `hanging`; unchanged for None."""
    if columns is None or len(line) <= columns:
        return line
    from textwrap import wrap

    indent = " " * (len(line) - len(line.lstrip()))
    after = " " * min(hanging, columns // 2)
    lines = wrap(line.strip(), columns, initial_indent=indent, subsequent_indent=indent + after,
                 break_long_words=False, break_on_hyphens=False)  # fmt: skip
    return "\n".join(lines)


def message(text: str, columns: int | None) -> str:
    """A message with its lines folded, except excerpts of models with a caret below them."""
    lines = text.split("\n")
    return "\n".join(line if line.startswith("    ") else folded(line, columns, 4) for line in lines)


def command_lines(line: str, columns: int) -> str:
    """A shell command, broken with backslashes before options and pipes where it is too long."""
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
