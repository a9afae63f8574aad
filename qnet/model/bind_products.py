"""The products of the numbers of a network: visits and demands per passage, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.expression import Value
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Step, Time

Product = tuple[str, Value, str]
"""What it is, its value, and its unit."""


def products(network: RoutedNetwork, customers: OpenClass | ClosedClass) -> Iterator[Product]:
    """The visits and the demands of every step of a class, per passage, at the copies with the smallest share."""
    shares = {station.name: [group.share for group in station.groups] for station in network.stations}
    for route in customers.routes:
        yield from _of(route.steps, 1.0 if customers.chain else route.probability, shares, "", 1.0)


def _of(
    steps: Sequence[Step], passages: Value, shares: dict[str, list[Value]], station: str, share: Value
) -> Iterator[Product]:
    for step in steps:
        visits = passages * step.visits
        match step:
            case Time():
                where = f" at {station}" if station else ""
                yield f"seconds{where} per passage", visits * step.mean * share, "s"
            case Hold():
                for particular in shares[step.station]:
                    yield f"visits of {step.station} per passage", visits * particular, ""
                    yield from _of(step.steps, visits, shares, step.station, particular)
            case Fork():
                for branch in step.branches:
                    yield from _of(branch.steps, visits * branch.copies, shares, station, share)
