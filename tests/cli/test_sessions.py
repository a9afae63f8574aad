"""Ten first sessions, as they would be typed: every command and all that the terminal then shows.

    sessions/NAME.txt    `-- ` a sentence of the person, `$ ` a command for the shell, `>>> ` and `... ` for Python,
                         and then what they print, both streams in one; `[exit 4]` where a command fails

`pytest tests/cli/test_sessions.py --regen-golden` writes the present answers; look at the difference before it is
committed. The commands of one session share a folder, in which later ones find the files that earlier ones made.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Answer
from forked_process import run_forked
from warm_process import warm_process

SESSIONS = Path(__file__).parent / "sessions"
NAMES = sorted(path.stem for path in SESSIONS.glob("*.txt"))
WIDTH = 80
_SHELL = re.compile(r"[|<>;&$`*]")
"""Signs that mean something to a shell where they are not quoted."""
_HAND = ("-- ", "$ ", ">>> ", "... ")


def test_there_are_ten() -> None:
    assert NAMES == [
        "calibration", "call-centre", "class", "comparison", "notebook", "overload", "pipe", "pool", "sizing", "ticket",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_session(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = SESSIONS / f"{name}.txt"
    typed = [line for line in path.read_text().splitlines() if line.startswith(_HAND)]
    shown = "".join(replayed(typed, tmp_path))
    if request.config.getoption("--regen-golden", default=False):
        path.write_text(shown)
    assert rounded(shown) == rounded(path.read_text())


@pytest.mark.parametrize("name", NAMES)
def test_a_session_fits_the_terminal_and_fails_only_where_it_says_so(name: str) -> None:
    text = (SESSIONS / f"{name}.txt").read_text()
    assert "Traceback" not in text
    assert "internal error" not in text
    shown = [line for line in text.splitlines() if not line.startswith((*_HAND, "qnet: ", "  help: "))]
    tables = [line for line in shown if "," not in line]
    assert [line for line in tables if len(line) > WIDTH] == []


def rounded(text: str) -> str:
    """A text whose numbers in full have nine digits: the last ones are the machine's."""
    return re.sub(r"\d+\.\d{9,}", lambda number: f"{float(number[0]):.9g}", text)


def replayed(typed: list[str], folder: Path) -> Iterator[str]:
    """What is typed, each command followed by what it prints."""
    names: dict[str, object] = {}
    lines = iter([*typed, ""])
    line = next(lines)
    while line:
        yield line + "\n"
        following = next(lines)
        if line.startswith("$ "):
            yield printed(line.removeprefix("$ "), folder)
        elif line.startswith(">>> "):
            block = [line]
            while following.startswith("... "):
                block.append(following)
                yield following + "\n"
                following = next(lines)
            yield of_python("\n".join(item[4:] for item in block), names, folder)
        line = following


def printed(command: str, folder: Path) -> str:
    """What a terminal shows after a command."""
    answer = answered(command, folder)
    failure = f"[exit {answer.code}]\n" if answer.code else ""
    return ended(answer.out) + ended(answer.err) + failure


def answered(command: str, folder: Path) -> Answer:
    """The answer of a command line, both streams in one; a process of its own only where a shell is needed."""
    changes = {"QNET_WIDTH": str(WIDTH)}
    words = shlex.split(command)
    if words[0] == "qnet" and not _SHELL.search(re.sub(r"'[^']*'|\"[^\"$`]*\"", "", command)):
        return warm_process().run(words[1:], folder, b"", changes, together=True)
    return run_forked(f"{{ {command}\n}} 2>&1", folder, changes)


def of_python(source: str, names: dict[str, object], folder: Path) -> str:
    """What an interpreter shows after a statement."""
    output, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(source, "<session>", "single"), names)
    finally:
        os.chdir(before)
    return ended(output.getvalue())


def ended(text: str) -> str:
    """A text with a line end, if it is one."""
    return text if not text or text.endswith("\n") else text + "\n"
