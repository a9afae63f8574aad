"""Which copy of a station a visit goes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qnet.networks.routed import Branch, Fork, Hold, Station, Step, Time
from qnet.networks.states.program import NotCovered
from qnet.networks.streams import group_of


class Copies:
    """The copies of all stations.

    stations   by name.
    first      the first centre of each group of copies.
    """

    def __init__(self, stations: Mapping[str, Station], first: Mapping[tuple[str, int], int]) -> None:
        self.stations = stations
        self.first = first
        self.forced: Mapping[str, int] = {}
        """By station: the copy that the branch at hand takes, from 1."""
        self.before: set[str] = set()
        """The stations that the route at hand visits at any of their copies."""

    def chosen(self, station: Station, copies: dict[str, int], group: int, centre: int) -> dict[str, int]:
        """The groups and copies of stations that are held, with one more: by name, and by name and place."""
        names = (station.name, station.follows or station.name)
        offset = centre - self.first[station.name, group]
        return {**copies, **dict.fromkeys(names, group), **{f"{name} copy": offset for name in names}}

    def groups(self, station: Station, hold: Hold, copies: dict[str, int]) -> Iterator[tuple[int, int, float]]:
        """The groups of copies that a hold may use, each with its first centre and its probability."""
        known = self.known(station, hold, copies)
        if known is not None:
            yield known
            return
        for group, item in enumerate(station.groups):
            yield group, self.first[station.name, group], float(item.copies * item.share)

    def ways(self, station: Station, hold: Hold, copies: dict[str, int]) -> Iterator[tuple[int, int, float]]:
        """The copies that a hold may use, each with its group, centre and probability."""
        known = self.known(station, hold, copies)
        forced = self.forced.get(station.follows or station.name)
        if known is None and forced is not None:
            known = self.numbered(station, forced)
        if known is not None:
            yield known
            return
        if station.follows in self.before and station.copies > 1:
            raise NotCovered(f'"{station.name}" is visited at the copy that was chosen at "{station.follows}" before')
        for group, item in enumerate(station.groups):
            centre = self.first[station.name, group]
            if station.delay:
                yield group, centre, float(item.copies * item.share)
                continue
            for copy in range(item.copies):
                yield group, centre + copy, float(item.share)

    def known(self, station: Station, hold: Hold, copies: dict[str, int]) -> tuple[int, int, float] | None:
        """The copy that a hold uses, where it is the same each time."""
        if station.follows and station.follows in copies:
            group = copies[station.follows]
            return group, self.first[station.name, group] + copies[f"{station.follows} copy"], 1.0
        return None if hold.copy is None else self.numbered(station, hold.copy)

    def numbered(self, station: Station, copy: int) -> tuple[int, int, float]:
        """A copy by its number, from 1."""
        group = group_of(station, copy)
        before = 0 if station.delay else sum(item.copies for item in station.groups[:group])
        return group, self.first[station.name, group] + (0 if station.delay else copy - 1 - before), 1.0

    def spread(self, branch: Branch) -> list[dict[str, int]]:
        """The copies that one of several such branches may take, of which each takes another one."""
        leaders = {self.stations[name].follows or name for name in visited(branch.steps)} if branch.copies > 1 else ()
        several = [self.stations[name] for name in leaders if self.stations[name].copies > 1]
        if not several:
            return [{}]
        station = several[0]
        shares = {float(group.share) for group in station.groups}
        if len(several) > 1 or max(shares) - min(shares) > 1e-12 or branch.copies > station.copies:
            raise NotCovered("branches spread over copies of several stations, or over copies that differ")
        return [{station.name: copy + 1} for copy in range(station.copies)]


def visited(steps: Sequence[Step]) -> set[str]:
    """The stations that are visited at any of their copies."""
    result: set[str] = set()
    for step in steps:
        if isinstance(step, Time):
            continue
        if isinstance(step, Hold) and step.copy is None:
            result.add(step.station)
        result |= visited(step.inner if isinstance(step, Fork) else step.steps)
    return result
