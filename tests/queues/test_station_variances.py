"""Variances of waits, responses and numbers against brute-force Markov chains and other formulas."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any

import pytest

from qnet.queues.stations.queue import queue

np: Any = importlib.import_module("numpy")
Moves = Callable[[Any], Iterable[tuple[Any, float]]]


def states_of(start: Hashable, moves: Moves) -> dict[Any, float]:
    """The stationary distribution of the chain that is reached from a state."""
    places: dict[Any, int] = {start: 0}
    order = [start]
    for state in order:
        for following, _ in moves(state):
            if following not in places:
                places[following] = len(order)
                order.append(following)
    generator = np.zeros((len(order), len(order)))
    for state, place in places.items():
        for following, rate in moves(state):
            generator[places[following], place] += rate
            generator[place, place] -= rate
    generator[-1] = 1.0
    right = np.zeros(len(order))
    right[-1] = 1.0
    return dict(zip(order, np.linalg.solve(generator, right), strict=True))


def mean_and_variance(states: dict[Any, float], number: Callable[[Any], float]) -> tuple[float, float]:
    mean = sum(number(state) * chance for state, chance in states.items())
    return mean, sum((number(state) - mean) ** 2 * chance for state, chance in states.items())


# Two exponential classes, at most so many of each: what is cut off is below 1e-9.
RATES, SERVICES, MOST = (0.2, 0.4), (1.0, 0.5), (16, 34)


def arrivals(state: tuple[int, ...]) -> Iterable[tuple[tuple[int, ...], float]]:
    for kind in (0, 1):
        if state[kind] < MOST[kind]:
            more = list(state)
            more[kind] += 1
            yield tuple(more), RATES[kind]


def test_preemptive_classes():
    def moves(state: tuple[int, int]) -> Iterable[tuple[tuple[int, int], float]]:
        yield from arrivals(state)  # pyright: ignore[reportReturnType]
        if state[0]:
            yield (state[0] - 1, state[1]), 1 / SERVICES[0]
        elif state[1]:
            yield (0, state[1] - 1), 1 / SERVICES[1]

    states = states_of((0, 0), moves)
    found = queue(
        "M/G/1-preemptive", arrival_rate=list(RATES), service_time=list(SERVICES), scv_service=1, skewness_service=2
    )
    for kind in (0, 1):
        wanted = mean_and_variance(states, lambda state, kind=kind: state[kind])
        answer = found.classes[kind]
        assert (answer.queue_length, answer.variance_of_queue_length) == pytest.approx(wanted, rel=1e-6)


def test_non_preemptive_classes():
    def moves(state: tuple[int, int, int]) -> Iterable[tuple[tuple[int, int, int], float]]:
        one, other, served = state
        if served < 0:
            yield (1, 0, 0), RATES[0]
            yield (0, 1, 1), RATES[1]
            return
        yield from arrivals(state)  # pyright: ignore[reportReturnType]
        one, other = one - (served == 0), other - (served == 1)
        yield (one, other, 0 if one else 1 if other else -1), 1 / SERVICES[served]

    states = states_of((0, 0, -1), moves)
    found = queue(
        "M/G/1-priority", arrival_rate=list(RATES), service_time=list(SERVICES), scv_service=1, skewness_service=2
    )
    for kind in (0, 1):
        wanted = mean_and_variance(states, lambda state, kind=kind: state[kind])
        answer = found.classes[kind]
        assert (answer.queue_length, answer.variance_of_queue_length) == pytest.approx(wanted, rel=1e-6)


def test_the_second_moment_of_conway_maxwell_and_miller():
    # Theory of Scheduling, chapter 8: the second moment of the wait, head of the line, for constant service times.
    rates = [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)]
    times = [Fraction(1), Fraction(2), Fraction(1, 2)]
    found = queue("M/G/1-priority", arrival_rate=rates, service_time=times, scv_service=Fraction(0))
    third = sum(rate * time**3 for rate, time in zip(rates, times, strict=True))
    squares = [rate * time**2 for rate, time in zip(rates, times, strict=True)]
    loads = [rate * time for rate, time in zip(rates, times, strict=True)]
    for place, answer in enumerate(found.classes):
        above, through = 1 - sum(loads[:place]), 1 - sum(loads[: place + 1])
        wanted = third / (3 * above**2 * through)
        wanted += sum(squares) * sum(squares[: place + 1]) / (2 * above**2 * through**2)
        wanted += sum(squares) * sum(squares[:place]) / (2 * above**3 * through)
        assert answer.variance_of_wait + answer.wait**2 == wanted


def test_one_class_is_no_priority():
    plain = queue("M/G/1", arrival_rate=0.7, service_time=1.0, scv_service=2.0, skewness_service=4.0)
    for station in ("M/G/1-priority", "M/G/1-preemptive"):
        found = queue(station, arrival_rate=[0.7], service_time=[1.0], scv_service=[2.0], skewness_service=[4.0])
        for key in ("variance_of_wait", "variance_of_response"):
            assert getattr(found, key) == pytest.approx(getattr(plain, key), rel=1e-13)
        assert found.classes[0].variance_of_queue_length == pytest.approx(plain.variance_of_queue_length, rel=1e-13)


def test_all_customers_are_the_mixture_of_their_classes():
    found = queue("M/G/1-priority", arrival_rate=[0.3, 0.1], service_time=[1.0, 2.0], scv_service=0)
    squares = sum(item.arrival_rate * (item.variance_of_response + item.response**2) for item in found.classes)
    assert found.variance_of_response == pytest.approx(squares / 0.4 - found.response**2, rel=1e-12)


@pytest.mark.parametrize("away", [0.3, 4.0])
def test_vacations(away: float):
    # States: so many present, and whether the server is at work; exponential times.
    def moves(state: tuple[int, bool]) -> Iterable[tuple[tuple[int, bool], float]]:
        present, works = state
        if present < 150:
            yield (present + 1, works), 0.6
        if works:
            yield (present - 1, present > 1), 1.0
        elif present:
            yield (present, True), 1 / away

    wanted = mean_and_variance(states_of((0, False), moves), lambda state: state[0])
    point = {"arrival_rate": 0.6, "service_time": 1.0, "scv_service": 1.0, "vacation_time": away}
    found = queue("M/G/1-vacations", **point, skewness_service=2.0)
    assert (found.queue_length, found.variance_of_queue_length) == pytest.approx(wanted, rel=1e-9)
    stated = queue("M/G/1-vacations", **point, skewness_service=2.0, scv_vacation=1.0, skewness_vacation=2.0)
    assert stated.variance_of_wait == pytest.approx(found.variance_of_wait, rel=1e-13)


def test_batches_of_erlang_customers():
    # Batches of 1 or 4, service of two phases: states are so many present and the phases left of the one in service.
    chances = {1: 0.75, 4: 0.25}

    def moves(state: tuple[int, int]) -> Iterable[tuple[tuple[int, int], float]]:
        present, left = state
        for size, chance in chances.items():
            if present + size <= 250:
                yield (present + size, left or 2), 0.3 * chance
        if present:
            yield ((present, 1) if left == 2 else (present - 1, 2 if present > 1 else 0)), 2.0

    wanted = mean_and_variance(states_of((0, 0), moves), lambda state: state[0])
    size = sum(number * chance for number, chance in chances.items())
    squares = sum((number - size) ** 2 * chance for number, chance in chances.items())
    cubes = sum((number - size) ** 3 * chance for number, chance in chances.items())
    found = queue(
        "M[X]/G/1", arrival_rate=0.3 * size, service_time=1.0, scv_service=0.5, skewness_service=2**0.5,
        batch_size=size, scv_batch=squares / size**2, skewness_batch=cubes / squares**1.5,
    )  # fmt: skip
    assert (found.queue_length, found.variance_of_queue_length) == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("size", [1.0, 2.0, 2.3, 7.0])
def test_batches_of_exponential_customers(size: float):
    integer = math.floor(size)
    chances = {integer: 1 - (size - integer), integer + 1: size - integer}

    def moves(present: int) -> Iterable[tuple[int, float]]:
        for batch, chance in chances.items():
            if present + batch <= 250 and chance:
                yield present + batch, 0.6 / size * chance
        if present:
            yield present - 1, 1.0

    states = states_of(0, moves)
    found = queue("M[X]/M/1", arrival_rate=0.6, service_time=1.0, batch_size=size)
    assert [found.state_probability(n) for n in range(20)] == pytest.approx([states[n] for n in range(20)], rel=1e-10)
    assert found.variance_of_queue_length == pytest.approx(mean_and_variance(states, float)[1], rel=1e-9)
    # A customer meets those present, and of its own batch those before it: i with P(X > i) / E[X].
    before = [sum(chance for batch, chance in chances.items() if batch > i) / size for i in range(integer + 1)]
    met: dict[int, float] = {}
    for present, chance in states.items():
        for i, share in enumerate(before):
            met[present + i] = met.get(present + i, 0.0) + chance * share
    mean, variance = mean_and_variance(met, float)
    assert (found.wait, found.variance_of_wait) == pytest.approx((mean, mean + variance), rel=1e-9)
    time = found.wait_percentile(0.99)
    longer = sum(chance * _erlang_tail(count, time) for count, chance in met.items())
    assert longer == pytest.approx(0.01, rel=1e-9)


def _erlang_tail(phases: int, time: float) -> float:
    """P(so many exponential phases of mean 1 exceed a time)."""
    term = total = math.exp(-time)
    for n in range(1, phases):
        term *= time / n
        total += term
    return total if phases else 0.0


def shared(rates: list[float], chances: list[float], follow: list[int | None], load: float) -> tuple[float, float]:
    """Mean and variance of a response of M/PH/1-PS, service of mean 1: phase-type, in a chain with a marked customer.

    rates    of the phases; a customer begins in each with its chance, and goes on to `follow`, or leaves (None).
    """
    visits = [0.0, 0.0]
    for phase, chance in enumerate(chances):
        at: int | None = phase
        while at is not None:
            visits[at] += chance
            at = follow[at]
    shares = [load * count / rate for count, rate in zip(visits, rates, strict=True)]
    most = 26
    places = {
        (own, a, b): place
        for place, (own, a, b) in enumerate((own, a, b) for own in (0, 1) for a in range(most) for b in range(most - a))
    }
    matrix = np.zeros((len(places), len(places)))
    for (own, a, b), place in places.items():
        moves: list[tuple[Any, float]] = [
            ((own, a + (phase == 0), b + (phase == 1)), load * chance) for phase, chance in enumerate(chances) if chance
        ]
        moves.append(((follow[own], a, b) if follow[own] is not None else None, rates[own] / (a + b + 1)))
        for phase, count in enumerate((a, b)):
            if count:
                rest = [a - (phase == 0), b - (phase == 1)]
                then = follow[phase]
                if then is not None:
                    rest[then] += 1
                moves.append(((own, *rest), rates[phase] * count / (a + b + 1)))
        for following, rate in moves:
            if following is None or following in places:
                matrix[place, place] += rate
            if following in places:
                matrix[place, places[following]] -= rate
    first = np.linalg.solve(matrix, np.ones(len(places)))
    second = np.linalg.solve(matrix, 2 * first)
    weights = [
        chances[own] * (1 - load) * math.comb(a + b, a) * shares[0] ** a * shares[1] ** b for own, a, b in places
    ]
    mean = float(np.dot(weights, first))
    return mean, float(np.dot(weights, second)) - mean**2


def test_sharing_exponential_times():
    found = queue("M/G/1-PS", arrival_rate=0.4, service_time=1.0, scv_service=1)
    wanted = shared([1.0, 1.0], [1.0, 0.0], [None, None], 0.4)
    assert (found.response, found.variance_of_response) == pytest.approx(wanted, rel=1e-7)
    near = queue("M/G/1-PS", arrival_rate=0.4, service_time=1.0, scv_service=1 + 1e-12)
    assert near.variance_of_response == pytest.approx(found.variance_of_response, rel=1e-9)


def test_sharing_hyperexponential_times():
    from qnet.queues.stations.m_h_1 import balanced

    p1, p2, r1, r2 = balanced(1.0, 3.0)
    found = queue("M/G/1-PS", arrival_rate=0.4, service_time=1.0, scv_service=3.0)
    wanted = shared([r1, r2], [p1, p2], [None, None], 0.4)
    assert (found.response, found.variance_of_response) == pytest.approx(wanted, rel=1e-6)


def test_sharing_erlang_times():
    found = queue("M/G/1-PS", arrival_rate=0.4, service_time=1.0, scv_service=0.5)
    wanted = shared([2.0, 2.0], [1.0, 0.0], [1, None], 0.4)
    assert (found.response, found.variance_of_response) == pytest.approx(wanted, rel=1e-7)


def test_sharing_constant_times():
    few, many, constant = (
        queue("M/G/1-PS", arrival_rate=0.7, service_time=1.0, scv_service=scv).variance_of_response
        for scv in (1 / 200, 1 / 400, 0)
    )
    # The error of k phases is of the order 1 / k: extrapolated, of the order 1 / k^2.
    assert constant == pytest.approx(2 * many - few, rel=1e-4)
    assert queue("M/G/1-PS", arrival_rate=0.0, service_time=1.0, scv_service=0).variance_of_response == 0


def test_sharing_of_unknown_times_has_no_variance():
    assert queue("M/G/1-PS", arrival_rate=0.4, service_time=1.0).variance_of_response is None
    assert queue("M/G/1-PS", arrival_rate=0.4, service_time=1.0, scv_service=0.7).variance_of_response is None


@pytest.mark.parametrize("offered", [1e-9, 1.0, 1e9])
def test_one_place_is_busy_or_idle(offered: float):
    found = queue("M/M/1/K", arrival_rate=offered, service_time=1.0, capacity=1)
    assert found.variance_of_queue_length == pytest.approx(offered / (1 + offered) ** 2, rel=1e-13)


@pytest.mark.parametrize("load", [0.3, 0.999, 1.0, 1.001, 30.0])
def test_limited_room_for_many(load: float):
    # The recursion of the states, in fractions.
    servers, capacity = 40, 90
    offered = Fraction(load) * servers
    weights = [Fraction(1)]
    for n in range(1, capacity + 1):
        weights.append(weights[-1] * offered / min(n, servers))
    mean = sum(n * weight for n, weight in enumerate(weights)) / sum(weights)
    wanted = sum((n - mean) ** 2 * weight for n, weight in enumerate(weights)) / sum(weights)
    found = queue("M/M/c/K", arrival_rate=float(offered), service_time=1.0, servers=servers, capacity=capacity)
    assert found.variance_of_queue_length == pytest.approx(float(wanted), rel=1e-11)


def test_constant_times_need_no_skewness():
    plain = queue("M/D/1", arrival_rate=0.7, service_time=1.0)
    assert queue("M/G/1", arrival_rate=0.7, service_time=1.0, scv_service=0).variance_of_wait == plain.variance_of_wait
    assert queue("M/G/1", arrival_rate=0.7, service_time=1.0, scv_service=1).variance_of_wait is None
