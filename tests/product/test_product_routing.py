"""Closed networks with routing and without product form: exact, as the balance of all states says, and as a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np  # noqa: TID253
import pytest
from many import many

import qnet

State = tuple[tuple[int, ...], ...]
"""Who thinks, then who is at each station, in the order of service: numbers of classes."""


def drawn(seed: int) -> dict[str, Any]:
    """The arguments of a closed network of two classes with routing of their own."""
    draw = np.random.default_rng([819, seed])
    stations = int(draw.integers(2, 4))
    routing = draw.dirichlet(np.ones(stations), (2, stations)) * (draw.random((2, stations, stations)) < 0.8)
    routing[:, :, 0] += 1.0 - routing.sum(2)
    word = str(draw.choice(["fcfs", "priority", "preemptive"]))
    return {
        "service_times": np.exp(draw.uniform(-1.5, 1.0, (stations, 2))).tolist(),
        "routing": routing,
        "population": draw.integers(1, 3, 2).tolist(),
        "think_time": draw.choice([0.0, 0.7, 2.0], 2).tolist(),
        "disciplines": [word, *draw.choice(["fcfs", word], stations - 1).tolist()],
        "priority": [1, 0] if word != "fcfs" else None,
    }


def joined(queue: tuple[int, ...], kind: int, discipline: str, rank: list[int]) -> tuple[int, ...]:
    """The order of service of a queue that one more customer has come to."""
    ahead = len(queue)
    while ahead > (discipline == "priority") and discipline != "fcfs" and rank[queue[ahead - 1]] < rank[kind]:
        ahead -= 1
    return (*queue[:ahead], kind, *queue[ahead:])


def moves(state: State, given: dict[str, Any]) -> Iterator[tuple[float, State]]:
    """Rates per second to the states that come next."""
    times, rank = given["service_times"], given["priority"] or [0, 0]

    def sent(rest: list[tuple[int, ...]], kind: int, shares: Any, rate: float) -> Iterator[tuple[float, State]]:
        for station, share in enumerate(shares, 1):
            # Whoever returns to the reference, station 1 here, thinks before.
            thinks = station == 1 and given["think_time"][kind] > 0 and len(shares) > 1
            then = list(rest)
            if thinks:
                then[0] = tuple(sorted((*then[0], kind)))
            else:
                then[station] = joined(then[station], kind, given["disciplines"][station - 1], rank)
            if share > 0:
                yield rate * share, tuple(then)

    for kind in set(state[0]):
        count, left = state[0].count(kind), list(state[0])
        left.remove(kind)
        yield from sent([tuple(left), *state[1:]], kind, [1.0], count / given["think_time"][kind])
    for station, queue in enumerate(state[1:], 1):
        if queue:
            rest = [*state]
            rest[station] = queue[1:]
            shares = given["routing"][queue[0]][station - 1]
            yield from sent(rest, queue[0], shares, 1.0 / times[station - 1][queue[0]])


def balance(given: dict[str, Any]) -> tuple[Any, Any]:
    """Mean numbers by station and class, and visits per second to the reference by class, of all states."""
    people = [kind for kind, count in enumerate(given["population"]) for _ in range(count)]
    start: list[tuple[int, ...]] = [(), *(() for _ in given["service_times"])]
    for kind in people:
        start[1] = joined(start[1], kind, given["disciplines"][0], given["priority"] or [0, 0])
    states, index = [tuple(start)], {tuple(start): 0}
    cells: list[tuple[int, int, float]] = []
    for number, state in enumerate(states):  # It grows meanwhile.
        for rate, then in moves(state, given):
            if then not in index:
                index[then] = len(states)
                states.append(then)
            cells.append((number, index[then], rate))
    generator = np.zeros((len(states), len(states)))
    for origin, target, rate in cells:
        generator[origin, target] += rate
        generator[origin, origin] -= rate
    generator[:, 0] = 1.0
    shares = np.linalg.solve(generator.T, np.eye(len(states))[0])
    present = np.array([[[queue.count(kind) for kind in (0, 1)] for queue in state[1:]] for state in states])
    served = np.array([[bool(state[1]) and state[1][0] == kind for kind in (0, 1)] for state in states])
    rates = shares @ served / np.array(given["service_times"][0])
    return np.tensordot(shares, present, 1), rates


@many("seed", range(40))
def test_the_answer_is_that_of_the_balance_of_all_states(seed: int) -> None:
    given = drawn(seed)
    found = qnet.Network.from_routing(**given).solve()
    present, rates = balance(given)
    np.testing.assert_allclose(found.throughput, rates, rtol=1e-9)
    np.testing.assert_allclose(found.queue_length, present, rtol=1e-9)
    assert found.exact and found.method == "states" and not found.warnings
    np.testing.assert_allclose(found.throughput * (found.response + given["think_time"]), given["population"])


def test_a_batch_has_one_method_for_all_of_it() -> None:
    given = drawn(0)
    batch = qnet.Network.from_routing(**(given | {"service_times": np.array([given["service_times"]] * 2)})).solve()
    assert not batch.exact
    named = qnet.Network.from_routing(**given).solve(batch.method)
    np.testing.assert_allclose(batch.throughput, [named.throughput] * 2, rtol=1e-12)


def test_a_batch_may_be_solved_by_its_states_by_name() -> None:
    given = drawn(0)
    batch = qnet.Network.from_routing(**(given | {"service_times": np.array([given["service_times"]] * 2)}))
    alone = qnet.Network.from_routing(**given).solve()
    np.testing.assert_allclose(batch.solve("states").residence, [alone.residence] * 2, rtol=1e-9)


def test_what_is_given_by_demands_alone_states_no_order() -> None:
    """Its approximations know none either; by name, classes visit the stations in turn."""
    network = qnet.Network([[0.1, 0.3], [0.2, 0.1]], population=[3, 2], think_time=[1.0, 2.0])
    assert not network.solve().exact
    around = qnet.Network.from_routing(
        [[0.1, 0.3], [0.2, 0.1]], [[0, 1], [1, 0]], population=[3, 2], think_time=[1.0, 2.0]
    )
    np.testing.assert_allclose(network.solve("states").residence, around.solve().residence, rtol=1e-9)


def test_classes_that_change_have_no_exact_answer() -> None:
    """Of a chain of several classes demands do not say what its customers do in turn."""
    routing = [[[[0, 0], [0.7, 0.3]], [[0, 0], [0, 1]]], [[[0.5, 0.5], [0, 0]], [[1, 0], [0, 0]]]]
    network = qnet.Network.from_routing([[0.3, 0.2], [0.4, 0.1]], routing, population=[3, 1])
    assert not network.solve().exact
    with pytest.raises(qnet.QnetError, match="QN513"):
        network.solve("states")
