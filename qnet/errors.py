"""Errors by kind, each with its exit code, and `Problem`, the description of one defect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from qnet.lazy import lazy
from qnet.record import Record

if TYPE_CHECKING:
    import difflib

    from qnet import explanations
else:
    difflib = lazy("difflib")
    explanations = lazy("qnet.explanations")

MAX_MESSAGE = 400
"""Characters of a message that are shown; texts of users may be much longer."""

MAX_QUOTED = 100
"""Characters of a text that is quoted in a message."""

NO_ANSWER = ("QN4", "QN5")
"""Beginnings of the codes whose problems always have advice."""

_LEFT_OUT = " ... "
_CARET_BEFORE, _CARET_WIDTH = 60, 100
"""Characters shown before a marked column, and in total: one line of a terminal, with its prefix. A choice."""
_MAX_NAME, _MAX_COMPARED = 80, 200
"""Characters of a name that is shown or compared, and the most names compared, to bound the time. A choice."""


class Problem(Record):
    """One defect: where it is, what is wrong, what is expected, and what to do about it."""

    code: str
    """Stable code, such as `QN102`; `qnet explain QN102` gives details."""
    found: str
    """What is wrong."""
    expected: str = ""
    """What is expected instead."""
    path: tuple[str | int, ...] = ()
    """The path of the key inside its file, such as `("stations", "disk", "servers")`."""
    help: str = ""
    """Advice; empty for that of `qnet explain` where the code has no answer, and for none elsewhere."""
    file: str = ""
    line: int = 0
    """Line in the file, from 1; 0 where it is unknown."""
    excerpt: str = ""
    """The text at fault and, on a second line, a caret under the position; `caret` makes it."""

    def render(self) -> str:
        """The problem as lines of text: `file:line: path.of.key: found; expected [code]`, the excerpt and the help.

        Parts of it come from untrusted files: control characters are escaped, long texts are cut.
        """
        location = f"{self.file}:{self.line}" if self.file and self.line else self.file
        message = printable(self.found)
        if self.expected:
            message += "; expected " + printable(self.expected)
        parts = [part for part in (printable(location), render_path(self.path), message) if part]
        lines = [": ".join(parts) + f" [{self.code}]"]
        lines += [f"    {_flat(line)}" for line in self.excerpt.split("\n")] if self.excerpt else []
        if help := self.help or _way_out(self.code):
            lines.append(f"  help: {printable(help)}")
        return "\n".join(lines)


class MethodProblem(Problem):
    """A problem of a method, whose sentence is also available in two parts."""

    method: str = ""
    """The method, or the quantity that is not computed; `found` begins with it."""
    what: str = ""
    """The rest of `found`."""


def of_method(code: str, method: str, what: str, expected: str = "", help: str = "") -> MethodProblem:
    """The problem of a method, such as `linearizer` and `did not converge`.

    method, what            the two parts of the sentence.
    code, expected, help    as those of `Problem`.
    """
    return MethodProblem(code, f"{method} {what}", expected, help=help, method=method, what=what)


def _way_out(code: str) -> str:
    """The advice of `qnet explain` where there is no answer, or none was computed; empty for other codes."""
    if not code.startswith(NO_ANSWER):
        return ""
    return explanations.EXPLANATIONS[code].action if code in explanations.EXPLANATIONS else ""


def render_path(path: Sequence[str | int]) -> str:
    """The path of a key as text: `classes.io.routes[2].steps[0]`, with quotes where TOML needs them."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        bare = bool(part) and all(
            character.isascii() and (character.isalnum() or character in "_-") for character in part
        )
        shown = part if bare else f'"{part}"'
        text += "." + printable(shown, _MAX_NAME) if text else printable(shown, _MAX_NAME)
    return text


def printable(text: str, limit: int = MAX_MESSAGE) -> str:
    """A text on one line, safe for a terminal: other characters are escaped, too long a text loses its middle.

    text   any text, such as one of a file or a user.
    limit  the most characters kept, before characters are escaped.
    """
    if len(text) > limit:
        tail = (limit - len(_LEFT_OUT)) // 3
        text = text[: limit - len(_LEFT_OUT) - tail] + _LEFT_OUT + text[-tail:]
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def short(text: str) -> str:
    """A text of a user, to be quoted in a message: `printable`, with at most `MAX_QUOTED` characters."""
    return printable(text, MAX_QUOTED)


def caret(source: str, column: int) -> str:
    """The text around a position and, on a second line, a caret under it.

    source  a text of any length and characters.
    column  the position, from 0.
    """
    column = max(0, min(column, len(source)))
    start = max(0, column - _CARET_BEFORE)
    prefix = "... " if start else ""
    return f"{prefix}{_flat(source[start : start + _CARET_WIDTH])}\n{' ' * (column - start + len(prefix))}^"


def _flat(text: str) -> str:
    """The text with spaces for characters that are not printable, so that columns remain."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else " " for character in text)


class QnetError(Exception):
    """Base of every failure that qnet reports itself; carries the exit code of the process."""

    exit_code = 1
    at: Any = None
    """The points of a batch that have the error, as an array of truth values; None where they are not known."""
    alone: Callable[[int], Problem] | None = None
    """The problem of a single one of these points, by its number; None where only solving it alone can show that."""
    solved: Any = None
    """The solutions of other points of the batch, which were computed before; None without any."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(problem.render() for problem in self.problems)


class UsageError(QnetError):
    """The command or the arguments are wrong, such as an unknown system, parameter, station or option value."""

    exit_code = 2


class InvalidInput(QnetError):
    """A model, a catalog file or data are invalid."""

    exit_code = 3


class NoAnswer(QnetError):
    """The question has no answer: no steady state, or a limit that cannot be met."""

    exit_code = 4


class NotComputed(QnetError):
    """An answer may exist and was not computed: not converged, not applicable, too large."""

    exit_code = 5
    structural = False
    """Whether the reason is structural, and so holds at every point: none needs to be tried alone."""


class AssertionFailed(QnetError):
    """A stated assertion or a validation is false."""

    exit_code = 6


class Names(str):
    """A help that lists all names, because none is similar to the given one."""


def suggest(name: str, known: Sequence[str], limit: int = 3, called: str = "known names:") -> str:
    """`did you mean "a" or "b"?` for the names nearest to an unknown one, or all as `Names` when none is near.

    name    the unknown name; empty for a list of all.
    known   the known names.
    limit   the most similar names to suggest.
    called  the words before a list of all.
    """
    name = name[:_MAX_NAME]
    candidates = known
    if len(known) > _MAX_COMPARED:
        # Comparing is slow, and a file may hold thousands of names and of mistakes.
        candidates = [item for item in known if item[:1] == name[:1] and abs(len(item) - len(name)) <= 3][
            :_MAX_COMPARED
        ]
    near = difflib.get_close_matches(name, candidates, n=limit, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(f'"{item}"' for item in near) + "?"
    if not known:
        return ""
    # Figures of the solution come last, because there are many of them.
    shown = ", ".join(sorted(known, key=lambda item: (item.endswith(")"), item))[:20])
    return Names(f"{called} {shown}" + (", ..." if len(known) > 20 else ""))
