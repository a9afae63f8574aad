"""The states and the stationary probabilities of a sparse Markov chain.

Chains with wide levels are solved by GMRES (`jumps`), and the balance of every state is checked.

Others, and those for which GMRES converges slowly, are solved by elimination. The states are sorted into levels by
their distance from one of them, so that transitions join neighbouring levels only; the levels are eliminated from the
last to the first, each by one dense solution. The diagonal of each remaining matrix is the sum of its other rates
(@grassmann1985), so that nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np

from qnet import budget
from qnet.networks.states.jumps import WHAT, balanced, iterated
from qnet.networks.states.program import TooLarge
from qnet.queues.arithmetic import distinct
from qnet.record import Record

State = TypeVar("State", bound=Hashable)
Made = TypeVar("Made")


_LITTLE = 2e9
"""The most operations of an elimination that is used without trying GMRES."""
A_STATE, _A_MOVE, AT_ONCE = 2e3, 4e3, 256
"""Operations of a state and of each of its transitions; states that are charged together."""
_A_PART, _PART_BYTES = 40.0, 10.0
"""Operations and bytes of each customer that waits in line in a state."""
FEW = 128
"""The number of states from which a table of changes is faster."""
_A_LEVEL = 2 * budget.CALL
"""Operations of the elimination of a level, however few states it has."""
_FEW_FAR = 64
"""The number of states at one distance from which arrays are faster."""
_ROOTS = 100
"""The most states that are tried as a recurrent one."""
_ROOM = 64e6
"""Bytes of the matrices of chains that are eliminated together, and of levels that are filled together."""
_FIRST_TOGETHER = 8
"""The most chains that are eliminated together before it is known how many are needed."""
_KEPT, _KEPT_STATES = 3, 30_000
"""The number of structures that are kept, and the most states of one."""


class Passing(Record):
    """The transitions with a mark."""

    states: Any
    """The states where they begin, by number, as an array."""
    rates: Any
    """Their rate from each, as an array; (states, chains) if several chains are walked together."""

    def often(self, shares: Any) -> float:
        """Transitions per second of one chain.

        shares  by state: its probability, or 0 where it is left out.
        """
        # Summed in order, so that the sum does not depend on the computer.
        return float(sum((self.rates * shares[self.states]).tolist()))


class Walk(Record):
    """The states that can be reached, and their transitions.

    If several chains are walked together, a rate is an array by chain.
    """

    states: Sequence[Any]
    sources: Sequence[int]
    targets: Sequence[int]
    rates: Any
    ended: dict[int, Passing]
    """By mark: the transitions that have it, counted as often as they have it."""
    shape: Pattern
    position: int = -1
    """The index among the chains of the pattern, if several are walked together."""


class WalkSoFar(Record):
    """A walk after its first states: the arguments and the locals of `walk`."""

    states: Sequence[Any]
    sources: Sequence[int]
    targets: Sequence[int]
    rates: Sequence[Any]
    ended: Mapping[int, Mapping[int, Any]]
    number: int
    """The next state to expand."""
    moved: int
    """Transitions since the last charge."""
    charged: float
    size: float
    most: int
    room: float


class Onward(Protocol):
    """A faster continuation of a walk: `tabled.TabledWalk`."""

    paid: int
    """The number of states whose work it has charged."""

    def rest(self, begun: WalkSoFar) -> Walk | None:
        """The entire walk; None where it has to continue state by state."""
        ...


def walk(
    first: State,
    moves: Callable[[State], list[tuple[float, State, tuple[int, ...]]]],
    most: int,
    extent: Callable[[State], float] | None = None,
    tabled: Callable[[], Onward] | None = None,
    few: int = FEW,
) -> Walk:
    """Find every state that can be reached from one.

    first    the state to begin with.
    moves    from a state to its transitions: rate, state after it, and marks.
    most     the most states.
    extent   the size of a state, in customers that wait in line.
    tabled   makes the continuation for more than a few states; None for none.
    few      the number of states after which it takes over.
    Raises   `TooLarge` beyond `most` states, and where they take more memory than there is.
    """
    size = charged = 0.0
    room = budget.memory() / _PART_BYTES
    numbers = {first: 0}
    states: list[Any] = [first]
    sources: list[int] = []
    targets: list[int] = []
    rates: list[float] = []
    ended: dict[int, dict[int, float]] = {}
    moved = paid = 0
    for number, state in enumerate(states):
        if number == few and tabled is not None:
            begun = WalkSoFar(
                states=states, sources=sources, targets=targets, rates=rates, ended=ended, number=number, moved=moved,
                charged=charged, size=size, most=most, room=room,
            )  # fmt: skip
            table = tabled()
            if result := table.rest(begun):
                return result
            paid = table.paid
        if not number % AT_ONCE:
            if number >= paid:
                charge(moved, size - charged)
            moved, charged = 0, size
        onward = moves(state)
        moved += len(onward)
        for rate, after, marks in onward:
            for mark in marks:
                often = ended.setdefault(mark, {})
                often[number] = often.get(number, 0.0) + rate
            index = numbers.get(after)
            if index is None:
                index = numbers[after] = len(states)
                states.append(after)
                if extent:
                    size += extent(after)
                if index >= most or size > room:
                    raise TooLarge
            if index != number:
                sources.append(number)
                targets.append(index)
                rates.append(rate)
    passing = {mark: Passing(np.array(list(table)), _stacked(list(table.values()))) for mark, table in ended.items()}
    return Walk(
        states=states, sources=sources, targets=targets, rates=rates, ended=passing,
        shape=Pattern(structure_of(states, sources, targets)),
    )  # fmt: skip


def charge(moved: int, extent: float) -> None:
    """Charge `AT_ONCE` states.

    moved    their transitions.
    extent   the size of the new states, in customers that wait in line.
    """
    budget.spend(A_STATE * AT_ONCE + _A_MOVE * moved + _A_PART * extent, WHAT)


def _stacked(rates: Sequence[Any]) -> Any:
    """Rates as an array: (rates,), or (rates, chains) where some of them are arrays by chain."""
    sizes = {len(rate) for rate in rates if not isinstance(rate, float)}
    if not sizes:
        return np.array(rates, dtype=float)
    result = np.empty((len(rates), *sizes))
    for number, rate in enumerate(rates):
        result[number] = rate
    return result


def stationary(result: Walk, operations: float) -> Any:
    """The long-run share of time in every state: an array that sums to 1.

    result      the walk of the chain.
    operations  the most that an elimination may take.
    Returns     the shares; 0 for transient states.
    Raises      `TooLarge` beyond `operations`; `ArithmeticError` where there are several recurrent sets of states, or
                where the balance of some state is off by more than rounding.
    """
    if len(result.states) == 1:
        return np.ones(1)
    rates = np.array(result.rates, dtype=float)
    if not np.isfinite(rates).all():
        raise ArithmeticError("some rates are not finite")
    if result.position >= 0:
        shares = result.shape.together(result.position)
        if shares is not None:
            return shares
    # By a power of two, so that sums remain finite and no digit changes.
    rates = np.ldexp(rates, -int(np.frexp(rates.max())[1]))
    with np.errstate(all="ignore"):  # Results that are not finite are never in balance.
        return _stationary(result.shape, rates, operations)


def _stationary(shape: Pattern, rates: Any, operations: float) -> Any:
    """As `stationary`, for finite rates."""
    structure = shape.structure
    recurrent = structure.recurrent
    if recurrent is None:
        return _connected(structure.core, rates, operations)
    shares = np.zeros(len(recurrent))
    shares[recurrent] = _connected(structure.core, rates[structure.inside], operations)
    return shares


class Pattern:
    """Chains that differ only in their rates."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.made: dict[Any, Any] = {}
        """Arrays over the states that are computed once, by key."""
        self.rates: Any = None
        """(T, P) the rates of all transitions, by chain, if chains are walked together."""
        self.shares: dict[int, Any] = {}
        """By chain, its known long-run shares; None if it has to be solved alone."""
        self.asked = 0
        """The number of chains that were requested."""
        self.every = False
        """Whether all chains will be needed, as those whose states do not depend on the answer."""

    def together(self, position: int) -> Any:
        """As `stationary`, for one of the chains that are walked together; None where it has to be solved alone.

        With it as many of the following ones are eliminated as were requested before; all that fit, if all are needed.
        """
        if position not in self.shares:
            least = self.structure.core.first_together
            most = self.rates.shape[1] if self.every else max(self.asked, least)
            end = min(position + min(most, self.structure.core.most_together), self.rates.shape[1])
            several = [number for number in range(position, end) if number not in self.shares]
            self.shares |= zip(several, _solved_together(self, several), strict=True)
        self.asked += 1
        shares = self.shares[position]
        if shares is not None:
            _charge(self.structure.core)
        return shares


class Structure:
    """The states and transitions of chains without their rates; all states are reached from the first."""

    def __init__(self, states: Sequence[Any], sources: Sequence[int], targets: Sequence[int]) -> None:
        self.states = states
        self.ends = sources, targets
        self.made: dict[Any, Any] = {}
        """Results of `once`."""

    def once(self, function: Callable[[Sequence[Any], int], Made], size: int) -> Made:
        """The result of a function of the states and a number, computed once for all chains."""
        key = function, size
        if key not in self.made:
            self.made[key] = function(self.states, size)
        return self.made[key]

    @cached_property
    def arrays(self) -> tuple[Any, Any]:
        """The sources and the targets of all transitions."""
        sources, targets = self.ends
        return np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64)

    @cached_property
    def recurrent(self) -> Any:
        """Whether each state is recurrent; None where all are. Raises as `_recurrent`."""
        return _recurrent(len(self.states), *self.arrays)

    @cached_property
    def inside(self) -> Any:
        """Whether each transition begins at a recurrent state."""
        return self.recurrent[self.arrays[0]]

    @cached_property
    def core(self) -> _Core:
        """The recurrent states."""
        sources, targets = self.arrays
        if self.recurrent is None:
            return _Core(len(self.states), sources, targets)
        number = np.cumsum(self.recurrent) - 1
        return _Core(int(self.recurrent.sum()), number[sources[self.inside]], number[targets[self.inside]])


class _Core:
    """States that are all reached from all others, and their levels."""

    def __init__(self, size: int, sources: Any, targets: Any) -> None:
        self.size = size
        self.sources = sources
        self.targets = targets

    @cached_property
    def levels(self) -> Any:
        """The level of every state: its distance from a state that was chosen for many levels."""
        both = np.concatenate([self.sources, self.targets]), np.concatenate([self.targets, self.sources])
        graph = _Graph(self.size, *both)
        levels = graph.levels(0)
        for _ in range(2):
            tried = graph.levels(int(levels.argmax()))
            if tried.max() <= levels.max():
                break
            levels = tried
        return levels

    @cached_property
    def widths(self) -> Any:
        """The number of states in every level."""
        return np.bincount(self.levels)

    @cached_property
    def order(self) -> Any:
        """The states, level by level."""
        return np.argsort(self.levels, kind="stable")

    @cached_property
    def first_together(self) -> int:
        """The chains eliminated together at first: with narrow levels, calls take longer than their arithmetic."""
        widths = self.widths.astype(float)
        return int(min(max(_A_LEVEL * len(widths) / (3.0 * float((widths**3).sum())), 1.0), _FIRST_TOGETHER))

    @cached_property
    def most_together(self) -> int:
        """The most chains that there is memory to eliminate together."""
        return max(int(_ROOM / (32.0 * float((self.widths.astype(float) ** 2).sum()))), 1)

    @cached_property
    def table(self) -> _Table:
        """The cells of the transitions in the matrices of the levels."""
        levels, widths = self.levels, self.widths
        before = np.concatenate([[0], widths[:-1]])
        # The first level is not eliminated.
        sizes = np.where(before > 0, widths * (widths + 2 * before), 0)
        begins = np.concatenate([[0], np.cumsum(sizes)])
        index = np.empty(self.size, dtype=np.int64)
        index[self.order] = np.arange(self.size)
        index -= np.concatenate([[0], np.cumsum(widths)])[levels]
        source, target = levels[self.sources], levels[self.targets]
        at = np.maximum(source, target)
        wide, near = widths[at], before[at]
        down, up = source > target, source < target
        row, column = index[self.sources], index[self.targets]
        cells = begins[at] + row * np.where(down, near, wide) + column
        cells += np.where(down, wide**2, 0) + np.where(up, wide * (wide + near), 0)
        inside = np.flatnonzero(at > 0)
        chosen = inside[np.argsort(cells[inside], kind="stable")]
        return _Table(chosen, cells[chosen], begins, widths)


class _Table(Record):
    """The matrices of all levels but the first: transitions within a level, to the one before, and from there."""

    chosen: Any
    """The transitions in the order of their cells."""
    cells: Any
    """Their cells in the sequence of all matrices."""
    begins: Any
    """Where the matrices of each level begin, and where the last ones end."""
    widths: Any
    """The number of states in every level."""

    def matrices(self, rates: Any) -> Iterator[tuple[int, Any, Any, Any]]:
        """The levels, the last one first, with their matrices by chain for rates (T, P); many are filled at once."""
        chains: int = rates.shape[1]
        end = len(self.widths)
        while end > 1:
            room = float(self.begins[end]) - _ROOM / 8 / chains
            first = min(max(int(np.searchsorted(self.begins, room)), 1), end - 1)
            base, size = int(self.begins[first]), int(self.begins[end] - self.begins[first])
            part = slice(int(np.searchsorted(self.cells, base)), int(np.searchsorted(self.cells, base + size)))
            cells: Any = np.arange(chains)[:, None] * size + (self.cells[part] - base)
            filled = np.bincount(cells.ravel(), rates[self.chosen[part]].T.ravel(), chains * size)
            # Without any transitions the sums are integers.
            table = filled.astype(float, copy=False).reshape(chains, size)
            for level in range(end - 1, first - 1, -1):
                wide, near = int(self.widths[level]), int(self.widths[level - 1])
                begin = int(self.begins[level]) - base
                ends = begin + wide**2, begin + wide * (wide + near), begin + wide * (wide + 2 * near)
                yield (
                    level,
                    table[:, begin : ends[0]].reshape(chains, wide, wide),
                    table[:, ends[0] : ends[1]].reshape(chains, wide, near),
                    table[:, ends[1] : ends[2]].reshape(chains, near, wide),
                )
            end = first


def structure_of(states: Sequence[Any], sources: Sequence[int], targets: Sequence[int]) -> Structure:
    """The structure of a walk: a recent one if it is the same, or a new one.

    states, sources, targets   lists, or arrays and coded states, as of `Walk`.
    """
    account = budget.current()
    for other in () if account is None else account.structures:
        if _same(other.ends[0], sources) and _same(other.ends[1], targets) and _same(other.states, states):
            return other
    result = Structure(states, sources, targets)
    if account is not None and len(states) <= _KEPT_STATES:
        account.structures[:] = [result, *account.structures[: _KEPT - 1]]
    return result


def _same(one: Any, two: Any) -> bool:
    """Whether two lists, arrays or coded states of the same type are equal."""
    if type(one) is not type(two) or len(one) != len(two):
        return False
    if isinstance(one, list):
        return one == two
    return one.same(two) if hasattr(one, "same") else bool(np.array_equal(one, two))


def _recurrent(size: int, sources: Any, targets: Any) -> Any:
    """Whether each state is recurrent; None where all are. Raises `ArithmeticError` for several recurrent sets."""
    onward, backward = _Graph(size, sources, targets), _Graph(size, targets, sources)
    root = 0
    for turn in range(_ROOTS):
        behind = backward.levels(root)
        if not turn and (behind >= 0).all():
            return None
        ahead = onward.levels(root)
        never_back = (ahead >= 0) & (behind < 0)
        if not never_back.any():
            if (behind < 0).any():
                break
            return None if (ahead >= 0).all() else ahead >= 0
        # The farthest states are the least likely to be transient.
        root = int(np.where(never_back, ahead, -1).argmax())
    raise ArithmeticError("it has several sets of states that are never left")


def _connected(core: _Core, rates: Any, operations: float) -> Any:
    """As `stationary`, if all states are reached from all others."""
    if core.size == 1:
        return np.ones(1)
    widths = core.widths.astype(float)
    work = 3.0 * float((widths**3).sum())
    if work > _LITTLE:
        shares = iterated(core.size, core.sources, core.targets, rates)
        if shares is not None:
            return shares
        if work > operations:
            raise TooLarge
    _charge(core)
    shares = _eliminated(core, rates[:, None])[:, 0]
    _check(shares, core.sources, core.targets, rates)
    return shares


def _charge(core: _Core) -> None:
    """Charge an elimination."""
    widths = core.widths.astype(float)
    budget.spend(3.0 * float((widths**3).sum()) / 16 + _A_LEVEL * len(widths), WHAT)
    budget.reserve(32.0 * float((widths**2).sum()), WHAT)


def _solved_together(shape: Pattern, chosen: Sequence[int]) -> list[Any]:
    """The shares of some chains of a pattern, as `stationary`; None for those that have to be solved alone."""
    alone: list[Any] = [None] * len(chosen)
    rates: Any = np.asarray(shape.rates[:, chosen], dtype=float)
    recurrent, core = shape.structure.recurrent, shape.structure.core
    inside = rates if recurrent is None else rates[shape.structure.inside]
    widths = core.widths.astype(float)
    if len(chosen) < 2 or core.size == 1 or 3.0 * float((widths**3).sum()) > _LITTLE:
        return alone
    if not np.isfinite(rates).all():
        return alone
    inside = np.ldexp(inside, -np.frexp(inside.max(axis=0))[1])
    result: list[Any] = []
    with np.errstate(all="ignore"):
        try:
            every = _eliminated(core, inside)
        except ArithmeticError:
            return alone
        for position in range(len(chosen)):
            shares = every[:, position]
            try:
                _check(shares, core.sources, core.targets, inside[:, position])
            except ArithmeticError:
                result.append(None)
                continue
            if recurrent is not None:
                inner, shares = shares, np.zeros(len(recurrent))
                shares[recurrent] = inner
            result.append(shares)
    return result


class _Graph:
    """The neighbours of every state."""

    def __init__(self, size: int, sources: Any, targets: Any) -> None:
        self.size = size
        order = np.argsort(sources, kind="stable")
        self.targets = targets[order]
        self.begins = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=size))])

    @cached_property
    def lists(self) -> tuple[list[int], list[int]]:
        """The index of the first target of every state, and the targets."""
        return self.begins.tolist(), self.targets.tolist()

    def levels(self, root: int) -> Any:
        """The distance of every state from one; -1 where there is no path."""
        near_ones, fronts = self._near_ones(root)
        level = np.array(near_ones)
        front, distance = np.array(fronts[-1]), len(fronts) - 1
        budget.spend(budget.CALL * distance, WHAT)
        while len(front):
            budget.spend(budget.CALL, WHAT)
            distance += 1
            counts = self.begins[front + 1] - self.begins[front]
            starts = np.repeat(self.begins[front] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
            near = self.targets[starts + np.arange(counts.sum())]
            front = distinct(near[level[near] < 0])
            level[front] = distance
        return level

    def _near_ones(self, root: int) -> tuple[list[int], list[list[int]]]:
        """The distances one state after the other, as long as few are equally far, and the states by distance."""
        begins, targets = self.lists
        level = [-1] * self.size
        level[root] = 0
        fronts = [[root]]
        while 0 < len(fronts[-1]) < _FEW_FAR:
            distance, front = len(fronts), list[int]()
            for state in fronts[-1]:
                for near in targets[begins[state] : begins[state + 1]]:
                    if level[near] < 0:
                        level[near] = distance
                        front.append(near)
            fronts.append(front)
        return level, fronts


def _eliminated(core: _Core, rates: Any) -> Any:
    """(S, P) shares of several chains with the rates (T, P): elimination level by level, then back substitution."""
    count = len(core.widths)
    ways: list[Any] = [None] * count
    solve: Any = np.linalg.solve
    more = None
    for level, within, back, forth in core.table.matrices(rates):
        diagonal = range(within.shape[1])
        if more is not None:
            within = within + more
        within[:, diagonal, diagonal] = 0.0
        leaving = within.sum(2) + back.sum(2)
        within = -within
        within[:, diagonal, diagonal] = leaving
        try:
            ways[level] = solve(within.transpose(0, 2, 1), forth.transpose(0, 2, 1)).transpose(0, 2, 1)
        except np.linalg.LinAlgError:
            raise ArithmeticError("some states are hardly ever left") from None
        more = ways[level] @ back
    row: Any = np.ones((rates.shape[1], 1))
    shares, logs = [row], [np.zeros(rates.shape[1])]
    for level in range(1, count):
        row = (row[:, None, :] @ ways[level])[:, 0, :]
        largest = row.max(1)
        if not (largest > 0.0).all():
            raise ArithmeticError("some probabilities are too small to be distinguished from 0")
        row = row / largest[:, None]
        shares.append(row)
        logs.append(logs[-1] + np.log(largest))
    top = np.max(logs, axis=0)
    overall = np.empty((core.size, rates.shape[1]))
    weighted = [part * np.exp(log - top)[:, None] for part, log in zip(shares, logs, strict=True)]
    overall[core.order] = np.concatenate(weighted, axis=1).T
    return overall / overall.sum(axis=0)


def _check(shares: Any, sources: Any, targets: Any, rates: Any) -> None:
    """Raise where the shares are not probabilities, or the flow into a state differs from the flow out of it."""
    if not np.isfinite(shares).all() or shares.min() < 0 or not balanced(shares, sources, targets, rates):
        raise ArithmeticError("the probabilities of the states are not in balance")
