"""First come first served with times that differ or are not exponential: against laws and limits."""

from __future__ import annotations

import numpy as np
import pytest
from many import many

import qnet
from qnet.errors import NotComputed


def test_a_nearly_equal_network_has_nearly_the_exact_answer():
    demands = np.array([[0.2, 0.3], [0.1, 0.4]])
    visits = demands / [[0.1], [0.1]]
    asked = {"visits": visits, "disciplines": ["fcfs"] * 2, "population": [6, 9], "think_time": [3.0, 5.0]}
    exact = qnet.Network(demands, **asked).solve()
    found = qnet.Network(demands, **asked).solve("residual-service")
    assert exact.exact and not found.exact
    assert found.throughput == pytest.approx(exact.throughput, rel=2e-3)


def test_open_customers_of_a_single_station_wait_as_pollaczek_and_khinchine_say():
    """With hardly any closed load: W = sum of rate x second moment / 2 / (1 - utilization), for all classes."""
    rates, times, scv = (2.0, 0.5), (0.2, 0.6), (0.25, 3.0)
    found = qnet.Network(
        [[*times, 1e-9]], disciplines=["fcfs"], scv=[[*scv, 1.0]],
        arrival_rate=[*rates, None], population=[None, None, 1], think_time=[0, 0, 1.0],
    ).solve()  # fmt: skip
    moments = sum(rate * time**2 * (1 + c) for rate, time, c in zip(rates, times, scv, strict=True))
    idle = 1 - sum(rate * time for rate, time in zip(rates, times, strict=True))
    wait = moments / 2 / idle
    assert found.method == "residual-service"
    assert found.response[:2] == pytest.approx([time + wait for time in times], rel=1e-6)


@pytest.mark.long
@many("seed", range(30))
def test_laws_hold_in_networks_of_all_sizes(seed: int):
    draw = np.random.default_rng(seed)
    stations, classes = int(draw.integers(1, 5)), int(draw.integers(1, 4))
    demands = 10 ** draw.uniform(-1.5, 0.5, (stations, classes))
    population = np.round(10 ** draw.uniform(0, 3, classes))
    think = 10 ** draw.uniform(-1, 2, classes)
    found = qnet.Network(
        demands, visits=10 ** draw.uniform(-0.5, 0.5, (stations, classes)), disciplines=["fcfs"] * stations,
        servers=draw.choice([1, 3], stations).tolist(), scv=draw.choice([0.0, 0.5, 1.0, 4.0], (stations, classes)),
        population=population.tolist(), think_time=think.tolist(),
    ).solve("residual-service")  # fmt: skip
    assert found.throughput * (think + found.response) == pytest.approx(population)
    assert (found.residence >= demands * (1 - 1e-12)).all()
    assert (found.utilization.sum(-1) <= 1 + 1e-9).all()


def test_a_batch_is_each_of_its_points():
    asked = {"disciplines": ["fcfs", "ps"], "think_time": [4.0, 0.5], "scv": [[3.0, 0.5], [1.0, 1.0]]}
    demands = [[0.2, 0.7], [0.3, 0.1]]
    whole = qnet.Network(demands, population=[[0.0, 1.5, 40.0], 3], **asked).solve()
    for place, users in enumerate((0.0, 1.5, 40.0)):
        one = qnet.Network(demands, population=[users, 3], **asked).solve()
        assert whole.residence[place] == pytest.approx(one.residence, rel=1e-8)


def test_there_are_no_bounds_and_no_state_probabilities():
    network = qnet.Network([[0.2, 0.7]], disciplines=["fcfs"], population=[2, 1], think_time=[1.0, 4.0])
    assert network.solve().bounds is None
    with pytest.raises(NotComputed, match="gives no state probabilities"):
        network.solve("residual-service", state_probabilities=True)


def test_open_classes_alone_have_no_use_for_it():
    with pytest.raises(NotComputed, match="there are no closed classes"):
        qnet.Network([[0.1]], arrival_rate=[1.0]).solve("residual-service")
