"""Closed networks with routing and without product form: exact, as the balance of all states says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from many import many

import qnet

State = tuple[tuple[int, ...], ...]
"""Who thinks, then who is at each station, in the order of service: numbers of classes."""


def drawn(seed: int) -> dict[str, Any]:
    """The arguments of a closed network of two classes: each with its routing, or with customers that change class."""
    draw = np.random.default_rng([819, seed])
    stations, changing = int(draw.integers(2, 4)), seed % 3 == 0
    routing = np.zeros((stations, 2, stations, 2))
    for kind in (0, 1):
        rows = draw.dirichlet(np.ones(stations), stations) * (draw.random((stations, stations)) < 0.8)
        rows[:, 0] += 1.0 - rows.sum(1)
        for other in (0, 1):
            share = 0.4 if changing and other != kind else 0.6 if changing else float(other == kind)
            routing[:, kind, :, other] = share * rows
    word = str(draw.choice(["fcfs", "priority", "preemptive"]))
    if changing:
        word = "fcfs"
    # Customers served first who never think would leave the others nothing.
    thinking = draw.choice([0.0, 0.7, 2.0] if word == "fcfs" else [0.7, 2.0], 2)
    return {
        "service_times": np.exp(draw.uniform(-1.5, 1.0, (stations, 2))).tolist(),
        "routing": routing,
        "population": draw.integers(1, 3, 2).tolist(),
        "think_time": [float(thinking[0 if changing else kind]) for kind in (0, 1)],
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

    def sent(rest: list[tuple[int, ...]], shares: Any, rate: float, thought: bool) -> Iterator[tuple[float, State]]:
        for (before, kind), share in np.ndenumerate(shares):
            station, then = before + 1, list(rest)
            # Whoever returns to the reference, station 1 here, thinks before.
            thinks = station == 1 and given["think_time"][kind] > 0 and not thought
            if thinks:
                then[0] = tuple(sorted((*then[0], kind)))
            else:
                then[station] = joined(then[station], kind, given["disciplines"][station - 1], rank)
            if share > 0:
                yield rate * share, tuple(then)

    for kind in set(state[0]):
        count, left = state[0].count(kind), list(state[0])
        left.remove(kind)
        onward = np.eye(2)[kind : kind + 1]
        yield from sent([tuple(left), *state[1:]], onward, count / given["think_time"][kind], True)
    for station, queue in enumerate(state[1:], 1):
        if queue:
            rest = [*state]
            rest[station] = queue[1:]
            onward = given["routing"][station - 1, queue[0]]
            yield from sent(rest, onward, 1.0 / times[station - 1][queue[0]], False)


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
    chains = [rates.sum()] if len(found.throughput) == 1 else rates
    np.testing.assert_allclose(found.throughput, chains, rtol=1e-9)
    np.testing.assert_allclose(found.queue_length, present, rtol=1e-9)
    assert found.exact and found.method == "states" and not found.warnings
    people = found.throughput * (found.response + given["think_time"][: len(chains)])
    assert people.sum() == pytest.approx(sum(given["population"]))


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
    assert around.solve().exact and not network.solve("states").exact
