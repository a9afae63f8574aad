"""Processor time and memory of whole processes, and ratios to the imports that a command cannot do without.

Ratios of processor time hold on a busy machine, where milliseconds do not: a command and its yardstick are run in turn,
and the median of the pairwise ratios is what counts.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
QNET = [sys.executable, "-m", "qnet"]
YARDSTICKS = {
    "P": [sys.executable, "-c", "pass"],
    "C": [sys.executable, "-c", "import click, tomllib, json"],
    "N": [sys.executable, "-c", "import click, tomllib, json, numpy"],
    "S": [sys.executable, "-c", "import click, tomllib, json, numpy, sympy"],
}
"""The least that a command does: start, parse its arguments, have arrays, have symbols."""


class Spent(NamedTuple):
    """What one process took."""

    seconds: float
    """Of processor time, in user and system mode."""
    wall: float
    mebibytes: float
    """The largest resident memory."""
    code: int
    """The exit code; negative, the signal that ended it."""


class Ratio(NamedTuple):
    """A command beside its yardstick."""

    ratio: float
    seconds: float
    code: int


def spent(
    command: Sequence[str], folder: Path | None = None, rows: Path | None = None, output: Path | None = None,
    limit: float = 300.0,
) -> Spent:  # fmt: skip
    """One run of a command.

    rows     a file to read as standard input.
    output   a file for standard output; None where nobody reads it.
    limit    seconds on the wall after which the process is ended.
    """
    # Modules are compiled once, as where qnet is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    with open(rows or os.devnull, "rb") as stdin, open(output or os.devnull, "wb") as stdout:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL, cwd=folder or "/", env=environment
        )
        ending = threading.Timer(limit, process.kill)
        ending.start()
        _, status, usage = os.wait4(process.pid, 0)
        ending.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    return Spent(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, process.returncode)


def beside(command: Sequence[str], yardstick: Sequence[str], runs: int, folder: Path | None = None) -> Ratio:
    """A command and a yardstick in turn, after one run of each that is not counted."""
    spent(command, folder), spent(yardstick)
    pairs = [(spent(command, folder), spent(yardstick)) for _ in range(runs)]
    return Ratio(
        statistics.median(one.seconds / other.seconds for one, other in pairs),
        statistics.median(one.seconds for one, _ in pairs),
        pairs[-1][0].code,
    )
