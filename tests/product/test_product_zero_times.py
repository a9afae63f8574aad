"""A class of no service time at a station first come first served: it waits there if it visits it, else it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import qnet

BOTH = [[1, 1], [1, 1]]
NOT_THERE = [[1, 0], [1, 1]]
FILE = """qnet = 1
title = "no service time"
[stations]
cpu = {}
disk = { discipline = "ps" }
[classes.a]
population = 5
think_time = "1 s"
steps = [ { station = "cpu", time = "0.5 s" }, { station = "disk", time = "0.1 s" } ]
[classes.b]
population = 1
think_time = "1 s"
steps = [ { station = "cpu", time = "0 s" }, { station = "disk", time = "0.1 s" } ]
"""


def solved(time: float, visits: Any = None, discipline: str = "fcfs", **more: Any) -> Any:
    """Class 0 is served 0.5 s at the first station; class 1 for `time`."""
    asked: dict[str, Any] = {"population": [5, 1], "think_time": [1.0, 1.0], **more}
    return qnet.Network([[0.5, time], [0.1, 0.1]], visits, disciplines=[discipline, "ps"], **asked).solve()


def test_who_does_not_come_does_not_wait_and_the_answer_is_exact():
    """There is product form: the order of arrival at the first station is that of one class."""
    answer = solved(0.0, NOT_THERE)
    assert answer.exact and answer.residence[0, 1] == 0
    shared = solved(0.0, NOT_THERE, "ps")
    np.testing.assert_allclose(answer.throughput, shared.throughput, rtol=1e-12)


def test_who_comes_for_no_time_waits_as_one_who_comes_for_next_to_none():
    none, little = solved(0.0, BOTH), solved(1e-12, BOTH)
    assert (none.exact, none.method) == (little.exact, little.method) == (False, "residual-service")
    np.testing.assert_allclose(none.throughput, little.throughput, rtol=1e-6)
    np.testing.assert_allclose(none.residence, little.residence, rtol=1e-6)
    assert none.residence[0, 1] > 0.5


def test_the_figure_is_that_of_the_markov_chain(tmp_path):
    (tmp_path / "m.toml").write_text(FILE)
    system = qnet.load(str(tmp_path / "m.toml"))
    report = system.solve(method="states")
    (exact,) = [row["throughput_per_s"] for row in report.records() if (row["scope"], row["name"]) == ("class", "b")]
    assert solved(0.0, BOTH).throughput[1] == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize("time", [0.0, 1e-12])
def test_the_doubt_about_the_order_of_arrival_does_not_depend_on_whether_the_time_is_none(time: float):
    crowd = {"population": [30, 20]}
    assert [text[-7:] for text in solved(time, BOTH, **crowd).warnings] == ["[QN638]"]


def test_without_visits_it_is_taken_not_to_come_and_that_is_said():
    answer = solved(0.0)
    np.testing.assert_array_equal(answer.throughput, solved(0.0, NOT_THERE).throughput)
    (text,) = answer.warnings
    assert text.startswith("class 1 has no demand at station 0, first come first served, and visits are not stated")
    assert text.endswith("[QN739]")


@pytest.mark.parametrize(
    "answer",
    [
        lambda: solved(0.0, NOT_THERE),
        lambda: solved(0.0, discipline="ps"),
        lambda: solved(0.0, discipline="lcfs-pr"),
        lambda: solved(0.5),
        lambda: solved(0.0, population=[5, 0]),
        lambda: solved(0.0, kinds=["delay", "queue"]),
    ],
    ids=["visits", "shared", "last come first served", "demand", "no customers", "delay"],
)
def test_where_nothing_is_open_nothing_is_said(answer):
    assert not [text for text in answer().warnings if "QN739" in text]


def test_a_batch_says_so_where_no_variant_has_a_demand():
    demands = np.array([[[0.5, 0.0], [0.1, 0.1]], [[0.4, 0.0], [0.1, 0.1]]])
    network = qnet.Network(demands, disciplines=["fcfs", "ps"], population=[5, 1], think_time=[1.0, 1.0])
    assert [text[-7:] for text in network.solve().warnings] == ["[QN739]"]


def test_a_batch_with_a_delay_is_its_points():
    """What a class that asks nothing is given is next to nothing of a queue, and nothing of a delay."""
    points = [[[0.5, 0.0], [0.1, 0.2], [0.2, 0.1]], [[0.4, 0.0], [0.1, 0.3], [0.1, 0.3]]]
    asked: dict[str, Any] = {"kinds": ["queue", "delay", "queue"], "disciplines": ["fcfs", "ps", "fcfs"]}
    asked |= {"population": [5, 3], "think_time": [1.0, 1.0], "visits": [[1, 1]] * 3}
    batch = qnet.Network(np.array(points), **asked).solve()
    for index, demands in enumerate(points):
        alone = qnet.Network(demands, **asked).solve()
        np.testing.assert_allclose(batch.throughput[index], alone.throughput, rtol=1e-9)
