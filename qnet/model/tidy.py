"""The text of a model with tidy spacing: indentation, blank lines, spaces around `=`. Comments and order remain."""

from __future__ import annotations

import re

from qnet.documents import parse

_INDENT = 2
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|""?(?!"))*+"{3,5}'
    r"|'''(?:[^']|''?(?!'))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|#[^\n]*+|\n|[\[\]{}=,]|[^\s\[\]{}=,#\"']++",
    re.DOTALL,
)


class _Line:
    """A line: its tokens, and the comment after them with its column."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.comment = ""
        self.column = 0


def tidy(text: str, name: str) -> str:
    """The text with tidy spacing: the same data and the same comments.

    Blank lines separate tables, open brackets indent by two spaces, and `=` has one space on each side.
    A comment after a value keeps its column where there is room for it.

    text   a valid model, as `Document.text` has it.
    name   of the document, for errors.
    """
    result: list[str] = []
    opened: list[int] = []
    for number, line in enumerate(_lines(text)):
        at_top = not opened
        leading = _leading_closers(line.tokens)
        inside = opened[: len(opened) - leading] if leading else opened
        indent = _INDENT * len(set(inside))
        header = at_top and line.tokens[:1] == ["["]
        code = _header(line.tokens) if header else _spaced(line.tokens)
        if not header:
            _follow(line.tokens, number, opened)
        shown = " " * indent + code if code else ""
        if line.comment:
            blank = max(2, line.column - len(shown)) if code and "\n" not in code else 2
            shown = shown + " " * blank + line.comment if code else " " * indent + line.comment
        if header:
            _separate(result)
        if shown or (result and result[-1]):
            result.append(shown)
    while result and not result[-1]:
        result.pop()
    done = "\n".join(result) + "\n"
    # A tidy text that is another model would be worse than an untidy one.
    return done if parse(done.encode(), name).data == parse(text.encode(), name).data else text


def _lines(text: str) -> list[_Line]:
    """The lines as tokens; a string of several lines is one token."""
    lines = [_Line()]
    start = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "\n":
            lines.append(_Line())
            start = match.end()
        elif token.startswith("#"):
            lines[-1].comment = token.rstrip()
            lines[-1].column = match.start() - start
        else:
            lines[-1].tokens.append(token)
    return lines


def _leading_closers(tokens: list[str]) -> int:
    """How many brackets a line closes before anything else."""
    return next((index for index, token in enumerate(tokens) if token not in ("]", "}")), len(tokens))


def _follow(tokens: list[str], number: int, opened: list[int]) -> None:
    """Update the line numbers on which the open brackets stand."""
    for token in tokens:
        if token in ("[", "{"):
            opened.append(number)
        elif token in ("]", "}") and opened:
            opened.pop()


def _header(tokens: list[str]) -> str:
    """A header of a table, without spaces inside its brackets."""
    return "".join(tokens)


def _spaced(tokens: list[str]) -> str:
    """A line of keys and values with one space where there should be one."""
    text = ""
    previous = ""
    for token in tokens:
        text += ("" if not text or _close(previous, token) else " ") + token
        previous = token
    return text


def _close(previous: str, token: str) -> bool:
    """Whether a token follows the previous one without a space: a comma, in a list of values, or an empty pair."""
    if token == "," or (previous, token) in (("[", "]"), ("{", "}")):
        return True
    if previous == "[":
        return token not in ("{", "[")
    return token == "]" and previous not in ("}", "]", ",")


def _separate(result: list[str]) -> None:
    """One blank line before a table, above the comment that belongs to it."""
    index = len(result)
    while index and result[index - 1].startswith("#"):
        index -= 1
    if index and result[index - 1]:
        result.insert(index, "")
