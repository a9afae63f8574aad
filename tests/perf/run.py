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

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)

FLOOR = [sys.executable, "-c", "import click, tomllib, json"]
NUMPY = [sys.executable, "-c", "import numpy"]
SMALL = ["solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--arrival-rate", "3/s", "--csv"]
PROCESSES: dict[str, tuple[list[str], list[str]]] = {
    "qnet --version": (["--version"], [sys.executable, "-c", "pass"]),
    "qnet --help": (["--help"], FLOOR),
    "small open model to CSV": (SMALL, FLOOR),
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
    print(f"{'process':<30} {'median ms':>10} {'yardstick ms':>13} {'ratio':>7}")
    for name, (arguments, yardstick) in PROCESSES.items():
        command = [sys.executable, "-m", "qnet", *arguments]
        timed(command), timed(yardstick)
        pairs = [(timed(command), timed(yardstick)) for _ in range(runs)]
        ratio = statistics.median(one / other for one, other in pairs)
        own, floor = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{name:<30} {own:>10.1f} {floor:>13.1f} {ratio:>7.2f}")


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
    from qnet.networks.closed.approximate import METHODS, solve
    from qnet.networks.closed.problem import closed_network
    from qnet.questions.envelope import envelope, question
    from qnet.questions.points import solve_points

    model = load("ibm-3990-6")
    stated = model.envelopes["ten_ms"]
    fine = question(model, stated, over=["write_fraction = 0:0.5:0.0005"])
    print(f"\n{'call':<45} {'median ms':>10}")
    print(f"{'load ibm-3990-6':<45} {median_of(lambda: load('ibm-3990-6'), runs):>10.1f}")
    print(f"{'one point':<45} {median_of(lambda: solve_points(model), runs):>10.1f}")
    print(f"{'envelope of 6 points':<45} {median_of(lambda: envelope(question(model, stated)), runs):>10.1f}")
    print(f"{'envelope of 1001 points':<45} {median_of(lambda: envelope(fine), max(1, runs // 5)):>10.1f}")
    demands = [[0.01 * (1 + (7 * station + 3 * kind) % 11) for kind in range(20)] for station in range(50)]
    closed = closed_network(demands, [200] * 20, [1.0 + kind for kind in range(20)])
    for name in METHODS:
        title = f"{name}, 50 stations, 20 classes of 200"
        print(f"{title:<45} {median_of(lambda name=name: solve(closed, name), runs):>10.1f}")


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    processes(count)
    calls(count)
