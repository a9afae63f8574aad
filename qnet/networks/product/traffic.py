r"""Visits of customers to the stations of a network that is given by routing probabilities.

A state is a station together with a class: after service customers go on to another state, and so may change their
class. Row i of a routing holds the probabilities to go from state i to every state; the remainder to one is the
probability to leave the network.

.. math:: v_j = e_j + \sum_i v_i\,P_{ij}

All results are sums, products and quotients of numbers that are not negative, so that no digits cancel: probabilities
of 1e-14 count with all their digits. Plain floats only.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf

from qnet.errors import InvalidInput, Problem, short
from qnet.networks.state_reduction import closed_sets, reached, reduced, turned

TOLERANCE = 1e-9
"""How far the sum of a row may differ from one."""

_ULP = 2.0**-52
"""The relative rounding of floats."""
_NAMED = 5
"""The most states that a message names."""

_Row = dict[int, float]
"""The positive probabilities of a row, by state."""


def closed_visits(
    routing: Sequence[Sequence[float]], reference: int, labels: Sequence[str] | None = None
) -> tuple[float, ...]:
    """Visits to every state between two visits to the reference, for customers that never leave.

    Applies    any routing; states outside the chain of the reference, and states that customers pass only before they
               first come to the reference, get 0.
    routing    (S, S) probabilities; every row sums to one within `TOLERANCE`, or is all 0: the state is never reached.
               The probability of remaining is one minus the others, so that its digits do not matter.
    reference  the index of the reference state, from 0.
    labels     S names of the states for messages; None: numbers from 1.
    Returns    (S,) visits per visit to the reference, 1 there.
    Method     State reduction: states are eliminated one by one, and their transitions redirected to the next states.
               Costs at most S^3 / 3 multiplications, less for rows with many zeros.
    Fails      `InvalidInput` QN230 for what is not a stochastic matrix, naming the rows; QN231 where customers at
               the reference may never return, naming the states that keep them; `NotComputed` QN502 for visits near
               the largest float.
    Source     @grassmann1985
    """
    rows = _rows(routing, labels)
    if not 0 <= reference < len(rows):
        raise _invalid(f"reference is {reference}", f"0 to {len(rows) - 1}")
    around = reached(rows, [reference])
    sums = [fsum(row.values()) for row in rows]
    wrong = [
        state for state, value in enumerate(sums) if abs(value - 1.0) > TOLERANCE and (value > 0.0 or state in around)
    ]
    _refuse_sums(wrong, sums, "1", labels)
    return _visits(rows, reference, around, "never return to the reference", labels)


def open_visits(
    routing: Sequence[Sequence[float]],
    entrance: Sequence[float],
    leaving: Sequence[float] | None = None,
    labels: Sequence[str] | None = None,
) -> tuple[float, ...]:
    """Visits to every state per arrival, for customers that arrive from outside and leave.

    Applies   any routing in which customers can leave from every state that they can reach.
    routing   (S, S) probabilities; every row sums to at most one within `TOLERANCE`.
    entrance  (S,) numbers >= 0, not all 0: probabilities or rates (all arrivals together count as one); in rates,
              throughputs are their sum times the visits.
    leaving   (S,) probabilities to leave, which complete their rows to one within `TOLERANCE`; None: one minus the
              sums of the rows, with a few units in the last place taken as 0. Needed for probabilities to leave below
              about 1e-12, whose digits are lost in the sum of the row.
    labels    S names of the states for messages; None: numbers from 1.
    Returns   (S,) visits per arrival; 0 without arrivals.
    Method    `closed_visits` with the outside as one more state, and as the reference.
    Fails     `InvalidInput` QN230 for what is no routing, naming the rows; QN231 where customers may never leave,
              naming the states that keep them; `NotComputed` QN502 for visits near the largest float.
    Source    @grassmann1985
    """
    rows = _rows(routing, labels)
    outside = len(rows)
    first = _vector(entrance, outside, "entrance")
    largest = max(first, default=0.0)
    if largest <= 0.0:
        raise _invalid("no customer enters: the entrance is 0 everywhere", "a positive entrance")
    if leaving is None:
        sums = [fsum(row.values()) for row in rows]
        wrong = [state for state, value in enumerate(sums) if value > 1.0 + TOLERANCE]
        _refuse_sums(wrong, sums, "at most 1", labels)
        out = [_missing(row) for row in rows]
    else:
        out = _vector(leaving, outside, "leaving")
        sums = [fsum((*row.values(), value)) for row, value in zip(rows, out, strict=True)]
        wrong = [state for state, value in enumerate(sums) if abs(value - 1.0) > TOLERANCE]
        _refuse_sums(wrong, sums, "1 with the probability to leave", labels)
    for row, value in zip(rows, out, strict=True):
        if value > 0.0:
            row[outside] = value
    shares = [value / largest for value in first]
    overall = fsum(shares)
    rows.append({state: value / overall for state, value in enumerate(shares) if value > 0.0})
    around = reached(rows, [outside])
    return _visits(rows, outside, around, "never leave", labels)[:outside]


def chains(
    routing: Sequence[Sequence[float]], class_of: Sequence[int], labels: Sequence[str] | None = None
) -> tuple[int, ...]:
    """The chain of every class: classes between which customers change, directly or through others, are one chain.

    Applies   open, closed and mixed networks.
    routing   (S, S) probabilities; every row sums to at most one within `TOLERANCE`.
    class_of  S numbers: the class of each state, from 0.
    labels    S names of the states for messages; None: numbers from 1.
    Returns   (R,) chain numbers, from 0 in the order of their first classes; R is the largest class plus one. A class
              that customers only leave belongs to the chain they go to, and gets no visits.
    Method    The classes of the two ends of every positive probability are united. Then every chain is searched for
              states that customers never leave.
    Fails     `InvalidInput` QN230 for what is no routing; QN231 for a chain with several sets of states that keep their
              customers: its population would not say how many are in each. Where the sets share classes, give each set
              separate classes; where customers end in one of them at random, there is no one steady state.
    Source    @baskett1975
    """
    rows = _rows(routing, labels)
    if len(class_of) != len(rows) or any(int(value) != value or value < 0 for value in class_of):
        raise _invalid("the classes of the states are not one number from 0 for each row of the routing")
    sums = [fsum(row.values()) for row in rows]
    _refuse_sums([state for state, value in enumerate(sums) if value > 1.0 + TOLERANCE], sums, "at most 1", labels)
    parent = list(range(max(class_of, default=-1) + 1))
    for state, row in enumerate(rows):
        for onward in row:
            first, second = sorted((_root(parent, class_of[state]), _root(parent, class_of[onward])))
            parent[second] = first
    numbers: dict[int, int] = {}
    result = tuple(numbers.setdefault(_root(parent, class_index), len(numbers)) for class_index in range(len(parent)))
    kept: dict[int, list[int]] = {}
    for group in closed_sets(rows, [state for state, value in enumerate(sums) if value < 1.0 - TOLERANCE]):
        chain = result[class_of[group[0]]]
        if chain in kept:
            members = [str(class_index + 1) for class_index, number in enumerate(result) if number == chain]
            which = "class " + members[0] if len(members) == 1 else "classes " + ", ".join(members)
            raise _stranded(
                f"customers of {which} remain either in {_names(kept[chain], labels)} or in {_names(group, labels)}, "
                "and never change over",
                "one set of states for each chain",
            )
        kept[chain] = group
    return result


def _root(parent: list[int], item: int) -> int:
    """The representative of a set of a union-find forest, with the path to it halved."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


def _visits(
    rows: list[_Row], reference: int, around: set[int], failing: str, labels: Sequence[str] | None
) -> tuple[float, ...]:
    """Visits per visit to the reference; raises where a state that it leads to does not lead back."""
    back = reached(turned(rows), [reference])
    stuck = sorted(around - back)
    if stuck:
        text = f"customers in {_names(stuck, labels)} {failing}"
        raise _stranded(text, "a way with a positive probability")
    visits = reduced(rows, reference, around)
    return tuple(visits.get(state, 0.0) for state in range(len(rows)))


def _missing(row: _Row) -> float:
    """One minus the sum of a row, rounded once; 0 where rounding of its entries explains the difference."""
    missing = fsum((1.0, *(-value for value in row.values())))
    return missing if missing > (len(row) + 1) * _ULP else 0.0


def _rows(routing: Sequence[Sequence[float]], labels: Sequence[str] | None) -> list[_Row]:
    """The positive entries of a square matrix of finite numbers that are not negative."""
    size = len(routing)
    if labels is not None and len(labels) != size:
        raise _invalid(f"{len(labels)} labels for {size} states")
    problems: list[Problem] = []
    rows: list[_Row] = []
    for state, row in enumerate(routing):
        values = [float(value) for value in row]
        bad = [index for index, value in enumerate(values) if not 0.0 <= value < inf]
        if len(values) != size:
            text = f"the routing from {_name(state, labels)} has {len(values)} entries"
            problems.append(Problem("QN230", text, f"{size}, one for each state"))
        elif bad:
            text = f"the routing from {_name(state, labels)} to {_name(bad[0], labels)} is {values[bad[0]]!r}"
            problems.append(Problem("QN230", text, "a probability"))
        rows.append({index: value for index, value in enumerate(values) if value > 0.0})
    if problems:
        raise InvalidInput(*problems)
    return rows


def _vector(values: Sequence[float], size: int, name: str) -> list[float]:
    numbers = [float(value) for value in values]
    if len(numbers) != size:
        raise _invalid(f"the {name} has {len(numbers)} entries for {size} states")
    if not all(0.0 <= value < inf for value in numbers):
        raise _invalid(f"the {name} has an entry that is negative or not finite")
    return numbers


def _refuse_sums(wrong: list[int], sums: list[float], expected: str, labels: Sequence[str] | None) -> None:
    if wrong:
        raise InvalidInput(
            *(
                Problem("QN230", f"the routing from {_name(state, labels)} sums to {sums[state]!r}", expected)
                for state in wrong
            )
        )


def _name(state: int, labels: Sequence[str] | None) -> str:
    return f"state {state + 1}" if labels is None else f'"{short(labels[state])}"'


def _names(states: Sequence[int], labels: Sequence[str] | None) -> str:
    shown = ", ".join(_name(state, labels) for state in states[:_NAMED])
    return shown if len(states) <= _NAMED else f"{shown} and {len(states) - _NAMED} more"


def _invalid(result: str, expected: str = "") -> InvalidInput:
    return InvalidInput(Problem("QN230", result, expected))


def _stranded(result: str, expected: str) -> InvalidInput:
    return InvalidInput(Problem("QN231", result, expected))
