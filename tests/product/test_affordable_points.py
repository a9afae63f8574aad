"""Which points of a batch have an exact answer within a budget, found from few of them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from many import many

from qnet.networks.closed import exact
from qnet.networks.closed.problem import ClosedNetwork, closed_network
from qnet.networks.product import solve
from qnet.networks.wanted import AUTO

np: Any = importlib.import_module("numpy")
_fitting: Any = getattr(solve, "_fitting")  # noqa: B009
_fits: Any = getattr(solve, "_fits")  # noqa: B009


def _batch(population: Any) -> ClosedNetwork:
    size = len(population)
    demands = np.tile([[0.02, 0.05], [0.04, 0.01], [0.03, 0.03]], (size, 1, 1))
    rates = [(1.0, 2.0, 3.0), None, None]
    return closed_network(demands, population, [1.0, 2.0], None, rates)


@many("seed", range(6))
def test_points_fit_that_would_fit_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch = _batch(np.floor(10 ** rng.uniform(-0.5, 4, (40, 2))))
    wanted = AUTO.replace(operations=10 ** rng.uniform(3, 8), memory=10 ** rng.uniform(5, 9))
    alone = [_fits(exact.choices(batch.point(index), False), wanted) for index in range(40)]
    assert _fitting(batch, wanted, False).tolist() == alone
    assert 0 < sum(alone) < 40


def test_one_population_that_fits_tells_of_those_below(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    choices = exact.choices

    def counted(network: ClosedNetwork, marginals: bool, further: frozenset[str]) -> Any:
        asked.append(1)
        return choices(network, marginals, further)

    monkeypatch.setattr(exact, "choices", counted)
    grows = np.arange(1000.0)
    batch = _batch(np.concatenate([np.stack([grows, grows], 1), np.stack([grows, 5 + 0 * grows], 1)]))
    fits = _fitting(batch, AUTO.replace(operations=1e6), False)
    assert 0 < fits.sum() < len(fits)
    assert len(asked) <= 24
