"""Open classes of a network of demands by the methods of routes, each class visiting its stations in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.expression import Value
from qnet.lazy import lazy
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import figures
from qnet.networks.product.open_classes import reasons
from qnet.networks.product.solution import Solution

if TYPE_CHECKING:
    from qnet.networks.open import solve as open_routes
    from qnet.networks.product import routes
else:
    open_routes = lazy("qnet.networks.open.solve")
    routes = lazy("qnet.networks.product.routes")


def needs_routes(network: Demands) -> bool:
    """Whether open classes have answers that demands alone do not give: where a station has no product form.

    network  of open classes.
    """
    return bool(reasons(network))


def solve_in_turn(network: Demands, method: str, each: bool) -> Solution:
    """The steady state of open classes, as that of a model whose routes visit the stations in their order; of chains
    with routing, of one with that.

    Applies  where `needs_routes`: order of arrival with times that differ between classes or are not exponential,
             priorities, several servers.
    network  open classes alone, with a load below every capacity, or a batch of them.
    method   "open", "qna" or "auto", and `each`, as of `qnet.networks.open.solve`.
    Returns  `Solution`, with the reasons and warnings of that model; exact for one M/G/1 station, visited once.
    Raises   as `qnet.networks.open.solve`.
    """
    solved = open_routes.solve(routes.by_routes(network), method, each)
    spent = {(item.chain or item.class_name, item.name): item.residence for item in solved.visits}
    nothing: Value = 0.0 * network.arrival_rate[0]
    residence: list[list[Value]] = [
        [spent.get((network.class_label(kind), network.station_label(station)), 0.0) + nothing
         for kind in range(network.shape[1])]
        for station in range(network.shape[0])
    ]  # fmt: skip
    result = figures(network, list(network.arrival_rate), residence)
    why = "the variability of arrivals matters" if solved.method == "qna" else "its stations are solved one by one"
    return Solution(network, result, method=solved.method, method_reasons=solved.reasons, why=why, network_reasons=())
