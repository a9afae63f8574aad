"""Where the time goes, what is full first, and what another station would change.

The parts of a response, and the places that can be full: what the question `bottleneck` is answered with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.errors import NoAnswer, Problem, UsageError
from qnet.expression import Value
from qnet.model.bind import bind
from qnet.model.model import Model
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import AUTO, Wanted
from qnet.networks.work import GroupWork, RouteWork, Work, work
from qnet.questions.bottleneck.software import Software, software
from qnet.questions.points.changes import Change, changes, inside_limits
from qnet.questions.points.points import Solved, rising, solve_points
from qnet.questions.points.saturation import Saturation, saturation
from qnet.questions.solve.solve import largest_throughput, no_steady_state
from qnet.record import Record
from qnet.units import format_quantity


class Part(Record):
    """A part of a response: at one group of copies of a station, or in the delays outside them (no label)."""

    label: str
    residence: float
    service: float | None
    """Without any wait; None where rates depend on the number present, which tells no wait from service."""
    wait: float | None
    share: float | None
    """Of the whole response; None where that is 0."""


class Place(Record):
    """A group of copies of a station, or a named limit: how much it can take, and its part of the mean response."""

    name: str
    label: str
    copies: int | None
    servers: int | None
    utilization: float | None
    demand: float | None
    """Seconds that servers of one copy are kept per passage of the mean customer; no waits for inner stations."""
    full_at: float | None
    """The throughput of the system at which its own work alone fills it, the mix of classes as it is."""
    headroom: float | None
    """How much the throughput is below that, as a share of the throughput."""
    full_population: float | None
    """The population at which the asymptote reaches that throughput; of a single closed class."""
    rank: int | None
    """1 for what is full first."""
    waits_inside: float | None
    """Of the time it is held, the share spent waiting for stations inside."""
    part: Part | None
    """None of a limit."""


class Visit(Record):
    """One class at one group of copies of a station."""

    class_name: str
    part: Part
    demand: float
    full_at: float | None
    """The throughput of this class at which it fills the station if it is alone."""


class RoutePart(Record):
    """One route at one group of copies of a station."""

    class_name: str
    route: str
    part: Part


MOST_CHANGED = 8
"""Stations that are tried faster and with one server more."""
_ROUNDING = 1e-12
_CHAIN = 3_000
"""States of a chain that each of the changes may have; where more are needed, all are answered by an approximation."""


class Bottleneck(Record):
    """The answer: the parts of the response, the places by when they are full, and the changes."""

    model: Model
    solved: Solved
    solution: RoutedSolution
    faster: float
    maximum: float | None
    """The largest throughput of the system; None where it depends on how classes with a population grow."""
    limited_by: str | None
    edge: Saturation
    """How far all arrivals can grow together, what is full there."""
    places: tuple[Place, ...]
    """Those with a rank first, in its order."""
    delays: Part | None
    """The part of the response outside stations."""
    visits: tuple[Visit, ...]
    """Of several classes."""
    outside: Mapping[str, Part]
    """The part of the response outside stations by class, of several."""
    routes: tuple[RoutePart, ...]
    """Of classes with several routes; of a chain its classes stand for them."""
    before: Change
    """What the changes are compared with: the system as it is, solved as they are."""
    changes: tuple[Change, ...]
    """Faster stations first, then more servers."""
    left_out: tuple[str, ...]
    """The stations whose change was not tried."""
    software: tuple[Software, ...] = ()
    """The stations whose servers are held at others that are not full."""

    @property
    def ranked(self) -> tuple[Place, ...]:
        """The places that can be full, the first to be so first."""
        return tuple(place for place in self.places if place.rank)

    def told(self, part: Part) -> str:
        """What a part of a response is in words: a station, delays, waits for a place in what is full, or both."""
        full = [item.name for item in self.solution.buffers if item.delay_when_full * item.found_full > 0]
        if part.label or not part.wait or not full:
            return part.label or "delays"
        waiting = f"waiting for a place in {' or '.join(full)}"
        return f"delays and {waiting}" if part.service else waiting


def bottleneck(model: Model, faster: float = 2.0, wanted: Wanted = AUTO) -> Bottleneck:
    """Where the time of a model goes at its stated point, what is full first, and what changes would bring.

    model     open, closed or mixed.
    faster    by what the speed of a station is multiplied in the changes, above 1.
    wanted    the method and its budget.
    Returns   `Bottleneck`. Residences and delays add up to the response, and each is service and wait.
    Raises    `NoAnswer` where there is no steady state, with what is overloaded and ways out; `UsageError` QN022 for
              `faster` of 1 or less; and as `solve`.
    Laws      A place is full at capacity / demand (utilization law), the mix of the classes as it is; of a single
              closed class the asymptotes N / (D + Z) and capacity / demand meet at its population.
    Source    Denning, Buzen, ACM Computing Surveys 10 (1978) 225-261; Lazowska, Zahorjan, Graham, Sevcik,
              Quantitative System Performance (1984), chapter 5
    """
    if not 1 < faster < float("inf"):
        found = f"a station {faster:g} times as fast"
        raise UsageError(Problem("QN022", found, "a number above 1, such as 2"))
    solved = solve_points(model, asked=wanted)
    edge = saturation(model, solved, wanted=wanted)
    solution = solved.parts[0].solution
    if not solution.stable:
        raise _overloaded(model, solved, edge, faster, wanted)
    maximum, limited_by = largest_throughput(solution, edge)
    network = solution.network or bind(model, solved.parts[0].values)
    asked = work(network)
    mix = _mix(solution)
    now = _present(solution, asked, network)
    parts = _parts(solution, now, network)
    of_system = _weighted(parts, mix, float(solution.response))
    places = _ranked(_places(solution, asked, network, mix, of_system), _limits(solution, network))
    places = tuple(_with_waits(place, maximum, limited_by) for place in places)
    tried, left_out = _tried(model, places)
    alike = wanted
    if solution.method == "states" and all(item.population is not None for item in solution.classes):
        alike = wanted.replace(chain=min(wanted.chain, _CHAIN), each=True)
    compared = changes(model, tried, faster, alike)
    visits = [
        Visit(item.name, part, demand, _full(group, _only(number, len(solution.classes))))
        for group in asked.groups
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
        places=places,
        delays=of_system.get(""),
        visits=tuple(visits) if several else (),
        outside={
            item.name: row[""] for item, row in zip(solution.classes, parts, strict=True) if several and "" in row
        },
        routes=tuple(_routes(solution, now, network)),
        before=compared.before,
        changes=compared.tried,
        left_out=left_out,
        software=software(network, solution, asked),
    )


def _with_waits(place: Place, maximum: float | None, limited_by: str | None) -> Place:
    """What limits the system, with the population at which the asymptote of what it reaches with its waits is met."""
    if place.label != limited_by or not place.full_population or not place.full_at or maximum is None:
        return place
    return place.replace(full_population=place.full_population * min(maximum / place.full_at, 1.0))


def _full(group: GroupWork, mix: Sequence[Value]) -> float | None:
    """The throughput at which a group of copies is full; None at delays."""
    return None if group.capacity is None else _finite(group.full_at(mix))


def _overloaded(model: Model, solved: Solved, edge: Saturation, faster: float, wanted: Wanted) -> NoAnswer:
    """That there is no steady state, with the rates that changes of what is overloaded would allow."""
    error = no_steady_state(model, solved, edge)
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
    """The share of each class in the throughput; equal shares where nothing moves."""
    nobody = solution.throughput == 0
    weights = [float(item.throughput) + nobody for item in solution.classes]
    return [weight / sum(weights) for weight in weights]


def _only(number: int, count: int) -> list[float]:
    return [float(number == other) for other in range(count)]


def _finite(value: Value) -> float | None:
    return float(value) if value < float("inf") else None


def _part(label: str, residence: float, service: float, response: float, told: bool = True) -> Part:
    wait = residence - service
    if abs(wait) <= _ROUNDING * residence:
        wait, service = 0.0, residence
    share = residence / response if response > 0 else None
    return Part(label, residence, service, wait, share) if told else Part(label, residence, None, None, share)


def _nothing(label: str, response: Value) -> Part:
    """The part of a response of what is only done after it."""
    return Part(label, 0.0, 0.0, 0.0, 0.0 if response > 0 else None)


def _changing(network: RoutedNetwork) -> set[str]:
    """The labels of the stations whose rates depend on the number present."""
    return {group.label for item in network.stations if item.rates is not None for group in item.groups}


def _present(solution: RoutedSolution, asked: Work, network: RoutedNetwork) -> Work:
    """What is asked, with the service of the solution where parallel steps are: they wait for other branches then."""
    figures = iter(solution.routes)
    found: list[RouteWork] = []
    for own in asked.routes:
        route = None if network.classes[own.class_index].chain else next(figures)
        found.append(own.replace(service=route.served) if route and route.served is not None else own)
    return asked.replace(routes=tuple(found))


def _routes(solution: RoutedSolution, asked: Work, network: RoutedNetwork) -> list[RoutePart]:
    """The parts of the response of every route, of classes that have several; of chains, of its classes."""
    changing = _changing(network)
    found: list[RoutePart] = []
    routes = iter(solution.routes)
    for own in asked.routes:
        customers = network.classes[own.class_index]
        if customers.chain:
            whole = float(solution.classes[own.class_index].response)
            spent = _spent(solution, customers.name, own.route) | {"": own.service.get("", 0.0)}
        else:
            route = next(routes)
            whole, spent = float(route.response), route.spent
        if len(customers.routes) == 1:
            continue
        for label, value in spent.items():
            if value > 0:
                part = _part(label, float(value), float(own.service.get(label, 0.0)), whole, label not in changing)
                found.append(RoutePart(customers.name, own.route, part))
    return found


def _spent(solution: RoutedSolution, name: str, of_chain: str = "") -> dict[str, Value]:
    """The residences of a class, of a chain, or of one class of a chain, by label."""
    found: dict[str, Value] = {}
    for item in solution.visits:
        if (item.chain or item.class_name) == name and of_chain in ("", item.class_name):
            found[item.label] = found.get(item.label, 0.0) + item.residence
    return found


def _parts(solution: RoutedSolution, asked: Work, network: RoutedNetwork) -> list[dict[str, Part]]:
    """By class: the parts of its response."""
    service: list[dict[str, float]] = [{} for _ in solution.classes]
    for own in asked.routes:
        row = service[own.class_index]
        for label, value in own.service.items():
            row[label] = row.get(label, 0.0) + float(own.probability * value)
    changing = _changing(network)
    found: list[dict[str, Part]] = []
    for item, row in zip(solution.classes, service, strict=True):
        spent = {**_spent(solution, item.name), "": row.get("", 0.0)}
        if network.buffers:
            spent[""] = _outside(solution, item.name)
            row.setdefault("", 0.0)
        whole = float(item.response)
        parts = {label: (float(spent[label]), value) for label, value in row.items()}
        found.append({label: _part(label, *part, whole, label not in changing) for label, part in parts.items()})
    return found


def _outside(solution: RoutedSolution, name: str) -> float:
    """Of the response of a class, what is spent at no station: delays, and waits for places of buffers."""
    own = [route for route in solution.routes if route.class_name == name]
    weights = [float(route.throughput) for route in own]
    if sum(weights) <= 0:
        weights = [float(route.probability) for route in own]
    spent = (weight * float(route.spent.get("", 0.0)) for weight, route in zip(weights, own, strict=True))
    return sum(spent) / (sum(weights) or 1.0)


def _weighted(parts: Sequence[Mapping[str, Part]], mix: Sequence[float], response: float) -> dict[str, Part]:
    """The parts of the response of the mean customer."""
    found: dict[str, Part] = {}
    for label in dict.fromkeys(label for row in parts for label in row):
        own = [(share, row[label]) for share, row in zip(mix, parts, strict=True) if label in row]
        residence = sum(share * part.residence for share, part in own)
        told = all(part.service is not None for _, part in own)
        service = sum(share * (part.service or 0.0) for share, part in own)
        found[label] = _part(label, residence, service, response, told)
    return found


def _places(
    solution: RoutedSolution, asked: Work, network: RoutedNetwork, mix: Sequence[float], parts: Mapping[str, Part]
) -> list[Place]:
    closed = network.classes[0] if len(network.classes) == 1 else None
    floor = sum(float(item.probability) * sum(map(float, item.service.values())) for item in asked.routes)
    found: list[Place] = []
    for figures, group in zip(solution.stations, asked.groups, strict=True):
        full = _full(group, mix)
        if group.label in solution.full_at:
            full = _finite(solution.full_at[group.label])
        elif solution.network is not None and group.label in inside_limits(solution):
            # Their demands at another load are not those of now.
            full = None
        population = None
        if full is not None and isinstance(closed, ClosedClass):
            population = full * (floor + float(closed.think_time))
        inside = solution.held_by.get(group.label)
        found.append(
            Place(
                name=group.name,
                label=group.label,
                copies=group.copies,
                servers=None if group.capacity is None else figures.servers,
                utilization=None if figures.utilization is None else float(figures.utilization),
                demand=_demand(group, mix),
                full_at=full,
                headroom=_headroom(full, solution),
                full_population=population,
                rank=None,
                waits_inside=sum(map(float, inside.values())) if inside else None,
                part=parts.get(group.label) or _nothing(group.label, solution.response),
            )
        )
    return found


def _demand(group: GroupWork, mix: Sequence[float]) -> float:
    return sum(share * float(demand) for share, demand in zip(mix, group.demands, strict=True))


def _headroom(full: float | None, solution: RoutedSolution) -> float | None:
    return full / float(solution.throughput) - 1 if full is not None and solution.throughput > 0 else None


def _limits(solution: RoutedSolution, network: RoutedNetwork) -> list[Place]:
    """The named limits; they have no part of the response."""
    found: list[Place] = []
    for limit in network.limits:
        load = float(limit.load) / float(limit.capacity)
        full = float(solution.throughput) / load if load > 0 and solution.throughput > 0 else None
        headroom = _headroom(full, solution)
        found.append(
            Place(
                name=limit.name,
                label=limit.name,
                copies=None,
                servers=None,
                utilization=load,
                demand=None,
                full_at=full,
                headroom=headroom,
                full_population=None,
                rank=None,
                waits_inside=None,
                part=None,
            )
        )
    return found


def _ranked(stations: Sequence[Place], limits: Sequence[Place]) -> tuple[Place, ...]:
    """All places with their ranks, in that order; those that are never full last."""
    places = [*stations, *limits]
    can = rising((place for place in places if place.full_at is not None), lambda place: place.full_at or 0.0)
    ranked = [place.replace(rank=number) for number, place in enumerate(can, 1)]
    return (*ranked, *(place for place in places if place.full_at is None))


def _tried(model: Model, places: Sequence[Place]) -> tuple[list[str], tuple[str, ...]]:
    """The stations whose change is worth a try, in the order of the model, and those that are left out.

    Where there are many: those that are full first and those where most of the time is spent, in turns.
    """
    used = [place for place in places if place.part and (place.part.residence > 0 or place.demand)]
    by_time = sorted(used, key=lambda place: -(place.part.residence if place.part else 0.0))
    chosen = dict.fromkeys(place.name for pair in zip(used, by_time, strict=True) for place in pair)
    most = list(chosen)[:MOST_CHANGED]
    order = [item.name for item in model.stations]
    return [name for name in order if name in most], tuple(
        name for name in order if name in chosen and name not in most
    )
