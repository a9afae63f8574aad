"""How far parallel steps are from their Markov chains.

Branches start together and every station serves first come first served, so that the tasks of a passage finish in each
branch in the order in which the passages began: those inside are as many as the longest branch has tasks, and of a
step that goes on with k of n branches, as many as the one of rank n - k + 1 from below has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from chain import mean, stationary
from kept_chains import kept
from measuring import assert_told
from quorum_systems import EXACT, Quorum, mean_behind, systems

from qnet.networks.parallel.bounds import closed_bounds
from qnet.networks.routed import Branch, ClosedClass, Fork, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

pytestmark = pytest.mark.sliced

Array = np.ndarray
LEVELS = 40
"""Tasks of a branch that are told apart in the chain of an open system."""


def queue(name: str, discipline: str = "fcfs", copies: int = 1) -> Station:
    return Station(name, False, 1, discipline, (Group(name, copies, 1 / copies),))


def visit(name: str, time: object, phase: int = 1) -> Hold:
    return Hold(name, (Time(time),), phase=phase)


def two_queues(first: Array, second: Array) -> Array:
    """(P, LEVELS, LEVELS): the numbers at two exponential servers of some loads, whose tasks arrive together.

    By levels of the first number: each is the one below times a matrix, found from the highest level down.
    """
    points, one = len(first), np.eye(LEVELS)
    up, down = np.eye(LEVELS, k=1), np.eye(LEVELS, k=-1)
    up[-1, -1] = 1
    leaving = np.diag((np.arange(LEVELS) > 0) * 1.0)
    arrive, leave = np.broadcast_to(up, (points, LEVELS, LEVELS)), (1 / first)[:, None, None] * one
    local = (1 / second)[:, None, None] * (down - leaving) - one
    ratios: list[Array] = []
    block = local - leave + arrive
    for level in range(LEVELS - 1, 0, -1):
        ratios.append(arrive @ np.linalg.inv(-block))
        block = local - (leave if level > 1 else 0.0) + ratios[-1] @ leave
    balance = block.swapaxes(1, 2).copy()
    balance[:, 0] = 1
    row = np.linalg.solve(balance, np.broadcast_to(one[:, :1], (points, LEVELS, 1))).swapaxes(1, 2)
    rows = [row]
    for ratio in reversed(ratios):
        rows.append(rows[-1] @ ratio)
    shares = np.concatenate(rows, axis=1)
    return shares / shares.sum((1, 2), keepdims=True)


def pair(first: object, second: object, needed: int) -> Fork:
    return Fork((Branch("a", (visit("a", first),)), Branch("b", (visit("b", second),))), needed)


def enclosed(found: RoutedSolution, exact: float):
    """The exact response lies between the bounds, and they are no wider than the theory makes them."""
    bounds = found.classes[0].enclosed
    assert bounds is not None and bounds[2] * (1 - 1e-9) <= exact <= bounds[3] * (1 + 1e-9), (bounds, exact)


def open_pair(first: Array, second: Array, needed: int) -> tuple[Array, Array]:
    """Responses of two branches with some service times at one arrival a second: found, and exact."""
    numbers = np.arange(LEVELS)
    inside = (np.minimum if needed == 1 else np.maximum)(numbers[:, None], numbers)
    asked = OpenClass("io", np.ones(len(first)), (Route("io", 1.0, (pair(first, second, needed),)),))
    found = solve(RoutedNetwork((queue("a"), queue("b")), (asked,), size=len(first)))
    return found.response, (two_queues(first, second) * inside).sum((1, 2))


@pytest.mark.long
def test_two_unlike_branches():
    """Loads up to 0.7 each; half of the steps wait for both branches, half go on with the first. Bounds hold."""
    loads = np.random.default_rng(20260).uniform(0.05, 0.7, (2, 200))
    errors: list[float] = []
    for needed, part in ((2, loads[:, :100]), (1, loads[:, 100:])):
        found, exact = open_pair(*part, needed)
        errors += (found / exact - 1).tolist()
        for first, second, response in zip(*part.tolist(), exact.tolist(), strict=True):
            asked = OpenClass("io", 1.0, (Route("io", 1.0, (pair(first, second, needed),)),))
            enclosed(solve(RoutedNetwork((queue("a"), queue("b")), (asked,))), response)
    assert_told("fork-join: two branches, open", errors)


def number_behind(system: Quorum) -> float:
    """The mean number at a queue behind two branches, as told."""
    steps = (pair(system.first, system.second, system.needed), visit("s", system.behind))
    solution = solve(
        RoutedNetwork((queue("a"), queue("b"), queue("s")), (OpenClass("io", 1.0, (Route("io", 1.0, steps),)),)),
        AUTO.replace(chain=0),
    )
    return float(next(item.queue_length for item in solution.stations if item.name == "s"))


@pytest.mark.long
def test_a_queue_behind_two_branches():
    """Half of the steps go on with the first of two branches, half with both."""
    drawn, exact = systems(200), json.loads(EXACT.read_text())
    errors = [number_behind(system) / value - 1 for system, value in zip(drawn, exact, strict=True)]
    assert_told("fork-join: a queue behind two branches, open", errors)


@pytest.mark.parametrize("place", [0, 1])
def test_what_is_kept_of_queues_behind_branches_is_what_the_chain_says(place: int):
    assert mean_behind(systems(200)[place]) == pytest.approx(json.loads(EXACT.read_text())[place], rel=1e-9)


def test_two_like_branches_are_exact():
    """Flatto and Hahn: (12 - rho) / 8 of the time of one branch; the sum of both order statistics is that of both."""
    load = np.array([0.1, 0.3, 0.5])
    for needed in (2, 1):
        found, exact = open_pair(load, load, needed)
        assert found == pytest.approx(exact, rel=1e-6)
    assert open_pair(load, load, 2)[0] == pytest.approx((12 - load) / 8 * load / (1 - load), rel=1e-9)


Tandem = tuple[float, ...]


def closed_exact(customers: int, think: float, cpu: float, branches: Sequence[Tandem]) -> float:
    """The response of customers who think, visit a processor, and then wait for all branches."""

    State = tuple[int, tuple[tuple[int, ...], ...]]

    def inside(tasks: tuple[tuple[int, ...], ...]) -> int:
        return max(sum(branch) for branch in tasks)

    def moves(state: State) -> Iterable[tuple[float, State]]:
        here, tasks = state
        yield (customers - here - inside(tasks)) / think, (here + 1, tasks)
        if here:
            yield 1 / cpu, (here - 1, tuple((branch[0] + 1, *branch[1:]) for branch in tasks))
        for place, branch in enumerate(tasks):
            for step, count in enumerate(branch):
                if count:
                    after = list(branch)
                    after[step] -= 1
                    if step + 1 < len(branch):
                        after[step + 1] += 1
                    yield 1 / branches[place][step], (here, (*tasks[:place], tuple(after), *tasks[place + 1 :]))

    shares = stationary((0, tuple((0,) * len(branch) for branch in branches)), moves)
    away = mean(shares, lambda state: customers - state[0] - inside(state[1]))
    return (customers - away) / (away / think)


@pytest.mark.long
def test_closed_classes():
    """Two or three branches of one or two stations, after a processor; 1 to 6 customers. Their bounds hold as well."""
    random = np.random.default_rng(20261)
    errors: list[float] = []
    for shape, most in (((1, 1), 6), ((1, 2), 4), ((1, 1, 1), 3), ((2, 2), 2)):
        count = 50
        customers, think = random.integers(1, most + 1, count), random.uniform(0.2, 5, count)
        cpu = random.uniform(0.1, 1, count)
        times = [[random.uniform(0.2, 2, count) for _ in range(length)] for length in shape]
        names = [[f"{place}{step}" for step in range(length)] for place, length in enumerate(shape)]
        fork = Fork(
            tuple(
                Branch(f"{place}", tuple(visit(*pair) for pair in zip(names[place], times[place], strict=True)))
                for place in range(len(shape))
            ),
            len(shape),
        )
        asked = ClosedClass("job", customers * 1.0, think, (Route("job", 1.0, (visit("cpu", cpu), fork)),))
        stations = tuple(queue(name) for name in ("cpu", *(name for row in names for name in row)))
        network = RoutedNetwork(stations, (asked,), size=count)
        found = solve(network).response
        for point in range(count):
            branches = [tuple(float(time[point]) for time in row) for row in times]
            exact = closed_exact(int(customers[point]), float(think[point]), float(cpu[point]), branches)
            _, _, low, high = closed_bounds(network.point(point))
            assert low * (1 - 1e-9) <= exact <= high * (1 + 1e-9)
            errors.append(float(found[point]) / exact - 1)
    assert_told("fork-join: closed classes", errors)


def closed_numbers(customers: int, servers: int, times: Sequence[float]) -> list[float]:
    """Numbers at a processor, at two branches, and at the servers behind them; times of thinking, and at each."""
    think, cpu, first, second, behind = times

    def moves(state: tuple[int, ...]) -> Iterable[tuple[float, tuple[int, ...]]]:
        here, one, other, after = state
        yield (customers - here - max(one, other) - after) / think, (here + 1, one, other, after)
        yield (here > 0) / cpu, (here - 1, one + 1, other + 1, after)
        yield (one > 0) / first, (here, one - 1, other, after + (one > other))
        yield (other > 0) / second, (here, one, other - 1, after + (other > one))
        yield min(after, servers) / behind, (here, one, other, after - 1)

    shares = stationary((0, 0, 0, 0), moves)
    return [mean(shares, lambda state, place=place: state[place]) for place in range(4)]


@pytest.mark.long
def test_queue_lengths_of_closed_classes():
    """One to eight customers, hardly thinking or at length; branches up to 10 apart, one or two servers behind them.

    Of queues shorter than 0.1 the error is relative to that.
    """
    random = np.random.default_rng(20262)
    errors: list[float] = []
    for customers in range(1, 9):
        for servers, discipline in ((1, "fcfs"), (2, "ps")):
            count = 13
            think = 10 ** random.uniform(-2, 0.7, count)
            cpu, first, second = (10 ** random.uniform(-0.5, 0.5, count) for _ in range(3))
            behind = servers * 10 ** random.uniform(-0.5, 0.5, count)
            steps = (visit("cpu", cpu), pair(first, second, 2), visit("behind", behind))
            asked = ClosedClass("job", float(customers), think, (Route("job", 1.0, steps),))
            last = Station("behind", False, servers, discipline, (Group("behind", 1, 1.0),))
            network = RoutedNetwork((queue("cpu"), queue("a"), queue("b"), last), (asked,), size=count)
            found = np.array([item.queue_length for item in solve(network).stations])
            for point, times in enumerate(zip(think, cpu, first, second, behind, strict=True)):
                system = customers, servers, times
                exact = np.array(kept("fork-join: numbers", system, lambda system=system: closed_numbers(*system)))
                errors.append(float(np.max(np.abs(found[:, point] - exact) / np.maximum(exact, 0.1))))
    assert_told("fork-join: closed classes, queue lengths", errors)
