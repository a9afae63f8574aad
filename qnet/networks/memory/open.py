"""Open networks with limited subnetworks: each subnetwork a birth-death chain of the number of customers there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.expression import Value
from qnet.lazy import np
from qnet.networks.memory.parts import Aggregation, Inside, Outside
from qnet.networks.memory.regions import Region, around, entries
from qnet.networks.routed import OpenClass, RoutedNetwork
from qnet.networks.solution import Limiting, RoutedSolution
from qnet.networks.wanted import Wanted

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart


def solve_open(
    network: RoutedNetwork, found: tuple[Region, ...], wanted: Wanted, solve_part: SolvePart
) -> RoutedSolution:
    """The steady state of an open network with limited subnetworks; as `memory.solve`."""
    return _Open(network, found, wanted, solve_part).solve()


class _Open(Aggregation):
    def solve(self) -> RoutedSolution:
        """Solve each region as a chain, the rest as an open network, and put them together."""
        outer = self.solve_part(around(self.network, self.found), Wanted())
        passages = outer.passages
        assert passages is not None
        regions: list[Inside] = []
        loads: dict[str, Any] = {item.name: self.column(item.load) for item in outer.loads}
        full: dict[str, Value] = {}
        for region in self.found:
            own, load, limit = self.chain(region)
            regions.append(own)
            loads[region.station] = load
            full[region.station] = self.value(limit)
        outside = Outside([self.column(wait.mean) for wait in passages.waits], loads, outer.reasons)
        solution = self.together([self.arrivals(index) for index in range(len(self.network.classes))], regions, outside)
        names = {region.station for region in self.found}
        certain = tuple(Limiting(item.name, item.load) if item.name in names else item for item in solution.loads)
        return solution.replace(loads=certain, full_at=full)

    def arrivals(self, kind: int) -> Value:
        """Passages per second of a class."""
        item = self.network.classes[kind]
        assert isinstance(item, OpenClass)
        return item.arrival_rate

    def chain(self, region: Region) -> tuple[Inside, Any, Any]:
        """A region on average, its load, and the passages per second at which it is full.

        Method   Births at the arrival rate, deaths at the throughput with so many inside: product form up to the limit,
                 and beyond it a geometric queue. Where the load is 1 or more, the region is always full.
        """
        part = self.region(region, region.limit)
        rate = self.column(self.arrivals(region.class_index))
        often = self.column(entries(self.network, region)) * rate
        spends = np.isfinite(part.logs[:, -1])
        most = np.exp(np.where(spends, part.logs[:, -2], 0.0) - np.where(spends, part.logs[:, -1], 0.0))
        limit = np.where(spends, most, np.inf)
        load = rate / limit
        steady = load < 1
        rho = np.where(steady, load, 0.0)
        logs = part.logs + np.arange(region.limit + 1) * np.log(np.where(rate > 0, rate, 1e-300))[:, None]
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        last = weights[:, -1] / (1 - rho)
        weights[:, -1] = last
        whole = weights.sum(axis=1)
        queue = last * rho / (1 - rho) / whole
        shares = weights / whole[:, None]
        shares[~steady] = np.arange(region.limit + 1) == region.limit
        each = np.concatenate([shares[:, :-1], shares[:, -1:] * (1 - rho[:, None])], axis=1)
        wait = np.where(often > 0, queue / np.where(often > 0, often, 1.0), 0.0)
        return Inside(part, shares, each, wait, self.one_visit(region), load), load, limit
