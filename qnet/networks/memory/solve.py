"""Networks in which only so many customers may be inside a subnetwork: solved by flow-equivalent aggregation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.networks.exactness import refuse_uneven
from qnet.networks.memory.closed import solve_closed
from qnet.networks.memory.open import solve_open
from qnet.networks.memory.regions import UNLIMITED, Region, regions
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import NO_STATES, Wanted

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart


def applies(network: RoutedNetwork) -> tuple[Region, ...]:
    """The limited subnetworks of a network that is best solved by them; () where it is not.

    An open network in which only one customer may be inside is a queue whose service has a known variance, and not
    taken.
    """
    found = regions(network)
    several = all(1 < region.limit < UNLIMITED for region in found)
    return found if network.closed or network.profiles or several else ()


def refusal(network: RoutedNetwork) -> NotComputed:
    """That times depend on the number inside of something that cannot be taken apart from the rest of a network."""
    names = " and ".join(f'"{item.station}"' for item in network.profiles)
    found = f"times depend on the number inside {names}, which is more than a limit around stations of its own"
    expected = "one class that holds it first come first served, around stations that nobody else uses"
    help = "state the number inside by a parameter, and vary that"
    return NotComputed(Problem("QN544", found, expected, help=help))


def held(found: tuple[Region, ...]) -> str:
    """Why methods do not apply that know no limits of subnetworks."""
    return f'"{found[0].station}" is held while others are waited for'


def solve(network: RoutedNetwork, found: tuple[Region, ...], wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state of a network with limited subnetworks, or of every point of a batch.

    Applies   one closed class, with open classes beside that stay out of the subnetworks; or open classes.
    network   rates per second, times in seconds, the population as a number of customers.
    found     its limited subnetworks, of `applies`.
    wanted    the budget.
    Returns   figures by class, route and station. The wait of the station that is held is that for a place inside; its
              holding time is the time inside. Exact where a limit is never reached, and where what is inside is one
              visit to one station; else approximate: customers leave at a rate that depends on their number alone.
    Raises    `NotComputed` QN513 for bounds or states that there are not, QN543 where there are too many numbers of
              customers; `NoAnswer` QN403 for customers who spend no time anywhere; as the solvers of the parts.
    Source    Chandy, Herzog, Woo, IBM J. Res. Dev. 19 (1975) 36-42; Courtois, Decomposability, 1977; Lazowska,
              Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 9.
    """
    refuse_uneven(network, "a station limits how many may be inside")
    if wanted.bounds:
        raise NotComputed(Problem("QN513", f"no bounds are known where {held(found)}", "a network with product form"))
    if network.closed:
        return solve_closed(network, found, wanted, solve_part)
    if wanted.states:
        raise NotComputed(Problem("QN513", NO_STATES, "a closed class, or qnet queue with --states"))
    return solve_open(network, found, wanted, solve_part)
