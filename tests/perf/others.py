"""Other solvers on the same networks: the `queueing` package of Octave, and LINE in Python or Octave.

Where one is not installed, the table says so. Each network is timed in a process of its own, inside which the call is
repeated; start-up is not counted. LINE in Octave is looked for at the path in the environment variable LINE_PATH (its
`matlab` folder), LINE in Python as the module `line_solver`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ABSENT = "not installed"
NONE = "-"
"""Shown where a solver has no method for a network."""
LIMIT = 120.0
"""Seconds that one network may take in another solver, start-up and all runs included."""


class Case(NamedTuple):
    """One closed network of the table."""

    target: float
    """Milliseconds that it may take here."""
    demands: list[list[float]]
    """Seconds, stations by classes; the first of the variants where `variants` is above 1."""
    population: list[int]
    think_time: list[float]
    servers: list[int]
    method: str = "auto"
    variants: int = 1


def octave() -> str:
    """The program, or nothing."""
    return shutil.which("octave-cli") or shutil.which("octave") or ""


class Solver(NamedTuple):
    """Another solver: a name, the command that runs a program text, and whether the program is Python."""

    name: str
    command: tuple[str, ...]
    python: bool = False
    prepare: str = ""
    """What loads it."""


def queueing() -> Solver | None:
    """The `queueing` package, if Octave can load it."""
    program, prepare = octave(), "pkg load queueing;"
    if not program or _output((program, "--eval", f"{prepare} printf('loaded');")) != "loaded":
        return None
    return Solver("queueing", (program, "--eval"), prepare=prepare)


def line() -> Solver | None:
    """LINE: its Python module, else its functions in Octave."""
    if importlib.util.find_spec("line_solver") is not None:
        return Solver("LINE", (sys.executable, "-c"), True)
    place, program = os.environ.get("LINE_PATH", ""), octave()
    if not place or not Path(place).is_dir() or not program:
        return None
    quoted = place.replace("'", "''")
    return Solver("LINE", (program, "--eval"), prepare=f"addpath(genpath('{quoted}'));")


def timing(solver: Solver | None, case: Case, runs: int) -> str:
    """The median of the runs in milliseconds, or a word in its place."""
    if solver is None:
        return ABSENT
    call = (_line_call if solver.name == "LINE" else _queueing_call)(case)
    if not call:
        return NONE
    program = (_python if solver.python else _octave)(solver.prepare, case, call, runs)
    found = _output((*solver.command, program))
    try:
        return f"{float(found):.1f}"
    except ValueError:
        return found or "failed"


def _queueing_call(case: Case) -> str:
    """The call of the `queueing` package: V is all ones, since the demands hold the visits."""
    if case.variants > 1 or case.method == "linearizer":
        return ""
    if case.method == "bard-schweitzer":
        return "qncmmvabs(N, L', ones(size(L')), S, Z, 1e-10, 10000)"
    return f"{'qncsmva' if len(case.population) == 1 else 'qncmmva'}(N, L', ones(size(L')), S, Z)"


def _line_call(case: Case) -> str:
    """The call of LINE, the same in both languages."""
    if case.variants > 1:
        return ""
    if case.method == "bard-schweitzer":
        return "pfqn_bs(L, N, Z, 1e-10, 10000)"
    if case.method == "linearizer":
        return "pfqn_linearizer(L, N, Z, T, 1e-8, 10000)"
    return "pfqn_mva(L, N, Z)" if max(case.servers) == 1 else "pfqn_mvams(A, L, N, Z, ones(size(S))', S')"


def _octave(prepare: str, case: Case, call: str, runs: int) -> str:
    rows = "; ".join(" ".join(map(repr, row)) for row in case.demands)
    given = f"L = [{rows}]; N = {case.population}; Z = {case.think_time}; S = {case.servers}; A = zeros(size(N));"
    if case.method == "linearizer":
        given += " T = repmat(SchedStrategy.PS, size(L, 1), 1);"
    timed = f"for i = 1:{runs + 1}, tic; {call}; t(i) = toc; end;"
    return f"{prepare} {given} t = zeros(1, {runs + 1}); {timed} printf('%.17g', 1000 * median(t(2:end)));"


def _python(prepare: str, case: Case, call: str, runs: int) -> str:
    given = json.dumps([case.demands, case.population, case.think_time, case.servers])
    call = call.replace("ones(size(S))', S'", "np.ones(len(S)), S")
    return f"""{prepare}
import json, statistics, time
import numpy as np
from line_solver.api.pfqn import *
L, N, Z, S = (np.array(item, float) for item in json.loads({given!r}))
A, T, times = np.zeros(len(N)), ["PS"] * len(L), []
for _ in range({runs + 1}):
    start = time.perf_counter()
    {call}
    times.append(time.perf_counter() - start)
print(1e3 * statistics.median(times[1:]))
"""


def _output(command: Sequence[str]) -> str:
    """What a process prints at last, or a word why it did not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"> {LIMIT:.0f} s"
    except OSError:
        return ""
    return done.stdout.strip().rpartition("\n")[2] if done.returncode == 0 else "failed"
