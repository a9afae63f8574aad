"""How long things take, as tables; not collected by pytest.

    python tests/perf/run.py                  speeds and maps of 20,000 rows, a minute
    python tests/perf/run.py speeds --runs 15
    python tests/perf/run.py maps --rows 1000000
    python tests/perf/run.py calibrations
    python tests/perf/run.py matrix           every question of every system, some minutes; `matrix knee` of one
    python tests/perf/run.py growth           exponents, beside those that `qnet methods` announces
    python tests/perf/run.py calls networks   inside one process, and beside other solvers where they are installed

Ratios are of processor time, to yardsticks run in turn: P `python -c pass`, C with click, tomllib and json, N with
numpy as well, S with numpy and sympy. The exit code is 1 where a cell of the matrix is beyond what none may exceed.
What must hold on every machine is guarded by tests of loaded modules (tests/cli/test_startup.py) and of counted
operations.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from growth import growth
from matrix import QUESTIONS, matrix
from others import Case, line, queueing, timing
from speeds import calibrations, maps, speeds
from timing import ROOT

sys.path.insert(0, str(ROOT))


def median_of(action: Callable[[], object], runs: int) -> float:
    """Median wall time of a call inside this process, in milliseconds."""
    action()
    times: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def calls(runs: int) -> None:
    from qnet.model.load import load
    from qnet.questions.envelope.envelope import envelope
    from qnet.questions.envelope.question import question
    from qnet.questions.points.points import solve_points

    model = load("ibm-3990-6")
    stated = model.envelopes["ten_ms"]
    fine = question(model, stated, over=["write_fraction = 0:0.5:0.0005"])
    print(f"\n{'call':<45} {'median ms':>10}")
    print(f"{'load ibm-3990-6':<45} {median_of(lambda: load('ibm-3990-6'), runs):>10.1f}")
    print(f"{'one point':<45} {median_of(lambda: solve_points(model), runs):>10.1f}")
    print(f"{'envelope of 6 points':<45} {median_of(lambda: envelope(question(model, stated)), runs):>10.1f}")
    print(f"{'envelope of 1001 points':<45} {median_of(lambda: envelope(fine), max(1, runs // 5)):>10.1f}")


def demands(stations: int, classes: int) -> list[list[float]]:
    """The demands that all timings share."""
    return [[0.01 * (1 + (7 * k + 3 * r) % 11) for r in range(classes)] for k in range(stations)]


def cases() -> dict[str, Case]:
    """The networks that are timed, here and in other solvers."""

    def case(target: float, stations: int, classes: int, count: int, method: str = "auto") -> Case:
        think = [10.0] if classes == 1 else [1.0 + r for r in range(classes)]
        return Case(target, demands(stations, classes), [count] * classes, think, [1] * stations, method)

    distinct = [[0.001 * (1 + k)] for k in range(100)]
    batch = [[0.01 * (1 + 7 * k % 11)] for k in range(10)]
    return {
        "exact, K=100, N=10,000": case(20, 100, 1, 10_000),
        "the same, 100 distinct demands": Case(100, distinct, [10_000], [10.0], [1] * 100),
        "exact, K=10, R=4, N=15 each": case(100, 10, 4, 15),
        "Bard-Schweitzer, K=50, R=20, N=200 each": case(20, 50, 20, 200, "bard-schweitzer"),
        "Linearizer on the same": case(300, 50, 20, 200, "linearizer"),
        "exact, K=5, one of 16 servers, N=1000": case(5, 5, 1, 1000)._replace(servers=[16, 1, 1, 1, 1]),
        "exact, 1000 variants of K=10, N=200": Case(20, batch, [200], [10.0], [1] * 10, variants=1000),
        "exact, K=4, R=8, N=10 each": case(10_000, 4, 8, 10),
    }


def action(case: Case) -> Callable[[], object]:
    """What is timed here."""
    import qnet

    table: Any = case.demands
    if case.variants > 1:
        table = [[[value * (1 + b / 1000) for value in row] for row in case.demands] for b in range(case.variants)]
    network = qnet.Network(
        table, population=case.population, think_time=case.think_time, servers=case.servers, disciplines="ps"
    )
    return lambda: network.solve(case.method)


def table(timed: dict[str, Case], runs: int) -> None:
    """Medians in milliseconds, ours and those of other solvers."""
    solvers = {"queueing": queueing(), "LINE": line()}
    heads = "".join(f" {name + ' ms':>14}" for name in solvers)
    print(f"\n{'network':<45} {'median ms':>10} {'target ms':>10}{heads}")
    for name, case in timed.items():
        count = runs if case.target < 1000 else 1
        own = median_of(action(case), count)
        others = "".join(f" {timing(solver, case, count):>14}" for solver in solvers.values())
        print(f"{name:<45} {own:>10.1f} {case.target:>10.0f}{others}")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "tables", nargs="*", default=["speeds", "maps"], help="tables to print, and questions of matrix"
    )
    parser.add_argument("--runs", type=int, default=7, help="pairs of runs of each command")
    parser.add_argument("--rows", type=int, default=20_000, help="rows of a map")
    parser.add_argument("--system", action="append", default=[], help="systems of the matrix (default: all)")
    given = parser.parse_args(arguments)
    questions = [name for name in given.tables if name in QUESTIONS]
    tables: dict[str, Callable[[], int | None]] = {
        "speeds": lambda: speeds(given.runs),
        "maps": lambda: maps(given.rows),
        "calibrations": calibrations,
        "matrix": lambda: matrix(questions, given.system),
        "growth": growth,
        "calls": lambda: calls(given.runs),
        "networks": lambda: table(cases(), given.runs),
    }
    unknown = [name for name in given.tables if name not in tables and name not in questions]
    if unknown:
        parser.error(f"unknown table {unknown[0]}; there are {', '.join(tables)}")
    codes = [tables[name]() for name in given.tables if name in tables]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
