"""The Markov chain of a small system whose stations serve one class before another: the lowest number first."""

from __future__ import annotations

from collections.abc import Iterator

from chain import mean, stationary

from qnet.record import Record

Counts = tuple[int, ...]
State = tuple[tuple[Counts, Counts], ...]
"""At every station who is there, and who is served where nobody is interrupted, by class."""


class System(Record):
    """Classes that pass all stations in order, and think or leave."""

    demands: tuple[tuple[float, ...], ...]
    """Seconds of one visit, by station and class."""
    disciplines: tuple[str, ...]
    servers: tuple[int, ...]
    population: tuple[int, ...]
    """Of an open class as many as are let in at once: so many that hardly any are not."""
    away: tuple[float, ...]
    """Think time of a closed class, time between arrivals of an open one, in seconds."""
    opened: tuple[bool, ...]


def exact(system: System) -> tuple[list[float], list[float]]:
    """Throughputs and responses by class."""
    stations, classes = range(len(system.demands)), range(len(system.away))
    nobody = tuple(0 for _ in classes)

    def settled(station: int, counts: Counts, served: Counts) -> tuple[Counts, Counts]:
        if system.disciplines[station] != "priority":
            return counts, nobody
        row = list(served)
        for kind in classes:
            while sum(row) < system.servers[station] and counts[kind] > row[kind]:
                row[kind] += 1
        return counts, tuple(row)

    def busy(station: int, state: State) -> list[float]:
        counts, served = state[station]
        present, servers = sum(counts), system.servers[station]
        if system.disciplines[station] == "priority" or not present:
            return [float(count) for count in served]
        if system.disciplines[station] == "ps":
            return [count * min(present, servers) / present for count in counts]
        row: list[float] = []
        for count in counts:
            row.append(min(count, servers - sum(row)))
        return row

    def changed(state: State, station: int, kind: int, by: int) -> State:
        counts, served = state[station]
        counts = tuple(count + by * (place == kind) for place, count in enumerate(counts))
        if by < 0 and system.disciplines[station] == "priority":
            served = tuple(count - (place == kind) for place, count in enumerate(served))
        return (*state[:station], settled(station, counts, served), *state[station + 1 :])

    def moves(state: State) -> Iterator[tuple[float, State]]:
        for kind in classes:
            left = system.population[kind] - sum(counts[kind] for counts, _ in state)
            if left:
                yield (1 if system.opened[kind] else left) / system.away[kind], changed(state, 0, kind, 1)
        for station in stations:
            for kind, count in enumerate(busy(station, state)):
                if count:
                    after = changed(state, station, kind, -1)
                    if station + 1 in stations:
                        after = changed(after, station + 1, kind, 1)
                    yield count / system.demands[station][kind], after

    empty: State = tuple((nobody, nobody) for _ in stations)
    shares = stationary(empty, moves)
    rates = [mean(shares, lambda state, kind=kind: busy(0, state)[kind]) / system.demands[0][kind] for kind in classes]
    there = [mean(shares, lambda state, kind=kind: sum(counts[kind] for counts, _ in state)) for kind in classes]
    return rates, [number / rate for number, rate in zip(there, rates, strict=True)]
