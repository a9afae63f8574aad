"""A network as a program for its customers.

Copies of a station are stations here, buffers are stations without service, repeated visits are separate nodes, and
times with a squared coefficient of variation other than 1 are phases. Nothing is solved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise, product
from math import ceil, floor

from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Step, Time
from qnet.networks.states.program import (
    CHOICE,
    COUNT,
    DONE,
    FORK,
    JOIN,
    QUEUE,
    RELEASE,
    REST,
    SPLIT,
    TIME,
    CentreCopy,
    Held,
    HoldPath,
    Node,
    NotCovered,
    ParallelNodes,
    Program,
    Store,
    drawn,
    unbounded,
)  # fmt: skip
from qnet.networks.states.steps import EXPONENTIAL, MAX_PHASES, Copies, chain, lost_late, phases, time_inside, visited

MAX_NODES = 1500
"""The most nodes, and the most copies of stations; a choice: chains of larger programs have too many states."""
MAX_VISITS = 40
"""The most repetitions of a step, each of which is a node; a choice: more of them make too many states."""
MAX_WAYS = 60
"""The most ways in which branches spread over the copies of stations."""


def program(network: RoutedNetwork, even: float = 0.0) -> Program:
    """The program of one point of a network.

    network   without a batch; rates per second, times in seconds.
    even      the scv that replaces those too small for phases; 0 for none.
    Returns   nodes, centres, and where customers begin. Streams have the numbers that `streams.streams` gives them.
    Raises    `NotCovered` for features that the states of a small chain do not describe.
    Times     by their scv: exponential (1), a mixture of Erlang distributions of k - 1 and k phases of one rate
              (below), hyperexponential with balanced means (above): @tijms2003, appendix B. Think times of classes
              are exponential.
    """
    return Compiler(network, even).program()


class Compiler:
    """Writes the nodes of a program."""

    def __init__(self, network: RoutedNetwork, even: float) -> None:
        self.network = network
        self.even = even
        self.evened: dict[str, None] = {}
        """The times that are more variable here than stated."""
        self.stations = {station.name: station for station in network.stations}
        self.nodes: list[Node] = []
        self.centres: list[CentreCopy] = []
        first: dict[tuple[str, int], int] = {}
        self.phased: dict[str, None] = {}
        self.numbers: dict[tuple[tuple[int, int], HoldPath], list[tuple[int, float, int]]] = {}
        """By class, route and path of a hold: its priorities, their shares and their streams."""
        self.streams = 0
        self.here: tuple[int, int] = (0, 0)
        for station in network.stations:
            for index, group in enumerate(station.groups):
                first[station.name, index] = len(self.centres)
                if not station.delay:
                    if len(self.centres) + group.copies > MAX_NODES:
                        raise NotCovered("there are too many stations")
                    discipline = "fcfs" if station.discipline == "priority" else station.discipline
                    made = CentreCopy(station.name, index, discipline, station.servers, station.rates, station.capacity)
                    self.centres += [made] * group.copies
        self.copies = Copies(self.stations, first)
        self.stores: dict[str, Store] = {}
        for buffer in network.buffers:
            places = int(float(buffer.places) + 1e-9)
            self.stores[buffer.name] = Store(buffer.name, len(self.centres), {}, {})
            self.centres.append(CentreCopy("", -1, "fcfs", places, None, places if buffer.loses else None))
        self.lossy = {station.name for station in network.stations if station.capacity is not None}
        self.lossy |= {buffer.name for buffer in network.buffers if buffer.loses}
        self.loses = network.limited and any(centre.capacity is not None for centre in self.centres)
        if len(network.profiles) > 1:
            raise NotCovered("times depend on the numbers inside of several stations")
        self.profile = network.profiles[0] if network.profiles else None
        self.marks = len(network.classes)
        self.routes: dict[tuple[int, int], int] = {}
        self.served_at_once = False
        """Whether some service takes no time."""
        self.answering = True
        """Whether the current steps are before the response."""
        self.passing: dict[int, int] = {}
        self.losing: dict[tuple[str, int], int] = {}
        self.begun = tuple(self.mark() for _ in network.classes) if self.loses else ()
        self.early = True
        self.steps: dict[tuple[tuple[int, int], HoldPath, int], tuple[int, tuple[int, ...]]] = {}
        self.home = -1
        """The node of lost customers of the current class, after they have released the places taken."""
        self.taken: Mapping[str, tuple[int, float]] = {}
        """By buffer: the places taken at the current step, and their mean number."""
        self.branch = -1
        """The current branch, of a parallel step that is reported."""
        self.inside_branch = False
        self.branches = 0
        self.forks: dict[tuple[tuple[int, int], int], ParallelNodes] = {}
        """By class, route and step."""

    def program(self) -> Program:
        """Compile all classes."""
        homes: list[tuple[int, int]] = []
        arrivals: list[tuple[float, int]] = []
        for class_index, item in enumerate(self.network.classes):
            for number, route in enumerate(item.routes):
                self.here = (class_index, number)
                self.number(route.steps, (), {})
            if isinstance(item, OpenClass):
                begin = chain(self, class_index, item) if item.chain else self.passage(class_index, item, -1)
                if item.arrival_rate == 0:
                    continue
                if abs(float(item.arrival_scv) - 1.0) <= EXPONENTIAL:
                    arrivals.append((float(item.arrival_rate), begin))
                else:
                    homes.append((1, self.clock(item, begin)))
                continue
            count = float(item.population)
            if count != floor(count):
                raise NotCovered(f'the population of "{item.name}" is not an integer')
            if item.chain:
                homes.append((int(count), chain(self, class_index, item)))
                continue
            thinking = item.think_time > 0
            home = self.add(Node(TIME, -1, rate=1.0 / float(item.think_time)) if thinking else Node(REST, -1))
            self.nodes[home] = self.nodes[home].replace(after=self.passage(class_index, item, home))
            homes.append((int(count), home))
        return Program(
            nodes=tuple(self.nodes),
            centres=tuple(self.centres),
            homes=tuple(homes),
            arrivals=tuple(arrivals),
            phased=tuple(self.phased),
            evened=tuple(self.evened),
            routes=self.routes,
            passing=self.passing,
            losing=self.losing,
            begun=self.begun,
            at_once=self.at_once(),
            early=self.early,
            steps=self.steps,
            stores=tuple(self.stores.values()),
            forks=tuple(self.forks[key] for key in sorted(self.forks)),
            unbounded=bool(arrivals) or any(unbounded(node) for node in self.nodes),
        )

    def at_once(self) -> bool:
        """Whether some service takes no time, in addition to another time of zero."""
        rests = [number for number, node in enumerate(self.nodes) if node.kind == REST]
        return bool(self.served_at_once) and len(rests) > 1

    def mark(self) -> int:
        """The number of a new mark."""
        self.marks += 1
        return self.marks - 1

    def add(self, node: Node) -> int:
        """The number of a new node."""
        if len(self.nodes) >= MAX_NODES:
            raise NotCovered("its routes have too many steps")
        self.nodes.append(node)
        return len(self.nodes) - 1

    def clock(self, item: OpenClass, begin: int) -> int:
        """The node where the time to the next arrival begins, of customers that do not arrive in a Poisson stream."""
        again = self.add(Node(CHOICE, -1))
        self.answering = False
        arrival = self.add(Node(SPLIT, again, choices=((1.0, begin),)))
        first = self.time(Time(1.0 / item.arrival_rate, item.arrival_scv), (), arrival, name=f"arrivals of {item.name}")
        self.answering = True
        self.nodes[again] = self.nodes[again].replace(choices=((1.0, first),))
        return again

    def choice(self, ways: Sequence[tuple[float, int]]) -> int:
        """A node that goes on at random."""
        ways = [(share, node) for share, node in ways if share > 0]
        return ways[0][1] if len(ways) == 1 else self.add(Node(CHOICE, -1, choices=tuple(ways)))

    def number(self, steps: Sequence[Step], path: HoldPath, copies: dict[str, int]) -> None:
        """Number the streams of some steps: those inside a hold before that of the hold."""
        for position, step in enumerate(steps):
            if isinstance(step, Fork):
                for index, branch in enumerate(step.branches):
                    self.number(branch.steps, (*path, (position, -1 - index)), {})
                continue
            if isinstance(step, Time):
                continue
            station = self.stations[step.station]
            for group, centre, _ in self.copies.groups(station, step, copies):
                here = (*path, (position, group))
                self.number(step.steps, here, self.copies.chosen(station, copies, group, centre))
                rest = float(step.exempt) if step.priority else 0.0
                shares = [(step.priority, 1.0 - rest), (0, rest)]
                numbered = self.numbers[self.here, here] = []
                for priority, share in shares:
                    if share > 0:
                        numbered.append((priority, share, self.streams))
                        self.streams += 1

    def passage(self, class_index: int, item: OpenClass | ClosedClass, home: int) -> int:
        """The node where a passage of a class begins."""
        ways: list[tuple[float, int]] = []
        for number, route in enumerate(item.routes):
            self.here = (class_index, number)
            self.copies.before = visited(route.steps)
            self.early = self.early and not lost_late(route.steps, self.lossy)
            self.home = self.add(Node(DONE, home))
            after = self.add(Node(COUNT, self.home, mark=class_index))
            if len(item.routes) > 1:
                mark = self.routes[class_index, number] = self.mark()
                after = self.add(Node(COUNT, after, mark=mark))
            after = self.onward(route.steps, 0, after)
            ways.append((float(route.probability), after))
        first = self.choice(ways)
        return self.add(Node(COUNT, first, mark=self.begun[class_index])) if self.loses else first

    def onward(self, steps: Sequence[Step], begin: int, after: int) -> int:
        """The outermost steps of a route from `begin` on, with separate nodes for every number of places taken."""
        fills = ((index, step) for index, step in enumerate(steps) if isinstance(step, Time) and step.fills)
        index, fill = next((item for item in fills if item[0] >= begin), (len(steps), None))
        if fill is None:
            return self.pieces(steps, begin, index, (), after)
        ways: list[tuple[float, int]] = []
        visits = float(fill.visits)
        for share, amount in drawn(visits, range(ceil(visits) + 1)):
            before = self.taken
            self.taken = {**before, fill.fills: (amount, visits)}
            tail = self.onward(steps, index + 1, after)
            self.taken = before
            ways.append((share, self.fill(fill, amount, tail) if amount else tail))
        return self.pieces(steps, begin, index, (), self.choice(ways))

    def fill(self, step: Time, amount: int, after: int) -> int:
        """Take some places of a buffer."""
        store = self.stores[step.fills]
        if amount > self.centres[store.centre].servers:
            raise NotCovered(f'more places of "{step.fills}" are taken at once than it has')
        marks = [
            {**marks, amount: marks[amount] if amount in marks else self.mark()}
            for marks in (store.asked, store.refused)
        ]
        self.stores[step.fills] = store.replace(asked=marks[0], refused=marks[1])
        lost = -1 if self.centres[store.centre].capacity is None else self.where_lost(self.home)
        spent = (*self.here, "", 0)
        node = Node(QUEUE, after, centre=store.centre, amount=amount, mark=marks[1][amount], lost=lost, spent=spent)
        return self.add(Node(COUNT, self.add(node), mark=marks[0][amount]))

    def where_lost(self, home: int, around: tuple[Held, ...] = ()) -> int:
        """The node of lost customers: they release what they hold, and free the places taken."""
        for name, (amount, _) in self.taken.items():
            if amount:
                home = self.add(Node(RELEASE, home, centre=self.stores[name].centre, amount=amount))
        for item in around:
            if item.centre >= 0:
                home = self.add(Node(RELEASE, home, centre=item.centre))
        return home

    def pieces(self, steps: Sequence[Step], begin: int, end: int, path: HoldPath, after: int) -> int:
        """Some outermost steps of a route or branch: those of phase 2 in a row are one piece of second-phase work."""
        while end > begin:
            phase, first = steps[end - 1].phase, end
            while first > begin and steps[first - 1].phase == phase:
                first -= 1
            if phase == 1:
                after = self.sequence(steps, first, path, (), {}, after, 0, end - first)
            else:
                drained = [step.drains for step in steps[first:end] if isinstance(step, Hold) and step.drains]
                if not set(drained) <= set(self.taken):
                    raise NotCovered("a buffer is filled inside of a hold or of a branch")
                bounded = any(self.taken[name][0] for name in drained)
                answering, taken, home, branch = self.answering, self.taken, self.home, self.branch
                self.answering, self.branch = False, -1
                self.taken = {name: taken[name] for name in drained}
                self.home = self.add(Node(DONE, -1))
                work = self.sequence(steps, first, path, (), {}, self.home, 0, end - first)
                self.answering, self.taken, self.home, self.branch = answering, taken, home, branch
                after = self.add(Node(SPLIT, after, centre=0 if bounded else -1, choices=((1.0, work),)))
            end = first
        return after

    def sequence(
        self,
        steps: Sequence[Step],
        begin: int,
        path: HoldPath,
        around: tuple[Held, ...],
        copies: dict[str, int],
        after: int,
        tail: int,
        count: int,
    ) -> int:
        """The node where some of the steps of a route or hold begin.

        steps   of which `count` are written, from `begin` on.
        path    of the hold or branch around them.
        around  the holds around them, the outermost first.
        copies  the chosen copies of held stations.
        after   the next node.
        tail    how many of the innermost holds around end with the last of these steps.
        """
        node = after
        for index in reversed(range(begin, begin + count)):
            step = steps[index]
            inside = bool(self.profile) and any(item.name == self.profile.station for item in around)
            levels = time_inside(self.network, self.profile if inside else None, self.here, path, index)
            visits = tuple(float(item.visits) for item in levels)
            if isinstance(step, Hold) and step.drains:
                amount, mean = self.taken[step.drains]
                if amount:
                    node = self.add(Node(RELEASE, node, centre=self.stores[step.drains].centre, amount=amount))
                visits = (float(amount),) if set(visits) == {mean} else visits
            last = tail if index == begin + count - 1 and set(visits) == {1.0} else 0
            if isinstance(step, Time):
                one: Callable[[int], int] = lambda then, step=step, at=index, levels=levels: self.time(  # noqa: E731
                    step, around, then, levels=levels
                )
            elif isinstance(step, Fork):
                if around:
                    raise NotCovered("branches run in parallel while a station is held")
                one = lambda then, step=step, at=index: self.fork(step, path, at, then)  # noqa: E731
            else:
                one = lambda then, step=step, at=index, last=last: self.hold(  # noqa: E731
                    step, (path, at), around, copies, then, last
                )
            if self.profile and (len(levels) > 1 or getattr(step, "station", "") == self.profile.station):
                if any(len(station.groups) > 1 for station in self.network.stations):
                    raise NotCovered("times depend on the number inside, and copies have different shares")
                one = self.counted(one, path, index)
            node = self.repeated(visits, one, node, self.gate(around))
        return node

    def gate(self, around: tuple[Held, ...]) -> int:
        """The centre on whose number inside times depend here; -1 for none."""
        name = self.profile.station if self.profile else ""
        centre = next((item.centre for item in around if item.name == name), -1)
        if centre >= 0 and (self.centres[centre].discipline != "fcfs" or self.stations[name].copies > 1):
            raise NotCovered(f'times depend on the number inside "{name}", which is not one line')
        return centre

    def counted(self, one: Callable[[int], int], path: HoldPath, index: int) -> Callable[[int], int]:
        """The writer of a step, with a mark that counts its executions."""
        key = (self.here, path, index)
        mark = self.steps[key][0] if key in self.steps else self.mark()

        def build(after: int) -> int:
            before = len(self.nodes)
            first = one(after)
            made = self.steps[key][1] if key in self.steps else ()
            self.steps[key] = (mark, (*made, *range(before, len(self.nodes))))
            return self.add(Node(COUNT, first, mark=mark))

        return build

    def repeated(self, visits: Sequence[float], once: Callable[[int], int], after: int, gate: int) -> int:
        """The node of a step that is made floor(visits) times, and once more with the probability of the rest.

        visits   with 1, 2, ... customers inside of the centre `gate`; or one number.
        """
        most = ceil(max(visits))
        if most > MAX_VISITS:
            raise NotCovered(f"a step is made {max(visits):g} times")
        left = [after]
        for _ in range(most):
            left.append(once(left[-1]))
        choices = [drawn(number, left) for number in visits]
        if len(set(choices)) == 1:
            return self.choice(choices[0])
        return self.add(Node(CHOICE, -1, choices=choices[0], levels=tuple(choices), inside=gate))

    def time(
        self,
        step: Time,
        around: tuple[Held, ...],
        after: int,
        scv: float | None = None,
        name: str = "delays",
        levels: Sequence[Step] = (),
    ) -> int:
        """A time without queueing, or service at the innermost station that is held.

        scv      instead of that of the step.
        name     of the time, if no station is held.
        levels   the step with 1, 2, ... customers inside; () where it does not depend on them.
        """
        if step.fills:
            raise NotCovered("a buffer is filled inside of a hold or of a branch")
        mean, variation = float(step.mean), float(step.scv if scv is None else scv)
        means = {float(item.mean) for item in levels if isinstance(item, Time)}
        centre = around[-1].centre if around else -1
        if mean == 0 and means <= {0.0}:
            self.served_at_once = self.served_at_once or centre >= 0
            return after if centre >= 0 and self.centres[centre].ordered else self.add(Node(REST, after))
        speeds: tuple[float, ...] = ()
        if len(means) > 1:
            if 0.0 in means or mean == 0 or len({float(item.scv) for item in levels if isinstance(item, Time)}) > 1:
                raise NotCovered("a time is 0 with some number inside, or its scv depends on that number")
            speeds = tuple(mean / float(item.mean) for item in levels if isinstance(item, Time))
        gate = self.gate(around) if speeds else -1
        present = tuple(item.stream for item in around if item.centre >= 0)

        here = (around[-1].name, around[-1].group) if around else ("", 0)
        priority = around[-1].priority if around else 0
        node = Node(
            kind=TIME,
            after=after,
            rate=0.0,
            centre=centre,
            priority=priority,
            present=present,
            speeds=speeds,
            inside=gate,
        )
        node = node.replace(spent=(*self.here, *here) if self.answering else None, branch=self.branch)

        def phase(rate: float, then: int) -> int:
            return self.add(node.replace(rate=rate, after=then))

        if abs(variation - 1.0) <= EXPONENTIAL:
            return phase(1.0 / mean, after)
        where = f"times at {around[-1].name}" if around else name
        self.phased[where] = None
        if self.even and variation * MAX_PHASES < 1.0 - 1e-9:
            variation = self.even
            self.evened[where] = None
        return self.choice(phases(mean, variation, phase, after))

    def hold(
        self,
        hold: Hold,
        index: tuple[HoldPath, int],
        around: tuple[Held, ...],
        copies: dict[str, int],
        after: int,
        tail: int,
    ) -> int:
        """One visit of a hold, at any of the copies that it may use."""
        station = self.stations[hold.station]
        if any(item.centre >= 0 and self.centres[item.centre].ordered for item in around):
            raise NotCovered("a station with preemption is held while another is visited")
        ways: list[tuple[float, int]] = []
        for group, centre, probability in self.copies.ways(station, hold, copies):
            if probability == 0:
                continue
            path = (*index[0], (index[1], group))
            inside = self.copies.chosen(station, copies, group, centre)
            for priority, share, stream in self.numbers[self.here, path]:
                passed, mark = after, -1
                if self.loses:
                    mark = self.passing[stream] = self.passing[stream] if stream in self.passing else self.mark()
                    passed = self.add(Node(COUNT, after, mark=mark))
                if station.delay:
                    held = Held(name=station.name, centre=-1, stream=stream, after=passed, group=group, mark=mark)
                    node = self.body(hold, path, (*around, held), inside, passed, tail)
                else:
                    held = Held(
                        name=station.name,
                        centre=centre,
                        stream=stream,
                        after=passed,
                        priority=priority,
                        group=group,
                        mark=mark,
                    )
                    release = self.add(Node(RELEASE, passed, centre=centre))
                    node = self.body(hold, path, (*around, held), inside, release, tail)
                    present = tuple(item.stream for item in (*around, held) if item.centre >= 0)
                    spent = (*self.here, station.name, group) if self.answering else None
                    node = Node(QUEUE, node, centre=centre, priority=priority, present=present, spent=spent)
                    node = node.replace(branch=self.branch)
                    if station.capacity is not None:
                        key = (station.name, group)
                        mark = self.losing[key] = self.losing[key] if key in self.losing else self.mark()
                        if self.inside_branch:
                            raise NotCovered(f'"{station.name}" has a capacity and is visited in parallel')
                        node = node.replace(mark=mark, lost=self.where_lost(self.home, around))
                    node = self.add(node)
                ways.append((probability * share, node))
        return self.choice(ways)

    def fork(self, fork: Fork, path: HoldPath, position: int, after: int) -> int:
        """One execution of a parallel step."""
        answered = self.answering and not self.inside_branch
        made = self.forks.get((self.here, position)) if answered else None
        if made is None:
            marks = [(self.branches + index, self.mark(), self.mark()) for index in range(len(fork.branches))]
            self.branches += len(marks)
            made = ParallelNodes(*self.here, self.mark(), (), tuple(marks))
        before = (self.answering, self.branch, self.inside_branch, self.copies.forced)
        self.answering, self.inside_branch = False, True
        ways: list[list[tuple[int, ...]]] = []
        for index, (branch, (number, ended, awaited)) in enumerate(zip(fork.branches, made.branches, strict=True)):
            self.branch = number if answered else -1
            end = self.add(Node(COUNT, self.add(Node(JOIN, -1, mark=awaited)), mark=ended))
            inner = (*path, (position, -1 - index))
            begins: list[int] = []
            for forced in self.copies.spread(branch):
                self.copies.forced = {**before[3], **forced}
                begins.append(self.pieces(branch.steps, 0, len(branch.steps), inner, end))
            alone = len(begins) == 1
            ways.append([tuple(begins * branch.copies)] if alone else list(combinations(begins, branch.copies)))
        self.answering, self.branch, self.inside_branch, self.copies.forced = before
        starts = list(product(*ways))
        if len(starts) > MAX_WAYS:
            raise NotCovered("the branches of a parallel step spread over copies in too many ways")
        nodes = [
            self.add(
                Node(
                    FORK,
                    after,
                    amount=fork.needed,
                    choices=tuple((1.0, begin) for group in start for begin in group),
                    branch=self.branch,
                )
            )
            for start in starts
        ]
        if answered:
            self.forks[self.here, position] = made.replace(nodes=(*made.nodes, *nodes))
        first = self.choice([(1.0 / len(nodes), node) for node in nodes])
        return self.add(Node(COUNT, first, mark=made.begun))

    def body(
        self, hold: Hold, path: HoldPath, around: tuple[Held, ...], copies: dict[str, int], after: int, tail: int
    ) -> int:
        """The steps while a server is kept, until it is released."""
        count = sum(step.phase == 1 for step in hold.steps)
        steps, second = hold.steps[:count], hold.steps[count:]
        if any(step.phase == 2 for step in steps):
            raise NotCovered(f'a second phase is stated before the last step of the hold of "{hold.station}"')
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
        self, hold: Hold, path: HoldPath, around: tuple[Held, ...], copies: dict[str, int], after: int, tail: int
    ) -> int:
        """The node where the customer goes on, and the second-phase work of a hold begins."""
        begin = sum(step.phase == 1 for step in hold.steps)
        second = hold.steps[begin:]
        kept = [tuple(item for item in around if step.keeps is None or item.name in step.keeps) for step in second]
        if any(not set(later) <= set(sooner) for sooner, later in pairwise(kept)):
            raise NotCovered("a second phase keeps a station that the one before has released")
        outermost = next((number for number, item in enumerate(around) if item in kept[0]), len(around))
        if len(around) - outermost > tail + 1:
            raise NotCovered("a second phase keeps a station whose visit has further steps")
        onward = after if outermost == len(around) else around[outermost].after
        for item in around[outermost:]:
            if item.centre >= 0 and self.centres[item.centre].ordered:
                raise NotCovered("a second phase may be preempted")
            if item not in kept[0] and item.centre >= 0:
                onward = self.add(Node(RELEASE, onward, centre=item.centre))
            if item.mark >= 0 and item is not around[outermost]:
                onward = self.add(Node(COUNT, onward, mark=item.mark))
        node = self.add(Node(DONE, -1))
        before = (self.answering, self.home, self.taken)
        self.answering, self.home, self.taken = False, node, {}
        for number in reversed(range(len(second))):
            later = kept[number + 1] if number + 1 < len(second) else ()
            for item in kept[number]:
                if item not in later and item.centre >= 0:
                    node = self.add(Node(RELEASE, node, centre=item.centre))
            node = self.sequence(hold.steps, begin + number, path, kept[number], copies, node, 0, 1)
        self.answering, self.home, self.taken = before
        return self.add(Node(SPLIT, onward, centre=0 if kept[0] else -1, choices=((1.0, node),)))
