"""Results printed in textbooks and reports, to the last printed digit.

Read where the tests of the Octave package `queueing` (mmarzolla/queueing, inst/qn*.m) quote them with their page:
Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984; Bolch, Greiner, de Meer, Trivedi, Queueing
Networks and Markov Chains, 1998; Jain, The Art of Computer Systems Performance Analysis, 1991; Schwetman, Implementing
the Mean Value Algorithm, CSD-TR-355, Purdue, 1982.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

import qnet

np: Any = importlib.import_module("numpy")

Table = Sequence[Sequence[float | None]]


class Example(NamedTuple):
    """A printed example: times per visit and visits by class and station; None where nothing is printed."""

    place: str
    service: list[list[float]]
    visits: list[list[float]]
    arguments: dict[str, Any]
    digit: float
    """Half a unit of the last printed digit; a unit where the book went on with rounded numbers."""
    utilization: Table = ()
    """By class and station, like the others."""
    queue_length: Table = ()
    response_per_visit: Table = ()
    throughput: Table = ()
    """At the stations, visits counted."""
    passages: Sequence[float | None] = ()
    """By class."""


EXAMPLES = [
    Example(
        "Lazowska p. 113",
        [[0.005, 0.03, 0.027]],
        [[121, 70, 50]],
        {"arrival_rate": [0.3]},
        0.5e-3,
        utilization=[[0.182, None, None]],
        queue_length=[[0.222, None, None]],
        throughput=[[36.3, None, None]],
    ),
    Example(
        "Lazowska p. 138",
        [[1 / 10, 1 / 3], [2 / 5, 1]],
        [[10, 9], [5, 4]],
        {"arrival_rate": [3 / 19, 2 / 19]},
        1e-12,
        utilization=[[3 / 19, 9 / 19], [4 / 19, 8 / 19]],
        response_per_visit=[[19 / 120, 19 / 6], [None, None]],
        queue_length=[[1 / 4, None], [None, None]],
    ),
    Example(
        "Lazowska p. 142",
        [[1 / 10, 1 / 3], [2 / 5, 1]],
        [[10, 9], [5, 4]],
        {"population": [1, 1]},
        1e-12,
        queue_length=[[4 / 19, 15 / 19], [5 / 19, 14 / 19]],
        response_per_visit=[[4 / 30, 5 / 9], [5 / 10, 7 / 4]],
        passages=[3 / 19, 2 / 19],
    ),
    Example(
        "Lazowska p. 148",
        [[1 / 4, 1 / 6], [1 / 2, 1], [1 / 2, 1], [1, 4 / 3]],
        [[1, 1]] * 4,
        {"arrival_rate": [1, 1 / 2, None, None], "population": [None, None, 1, 1]},
        1e-12,
        queue_length=[[None, None], [None, None], [4 / 19, 15 / 19], [5 / 19, 14 / 19]],
    ),
    Example(
        "Jain example 34.1, p. 572",
        [[0.01, 0.02, 0.03]],
        [[16, 7, 8]],
        {"arrival_rate": [3]},
        0.5e-4,
        utilization=[[0.48, 0.42, 0.72]],
        response_per_visit=[[0.0192, 0.0345, None]],
    ),
    Example(
        "Jain example 34.2, p. 577",
        [[0.125, 0.3, 0.2]],
        [[16, 10, 5]],
        {"population": [20], "think_time": [4]},
        0.5e-3,
        response_per_visit=[[0.373, 4.854, 0.300]],
        queue_length=[[1.991, 16.177, 0.500]],
    ),
    Example(
        "Bolch example 7.4, p. 287",
        [[0.04, 0.03, 0.06, 0.05]],
        [[5, 2.5, 2.5, 1]],
        {"arrival_rate": [4]},
        0.5e-3,
        throughput=[[20, 10, 10, 4]],
        utilization=[[0.8, 0.3, 0.6, 0.2]],
        response_per_visit=[[0.2, 0.043, 0.15, 0.0625]],
        queue_length=[[4, 0.429, 1.5, 0.25]],
    ),
    Example(
        "Bolch example 8.1, p. 318",
        [[1 / 0.8, 1 / 0.6, 1 / 0.4]],
        [[1, 0.667, 0.2]],
        {"population": [3], "servers": [2, 3, 1]},
        1e-3,
        throughput=[[0.945, 0.630, 0.189]],
        utilization=[[0.590, 0.350, 0.473]],
        queue_length=[[1.290, 1.050, 0.660]],
        response_per_visit=[[1.366, 1.667, 3.496]],
    ),
    Example(
        "Bolch example 8.3, p. 331",
        [[0.02, 0.2, 0.4, 0.6]],
        [[1, 0.4, 0.2, 0.1]],
        {"population": [6]},
        0.5e-3,
        throughput=[[9.920, 3.968, 1.984, 0.992]],
        utilization=[[0.198, 0.794, 0.794, 0.595]],
        queue_length=[[0.244, 2.261, 2.261, 1.234]],
        response_per_visit=[[0.025, 0.570, 1.140, 1.244]],
    ),
    Example(
        "Bolch example 8.4, p. 333",
        [[0.5, 0.6, 0.8, 1]],
        [[1, 0.5, 0.5, 1]],
        {"population": [3], "servers": [2, 1, 1, 1], "kinds": ["queue", "queue", "queue", "delay"]},
        1e-3,
        throughput=[[1.218, 0.609, 0.609, 1.218]],
        queue_length=[[0.624, 0.473, 0.686, 1.217]],
    ),
    Example(
        "Bolch example 8.7, p. 349",
        [[1 / 2, 1 / 1.667, 1 / 1.25, 1]],
        [[1, 0.5, 0.5, 1]],
        {"population": [3], "rates": [[1, 2, 2], [1, 1, 1], [1, 1, 1], [1, 2, 3]]},
        1e-3,
        queue_length=[[0.624, 0.473, 0.686, 1.217]],
        response_per_visit=[[0.512, 0.776, 1.127, 1]],
    ),
    Example(
        "Bolch p. 337, two classes",
        [[0.2, 0.4, 1], [0.2, 0.6, 2]],
        [[1, 0.6, 0.4], [1, 0.3, 0.7]],
        {"population": [2, 1], "servers": [2, 1, 1], "kinds": ["queue", "queue", "delay"]},
        0.5e-3,
        queue_length=[[0.428, 0.726, 0.845], [0.108, 0.158, 0.734]],
        passages=[2.113, 0.524],
    ),
    Example(
        "Bolch example 8.6, p. 345",
        [[0.4, 0.6], [0.8, 1.6], [0.3, 0.5], [0.5, 0.8]],
        [[2, 1], [2.5, 1.5], [1, 0.5], [1, 0.4]],
        {"arrival_rate": [0.5, 0.25, None, None], "population": [None, None, 1, 1]},
        1e-3,
        utilization=[[0.4, 0.3], [0.5, 0.6], [None, None], [None, None]],
        response_per_visit=[[8.822, 10.766], [17.645, 28.710], [4.829, 6.951], [7.727, 11.636]],
        queue_length=[[8.822, 5.383], [11.028, 10.766], [0.582, 0.418], [0.624, 0.376]],
        passages=[None, None, 0.120, 0.081],
    ),
    Example(
        "Schwetman table 3, p. 22",
        [[1, 0, 0.025], [0, 15, 0.5]],
        [[1, 0, 1], [0, 1, 1]],
        {"population": [2, 1], "kinds": ["delay", "delay", "queue"]},
        1e-3,
        response_per_visit=[[1, None, 0.027], [None, 15, 0.525]],
        passages=[1.949, 0.064],
    ),
    Example(
        "Schwetman table 5, p. 23",
        [[1, 0, 0.025], [0, 15, 0.5]],
        [[1, 0, 1], [0, 1, 1]],
        {"population": [15, 5], "kinds": ["delay", "delay", "queue"]},
        0.5e-3,
        utilization=[[None, None, 0.358], [None, None, 0.157]],
        queue_length=[[None, None, 0.677], [None, 4.707, 0.293]],
        response_per_visit=[[1, None, 0.047], [None, 15, 0.934]],
        passages=[None, 0.314],
    ),
    Example(
        "Schwetman figure 10, p. 26",
        [[0.25, 0], [0.25, 0.10]],
        [[1, 0], [1, 1]],
        {"arrival_rate": [1, None], "population": [None, 3]},
        0.5e-3,
        utilization=[[0.25, None], [None, None]],
        response_per_visit=[[1.201, None], [0.885, 0.135]],
    ),
]


def by_station(table: Table) -> Any:
    """A printed table, station by class, with NaN for what is not printed."""
    return np.array(table, float).T


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.place for example in EXAMPLES])
def test_printed_example(example: Example):
    visits = by_station(example.visits)
    found = qnet.Network(by_station(example.service) * visits, visits, disciplines="ps", **example.arguments).solve()
    figures = {
        "utilization": (found.utilization, example.utilization),
        "queue length": (found.queue_length, example.queue_length),
        "response per visit": (found.response_per_visit, example.response_per_visit),
        "throughput": (found.throughput * visits, example.throughput),
        "passages": (found.throughput, example.passages),
    }
    for name, (figure, table) in figures.items():
        printed = by_station(table) if table and name != "passages" else np.array(table, float)
        if table:
            known = ~np.isnan(printed)
            np.testing.assert_allclose(
                figure[known], printed[known], rtol=0, atol=example.digit * (1 + 1e-9), err_msg=name
            )
