"""Parts of the compiler for single steps: times that depend on the number inside, losses, times as phases, the copies
that visits may use, and the nodes of chains."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, Protocol

from qnet.expression import FLOATS, Value
from qnet.networks.routed import Branch, ClosedClass, Fork, Hold, OpenClass, Profile, RoutedNetwork, Station, Step, Time
from qnet.networks.states.program import CHOICE, COUNT, DONE, Held, HoldPath, Node, NotCovered
from qnet.networks.streams import group_of
from qnet.queues import balanced_means

MAX_PHASES = 20
"""The most phases of an Erlang distribution, for an scv down to 0.05."""
EXPONENTIAL = 1e-12
"""The largest difference from 1 of the scv of an exponential time."""


def time_inside(
    network: RoutedNetwork, profile: Profile | None, here: tuple[int, int], path: HoldPath, index: int
) -> tuple[Step, ...]:
    """A step with 1, 2, ... customers inside the station on which its numbers depend; or the step alone.

    network  one point.
    profile  the network by that number; None where the step is not inside the station.
    here     the class and the route of the step.
    path     the holds and branches around it.
    index    of the step in the innermost of them.
    """
    networks = [network] if profile is None else [profile.network.point(number) for number in range(profile.levels)]
    result: list[Step] = []
    for item in networks:
        steps = item.classes[here[0]].routes[here[1]].steps
        for outer, group in path:
            step = steps[outer]
            assert not isinstance(step, Time)
            steps = step.branches[-1 - group].steps if isinstance(step, Fork) else step.steps
        result.append(steps[index])
    return tuple(result)


def lost_late(steps: Sequence[Step], lossy: Collection[str], begun: bool = False) -> bool:
    """Whether a customer may be lost at some steps after it has spent time on its passage.

    steps   of a route, in order.
    lossy   the stations and buffers where customers are lost.
    begun   whether it has spent time before the first of the steps.
    """
    for step in steps:
        if isinstance(step, Time):
            if step.fills in lossy and begun:
                return True
            begun = begun or step.fills not in lossy
            continue
        inner = step.inner if isinstance(step, Fork) else step.steps
        if not isinstance(step, Fork) and step.station in lossy and (begun or step.visits > 1.0):
            return True
        if lost_late(inner, lossy, True):
            return True
        begun = True
    return False


def phases(mean: float, scv: float, phase: Callable[[float, int], int], after: int) -> list[tuple[float, int]]:
    """The nodes where a time that is not exponential begins, each with its probability.

    mean     in seconds, above 0.
    scv      other than 1.
    phase    makes a node: of a phase of some rate, and the node after it.
    after    the node after all phases.
    Raises   `NotCovered` for more than `MAX_PHASES` phases.
    Method   Below 1 a mixture of Erlang distributions of k - 1 and k phases of one rate; above 1 two exponential phases
             with balanced means.
    Source   @tijms2003, appendix B.
    """
    if scv > 1.0:
        return [(part, phase(2.0 * part / mean, after)) for part in balanced_means.shares(scv, FLOATS)]
    if scv * MAX_PHASES < 1.0 - 1e-9:
        raise NotCovered(f"a time has scv {scv:g}")
    count = ceil(1.0 / scv - 1e-9)
    root = max(count * (1.0 + scv) - count**2 * scv, 0.0) ** 0.5
    fewer = max((count * scv - root) / (1.0 + scv), 0.0)
    nodes = [after]
    for _ in range(count):
        nodes.append(phase((count - fewer) / mean, nodes[-1]))
    return [(fewer, nodes[-2]), (1.0 - fewer, nodes[-1])]


class Copies:
    """The copies of all stations.

    stations   by name.
    first      the first centre of each group of copies.
    """

    def __init__(self, stations: Mapping[str, Station], first: Mapping[tuple[str, int], int]) -> None:
        self.stations = stations
        self.first = first
        self.forced: Mapping[str, int] = {}
        """By station: the copy that the current branch uses, from 1."""
        self.before: set[str] = set()
        """The stations that the current route visits at any of their copies."""

    def chosen(self, station: Station, copies: dict[str, int], group: int, centre: int) -> dict[str, int]:
        """The groups and copies of held stations, with those of one more: keys are "name" and "name copy"."""
        names = (station.name, station.follows or station.name)
        offset = centre - self.first[station.name, group]
        return {**copies, **dict.fromkeys(names, group), **{f"{name} copy": offset for name in names}}

    def groups(self, station: Station, hold: Hold, copies: dict[str, int]) -> Iterator[tuple[int, int, float]]:
        """The groups of copies that a hold may use, each with its first centre and its probability."""
        known = self.known(station, hold, copies)
        if known is not None:
            yield known
            return
        for group, item in enumerate(station.groups):
            yield group, self.first[station.name, group], float(item.copies * item.share)

    def ways(self, station: Station, hold: Hold, copies: dict[str, int]) -> Iterator[tuple[int, int, float]]:
        """The copies that a hold may use, each with its group, centre and probability."""
        known = self.known(station, hold, copies)
        forced = self.forced.get(station.follows or station.name)
        if known is None and forced is not None:
            known = self.numbered(station, forced)
        if known is not None:
            yield known
            return
        if station.follows in self.before and station.copies > 1:
            raise NotCovered(f'"{station.name}" is visited at the copy that was chosen at "{station.follows}" before')
        for group, item in enumerate(station.groups):
            centre = self.first[station.name, group]
            if station.delay:
                yield group, centre, float(item.copies * item.share)
                continue
            for copy in range(item.copies):
                yield group, centre + copy, float(item.share)

    def known(self, station: Station, hold: Hold, copies: dict[str, int]) -> tuple[int, int, float] | None:
        """The copy that a hold uses, where it is the same each time."""
        if station.follows and station.follows in copies:
            group = copies[station.follows]
            return group, self.first[station.name, group] + copies[f"{station.follows} copy"], 1.0
        return None if hold.copy is None else self.numbered(station, hold.copy)

    def numbered(self, station: Station, copy: int) -> tuple[int, int, float]:
        """A copy by its number, from 1."""
        group = group_of(station, copy)
        before = 0 if station.delay else sum(item.copies for item in station.groups[:group])
        return group, self.first[station.name, group] + (0 if station.delay else copy - 1 - before), 1.0

    def spread(self, branch: Branch) -> list[dict[str, int]]:
        """The copies that one of several identical branches may use, each of which uses a different one."""
        leaders = {self.stations[name].follows or name for name in visited(branch.steps)} if branch.copies > 1 else ()
        several = [self.stations[name] for name in leaders if self.stations[name].copies > 1]
        if not several:
            return [{}]
        station = several[0]
        shares = {float(group.share) for group in station.groups}
        if len(several) > 1 or max(shares) - min(shares) > 1e-12 or branch.copies > station.copies:
            raise NotCovered("branches spread over copies of several stations, or over copies that differ")
        return [{station.name: copy + 1} for copy in range(station.copies)]


def visited(steps: Sequence[Step]) -> set[str]:
    """The stations that are visited at any of their copies.

    steps  of a route, those inside them included.
    """
    result: set[str] = set()
    for step in steps:
        if isinstance(step, Time):
            continue
        if isinstance(step, Hold) and step.copy is None:
            result.add(step.station)
        result |= visited(step.inner if isinstance(step, Fork) else step.steps)
    return result


class Writer(Protocol):
    """The interface of `compiler.Compiler`, which writes the nodes."""

    home: int
    here: tuple[int, int]
    answering: bool
    loses: bool
    begun: tuple[int, ...]
    nodes: list[Node]
    stations: dict[str, Station]

    @property
    def profile(self) -> Any:
        """The station on whose number inside times depend; None for none."""
        ...

    def add(self, node: Node) -> int:
        """The number of a new node."""
        ...

    def hold(
        self,
        hold: Hold,
        index: tuple[HoldPath, int],
        around: tuple[Held, ...],
        copies: dict[str, int],
        after: int,
        tail: int,
    ) -> int:
        """The node where a hold begins."""
        ...

    def time(
        self,
        step: Time,
        around: tuple[Held, ...],
        after: int,
        scv: float | None = None,
        name: str = "delays",
        levels: Sequence[Step] = (),
    ) -> int:
        """The node where a time begins."""
        ...


def chain(compiler: Writer, class_index: int, item: OpenClass | ClosedClass) -> int:
    """The node where customers of a chain begin.

    compiler     writes the nodes.
    class_index  of the chain.
    item         the chain.
    Returns   for an open chain the node of arrivals, for a closed one a node where customers think or request service.
    Raises    `NotCovered` where lost customers cannot return.
    """
    opened = isinstance(item, OpenClass)
    turns = item.turns
    if not turns:
        raise NotCovered(f'the routes of "{item.name}" have no steps in turn')
    after = [compiler.add(Node(CHOICE, -1)) for _ in turns]
    begins: list[int] = []
    home = next((number for number, turn in enumerate(turns) if turn.step < 0 and turn.ends), -1)
    if compiler.loses and home != 0:
        raise NotCovered(f'customers of "{item.name}" are lost, and passages do not begin outside of stations')
    leaving = compiler.add(Node(COUNT, after[0], mark=compiler.begun[class_index])) if compiler.loses else after[0]
    resting = -1
    if not opened and home == 0:
        resting = _think(compiler, turns[0].think_time, turns[0].scv, leaving)
    compiler.home = compiler.add(Node(DONE, resting))
    for number, turn in enumerate(turns):
        if turn.step >= 0:
            compiler.here = (class_index, turn.route)
            hold = item.routes[turn.route].steps[turn.step]
            assert isinstance(hold, Hold)
            if compiler.profile and hold.station == compiler.profile.station:
                raise NotCovered(f'"{item.name}" visits a station with times that depend on the number inside')
            if compiler.stations[hold.station].capacity is not None:
                raise NotCovered(f'customers of "{item.name}" may be lost after a part of their passage')
            node = compiler.hold(hold, ((), turn.step), (), {}, after[number], 0)
        elif number == home == 0:
            node = resting
        else:
            node = _think(compiler, turn.think_time, turn.scv, after[number])
        begins.append(compiler.add(Node(COUNT, node, mark=class_index)) if turn.ends else node)
    for number, turn in enumerate(turns):
        ways = tuple((float(share), begins[other]) for other, share in turn.onward if share > 0)
        compiler.nodes[after[number]] = compiler.nodes[after[number]].replace(choices=ways)
    if opened:
        return leaving
    start = home if home >= 0 else next((number for number, turn in enumerate(turns) if turn.ends), 0)
    return resting if start == home == 0 else begins[start]


def _think(compiler: Writer, mean: Value, scv: Value, after: int) -> int:
    """A time outside of stations that is not part of the response."""
    answering, compiler.answering = compiler.answering, False
    node = compiler.time(Time(mean, scv), (), after, name="think times")
    compiler.answering = answering
    return node
