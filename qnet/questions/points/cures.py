"""The smallest changes that give a saturated model a steady state: fewer arrivals, faster stations, more servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import floor

from qnet.errors import QnetError
from qnet.expression import Value, parse
from qnet.model.bind import bind
from qnet.model.model import Model
from qnet.networks.routed import OpenClass, RoutedNetwork
from qnet.networks.wanted import AUTO, Wanted
from qnet.networks.work import GroupWork, work
from qnet.questions.points.changes import added_to, changeable, has_servers, speed_of
from qnet.questions.points.points import Solved, solve_points
from qnet.questions.points.saturation import Saturation, saturation
from qnet.record import Record

FEWER, FASTER, SERVERS, COPIES, SHORTER = CURES = (
    "fewer arrivals", "faster station", "more servers", "more copies", "shorter demand",
)  # fmt: skip
"""The types of change."""

_ROUNDS = 40
"""Rounds, of one station each; a station is changed again where waits inside holds shrink less than the times."""
_NEAR, _ROUNDING = 1e-6, 1e-9
"""Tolerances on a factor of 1, for speeds and for integers: below printed digits, above rounding."""
_MOST = 1e6
"""The largest number of servers or copies that is reported."""
FASTEST = 1000.0
"""The largest factor on the speed of a station that counts as a cure: no replacement of a device is as much faster. A
choice."""


class Cures(Record):
    """The changes that give a saturated model a steady state."""

    changes: tuple[Cure, ...]
    too_fast: str = ""
    """The station that would have to be more than `FASTEST` times as fast; empty where there is none."""


class _TooFast(Exception):
    """No speed of a station up to `FASTEST` prevents its saturation."""


class OfferedLoad(Record):
    """Offered load and capacity of a station, or of a group of its copies."""

    name: str
    """The station."""
    label: str
    """The station, or the group of copies."""
    demand: float
    """Service demand at one copy in seconds per arrival, the mean over open classes: with inner service, without
    waits."""
    offered: float
    """Offered load of one copy: arrival rate times demand, in erlangs."""
    capacity: float
    """Servers of one copy, or the last of its load-dependent rates."""

    @property
    def excess(self) -> float:
        """The offered load in excess of the capacity, as a share of it; negative below saturation, infinite without
        capacity."""
        return self.offered / self.capacity - 1 if self.capacity else float("inf")


class Cure(Record):
    """One change of a cure; the changes of one type are needed together, and suffice."""

    change: str
    """One of `CURES`."""
    station: str
    """Empty for arrivals."""
    now: float
    """The present arrival rate, speed (1), servers, copies or demand."""
    needed: float
    """The bound: arrival rates and demands must be below it, speeds above it; for servers and copies the least integer.
    """
    unit: str = ""
    """Of `now` and `needed`: `/s`, `s` or none."""


def arrivals(solved: Solved) -> float:
    """The sum of the arrival rates of all open classes of a model solved at one point, per second."""
    return float(sum(item.throughput for item in solved.parts[0].solution.classes if item.population is None))


def asked(solved: Solved) -> tuple[OfferedLoad, ...]:
    """The load that open classes offer to every station with a capacity, sorted by excess, the largest first.

    solved   a model at one point, which need not have a steady state.
    """
    items = [_offered(group, solved) for group in work(_network(solved)).groups if group.capacity is not None]
    return tuple(sorted(items, key=lambda item: -item.excess))


def cures(model: Model, solved: Solved, edge: Saturation, wanted: Wanted = AUTO) -> Cures:
    """The smallest change of each type that by itself gives a saturated model a steady state.

    model    a model with open classes that saturate it.
    solved   its solution at the stated point.
    edge     its saturation there.
    wanted   the method and its budget.
    Returns  the changes in the order of `CURES`; none of a type that cannot help, would need more than 1e6 servers or
             copies or a speed above `FASTEST`, or was not computed.
    Method   Fewer arrivals: the factor on all arrival rates at which the steady state ends. The other types change the
             saturated station by the factor that it lacks, until none is saturated: at once where loads contain no
             waits (utilization law), in rounds where waits inside holds saturate an outer station. Of servers and
             copies, integers, one less of any station does not suffice.
    """
    total = arrivals(solved)
    result = [Cure(FEWER, "", total, total * float(edge.factor), "/s")]
    changed = changeable(model)
    plain = wanted.replace(states=False, bounds="", announce=None)
    types: tuple[Callable[[], list[Cure]], ...] = (
        lambda: _faster(changed, solved, edge, plain),
        lambda: _more_servers(changed, solved, plain),
        lambda: _more_copies(model, solved, plain),
    )
    too_fast = ""
    for attempt in types:
        try:
            result += attempt()
        except _TooFast as error:
            too_fast = str(error)
        except QnetError:
            continue  # The method does not apply to the changed model, or the budget does not suffice.
    return Cures(tuple(sorted(result, key=lambda item: CURES.index(item.change))), too_fast)


def _network(solved: Solved) -> RoutedNetwork:
    part = solved.parts[0]
    return part.solution.network or bind(solved.model, part.values)


def _offered(group: GroupWork, solved: Solved) -> OfferedLoad:
    """The load that open classes offer to one copy of a group."""
    rates = [float(item.throughput) if item.population is None else 0.0 for item in solved.parts[0].solution.classes]
    offered = sum(rate * float(demand) for rate, demand in zip(rates, group.demands, strict=True))
    total = sum(rates)
    return OfferedLoad(group.name, group.label, offered / total if total else 0.0, offered, group.capacity or 0.0)


def _edge(model: Model, varied: Mapping[str, Value], wanted: Wanted) -> tuple[Solved, Saturation, str]:
    """The solution of a changed model, its saturation, and the station that saturates; empty where it is no station."""
    solved = solve_points(model, varied, asked=wanted)
    edge = saturation(model, solved, varied, wanted)
    groups = {group.label: item.name for item in _network(solved).stations for group in item.groups}
    return solved, edge, groups.get(str(edge.cause), "")


def _faster(changed: Model, before: Solved, edge: Saturation, wanted: Wanted) -> list[Cure]:
    """The least speeds of stations, and the demands that are equivalent to them; none where no speeds help.

    Raises `_TooFast` with the station for which they would exceed `FASTEST`.
    """
    speeds: dict[str, float] = {}
    name = ""
    for _ in range(_ROUNDS):
        solved, edge, name = _edge(changed, {speed_of(item): value for item, value in speeds.items()}, wanted)
        if edge.factor >= 1 - _NEAR:
            break
        if not name or edge.factor <= 0:
            return []
        speeds[name] = speeds.get(name, 1.0) / float(edge.factor)
        if speeds[name] > FASTEST:
            raise _TooFast(name)
    else:
        # The factor that a station lacks shrinks like the part of its time that speed divides.
        most = {speed_of(item): value for item, value in {**speeds, name: FASTEST}.items()}
        if _edge(changed, most, wanted)[2] == name:
            raise _TooFast(name)
        return []
    result = [Cure(FASTER, name, 1.0, value) for name, value in speeds.items()]
    present = {item.label: item for item in asked(before)}
    after = asked(solved)
    for name in speeds:
        busiest = next(item for item in after if item.name == name)
        result.append(Cure(SHORTER, name, present[busiest.label].demand, busiest.demand, "s"))
    return result


def _more_servers(changed: Model, before: Solved, wanted: Wanted) -> list[Cure]:
    """The fewest servers of each copy of the saturated stations; none where no servers help."""
    stations = {item.name: item for item in changed.stations}
    present = {item.name: item.servers for item in _network(before).stations}
    more: dict[str, int] = {}

    def with_servers() -> tuple[Solved, Saturation, str]:
        return _edge(changed, {added_to(item): float(value) for item, value in more.items()}, wanted)

    for _ in range(_ROUNDS):
        solved, edge, name = with_servers()
        if edge.factor > 1 + _ROUNDING:
            break
        if not name or not has_servers(stations[name]) or edge.factor <= 0:
            return []
        servers = present[name] + more.get(name, 0)
        if servers / float(edge.factor) > _MOST:
            return []
        more[name] = floor(servers / float(edge.factor) + _ROUNDING) + 1 - present[name]
    else:
        return []
    for name in list(more) if not all(item.certain for item in solved.parts[0].solution.loads) else ():
        while more[name] > 1:
            more[name] -= 1
            if with_servers()[1].factor <= 1 + _ROUNDING:
                more[name] += 1
                break
    return [Cure(SERVERS, name, present[name], present[name] + value) for name, value in more.items()]


def _more_copies(model: Model, before: Solved, wanted: Wanted) -> list[Cure]:
    """The fewest copies of the saturated stations; none unless these have several copies that share work evenly."""
    followed = {item.follows for item in model.stations if item.follows}
    even = {item.name for item in model.stations if item.split.kind == "even" and not item.follows} - followed
    present = {item.name: sum(group.copies for group in item.groups) for item in _network(before).stations}
    copies: dict[str, int] = {}
    for _ in range(_ROUNDS):
        stations = tuple(
            item.replace(copies=parse(str(copies[item.name]))) if item.name in copies else item
            for item in model.stations
        )
        _, edge, name = _edge(model.replace(stations=stations), {}, wanted)
        if edge.factor > 1 + _ROUNDING:
            return [Cure(COPIES, name, present[name], value) for name, value in copies.items()]
        if name not in even or present[name] < 2 or edge.factor <= 0:
            return []
        now = copies.get(name, present[name])
        if now / float(edge.factor) > _MOST:
            return []
        copies[name] = floor(now / float(edge.factor) + _ROUNDING) + 1
    return []


def has_arrivals(solved: Solved) -> bool:
    """Whether some class of a model solved at one point is open, so that its arrival rate can be reduced."""
    return any(isinstance(item, OpenClass) for item in _network(solved).classes)
