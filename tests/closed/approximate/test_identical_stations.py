"""Identical stations of an approximation are solved as one of them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from approximate_cases import METHODS, servers

from qnet.networks.closed import approximate_methods
from qnet.networks.closed.approximate import CORRECTIONS, solve
from qnet.networks.closed.newton_core import Core
from qnet.networks.closed.problem import closed_network

np: Any = importlib.import_module("numpy")

_ONE = [[0.02, 0.05], [0.04, 0.01]]
"""Of a station with two servers and of one with one: seconds by class."""
_COPIES = (1, 0, 1, 1, 0, 1)
"""Which of them each station is."""


@pytest.fixture
def stations(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many stations the core solutions have, in turn."""
    counted: list[int] = []
    solve_core = approximate_methods.solve_core

    def once(core: Core, *start: Any) -> Any:
        counted.append(core.demands.shape[1])
        return solve_core(core, *start)

    monkeypatch.setattr(approximate_methods, "solve_core", once)
    return counted


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_copies_are_one_station_of_a_core(method: str, correction: str, stations: list[int]) -> None:
    counts = np.array([[30, 20], [5, 0], [400, 3000]])
    rates = [servers(2) if kind == 0 else None for kind in _COPIES]
    loads = [0.3 if kind == 0 else 0.1 for kind in _COPIES]
    one_by_one = np.array([_ONE[kind] for kind in _COPIES])
    apart = one_by_one * (1 + 1e-14 * np.arange(len(_COPIES)))[:, None]
    found = [
        solve(
            closed_network(np.tile(demands, (3, 1, 1)), counts, [2.0, 3.0], None, rates),
            method, correction, open_load=loads,
        )
        for demands in (one_by_one, apart)
    ]  # fmt: skip
    assert set(stations[: len(stations) // 2]) == {2}
    assert stations[-1] == len(_COPIES)
    for name in ("throughput", "residence"):
        assert np.allclose(getattr(found[0], name), getattr(found[1], name), rtol=1e-9, atol=1e-13)


def test_stations_that_a_class_visits_otherwise_are_kept_apart(stations: list[int]) -> None:
    solve(closed_network([[0.02, 0.05], [0.02, 0.05], [0.02, 0.04]], [30, 20]), "bard-schweitzer")
    assert stations == [2]
