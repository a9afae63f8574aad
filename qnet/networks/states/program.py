"""A network as a program for its customers: wait for a server, spend a time, release the server, go on.

Every route becomes a graph of nodes. A customer stands at a node of time or waits at a node of queueing; all others
are passed at once. Copies of a station are stations here, visits are written out, and times with another squared
coefficient of variation than 1 are phases. Nothing is solved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor

from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Station, Step, Time
from qnet.record import Record

MAX_NODES = 1500
MAX_VISITS = 40
MAX_PHASES = 20
"""Of an Erlang distribution: scv down to 0.05."""
_EXPONENTIAL = 1e-12

TIME, QUEUE, RELEASE, CHOICE, SPLIT, DONE, COUNT, REST = range(8)
"""What a node does: spend an exponential time, wait for a server and take it, release a server, go on by chance, start
work after the response, end, count that somebody comes by and go on; or spend a time of 0, the limit of short times:
everything that takes no time at all is done before."""


Place = tuple[tuple[int, int], ...]
"""Where a hold is: its place among the steps of a route and the group of copies, then so on inside of it."""


class NotCovered(Exception):
    """The network has what the chain does not know; the text says what."""


class Node(Record):
    """One point of a route.

    kind      one of the numbers above.
    after     the node that comes next; of `SPLIT` that of the customer, of `DONE` where he thinks, or -1 outside.
    rate      of `TIME`: per second.
    centre    `TIME`: where service is given, -1 without queueing; `QUEUE`, `RELEASE`: the centre; `SPLIT`: -1 where the
              work keeps no server, so that there may be any number of it.
    priority  of `QUEUE` and `TIME`.
    choices   of `CHOICE`: probabilities and nodes; of `SPLIT`: the first node of the work, with 1.
    present   the streams of which a customer at this node is a request, waiting or holding a server.
    """

    kind: int
    after: int
    rate: float = 0.0
    centre: int = -1
    priority: int = 0
    choices: tuple[tuple[float, int], ...] = ()
    present: tuple[int, ...] = ()
    spent: tuple[int, int, str, int] | None = None
    """Of `TIME` and `QUEUE` before the response: class, route, and station and group where the time is spent."""
    mark: int = -1
    """Of `COUNT`: what is counted. Of `QUEUE`: what is counted where somebody is lost."""
    lost: int = -1
    """Of `QUEUE`: the node where those go who find no place."""
    speeds: tuple[float, ...] = ()
    """Of `TIME`: how much faster it passes with 1, 2, ... customers inside of `inside`; the last repeats."""
    levels: tuple[tuple[tuple[float, int], ...], ...] = ()
    """Of `CHOICE`: the choices with 1, 2, ... customers inside of `inside`; empty where they do not depend on it."""
    inside: int = -1
    """The centre of which the number of servers that are kept matters here."""


class Centre(Record):
    """One copy of a queueing station."""

    station: str
    group: int
    discipline: str
    servers: int
    rates: tuple[float, ...] | None
    capacity: int | None = None
    """Places, those of the servers included."""

    @property
    def shared(self) -> bool:
        """Whether all who are present are served at once."""
        return self.discipline == "ps"

    @property
    def ordered(self) -> bool:
        """Whether those in service may be interrupted: all who are present stand in one line."""
        return self.discipline in ("lcfs-pr", "preemptive")


class Program(Record):
    """A network as nodes and centres."""

    nodes: tuple[Node, ...]
    centres: tuple[Centre, ...]
    homes: tuple[tuple[int, int], ...]
    """Of every closed class its customers, and the node where they begin; and one who makes customers of an open class
    arrive, where they do not come in a Poisson stream."""
    arrivals: tuple[tuple[float, int], ...]
    """Of every open class that comes in a Poisson stream its rate, and the node where customers begin."""
    phased: tuple[str, ...]
    """Which times are not exponential, in words."""
    routes: Mapping[tuple[int, int], int]
    """By class and route, of classes with several routes: the mark of the passages that end."""
    passing: Mapping[int, int]
    """By stream, where customers may be lost: the mark of its visits."""
    losing: Mapping[tuple[str, int], int]
    """By group of copies of a station with a capacity: the mark of those who are lost there."""
    begun: tuple[int, ...]
    """By class, where customers may be lost: the mark of the passages that begin."""
    at_once: bool
    """Whether a service of no time may begin while something else takes no time: their order is a definition."""
    early: bool
    """Whether customers are lost before they have spent any time, if at all."""
    steps: Mapping[tuple[tuple[int, int], Place, int], tuple[int, tuple[int, ...]]]
    """Where times depend on the number inside: by place of a step its mark and its nodes of time."""


class _Held(Record):
    """A hold around a step, as its program knows it."""

    name: str
    centre: int
    """-1: a delay, which nobody waits for."""
    stream: int
    after: int
    """The node that comes when it is released."""
    priority: int = 0
    group: int = 0


def program(network: RoutedNetwork) -> Program:
    """The program of one point of a network.

    network   without a batch; rates per second, times in seconds.
    Returns   nodes, centres, and where customers begin. Streams have the numbers that `streams.streams` gives them.
    Raises    `NotCovered` for features that the states of a small chain do not describe.
    Times     of mean and scv: exponential (1), a mixture of Erlang distributions of k - 1 and k phases of one rate
              (below), two exponential phases with balanced means (above): Tijms, A First Course in Stochastic Models,
              2003, appendix B. Think times are exponential.
    """
    return _Compiler(network).program()


class _Compiler:
    def __init__(self, network: RoutedNetwork) -> None:
        self.network = network
        self.stations = {station.name: station for station in network.stations}
        self.nodes: list[Node] = []
        self.centres: list[Centre] = []
        self.first: dict[tuple[str, int], int] = {}
        """The first centre of each group of copies."""
        self.phased: dict[str, None] = {}
        self.numbers: dict[tuple[tuple[int, int], Place], list[tuple[int, float, int]]] = {}
        """By class, route and place of a hold: its priorities, their shares and their streams."""
        self.streams = 0
        self.here = (0, 0)
        for station in network.stations:
            for index, group in enumerate(station.groups):
                self.first[station.name, index] = len(self.centres)
                if not station.delay:
                    discipline = "fcfs" if station.discipline == "priority" else station.discipline
                    made = Centre(station.name, index, discipline, station.servers, station.rates, station.capacity)
                    self.centres += [made] * group.copies
            if len(self.centres) > MAX_NODES:
                raise NotCovered("there are too many stations")
        if network.buffers:
            raise NotCovered("there are buffers")
        self.loses = any(station.capacity is not None for station in network.stations)
        if len(network.profiles) > 1:
            raise NotCovered("times depend on the numbers inside of several stations")
        self.profile = network.profiles[0] if network.profiles else None
        self.marks = len(network.classes)
        self.routes: dict[tuple[int, int], int] = {}
        self.served_at_once = False
        """Whether some service takes no time."""
        self.answering = True
        """Whether the steps at hand are before the response."""
        self.passing: dict[int, int] = {}
        self.losing: dict[tuple[str, int], int] = {}
        self.begun = tuple(self.mark() for _ in network.classes) if self.loses else ()
        self.early = True
        self.steps: dict[tuple[tuple[int, int], Place, int], tuple[int, tuple[int, ...]]] = {}
        self.home = -1
        """Where a customer of the class at hand goes who is lost."""

    def program(self) -> Program:
        """Compile all classes."""
        homes: list[tuple[int, int]] = []
        arrivals: list[tuple[float, int]] = []
        for kind, item in enumerate(self.network.classes):
            if item.chain:
                raise NotCovered(f'customers of "{item.name}" change between classes')
            for number, route in enumerate(item.routes):
                self.here = (kind, number)
                self.number(route.steps, (), {})
            if isinstance(item, OpenClass):
                begin = self.passage(kind, item, -1)
                if abs(float(item.arrival_scv) - 1.0) <= _EXPONENTIAL or item.arrival_rate == 0:
                    arrivals.append((float(item.arrival_rate), begin))
                else:
                    homes.append((1, self.clock(item, begin)))
                continue
            count = float(item.population)
            if count != floor(count):
                raise NotCovered(f'the population of "{item.name}" is not a whole number')
            thinking = item.think_time > 0
            home = self.add(Node(TIME, -1, 1.0 / float(item.think_time)) if thinking else Node(REST, -1))
            self.nodes[home] = self.nodes[home].replace(after=self.passage(kind, item, home))
            homes.append((int(count), home))
        return Program(
            nodes=tuple(self.nodes),
            centres=tuple(self.centres),
            homes=tuple(homes),
            arrivals=tuple(arrivals),
            phased=tuple(self.phased),
            routes=self.routes,
            passing=self.passing,
            losing=self.losing,
            begun=self.begun,
            at_once=self.at_once(),
            early=self.early,
            steps=self.steps,
        )

    def at_once(self) -> bool:
        """Whether some service of a line takes no time, beside another time of none."""
        rests = [number for number, node in enumerate(self.nodes) if node.kind == REST]
        return bool(self.served_at_once) and len(rests) > 1

    def mark(self) -> int:
        """A number for something that is counted."""
        self.marks += 1
        return self.marks - 1

    def add(self, node: Node) -> int:
        """The number of a new node."""
        if len(self.nodes) >= MAX_NODES:
            raise NotCovered("its routes have too many steps")
        self.nodes.append(node)
        return len(self.nodes) - 1

    def clock(self, item: OpenClass, begin: int) -> int:
        """The node where the time to the next arrival begins, of customers who do not come in a Poisson stream."""
        again = self.add(Node(CHOICE, -1))
        self.answering = False
        arrival = self.add(Node(SPLIT, again, choices=((1.0, begin),)))
        first = self.time(Time(1.0 / item.arrival_rate, item.arrival_scv), (), arrival, name=f"arrivals of {item.name}")
        self.answering = True
        self.nodes[again] = self.nodes[again].replace(choices=((1.0, first),))
        return again

    def choice(self, ways: Sequence[tuple[float, int]]) -> int:
        """A node that goes on by chance."""
        ways = [(share, node) for share, node in ways if share > 0]
        return ways[0][1] if len(ways) == 1 else self.add(Node(CHOICE, -1, choices=tuple(ways)))

    def number(self, steps: Sequence[Step], path: Place, copies: dict[str, int]) -> None:
        """Number the streams of some steps: those inside of a hold before its own."""
        for place, step in enumerate(steps):
            if isinstance(step, Fork):
                raise NotCovered("branches run in parallel")
            if isinstance(step, Time):
                if step.fills:
                    raise NotCovered("there are buffers")
                continue
            station = self.stations[step.station]
            for group, _, _ in self.ways(station, step, copies, whole=True):
                here = (*path, (place, group))
                self.number(step.steps, here, self.chosen(station, copies, group, self.first[station.name, group]))
                rest = float(step.exempt) if step.priority else 0.0
                shares = [(step.priority, 1.0 - rest), (0, rest)]
                own = self.numbers[self.here, here] = []
                for priority, share in shares:
                    if share > 0:
                        own.append((priority, share, self.streams))
                        self.streams += 1

    def chosen(self, station: Station, copies: dict[str, int], group: int, copy: int) -> dict[str, int]:
        """The groups and copies of stations that are held, with one more: by name, and by name and place."""
        names = (station.name, station.follows or station.name)
        offset = copy - self.first[station.name, group]
        return {**copies, **dict.fromkeys(names, group), **{f"{name} copy": offset for name in names}}

    def ways(
        self, station: Station, hold: Hold, copies: dict[str, int], whole: bool = False
    ) -> Iterator[tuple[int, int, float]]:
        """The copies that a hold may use, each with its group, centre and probability; or its groups as a whole."""
        if station.follows and station.follows in copies:
            group = copies[station.follows]
            yield group, self.first[station.name, group] + copies[f"{station.follows} copy"], 1.0
            return
        if hold.copy is not None:
            from qnet.networks.streams import group_of

            group = group_of(station, hold.copy)
            yield group, self.first[station.name, group], 1.0
            return
        for group, item in enumerate(station.groups):
            if whole or station.delay:
                yield group, self.first[station.name, group], float(item.copies * item.share)
                continue
            for copy in range(item.copies):
                yield group, self.first[station.name, group] + copy, float(item.share)

    def passage(self, kind: int, item: OpenClass | ClosedClass, home: int) -> int:
        """The node where a passage of a class begins."""
        ways: list[tuple[float, int]] = []
        for number, route in enumerate(item.routes):
            self.here = (kind, number)
            for place, step in enumerate(route.steps):
                limited = isinstance(step, Hold) and self.stations[step.station].capacity is not None
                if limited and (place > 0 or step.visits > 1.0):
                    self.early = False
            self.home = self.add(Node(DONE, home))
            after = self.add(Node(COUNT, self.home, mark=kind))
            if len(item.routes) > 1:
                mark = self.routes[kind, number] = self.mark()
                after = self.add(Node(COUNT, after, mark=mark))
            end = len(route.steps)
            while end > 0:
                # Steps of phase 2 in a row are one piece of work that begins where they stand.
                phase, begin = route.steps[end - 1].phase, end
                while begin > 0 and route.steps[begin - 1].phase == phase:
                    begin -= 1
                then = after
                if phase == 2:
                    if self.loses:
                        raise NotCovered("customers are lost, and work is done after the response")
                    then = self.add(Node(DONE, -1))
                self.answering = phase == 1
                first = self.sequence(route.steps, begin, (), (), {}, then, 0, end - begin)
                self.answering = True
                after = first if phase == 1 else self.add(Node(SPLIT, after, choices=((1.0, first),)))
                end = begin
            ways.append((float(route.probability), after))
        first = self.choice(ways)
        return self.add(Node(COUNT, first, mark=self.begun[kind])) if self.loses else first

    def sequence(
        self,
        steps: Sequence[Step],
        begin: int,
        path: Place,
        around: tuple[_Held, ...],
        copies: dict[str, int],
        after: int,
        tail: int,
        count: int,
    ) -> int:
        """Some of the steps of a route or hold, one after the other.

        steps   all of them; `count` of them are meant, from `begin` on.
        path    where they are.
        around  what is held meanwhile, the outermost first.
        after   the node that comes next.
        tail    how many of the innermost holds around end with the last of these steps.
        """
        node = after
        for place in reversed(range(begin, begin + count)):
            step = steps[place]
            levels = self.levels(path, place, around)
            visits = tuple(float(item.visits) for item in levels)
            last = tail if place == begin + count - 1 and set(visits) == {1.0} else 0
            if isinstance(step, Time):
                one: Callable[[int], int] = lambda then, step=step, at=place, levels=levels: self.time(  # noqa: E731
                    step, around, then, levels=levels
                )
            else:
                assert isinstance(step, Hold)
                one = lambda then, step=step, at=place, last=last: self.hold(  # noqa: E731
                    step, (path, at), around, copies, then, last
                )
            if self.profile and (len(levels) > 1 or getattr(step, "station", "") == self.profile.station):
                if any(len(station.groups) > 1 for station in self.network.stations):
                    raise NotCovered("times depend on the number inside, and copies have different shares")
                one = self.counted(one, path, place)
            node = self.repeated(visits, one, node, self.gate(around))
        return node

    def levels(self, path: Place, place: int, around: tuple[_Held, ...]) -> tuple[Step, ...]:
        """A step as it is with 1, 2, ... customers inside of the station that its times depend on; or as it is."""
        networks = [self.network]
        if self.profile and any(item.name == self.profile.station for item in around):
            networks = [self.profile.network.point(number) for number in range(self.profile.levels)]
        found: list[Step] = []
        for network in networks:
            steps = network.classes[self.here[0]].routes[self.here[1]].steps
            for outer, _ in path:
                step = steps[outer]
                assert isinstance(step, Hold)
                steps = step.steps
            found.append(steps[place])
        return tuple(found)

    def gate(self, around: tuple[_Held, ...]) -> int:
        """The centre of which the number inside matters here; -1 for none."""
        name = self.profile.station if self.profile else ""
        centre = next((item.centre for item in around if item.name == name), -1)
        if centre >= 0 and (self.centres[centre].discipline != "fcfs" or self.stations[name].copies > 1):
            raise NotCovered(f'times depend on the number inside "{name}", which is not one line')
        return centre

    def counted(self, one: Callable[[int], int], path: Place, place: int) -> Callable[[int], int]:
        """The same, with a mark for every time it is done."""
        key = (self.here, path, place)
        mark = self.steps[key][0] if key in self.steps else self.mark()

        def build(after: int) -> int:
            before = len(self.nodes)
            first = one(after)
            made = self.steps[key][1] if key in self.steps else ()
            self.steps[key] = (mark, (*made, *range(before, len(self.nodes))))
            return self.add(Node(COUNT, first, mark=mark))

        return build

    def repeated(self, visits: Sequence[float], once: Callable[[int], int], after: int, gate: int) -> int:
        """What is done floor(visits) times, and once more with the probability of the rest.

        visits   with 1, 2, ... customers inside, whose number there is known by `gate`; or one number.
        """
        most = ceil(max(visits))
        if most > MAX_VISITS:
            raise NotCovered(f"a step is made {max(visits):g} times")
        left = [after]
        for _ in range(most):
            left.append(once(left[-1]))
        choices = [_drawn(number, left) for number in visits]
        if len(set(choices)) == 1:
            return self.choice(choices[0])
        return self.add(Node(CHOICE, -1, choices=choices[0], levels=tuple(choices), inside=gate))

    def time(
        self,
        step: Time,
        around: tuple[_Held, ...],
        after: int,
        scv: float | None = None,
        name: str = "delays",
        levels: Sequence[Step] = (),
    ) -> int:
        """A time without queueing, or service at the innermost station that is held.

        name     what it is of, where no station is held.
        levels   the same with 1, 2, ... customers inside; () where it does not depend on them.
        """
        mean, variation = float(step.mean), float(step.scv if scv is None else scv)
        means = {float(item.mean) for item in levels if isinstance(item, Time)}
        centre = around[-1].centre if around else -1
        if mean == 0 and means <= {0.0}:
            self.served_at_once = self.served_at_once or centre >= 0
            return after if centre >= 0 and self.centres[centre].ordered else self.add(Node(REST, after))
        speeds: tuple[float, ...] = ()
        if len(means) > 1:
            if 0.0 in means or mean == 0 or len({float(item.scv) for item in levels if isinstance(item, Time)}) > 1:
                raise NotCovered("a time is none with some number inside")
            speeds = tuple(mean / float(item.mean) for item in levels if isinstance(item, Time))
        gate = self.gate(around) if speeds else -1
        present = tuple(item.stream for item in around if item.centre >= 0)

        here = (around[-1].name, around[-1].group) if around else ("", 0)
        spent = (self.here[0], self.here[1], here[0], here[1]) if self.answering else None

        def phase(rate: float, then: int) -> int:
            priority = around[-1].priority if around else 0
            return self.add(
                Node(TIME, then, rate, centre, priority, present=present, speeds=speeds, inside=gate, spent=spent)
            )

        if abs(variation - 1.0) <= _EXPONENTIAL:
            return phase(1.0 / mean, after)
        self.phased[f"times at {around[-1].name}" if around else name] = None
        if variation > 1.0:
            share = 0.5 * (1.0 + ((variation - 1.0) / (variation + 1.0)) ** 0.5)
            return self.choice([(part, phase(2.0 * part / mean, after)) for part in (share, 1.0 - share)])
        if variation * MAX_PHASES < 1.0 - 1e-9:
            raise NotCovered(f"a time has scv {variation:g}")
        count = ceil(1.0 / variation - 1e-9)
        root = max(count * (1.0 + variation) - count**2 * variation, 0.0) ** 0.5
        fewer = max((count * variation - root) / (1.0 + variation), 0.0)
        nodes = [after]
        for _ in range(count):
            nodes.append(phase((count - fewer) / mean, nodes[-1]))
        return self.choice([(fewer, nodes[-2]), (1.0 - fewer, nodes[-1])])

    def hold(
        self,
        hold: Hold,
        place: tuple[Place, int],
        around: tuple[_Held, ...],
        copies: dict[str, int],
        after: int,
        tail: int,
    ) -> int:
        """One visit of a hold, at any of the copies that it may use."""
        station = self.stations[hold.station]
        if any(item.centre >= 0 and self.centres[item.centre].discipline != "fcfs" for item in around):
            raise NotCovered("a station that shares or interrupts its service is held while another is visited")
        if any(item.centre >= 0 and self.centres[item.centre].rates is not None for item in around):
            raise NotCovered("a station with rates is held while another is visited")
        if hold.drains:
            raise NotCovered("there are buffers")
        if station.capacity is not None and (around or any(isinstance(step, Hold) for step in hold.steps)):
            raise NotCovered(f'"{station.name}" has a capacity and is part of a hold in a hold')
        ways: list[tuple[float, int]] = []
        for group, centre, probability in self.ways(station, hold, copies):
            if probability == 0:
                continue
            path = (*place[0], (place[1], group))
            inside = self.chosen(station, copies, group, centre)
            for priority, share, stream in self.numbers[self.here, path]:
                if station.delay:
                    held = _Held(station.name, -1, stream, after, group=group)
                    node = self.body(hold, path, (*around, held), inside, after, tail)
                else:
                    passed = after
                    if self.loses:
                        mark = self.passing[stream] = self.passing[stream] if stream in self.passing else self.mark()
                        passed = self.add(Node(COUNT, after, mark=mark))
                    held = _Held(station.name, centre, stream, passed, priority, group)
                    release = self.add(Node(RELEASE, passed, centre=centre))
                    node = self.body(hold, path, (*around, held), inside, release, tail)
                    present = tuple(item.stream for item in (*around, held) if item.centre >= 0)
                    spent = (self.here[0], self.here[1], station.name, group) if self.answering else None
                    node = Node(QUEUE, node, centre=centre, priority=priority, present=present, spent=spent)
                    if station.capacity is not None:
                        key = (station.name, group)
                        mark = self.losing[key] = self.losing[key] if key in self.losing else self.mark()
                        node = node.replace(mark=mark, lost=self.home)
                    node = self.add(node)
                ways.append((probability * share, node))
        return self.choice(ways)

    def body(
        self, hold: Hold, path: Place, around: tuple[_Held, ...], copies: dict[str, int], after: int, tail: int
    ) -> int:
        """What is done while a server is kept, until it is released."""
        count = sum(step.phase == 1 for step in hold.steps)
        steps, second = hold.steps[:count], hold.steps[count:]
        if any(step.phase == 2 for step in steps):
            raise NotCovered(f'a second phase is told before the last step of the hold of "{hold.station}"')
        if hold.scv is not None:
            only = steps[0] if len(steps) == 1 and not second else None
            if not isinstance(only, Time) or float(only.visits) != 1.0:
                raise NotCovered(f'a hold of "{hold.station}" states the scv of several times together')
            return self.time(only, around, after, float(hold.scv))
        if second:
            after = self.deferred(hold, path, around, copies, after, tail)
            tail = -1
        return self.sequence(hold.steps, 0, path, around, copies, after, tail + 1, len(steps))

    def deferred(
        self, hold: Hold, path: Place, around: tuple[_Held, ...], copies: dict[str, int], after: int, tail: int
    ) -> int:
        """The node where the customer goes on, and what keeps servers after the response begins."""
        begin = sum(step.phase == 1 for step in hold.steps)
        second = hold.steps[begin:]
        kept = [tuple(item for item in around if step.keeps is None or item.name in step.keeps) for step in second]
        if any(not set(later) <= set(sooner) for sooner, later in pairwise(kept)):
            raise NotCovered("a second phase keeps a station that the one before has released")
        outermost = next((number for number, item in enumerate(around) if item in kept[0]), len(around))
        if len(around) - outermost > tail + 1:
            raise NotCovered("a second phase keeps a station that has more to do")
        onward = after if outermost == len(around) else around[outermost].after
        for item in around[outermost:]:
            if item.centre >= 0 and self.centres[item.centre].ordered:
                raise NotCovered("a second phase may be interrupted")
            if self.loses:
                raise NotCovered("customers are lost, and servers are kept after the response")
            if item not in kept[0] and item.centre >= 0:
                onward = self.add(Node(RELEASE, onward, centre=item.centre))
        node = self.add(Node(DONE, -1))
        before, self.answering = self.answering, False
        for number in reversed(range(len(second))):
            later = kept[number + 1] if number + 1 < len(second) else ()
            for item in kept[number]:
                if item not in later and item.centre >= 0:
                    node = self.add(Node(RELEASE, node, centre=item.centre))
            node = self.sequence(hold.steps, begin + number, path, kept[number], copies, node, 0, 1)
        self.answering = before
        return self.add(Node(SPLIT, onward, centre=0 if kept[0] else -1, choices=((1.0, node),)))


def _drawn(visits: float, left: Sequence[int]) -> tuple[tuple[float, int], ...]:
    """The nodes where so many visits begin on average, given those where 0, 1, ... begin, with their probabilities."""
    count = floor(visits)
    if visits == count:
        return ((1.0, left[count]),)
    return ((visits - count, left[count + 1]), (1.0 - visits + count, left[count]))
