"""Open classes alone: every station in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.expression import Value
from qnet.lazy import lazy
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import figures
from qnet.networks.product.loads import loads, reasons
from qnet.networks.product.open_classes import stretch
from qnet.networks.product.solution import Solution

if TYPE_CHECKING:
    from qnet.networks.product import priorities
else:
    priorities = lazy("qnet.networks.product.priorities")


def solve_open(network: Demands) -> Solution:
    """The steady state of open classes, whose load is below every capacity."""
    residence = [_open_residence(network, station, load) for station, load in enumerate(loads(network))]
    throughput = list(network.arrival_rate)
    found = figures(network, throughput, residence)
    return Solution(network, found, "open", reasons(network), "open classes alone have a closed form")


def _open_residence(network: Demands, station: int, load: Value) -> list[Value]:
    """The row of residences at a station that only open customers use."""
    if len(set(network.ranks(station))) > 1:
        return priorities.open_row(network, station)
    longer = 1.0 if network.delay[station] else stretch(load, network.capacities(station))
    return [network.demand(station, kind) * longer for kind in range(network.shape[1])]
