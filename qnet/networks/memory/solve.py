"""Networks with limited subnetworks: the probabilities of the numbers of customers inside, and all figures.

Each subnetwork is solved in isolation with 1, 2, ... customers inside, up to its limit; with more customers its
throughput is that at the limit. With closed classes the rest of the network, where customers pass the subnetworks in no
time, is solved in the same way: all these parts are flow-equivalent servers. With open classes each subnetwork is a
birth-death chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet import budget
from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.expression import Value
from qnet.lazy import Flags, lazy
from qnet.networks.aggregation import every_number, log_weights, numbers_in_parts, repeated, table, with_queue
from qnet.networks.duration import Duration, Wait
from qnet.networks.exactness import between_integers, refuse_uneven
from qnet.networks.memory.averages import Ended, Inside, LimitedSubnetworks, MeansOutside, SolvedPart, solve_part_levels
from qnet.networks.memory.regions import UNLIMITED, Region, around, entries, has_second_phase, held, inside, made_once
from qnet.networks.open.hold_warnings import LARGEST, elasticity
from qnet.networks.open.solve import OpenSolver
from qnet.networks.reasons import Reason
from qnet.networks.routed import ClosedClass, Hold, OpenClass, RoutedNetwork, Time
from qnet.networks.solution import Limiting, RoutedSolution
from qnet.networks.streams import Key, Streams, streams
from qnet.networks.wanted import NO_STATES, Wanted
from qnet.queues.arithmetic import ratio, total

if TYPE_CHECKING:
    from qnet.networks.parallel import exactness as parallel
    from qnet.networks.solvers.protocol import SolvePart
else:
    parallel = lazy("qnet.networks.parallel.exactness")

_CELL, _BYTES = budget.STEP, 100.0
"""Operations and bytes for each number of customers in a part, at a point."""
_EXTRA = 100_000
"""The most customers, over all points, for which a region is solved once more to know its saturation throughput."""


def solve(
    network: RoutedNetwork,
    limited: tuple[Region, ...],
    wanted: Wanted,
    solve_part: SolvePart,
    near: Ended | None = None,
) -> RoutedSolution:
    """The steady state of a network with limited subnetworks, or of every point of a batch.

    Applies     one closed class, with open classes that do not enter the subnetworks; or open classes.
    network     rates per second, times in seconds, the population as a number of customers.
    limited     its limited subnetworks, of `regions.applies`.
    wanted      the budget, and whether states are wanted.
    solve_part  the chooser, which solves the networks inside and around the subnetworks.
    near        where the fixed points of a nearly identical network ended; replaced by those of this one.
    Returns   figures by class, route and station. The wait of the station that is held is that for admission; its
              holding time is the time inside. Exact where a limit is never reached, and where customers inside make one
              visit to one station; else approximate: customers leave at a rate that depends on their number alone.
    Raises    `NotComputed` QN513 for bounds, and for states of open classes, QN543 where there are too many numbers of
              customers; `NoAnswer` QN403 for customers that spend no time anywhere; as the solvers of the parts.
    Source    @chandy1975; @courtois1977; @lazowska1984, chapter 9.
    """
    refuse_uneven(network, Reason("limits inside"))
    if wanted.bounds:
        problem = Problem("QN513", f"no bounds are known where {held(limited)}", "a network with product form")
        raise NotComputed(problem)
    if network.closed:
        return _Closed(network, limited, wanted, solve_part, near).solve()
    if wanted.states:
        raise NotComputed(NO_STATES)
    return _Open(network, limited, wanted, solve_part).solve()


class _Closed(LimitedSubnetworks):
    """One closed class: the numbers of customers in the parts have product form."""

    def __init__(
        self,
        network: RoutedNetwork,
        limited: tuple[Region, ...],
        wanted: Wanted,
        solve_part: SolvePart,
        near: Ended | None,
    ) -> None:
        super().__init__(network, limited, wanted, solve_part, near)
        self.class_index = limited[0].class_index
        customers = network.classes[self.class_index]
        assert isinstance(customers, ClosedClass)
        self.customers = customers
        self.population = self.column(customers.population)
        self.most = int(np.ceil(self.population.max())) if self.points else 0

    def solve(self) -> RoutedSolution:
        """Take the network apart, solve the parts at every number of customers, and put them together."""
        self.charge()
        outer = self.outside()
        parts = [self.region(region, self.most) for region in self.limited]
        self.refuse_idle([outer, *parts])
        first, *shares = numbers_in_parts([outer.log_weights, *(part.log_weights for part in parts)], self.population)
        throughput = self.throughput([outer, *parts], [first, *shares])
        regions: list[Inside] = []
        for region, part, share in zip(self.limited, parts, shares, strict=True):
            rate = self.column(entries(self.network, region)) * throughput
            queue = (share * np.maximum(np.arange(self.most + 1) - region.limit, 0)).sum(axis=1)
            wait = np.where(rate > 0, queue / np.where(rate > 0, rate, 1.0), 0.0)
            exact = self.most <= region.limit or self.one_visit(region)
            regions.append(
                Inside(
                    part=part,
                    shares=share,
                    shares_each=share,
                    wait=wait,
                    exact=exact,
                    load=np.zeros(1),
                    untrusted=np.zeros(1, bool),
                )
            )
        levels = outer.throughput.shape[1]
        solved = outer.figures.solution
        loads = {item.name: table(item.load, self.points, levels)[:, 0] for item in solved.loads}
        for region in self.limited:
            loads |= self.loads_inside(region, region.guests)
        reasons = (*solved.reasons, *between_integers(self.network, self.operations))
        waits = outer.mean_waits(first)
        outside = MeansOutside(waits, [0.0] * len(waits), loads, reasons)
        rates = [
            item.arrival_rate if isinstance(item, OpenClass) else self.value(throughput)
            for item in self.network.classes
        ]
        solution = self.together(rates, regions, outside)
        single = self.network.size is None
        saturation, used = self.saturation(parts)
        solution = solution.replace(
            full_at=saturation,
            used_when_full=used,
            states=self.states(shares) if single and self.wanted.states else None,
        )
        limit = self.ceiling(outer, saturation) if single and len(rates) == 1 else None
        return solution.replace(ceiling=limit and (limit[0], solution.saturated_by(limit[1])))

    def charge(self) -> None:
        """Charge the tables of the numbers of customers in every part, before they are made."""
        cells, parts = float(self.points) * (self.most + 1), len(self.limited) + 1
        budget.reserve(_BYTES * cells * parts, f'the numbers of customers "{self.customers.name}" at every limit')
        # Three parts and more are convolved, each number with every other.
        each = _CELL * parts + (parts > 2) * parts**2 * float(self.most)
        budget.spend(each * cells, "the numbers of customers at every limit")

    def outside(self) -> SolvedPart:
        """The network around the regions, with 0, 1, ... customers in it."""
        outer = around(self.network, self.limited)
        count = 1 if self.no_queue(outer) else max(1, self.most)
        population = np.tile(np.arange(count + 1.0), self.points)
        batch = repeated(outer, count + 1)
        classes = list(batch.classes)
        classes[self.class_index] = batch.classes[self.class_index].replace(population=population)
        batch = batch.replace(classes=tuple(classes))
        part = solve_part_levels(batch, self.class_index, self.points, self.wanted, self.solve_part, with_none=True)
        if count >= self.most:
            return part.replace(grid=every_number(count, self.most), log_weights=part.log_weights[:, : self.most + 1])
        # Without any queue n customers have n times the throughput of one.
        numbers = np.arange(self.most + 1)
        deaths = np.where(part.instant[:, None], np.inf, numbers * part.throughput[:, 1:2])
        return part.replace(grid=every_number(count, self.most), log_weights=log_weights(np.ones_like(deaths), deaths))

    def no_queue(self, outer: RoutedNetwork) -> bool:
        """Whether customers of the class use no queue outside the regions."""
        delays = {station.name for station in outer.stations if station.delay}
        steps = (step for route in outer.classes[self.class_index].routes for step in route.steps)
        return all((isinstance(step, Hold) and step.station in delays) or isinstance(step, Time) for step in steps)

    def refuse_idle(self, parts: list[SolvedPart]) -> None:
        """Raise where customers spend no time anywhere."""
        idle = np.isinf(np.stack([part.log_weights[:, -1] for part in parts])).all(axis=0)
        if self.most and (idle & (self.population > 0)).any():
            text = f'class "{self.customers.name}" has customers and neither demand nor think time'
            raise NoAnswer(Problem("QN403", f"{text}: its throughput has no limit", "a demand or a think time above 0"))

    def throughput(self, parts: list[SolvedPart], shares: list[Any]) -> Any:
        """Passages of the class per second, from the first part in which customers spend any time."""
        result = np.zeros(self.points)
        for part, share in zip(parts[::-1], shares[::-1], strict=True):
            spends = np.isfinite(part.log_weights).all(axis=1)
            logs = np.where(spends[:, None], part.log_weights, 0.0)
            rate = np.exp(logs[:, :-1] - logs[:, 1:])
            result = np.where(spends, (share[:, 1:] * rate).sum(axis=1), result)
        return result

    def states(self, shares: list[Any]) -> dict[str, tuple[float, ...]]:
        """Probabilities of the number of customers at each region, including those that wait for admission."""
        return {region.station: tuple(row[0].tolist()) for region, row in zip(self.limited, shares, strict=True)}

    def saturation(self, parts: list[SolvedPart]) -> tuple[dict[str, Value], dict[str, dict[str, Value]]]:
        """The saturation throughput of each region in passages per second, and the utilizations inside there; regions
        where it costs too much are left out."""
        result: dict[str, Value] = {}
        used: dict[str, dict[str, Value]] = {}
        for region, part in zip(self.limited, parts, strict=True):
            entered = self.column(entries(self.network, region))
            if region.limit < part.throughput.shape[1]:
                most = part.throughput[:, : region.limit + 1].max(axis=1)
                used |= self.used_when_full(region, part)
            elif (
                self.points * region.limit <= _EXTRA and region.station not in self.profiles and not part.instant.any()
            ):
                full = inside(self.network, region, float(region.limit))
                solution = self.solve_part(full, Wanted(enclosed=False))
                most = self.column(solution.throughput)
                stations = [item for item in solution.stations if item.utilization is not None]
                used |= solution.used_when_full
                used[region.station] = {item.label: item.utilization for item in stations}
            else:
                continue
            unlimited = (entered <= 0) | part.instant
            result[region.station] = self.value(np.where(unlimited, np.inf, most / np.where(unlimited, 1.0, entered)))
        return result, used

    def ceiling(self, outer: SolvedPart, saturation: dict[str, Value]) -> tuple[Value, str] | None:
        """The throughput for an unlimited number of customers, and the station that limits it; None where it is not
        known."""
        if any(region.station not in saturation and region.limit < UNLIMITED for region in self.limited):
            return None
        limits = [(rate, label) for label, rate in saturation.items() if rate < float("inf")]
        if not outer.instant[0]:
            limit = self.solve_part(around(self.network, self.limited), Wanted(enclosed=False)).ceiling
            limits += [limit] if limit else []
        return min(limits, default=None)


class _Open(LimitedSubnetworks):
    """Open classes: each region is a birth-death chain."""

    def solve(self) -> RoutedSolution:
        """Solve each region as a chain, the rest as an open network, and put them together."""
        outer = self.solve_part(around(self.network, self.limited), Wanted())
        passages = outer.passages
        assert passages is not None
        regions: list[Inside] = []
        loads: dict[str, Any] = {item.name: self.column(item.load) for item in outer.loads}
        rates = [self.arrivals(index) for index in range(len(self.network.classes))]
        saturation: dict[str, Value] = {}
        used: dict[str, dict[str, Value]] = {}
        capacities: dict[str, Limiting] = {}
        for region in self.limited:
            means = self.chain(region)
            used |= self.used_when_full(region, means.part)
            regions.append(means)
            name, load = region.station, self.value(means.load)
            loads[name] = means.load
            if region.guests:
                # More guests leave less of the stations inside: the load grows faster than the arrivals.
                loads |= self.loads_inside(region, range(len(rates)))
            else:
                saturation[name] = ratio(total(rates), load) + self.operations.where(load > 0, 0.0, float("inf"))
            estimated = not means.part.figures.solution.exact
            capacities[name] = Limiting(name, load, certain=not region.guests, estimated=estimated)
        waits = [self.column(wait.mean) for wait in passages.waits]
        reasons = (*self.joined(rates), *outer.reasons)
        outside = MeansOutside(waits, [wait.variance for wait in passages.waits], loads, reasons)
        solution = self.together(rates, regions, outside)
        certain = tuple(capacities.get(item.name, item) for item in solution.loads)
        return solution.replace(loads=certain, full_at=saturation, used_when_full=used)

    def joined(self, rates: Sequence[Value]) -> tuple[str, ...]:
        """Why parallel steps around the regions are approximate: passages that leave them together, or come from a
        region, are no Poisson stream.

        rates  passages per second, by class.
        """
        compiled = streams(self.network, self.operations, rates)
        if not any(route.forks for route in compiled.routes):
            return ()
        return tuple(parallel.parallel_reasons(self.network, compiled, self.operations))

    def chain(self, region: Region) -> Inside:
        """The means of a region.

        Method   Births at the arrival rate, deaths at the throughput of the number inside; a geometric queue beyond the
                 limit. Where the load is 1 or more, the region is always full. If customers inside make each step once,
                 or there are second phases, the wait is multiplied by (1 + scv) / 2, scv that of the time inside, as
                 at several servers; the variance of repeated steps is not known.
        """
        part = self.region(region, region.limit)
        rate = self.column(self.arrivals(region.class_index))
        arrivals = self.column(entries(self.network, region)) * rate
        logs = part.log_weights
        spends = np.isfinite(logs[:, -1])
        most = np.exp(np.where(spends, logs[:, -2], 0.0) - np.where(spends, logs[:, -1], 0.0))
        limit = np.where(spends, most, np.inf)
        load = rate / limit
        steady = load < 1
        ratio = np.where(steady, load, 0.0)
        numbers = np.arange(region.limit + 1)
        shares, queue = with_queue(logs + numbers * np.log(np.where(rate > 0, rate, 1e-300))[:, None], ratio)
        shares[~steady] = numbers == region.limit
        each = np.concatenate([shares[:, :-1], shares[:, -1:] * (1 - ratio[:, None])], axis=1)
        wait = np.where(arrivals > 0, queue / np.where(arrivals > 0, arrivals, 1.0), 0.0)
        exact = self.one_visit(region)
        scv = np.ones(self.points)
        if has_second_phase(self.network) or (not exact and made_once(self.network, region)):
            scv = self.variability(region, part, shares)
            wait = wait * (1.0 + scv) / 2.0
        estimated = bool(part.figures.solution.reasons)
        untrusted = np.full(self.points, estimated)
        if estimated and region.guests:
            untrusted = ~self.hardly_waits_inside()
        return Inside(
            part=part, shares=shares, shares_each=each, wait=wait, exact=exact, load=load, untrusted=untrusted, scv=scv
        )

    def hardly_waits_inside(self) -> Flags:
        """(points,) whether the responses hardly depend on the waits inside holds, as estimated station by station."""
        solver = OpenSolver(self.network)
        try:
            solver.find_waits()
        except NotComputed:
            return np.zeros(self.points, bool)
        return self.column(elasticity(solver)) <= LARGEST

    def variability(self, region: Region, part: SolvedPart, shares: Any) -> Any:
        """(points,) the squared coefficient of variation of the time for which customers keep a place.

        Method   That of the time inside: visits are independent, and their waits exponential. But a saturated station
                 completes customers as their demands there end: the scv of these counts with its utilization at the
                 limit times the square of the share of the time inside that is spent there.
        """
        within = inside(self.network, region.replace(guests=()), 1.0)
        compiled = streams(within, self.operations, [1.0])
        sides, means = part.sides()[0], part.mean_waits(shares)
        columns = [self.value(means[number]) for number in sides]
        waits = [
            Wait(wait, wait * (wait + 2.0 * stream.holding.mean))
            for stream, wait in zip(compiled.streams, columns, strict=True)
        ]
        overall = _scv((item.probability, item.parts.values(), waits) for item in compiled.routes)
        result = overall
        used = part.used_when_full()[""]
        labels = {(station.name, number): group.label
                  for station in within.stations for number, group in enumerate(station.groups)}  # fmt: skip
        full = [Wait(self.value(part.figures.waits[number][:, -1]), 0.0) for number in sides]
        for key, share in _spent(compiled, full).items():
            if labels.get(key) in used:
                demands = [(item.probability, [item.parts[key]] if key in item.parts else [], ())
                           for item in compiled.routes]  # fmt: skip
                some = total(probability * total(part.mean for part in parts) for probability, parts, _ in demands) > 0
                result = result + self.value(used[labels[key]]) * share**2 * some * (_scv(demands) - overall)
        return self.column(result)


def _spent(compiled: Streams, waits: Sequence[Wait]) -> dict[Key, Value]:
    """The share of the time inside a region that is spent at each station, with these waits by stream.

    Those that wait for a station that is held around visits to only one wait for the latter.
    """
    result: dict[Key, Value] = {}
    for item in compiled.routes:
        for key, part in item.parts.items():
            result[key] = result.get(key, 0.0) + item.probability * part.mean_with(waits)
    overall = total(result.values())
    visited: dict[Key, set[Key]] = {}
    for stream in compiled.streams:
        for key in stream.around:
            visited.setdefault(key, set()).add((stream.station, stream.group))
    for key, inner in visited.items():
        if len(inner) == 1:
            (only,) = inner
            result[only] = result[only] + result.pop(key, 0.0)
    return {key: ratio(time, overall) for key, time in result.items()}


def _scv(times: Iterable[tuple[Value, Iterable[Duration], Sequence[Wait]]]) -> Value:
    """The squared coefficient of variation of a time that is one of several sums; 0 where it is always 0.

    times  the probability of each, the independent times that it is the sum of, and the waits by stream, if any.
    """
    mean: Value = 0.0
    square: Value = 0.0
    for probability, parts, waits in times:
        known = list(parts)
        here = total(part.mean_with(waits) if waits else part.mean for part in known)
        spread = total(part.variance_with(waits) if waits else part.variance for part in known)
        mean, square = mean + probability * here, square + probability * (here**2 + spread)
    return ratio(square, mean**2) - 1.0
