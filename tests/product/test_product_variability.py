"""First come first served with times that differ or are not exponential: against Markov chains, laws and limits."""

from __future__ import annotations

from typing import Any

import numpy as np  # noqa: TID253
import pytest
from product_phases import Small, exact_figures, random_small

import qnet
from qnet.errors import NotComputed


def network(small: Small, discipline: str = "fcfs") -> qnet.Network:
    return qnet.Network(
        small.demands,
        visits=small.visits,
        disciplines=[discipline] * 2,
        servers=small.servers,
        population=small.population,
        think_time=small.think,
        scv=small.scv,
    )


def table(seeds: range, variable: bool, servers: int) -> tuple[Any, Any]:
    """Median, ninth decile and worst error, in per cent, of throughputs as corrected and as of processor sharing."""
    systems = [random_small(seed, variable, servers) for seed in seeds]
    exact = np.array([exact_figures(small)[0] for small in systems])
    quantiles: list[Any] = []
    for discipline in ("fcfs", "ps"):
        found = qnet.Network(
            np.array([small.demands for small in systems]),
            visits=np.array([small.visits for small in systems]),
            disciplines=[discipline] * 2,
            servers=[servers, 1],
            population=np.array([small.population for small in systems]).T,
            think_time=np.array([small.think for small in systems]).T,
            scv=np.array([small.scv for small in systems]),
        ).solve()
        assert found.exact == (discipline == "ps") and (found.method == "residual-service") != found.exact
        errors = 100 * np.abs(found.throughput / exact - 1).max(-1)
        quantiles.append(np.quantile(errors, [0.5, 0.9, 1.0]))
    ours, theirs = quantiles
    print(f"{len(systems)} systems, {servers} servers, phases: {variable}: corrected {ours}, like sharing {theirs}")
    return ours, theirs


@pytest.mark.parametrize(
    "variable, servers, count, limits",
    [(False, 1, 300, (3.5, 12, 40)), (True, 1, 200, (4.5, 14, 40)), (False, 2, 200, (8, 18, 50))],
)
def test_errors_are_small_and_much_smaller_than_those_of_processor_sharing(
    variable: bool, servers: int, count: int, limits: tuple[float, float, float]
):
    """Throughput of two to four customers in two classes, seeds that nothing was fitted on."""
    ours, theirs = table(range(5000, 5000 + count), variable, servers)
    assert (ours < limits).all()
    assert (ours < (0.9, 0.6, 0.6) * theirs).all()


def test_the_chain_is_that_of_product_form_where_times_are_equal_and_exponential():
    small = random_small(1, variable=False)._replace(times=[[0.4, 0.4], [0.7, 0.7]])
    exact, residence = exact_figures(small)
    found = network(small).solve()
    assert found.exact
    assert found.throughput == pytest.approx(exact)
    assert found.residence == pytest.approx(residence)


def test_one_customer_waits_for_nobody():
    small = random_small(2)._replace(population=[1, 0])
    found = network(small).solve("residual-service")
    assert found.throughput[0] == pytest.approx(1 / (small.think[0] + small.demands[:, 0].sum()))


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


@pytest.mark.parametrize("seed", range(30))
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
    small = random_small(4)
    assert network(small).solve().bounds is None
    with pytest.raises(NotComputed, match="gives no state probabilities"):
        network(small).solve("residual-service", state_probabilities=True)


def test_open_classes_alone_have_no_use_for_it():
    with pytest.raises(NotComputed, match="there are no closed classes"):
        qnet.Network([[0.1]], arrival_rate=[1.0]).solve("residual-service")
