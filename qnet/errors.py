"""What can go wrong, by kind: each kind of failure has one exit code, and every defect of a file is one `Problem`."""

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
"""Characters of a message that are shown; what users wrote may be much longer."""

MAX_QUOTED = 100
"""Characters of a text that is quoted in a message."""

NO_ANSWER = ("QN4", "QN5")
"""How the codes begin of which every problem says a way out."""

_LEFT_OUT = " ... "
_CARET_BEFORE, _CARET_WIDTH = 60, 100
"""Characters shown before a marked column, and in all: one line of a terminal, with its prefix. A choice."""
_MAX_NAME, _MAX_COMPARED = 80, 200
"""Characters of a name that is shown or compared, and names it is compared with: both bound the time. A choice."""


class Problem(Record):
    """One defect of an input: where it is, what is wrong, what is expected, and what to do about it."""

    code: str
    """Stable code, such as `QN102`; `qnet explain QN102` says more."""
    found: str
    expected: str = ""
    path: tuple[str | int, ...] = ()
    """The path of the key inside its file, such as `("stations", "disk", "servers")`."""
    help: str = ""
    """What to do about it; where there is no answer, what `qnet explain` says of the code if no more is known."""
    file: str = ""
    line: int = 0
    """Line in the file, from 1; 0 where it is unknown."""
    excerpt: str = ""
    """The text at fault and, on a second line, a caret under the place; `caret` makes it."""

    def render(self) -> str:
        """The problem as lines of text: `file:line: path.of.key: found; expected [code]`, the excerpt and the help.

        Parts of it come from untrusted files: control characters are escaped, long texts are cut.
        """
        index = f"{self.file}:{self.line}" if self.file and self.line else self.file
        message = printable(self.found)
        if self.expected:
            message += "; expected " + printable(self.expected)
        parts = [part for part in (printable(index), render_path(self.path), message) if part]
        lines = [": ".join(parts) + f" [{self.code}]"]
        lines += [f"    {_flat(line)}" for line in self.excerpt.split("\n")] if self.excerpt else []
        if help := self.help or _way_out(self.code):
            lines.append(f"  help: {printable(help)}")
        return "\n".join(lines)


class MethodProblem(Problem):
    """A problem of a method, with its sentence in two parts as well."""

    method: str = ""
    """Or the quantity that is not computed; `found` begins with it."""
    what: str = ""
    """The rest of `found`."""


def of_method(code: str, method: str, what: str, expected: str = "", help: str = "") -> MethodProblem:
    """The problem of a method, such as `linearizer` of which `did not converge` is the case.

    code            of the problem, which has `expected` and `help`.
    method, what    the sentence.
    """
    return MethodProblem(code, f"{method} {what}", expected, help=help, method=method, what=what)


def _way_out(code: str) -> str:
    """What to do where there is no answer, or none was computed; empty for other codes, whose places say it."""
    if not code.startswith(NO_ANSWER):
        return ""

    return explanations.EXPLANATIONS[code].action if code in explanations.EXPLANATIONS else ""


def render_path(path: Sequence[str | int]) -> str:
    """A key path as people write it: `classes.io.routes[2].steps[0]`, with quotes where TOML needs them."""
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
    """The text on one line, safe for a terminal: what is not printable is escaped, too long a text loses its middle.

    text   anything, also what a file or a user states.
    limit  the most characters of the result.
    """
    if len(text) > limit:
        tail = (limit - len(_LEFT_OUT)) // 3
        text = text[: limit - len(_LEFT_OUT) - tail] + _LEFT_OUT + text[-tail:]
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def short(text: str) -> str:
    """`text` of a user, ready to be quoted in a message: `printable`, of at most `MAX_QUOTED` characters."""
    return printable(text, MAX_QUOTED)


def caret(source: str, column: int) -> str:
    """The text around a place (`column` from 0) and, on a second line, a caret under it.

    source  a text of any length and characters.
    column  of the place.
    """
    column = max(0, min(column, len(source)))
    start = max(0, column - _CARET_BEFORE)
    prefix = "... " if start else ""
    return f"{prefix}{_flat(source[start : start + _CARET_WIDTH])}\n{' ' * (column - start + len(prefix))}^"


def _flat(text: str) -> str:
    """The text with a space for what is not printable, so that every column keeps its position."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else " " for character in text)


class QnetError(Exception):
    """Base of every failure that qnet reports itself; carries the exit code of the process."""

    exit_code = 1
    at: Any = None
    """At which points of a batch, an array of truth values; None where that is not known."""
    alone: Callable[[int], Problem] | None = None
    """The problem that each of these points has alone, by its number; None where only solving it alone can show it."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(problem.render() for problem in self.problems)


class UsageError(QnetError):
    """The command asks for something that is not there: an unknown system, parameter, station or option value."""

    exit_code = 2


class InvalidInput(QnetError):
    """A model, a catalog file or data that cannot be used as it stands."""

    exit_code = 3


class NoAnswer(QnetError):
    """The question is sound and has no answer: no steady state, a limit that cannot be met."""

    exit_code = 4


class NotComputed(QnetError):
    """An answer may exist and was not computed: not converged, not applicable, too large."""

    exit_code = 5
    structural = False
    """Whether the reason is one of structure, and so the same at all these points: none is worth trying alone."""


class AssertionFailed(QnetError):
    """A stated assertion or a validation is false."""

    exit_code = 6


class Names(str):
    """A help that lists names, because none is near to what was given."""


def suggest(name: str, known: Sequence[str], limit: int = 3, called: str = "known names:") -> str:
    """`did you mean "a" or "b"?` for the names nearest to an unknown one, or all as `Names` when none is near.

    name    what was given; empty where there is no guess.
    known   the names that there are.
    limit   how many near ones are named at most.
    called  the words before all of them.
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
