"""How long things take, as a table: `python tests/perf/run.py`. Not collected by pytest; read ratios, not milliseconds.

Whole processes are run in turn with a yardstick (A B A B ...), and the median of the pairwise ratios is told. What must
hold is guarded by tests on loaded modules in tests/cli/test_startup.py.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

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
    from qnet.questions.envelope import envelope
    from qnet.questions.envelope_question import question
    from qnet.questions.points import solve_points

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


def networks() -> dict[str, tuple[float, Callable[[], object]]]:
    """What is timed, with its target in milliseconds."""
    import qnet

    def network(stations: int, classes: int, count: int, **more: Any) -> qnet.Network:
        think = [10.0] if classes == 1 else [1.0 + r for r in range(classes)]
        return qnet.Network(demands(stations, classes), population=[count] * classes, think_time=think, **more)

    distinct = qnet.Network([[0.001 * (1 + k)] for k in range(100)], population=[10_000], think_time=[10.0])
    large, many = network(50, 20, 200), network(4, 8, 10)
    variants = [[[0.01 * (1 + 7 * k % 11) * (1 + b / 1000)] for k in range(10)] for b in range(1000)]
    batch = qnet.Network(variants, population=[200], think_time=[10.0])
    return {
        "exact, K=100, N=10,000": (20, network(100, 1, 10_000).solve),
        "the same, 100 distinct demands": (100, distinct.solve),
        "exact, K=10, R=4, N=15 each": (100, network(10, 4, 15).solve),
        "Bard-Schweitzer, K=50, R=20, N=200 each": (20, lambda: large.solve("bard-schweitzer")),
        "Linearizer on the same": (300, lambda: large.solve("linearizer")),
        "exact, K=5, one of 16 servers, N=1000": (5, network(5, 1, 1000, servers=[16, 1, 1, 1, 1]).solve),
        "exact, 1000 variants of K=10, N=200": (20, batch.solve),
        "exact, K=4, R=8, N=10 each": (10_000, many.solve),
    }


def octave() -> None:
    """The exact single-class case by the `queueing` package of Octave, where it is installed."""
    if shutil.which("octave-cli") is None:
        print("Octave is not installed here")
        return
    program = (
        "pkg load queueing; D = 0.001 * (1:100); tic; qncsmva(10000, D, ones(1, 100), ones(1, 100), 10); "
        "printf('%.1f', 1000 * toc);"
    )
    done = subprocess.run(["octave-cli", "--eval", program], capture_output=True, text=True, check=False)
    print(f"{'Octave queueing, 100 distinct demands':<45} {done.stdout or 'no queueing package':>10}")


def solvers(runs: int) -> None:
    print(f"\n{'network':<45} {'median ms':>10} {'target ms':>10}")
    for name, (target, action) in networks().items():
        print(f"{name:<45} {median_of(action, runs if target < 1000 else 1):>10.1f} {target:>10.0f}")
    print(f"{'python -c import numpy':<45} {1e3 * statistics.median(timed(NUMPY) for _ in range(runs)):>10.1f}")
    octave()
    if shutil.which("matlab") is None:
        print("LINE is not installed here: it needs MATLAB")


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    processes(count)
    calls(count)
    solvers(count)
