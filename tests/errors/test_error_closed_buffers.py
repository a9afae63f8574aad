"""What closed classes fill, buffers and stations with a capacity, against the chain of all states of small systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from chain import mean, stationary
from measuring import assert_told

from qnet.networks.routed import Buffer, ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve

Moves = Iterable[tuple[float, Any]]
Errors = list[float]
SEED = 7


def station(name: str, servers: int = 1, discipline: str = "fcfs", capacity: int | None = None) -> Station:
    return Station(name, False, servers, discipline, (Group(name, 1, 1.0),), capacity=capacity)


def served(name: str, time: Any, **more: Any) -> Hold:
    return Hold(name, (Time(time),), **more)


def routes(writing: Any, reading: tuple[Step, ...], filling: tuple[Step, ...]) -> tuple[Route, ...]:
    return (Route("write", writing, filling), Route("read", 1 - writing, reading))


def solved(stations: list[Station], classes: list[ClosedClass], places: int, points: int) -> RoutedSolution:
    buffers = (Buffer("nvs", float(places), False),)
    return solve(RoutedNetwork(tuple(stations), tuple(classes), (), points, buffers=buffers))


def drained_apart(customers: int, places: int, servers: int, numbers: Mapping[str, float]) -> Any:
    """Thinking, at the processor, waiting for a place, in front of the response with one, and being drained."""
    think, share, cpu, front, drain = (numbers[name] for name in ("think", "share", "cpu", "front", "drain"))

    def moves(state: tuple[int, ...]) -> Moves:
        thinking, asking, waiting, keeping, draining = state
        if thinking:
            yield thinking / think, (thinking - 1, asking + 1, waiting, keeping, draining)
        if asking:
            yield (1 - share) / cpu, (thinking + 1, asking - 1, waiting, keeping, draining)
            if keeping + draining == places:
                yield share / cpu, (thinking, asking - 1, waiting + 1, keeping, draining)
            elif front:
                yield share / cpu, (thinking, asking - 1, waiting, keeping + 1, draining)
            else:
                yield share / cpu, (thinking + 1, asking - 1, waiting, keeping, draining + 1)
        if keeping:
            yield 1 / front, (thinking + 1, asking, waiting, keeping - 1, draining + 1)
        rate = min(draining, servers) / drain
        if not waiting:
            yield rate, (thinking, asking, waiting, keeping, draining - 1)
        elif front:
            yield rate, (thinking, asking, waiting - 1, keeping + 1, draining - 1)
        else:
            yield rate, (thinking + 1, asking, waiting - 1, keeping, draining)

    return stationary((customers, 0, 0, 0, 0), moves)


def longest(found: RoutedSolution, point: int, exact: Mapping[str, float]) -> float:
    """The error of the queue length at the station where it is worst; relative to 0.1 where it is shorter."""
    lengths = {
        item.name: float((item.queue_length + np.zeros(found.throughput.shape))[point]) for item in found.stations
    }
    return max(abs(lengths[name] - value) / max(value, 0.1) for name, value in exact.items())


def apart(random: np.random.Generator, points: int) -> tuple[Errors, Errors, Errors]:
    """Errors of throughput, occupancy and queue lengths where a station of its own frees places."""
    throughput: Errors = []
    occupancy: Errors = []
    lengths: Errors = []
    for customers, places, servers in ((2, 2, 1), (3, 4, 1), (4, 3, 2), (5, 3, 1)):
        for kept in (False, True):
            numbers: dict[str, Any] = {
                "think": random.uniform(0.5, 10, points), "share": random.uniform(0.2, 1, points),
                "cpu": random.uniform(0.1, 2, points), "front": random.uniform(0.05, 1, points) * kept,
                "drain": servers * random.uniform(0.3, 3, points),
            }  # fmt: skip
            cpu = served("cpu", numbers["cpu"])
            front = (served("front", numbers["front"]),) if kept else ()
            filling = (
                cpu,
                Time(0.0, fills="nvs"),
                *front,
                served("disk", numbers["drain"], phase=2, drains="nvs"),
            )
            everybody = ClosedClass(
                "all", float(customers), numbers["think"], routes(numbers["share"], (cpu,), filling)
            )
            stations = [station("cpu"), station("front"), station("disk", servers)]
            found = solved(stations, [everybody], places, points)
            for point in range(points):
                own = {name: float(values[point]) for name, values in numbers.items()}
                shares = drained_apart(customers, places, servers, own)
                exact = mean(shares, lambda state: state[0]) / own["think"]
                throughput.append(float(found.throughput[point]) / exact - 1)
                exact = mean(shares, lambda state: state[3] + state[4])
                occupancy.append(float(found.buffers[0].occupancy[point]) / exact - 1)
                queues = [mean(shares, lambda state, place=place: state[place]) for place in (1, 3, 4)]
                lengths.append(longest(found, point, dict(zip(("cpu", "front", "disk"), queues, strict=True))))
    return throughput, occupancy, lengths


def drained_in_turn(customers: int, places: int, numbers: Mapping[str, float]) -> Any:
    """Thinking, waiting for a place, and the line of reads and of work that frees places."""
    think, share, read, drain = (numbers[name] for name in ("think", "share", "read", "drain"))

    def moves(state: tuple[int, int, str]) -> Moves:
        thinking, waiting, line = state
        if thinking:
            yield (1 - share) * thinking / think, (thinking - 1, waiting, line + "r")
            room = line.count("w") < places
            after = (thinking, waiting, line + "w") if room else (thinking - 1, waiting + 1, line)
            yield share * thinking / think, after
        if line.startswith("r"):
            yield 1 / read, (thinking + 1, waiting, line[1:])
        elif line:
            yield 1 / drain, (thinking + 1, waiting - 1, line[1:] + "w") if waiting else (thinking, 0, line[1:])

    return stationary((customers, 0, ""), moves)


def drained_beside(customers: int, places: int, numbers: Mapping[str, float], reads_first: bool) -> Any:
    """Thinking, waiting for a place, reads, work that frees places, and which of both is in service (0: shared)."""
    think, share, read, drain = (numbers[name] for name in ("think", "share", "read", "drain"))

    def begun(reads: int, writes: int, serving: int) -> int:
        return (serving or (1 if reads else 2 * (writes > 0))) if reads_first else 0

    def moves(state: tuple[int, ...]) -> Moves:
        thinking, waiting, reads, writes, serving = state
        if thinking:
            yield (1 - share) * thinking / think, (
                thinking - 1, waiting, reads + 1, writes, begun(reads + 1, writes, serving)
            )  # fmt: skip
            room = writes < places
            yield (
                share * thinking / think,
                (
                    (thinking, waiting, reads, writes + 1, begun(reads, writes + 1, serving))
                    if room
                    else (thinking - 1, waiting + 1, reads, writes, serving)
                ),
            )
        part = (serving == 1, serving == 2) if reads_first else (reads / max(1, reads + writes),) * 2
        reading, writing = part if reads_first else (part[0], writes / max(1, reads + writes))
        yield reading / read, (thinking + 1, waiting, reads - 1, writes, begun(reads - 1, writes, 0))
        left = writes if waiting else writes - 1
        more = waiting > 0
        yield writing / drain, (thinking + more, waiting - more, reads, left, begun(reads, left, 0))

    return stationary((customers, 0, 0, 0, 0), moves)


def beside(random: np.random.Generator, points: int) -> tuple[Errors, Errors, Errors]:
    """Errors of throughput, occupancy and queue length where the station that frees places serves reads as well."""
    throughput: Errors = []
    occupancy: Errors = []
    lengths: Errors = []
    for discipline, customers, places in (
        ("fcfs", 2, 2), ("fcfs", 3, 3), ("ps", 4, 3), ("priority", 2, 3), ("priority", 5, 3),
    ):  # fmt: skip
        read = random.uniform(0.2, 2, points)
        numbers: dict[str, Any] = {
            "think": random.uniform(0.5, 10, points), "share": random.uniform(0.1, 0.9, points), "read": read,
            "drain": read * 3 ** random.uniform(-1, 1, points),
        }  # fmt: skip
        reading = served("disk", read, priority=int(discipline == "priority"))
        filling = (Time(0.0, fills="nvs"), served("disk", numbers["drain"], phase=2, drains="nvs"))
        everybody = ClosedClass(
            "all", float(customers), numbers["think"], routes(numbers["share"], (reading,), filling)
        )
        found = solved([station("disk", 1, discipline)], [everybody], places, points)
        for point in range(points):
            own = {name: float(values[point]) for name, values in numbers.items()}
            if discipline == "fcfs":
                shares = drained_in_turn(customers, places, own)
                taken = mean(shares, lambda state: state[2].count("w"))
                queue = mean(shares, lambda state: len(state[2]))
            else:
                shares = drained_beside(customers, places, own, discipline == "priority")
                taken = mean(shares, lambda state: state[3])
                queue = mean(shares, lambda state: state[2] + state[3])
            exact = mean(shares, lambda state: state[0]) / own["think"]
            throughput.append(float(found.throughput[point]) / exact - 1)
            occupancy.append(float(found.buffers[0].occupancy[point]) / taken - 1)
            lengths.append(longest(found, point, {"disk": queue}))
    return throughput, occupancy, lengths


def two_classes(customers: tuple[int, int], places: int, numbers: Mapping[str, Any]) -> Any:
    """By class thinking and at the shared processor; the classes that wait for a place in order; being drained."""
    think, share, cpu, drain = (numbers[name] for name in ("think", "share", "cpu", "drain"))

    def moved(counts: tuple[int, int], kind: int, by: int) -> tuple[int, int]:
        return (counts[0] + by, counts[1]) if kind == 0 else (counts[0], counts[1] + by)

    def moves(state: tuple[tuple[int, int], tuple[int, int], str, int]) -> Moves:
        thinking, asking, line, draining = state
        for kind in (0, 1):
            yield thinking[kind] / think[kind], (moved(thinking, kind, -1), moved(asking, kind, 1), line, draining)
            if asking[kind]:
                rate = asking[kind] / sum(asking) / cpu[kind]
                gone = moved(asking, kind, -1)
                back = moved(thinking, kind, 1)
                yield rate * (1 - share[kind]), (back, gone, line, draining)
                full = draining == places
                after = (thinking, gone, line + str(kind), draining) if full else (back, gone, line, draining + 1)
                yield rate * share[kind], after
        if line:
            yield 1 / drain, (moved(thinking, int(line[0]), 1), asking, line[1:], draining)
        elif draining:
            yield 1 / drain, (thinking, asking, line, draining - 1)

    return stationary((customers, (0, 0), "", 0), moves)


def classes(random: np.random.Generator, points: int) -> Errors:
    """Errors of the throughput of the class where it is worse, of two classes that fill a buffer."""
    errors: Errors = []
    for customers, places in (((1, 2), 2), ((2, 1), 3), ((1, 1), 1), ((1, 1), 3)):
        numbers: dict[str, Any] = {
            "think": np.exp(random.uniform(np.log(0.05), np.log(10), (2, points))),
            "share": random.uniform(0.1, 1, (2, points)),
            "cpu": random.uniform(0.1, 1.5, (2, points)), "drain": random.uniform(0.3, 3, points),
        }  # fmt: skip
        both: list[ClosedClass] = []
        for kind in (0, 1):
            cpu = served("cpu", numbers["cpu"][kind])
            filling = (cpu, Time(0.0, fills="nvs"), served("disk", numbers["drain"], phase=2, drains="nvs"))
            ways = routes(numbers["share"][kind], (cpu,), filling)
            both.append(ClosedClass(str(kind), float(customers[kind]), numbers["think"][kind], ways))
        found = solved([station("cpu", 1, "ps"), station("disk")], both, places, points)
        for point in range(points):
            own = {name: values[..., point].tolist() for name, values in numbers.items()}
            shares = two_classes(customers, places, own)
            worst = 0.0
            for kind in (0, 1):
                exact = mean(shares, lambda state, kind=kind: state[0][kind]) / own["think"][kind]
                worst = max(worst, abs(float(found.classes[kind].throughput[point]) / exact - 1))
            errors.append(worst)
    return errors


def capacity_chain(customers: int, places: int, servers: int, numbers: Mapping[str, float]) -> Any:
    """Thinking, at the processor, at the station that loses who finds it full, and at the disk behind."""
    think, cpu, service, disk = (numbers[name] for name in ("think", "cpu", "service", "disk"))

    def moves(state: tuple[int, ...]) -> Moves:
        thinking, asking, served, behind = state
        yield thinking / think, (thinking - 1, asking + 1, served, behind)
        if asking:
            room = served < places
            after = (thinking, asking - 1, served + 1, behind) if room else (thinking + 1, asking - 1, served, behind)
            yield 1 / cpu, after
        yield min(served, servers) / service, (thinking, asking, served - 1, behind + 1)
        if behind:
            yield 1 / disk, (thinking + 1, asking, served, behind - 1)

    return stationary((customers, 0, 0, 0), moves)


def capacity(random: np.random.Generator, points: int) -> Errors:
    """Errors of the throughput of those who are not lost at a station with a capacity."""
    errors: Errors = []
    for customers, places, servers in ((3, 1, 1), (5, 3, 2)):
        numbers: dict[str, Any] = {
            "think": random.uniform(0.5, 10, points), "cpu": random.uniform(0.1, 2, points),
            "service": servers * random.uniform(0.3, 2, points), "disk": random.uniform(0.1, 1.5, points),
        }  # fmt: skip
        steps = (served("cpu", numbers["cpu"]), served("gate", numbers["service"]), served("disk", numbers["disk"]))
        everybody = ClosedClass("all", float(customers), numbers["think"], (Route("all", 1.0, steps),))
        stations = (station("cpu"), station("gate", servers, "fcfs", places), station("disk"))
        found = solve(RoutedNetwork(stations, (everybody,), (), points))
        for point in range(points):
            own = {name: float(values[point]) for name, values in numbers.items()}
            shares = capacity_chain(customers, places, servers, own)
            exact = mean(shares, lambda state: state[3] > 0) / own["disk"]
            errors.append(float(found.throughput[point]) / exact - 1)
    return errors


def losing_chain(customers: int, places: int, numbers: Mapping[str, float]) -> Any:
    """Thinking, at the processor, in front of the response with a place, and being drained."""
    think, share, cpu, front, drain = (numbers[name] for name in ("think", "share", "cpu", "front", "drain"))

    def moves(state: tuple[int, ...]) -> Moves:
        thinking, asking, keeping, draining = state
        yield thinking / think, (thinking - 1, asking + 1, keeping, draining)
        if asking:
            home = (thinking + 1, asking - 1, keeping, draining)
            yield (1 - share) / cpu, home
            room = keeping + draining < places
            yield share / cpu, (thinking, asking - 1, keeping + 1, draining) if room else home
        if keeping:
            yield 1 / front, (thinking + 1, asking, keeping - 1, draining + 1)
        if draining:
            yield 1 / drain, (thinking, asking, keeping, draining - 1)

    return stationary((customers, 0, 0, 0), moves)


def losing(random: np.random.Generator, points: int) -> Errors:
    """Errors of the throughput of those who are not lost at a buffer."""
    errors: Errors = []
    for customers, places in ((3, 4), (5, 3)):
        numbers: dict[str, Any] = {
            "think": random.uniform(0.5, 10, points), "share": random.uniform(0.2, 1, points),
            "cpu": random.uniform(0.1, 2, points), "front": random.uniform(0.05, 1, points),
            "drain": random.uniform(0.3, 3, points),
        }  # fmt: skip
        cpu, front = served("cpu", numbers["cpu"]), served("front", numbers["front"])
        filling = (cpu, Time(0.0, fills="nvs"), front, served("disk", numbers["drain"], phase=2, drains="nvs"))
        ways = routes(numbers["share"], (cpu,), filling)
        everybody = ClosedClass("all", float(customers), numbers["think"], ways)
        stations = (station("cpu"), station("front"), station("disk"))
        buffers = (Buffer("nvs", float(places), True),)
        found = solve(RoutedNetwork(stations, (everybody,), (), points, buffers=buffers))
        for point in range(points):
            own = {name: float(values[point]) for name, values in numbers.items()}
            shares = losing_chain(customers, places, own)
            full = mean(shares, lambda state, places=places: (state[1] > 0) * (state[2] + state[3] == places))
            busy = mean(shares, lambda state: state[1] > 0)
            errors.append(float(found.throughput[point]) / ((busy - own["share"] * full) / own["cpu"]) - 1)
    return errors


@pytest.fixture(scope="module")
def measured() -> dict[str, Errors]:
    first, second = apart(np.random.default_rng(SEED), 25), beside(np.random.default_rng(SEED + 1), 40)
    return {
        "buffer: wait, closed classes": first[0],
        "buffer: wait, closed classes, occupancy": first[1],
        "buffer: wait, closed classes, drained with other work": second[0],
        "buffer: wait, closed classes, occupancy with other work": second[1],
        "buffer: wait, closed classes, queue lengths": first[2],
        "buffer: wait, closed classes, queue lengths with other work": second[2],
        "buffer: wait, several closed classes": classes(np.random.default_rng(SEED + 2), 100),
        "buffer: lost, closed classes": losing(np.random.default_rng(SEED + 3), 100),
        "capacity: closed classes": capacity(np.random.default_rng(SEED + 4), 100),
    }


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "buffer: wait, closed classes",
        "buffer: wait, closed classes, occupancy",
        "buffer: wait, closed classes, drained with other work",
        "buffer: wait, closed classes, occupancy with other work",
        "buffer: wait, closed classes, queue lengths",
        "buffer: wait, closed classes, queue lengths with other work",
        "buffer: wait, several closed classes",
        "buffer: lost, closed classes",
        "capacity: closed classes",
    ],
)
def test_the_table_of_errors(name: str, measured: dict[str, Errors]) -> None:
    assert_told(name, measured[name])
