"""What can go wrong, by kind: each kind of failure has one exit code, and every defect of a file is one `Problem`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Problem(NamedTuple):
    """One defect of an input: where it is, what was found, what is expected, and what to do about it."""

    code: str
    """Stable code, such as `QN102`; `qnet explain QN102` says more."""
    found: str
    expected: str = ""
    path: tuple[str | int, ...] = ()
    """The path of the key inside its file, such as `("stations", "disk", "servers")`."""
    help: str = ""
    file: str = ""
    line: int = 0
    """Line in the file, from 1; 0 where it is unknown."""
    excerpt: str = ""
    """The text at fault and, on a second line, a caret under the place."""

    def render(self) -> str:
        """The problem as lines of text: `file:line: path.of.key: found; expected [code]`, the excerpt and the help."""
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        parts = [part for part in (place, render_path(self.path)) if part]
        message = f"{self.found}; expected {self.expected}" if self.expected else self.found
        lines = [": ".join([*parts, message]) + f" [{self.code}]"]
        lines += [f"    {line}" for line in self.excerpt.splitlines()]
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)


def render_path(path: Sequence[str | int]) -> str:
    """A key path as people write it: `classes.io.routes[2].steps[0]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


class QnetError(Exception):
    """Base of every failure that qnet reports in its own words; carries the exit code of the process."""

    exit_code = 1

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(problem.render() for problem in problems))
        self.problems = problems


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


class AssertionFailed(QnetError):
    """A stated assertion or a validation is false."""

    exit_code = 6


def suggest(name: str, known: Sequence[str], limit: int = 3) -> str:
    """`did you mean "a" or "b"?` for the names nearest to an unknown one, or the list of all when none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=limit, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(f'"{item}"' for item in near) + "?"
    if not known:
        return ""
    shown = ", ".join(sorted(known)[:20])
    return f"known names: {shown}" + (", ..." if len(known) > 20 else "")
