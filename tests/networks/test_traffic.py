"""Visits from routings, against exact fractions: every entry keeps its digits, whatever the probabilities."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from math import fsum
from typing import Any

import pytest
from many import many
from routing_oracles import Table, closed_traffic, floats, open_traffic, random_routing

from qnet.errors import InvalidInput, NotComputed
from qnet.networks.product.traffic import chains, closed_visits, open_visits

ULP = 2.0**-52


def close(found: Sequence[float], exact: Sequence[Fraction], ulps: float) -> bool:
    """Whether every entry by itself has all digits but the last few."""
    return len(found) == len(exact) and all(
        abs(Fraction(have) - want) <= want * Fraction(ulps * ULP) for have, want in zip(found, exact, strict=True)
    )


# Closed chains.


@many("seed", range(40))
@pytest.mark.parametrize("decades", [0, 12])
def test_closed_visits_solve_the_traffic_equations(seed: int, decades: int):
    size = random.Random(seed).randint(1, 9)
    table = random_routing(seed, size, decades)
    for reference in (0, size - 1):
        assert close(closed_visits(floats(table), reference), closed_traffic(table, reference), 4 * size)


def nearly_apart(coupling: Fraction) -> Table:
    """Two stations each, exchanged with often; between the pairs customers change with a tiny probability."""
    one = Fraction(1)
    return [
        [one / 3 - coupling, 2 * one / 3, coupling, Fraction(0)],
        [one, Fraction(0), Fraction(0), Fraction(0)],
        [Fraction(0), 3 * coupling, one / 7 - 3 * coupling, 6 * one / 7],
        [Fraction(0), Fraction(0), one, Fraction(0)],
    ]


@pytest.mark.parametrize("digits", [14, 30, 200])
def test_nearly_decomposable_routing_keeps_its_digits(digits: int):
    table = nearly_apart(Fraction(1, 10**digits))
    assert close(closed_visits(floats(table), 0), closed_traffic(table, 0), 16)
    assert close(closed_visits(floats(table), 3), closed_traffic(table, 3), 16)


def test_ordinary_elimination_loses_those_digits():
    np: Any = importlib.import_module("numpy")
    table = nearly_apart(Fraction(1, 10**14))
    matrix = np.eye(4) - np.array(floats(table))
    matrix[:, 0] = [1, 0, 0, 0]
    found = np.linalg.solve(matrix.T, np.array([1.0, 0, 0, 0]))
    assert not close(found.tolist(), closed_traffic(table, 0), 1e9)


@many("seed", range(10))
def test_a_change_of_reference_is_a_change_of_scale(seed: int):
    routing = floats(random_routing(seed, 6, 3))
    first, last = closed_visits(routing, 0), closed_visits(routing, 5)
    assert first[0] == last[5] == 1.0
    for one, other in zip(first, last, strict=True):
        assert one == pytest.approx(other * first[5], rel=1e-14)


@many("seed", range(10))
def test_what_flows_in_flows_out(seed: int):
    routing = floats(random_routing(seed, 8, 2))
    visits = closed_visits(routing, 3)
    for state in range(8):
        arriving = fsum(visits[source] * routing[source][state] for source in range(8))
        assert arriving == pytest.approx(visits[state], rel=1e-13)


@many("seed", range(5))
def test_the_order_of_states_does_not_matter(seed: int):
    routing = floats(random_routing(seed, 7, 6))
    order = list(range(7))
    random.Random(seed).shuffle(order)
    turned = [[routing[row][column] for column in order] for row in order]
    visits = closed_visits(routing, 2)
    assert closed_visits(turned, order.index(2)) == pytest.approx([visits[state] for state in order], rel=1e-14)


def test_the_example_of_schwetman():
    """Mean value algorithm with class changes, technical report CSD-TR-355, Purdue University 1982, figure 9."""
    routing = [[0.0] * 6 for _ in range(6)]
    routing[0][1], routing[0][2], routing[0][3] = 0.7, 0.2, 0.1
    routing[3][4], routing[3][5], routing[3][0] = 0.3, 0.5, 0.2
    routing[1][0] = routing[2][0] = routing[4][3] = routing[5][3] = 1.0
    assert [10 * value for value in closed_visits(routing, 0)] == pytest.approx([10, 7, 2, 5, 1.5, 2.5], rel=1e-15)


def test_other_chains_and_states_passed_only_at_first_get_no_visits():
    routing = [
        [0.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.5, 0.0, 0.25, 0.25, 0.0],  # passed on the way to one of the two
        [0.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0],  # nobody is ever there
    ]
    assert closed_visits(routing, 0) == (1.0, 1.0, 0.0, 0.0, 0.0)
    assert closed_visits(routing, 3) == (0.0, 0.0, 0.0, 1.0, 0.0)


def test_a_reference_that_is_not_returned_to_is_refused_by_the_names_that_keep_its_customers():
    routing = [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    with pytest.raises(InvalidInput, match=r'customers in "cpu/b", "disk/b" never return to the reference.*QN231'):
        closed_visits(routing, 0, ["cpu/a", "cpu/b", "disk/b"])


@pytest.mark.long
def test_a_long_round_costs_no_time():
    size = 1500
    routing = [[float(column == (row + 1) % size) for column in range(size)] for row in range(size)]
    assert closed_visits(routing, 700) == (1.0,) * size


def test_visits_beyond_the_largest_number_are_refused():
    routing = [[0.5, 0.5, 0.0], [0.0, 1.0, 1e-200], [1e-200, 0.0, 1.0]]
    assert closed_visits(routing, 0)[1] == pytest.approx(5e199)
    with pytest.raises(NotComputed, match="QN502"):
        closed_visits([[0.0, 1.0, 0.0], [1e-200, 0.5, 0.5], [0.0, 1e-200, 1.0]], 0)
    # 1e302 visits would do, but this probability has few digits.
    with pytest.raises(NotComputed, match="QN502"):
        closed_visits([[1.0, 1e-10], [1e-312, 1.0]], 0)


# Open chains.


@many("seed", range(40))
@pytest.mark.parametrize("decades", [0, 4])
def test_open_visits_solve_the_traffic_equations(seed: int, decades: int):
    source = random.Random(seed)
    size = source.randint(1, 9)
    table = random_routing(seed, size, decades, leaving=True)
    entrance = [Fraction(source.randint(0, 9)) for _ in range(size)]
    entrance[0] += 1
    whole = sum(entrance)
    exact = [value / whole for value in open_traffic(table, entrance)]
    out = [float(1 - sum(row)) for row in table]
    assert close(open_visits(floats(table), [float(value) for value in entrance], out), exact, 4 * size + 4)
    # Without them the digits of a probability to leave are those that the sum of its row has left.
    least = min(value for value in out if value)
    visits = open_visits(floats(table), [float(value) for value in entrance])
    assert visits == pytest.approx([float(value) for value in exact], rel=1e-13 * size / least)


@many("seed", range(10))
def test_everyone_leaves_once(seed: int):
    table = random_routing(seed, 6, 0, leaving=True)
    visits = open_visits(floats(table), [1.0, 0.0, 2.0, 0.0, 0.0, 0.0])
    assert fsum(value * float(1 - sum(row)) for value, row in zip(visits, table, strict=True)) == pytest.approx(1.0)


def test_rare_leaving_keeps_its_digits():
    rare = Fraction(1, 10**20)
    table = [[Fraction(0), 1 - 2 * rare], [1 - rare, Fraction(0)]]
    visits = open_visits(floats(table), [1.0, 0.0], [float(2 * rare), float(rare)])
    assert close(visits, open_traffic(table, [Fraction(1), Fraction(0)]), 8)
    # One subtraction alone is exact where it is rounded once.
    assert open_visits([[1 - 2.0**-40]], [1.0]) == (2.0**40,)


def test_visits_are_per_arrival_in_probabilities_and_in_rates():
    routing = [[0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.5]]
    assert open_visits(routing, [1.0, 1.0, 0.0]) == (0.5, 0.75, 0.0)
    assert open_visits(routing, [1e308, 1e308, 0.0]) == (0.5, 0.75, 0.0)
    assert open_visits(routing, [0.0, 0.0, 3.0]) == (0.0, 0.0, 2.0)


def test_customers_that_can_never_leave_are_refused_by_name():
    sevenths = [[1 / 7 if row != column else 0.0 for column in range(8)] for row in range(8)]
    assert sum(map(Fraction, sevenths[0])) < 1  # by rounding only: no way out
    with pytest.raises(InvalidInput, match=r"customers in state 1, state 2, .* and 3 more never leave.*QN231"):
        open_visits(sevenths, [1.0] + [0.0] * 7)
    trap = [[0.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    with pytest.raises(InvalidInput, match=r'customers in "disk" never leave.*QN231'):
        open_visits(trap, [1.0, 0.0, 0.0], labels=["cpu", "disk", "nobody comes here"])


# What is no routing.


@pytest.mark.parametrize(
    ("routing", "words"),
    [
        ([[0.5, 0.5], [0.9, 0.0]], r"the routing from state 2 sums to 0\.9; expected 1 "),
        ([[0.5, 0.5], [0.0, 0.0]], r"the routing from state 2 sums to 0\.0; expected 1 "),
        ([[0.5, 0.5], [1.0, 1e-8]], r"the routing from state 2 sums to 1\.00000001; expected 1 "),
        ([[0.5, 0.5], [1.5, -0.5]], r"the routing from state 2 to state 2 is -0\.5; expected a probability"),
        ([[1.0, 0.0], [0.0, 0.9]], r"the routing from state 2 sums to 0\.9; expected 1 "),
        ([[0.5, 0.5], [float("inf"), 0.0]], "the routing from state 2 to state 1 is inf; expected a probability"),
        ([[0.5, float("nan")], [1.0, 0.0]], "the routing from state 1 to state 2 is nan; expected a probability"),
        ([[0.5, 0.5], [1.0]], "the routing from state 2 has 1 entries; expected 2, one for each state"),
    ],
)
def test_a_wrong_row_is_named(routing: list[list[float]], words: str):
    with pytest.raises(InvalidInput, match=words):
        closed_visits(routing, 0)


def test_all_wrong_rows_are_named_at_once():
    with pytest.raises(InvalidInput) as caught:
        open_visits([[1.0, 1.0], [1.0, 1.0]], [1.0, 0.0], labels=["cpu", "disk"])
    assert [problem.found for problem in caught.value.problems] == [
        'the routing from "cpu" sums to 2.0',
        'the routing from "disk" sums to 2.0',
    ]
    assert {problem.expected for problem in caught.value.problems} == {"at most 1"}


def test_rows_may_be_off_by_rounding():
    assert closed_visits([[0.0, 1.0 + 9e-10], [1.0 - 9e-10, 0.0]], 0) == pytest.approx((1.0, 1.0), rel=2e-9)


@pytest.mark.parametrize(
    ("entrance", "leaving", "words"),
    [
        ([0.0, 0.0], None, "no customer enters"),
        ([1.0], None, "the entrance has 1 entries for 2 states"),
        ([1.0, -1.0], None, "the entrance has an entry that is negative or not finite"),
        ([1.0, 0.0], [0.5, float("inf")], "the leaving has an entry"),
        ([1.0, 0.0], [0.5, 0.5], r"the routing from state 2 sums to 1\.5; expected 1 with the probability to leave"),
    ],
)
def test_a_wrong_entrance_or_exit_is_refused(entrance: list[float], leaving: list[float] | None, words: str):
    with pytest.raises(InvalidInput, match=words):
        open_visits([[0.0, 0.5], [1.0, 0.0]], entrance, leaving)


def test_a_reference_or_labels_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="reference is 2; expected 0 to 1"):
        closed_visits([[0.0, 1.0], [1.0, 0.0]], 2)
    with pytest.raises(InvalidInput, match="1 labels for 2 states"):
        closed_visits([[0.0, 1.0], [1.0, 0.0]], 0, ["cpu"])


# Chains.


def test_classes_that_change_are_one_chain():
    ways = {(0, 1): 1.0, (1, 0): 0.5, (1, 4): 0.5, (4, 0): 1.0, (2, 3): 1.0, (3, 2): 1.0, (5, 6): 0.5}
    routing = [[ways.get((row, column), 0.0) for column in range(7)] for row in range(7)]
    # States 0 and 1 are of class 0, 4 of class 2; class 1 stays by itself; class 4 comes from class 3, then leaves.
    assert chains(routing, [0, 0, 1, 1, 2, 3, 4]) == (0, 1, 0, 2, 2)


def test_a_class_that_is_only_left_belongs_to_where_it_goes():
    routing = [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    assert chains(routing, [0, 1, 1]) == (0, 0)
    assert closed_visits(routing, 1) == (0.0, 1.0, 1.0)


def test_sets_of_states_that_share_classes_without_exchange_are_refused():
    # Class a at the cpu becomes b at the disk and comes back; b at the cpu becomes a at the disk and comes back.
    labels = ["cpu/a", "cpu/b", "disk/a", "disk/b"]
    routing = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    with pytest.raises(InvalidInput, match=r'classes 1, 2 remain either in "cpu/a", "disk/b" or in "cpu/b", "disk/a"'):
        chains(routing, [0, 1, 0, 1], labels)
    assert chains(routing, [0, 1, 1, 0]) == (0, 1)


def test_customers_that_end_in_one_of_two_places_by_chance_are_refused():
    routing = [[0.0, 0.5, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    with pytest.raises(InvalidInput, match=r"remain either in state 2 or in state 3, and never change over.*QN231"):
        chains(routing, [0, 1, 2])


@pytest.mark.parametrize("class_of", [[0], [0, -1], [0, 0.5]])
def test_classes_that_do_not_fit_are_refused(class_of: list[Any]):
    with pytest.raises(InvalidInput, match="the classes of the states are not one number from 0 for each row"):
        chains([[0.0, 1.0], [1.0, 0.0]], class_of)


@many("seed", range(20))
def test_chains_are_the_parts_that_visits_reach(seed: int):
    """Routings put together from several: whoever a reference sees is of its chain, and nobody else."""
    source = random.Random(seed)
    parts = [floats(random_routing(seed + number, source.randint(1, 4))) for number in range(3)]
    size = sum(map(len, parts))
    order = list(range(size))
    source.shuffle(order)
    routing = [[0.0] * size for _ in range(size)]
    part_of = [0] * size
    start = 0
    for number, part in enumerate(parts):
        for row, values in enumerate(part):
            part_of[order[start + row]] = number
            for column, value in enumerate(values):
                routing[order[start + row]][order[start + column]] = value
        start += len(part)
    found = chains(routing, range(size))
    for reference in range(size):
        visits = closed_visits(routing, reference)
        assert [value > 0 for value in visits] == [part == part_of[reference] for part in part_of]
        assert [value > 0 for value in visits] == [number == found[reference] for number in found]


def test_nothing_here_needs_numpy():
    script = "import sys, qnet.networks.product.traffic as t; t.closed_visits([[0., 1.], [1., 0.]], 0); "
    script += "print('numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
