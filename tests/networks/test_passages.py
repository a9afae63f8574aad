"""Visits per passage: against exact fractions, and a batch against each of its points."""

from __future__ import annotations

import importlib
import random
from fractions import Fraction
from typing import Any

import pytest
from many import many
from routing_oracles import closed_traffic, floats, random_routing

from qnet.errors import NotComputed
from qnet.networks.state_reduction import StrandedCustomers, visits_per_passage

np: Any = importlib.import_module("numpy")

Rows = list[dict[int, Any]]


def rows_of(table: list[list[float]]) -> Rows:
    return [dict(enumerate(row)) for row in table]


def batch_of(tables: list[list[list[float]]]) -> Rows:
    """Rows of arrays, one element per table."""
    size = range(len(tables[0]))
    return [{column: np.array([table[row][column] for table in tables]) for column in size} for row in size]


@many("seed", range(8))
@pytest.mark.parametrize("decades", [0, 6])
def test_visits_are_those_of_the_traffic_equations(seed: int, decades: int):
    routing = random_routing(seed, 6, decades)
    exact = closed_traffic(routing, 2)
    assert visits_per_passage(rows_of(floats(routing)), [2]) == pytest.approx([float(value) for value in exact])


@many("seed", range(4))
def test_passages_are_counted_at_several_states_together(seed: int):
    routing = random_routing(seed, 5)
    exact = closed_traffic(routing, 1)
    passages = exact[1] + exact[3]
    found = visits_per_passage(rows_of(floats(routing)), [1, 3])
    assert found == pytest.approx([float(value / passages) for value in exact])
    assert found[1] + found[3] == pytest.approx(1.0)


@pytest.mark.parametrize("references", [[0], [0, 3]])
def test_a_batch_is_each_of_its_points(references: list[int]):
    tables = [floats(random_routing(seed, 5)) for seed in range(40)]
    found = visits_per_passage(batch_of(tables), references, 40)
    for point, table in enumerate(tables):
        alone = visits_per_passage(rows_of(table), references)
        assert [value[point] for value in found] == pytest.approx(list(alone), rel=1e-14)


def test_a_batch_may_close_ways_at_some_of_its_points():
    """0 -> 1 or 2, both back; at the ends one of them is never visited."""
    share = np.array([0.0, 0.25, 1.0, 0.25])
    rows: Rows = [{1: share, 2: 1 - share}, {0: 1.0}, {0: 0.5, 2: 0.5}]
    found = visits_per_passage(rows, [0], 4)
    assert found[0].tolist() == [1.0] * 4
    assert found[1].tolist() == share.tolist()
    assert found[2].tolist() == (2 * (1 - share)).tolist()


def test_probabilities_of_a_batch_are_left_as_they_are():
    tables = [floats(random_routing(seed, 6)) for seed in range(3)]
    rows = batch_of(tables)
    before = [{to: value.copy() for to, value in row.items()} for row in rows]
    visits_per_passage(rows, [0], 3)
    assert all((row[to] == old[to]).all() for row, old in zip(rows, before, strict=True) for to in row)


def test_a_part_of_the_reference_may_be_left_for_good():
    """Customers begin as the first class and all become the second: in the long run only that one comes by."""
    assert visits_per_passage([{1: 1.0}, {2: 1.0}, {1: 1.0}], [0, 1]) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("rows", "reference", "states", "beside"),
    [
        ([{0: 0.5, 1: 0.5}, {2: 1.0}, {1: 1.0}], [0], (1, 2), ()),
        ([{1: 1.0}, {0: 1.0}, {3: 1.0}, {2: 1.0}], [0, 2], (0, 1), (2, 3)),
    ],
)
def test_customers_who_stay_away_are_named(rows: Rows, reference: list[int], states: Any, beside: Any):
    with pytest.raises(StrandedCustomers) as caught:
        visits_per_passage(rows, reference)
    assert (caught.value.states, caught.value.beside, caught.value.point) == (states, beside, None)


def test_the_first_point_at_which_customers_stay_away_is_named():
    back = np.array([0.5, 0.0, 0.25, 0.0])
    with pytest.raises(StrandedCustomers) as caught:
        visits_per_passage([{1: 1.0}, {0: back, 1: 1 - back}], [0], 4)
    assert (caught.value.states, caught.value.point) == ((1,), 1)


def test_visits_beyond_the_largest_float_are_not_computed():
    with pytest.raises(NotComputed, match="QN502"):
        visits_per_passage([{1: 1.0}, {0: np.array([0.5, 1e-300]), 1: np.array([0.5, 1.0])}], [0], 2)


def test_rare_ways_keep_their_digits():
    rare = Fraction(1, 10**14)
    rows: Rows = [{1: 1.0}, {1: 1.0, 0: float(rare)}]
    assert visits_per_passage(rows, [0])[1] == pytest.approx(float(1 / rare), rel=1e-15)
    assert visits_per_passage([{1: 1.0}, {1: 1.0, 0: np.full(2, float(rare))}], [0], 2)[1] == pytest.approx(1e14)


def test_a_thousand_points_are_one_reduction(monkeypatch: pytest.MonkeyPatch):
    import qnet.networks.state_reduction as passages

    calls = 0
    reduced = passages.reduced

    def counted(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        return reduced(*args)

    monkeypatch.setattr(passages, "reduced", counted)
    source = random.Random(1)
    share = np.array([source.uniform(0.1, 0.9) for _ in range(1000)])
    visits_per_passage([{1: share, 0: 1 - share}, {0: 1.0}], [0], 1000)
    assert calls == 1
