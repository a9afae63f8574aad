"""Joint walks of programs that differ only in rates and probabilities, such as the points of a sweep.

The states and transitions of such programs are generated once, with an array of the rates of all programs at every
transition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from qnet import budget
from qnet.lazy import lazy, np
from qnet.networks.routed import RoutedNetwork
from qnet.networks.states.least import least_states
from qnet.networks.states.program import QUEUE, CentreCopy, Node, NotCovered, Program, TooLarge
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.states import chain, tabled
    from qnet.networks.states import machine as machines
    from qnet.networks.states.chain import Walk
    from qnet.networks.states.machine import Machine, Move, State
    from qnet.networks.states.rows import KnownRows
    from qnet.networks.states.tabled import TabledWalk
else:
    chain = lazy("qnet.networks.states.chain")
    machines = lazy("qnet.networks.states.machine")
    tabled = lazy("qnet.networks.states.tabled")

Choices = tuple[tuple[float, int], ...]
_Merge = Callable[[Sequence[float]], Any]

_AT_MOST = 64
"""The most programs that are walked together, since the rates of all transitions are kept."""
_KEPT, _KEPT_STATES = 3, 30_000
"""The walks that are always kept; more are kept up to this total number of states."""
_BEYOND = 1.25
"""A known walk is also used if it includes more customers from outside than needed, up to this factor."""
_MANY = 500
"""The number of servers, or places of a buffer, beyond which it hardly ever decides which states there are."""
_RATE, _CHOICES, _SPEEDS, _LEVELS = map(Node.fields().index, ("rate", "choices", "speeds", "levels"))
"""The positions of the numbers in a node."""
_A_POINT = 0.5
"""The cost of a state for each further program, as a share of that of the first."""
_A_MERGE = 10 * budget.CALL
"""Operations of merging programs, apart from their walk."""


class _Together(Record):
    """A walk of several programs."""

    walk: Walk
    """Its rates are arrays by program, or numbers that all programs share."""
    rates: Any
    """(T, P) the rates of all transitions."""


class Walks:
    """The walks of some programs, generated on demand."""

    def __init__(self, programs: Sequence[Program]) -> None:
        self.programs = programs
        self.groups: list[list[int]] = []
        """The programs that are walked together, by their positions."""
        self.positions: list[tuple[int, int]] = []
        """By program, its group and its position in the group."""
        open_groups: dict[object, int] = {}
        self._structures = [_structure(item) for item in programs] if len(programs) > 1 else [None for _ in programs]
        for number, key in enumerate(self._structures):
            group = open_groups.get(key, -1)
            if group < 0 or len(self.groups[group]) == _AT_MOST:
                group = open_groups[key] = len(self.groups)
                self.groups.append([])
            self.positions.append((group, len(self.groups[group])))
            self.groups[group].append(number)
        self.known: dict[tuple[int, int], _Together | TooLarge | NotCovered] = {}
        self.rows: dict[tuple[int, int], list[KnownRows]] = {}
        """The known rows, by program that is walked alone, or by group."""
        self._kinds: dict[tuple[int, tuple[int, ...]], object] = {}
        self._least: dict[int, float] = {}
        self._latest: tuple[object, int, dict[State, list[Move]]] = None, 0, {}
        """The latest program, or group, and the `known` moves of its `Machine` with up to some customers from outside:
        fewer must not use the moves that let more in."""

    def least(self, number: int, network: RoutedNetwork) -> float:
        """As `least_states`, for the network of a program: one number for all that are walked together."""
        group, _ = self.positions[number]
        if group not in self._least:
            self._least[group] = least_states(network)
        return self._least[group]

    def near(self, number: int, crowd: int) -> int:
        """The customers from outside to include: `crowd`, or some more if other programs may share the walk."""
        group, _ = self.positions[number]
        if len(self.groups[group]) == 1:
            return crowd
        known = [
            more
            for (other, more), item in self.known.items()
            if other == group and crowd <= more <= _BEYOND * crowd and isinstance(item, _Together)
        ]
        return min(known, default=ceil(1.1 * crowd))

    def of(self, number: int, crowd: int, most: int) -> tuple[Machine, Walk]:
        """The machine and the walk of a program; raises as `walk` and the machine.

        number  of the program.
        crowd   the customers from outside that are included.
        most    states.
        """
        group, position = self.positions[number]
        alone = len(self.groups[group]) == 1 or _taken_up(self.programs[number], crowd)
        machine = machines.Machine(self.programs[number], crowd, self._moves(number, crowd) if alone else None)
        if self._given_up(number, crowd, most):
            raise TooLarge
        account = budget.current()
        if alone:
            left = account.operations - account.spent if account else 0.0
            if account and left <= account.given_up.get(self._spent(number, crowd), 0.0):
                raise account.refusal(chain.WHAT)
            try:
                return machine, self._walk(machine, self.programs[number], most, 0, (number, -1))
            except TooLarge:
                self._give_up(number, crowd, most)
                raise
            except budget.OverBudget:
                if account:
                    account.given_up[self._spent(number, crowd)] = left
                raise
        shared = self.known.get((group, crowd))
        if shared is None:
            self._forget()
            shared = self.known[group, crowd] = self._together(group, crowd, most)
            if isinstance(shared, TooLarge):
                self._give_up(number, crowd, most)
        if not isinstance(shared, _Together):
            raise shared
        budget.spend(_A_POINT * chain.A_STATE * len(shared.walk.states), chain.WHAT)
        return machine, _of_program(shared, position)

    def _give_up(self, number: int, crowd: int, most: int) -> None:
        """Remember that a program has more than `most` states with a number of customers from outside."""
        account = budget.current()
        if account is not None:
            entries = account.given_up.setdefault((self._kind(number, crowd), most), [])
            entries.append((_customers(self.programs[number]), crowd))

    def _spent(self, number: int, crowd: int) -> object:
        """The key of the operations that did not suffice for the states of a program with a number of customers."""
        return "operations", self._kind(number, crowd), _customers(self.programs[number]), crowd

    def _given_up(self, number: int, crowd: int, most: int) -> bool:
        """Whether a program of the same structure is known to have more than `most` states, with no more customers."""
        account = budget.current()
        if account is None or not account.given_up:
            return False
        here = _customers(self.programs[number])
        return any(
            crowd >= fewest and all(more >= less for more, less in zip(here, customers, strict=True))
            for customers, fewest in account.given_up.get((self._kind(number, crowd), most), ())
        )

    def _kind(self, number: int, crowd: int) -> object:
        """A key of the states of a program with some customers from outside, apart from the closed ones; one object for
        all that are walked together."""
        program = self.programs[number]
        servers = tuple(item.servers for item in program.centres) if _taken_up(program, crowd) else ()
        key = self.positions[number][0], servers
        if key not in self._kinds:
            nodes, centres, homes, arrivals = self._structures[number] or _structure(program)
            self._kinds[key] = servers, nodes, centres, tuple(home for _, home in homes), arrivals
        return self._kinds[key]

    def _walk(self, machine: Machine, program: Program, most: int, size: int, key: tuple[int, int]) -> Walk:
        """The walk of a machine of `size` programs, 0 for one alone; for more than a few states a table of changes is
        made and kept."""
        rows = self.rows.setdefault(key, [])

        def table() -> TabledWalk:
            return tabled.TabledWalk(program, machine.most, size, rows)

        few = 0 if rows else chain.FEW
        return chain.walk(machine.start(), machine.moves, most, machine.extent, table, few)

    def _moves(self, number: int, crowd: int, group: int = -1) -> dict[State, list[Move]] | None:
        """The known moves of a program or its group; None where the states do not depend on customers from outside."""
        if not self.programs[number].unbounded:
            return None
        before, most, moves = self._latest
        self._latest = (number, group), crowd, moves if before == (number, group) and most <= crowd else {}
        return self._latest[2]

    def _forget(self) -> None:
        """Make room for another walk; some are kept, since the programs of a group need the same ones."""
        while len(self.known) >= _KEPT:
            kept = sum(len(item.walk.states) for item in self.known.values() if isinstance(item, _Together))
            if kept <= _KEPT_STATES and len(self.known) < _KEPT * _AT_MOST:
                break
            del self.known[next(iter(self.known))]

    def _together(self, group: int, crowd: int, most: int) -> _Together | TooLarge | NotCovered:
        """The walk of a group, or the error that all its programs have."""
        budget.spend(_A_MERGE, chain.WHAT)
        size = len(self.groups[group])
        merged = _merged([self.programs[number] for number in self.groups[group]])
        machine = machines.Machine(merged, crowd, self._moves(self.groups[group][0], crowd, group))
        try:
            result = self._walk(machine, merged, most, size, (-1, group))
        except (TooLarge, NotCovered) as error:
            return error
        rates = result.rates
        if isinstance(rates, list):
            rates = np.empty((len(result.rates), size))
            for number, rate in enumerate(result.rates):
                rates[number] = rate
        result.shape.rates, result.shape.every = rates, not merged.unbounded
        return _Together(result, rates)


def _customers(program: Program) -> tuple[int, ...]:
    """The closed customers of a program, by class."""
    return tuple(count for count, _ in program.homes)


def _taken_up(program: Program, crowd: int) -> bool:
    """Whether more than `_MANY` servers of a centre might be taken, if every customer had all that it ever requests."""
    requested = [0] * len(program.centres)
    for node in program.nodes:
        if node.kind == QUEUE:
            requested[node.centre] += node.amount
    return (sum(_customers(program)) + crowd + 1) * max(requested, default=0) > _MANY


def _of_program(shared: _Together, position: int) -> Walk:
    """The walk of one program."""
    ended = {
        mark: item if item.rates.ndim == 1 else item.replace(rates=item.rates[:, position])
        for mark, item in shared.walk.ended.items()
    }
    return shared.walk.replace(rates=shared.rates[:, position], ended=ended, position=position)


def _structure(program: Program) -> tuple[object, object, Sequence[tuple[int, int]], object]:
    """A key of the states and transitions of a program: of its numbers, only whether they are 0.

    More than `_MANY` servers of a centre count as equal, as long as they are not all taken.
    """
    nodes = tuple([_without_rates(node) for node in program.nodes])
    centres = tuple(
        item.replace(
            servers=min(item.servers, _MANY + 1),
            rates=item.rates and tuple(float(rate != 0) for rate in item.rates),
        )
        for item in program.centres
    )
    return nodes, centres, program.homes, tuple(home for _, home in program.arrivals)


def _without_rates(node: Node) -> tuple[Any, ...]:
    """The fields of a node, with its numbers replaced by whether they are 0."""
    values: list[Any] = list(node)
    values[_RATE] = node.rate != 0
    if node.choices:
        values[_CHOICES] = tuple([(share != 0, after) for share, after in node.choices])
    if node.speeds or node.levels:
        values[_SPEEDS] = tuple([speed != 0 for speed in node.speeds])
        values[_LEVELS] = tuple([tuple([(share != 0, after) for share, after in level]) for level in node.levels])
    return tuple(values)


def _merged(programs: Sequence[Program]) -> Program:
    """The program of several ones: numbers that differ between them are arrays."""
    first = programs[0]
    nodes = zip(*(item.nodes for item in programs), strict=True)
    centres = zip(*(item.centres for item in programs), strict=True)
    return first.replace(
        nodes=tuple(_node(items, _of_all) for items in nodes),
        centres=tuple(_centre(items, _of_all) for items in centres),
        arrivals=_choices([item.arrivals for item in programs], _of_all),
    )


def _of_all(values: Sequence[float]) -> Any:
    """The number if it is the same for all programs, else an array."""
    return values[0] if all(value == values[0] for value in values) else np.array(values)


def _node(items: Sequence[Node], merge: _Merge) -> Node:
    """The same node of several programs, its numbers merged."""
    return items[0].replace(
        rate=merge([item.rate for item in items]),
        choices=_choices([item.choices for item in items], merge),
        speeds=_each([item.speeds for item in items], merge),
        levels=tuple(_choices(level, merge) for level in zip(*(item.levels for item in items), strict=True)),
    )


def _centre(items: Sequence[CentreCopy], merge: _Merge) -> CentreCopy:
    """The same centre of several programs, its rates merged."""
    if items[0].rates is None:
        return items[0]
    return items[0].replace(rates=_each([item.rates or () for item in items], merge))


def _each(items: Sequence[Sequence[float]], merge: _Merge) -> tuple[Any, ...]:
    """Sequences of numbers, merged elementwise."""
    return tuple(merge(values) for values in zip(*items, strict=True))


def _choices(items: Sequence[Choices], merge: _Merge) -> tuple[tuple[Any, int], ...]:
    """Probabilities or rates, merged, with the nodes that they lead to."""
    return tuple((merge([share for share, _ in each]), each[0][1]) for each in zip(*items, strict=True))
