"""`qnet.Network`: a network of queues given by its demands, with its answers one call away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.lazy import lazy
from qnet.networks.product.demands import Demands
from qnet.networks.product.solve import solve
from qnet.networks.wanted import AUTO, Wanted

if TYPE_CHECKING:
    from qnet.networks.product import bounds as product_bounds
    from qnet.networks.product import priorities, switching
    from qnet.networks.product.bounds import Bounds
    from qnet.networks.product.solution import Solution
    from qnet.networks.product.switching import SwitchingNetwork
else:
    product_bounds = lazy("qnet.networks.product.bounds")
    priorities = lazy("qnet.networks.product.priorities")
    switching = lazy("qnet.networks.product.switching")


class Network(Demands):
    """A network of K stations and R classes, open, closed or mixed, or a batch of variants, with its answers.

    The arguments are told at `__init__`: demands in seconds per passage by station and class; for each class a
    population (with a think time) or an arrival rate; kinds, servers and rates of the stations.

        network = Network([[0.12], [0.05]], population=[20], think_time=[5.0])
        network.solve().throughput, network.bounds().response_upper
    """

    __slots__ = ()

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

        method               "auto", or a name of `qnet methods`.
        state_probabilities  whether to give the probabilities of 0, 1, ... customers of closed classes by station.
        operations, memory   the budget of an exact answer: elementary operations (about 1e9 a second) and bytes.
        servers_correction   how approximations treat several servers; empty: the one with the smallest error.
        core_solutions       of linearizer: 2, 3, ..., or None to go on until it settles.
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
        )
        found = solve(self, wanted)
        if self.priority is not None and self.closed:
            priorities.refuse_unserved(found)
            priorities.refuse_starved(found)
        return found

    def bounds(self, kind: str = "balanced") -> Bounds:
        """Intervals that enclose the exact throughput and response of every class; see `bounds.bounds`.

        kind     "asymptotic", "balanced", "composite", "proportional" or "geometric".
        Raises   `NotComputed` QN513 where a bound does not apply, with the reason.
        """
        return product_bounds.bounds(self, kind)

    @staticmethod
    def from_routing(service_times: Any, routing: Any, **options: Any) -> SwitchingNetwork:
        """A network from service times per visit and routing probabilities, classes that switch included.

        service_times  (K, R) seconds per visit.
        routing        (K, K), or (R, K, K) with one matrix per class, or (K, R, K, R) for classes that switch.
        options        `population=` (R entries, None for open classes), `arrivals=` (K, R) from outside, `reference=`
                       the station whose visits are the passages, `kinds=`, `disciplines=`, `servers=`, `rates=`.
        Returns        a network with `chain_of`, `visits`, `demands` and `solve()`; see `switching.from_routing`.
        """
        return switching.from_routing(service_times, routing, **options)
