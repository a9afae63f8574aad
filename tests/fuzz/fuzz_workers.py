"""Worker processes that run inputs: each has a limit of memory, and a folder with the examples.

The limit of processor time is kept inside the worker by an alarm; a worker that does not come back on the wall clock,
or whose process dies, is replaced, and the input it had is the failure.
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import worker_pool
from fuzz_case import ROOT, Case
from fuzz_failure import MEMORY, SECONDS, Failure, Outcome, run

PATIENCE = 12.0
"""How many times its limit of processor time a worker may take on the wall, on a busy machine."""
RENEWED = 4000
"""Inputs after which a worker is replaced, so that what one leaves behind is not taken for another's."""


class Ran(NamedTuple):
    """An input with its outcome."""

    index: int
    case: Case
    outcome: Outcome
    seconds: float
    memory: int = 0
    """Bytes by which the input raised the most that its worker has had at once."""


def outcomes(cases: Iterable[tuple[int, Case]], jobs: int = 1, seconds: float = SECONDS) -> Iterator[Ran]:
    """The outcome of every input, as they come."""
    _load()

    def prepare(folder: Path) -> Callable[[tuple[int, Case]], Ran]:
        shutil.copytree(ROOT / "examples", folder / "examples")
        os.chdir(folder)
        for name in ("NO_COLOR", "COLUMNS"):
            os.environ[name] = "100"
        _limit()
        sys.setrecursionlimit(1000)
        return lambda item: _ran(folder, *item, seconds)

    yield from worker_pool.answers(cases, prepare, _lost, jobs, PATIENCE * seconds, RENEWED)


def outcome_of(case: Case, seconds: float = SECONDS) -> Outcome:
    """The outcome of one input."""
    return next(iter(outcomes([(0, case)], 1, seconds))).outcome


def _ran(folder: Path, index: int, case: Case, seconds: float) -> Ran:
    start, before = time.process_time(), _most_memory()
    try:
        outcome = run(case, seconds)
    except BaseException as error:
        outcome = Outcome("raised", Failure("fuzzer", type(error).__name__, "run", str(error)[:300]))
    result = Ran(index, case, outcome, time.process_time() - start, _most_memory() - before)
    _renew(folder, case)
    return result


def _lost(item: tuple[int, Case], why: str) -> Ran:
    index, case = item
    kind, what = ("process", "died") if why == worker_pool.DIED else ("time", why)
    return Ran(index, case, Outcome("lost", Failure(kind, what, case.command[0] if case.command else case.door)), 0.0)


def _most_memory() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _load() -> None:
    """Import what inputs need, so that the first of them is not charged for it, and a new worker starts at once."""
    import numpy
    import sympy

    import qnet.cli.group
    import qnet.system

    assert numpy and sympy and qnet


def _limit() -> None:
    """So much more memory than there is now; beyond it an allocation fails."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        bytes_now = pages * resource.getpagesize()
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        allowed = bytes_now + MEMORY if most == resource.RLIM_INFINITY else min(bytes_now + MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (allowed, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _renew(folder: Path, case: Case) -> None:
    """The folder as it was, after an input that may have written into it."""
    if not any(word.startswith(("-o", "--o", "--w")) for word in case.command):
        return
    os.chdir(folder)
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    shutil.copytree(ROOT / "examples", folder / "examples")
