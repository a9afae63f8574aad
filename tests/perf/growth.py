"""How time grows with rows, points, stations, classes and customers: exponents, fitted and announced.

What `qnet methods` announces as the cost of a method ("classes^2 x stations") has an exponent for each of its words;
what it does not name has exponent 0.
"""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


class Axis(NamedTuple):
    """One quantity that grows, while the others stay."""

    method: str
    word: str
    """As the cost names it."""
    sizes: tuple[int, ...]
    make: Callable[[int], Callable[[], object]]
    """The call for a size."""


def announced(cost: str, word: str) -> float:
    """The exponent of a word in a cost: 2 of `classes` in "classes^2 x stations"; 0 where it is not named."""
    total = 0.0
    for factor in re.split(r" x |; |, ", cost):
        match = re.search(rf"(?<![\w-]){re.escape(word)}(?:\^(\d+))?(?!\w)", factor)
        if match:
            total += float(match[1] or 1)
    return total


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of a straight line through the points on logarithmic axes, by least squares."""
    across, up = [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    middle, level = sum(across) / len(across), sum(up) / len(up)
    over = sum((one - middle) ** 2 for one in across)
    return sum((one - middle) * (two - level) for one, two in zip(across, up, strict=True)) / over


def timed(action: Callable[[], object], least: float = 0.05) -> float:
    """Processor seconds of a call, the smallest of several that take `least` together."""
    best, spent = math.inf, 0.0
    while spent < least:
        start = time.process_time()
        action()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took + 1e-6
    return best


def _closed(method: str, stations: int, classes: int, each: int) -> Callable[[], object]:
    import qnet

    demands = [[0.001 * (1 + (7 * k + 3 * r) % 97 + 0.01 * k) for r in range(classes)] for k in range(stations)]
    network = qnet.Network(
        demands, population=[each] * classes, think_time=[1.0 + r for r in range(classes)], disciplines="ps"
    )
    return lambda: network.solve(method)


def _open(stations: int, classes: int) -> Callable[[], object]:
    import qnet

    demands = [[0.5 / classes / (1 + k % 7) for _ in range(classes)] for k in range(stations)]
    network = qnet.Network(demands, arrival_rate=[1.0] * classes, disciplines="ps")
    return network.solve


def _points(count: int) -> Callable[[], object]:
    import qnet

    system: Any = qnet.load("ibm-3990-6")
    return lambda: system.sweep(f"rate=log(1/s, 600/s, {count})", metric="response")


def _rows(count: int) -> Callable[[], object]:
    import qnet

    system: Any = qnet.load("ibm-3990-6")
    columns = {"rate_per_s": [1.0 + 600.0 * k / count for k in range(count)]}
    return lambda: system.map(columns, metric="response")


AXES = [
    Axis("mva", "population", (1000, 4000, 16_000, 64_000), lambda n: _closed("mva", 20, 1, n)),
    Axis("mva", "stations", (25, 100, 400, 1600), lambda n: _closed("mva", n, 1, 1000)),
    Axis("convolution", "population", (1000, 4000, 16_000, 64_000), lambda n: _closed("convolution", 20, 1, n)),
    Axis("lattice-mva", "stations", (8, 32, 128, 512), lambda n: _closed("lattice-mva", n, 3, 8)),
    Axis("bard-schweitzer", "stations", (200, 400, 800, 1600), lambda n: _closed("bard-schweitzer", n, 20, 50)),
    Axis("bard-schweitzer", "classes", (50, 100, 200, 400), lambda n: _closed("bard-schweitzer", 50, n, 50)),
    Axis("linearizer", "stations", (50, 100, 200, 400), lambda n: _closed("linearizer", n, 20, 50)),
    Axis("linearizer", "classes", (20, 40, 80), lambda n: _closed("linearizer", 30, n, 50)),
    Axis("open", "stations", (100, 400, 1600), lambda n: _open(n, 4)),
    Axis("open", "classes", (50, 200, 800), lambda n: _open(20, n)),
]
LINES = {
    "points of a sweep of ibm-3990-6": ((1000, 4000, 16_000), _points),
    "rows of map ibm-3990-6": ((1000, 4000, 16_000), _rows),
}
"""What is to grow no faster than in proportion."""


def growth() -> None:
    """Print a fitted exponent for every axis, beside the one that the method announces."""
    from qnet.networks.solvers.loader import known

    print(
        f"\n{'method':<34} {'grows with':<12} {'from':>7} {'to':>7} {'ms at most':>11} {'fitted':>7} {'announced':>10}"
    )
    for method, word, sizes, make in AXES:
        took = [timed(make(size)) for size in sizes]
        fitted, told = exponent(sizes, took), announced(known(method).COST, word)
        ends = f"{sizes[0]:>7} {sizes[-1]:>7} {1e3 * took[-1]:>11.1f}"
        print(f"{method:<34} {word:<12} {ends} {fitted:>7.2f} {told:>10.0f}")
    for name, (sizes, make) in LINES.items():
        took = [timed(make(size)) for size in sizes]
        ends = f"{sizes[0]:>7} {sizes[-1]:>7} {1e3 * took[-1]:>11.1f}"
        print(f"{name:<34} {'number':<12} {ends} {exponent(sizes, took):>7.2f} {1:>10}")
