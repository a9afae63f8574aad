"""Distributions of the stations that later classes visit, beside those of all stations."""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest
from many import many

import qnet
from qnet.networks.closed import station_marginals, station_states
from qnet.networks.closed.problem import ClosedNetwork, closed_network
from qnet.networks.closed.reduction import reduced

np: Any = importlib.import_module("numpy")


def sparse(seed: int, thinking: bool) -> ClosedNetwork:
    """Classes that visit one or two of some stations each, and the first of them."""
    rng = random.Random(seed)
    stations, classes = rng.randint(2, 4), rng.randint(2, 5)
    demands = [[0.0] * classes for _ in range(stations)]
    for index in range(classes):
        for station in {rng.choice([0, rng.randrange(stations)]), rng.randrange(stations)}:
            demands[station][index] = rng.uniform(0.1, 2.0)
    think = [rng.uniform(0.0, 5.0) if thinking or rng.random() < 0.3 else 0.0 for _ in range(classes)]
    rates = [tuple(1.0 + server for server in range(rng.randint(1, 3))) for _ in range(stations)]
    return closed_network(demands, [rng.randint(1, 4) for _ in range(classes)], think, rates=rates)


@pytest.mark.parametrize("thinking", [True, False])
@many("seed", range(25))
def test_all_figures_are_those_of_the_distributions_of_all_stations(seed: int, thinking: bool) -> None:
    network = sparse(seed, thinking)
    core = reduced(network)
    wanted = station_states._Customers(core, False).solve(network)
    tables = [np.array(row) for row in station_states._tables(core)[: len(core.groups)]]
    throughput, residence, constant = station_marginals.Marginals(core).solve(float, tables)
    found = station_states.expanded(
        network, core, throughput, station_states._singly(core, residence), constant, station_states.NAME, None
    )
    for name in ("throughput", "residence", "log_constant"):
        values = (np.asarray(getattr(figures, name)) for figures in (found, wanted))
        np.testing.assert_allclose(*values, rtol=1e-11, atol=1e-12)


def test_tenants_that_visit_two_stations_each_have_few_states(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    with_more = station_marginals._Numbers.with_more

    def counted(self: station_marginals._Numbers, index: int, count: int) -> station_marginals._Numbers:
        result = with_more(self, index, count)
        sizes.append(count * result.shares.size)
        return result

    monkeypatch.setattr(station_marginals._Numbers, "with_more", counted)
    monkeypatch.setattr(station_states, "_Customers", lambda *_: pytest.fail("all stations are distinguished"))
    (row,) = (row for row in qnet.load("examples/many-tenants.toml").solve().records() if row["scope"] == "system")
    assert row["throughput_per_s"] > 0
    # All stations have 1.9 million states, of which 96 distributions would be computed.
    assert sum(sizes) < 500_000
