"""Bounds enclose the exact answer, reproduce printed tables, and refuse what they are not known for."""

from __future__ import annotations

import importlib
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from closed_oracle import exact, random_network
from full import FULL
from many import many

from qnet.errors import InvalidInput, NotComputed
from qnet.networks.closed.bounds import KINDS, bounds, refusals
from qnet.networks.closed.problem import ClosedNetwork, closed_network

pytestmark = pytest.mark.sliced

ROUNDING = 1e-10

np: Any = importlib.import_module("numpy")


def enclosed(network: ClosedNetwork, seed: int) -> int:
    """Asserts that every applicable bound encloses the exact answer; gives how many were applicable."""
    throughput, queues = exact(network)
    applied = 0
    for kind in KINDS:
        if refusals(network, kind):
            continue
        applied += 1
        found = bounds(network, kind)
        for r, rate in enumerate(throughput):
            low, high = found.throughput_lower[r], found.throughput_upper[r]
            assert low * (1 - ROUNDING) <= rate <= high * (1 + ROUNDING), (
                f"{kind}, seed {seed}: {low} {rate} {high} {network}"
            )
            if rate > 0:
                response = queues[:, r].sum() / rate
                slack = ROUNDING * (response + network.think_time[r])
                assert found.response_lower[r] - slack <= response <= found.response_upper[r] + slack, (
                    f"{kind}, seed {seed}"
                )
            else:
                assert low == high == found.response_lower[r] == found.response_upper[r] == 0.0
    return applied


@many("start", range(0, 5000 if FULL else 250, 50))
@pytest.mark.parametrize("servers", [False, True])
def test_bounds_enclose_one_class(start: int, servers: bool) -> None:
    for seed in range(start, start + 50):
        assert enclosed(random_network(seed, servers, classes=1, cells=60), seed) >= 1


@many("start", range(0, 2500 if FULL else 100, 50))
@pytest.mark.parametrize("servers", [False, True])
def test_bounds_enclose_several_classes(start: int, servers: bool) -> None:
    for seed in range(start, start + 50):
        assert enclosed(random_network(seed, servers, classes=3, cells=60), seed) >= 1


@many("seed", range(2000 if FULL else 100))
def test_asymptotic_bounds_enclose_any_rates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rates = [
        tuple(rng.uniform(0.3, 3.0, int(rng.integers(1, 6))).tolist()) if rng.random() < 0.7 else None for _ in range(3)
    ]
    network = closed_network(rng.exponential(1.0, (3, 2)), rng.integers(0, 6, 2), rng.exponential(2.0, 2), None, rates)
    enclosed(network, seed)


TABLE_4 = {2: (4.3040, 4.3174), 5: (6.6859, 6.7524), 10: (8.1521, 8.2690), 20: (9.0947, 9.2431), 80: (9.8233, 9.8765)}
TABLE_5 = {2: (1.4319, 1.5195), 5: (3.3432, 3.5582), 10: (5.7569, 6.1410), 20: (8.0856, 8.6467), 80: (9.7147, 9.8594)}
TABLE_PB = {2: (4.3174, 4.3174), 5: (6.6600, 6.7297), 10: (8.0219, 8.2700), 20: (8.8672, 9.3387), 80: (9.6736, 10.000)}


@pytest.mark.parametrize(
    ("kind", "think", "table"),
    [("geometric", 0.0, TABLE_4), ("geometric", 1.0, TABLE_5), ("proportional", 0.0, TABLE_PB)],
)
def test_printed_tables_of_casale_muntz_serazzi(kind: str, think: float, table: dict[int, tuple[float, float]]) -> None:
    for count, printed in table.items():
        network = closed_network([[0.1], [0.1], [0.09], [0.08]], [count], [think])
        found, widest = bounds(network, kind), bounds(network, "asymptotic").throughput_upper[0]
        assert found.throughput_lower[0] == pytest.approx(printed[0], abs=1e-4)
        # Ours is never wider than the asymptotic bound; the table is, in its first row with think time.
        assert found.throughput_upper[0] == pytest.approx(min(printed[1], widest), abs=1e-4)


@pytest.mark.parametrize("kind", ["balanced", "proportional", "composite"])
def test_a_balanced_network_is_bounded_by_its_exact_answer(kind: str) -> None:
    for count in (1, 2, 7, 50):
        found = bounds(closed_network([[0.2]] * 5, [count]), kind)
        exact_rate = count / (0.2 * (5 + count - 1))
        assert found.throughput_lower[0] == pytest.approx(exact_rate, rel=1e-12)
        assert found.throughput_upper[0] == pytest.approx(exact_rate, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_one_customer_is_exact(kind: str) -> None:
    found = bounds(closed_network([[0.2], [0.5], [1.0]], [1], [3.0], [False, False, True]), kind)
    assert found.throughput_lower[0] == pytest.approx(1 / 4.7, rel=1e-12)
    assert found.throughput_upper[0] == pytest.approx(1 / 4.7, rel=1e-12)
    assert found.response_lower[0] == pytest.approx(1.7, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_huge_populations_reach_the_capacity(kind: str) -> None:
    found = bounds(closed_network([[0.2], [0.5], [0.5]], [10**9], [3.0]), kind)
    assert found.throughput_upper[0] <= 2.0 * (1 + 1e-12)
    if kind != "asymptotic":
        assert found.throughput_lower[0] == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("think", [1e3, 1e6, 1e9, 1e15])
def test_a_long_think_time_takes_no_digits_of_the_response(kind: str, think: float) -> None:
    network = closed_network([(0.003,), (0.002,)], [7], [think])
    throughput, queues = exact(network)
    response = queues.sum() / throughput[0]
    found = bounds(network, kind)
    low, high = found.response_lower[0], found.response_upper[0]
    assert low * (1 - 1e-14) <= response <= high * (1 + 1e-14)
    assert response < low * (1 + 1e-4), "far from the exact response"
    assert high < response * (7.001 if kind == "asymptotic" else 1 + 1e-3), "far from the exact response"


def test_a_class_that_only_thinks_has_no_response() -> None:
    found = bounds(closed_network([(0.4426, 0.0)], [4, 3], [0.9218, 1.4221]), "composite")
    assert found.response_lower[1] == found.response_upper[1] == 0.0


def test_composite_is_never_wider_than_balanced_nor_balanced_than_asymptotic() -> None:
    for seed in range(200):
        network = random_network(seed, seed % 2 == 0)
        wide, middle, narrow = (bounds(network, kind) for kind in ("asymptotic", "balanced", "composite"))
        for r in range(network.classes):
            lows = [found.throughput_lower[r] for found in (wide, middle, narrow)]
            highs = [found.throughput_upper[r] for found in (wide, middle, narrow)]
            assert all(low <= next_low * (1 + ROUNDING) for low, next_low in pairwise(lows))
            assert all(next_high <= high * (1 + ROUNDING) for high, next_high in pairwise(highs))


def test_a_batch_is_a_loop() -> None:
    rng = np.random.default_rng(5)
    batch = closed_network(rng.exponential(1.0, (20, 4, 2)), rng.integers(0, 9, (20, 2)), rng.exponential(1.0, (20, 2)))
    for kind in ("asymptotic", "balanced", "composite"):
        whole = bounds(batch, kind)
        for index in range(20):
            single = bounds(batch.point(index), kind)
            picked = whole.replace(rows=tuple(row[index] for row in whole.rows))
            assert picked == single


def test_refusals_name_the_reason() -> None:
    several = closed_network([[1.0, 2.0]], [1, 2])
    with pytest.raises(NotComputed, match="one class only") as failure:
        bounds(several, "geometric")
    assert failure.value.problems[0].code == "QN513"
    servers = closed_network([[1.0]], [3], rates=[(1, 2)])
    with pytest.raises(NotComputed, match="one server only"):
        bounds(servers, "proportional")
    with pytest.raises(NotComputed, match="do not fall"):
        bounds(closed_network([[1.0]], [3], rates=[(2, 1)]), "balanced")
    with pytest.raises(InvalidInput, match="no bound"):
        bounds(servers, "jackson")
    with pytest.raises(InvalidInput, match="neither a demand nor a think time"):
        bounds(closed_network([[0.0]], [3]))
    fractional = ClosedNetwork(((1.0,),), (False,), (None,), (2.5,), (0.0,))
    with pytest.raises(NotComputed, match="fractional"):
        bounds(fractional)


def test_bounds_of_a_point_need_no_numpy() -> None:
    code = (
        "import sys; from qnet.networks.closed.problem import closed_network as c;"
        "from qnet.networks.closed.bounds import bounds; bounds(c([[1.0]], [3])); print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
