"""How a station with a capacity is solved, and when that is exact: from what comes to it, by a list of what is."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import Operations
from qnet.networks.exactness import close, exponential
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import Stream

INSENSITIVE = "insensitive"
"""M/M/c/K, whatever the distributions of the times: nobody waits, or all are served at once."""
ALIKE = "alike"
"""M/M/c/K, one exponential time for all."""
GENERAL = "general"
"""M/G/1/K, each visit with a time of its own."""
LEVELS = "levels"
"""The chain of the numbers of every priority, one exponential time for each."""


def form_of(station: Station, own: Sequence[Stream], operations: Operations) -> str:
    """How a station with a capacity is solved, given the streams that come to one copy of it."""
    own = [stream for stream in own if not operations.all(stream.rate == 0)]
    shared = station.discipline == "ps" or (station.discipline == "lcfs-pr" and station.servers == 1)
    if station.capacity == station.servers or shared or not own:
        return INSENSITIVE
    if station.in_line and len({stream.priority for stream in own}) > 1:
        return LEVELS
    if _alike(own, operations) or station.servers > 1 or station.discipline == "lcfs-pr":
        return ALIKE
    return GENERAL


def doubt(network: RoutedNetwork, station: Station, own: Sequence[Stream], operations: Operations) -> str:
    """Why a station that gets Poisson arrivals is not solved exactly; empty where it is.

    network  as stated, with `station`, which has a capacity.
    own      the streams that come to any copy of it.
    Source   Insensitivity of loss systems and of symmetric queues, with a limit of the number too: Kelly, Reversibility
             and Stochastic Networks, 1979, sections 3.3 and 3.4
    """
    own = [stream for stream in own if not operations.all(stream.rate == 0)]
    again = comes_back(network, station.name, operations)
    if again and station.copies > 1:
        return "customers come to several copies of it one after the other"
    form = form_of(station, own, operations)
    if form == INSENSITIVE:
        return ""
    if not single_times(network, station.name):
        return "a visit is made of several times"
    if form == GENERAL:
        return "customers with times that are not exponential and alike come back" if again else ""
    if form == LEVELS:
        levels = {stream.priority for stream in own}
        if not all(_alike([item for item in own if item.priority == level], operations) for level in levels):
            return "the times of one priority are not exponential and alike"
        return "customers of several priorities come back" if again else ""
    return "" if _alike(own, operations) else "the times are not exponential and alike"


def comes_back(network: RoutedNetwork, name: str, operations: Operations) -> bool:
    """Whether any customer visits a station more than once in a passage."""

    def often(steps: Sequence[Step]) -> int:
        found = 0
        for step in steps:
            if isinstance(step, Hold) and step.station == name:
                found += 1 + (not operations.all(operations.compare("<=", step.visits, 1.0)))
        return found

    return any(often(route.steps) > 1 for item in network.classes for route in item.routes)


def _alike(own: Sequence[Stream], operations: Operations) -> bool:
    """Whether all have one mean time, and the variance of exponential times."""
    mean = own[0].holding.mean
    return all(exponential(stream, operations) and close(stream.holding.mean, mean, operations) for stream in own)


def single_times(network: RoutedNetwork, name: str) -> bool:
    """Whether every visit to a station is one time, of which the distribution is known."""
    return all(_single(step, name) for item in network.classes for route in item.routes for step in route.steps)


def _single(step: Step, name: str) -> bool:
    if isinstance(step, Time):
        return True
    if isinstance(step, Fork):
        return all(_single(inner, name) for inner in step.inner)
    if step.station != name:
        return all(_single(inner, name) for inner in step.steps)
    only = step.steps[0] if len(step.steps) == 1 else None
    return isinstance(only, Time) and isinstance(only.visits, float) and only.visits == 1.0 and only.phase == 1
