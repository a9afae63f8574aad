"""The breakdown of response time, the bottleneck, and the effect of changing a station."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qnet import budget
from qnet.errors import NoAnswer, NotComputed, Problem, UsageError
from qnet.expression import Value
from qnet.model.bind import bind
from qnet.model.model import Model
from qnet.networks.routed import ClosedClass, Hold, RoutedNetwork, Step
from qnet.networks.solution import RoutedSolution, StationFigures
from qnet.networks.wanted import AUTO, Wanted
from qnet.networks.work import GroupWork, NetworkWork, work
from qnet.questions.bottleneck.completed import bounding, demands_of_passages, service_of_passages, visits_made
from qnet.questions.points.changes import Change, Changes, changes, changes_together, inside_limits, judged_by_states
from qnet.questions.points.points import Solved, solve_points
from qnet.questions.points.saturation import Saturation, largest_throughput, saturation
from qnet.questions.points.solution_figures import rising
from qnet.questions.solve.solve import no_steady_state
from qnet.record import Record
from qnet.units import format_quantity

_BUSY = 0.8
"""The utilization from which a station counts as nearly saturated."""
_MOST = 0.5
"""The share of a holding time spent at inner stations from which they may be its cause: a majority, a choice."""


class Software(Record):
    """A software bottleneck: a station whose servers are nearly all held, mostly at inner stations that are not."""

    name: str
    label: str
    servers: int
    utilization: float
    inside: float
    """The share of the holding time of its servers that is spent at inner stations, waiting or being served."""
    at: str
    """The inner station where most of that is spent."""
    busiest: str
    """The inner station with the largest utilization."""
    busiest_utilization: float


def software(network: RoutedNetwork, solution: RoutedSolution, network_work: NetworkWork) -> tuple[Software, ...]:
    """The software bottlenecks of a solved point.

    network       the network, with holds.
    solution      its solution.
    network_work  its service and demands, without waits.
    Returns       stations with a utilization of at least 80 % that are held mostly at inner stations, all of these
                  below 80 %. Second-phase work at the station itself counts as spent inside. Where customers are
                  lost, the work is that of the visits made, those of passages that are lost later included.
    Source        @neilson1995
    """
    inside = _inside(network)
    served: dict[str, float] = {}
    made = visits_made(solution, network)
    for item, throughput in zip(network_work.routes, _throughputs(network, solution), strict=True):
        for label, time in item.service.items():
            carried = made.get((item.class_index, label), 1.0)
            served[label] = served.get(label, 0.0) + float(throughput * time) * carried
    result: list[Software] = []
    for item in solution.stations:
        inner = [other for other in solution.stations if other.name in inside.get(item.name, ())
                 and other.utilization is not None]  # fmt: skip
        busy = float(item.busy_servers)
        if not inner or item.utilization is None or item.utilization < _BUSY or busy <= 0:
            continue
        share = 1.0 - min(served.get(item.label, 0.0) / busy, 1.0)
        busiest = max(inner, key=_utilization)
        if share >= _MOST and _utilization(busiest) < min(_BUSY, float(item.utilization)):
            at = max(inner, key=lambda other: float(other.queue_length))
            result.append(
                Software(
                    name=item.name,
                    label=item.label,
                    servers=item.servers or 1,
                    utilization=float(item.utilization),
                    inside=share,
                    at=at.label,
                    busiest=busiest.label,
                    busiest_utilization=_utilization(busiest),
                )
            )
    return tuple(result)


def _utilization(item: StationFigures) -> float:
    return float(item.utilization or 0.0)


def _throughputs(network: RoutedNetwork, solution: RoutedSolution) -> Iterator[float]:
    """The throughput of every route, in the order of the network."""
    for item, figures in zip(network.classes, solution.classes, strict=True):
        for route in item.routes:
            yield float(figures.throughput) * float(route.probability)


def _inside(network: RoutedNetwork) -> Mapping[str, set[str]]:
    """The stations that are visited while another is held, by the name of that one."""
    result: dict[str, set[str]] = {}

    def walk(steps: Sequence[Step], holds: tuple[str, ...]) -> None:
        for step in steps:
            if isinstance(step, Hold):
                for name in holds:
                    result.setdefault(name, set()).add(step.station)
                walk(step.steps, (*holds, step.station))

    for item in network.classes:
        for route in item.routes:
            walk(route.steps, ())
    return result


class ResponsePart(Record):
    """A part of a response: at one group of copies of a station, or outside stations (no label)."""

    label: str
    residence: float
    service: float | None
    """None where waiting and service cannot be separated: where rates depend on the number present, or where an
    approximation has a residence time below the service time."""
    wait: float | None
    share: float | None
    """The share of the response; None where the response is 0."""
    contradicted: bool = False
    """Whether an approximation has a residence time below the service time."""


class Resource(Record):
    """A group of copies of a station, or a named limit: its capacity, and its part of the mean response."""

    name: str
    label: str
    copies: int | None
    servers: int | None
    utilization: float | None
    demand: float | None
    """Seconds that servers of one copy are held per passage of the mean customer, without waits for inner stations."""
    full_at: float | None
    """The throughput of the system at which its work alone saturates it, with the mix of classes unchanged."""
    headroom: float | None
    """The distance of the throughput from that, as a share of the throughput."""
    full_population: float | None
    """For a single closed class, the population at which the asymptote reaches that throughput."""
    rank: int | None
    """Its rank in the order of saturation, 1 for the bottleneck; None where it cannot saturate."""
    waits_inside: float | None
    """The share of its holding time that is spent waiting for inner stations."""
    part: ResponsePart | None
    """None for a limit."""


class ClassAtStation(Record):
    """One class at one group of copies of a station."""

    class_name: str
    part: ResponsePart
    demand: float
    full_at: float | None
    """The throughput of this class at which it would saturate the station alone."""


class RoutePart(Record):
    """One route at one group of copies of a station."""

    class_name: str
    route: str
    part: ResponsePart


MOST_CHANGED = 8
"""Most stations that are tried faster and with one more server."""
_ROUNDING = 1e-12
"""The share of the residence time up to which a wait counts as none: above rounding, below anything printed."""
_CHAIN, _CHEAP = 3_000, 0.2
"""Most states of the Markov chain of each change, unless all changes take at most this share of the operations left for
chains, if each takes as many as the answer; where one needs more, all changes are approximated."""


class Bottleneck(Record):
    """The answer: the parts of the response, the resources in the order of saturation, and the changes."""

    model: Model
    solved: Solved
    solution: RoutedSolution
    faster: float
    maximum: float | None
    """The saturation throughput of the system; None where it depends on how several closed classes grow."""
    limited_by: str | None
    edge: Saturation
    """The factor by which all arrivals can grow together, and what saturates there."""
    resources: tuple[Resource, ...]
    """Those with a rank first, in its order."""
    delays: ResponsePart | None
    """The part of the response outside stations."""
    visits: tuple[ClassAtStation, ...]
    """The classes at the stations, where there are several classes."""
    outside: Mapping[str, ResponsePart]
    """The part of the response outside stations by class, where there are several classes."""
    routes: tuple[RoutePart, ...]
    """The routes of classes with several, and the classes of chains, at the stations."""
    before: Change
    """The system as it is, solved by the method of the changes, which are compared with it."""
    changes: tuple[Change, ...]
    """Faster stations first, then more servers."""
    left_out: tuple[str, ...]
    """The stations whose change was not tried."""
    software: tuple[Software, ...] = ()
    """The software bottlenecks."""

    @property
    def ranked(self) -> tuple[Resource, ...]:
        """The resources that can saturate, the first to do so first."""
        return tuple(resource for resource in self.resources if resource.rank)

    def in_words(self, part: ResponsePart) -> str:
        """The name of a part of a response: a station, delays, waiting for places of buffers, or both of these."""
        buffers = self._blocking_buffers()
        if part.label or not part.wait or not buffers:
            return part.label or "delays"
        waiting = f"waiting for a place in {' or '.join(buffers)}"
        return f"delays and {waiting}" if part.service else waiting

    def at_delays(self, part: ResponsePart) -> bool:
        """Whether a part of a response outside stations contains delays, and not only waiting for buffers."""
        return not part.label and not (part.wait and self._blocking_buffers() and not part.service)

    def _blocking_buffers(self) -> list[str]:
        """The buffers for whose places customers wait."""
        return [item.name for item in self.solution.buffers if item.delay_when_full * item.found_full > 0]


def bottleneck(model: Model, faster: float = 2.0, wanted: Wanted = AUTO) -> Bottleneck:
    """Break down the response time of a model at its stated point, find the bottleneck, and evaluate changes.

    model     open, closed or mixed.
    faster    the factor on the speed of a station in the changes, above 1.
    wanted    the method and its budget.
    Returns   `Bottleneck`. Residence times and delays add up to the response; each is the sum of service and wait.
    Raises    `NoAnswer` where there is no steady state, with what is overloaded and ways out; `UsageError` QN022 for
              `faster` of 1 or less; and what `solve_points` raises.
    Laws      A station saturates at capacity / demand (utilization law), with the mix of classes unchanged; for a
              single closed class the asymptotes N / (D + Z) and capacity / demand intersect at its population.
    Source    @denning1978; @lazowska1984, chapter 5
    """
    if not 1 < faster < float("inf"):
        text = f"a station {faster:g} times as fast"
        raise UsageError(Problem("QN022", text, "a number above 1, such as 2"))
    with changes_together(model, faster):
        return _bottleneck(model, faster, wanted)


def _bottleneck(model: Model, faster: float, wanted: Wanted) -> Bottleneck:
    # As `solve`: where waits inside holds are outside of what was measured, the chain of states answers if it is cheap.
    wanted = wanted.replace(better=True)
    before = budget.spent()
    solved = solve_points(model, asked=wanted)
    took = budget.spent() - before
    edge = saturation(model, solved, wanted=wanted)
    solution = solved.parts[0].solution
    if not solution.stable:
        raise _overloaded(model, solved, edge, faster, wanted)
    maximum, limited_by = largest_throughput(solution, edge)
    network = solution.network or bind(model, solved.parts[0].values)
    network_work = work(network)
    mix = _mix(solution)
    present = service_of_passages(solution, network_work, network)
    stated = demands_of_passages(solution, network_work, network)
    groups = bounding(stated, network, solution)
    falls = any(one != other and one.label == limited_by for one, other in zip(groups, stated, strict=True))
    if falls:
        # The throughput of many customers, which fewer exceed.
        maximum, limited_by = None, None
    completed = network_work if solution.offered is None else present
    parts = _parts(solution, present, network)
    of_system = _weighted(parts, mix, float(solution.response))
    resources = _resources(solution, completed.replace(groups=groups), network, mix, of_system)
    resources = _ranked(solution, [*resources, *_limits(solution, network)])
    resources = tuple(_with_waits(item, maximum, limited_by) for item in resources)
    tried, left_out = _tried(model, resources)
    compared = _compared(model, tried, faster, solution, wanted, took)
    compared = compared.unlimited() if falls else compared
    visits = [
        ClassAtStation(item.name, part, demand, _full_at(group, _only(number, len(solution.classes))))
        for group in groups
        for number, item in enumerate(solution.classes)
        for part in [parts[number].get(group.label) or _nothing(group.label, item.response)]
        for demand in [float(group.demands[number])]
        if demand > 0
    ]
    several = len(solution.classes) > 1
    return Bottleneck(
        model=model,
        solved=solved,
        solution=solution,
        faster=faster,
        maximum=maximum,
        limited_by=limited_by,
        edge=edge,
        resources=resources,
        delays=of_system.get(""),
        visits=tuple(visits) if several else (),
        outside={
            item.name: row[""] for item, row in zip(solution.classes, parts, strict=True) if several and "" in row
        },
        routes=tuple(_routes(solution, present, network)),
        before=compared.before,
        changes=compared.tried,
        left_out=left_out,
        software=software(network, solution, network_work),
    )


def _compared(
    model: Model, tried: Sequence[str], faster: float, solution: RoutedSolution, wanted: Wanted, took: float
) -> Changes:
    """The changes of the stations `tried`, by the method of the solution of the system, which `took` some operations,
    where they can have it."""
    closed = [item for item in solution.classes if item.population is not None]
    by_states = solution.method == "states"
    if not by_states:
        asked = wanted.replace(better=False)
    elif len(closed) == len(solution.classes):
        cheap = (1 + 2 * len(tried)) * took <= _CHEAP * budget.trial_left()
        asked = wanted.replace(chain=wanted.chain if cheap else min(wanted.chain, _CHAIN), each=True)
    else:
        asked = wanted.replace(each=True)
    near = solution.passages.start.demands.near if solution.passages and solution.passages.start else None
    result = changes(model, tried, faster, asked.replace(near=near))
    methods = {item.method for item in (result.before, *result.tried) if item.method}
    if asked.each and len(closed) == len(solution.classes) and solution.method in methods and len(methods) > 1:
        return changes(model, tried, faster, asked.replace(chain=0, near=near))
    judged = by_states and not closed and result.before.exact
    return result.replace(tried=judged_by_states(model, result.tried, wanted)) if judged else result


def _with_waits(resource: Resource, maximum: float | None, limited_by: str | None) -> Resource:
    """The resource; where it limits the system, with the population at which the asymptotes meet, waits included."""
    if resource.label != limited_by or not resource.full_population or not resource.full_at or maximum is None:
        return resource
    return resource.replace(full_population=resource.full_population * min(maximum / resource.full_at, 1.0))


def _full_at(group: GroupWork, mix: Sequence[Value]) -> float | None:
    """The throughput at which a group of copies saturates; None for delays."""
    return None if group.capacity is None else _finite(group.full_at(mix))


def _overloaded(
    model: Model, solved: Solved, edge: Saturation, faster: float, wanted: Wanted
) -> NoAnswer | NotComputed:
    """The error for no steady state, with the rates that changes of the overloaded station would allow."""
    error = no_steady_state(model, solved, edge)
    if isinstance(error, NotComputed):
        return error
    names = [item.name for item in solved.parts[0].solution.stations if item.label == edge.cause]
    ways = [
        f"{change.words} it is {format_quantity(change.arrivals, '/s', 6)}"
        for change in changes(model, names, faster, wanted).tried
        if change.arrivals
    ]
    if not ways:
        return error
    problem = error.problems[0]
    return NoAnswer(problem.replace(help=f"{problem.help}; with {'; with '.join(ways)}"))


def _mix(solution: RoutedSolution) -> list[float]:
    """The share of each class in the throughput; equal shares where the throughput is 0."""
    idle = solution.throughput == 0
    weights = [float(item.throughput) + idle for item in solution.classes]
    return [weight / sum(weights) for weight in weights]


def _only(number: int, count: int) -> list[float]:
    return [float(number == other) for other in range(count)]


def _finite(value: Value) -> float | None:
    return float(value) if value < float("inf") else None


def _part(label: str, residence: float, service: float, response: float, reported: bool = True) -> ResponsePart:
    wait = residence - service
    if abs(wait) <= _ROUNDING * residence:
        wait, service = 0.0, residence
    share = residence / response if response > 0 else None
    if not reported or wait < 0:
        return ResponsePart(label, residence, None, None, share, contradicted=reported)
    return ResponsePart(label, residence, service, wait, share)


def _nothing(label: str, response: Value) -> ResponsePart:
    """The part of a response at a station that is visited only after it."""
    return ResponsePart(label, 0.0, 0.0, 0.0, 0.0 if response > 0 else None)


def _load_dependent(network: RoutedNetwork) -> set[str]:
    """The labels of the stations whose rates depend on the number present."""
    return {group.label for item in network.stations if item.rates is not None for group in item.groups}


def _routes(solution: RoutedSolution, network_work: NetworkWork, network: RoutedNetwork) -> list[RoutePart]:
    """The parts of the response of every route of classes with several, and of every class of a chain."""
    load_dependent = _load_dependent(network)
    result: list[RoutePart] = []
    routes = iter(solution.routes)
    for each in network_work.routes:
        customers = network.classes[each.class_index]
        if customers.chain:
            overall = float(solution.classes[each.class_index].response)
            spent = _spent(solution, customers.name, each.route) | {"": each.service.get("", 0.0)}
        else:
            route = next(routes)
            overall, spent = float(route.response), route.spent
        if len(customers.routes) == 1:
            continue
        for label, value in spent.items():
            if value > 0:
                service = float(each.service.get(label, 0.0))
                part = _part(label, float(value), service, overall, label not in load_dependent)
                result.append(RoutePart(customers.name, each.route, part))
    return result


def _spent(solution: RoutedSolution, name: str, member: str = "") -> dict[str, Value]:
    """The residence times of a class or chain, or of one `member` class of a chain, by label."""
    result: dict[str, Value] = {}
    for item in solution.visits:
        if (item.chain or item.class_name) == name and member in ("", item.class_name):
            result[item.label] = result.get(item.label, 0.0) + item.residence
    return result


def _parts(
    solution: RoutedSolution, network_work: NetworkWork, network: RoutedNetwork
) -> list[dict[str, ResponsePart]]:
    """The parts of the response of every class, by label."""
    service: list[dict[str, float]] = [{} for _ in solution.classes]
    for each in network_work.routes:
        row = service[each.class_index]
        for label, value in each.service.items():
            row[label] = row.get(label, 0.0) + float(each.probability * value)
    load_dependent = _load_dependent(network)
    result: list[dict[str, ResponsePart]] = []
    for item, row in zip(solution.classes, service, strict=True):
        spent = {**_spent(solution, item.name), "": row.get("", 0.0)}
        if network.buffers:
            spent[""] = _outside(solution, item.name)
            row.setdefault("", 0.0)
        overall = float(item.response)
        parts = {label: (float(spent[label]), value) for label, value in row.items()}
        result.append(
            {label: _part(label, *part, overall, label not in load_dependent) for label, part in parts.items()}
        )
    return result


def _outside(solution: RoutedSolution, name: str) -> float:
    """The time of the response of a class outside stations: delays, and waits for places of buffers."""
    routes = [route for route in solution.routes if route.class_name == name]
    weights = [float(route.throughput) for route in routes]
    if sum(weights) <= 0:
        weights = [float(route.probability) for route in routes]
    spent = (weight * float(route.spent.get("", 0.0)) for weight, route in zip(weights, routes, strict=True))
    return sum(spent) / (sum(weights) or 1.0)


def _weighted(
    parts: Sequence[Mapping[str, ResponsePart]], mix: Sequence[float], response: float
) -> dict[str, ResponsePart]:
    """The parts of the response of the mean customer."""
    result: dict[str, ResponsePart] = {}
    for label in dict.fromkeys(label for row in parts for label in row):
        weighted = [(share, row[label]) for share, row in zip(mix, parts, strict=True) if label in row]
        residence = sum(share * part.residence for share, part in weighted)
        reported = all(part.service is not None for _, part in weighted)
        service = sum(share * (part.service or 0.0) for share, part in weighted)
        part = _part(label, residence, service, response, reported)
        result[label] = part.replace(contradicted=part.contradicted or any(item.contradicted for _, item in weighted))
    return result


def _resources(
    solution: RoutedSolution,
    network_work: NetworkWork,
    network: RoutedNetwork,
    mix: Sequence[float],
    parts: Mapping[str, ResponsePart],
) -> list[Resource]:
    only = network.classes[0] if len(network.classes) == 1 else None
    service = sum(float(item.probability) * sum(map(float, item.service.values())) for item in network_work.routes)
    result: list[Resource] = []
    for figures, group in zip(solution.stations, network_work.groups, strict=True):
        full_at = _full_at(group, mix)
        if group.label in solution.full_at:
            full_at = _finite(solution.full_at[group.label])
        elif solution.network is not None and group.label in inside_limits(solution):
            # Inside a limit, demands change with the load.
            full_at = None
        population = None
        if full_at is not None and isinstance(only, ClosedClass):
            population = full_at * (service + float(only.think_time))
        inside = solution.held_by.get(group.label)
        result.append(
            Resource(
                name=group.name,
                label=group.label,
                copies=group.copies,
                servers=None if group.capacity is None else figures.servers,
                utilization=None if figures.utilization is None else float(figures.utilization),
                demand=_demand(group, mix),
                full_at=full_at,
                headroom=_headroom(full_at, solution),
                full_population=population,
                rank=None,
                waits_inside=sum(map(float, inside.values())) if inside else None,
                part=parts.get(group.label) or _nothing(group.label, solution.response),
            )
        )
    return result


def _demand(group: GroupWork, mix: Sequence[float]) -> float:
    return sum(share * float(demand) for share, demand in zip(mix, group.demands, strict=True))


def _headroom(full_at: float | None, solution: RoutedSolution) -> float | None:
    return full_at / float(solution.throughput) - 1 if full_at is not None and solution.throughput > 0 else None


def _limits(solution: RoutedSolution, network: RoutedNetwork) -> list[Resource]:
    """The named limits; they have no part of the response."""
    result: list[Resource] = []
    for limit in network.limits:
        load = float(limit.share)
        full_at = float(solution.throughput) / load if load > 0 and solution.throughput > 0 else None
        headroom = _headroom(full_at, solution)
        result.append(
            Resource(
                name=limit.name,
                label=limit.name,
                copies=None,
                servers=None,
                utilization=load,
                demand=None,
                full_at=full_at,
                headroom=headroom,
                full_population=None,
                rank=None,
                waits_inside=None,
                part=None,
            )
        )
    return result


def _ranked(solution: RoutedSolution, resources: Sequence[Resource]) -> tuple[Resource, ...]:
    """All resources with their ranks, in that order; those that never saturate last.

    A resource that a station inside saturates has the rank after that station.
    """
    full = {resource.label: resource.full_at for resource in resources}
    by = {label: solution.saturated_by(label) for label in full}

    def full_at(resource: Resource) -> float:
        return max(resource.full_at or 0.0, full.get(by[resource.label]) or 0.0)

    known = [resource for resource in resources if resource.full_at is not None]
    saturating = rising(sorted(known, key=lambda item: by[item.label] != item.label), full_at)
    ranked = [resource.replace(rank=number) for number, resource in enumerate(saturating, 1)]
    return (*ranked, *(resource for resource in resources if resource.full_at is None))


def _tried(model: Model, resources: Sequence[Resource]) -> tuple[list[str], tuple[str, ...]]:
    """The stations whose change is tried, and those that are left out, both in the order of the model.

    Of many stations, those that saturate first and those with the largest residence times are tried, alternately.
    """
    used = [resource for resource in resources if resource.part and (resource.part.residence > 0 or resource.demand)]
    by_time = sorted(used, key=lambda resource: -(resource.part.residence if resource.part else 0.0))
    chosen = dict.fromkeys(resource.name for pair in zip(used, by_time, strict=True) for resource in pair)
    most = list(chosen)[:MOST_CHANGED]
    order = [item.name for item in model.stations]
    return [name for name in order if name in most], tuple(
        name for name in order if name in chosen and name not in most
    )
