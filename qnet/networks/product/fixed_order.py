"""Closed classes whose customers never overtake each other, so that the answer depends on who began first."""

from __future__ import annotations

from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.networks.product.demands import Demands
from qnet.queues.arithmetic import total


def refuse_fixed_order(network: Demands) -> None:
    """Raise where customers without think time never leave one or two stations that are last come first served.

    At one, a customer returns at once and is served before all others; between two, of one server each, customers move
    from the top of one stack to the top of the other. See `degenerate_classes.refuse_monopoly`.

    Raises   `NotComputed` QN586.
    """
    between: dict[tuple[int, ...], list[Any]] = {}
    for kind in network.closed:
        used = tuple(station for station in range(network.shape[0]) if _any(network.demand(station, kind) > 0))
        if not 1 <= len(used) <= 2 or any(_overtaken(network, station) for station in used):
            continue
        always: Any = (network.think_time[kind] <= 0) & (network.population[kind] > 0)
        if len(used) == 2:
            between.setdefault(used, []).append(always)
            continue
        customers = total(
            network.population[other] for other in network.closed if _any(network.demand(used[0], other) > 0)
        )
        opened = any(_any(network.demand(used[0], other) > 0) for other in network.open)
        if _any(always & (opened | (customers > network.servers[used[0]]))):
            who, where = network.class_label(kind), network.station_label(used[0])
            text = f"customers of {who} return to {where} at once and are served before all others"
            raise _refusal(text, where)
    for used, users in between.items():
        if _any(sum(1 * always for always in users) > 1) and all(network.servers[station] == 1 for station in used):
            first, second = map(network.station_label, used)
            text = f"customers move between {first} and {second} alone, last come first served: their "
            raise _refusal(text + "order never changes, and the answer depends on it", first)


def _overtaken(network: Demands, station: int) -> bool:
    """Whether customers at a station leave in another order than that of a stack."""
    return network.delay[station] or network.disciplines[station] != "lcfs-pr" or network.rates[station] is not None


def _any(value: Any) -> bool:
    return bool(value.any()) if hasattr(value, "any") else bool(value)


def _refusal(text: str, station: str) -> NotComputed:
    help = f'give the classes think times, or {station} the discipline "ps"'
    return NotComputed(Problem("QN586", text, "classes that overtake each other", help=help))
