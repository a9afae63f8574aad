"""The stationary probabilities of a sparse Markov chain.

Chains with wide levels are solved by GMRES on the chain of jumps, with a few jumps as preconditioner (Saad and
Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869; for Markov chains: Stewart, Introduction to the Numerical Solution
of Markov Chains, 1994, chapter 4), and the balance of every state is checked.

Others, and those that GMRES is slow for, are solved by elimination. The states are sorted into levels by their
distance from one of them, so that transitions join neighbouring levels only; the levels are eliminated from the last
to the first, each by one dense solution. The diagonal of what is left is the sum of its other rates (Grassmann,
Taksar, Heyman, Operations Research 33 (1985) 1107-1116), so that nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from qnet import budget
from qnet.lazy import np
from qnet.queues.arithmetic import distinct
from qnet.record import Record

State = TypeVar("State", bound=Hashable)
Made = TypeVar("Made")


_LITTLE = 2e9
"""Operations of an elimination that is used at once."""
A_STATE, _A_MOVE, _AT_ONCE = 2e3, 4e3, 256
"""Operations that a state takes, and each of its transitions; states that are charged together."""
_A_PART, _PART_BYTES = 40.0, 10.0
"""Operations and bytes, likewise, for each customer that waits in line."""
_A_LEVEL = 2 * budget.CALL
"""Operations of the elimination of a level, however few states it has."""
_BASIS, _JUMPS, _ROUNDS = 40, 4, 8
"""Of GMRES: vectors between restarts, jumps of the preconditioner, restarts."""
_ROOTS = 100
"""States that are tried as one that is visited again and again."""
_ROOM = 64e6
"""Bytes of the matrices of chains that are eliminated together."""
_KEPT, _KEPT_STATES = 3, 30_000
"""The latest structures that are kept, and the most states of one."""
_CLOSE = 1e-14
"""The residual of GMRES, as a share of that at equal probabilities."""

WHAT = "the states of a Markov chain"


class TooLarge(Exception):
    """There are more states, or more work, than the budget allows."""


class Passing(Record):
    """The transitions with a mark."""

    states: Any
    """The states that they begin at, by number, as an array."""
    rates: Any
    """Their rate from each, as an array; where rates of several chains are walked together, (states, chains)."""

    def often(self, shares: Any) -> float:
        """How many there are per second, of one chain.

        shares  by state: its probability, or 0 where it is left out.
        """
        # One after the other, so that the sum does not depend on the machine.
        return float(sum((self.rates * shares[self.states]).tolist()))


class Walk(Record):
    """The states that can be reached, and their transitions.

    Where rates of several chains are walked together, a rate is an array of them.
    """

    states: list[Any]
    sources: list[int]
    targets: list[int]
    rates: Any
    ended: dict[int, Passing]
    """By mark: the transitions that have it, each as often as it has."""
    shape: Pattern
    position: int = -1
    """Which of the chains of the shape it is, where several are walked together."""


def walk(
    first: State,
    moves: Callable[[State], list[tuple[float, State, tuple[int, ...]]]],
    most: int,
    extent: Callable[[State], float] | None = None,
) -> Walk:
    """Find every state that can be reached from one.

    moves    from a state to its transitions: rate, state after it, and marks.
    extent   the size of a state, in customers that wait in line.
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
    moved = 0
    for number, state in enumerate(states):
        if not number % _AT_ONCE:
            budget.spend(A_STATE * _AT_ONCE + _A_MOVE * moved + _A_PART * (size - charged), WHAT)
            moved, charged = 0, size
        onward = moves(state)
        moved += len(onward)
        for rate, after, marks in onward:
            for mark in marks:
                table = ended.setdefault(mark, {})
                table[number] = table.get(number, 0.0) + rate
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
        shape=Pattern(_structure(states, sources, targets)),
    )  # fmt: skip


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

    operations  how many the elimination may take.
    Returns     0 for states that are left for good.
    Raises      `TooLarge` beyond them; `ArithmeticError` where there are several sets of states that are never left, or
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
    with np.errstate(all="ignore"):  # What is not finite is no balance, and never an answer.
        return _stationary(result.shape, rates, operations)


def _stationary(shape: Pattern, rates: Any, operations: float) -> Any:
    """As `stationary`, of finite rates."""
    structure = shape.structure
    recurrent = structure.recurrent
    if recurrent is None:
        return _connected(structure.core, rates, operations)
    shares = np.zeros(len(recurrent))
    shares[recurrent] = _connected(structure.core, rates[structure.inside], operations)
    return shares


class Pattern:
    """Chains that differ in their rates only."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.made: dict[Any, Any] = {}
        """What the states are to their machines; made once."""
        self.rates: Any = None
        """(T, P) those of all transitions, of chains that are walked together."""
        self.shares: dict[int, Any] = {}
        """By chain, their long-run shares as far as they are known; None for what is to be solved alone."""
        self.asked = 0

    def together(self, position: int) -> Any:
        """As `stationary`, of one of the chains that are walked together; None where it is to be solved alone.

        Method   With each of them as many of those after it are eliminated as were asked for before.
        """
        if position not in self.shares:
            end = min(position + max(self.asked, 1), self.rates.shape[1])
            several = [number for number in range(position, end) if number not in self.shares]
            self.shares |= zip(several, _solved_together(self, several), strict=True)
        self.asked += 1
        shares = self.shares[position]
        if shares is not None:
            _charge(self.structure.core)
        return shares


class Structure:
    """The states and transitions of chains, the first of which all others are reached from, and what follows from these
    alone."""

    def __init__(self, states: Sequence[Any], sources: Sequence[int], targets: Sequence[int]) -> None:
        self.states = states
        self.ends = sources, targets
        self.made: dict[Any, Any] = {}
        """What follows from the states and a number."""

    def once(self, function: Callable[[Sequence[Any], int], Made], size: int) -> Made:
        """What a function makes of the states and a number that all chains share; made once."""
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
        """Which states are visited again and again; None where all are. Raises as `_recurrent`."""
        return _recurrent(np, len(self.states), *self.arrays)

    @cached_property
    def inside(self) -> Any:
        """Which transitions begin at such states."""
        return self.recurrent[self.arrays[0]]

    @cached_property
    def core(self) -> _Core:
        """The states that are visited again and again."""
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
        """The level of every state, by its distance from one of them: of a few, the one with the most levels."""
        both = np.concatenate([self.sources, self.targets]), np.concatenate([self.targets, self.sources])
        graph = _Graph(np, self.size, *both)
        levels = graph.levels(0)
        for _ in range(2):
            tried = graph.levels(int(levels.argmax()))
            if tried.max() <= levels.max():
                break
            levels = tried
        return levels

    @cached_property
    def widths(self) -> Any:
        """How many states every level has."""
        return np.bincount(self.levels)

    @cached_property
    def order(self) -> Any:
        """The states, level by level."""
        return np.argsort(self.levels, kind="stable")

    @cached_property
    def blocks(self) -> list[tuple[_Block, _Block, _Block]]:
        """Of every level but the first the transitions within it, to the one before, and from there."""
        levels, widths, sources, targets = self.levels, self.widths, self.sources, self.targets
        count = len(widths)
        index = np.empty(self.size, dtype=np.int64)
        index[self.order] = np.arange(self.size)
        index -= np.concatenate([[0], np.cumsum(widths)])[levels]
        grouped = np.argsort(levels[sources], kind="stable")
        ends = np.concatenate([[0], np.cumsum(np.bincount(levels[sources], minlength=count))])

        def block(level: int, other: int) -> _Block:
            selected = grouped[ends[level] : ends[level + 1]]
            selected = selected[levels[targets[selected]] == other]
            cells = index[sources[selected]] * widths[other] + index[targets[selected]]
            return _Block(selected, cells, (int(widths[level]), int(widths[other])))

        return [(block(at, at), block(at, at - 1), block(at - 1, at)) for at in range(1, count)]


class _Block(Record):
    """Transitions from one level to another."""

    selected: Any
    cells: Any
    """Where they are in the matrix of the two levels, row by row."""
    size: tuple[int, int]

    def filled(self, rates: Any) -> Any:
        """The matrices of several chains, of rates by transition and chain."""
        rows, columns = self.size
        count: int = rates.shape[1]
        cells: Any = np.arange(count)[:, None] * (rows * columns) + self.cells
        result = np.bincount(cells.ravel(), rates[self.selected].T.ravel(), count * rows * columns)
        # Of no transitions at all the sums are integers.
        return result.astype(float).reshape(count, rows, columns)


def _structure(states: list[Any], sources: list[int], targets: list[int]) -> Structure:
    """The structure of a walk: of the latest ones, where it is that of one of them."""
    account = budget.current()
    for other in () if account is None else account.structures:
        if other.ends == (sources, targets) and other.states == states:
            return other
    result = Structure(states, sources, targets)
    if account is not None and len(states) <= _KEPT_STATES:
        account.structures[:] = [result, *account.structures[: _KEPT - 1]]
    return result


def _recurrent(np: Any, size: int, sources: Any, targets: Any) -> Any:
    """Which states are visited again and again; None where all are. Raises `ArithmeticError` where no single set is."""
    onward, backward = _Graph(np, size, sources, targets), _Graph(np, size, targets, sources)
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
        # The farthest are the least likely to be left for good.
        root = int(np.where(never_back, ahead, -1).argmax())
    raise ArithmeticError("some states are never left, and others are never reached from them")


def _connected(core: _Core, rates: Any, operations: float) -> Any:
    """As `stationary`, where all states are reached from all others."""
    if core.size == 1:
        return np.ones(1)
    widths = core.widths.astype(float)
    work = 3.0 * float((widths**3).sum())
    if work > _LITTLE:
        shares = _iterated(np, core.size, core.sources, core.targets, rates)
        if shares is not None:
            return shares
        if work > operations:
            raise TooLarge
    _charge(core)
    shares = _eliminated(core, rates[:, None])[:, 0]
    _check(np, shares, core.sources, core.targets, rates)
    return shares


def _charge(core: _Core) -> None:
    """Charge an elimination."""
    widths = core.widths.astype(float)
    budget.spend(3.0 * float((widths**3).sum()) / 16 + _A_LEVEL * len(widths), WHAT)
    budget.reserve(32.0 * float((widths**2).sum()), WHAT)


def _solved_together(shape: Pattern, chosen: Sequence[int]) -> list[Any]:
    """The shares of some chains of a shape, as `stationary`; None for those that are to be solved alone."""
    alone: list[Any] = [None] * len(chosen)
    rates: Any = np.asarray(shape.rates[:, chosen], dtype=float)
    recurrent, core = shape.structure.recurrent, shape.structure.core
    inside = rates if recurrent is None else rates[shape.structure.inside]
    widths = core.widths.astype(float)
    size = 32.0 * len(chosen) * float((widths**2).sum())
    if len(chosen) < 2 or core.size == 1 or 3.0 * float((widths**3).sum()) > _LITTLE or size > _ROOM:
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
                _check(np, shares, core.sources, core.targets, inside[:, position])
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

    def __init__(self, np: Any, size: int, sources: Any, targets: Any) -> None:
        self.size = size
        order = np.argsort(sources, kind="stable")
        self.targets = targets[order]
        self.begins = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=size))])

    def levels(self, root: int) -> Any:
        """The distance of every state from one; -1 where there is no way."""
        level = np.full(self.size, -1)
        level[root] = 0
        front, distance = np.array([root]), 0
        while len(front):
            budget.spend(budget.CALL, WHAT)
            distance += 1
            counts = self.begins[front + 1] - self.begins[front]
            starts = np.repeat(self.begins[front] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
            near = self.targets[starts + np.arange(counts.sum())]
            front = distinct(near[level[near] < 0])
            level[front] = distance
        return level


def _eliminated(core: _Core, rates: Any) -> Any:
    """Eliminate level by level, then go back: (S, P) shares of several chains, by rates (T, P)."""
    count = len(core.widths)
    ways: list[Any] = [None] * count
    solve: Any = np.linalg.solve
    more = None
    for level in range(count - 1, 0, -1):
        particular, back, here = [block.filled(rates) for block in core.blocks[level - 1]]
        diagonal = range(particular.shape[1])
        if more is not None:
            particular = particular + more
        particular[:, diagonal, diagonal] = 0.0
        leaving = particular.sum(2) + back.sum(2)
        particular = -particular
        particular[:, diagonal, diagonal] = leaving
        try:
            ways[level] = solve(particular.transpose(0, 2, 1), here.transpose(0, 2, 1)).transpose(0, 2, 1)
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


def _iterated(np: Any, size: int, sources: Any, targets: Any, rates: Any) -> Any:
    """The probabilities by GMRES; None where GMRES does not converge soon, or not well enough."""
    leaving = np.bincount(sources, rates, size)
    order = np.argsort(targets, kind="stable")
    sources, targets = sources[order], targets[order]
    chances = rates[order] / leaving[sources]

    def jumped(values: Any) -> Any:
        return np.bincount(targets, chances * values[sources], size)

    def ahead(values: Any) -> Any:
        overall = values.copy()
        for _ in range(_JUMPS):
            values = jumped(values)
            overall += values
        return overall

    result = np.full(size, 1.0 / size)
    rest = jumped(result) - result
    wanted = _CLOSE * float(np.linalg.norm(rest)) or 1e-300
    for _ in range(_ROUNDS):
        size_of_rest = float(np.linalg.norm(rest))
        if size_of_rest <= wanted:
            break
        budget.spend(_BASIS * (_BASIS * 4.0 * size + (_JUMPS + 2) * 10.0 * len(sources)), WHAT)
        basis, directions = np.zeros((_BASIS + 1, size)), np.zeros((_BASIS, size))
        table = np.zeros((_BASIS + 1, _BASIS))
        basis[0] = rest / size_of_rest
        count, length = 0, 1.0
        while count < _BASIS and length > 1e-14:
            directions[count] = ahead(basis[count])
            new = directions[count] - jumped(directions[count])
            for _ in range(2):
                parts = basis[: count + 1] @ new
                new -= parts @ basis[: count + 1]
                table[: count + 1, count] += parts
            length = float(np.linalg.norm(new))
            count += 1
            table[count, count - 1] = length
            basis[count] = new / max(length, 1e-300)
        goal = np.zeros(count + 1)
        goal[0] = size_of_rest
        if not np.isfinite(table).all():
            return None
        weights = np.linalg.lstsq(table[: count + 1, :count], goal, rcond=None)[0]
        result = result + weights @ directions[:count]
        rest = jumped(result) - result
    # Shares of jumps become shares of time.
    shares = result / leaving
    shares = shares / shares.sum()
    if not np.isfinite(shares).all() or shares.min() < -1e-13 * shares.max():
        return None
    shares = np.maximum(shares, 0.0)
    shares = shares / shares.sum()
    return shares if _balanced(np, shares, sources, targets, rates[order]) else None


def _check(np: Any, shares: Any, sources: Any, targets: Any, rates: Any) -> None:
    """Raise where the shares are not probabilities, or the flow into a state differs from the flow out of it."""
    if not np.isfinite(shares).all() or shares.min() < 0 or not _balanced(np, shares, sources, targets, rates):
        raise ArithmeticError("the probabilities of the states are not in balance")


def _balanced(np: Any, shares: Any, sources: Any, targets: Any, rates: Any) -> bool:
    """Whether as much comes to every state as leaves it."""
    size = len(shares)
    leaving = np.bincount(sources, rates * shares[sources], size)
    coming = np.bincount(targets, rates * shares[sources], size)
    return bool(np.abs(leaving - coming).max() <= 1e-12 * leaving.max())
