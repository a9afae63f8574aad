"""A batch is its points: every figure, for every sort of network."""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest
from full import FULL
from many import many
from product_networks import SORTS, Case, random_case

import qnet
from qnet.errors import NotComputed

pytestmark = pytest.mark.sliced

np: Any = importlib.import_module("numpy")

SIZE = 5
FIGURES = ("throughput", "response", "residence", "queue_length", "utilization", "busy_servers", "response_per_visit")


def variants(case: Case, rng: random.Random) -> tuple[Case, list[Case]]:
    """A batch of like networks, and its points."""
    points: list[Case] = []
    for _ in range(SIZE):
        point = {
            **case,
            "demands": [[value * rng.uniform(0.5, 1.0) for value in row] for row in case["demands"]],
            "population": [count and rng.randint(0, count) for count in case["population"]],
            "think_time": [time * rng.uniform(0.5, 1.5) for time in case["think_time"]],
            "arrival_rate": [rate and rate * rng.uniform(0.0, 1.0) for rate in case["arrival_rate"]],
        }
        points.append(point)

    def column(name: str, kind: int) -> Any:
        values = [point[name][kind] for point in points]
        return None if values[0] is None else values

    kinds = range(len(case["population"]))
    batch = {
        **case,
        "demands": np.array([point["demands"] for point in points]),
        "population": [column("population", kind) for kind in kinds],
        "think_time": [column("think_time", kind) if case["population"][kind] is not None else 0.0 for kind in kinds],
        "arrival_rate": [column("arrival_rate", kind) for kind in kinds],
    }
    return batch, points


def same(batch: Case, points: list[Case]) -> None:
    together = qnet.Network(**batch).solve()
    stations, classes = len(points[0]["kinds"]), len(points[0]["population"])
    assert together.throughput.shape == together.response.shape == (SIZE, classes)
    assert together.residence.shape == together.queue_length.shape == together.utilization.shape
    assert together.residence.shape == (SIZE, stations, classes)
    for index, point in enumerate(points):
        alone = qnet.Network(**point).solve()
        assert together.exact and alone.exact
        for name in FIGURES:
            got, expected = getattr(together, name)[index], getattr(alone, name)
            np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-300, err_msg=name)


@pytest.mark.long
@many("seed", range(300 if FULL else 25))
@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("single", [True, False])
@many("sort", SORTS)
def test_a_batch_is_its_points(sort: str, single: bool, classes: int, seed: int):
    rng = random.Random(f"batch {sort} {single} {classes} {seed}")
    same(*variants(random_case(rng, sort, classes=classes, single=single), rng))


POINT: Case = {"demands": [[0.2], [0.5]], "population": [4], "think_time": [2.0]}


@pytest.mark.parametrize(
    "axis",
    [
        {"demands": [[[0.2], [0.5]], [[0.3], [0.1]]]},
        {"population": [[4, 7]]},
        {"population": [(4, 7)]},
        {"think_time": [[2.0, 1.0]]},
        {"demands": [[[0.2], [0.5]]], "population": [[4, 7]]},
        {"visits": [[[1.0], [3.0]], [[1.0], [3.0]]]},
        {"servers": [1, 2], "population": [[4, 7]]},
    ],
)
def test_any_argument_can_have_the_axis_of_the_batch(axis: Case):
    found = qnet.Network(**{**POINT, **axis}).solve()
    assert found.throughput.shape == (2, 1) and found.residence.shape == (2, 2, 1)


def test_arrays_and_lists_are_the_same():
    arrays = {name: np.array(value) for name, value in POINT.items()}
    assert qnet.Network(**arrays).solve().figures == qnet.Network(**POINT).solve().figures


def test_a_batch_of_one_is_a_batch():
    assert qnet.Network([[[0.2], [0.5]]], population=[4], disciplines="ps").solve().throughput.shape == (1, 1)


def test_a_batch_keeps_the_numbers_it_was_given():
    demands = np.array([[[0.2], [0.5]], [[0.3], [0.1]]])
    network = qnet.Network(demands, population=[4], disciplines="ps")
    before = network.solve().throughput.tolist()
    demands[:] = 100.0
    assert network.solve().throughput.tolist() == before


def test_the_states_of_a_batch_are_those_of_its_points():
    whole = qnet.Network([[0.2], [0.5]], population=[[4, 7]], servers=[1, 3]).solve(state_probabilities=True)
    for index, count in enumerate((4, 7)):
        point = qnet.Network([[0.2], [0.5]], population=[count], servers=[1, 3]).solve(state_probabilities=True)
        for station in range(2):
            rows = np.asarray(whole.figures.states)[index][station], point.state_probabilities[station]
            np.testing.assert_allclose(rows[0][: count + 1], rows[1], rtol=1e-11, atol=1e-300)
            assert not rows[0][count + 1 :].any()


def test_the_states_of_a_batch_have_the_axis_of_the_batch_first():
    found = qnet.Network([[0.2], [0.5]], population=[[4, 7]]).solve(state_probabilities=True)
    assert np.asarray(found.state_probabilities).shape == (2, 2, 8)
    assert found.busy_probability.shape == (2, 2)
    for index, count in enumerate((4, 7)):
        point = qnet.Network([[0.2], [0.5]], population=[count]).solve(state_probabilities=True)
        np.testing.assert_allclose(found.busy_probability[index], point.busy_probability, rtol=1e-11)


@pytest.mark.parametrize("method", ["mva", "lattice-mva"])
def test_servers_for_everybody_are_no_fixed_rate_in_a_batch(method: str):
    """A point knows that nobody waits at two servers for one customer; a batch has one structure for all."""
    asked: Case = {"servers": [2], "population": [1, 0], "think_time": [1.0, 1.0]}
    alone = qnet.Network([[1.0, 1.0]], **asked).solve(method)
    assert alone.throughput[0] == pytest.approx(0.5)
    with pytest.raises(NotComputed, match="it is for stations with fixed rates"):
        qnet.Network([[[1.0, 1.0]]] * 2, **asked).solve(method)


@pytest.mark.parametrize("method", ["convolution", "lattice-convolution", "station-states", "auto"])
def test_named_methods_take_batches_with_absent_classes(method: str):
    asked: Case = {"servers": [2], "think_time": [1.0, 1.0], "disciplines": "ps"}
    counts = ([1, 3], [0, 2])
    whole = qnet.Network([[[1.0, 0.5]]] * 2, population=list(counts), **asked).solve(method)
    for place in range(2):
        one = [column[place] for column in counts]
        alone = qnet.Network([[1.0, 0.5]], population=one, **asked).solve()
        np.testing.assert_allclose(whole.throughput[place], alone.throughput, rtol=1e-12)


def test_a_point_of_a_batch_serves_whom_the_batch_serves_first() -> None:
    batch = qnet.Network(
        demands=[[0.1, 0.2]], disciplines=["priority"], population=[[2, 3], None], think_time=[1.0, 0.0],
        arrival_rate=[None, [0.5, 0.6]], priority=[1, 0],
    )  # fmt: skip
    assert [batch.point(index).ranks(0) for index in (0, 1)] == [batch.ranks(0)] * 2


@pytest.mark.parametrize("customers", [{"population": [1, 1, 1]}, {"arrival_rate": [0.1, 0.1, 0.1]}])
def test_times_differ_at_a_variant_to_which_the_first_class_does_not_come(customers: Case) -> None:
    equal, different = [[1.0, 1.0, 1.0], [0.5, 0.5, 0.5]], [[0.0, 1.0, 3.0], [0.5, 0.5, 0.5]]
    asked: Case = {"disciplines": ["fcfs", "ps"], **customers}
    assert qnet.Network(equal, **asked).solve().exact
    alone = qnet.Network(different, **asked).solve()
    together = qnet.Network(np.array([equal, different]), **asked).solve()
    assert not alone.exact
    assert not together.exact
    assert together.response[1] == pytest.approx(alone.response)
