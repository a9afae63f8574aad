"""`qnet.Network`: a network of queues given by its demands, with its solutions and bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from qnet import budget
from qnet.arguments import checked
from qnet.errors import NotComputed, Problem
from qnet.lazy import lazy, np
from qnet.networks.product.demands import Demands
from qnet.networks.product.open_classes import reasons
from qnet.networks.product.solve import solve
from qnet.networks.wanted import AUTO, Wanted
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks.closed.bounds import Bounds
    from qnet.networks.product import bounds as product_bounds
    from qnet.networks.product import in_turn, priorities, switching
    from qnet.networks.product.solution import Solution
else:
    product_bounds = lazy("qnet.networks.product.bounds")
    in_turn = lazy("qnet.networks.product.in_turn")
    priorities = lazy("qnet.networks.product.priorities")
    switching = lazy("qnet.networks.product.switching")


def refuse_fixed_order(network: Demands) -> None:
    """Raise where the order of customers at one or two last-come-first-served stations never changes.

    At one, a customer without think time returns at once and is served before all others; between two, of one server
    each, customers move from the top of one stack to the top of the other. See `degenerate_classes.refuse_monopoly`.

    Raises   `NotComputed` QN586.
    """
    for used, points in _uses(network):
        _refuse_fixed_order(network, used, points)


def _refuse_fixed_order(network: Demands, used: Sequence[tuple[int, ...]], points: Any) -> None:
    """As `refuse_fixed_order`, at some points.

    used    by class, the stations where it has a demand.
    points  true at these points: a bool, or an array of the batch.
    """
    between: dict[tuple[int, ...], list[Any]] = {}
    for class_index in network.closed:
        if not 1 <= len(used[class_index]) <= 2 or any(_overtaken(network, station) for station in used[class_index]):
            continue
        always: Any = (network.think_time[class_index] <= 0) & (network.population[class_index] > 0) & points
        if len(used[class_index]) == 2:
            between.setdefault(used[class_index], []).append(always)
            continue
        station = used[class_index][0]
        customers = total(network.population[other] for other in network.closed if station in used[other])
        opened = any(station in used[other] for other in network.open)
        if _any(always & (opened | (customers > network.servers[station]))):
            who, where = network.class_label(class_index), network.station_label(station)
            text = f"customers of {who} return to {where} at once and are served before all others"
            raise _refusal(text, where)
    for stations, users in between.items():
        if _any(sum(1 * always for always in users) > 1) and all(network.servers[station] == 1 for station in stations):
            first, second = map(network.station_label, stations)
            text = f"customers move between {first} and {second} alone, last come first served: their "
            raise _refusal(text + "order never changes, and the answer depends on it", first)


def _uses(network: Demands) -> Iterator[tuple[list[tuple[int, ...]], Any]]:
    """By class the stations where it has a demand, each variant with its points."""
    stations, classes = network.shape

    def of(demanded: Any) -> list[tuple[int, ...]]:
        return [
            tuple(station for station in range(stations) if demanded[station][class_index])
            for class_index in range(classes)
        ]

    if network.size is None:
        yield of([[demand > 0 for demand in row] for row in network.demands]), True
        return
    ways, each = np.unique((network.demands > 0).reshape(network.size, -1), axis=0, return_inverse=True)
    for number, way in enumerate(ways.reshape(-1, stations, classes).tolist()):
        yield of(way), each.reshape(-1) == number


def _overtaken(network: Demands, station: int) -> bool:
    """Whether customers at a station may leave in another order than that of a stack."""
    return network.delay[station] or network.disciplines[station] != "lcfs-pr" or network.rates[station] is not None


def _any(value: Any) -> bool:
    return bool(value.any()) if hasattr(value, "any") else bool(value)


def _refusal(text: str, station: str) -> NotComputed:
    help = f'give the classes think times, or {station} the discipline "ps"'
    return NotComputed(Problem("QN586", text, "classes that overtake each other", help=help))


class Network(Demands):
    """A network of K stations and R classes, open, closed or mixed, or a batch of variants, with its solutions and
    bounds.

    The arguments are described at `__init__`: demands in seconds per passage by station and class; for each class a
    population (with a think time) or an arrival rate; kinds, servers and rates of the stations.

        network = Network([[0.12], [0.05]], population=[20], think_time=[5.0])
        network.solve().throughput, network.bounds().response_upper
    """

    __slots__ = ()

    def __init__(
        self,
        demands: Any,
        visits: Any = None,
        kinds: Sequence[str] | None = None,
        disciplines: Sequence[str] | str | None = None,
        servers: Sequence[int] | None = None,
        rates: Sequence[Sequence[float] | None] | None = None,
        population: Sequence[Any] | None = None,
        think_time: Sequence[Any] | None = None,
        arrival_rate: Sequence[Any] | None = None,
        scv: Any = None,
        priority: Any = None,
        names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> None:
        """A checked network.

        demands       (K, R) seconds per passage at rate 1; (B, K, R) for a batch. Times and rates are 0, or from 1e-100
                      to 1e100.
        visits        the same shape: visits per passage, > 0 where the demand is; None: 1 where the demand is positive.
                      Where the demand is 0, visits decide whether a class waits at "fcfs" stations, or does not visit
                      them.
        kinds         K entries, "queue" or "delay"; None: queues.
        disciplines   K entries, or one for all stations: "fcfs", "ps", "lcfs-pr", "priority" (the highest first, none
                      interrupted) or "preemptive" (a higher class preempts a lower one, which resumes later); None:
                      "fcfs", as in the model language. The last two, and "fcfs" or several servers of "lcfs-pr" with
                      times per visit that differ between classes or are not exponential, have no product form: open
                      classes alone are then solved as a model whose routes visit the stations in their order (exact
                      for one single server, visited once), and other answers are approximate, unless `from_routing`
                      states the order. With "ps" there is product form for any times.
        servers       K entries, integers >= 1; None: 1.
        rates         K entries, None or relative capacities (m,) with 1, 2, ... customers present, the last repeats;
                      not together with several servers.
        population    R entries: a number >= 0 for a closed class, None for an open one; an entry may have length B.
                      Fractions have approximate answers only.
        think_time    R entries in seconds, >= 0; None: 0. Closed classes only.
        arrival_rate  R entries: passages per second, >= 0, for an open class, None for a closed one.
        scv           squared coefficients of variation of the time per visit, of the shape of demands; None: 1. They
                      matter at stations "fcfs", "priority" and "preemptive" only.
        priority      R integers, or (K, R) of them: the highest is served first at stations "priority" and
                      "preemptive", equal ones in the order of their arrival; None: all are equal.
        names         K names of the stations, such as ["cpu", "disk"], and `class_names` R names of the classes, for
                      tables, notes and errors; None: numbers from 0.
        Raises        `InvalidInput` QN230 with everything that is wrong.
        """
        super().__init__(
            demands, visits, kinds=kinds, disciplines=disciplines, servers=servers, rates=rates, population=population,
            think_time=think_time, arrival_rate=arrival_rate, scv=scv, priority=priority, names=names,
            class_names=class_names,
        )  # fmt: skip

    @checked
    def solve(
        self,
        method: str = "auto",
        state_probabilities: bool = False,
        operations: float = AUTO.operations,
        memory: float = AUTO.memory,
        servers_correction: str = "",
        core_solutions: int | None = 3,
    ) -> Solution:
        """The steady state by the best method within a budget, or by a named one.

        Without product form a network of open classes, or with routing, is solved like the same model in a file: a
        point by the chain of all its states, where that is small. A batch is solved by one method for all its variants.

        method               "auto", or a name of `qnet methods`; where no routing is stated, methods that take routes
                             let classes visit the stations in turn.
        state_probabilities  whether to compute the probabilities of 0, 1, ... customers of closed classes by station.
        operations, memory   the budget of an exact answer: elementary operations (about 1e9 a second) and bytes.
        servers_correction   how approximations treat several servers; empty: the correction with the smallest error.
        core_solutions       of linearizer: 2, 3, ..., or None: until it converges.
        Returns              `Solution`: throughput, response (R,); residence, queue_length, utilization (K, R); method,
                             exact.
        Raises               `NoAnswer` without a steady state, `NotComputed` where a method does not apply or does not
                             converge, `InvalidInput` for an unknown method.
        """
        wanted = Wanted(
            method=method,
            states=state_probabilities,
            operations=operations,
            memory=memory,
            correction=servers_correction,
            core_solutions=core_solutions,
            better=self.size is None,
            ceilings=False,
        )
        if "lcfs-pr" in self.disciplines:
            refuse_fixed_order(self)
        with budget.door(operations, memory):
            solution = in_turn.solve(self, wanted) if in_turn.needs_routes(self, wanted) else solve(self, wanted)
        if self.priority is not None and self.closed:
            priorities.refuse_unserved(solution)
            priorities.refuse_starved(solution)
        return solution

    @checked
    def bounds(self, kind: str = "balanced") -> Bounds:
        """Intervals that enclose the exact throughput and response of every class; see `bounds.bounds`.

        kind     "asymptotic", "balanced", "composite", "proportional" or "geometric".
        Raises   `NotComputed` QN513 where a bound does not apply, as where a station has no product form.
        """
        with budget.door():
            result = product_bounds.bounds(self, kind)
        inexact = reasons(self)
        if inexact:
            text = f"bounds enclose product-form networks only: {inexact[0]}"
            help = 'stations with discipline "ps" have product form for any times'
            raise NotComputed(Problem("QN513", text, "a network with product form", help=help))
        return result

    @classmethod
    @checked
    def from_routing(
        cls,
        service_times: Any,
        routing: Any,
        population: Sequence[Any] | None = None,
        arrivals: Any = None,
        reference: int = 0,
        kinds: Sequence[str] | str | None = None,
        disciplines: Sequence[str] | str | None = None,
        servers: Sequence[int] | None = None,
        rates: Sequence[Sequence[float] | None] | None = None,
        think_time: Sequence[Any] | None = None,
        scv: Any = None,
        priority: Any = None,
        names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> Self:
        """A network from service times per visit and routing probabilities, classes that change included.

        Classes that customers change between are a chain, and the chains are the classes of the network: `solve`
        reports throughput and response by chain, and everything about stations by class; `bounds` are those of the
        chains.

        service_times  (K, R) or (B, K, R) seconds per visit.
        routing        (K, K): one matrix for all classes; (R, K, K): one per class; (K, R, K, R): the probability to go
                       from station k as class r to station j as class s. The rest of a row to one leaves the network.
        population     R entries: customers of a closed class at the start, None for an open one; those of a chain add
                       up. An entry may have length B.
        arrivals       (K, R) or (B, K, R) arrivals per second from outside, for open classes.
        reference      the station whose visits are the passages of closed chains.
        kinds, disciplines, servers, rates
                       K entries, as for `Network`.
        think_time     R entries: seconds that a closed chain thinks once per passage, the same for all its classes.
        scv            (K, R) squared coefficients of variation of the time per visit; None: 1.
        priority       R integers, or (K, R) of them; equal for all classes of a chain that visit a station.
        names, class_names
                       names of the K stations and the R classes, as for `Network`; the name of a chain lists its
                       classes.
        Returns        a `Network` of C chains, with `chain_of` (R,) and `switching` (visits and demands by class).
        Raises         `InvalidInput` QN230 for tables of other shapes or rows that do not sum to one, QN231 where
                       customers are stranded or a chain never visits the reference.
        """
        chains = switching.arguments(
            service_times, routing, population=population, think_time=think_time, arrivals=arrivals, scv=scv,
            priority=priority, reference=reference, names=names, class_names=class_names,
        )  # fmt: skip
        changing = chains.pop("switching")
        network = cls(kinds=kinds, disciplines=disciplines, servers=servers, rates=rates, **chains)
        network.switching, network.class_names = changing, changing.chain_names
        return network
