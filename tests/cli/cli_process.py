"""Running qnet as people do: as a process of its own, in a folder of its own, without the settings of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import qnet as package

KEPT = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "LD_LIBRARY_PATH")
"""What a process may need of the environment of the tests."""


class Answer(NamedTuple):
    """What a run of qnet left."""

    out: str
    err: str
    code: int


Run = Callable[..., Answer]


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The same on every machine: UTF-8, no colour, 100 columns, and the qnet that the tests import."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    fixed = {
        "PYTHONPATH": str(Path(package.__file__).parents[1]),
        "PYTHONIOENCODING": "utf-8",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    return {**kept, **fixed, **(changes or {})}


def run_qnet(
    arguments: Sequence[str], folder: Path, stdin: bytes = b"", changes: Mapping[str, str] | None = None
) -> Answer:
    """Run `qnet ARGUMENTS` in a folder and wait for its end."""
    done = subprocess.run(
        [sys.executable, "-m", "qnet", *arguments],
        cwd=folder, env=environment(changes), input=stdin, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return Answer(done.stdout.decode(), done.stderr.decode(), done.returncode)


def run_shell(line: str, folder: Path, changes: Mapping[str, str] | None = None, program: Path | None = None) -> Answer:
    """Run a line with `qnet` in it in bash, where a pipe fails if any part of it does.

    `qnet` is a program on the path, not a function of this shell: xargs, sh and parallel find it too. It is `program`,
    or a new interpreter each time.
    """
    with TemporaryDirectory() as programs:
        if program is None:
            program = Path(programs, "qnet")
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m qnet "$@"\n')
            program.chmod(0o755)
        settings = environment(changes)
        settings["PATH"] = os.pathsep.join((str(program.parent), settings.get("PATH", os.defpath)))
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=folder, env=settings, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False,
        )  # fmt: skip
    return Answer(done.stdout.decode(), done.stderr.decode(), done.returncode)
