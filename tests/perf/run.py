"""How long things take, as a table: `python tests/perf/run.py`. Not collected by pytest; read ratios, not milliseconds.

Whole processes are run in turn with a yardstick (A B A B ...), and the median of the pairwise ratios is told. What must
hold is guarded by tests on loaded modules in tests/cli/test_startup.py.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from others import Case, line, queueing, timing

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)

FLOOR = [sys.executable, "-c", "import click, tomllib, json"]
NUMPY = [sys.executable, "-c", "import numpy"]
SMALL = ["solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--arrival-rate", "3/s", "--csv"]
CLOSED = [
    "solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--station", "tape=80ms", "--population", "20",
    "--think-time", "5s", "--csv",
]  # fmt: skip
PROCESSES: dict[str, tuple[list[str], list[str]]] = {
    "qnet --version": (["--version"], [sys.executable, "-c", "pass"]),
    "qnet --help": (["--help"], FLOOR),
    "small open model to CSV": (SMALL, FLOOR),
    "closed model of three stations to CSV": (CLOSED, FLOOR),
    "envelope ibm-3990-6 to CSV": (["envelope", "ibm-3990-6", "--csv"], NUMPY),
    "validate ibm-3990-6": (["validate", "ibm-3990-6", "--csv"], NUMPY),
}


def timed(command: Sequence[str]) -> float:
    """Wall time of one process."""
    environment = {**os.environ, "PYTHONPATH": ROOT}
    start = time.perf_counter()
    subprocess.run(command, env=environment, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def processes(runs: int) -> None:
    print(f"{'process':<40} {'median ms':>10} {'yardstick ms':>13} {'ratio':>7}")
    for name, (arguments, yardstick) in PROCESSES.items():
        command = [sys.executable, "-m", "qnet", *arguments]
        timed(command), timed(yardstick)
        pairs = [(timed(command), timed(yardstick)) for _ in range(runs)]
        ratio = statistics.median(one / other for one, other in pairs)
        own, floor = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{name:<40} {own:>10.1f} {floor:>13.1f} {ratio:>7.2f}")


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


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    processes(count)
    calls(count)
    table(cases(), count)
    print(f"{'python -c import numpy':<45} {1e3 * statistics.median(timed(NUMPY) for _ in range(count)):>10.1f}")
