"""Random closed networks first come first served, and their exact throughputs, which take a minute and are kept.

`python tests/errors/closed_systems.py` writes the file again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from closed_phases import Small, exact_figures

EXACT = Path(__file__).with_name("closed_exact.json")
SYSTEMS = 200


def small(draw: np.random.Generator, factor: float, kinds: Sequence[float], servers: int = 1) -> Small:
    """Two to four customers in two classes, whose mean times at a station differ by a factor of up to so much."""
    population = [[1, 1], [1, 2], [2, 1], [2, 2], [1, 3], [3, 1]][draw.integers(6)]
    one = 10 ** draw.uniform(-0.5, 0.5, (2, 1))
    ratio = factor ** draw.uniform(-1.0, 1.0, (2, 1))
    return Small(
        times=np.hstack([one, one * ratio]).tolist(),
        scv=draw.choice(kinds, (2, 2)).tolist(),
        servers=[servers, 1],
        think=(10 ** draw.uniform(-1, 0.7, 2)).tolist(),
        population=population,
        first=draw.uniform(0.1, 1.0, 2).tolist(),
        onward=draw.uniform(0.0, 0.8, (2, 2)).tolist(),
    )


_VARIABLE = (0.5, 1.0, 2.0, 4.0)
REGIONS: dict[str, tuple[float, Sequence[float], int]] = {
    "first come first served: equal times": (1.0, _VARIABLE, 1),
    "first come first served: exponential times": (3.0, (1.0,), 1),
    "first come first served": (3.0, _VARIABLE, 1),
    "first come first served: several servers": (3.0, _VARIABLE, 2),
    "first come first served: times far apart": (10.0, _VARIABLE, 1),
}
"""By name of the row in the table of errors: the largest factor between mean times, scvs, servers of a station."""


def systems(name: str, seed: int = 638) -> list[Small]:
    """The systems of a row."""
    draw = np.random.default_rng([seed, list(REGIONS).index(name)])
    return [small(draw, *REGIONS[name]) for _ in range(SYSTEMS)]


def exact(cases: Sequence[Small]) -> Any:
    """(S, R) throughputs."""
    return np.array([exact_figures(item)[0] for item in cases])


if __name__ == "__main__":
    told = {name: [[float(f"{value:.9g}") for value in row] for row in exact(systems(name))] for name in REGIONS}
    EXACT.write_text(json.dumps(told, indent=0) + "\n")
