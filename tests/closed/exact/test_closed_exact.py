"""The exact methods for closed networks: laws, agreement, and three independent oracles."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
from math import isclose, log
from typing import Any

import pytest
from closed_figures import queue_length, utilization
from closed_oracles import Digits, enumerated, markov, random_network
from full import FULL
from many import many

from qnet.errors import InvalidInput, NoAnswer, NotComputed
from qnet.networks.closed import convolution, exact, lattice_mva, station_states
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, closed_network
from qnet.networks.solvers.loader import solver
from qnet.networks.solvers.table import rows
from qnet.networks.wanted import AUTO

pytestmark = pytest.mark.sliced

np: Any = importlib.import_module("numpy")

WITH_STATES = [row.name for row in rows("closed") if "state probabilities" in row.supports]


def solve(name: str, network: ClosedNetwork, marginals: bool = False) -> ClosedFigures:
    return exact.by(name, network, marginals)


def applying(network: ClosedNetwork) -> list[str]:
    found = {row.name: solver(row) for row in rows("closed") if not exact.refusal(row, network, AUTO)}
    return [name for name, method in found.items() if method.work(network, AUTO).operations < 1e9]


def certify(network: ClosedNetwork, figures: ClosedFigures, tolerance: float = 1e-9) -> None:
    """The laws that hold whatever the method."""
    values = np.concatenate([np.ravel(np.asarray(item, float)) for item in (figures.throughput, figures.residence)])
    assert np.isfinite(values).all() and (values >= 0).all()
    assert np.isfinite(figures.log_constant)
    queues, used = queue_length(figures), utilization(network, figures)
    for kind in range(network.classes):
        rate = figures.throughput[kind]
        present = queues[:, kind].sum() + rate * network.think_time[kind]
        assert isclose(present, network.population[kind], rel_tol=tolerance, abs_tol=1e-300)
        for station in range(network.stations):
            if network.delay[station]:
                demand = network.demands[station][kind]
                assert isclose(queues[station][kind], rate * demand, rel_tol=tolerance)
    assert (used.sum(axis=1) <= 1 + 1e-12).all()
    for station, states in enumerate(figures.marginals or ()):
        assert isclose(sum(states), 1, rel_tol=tolerance) and min(states) >= 0
        mean = sum(count * chance for count, chance in enumerate(states))
        assert isclose(mean, queues[station].sum(), rel_tol=tolerance, abs_tol=1e-12)
        if not network.delay[station]:
            rates = network.rates[station] or (1.0,)
            busy = sum(chance * rates[min(count, len(rates)) - 1] for count, chance in enumerate(states) if count)
            assert isclose(busy, used[station].sum() * network.peak(station), rel_tol=tolerance, abs_tol=1e-12)


def same(one: ClosedFigures, other: ClosedFigures, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(one.throughput, other.throughput, rtol=tolerance, atol=1e-300)
    np.testing.assert_allclose(one.residence, other.residence, rtol=tolerance, atol=1e-300)
    np.testing.assert_allclose(one.log_constant, other.log_constant, rtol=tolerance, atol=1e-10)
    if one.marginals is not None and other.marginals is not None:
        for first, second in zip(one.marginals, other.marginals, strict=True):
            np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-14)


@many("seed", range(1500 if FULL else 60))
def test_all_methods_agree_and_keep_the_laws(seed: int):
    rng = random.Random(f"agree {seed}")
    classes = rng.choice([1, 1, 2, 3])
    spread = rng.choice([0.5, 1, 3])
    network = random_network(rng, rng.randint(1, 5), classes, 60 if classes == 1 else 7, seed % 3 == 0, spread)
    names = applying(network)
    answers = [solve(name, network) for name in names]
    for name, answer in zip(names, answers, strict=True):
        assert answer.method == name
        certify(network, answer)
        same(answer, answers[0])
    states = [solve(name, network, True) for name in names if name in WITH_STATES]
    for answer in states:
        certify(network, answer)
        same(answer, answers[0])
        same(answer, states[0])
    same(exact.solve(network), answers[0])


@many("seed", range(200 if FULL else 25))
def test_states_enumerated_in_fractions(seed: int):
    rng = random.Random(f"fractions {seed}")
    classes = rng.choice([1, 2, 3])
    network = random_network(rng, rng.randint(1, 3), classes, {1: 8, 2: 4, 3: 2}[classes])
    truth = enumerated(network)
    for name in applying(network):
        answer = solve(name, network, name in WITH_STATES)
        np.testing.assert_allclose(answer.throughput, [float(value) for value in truth.throughput], rtol=1e-12)
        expected = [[float(value) for value in row] for row in truth.queue_length]
        np.testing.assert_allclose(queue_length(answer), expected, rtol=1e-12)
        constant = log(truth.constant.numerator) - log(truth.constant.denominator)
        assert isclose(answer.log_constant, constant, rel_tol=1e-11, abs_tol=1e-11)
        for row, right in zip(answer.marginals or (), truth.marginals or (), strict=False):
            np.testing.assert_allclose(row, [float(value) for value in right][: len(row)], rtol=1e-10, atol=1e-300)


@many("seed", range(100 if FULL else 12))
def test_a_markov_chain_without_product_form(seed: int):
    rng = random.Random(f"markov {seed}")
    classes = rng.choice([1, 2, 2])
    network = random_network(rng, rng.randint(1, 3), classes, {1: 9, 2: 3}[classes], spread=0.5)
    if not sum(network.population):
        return
    truth = markov(network)
    answer = exact.solve(network)
    np.testing.assert_allclose(answer.throughput, truth.throughput, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(queue_length(answer), truth.queue_length, rtol=1e-9, atol=1e-12)


SERVERS, FACTORS, THINK, POPULATIONS = (
    (2, 4, 8, 16, 32, 64),
    (0.5, 0.9, 0.99, 1, 1.01, 1.5),
    (0.0, 10.0),
    (20, 50, 100, 200, 500, 1000),
)
STRESS = [(servers, factor, think) for servers in SERVERS for factor in FACTORS for think in THINK]


def against_digits(network: ClosedNetwork, truth: Digits, tolerance: float = 1e-10) -> float:
    population, think = network.population[0], network.think_time[0]
    answer = exact.solve(network)
    certify(network, answer, tolerance)
    worst = abs(answer.throughput[0] / truth.throughput(population) - 1)
    for station in range(network.stations):
        if network.demands[station][0]:
            right = truth.queue_length(station, population)
            worst = max(worst, abs(queue_length(answer)[station][0] / right - 1))
    worst = max(worst, abs(answer.log_constant - truth.log_constant(population)) / max(1, abs(answer.log_constant)))
    assert worst <= tolerance, (population, think, worst)
    return worst


@pytest.mark.parametrize(("servers", "factor", "think"), STRESS if FULL else random.Random(7).sample(STRESS, 12))
def test_the_stress_grid(servers: int, factor: float, think: float):
    demands = [0.01, 0.08, 0.04, factor * servers * 0.08, 0.07]
    rates = [None, None, None, tuple(range(1, servers + 1)), None]
    truth = Digits(demands, rates, think, max(POPULATIONS))
    for population in POPULATIONS:
        against_digits(closed_network([[value] for value in demands], [population], [think], None, rates), truth)


@many("seed", range(150 if FULL else 12))
def test_several_multi_servers_and_wide_demands(seed: int):
    rng = random.Random(f"several {seed}")
    stations, population = rng.randint(2, 6), rng.choice([3, 40, 150])
    rates: list[Any] = [tuple(range(1, rng.randint(2, 40))) or None for _ in range(3)] + [None] * stations
    demands = [10 ** rng.uniform(-6, 3) for _ in range(stations)]
    think = rng.choice([0.0, 10 ** rng.uniform(-6, 5)])
    network = closed_network([[value] for value in demands], [population], [think], None, rates[:stations])
    against_digits(network, Digits(demands, rates[:stations], think, population))


def test_512_servers():
    demands, rates = [0.01, 512 * 0.08, 0.04, 1e-6, 0.0799], [None, tuple(range(1, 513)), None, None, None]
    truth = Digits(demands, rates, 10.0, 1200)
    for population in (100, 600, 1200):
        against_digits(closed_network([[value] for value in demands], [population], [10.0], None, rates), truth)


@pytest.mark.long
def test_a_hundred_thousand_customers():
    demands, rates = [0.01, 0.08, 0.04, 0.31, 1e-6, 1e3 / 13000], [None, None, None, (1, 2, 3, 4), None, None]
    truth = Digits(demands, rates, 5000.0, 100_000)
    for population in (50_000, 100_000):
        against_digits(closed_network([[value] for value in demands], [population], [5000.0], None, rates), truth)


def test_a_hundred_thousand_customers_balanced():
    # Balanced stations of fixed rate: X = N / (D (N + K - 1)).
    network = closed_network([[0.01], [0.01], [0.01]], [100_000])
    answer = exact.solve(network)
    assert isclose(answer.throughput[0], 100_000 / (0.01 * 100_002), rel_tol=1e-11)
    assert isclose(convolution.solve(network).throughput[0], 100_000 / (0.01 * 100_002), rel_tol=1e-11)


@pytest.mark.parametrize("customers", [5, 40, 300])
def test_machines_and_repairmen(customers: int):
    # A birth-death chain: customers think for 10 s, three servers of 1 s.
    weights = [1.0]
    for broken in range(1, customers + 1):
        weights.append(weights[-1] * (customers - broken + 1) / 10 / min(broken, 3))
    states = [value / sum(weights) for value in weights]
    answer = exact.solve(closed_network([[1.0]], [customers], [10.0], None, [(1, 2, 3)]), marginals=True)
    np.testing.assert_allclose(answer.marginals[0], states, rtol=1e-11, atol=1e-280)
    mean = sum(count * chance for count, chance in enumerate(states))
    assert isclose(answer.throughput[0], (customers - mean) / 10, rel_tol=1e-11)


def test_stations_that_slow_down_with_their_load():
    # Thrashing: two stable regimes far apart; no scaling of the constants fits both.
    rates = [tuple(1 / count for count in range(1, 401)), None]
    for population in (10, 100, 400):
        against_digits(
            closed_network([[0.01], [0.08]], [population], [1.0], None, rates),
            Digits([0.01, 0.08], rates, 1.0, population),
        )


def test_many_classes_at_few_stations():
    rng = random.Random(3)
    demands = [[rng.uniform(0.01, 1) for _ in range(6)] for _ in range(3)]
    rates = [None, (1, 2, 3, 4), None]
    network = closed_network(demands, [4] * 6, [rng.uniform(0, 5) for _ in range(6)], None, rates)
    assert exact.choices(network)[0][0] == "station-states"
    same(solve("station-states", network), solve("lattice-convolution", network))
    fixed = closed_network(demands, [4] * 6, network.think_time)
    same(solve("station-states", fixed), solve("lattice-mva", fixed))


def test_several_classes_and_multi_servers():
    demands = [[0.5, 0.2, 0.9], [8.0, 3.0, 1.0], [0.3, 4.0, 2.0], [0.1, 0.1, 0.1]]
    rates = [None, tuple(range(1, 9)), (1, 2, 3, 4), (1, 2, 2.5, 2)]
    network = closed_network(demands, [12, 9, 14], [1, 2, 0], None, rates)
    one, other = solve("lattice-convolution", network, True), solve("station-states", network, True)
    certify(network, one)
    same(one, other)


def test_classes_that_differ_in_name_only_are_one_class():
    rates = [None, (1, 2, 3)]
    apart = exact.solve(closed_network([[0.3, 0.3], [0.9, 0.9]], [9, 6], [1, 1], None, rates))
    joint = exact.solve(closed_network([[0.3], [0.9]], [15], [1], None, rates))
    assert isclose(sum(apart.throughput), joint.throughput[0], rel_tol=1e-12)
    np.testing.assert_allclose(queue_length(apart).sum(axis=1), np.ravel(queue_length(joint)), rtol=1e-12)


@pytest.mark.parametrize("name", [row.name for row in rows("closed")])
def test_nothing_to_do(name: str):
    for network in (
        closed_network([[1.0, 2.0], [3.0, 4.0]], [0, 0], [1.0, 0.0]),
        closed_network([], [0], [0.0]),
        closed_network([[], []], []),
    ):
        answer = solve(name, network)
        certify(network, answer)
        assert answer.log_constant == 0 and not any(answer.throughput)


def test_zero_populations_zero_demands_and_stations_visited_by_nobody():
    network = closed_network([[1.0, 5.0, 0.0], [0.0, 2.0, 0.0], [0.5, 0.0, 0.0]], [4, 0, 3], [0.0, 1.0, 2.0])
    answer = exact.solve(network, marginals=True)
    certify(network, answer)
    assert answer.method == "lattice-convolution" or answer.method == "station-states"
    assert answer.throughput[1] == 0 and answer.residence[1] == (0.0, 0.0, 0.0)
    assert isclose(answer.throughput[2], 1.5)
    assert answer.marginals[1][0] == 1
    alone = exact.solve(closed_network([[1.0], [0.5]], [4]))
    assert isclose(answer.throughput[0], alone.throughput[0], rel_tol=1e-14)
    assert exact.solve(closed_network([], [3], [2.0])).throughput == (1.5,)


def test_one_rate_throughout_is_a_faster_server_and_enough_servers_are_a_delay():
    at_two = closed_network([[1.0], [2.0]], [5], None, None, [None, (2.0,)])
    at_one = closed_network([[1.0], [1.0]], [5])
    fast, plain = exact.solve(at_two), exact.solve(at_one)
    assert fast.throughput == plain.throughput and fast.method == "mva"
    np.testing.assert_allclose(utilization(at_two, fast), utilization(at_one, plain), rtol=1e-9)
    ample = exact.solve(closed_network([[1.0], [2.0]], [5], None, None, [None, tuple(range(1, 9))]))
    delay = exact.solve(closed_network([[1.0], [2.0]], [5], None, [False, True]))
    assert ample.throughput == delay.throughput
    np.testing.assert_allclose(queue_length(ample), queue_length(delay), rtol=1e-9)


@many("seed", range(12))
def test_a_batch_is_its_points(seed: int):
    rng = random.Random(f"batch {seed}")
    size, stations, classes = 7, rng.randint(1, 4), rng.choice([1, 1, 2])
    first = random_network(rng, stations, classes, 12, seed % 2 == 0)
    factors = np.array([rng.uniform(0.5, 2) for _ in range(size)])[:, None, None]
    population = np.array([[rng.randint(seed % 3, 12) for _ in range(classes)] for _ in range(size)])
    demands = np.array(first.demands) * factors + (0.01 if seed % 2 else 0.0)
    think = np.array(first.think_time) + 0.5
    network = closed_network(demands, population, think, first.delay, first.rates)
    together = exact.solve(network)
    assert together.throughput.shape == (size, classes) and together.residence.shape == (size, stations, classes)
    for index in range(size):
        one = exact.solve(network.point(index))
        certify(network.point(index), one)
        for name in ("throughput", "residence", "log_constant"):
            np.testing.assert_allclose(getattr(together, name)[index], getattr(one, name), rtol=1e-12, atol=1e-12)
    states = exact.solve(network, marginals=True)
    assert states.marginals.shape == (size, stations, population.sum(axis=1).max() + 1)


def test_a_sweep_of_populations_in_one_batch():
    rates = [None, (1, 2, 3, 4), None]
    network = closed_network([[0.1], [0.5], [0.0999]], np.arange(1, 301)[:, None], [3.0], None, rates)
    together = exact.solve(network)
    for index in (0, 1, 17, 150, 299):
        one = exact.solve(network.point(index))
        np.testing.assert_allclose(together.residence[index], one.residence, rtol=1e-12)
        assert isclose(together.log_constant[index], one.log_constant, rel_tol=1e-12, abs_tol=1e-12)


def test_equal_variants_of_several_classes_are_solved_once(monkeypatch: pytest.MonkeyPatch):
    demands = [[[0.1, 0.4], [0.5, 0.2]], [[0.3, 0.4], [0.5, 0.2]]]
    network = closed_network([*demands, *demands, demands[0]], [[4, 3]] * 5, [1.0, 2.0], None, [None, (1, 2, 3)])
    solved: list[ClosedNetwork] = []
    by = exact.by
    monkeypatch.setattr(exact, "by", lambda name, network, *rest: solved.append(network) or by(name, network, *rest))
    together = exact.solve(network)
    assert len(solved) == 2
    np.testing.assert_array_equal(together.throughput[2:], together.throughput[[0, 1, 0]])


def test_kernels_in_plain_python_and_over_arrays_agree(monkeypatch: pytest.MonkeyPatch):
    network = closed_network([[0.1], [0.5], [0.5], [0.2]], [80], [3.0], None, [None, (1, 2, 3), (1, 2, 3), (1, 0.5, 2)])
    plain = convolution.solve(network, AUTO.replace(states=True))
    monkeypatch.setattr(convolution, "_ARRAYS_PAY", 0)
    same(convolution.solve(network, AUTO.replace(states=True)), plain, 1e-13)
    same(convolution.solve(network), plain, 1e-13)
    monkeypatch.setattr(convolution.weights, "TINY", 2.0)
    same(convolution.solve(network, AUTO.replace(states=True)), plain, 1e-11)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[1.0]], [1.5]), "population"),
        (([[1.0]], [-1]), "population"),
        (([[-1.0]], [1]), "negative"),
        (([[float("nan")]], [1]), "finite"),
        (([[1.0]], [float("inf")]), "population"),
        (([[1.0, 2.0]], [1]), "classes"),
        (([[1.0]], [1], [0.0], [True, False]), "stations"),
        (([[1.0]], [1], [0.0], None, [(0.0, 1.0)]), "positive"),
        (([[1.0]], [1], [0.0], [True], [(1.0, 2.0)]), "delay"),
        (([[[1.0]]] * 2, [[1]] * 3), "variants"),
    ],
)
def test_what_is_no_network_is_refused(arguments: Any, words: str):
    with pytest.raises(InvalidInput, match=words):
        closed_network(*arguments)


def test_no_answer_and_too_large():
    with pytest.raises(NoAnswer, match=r"class 1 .* no limit"):
        exact.solve(closed_network([[1.0, 0.0]], [1, 1]))
    with pytest.raises(NoAnswer, match="no limit"):
        exact.solve(closed_network(np.array([[[1.0]], [[0.0]]]), [1]))
    with pytest.raises(NotComputed, match="too large"):
        exact.solve(closed_network([[1.0 + k + r for r in range(20)] for k in range(20)], [50] * 20))


def test_the_range_of_extended_floats_holds_what_floats_lose():
    """With 240 customers the smallest probabilities on the way are below the smallest float."""
    network = closed_network(
        [[0.01 * (1 + (7 * k + 3 * r) % 11) for r in range(3)] for k in range(2)], [80] * 3, [1.0] * 3
    )
    found, wanted = station_states.solve(network), lattice_mva.solve(network)
    assert found.throughput == pytest.approx(wanted.throughput, rel=1e-12)
    assert found.log_constant == pytest.approx(wanted.log_constant, rel=1e-12)


def test_a_small_point_needs_no_numpy():
    code = (
        "import sys; from qnet.networks.closed.problem import closed_network; from qnet.networks.closed import exact;"
        "exact.solve(closed_network([[.1], [.2], [.3]], [20], [5.]));"
        "exact.solve(closed_network([[.1], [.2], [.3]], [20], [5.], None, [None, (1, 2), None]));"
        "assert 'numpy' not in sys.modules and 'decimal' not in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )


@many("seed", range(40))
def test_variants_of_several_classes_are_as_each_by_itself(seed: int):
    """Populations, demands and think times differ between variants; some stations are delays, slow or fast."""
    rng = random.Random(seed)
    stations, classes, variants = rng.randint(1, 5), rng.randint(1, 3), rng.randint(1, 5)
    delay = [rng.random() < 0.2 for _ in range(stations)]
    rates = [None if away or rng.random() < 0.7 else (rng.choice([2.0, 0.5]),) for away in delay]
    demands = np.array(
        [[[rng.choice([0, rng.random()]) for _ in range(classes)] for _ in delay] for _ in range(variants)]
    )
    think = np.array([[rng.choice([0, rng.random()]) + 0.01 for _ in range(classes)] for _ in range(variants)])
    population = [[rng.randint(0, 5) for _ in range(classes)] for _ in range(variants)]
    network = closed_network(demands, population, think, delay, rates)
    whole = lattice_mva.solve(network)
    for place in range(variants):
        alone = lattice_mva.solve(network.point(place))
        for name in ("throughput", "residence", "log_constant"):
            have, wanted = getattr(whole, name)[place], np.array(getattr(alone, name))
            np.testing.assert_allclose(have, wanted, rtol=1e-12, atol=1e-14, err_msg=name)


def test_variants_without_waiting_do_not_speak_for_the_others():
    """Two servers are a delay for one customer, and a queue for three of two classes."""
    population = np.array([[1, 0], [3, 3]])
    network = closed_network(np.ones((2, 1, 2)), population, np.ones((2, 2)), rates=[(1.0, 2.0)])
    whole = exact.solve(network)
    for place in range(2):
        alone = exact.solve(network.point(place))
        np.testing.assert_allclose(whole.throughput[place], alone.throughput, rtol=1e-12)
    lattice_row = next(row for row in rows("closed") if row.name == "lattice-mva")
    assert str(exact.refusal(lattice_row, network, AUTO)) == "it is for stations with fixed rates"
