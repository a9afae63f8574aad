"""How many customers an open station holds, in every form; which closed variants share a recursion, and which fit."""

import importlib
from itertools import product
from math import prod
from typing import Any

import pytest

from qnet.networks.closed import exact, lattice_convolution, lattice_mva, weights
from qnet.networks.closed.problem import closed_network
from qnet.networks.product import solve
from qnet.networks.wanted import AUTO

np: Any = importlib.import_module("numpy")

RATES = [(1.0,), (1.0, 2.0, 3.0), (2.0, 1.0, 1.5), (0.5, 4.0)]
LOADS = (1e-9, 0.2, 0.45)


def shares(load: float, rates: tuple[float, ...], most: int = 400) -> list[float]:
    """The probabilities of 0, 1, ... customers, by the definition."""
    steps = [load / rates[min(number, len(rates) - 1)] for number in range(most)]
    values = [prod(steps[:number]) for number in range(most)]
    return [value / sum(values) for value in values]


@pytest.mark.parametrize("rates", RATES)
def test_an_open_station_holds_what_its_rates_say(rates: tuple[float, ...]) -> None:
    moments: Any = getattr(lattice_convolution, "_moments")  # noqa: B009
    heads, ratios, logs = weights.batch_station(np.array(LOADS), np.array(rates))
    means = weights.batch_mean(np.array(LOADS), np.array(rates))
    for index, load in enumerate(LOADS):
        right = shares(load, rates)
        head, ratio, scale = weights.station(load, rates)
        assert head == pytest.approx(right[: len(rates)], rel=1e-12) and ratio == load / rates[-1]
        assert heads[index] == pytest.approx(head, rel=1e-12)
        assert (ratios[index], logs[index]) == pytest.approx((ratio, scale), rel=1e-9, abs=1e-15)
        mean = sum(number * share for number, share in enumerate(right))
        assert weights.station_mean(load, rates) == pytest.approx(mean, rel=1e-12)
        assert means[index] == pytest.approx(mean, rel=1e-12)
        variance = sum(number**2 * share for number, share in enumerate(right)) - mean**2
        assert moments(load, rates) == pytest.approx((mean, variance, scale), rel=1e-9, abs=1e-15)


def recursions(populations: Any) -> int:
    together: Any = getattr(lattice_mva, "_together")  # noqa: B009
    counts = np.array(populations)
    demands, think = np.ones((len(counts), 1, 2)), np.ones(counts.shape)
    return sum(len(variants) for _, variants, _, _ in together(demands, think, counts))


def test_populations_on_the_way_to_the_largest_take_no_recursion_of_their_own() -> None:
    assert recursions(list(product(range(1, 6), repeat=2))) == 1


def test_populations_far_apart_are_not_reached_by_way_of_all_between() -> None:
    """(200, 200) is on the way of neither (1, 200) nor (200, 1), and takes a hundred times as many steps as both."""
    assert recursions([(1, 200), (200, 1)]) == 2


def test_every_variant_fits_the_budget_or_does_not() -> None:
    """Variants of one population agree, wherever they stand."""
    fitting: Any = getattr(solve, "_fitting")  # noqa: B009
    counts = np.array([[1, 1], [3000, 3000], [1, 1], [3000, 3000], [2, 1]])
    closed = closed_network([[0.1, 0.2], [0.3, 0.1]], counts, [1.0, 1.0])
    assert fitting(closed, AUTO.replace(operations=1e5), False).tolist() == [True, False, True, False, True]


@pytest.mark.parametrize(("each", "told"), [(True, 1), (False, 0)])
def test_what_takes_more_than_the_budget_of_a_batch_is_not_announced(
    each: bool, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A budget of three quarters of both variants: it is enough where each of them has its own."""
    announce: Any = getattr(solve, "_announce")  # noqa: B009
    monkeypatch.setattr(solve, "_SLOW", 0.0)
    closed = closed_network([[0.1, 0.2], [0.3, 0.1]], np.array([[30, 40], [30, 40]]), [1.0, 1.0])
    one = exact.choices(closed.point(0), False)[0][1].operations
    said: list[str] = []
    announce(closed, AUTO.replace(operations=1.5 * one, each=each, announce=said.append), False)
    assert len(said) == told
