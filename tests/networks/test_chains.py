"""Classes that change into each other, solved as chains: against Markov chains that follow every customer's class."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from closed_figures import busy_servers, queue_length, utilization
from many import many
from routing_oracles import Network, Table, balanced, floats, random_routing

from qnet.errors import InvalidInput
from qnet.networks.closed.exact import solve
from qnet.networks.closed.problem import closed_network
from qnet.networks.product.switching import aggregate, class_throughput, spread
from qnet.networks.product.traffic import chains, closed_visits

FOREVER = [1, 2, 3, 4]
"""The servers of a delay with up to four customers."""


class Solved:
    """A network solved by chains: figures by station and class, as the oracle has them."""

    def __init__(self, network: Network) -> None:
        stations, classes = len(network.service), len(network.service[0])
        routing, service = floats(network.routing), floats(network.service)
        self.chain_of = chains(routing, [state % classes for state in range(stations * classes)])
        count = len(network.groups)
        visits = [[0.0] * classes for _ in range(stations)]
        population = [0] * count
        for customers, kinds in network.groups:
            population[self.chain_of[kinds[0]]] = customers
            for state, value in enumerate(closed_visits(routing, kinds[0])):
                visits[state // classes][state % classes] += value
        self.visits = visits
        self.demands = tuple(
            tuple(visit * time for visit, time in zip(row, times, strict=True))
            for row, times in zip(visits, service, strict=True)
        )
        rates = [None if len(set(row)) == 1 or row == FOREVER else row for row in network.capacity]
        self.chain_demands = aggregate(self.demands, self.chain_of, count)
        delay = [row == FOREVER for row in network.capacity]
        of_chains = closed_network(self.chain_demands, population, delay=delay, rates=rates)
        self.figures = solve(of_chains)
        self.throughput = [
            class_throughput(self.figures.throughput, tuple(visits[station]), self.chain_of)
            for station in range(stations)
        ]
        self.queue_length = spread(queue_length(self.figures), self.demands, self.chain_of)
        self.busy = spread(busy_servers(of_chains, self.figures), self.demands, self.chain_of)
        self.residence = spread(self.figures.residence, self.demands, self.chain_of)
        self.utilization = spread(utilization(of_chains, self.figures), self.demands, self.chain_of)


def same(found: Any, exact: Table) -> bool:
    return all(
        have == pytest.approx(float(want), rel=1e-12, abs=1e-14)
        for row, wanted in zip(found, exact, strict=True)
        for have, want in zip(row, wanted, strict=True)
    )


def two_classes(seed: int, customers: int, second: list[int]) -> Network:
    """Two stations and two classes that change into each other; every visit has a service time of its own."""
    source = random.Random(seed)
    service = [[Fraction(source.randint(1, 20), source.randint(1, 9)) for _ in range(2)] for _ in range(2)]
    return Network(random_routing(seed, 4), service, [[1], second], [(customers, [0, 1])])


@many("seed", range(4))
@pytest.mark.parametrize("customers", [1, 2, 3])
@pytest.mark.parametrize("second", [[1], [1, 2], FOREVER], ids=["ps", "two servers", "delay"])
def test_two_changing_classes_are_as_the_balance_of_all_states_says(seed: int, customers: int, second: list[int]):
    network = two_classes(seed, customers, second)
    exact, found = balanced(network), Solved(network)
    assert found.chain_of == (0, 0)
    assert same(found.throughput, exact.throughput)
    assert same(found.queue_length, exact.queue_length)
    assert same(found.busy, exact.busy)


@many("seed", range(3))
def test_a_chain_of_two_classes_beside_one_without_change(seed: int):
    """Class 1 stays what it is; classes 0 and 2 change."""
    source = random.Random(seed)
    inner, alone = random_routing(seed, 4), random_routing(seed + 50, 2)
    routing = [[Fraction(0)] * 6 for _ in range(6)]
    for row, state in enumerate((0, 2, 3, 5)):
        for column, onward in enumerate((0, 2, 3, 5)):
            routing[state][onward] = inner[row][column]
    for row, state in enumerate((1, 4)):
        for column, onward in enumerate((1, 4)):
            routing[state][onward] = alone[row][column]
    service = [[Fraction(source.randint(1, 9), 4) for _ in range(3)] for _ in range(2)]
    network = Network(routing, service, [[1], [1, 2]], [(2, [0, 2]), (1, [1])])
    exact, found = balanced(network), Solved(network)
    assert found.chain_of == (0, 1, 0)
    assert same(found.throughput, exact.throughput)
    assert same(found.queue_length, exact.queue_length)
    assert same(found.busy, exact.busy)


def test_a_class_that_does_not_come_to_a_station_is_not_there():
    """Cpu as class a, disk as a, cpu as b, and back; nobody is at the disk as b."""
    ways = {(0, 2): 1, (2, 1): 1, (1, 0): 1}
    routing = [[Fraction(ways.get((row, column), 0)) for column in range(4)] for row in range(4)]
    service = [[Fraction(1), Fraction(3)], [Fraction(2), Fraction(0)]]
    network = Network(routing, service, [[1], [1]], [(3, [0, 1])])
    exact, found = balanced(network), Solved(network)
    assert found.visits == [[1.0, 1.0], [1.0, 0.0]]
    assert found.chain_demands == ((4.0,), (2.0,))
    assert found.queue_length[1][1] == found.residence[1][1] == found.throughput[1][1] == 0.0
    assert same(found.queue_length, exact.queue_length)
    assert same(found.throughput, exact.throughput)


def test_the_example_of_schwetman():
    """Mean value algorithm with class changes, technical report CSD-TR-355, Purdue University 1982, figure 9.

    Three customers; times by visit, printed to three places.
    """
    ways = {(0, 2): 7, (0, 4): 2, (0, 1): 1, (1, 3): 3, (1, 5): 5, (1, 0): 2}
    routing = [[Fraction(ways.get((row, column), 0), 10) for column in range(6)] for row in range(6)]
    for state in range(2, 6):
        routing[state][state % 2] = Fraction(1)
    service = [[Fraction(1, 100), Fraction(5, 100)], [Fraction(7, 100)] * 2, [Fraction(1, 10)] * 2]
    found = Solved(Network(routing, service, [[1], [1], [1]], [(3, [0, 1])]))
    printed = {
        "time": [[0.015, 0.073], [0.133, 0.133], [0.163, 0.163]],
        "throughput": [[12.609, 6.304], [8.826, 1.891], [2.522, 3.152]],
        "queue_length": [[0.185, 0.462], [1.175, 0.252], [0.412, 0.515]],
        "utilization": [[0.126, 0.315], [0.618, 0.132], [0.252, 0.315]],
    }
    time = [
        [spent / visit for spent, visit in zip(row, visits, strict=True)]
        for row, visits in zip(found.residence, found.visits, strict=True)
    ]
    for name, table in printed.items():
        shown = time if name == "time" else getattr(found, name)
        for row, wanted in zip(shown, table, strict=True):
            assert [round(value, 3) for value in row] == wanted


@many("seed", range(6))
def test_shares_add_up_and_obey_little(seed: int):
    found = Solved(two_classes(seed, 7, [1, 2]))
    for whole in (found.figures.residence, queue_length(found.figures)):
        parts = spread(whole, found.demands, found.chain_of)
        for row, wanted in zip(aggregate(parts, found.chain_of, 1), whole, strict=True):
            assert row == pytest.approx(wanted, rel=1e-15)
    for station in range(2):
        for kind in range(2):
            rate, visits = found.throughput[station][kind], found.visits[station][kind]
            queue = found.queue_length[station][kind]
            assert queue == pytest.approx(rate * found.residence[station][kind] / visits, rel=1e-14)
            assert found.busy[station][kind] <= queue * (1 + 1e-14)


def test_classes_that_do_not_change_come_back_unchanged():
    demands, order = ((1.0, 2.0, 0.0), (3.0, 4.0, 5.0)), (2, 0, 1)
    turned = aggregate(demands, order, 3)
    assert turned == ((2.0, 0.0, 1.0), (4.0, 5.0, 3.0))
    assert spread(turned, demands, order) == demands
    assert class_throughput((7.0, 8.0, 9.0), (1.0, 1.0, 1.0), order) == (9.0, 7.0, 8.0)


def test_a_batch_is_each_of_its_points():
    np: Any = importlib.import_module("numpy")
    source = np.random.default_rng(5)
    chain_of = (1, 0, 1, 3)  # nobody is of chain 2
    demands, figures = source.random((6, 3, 4)), source.random((6, 3, 4))
    demands[0, 1] = 0.0
    rates, passages = source.random((6, 4)), (1.0, 0.5, 0.25, 2.0)
    whole, parts = aggregate(demands, chain_of, 4), spread(figures, demands, chain_of)
    passed = class_throughput(rates, passages, chain_of)
    assert whole.shape == (6, 3, 4) and parts.shape == (6, 3, 4) and passed.shape == (6, 4)
    for index in range(6):
        point, values = ([tuple(row) for row in table[index].tolist()] for table in (demands, figures))
        assert [tuple(row) for row in whole[index].tolist()] == list(aggregate(point, chain_of, 4))
        assert [tuple(row) for row in parts[index].tolist()] == list(spread(values, point, chain_of))
        assert tuple(passed[index].tolist()) == class_throughput(tuple(rates[index].tolist()), passages, chain_of)
        # One point's demands with the figures of a batch, and one point's figures with the demands of a batch.
        assert (spread(figures, point, chain_of)[index] == parts[index]).all()
        assert (spread(values, demands, chain_of)[index] == parts[index]).all()


def test_a_station_without_demand_shares_nothing():
    assert spread(((0.0,),), ((0.0, 0.0),), (0, 0)) == ((0.0, 0.0),)


@pytest.mark.parametrize(
    ("demands", "chain_of", "count", "words"),
    [
        (((1.0, 2.0),), (0, 1), 1, "a class is of chain 1; expected chains from 0 to 0"),
        (((1.0, 2.0),), (0, -1), 1, "a class is of chain -1"),
        (((1.0, 2.0),), (), 1, "there are no classes"),
        (((1.0, 2.0),), (0, 0, 0), 1, "2 demands in a row; expected 3, one for each class"),
    ],
)
def test_chains_that_do_not_fit_are_refused(
    demands: tuple[tuple[float, ...], ...], chain_of: tuple[int, ...], count: int, words: str
):
    with pytest.raises(InvalidInput, match=words):
        aggregate(demands, chain_of, count)
    with pytest.raises(InvalidInput, match=words):
        spread(((1.0,) * count,), demands, chain_of)


def test_throughputs_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="a class is of chain 1"):
        class_throughput((1.0,), (1.0, 1.0), (0, 1))
    with pytest.raises(InvalidInput, match="1 passages in a row; expected 2"):
        class_throughput((1.0,), (1.0,), (0, 0))


def test_one_point_needs_no_numpy():
    script = "import sys, qnet.networks.product.switching as c; "
    script += "c.spread(((1.,),), c.aggregate(((1.,),), (0,), 1), (0,)); c.class_throughput((1.,), (1.,), (0,)); "
    script += "print('numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
