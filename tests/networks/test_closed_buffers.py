"""What closed classes fill: birth and death in closed form, laws that hold whatever the numbers, and limits."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from qnet.documents import parse
from qnet.errors import NotComputed
from qnet.lazy import np
from qnet.model.load import build
from qnet.model.metrics import metric
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.networks.capacity.closed_levels import Surroundings
from qnet.networks.wanted import AUTO
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import Solved, solve_points
from qnet.queues.stations.m_m_c_k_n import m_m_c_k_n

APPROXIMATED = AUTO.replace(chain=0)
PLAIN = """
qnet = 1
title = "Clients that think, and write into a store"

[parameters]
clients = 5
size = 3
think = "10 ms"
writes = 0.6

[buffers]
store = { places = "size" }

[stations]
disk = { servers = 2 }

[classes.client]
population = "clients"
think_time = "think"

[[classes.client.routes]]
name = "write"
probability = "writes"
steps = [ { fill = "store" }, { phase = 2, drains = "store", station = "disk", time = "9 ms" } ]

[[classes.client.routes]]
name = "read"
probability = "1 - writes"
steps = [ { delay = 0 } ]
"""

RICH = """
qnet = 1
title = "Jobs, batch and reports that share a disk with what empties their store"

[parameters]
jobs = 6
batch = 2
size = 8
rate = "5/s"

[buffers]
store = { places = "size" }

[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }

[classes.job]
population = "jobs"
think_time = "100 ms"

[[classes.job.routes]]
name = "read"
probability = 0.5
steps = [ { station = "cpu", time = "4 ms" }, { station = "disk", time = "9 ms" } ]

[[classes.job.routes]]
name = "write"
probability = 0.5
steps = [
  { station = "cpu", time = "4 ms" },
  { fill = "store" },
  { station = "cpu", time = "1 ms" },
  { phase = 2, drains = "store", station = "disk", time = "15 ms" },
]

[classes.batch]
population = "batch"
think_time = "20 ms"
steps = [
  { station = "cpu", time = "10 ms" },
  { fill = "store" },
  { phase = 2, drains = "store", station = "disk", time = "15 ms" },
]

[classes.report]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "5 ms" }, { station = "disk", time = "9 ms" } ]
"""


def model_of(text: str) -> Model:
    return build(parse(text.encode(), "model.toml"), "model.toml")


@lru_cache(maxsize=8)
def answered(text: str, settings: tuple[tuple[str, str], ...]) -> tuple[Model, Solved]:
    """A model with some settings, and its answer, which several metrics are read from."""
    model = with_settings(model_of(text), dict(settings))
    return model, solve_points(model, asked=APPROXIMATED)


def told(text: str, asked: str, **settings: str) -> float:
    model, solved = answered(text, tuple(settings.items()))
    return float(expression_value(solved, metric(asked, model).expression))


def birth_and_death(clients: int, size: int, think: float = 0.01, writes: float = 0.6) -> list[float]:
    """The shares of time with 0, 1, ... places taken or waited for, at two servers of 9 ms."""
    weights = [1.0]
    for number in range(1, size + clients + 1):
        thinking = clients - max(0, number - 1 - size)
        weights.append(weights[-1] * (thinking * writes / think) / (min(number, size, 2) / 0.009))
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("size", [1, 3, 40])
@pytest.mark.parametrize("clients", [1, 5])
def test_thinking_clients_and_a_drain_of_their_own_are_exact(size: int, clients: int) -> None:
    own = {"size": str(size), "clients": str(clients)}
    shares = birth_and_death(clients, size)
    thinking = [clients - max(0, number - size) for number in range(len(shares))]
    throughput = sum(share * count for share, count in zip(shares, thinking, strict=True)) / 0.01
    full = sum(share * count for share, count in zip(shares[size:], thinking[size:], strict=True)) / 0.01 / throughput
    assert told(PLAIN, "throughput", **own) == pytest.approx(throughput, rel=1e-9)
    assert told(PLAIN, "response", **own) == pytest.approx(clients / throughput - 0.01, rel=1e-9, abs=1e-15)
    assert told(PLAIN, "found_full('store')", **own) == pytest.approx(full, rel=1e-9)
    taken = sum(share * min(number, size) for number, share in enumerate(shares))
    assert told(PLAIN, "occupancy('store')", **own) == pytest.approx(taken, rel=1e-9)
    assert solve_points(with_settings(model_of(PLAIN), own)).parts[0].solution.exact


@pytest.mark.parametrize(("others", "exact"), [("cpu", True), ("web", False)])
def test_what_queues_at_one_station_before_it_fills_is_exact_and_at_two_is_not(others: str, exact: bool) -> None:
    """All who are not waiting for a place are at one server, which is then never idle; or at either of two."""
    text = PLAIN.replace('think = "10 ms"', 'think = "0 s"').replace("[stations]", "[stations]\ncpu = {}\nweb = {}")
    text = text.replace('{ fill = "store" }', '{ station = "cpu", time = "10 ms" }, { fill = "store" }')
    model = model_of(text.replace("{ delay = 0 }", f'{{ station = "{others}", time = "10 ms" }}'))
    found, chain = (solve_points(model, asked=asked).parts[0].solution for asked in (APPROXIMATED, AUTO))
    assert (found.exact, chain.exact, chain.method) == (exact, True, "states")
    assert found.classes[0].throughput == pytest.approx(chain.classes[0].throughput, rel=1e-9 if exact else 1e-2)


def test_a_large_buffer_is_looked_at_with_few_numbers_and_as_exact() -> None:
    """Between the numbers that are solved rates are on a line; here they are so anyhow."""
    shares = birth_and_death(300, 3000, 3.5)
    thinking = sum(share * (300 - max(0, number - 3000)) for number, share in enumerate(shares))
    own = {"size": "3000", "clients": "300", "think": "3.5 s"}
    assert told(PLAIN, "throughput", **own) == pytest.approx(thinking / 3.5, rel=1e-9)


def test_work_that_is_never_waited_for_changes_nothing() -> None:
    """Where the store never fills and its disk does nothing else, clients are as without it."""
    assert told(PLAIN, "throughput", size="4000", clients="2", think="100 ms") == pytest.approx(20, rel=1e-12)
    assert told(PLAIN, "found_full('store')", size="4000", clients="2", think="100 ms") < 1e-100


@pytest.mark.parametrize("text", [PLAIN, RICH])
def test_laws_of_conservation_hold(text: str) -> None:
    """Population = throughput x (think time + response), by class; places are taken as often as they are freed."""
    solution = solve_points(model_of(text), asked=APPROXIMATED).parts[0].solution
    for item in solution.classes:
        if item.population is not None:
            assert item.throughput * (item.think_time + item.response) == pytest.approx(item.population, rel=1e-9)
    buffer = solution.buffers[0]
    asked = sum(item.throughput for item in solution.routes if item.name == "write" or item.class_name == "batch")
    assert buffer.throughput == pytest.approx(asked, rel=1e-9)
    assert 0 < buffer.occupancy <= buffer.places
    assert 0 <= buffer.found_full <= 1


def test_what_waits_to_be_drained_is_what_is_taken() -> None:
    """Little's law: without a stay before the response, places are taken by the work at the disk alone."""
    assert told(PLAIN, "occupancy('store')") == pytest.approx(told(PLAIN, "queue_length('disk')"), rel=1e-9)


@pytest.mark.parametrize("full", ["wait", "lost"])
def test_what_follows_the_drain_takes_no_place(full: str) -> None:
    """A place is free when its drain is done, however long the customer then stays elsewhere."""
    text = PLAIN.replace('{ places = "size" }', f'{{ places = "size", full = "{full}" }}')
    text = text.replace('time = "9 ms" } ]', 'time = "9 ms" }, { station = "later", time = "20 ms" } ]')
    text = text.replace("disk = { servers = 2 }", "disk = { servers = 2 }\nlater = {}")
    assert told(text, "occupancy('store')") == pytest.approx(told(text, "queue_length('disk')"), rel=1e-9)


JUMPING = """
qnet = 1
title = "Jobs served first, some of which fill a store"

[stations]
cpu = { discipline = "priority" }
disk = {}

[buffers]
store = { places = 12 }

[classes.batch]
population = 2
think_time = "0 s"
steps = [
  { fill = "store", visits = 0.5 },
  { station = "cpu", time = "56 ms", visits = 3 },
  { station = "disk", time = "40.9 ms" },
  { phase = 2, drains = "store", station = "disk", time = "40.9 ms", visits = 0.5 },
]

[classes.job]
priority = 1
population = 3
think_time = "100 ms"
steps = [ { station = "cpu", time = "56 ms", visits = 2 }, { station = "disk", time = "31.9 ms" } ]
"""


@pytest.mark.long
def test_rounds_that_go_around_a_jump_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[float] = []
    solved = Surroundings.solved

    def counted(self: Surroundings, *arguments: Any) -> Any:
        rounds.append(1)
        return solved(self, *arguments)

    monkeypatch.setattr(Surroundings, "solved", counted)
    with pytest.raises(NotComputed) as caught:
        solve_points(model_of(JUMPING), asked=APPROXIMATED)
    assert caught.value.problems[0].code == "QN557"
    assert len(rounds) < 40


def test_more_places_do_not_move_the_limit() -> None:
    limit = 2 / 0.009 / 0.6
    for size in ("10", "100", "1000"):
        assert told(PLAIN, "throughput", size=size, clients="400") == pytest.approx(limit, rel=1e-9)
    assert solve_points(model_of(PLAIN)).parts[0].solution.ceiling == (pytest.approx(limit), "disk")


@pytest.mark.long
def test_many_points_are_each_as_one_and_places_help() -> None:
    np = pytest.importorskip("numpy")
    model = model_of(RICH)
    grid = {"jobs": [3.0, 3.0, 3.0, 0.0], "batch": [1.0, 1.0, 1.0, 2.0], "size": [1.0, 3.0, 9.0, 3.0]}
    many = solve_points(model, {name: np.array(values) for name, values in grid.items()}, 4)
    responses = expression_value(many, metric("response('batch')", model).expression)
    assert responses[:3].tolist() == sorted(responses[:3].tolist(), reverse=True)
    for point in (1,):
        alone = solve_points(model, {name: values[point] for name, values in grid.items()}, asked=APPROXIMATED)
        for asked in ("throughput", "response", "occupancy('store')", "found_full('store')", "time_to_fill('store')"):
            expression = metric(asked, model).expression
            assert expression_value(many, expression)[point] == pytest.approx(
                expression_value(alone, expression), rel=1e-7, abs=1e-12
            )


def test_nobody_writes() -> None:
    assert told(PLAIN, "throughput", writes="0") == pytest.approx(500)
    assert told(PLAIN, "occupancy('store')", writes="0") == 0
    assert told(PLAIN, "found_full('store')", writes="0") == 0


def test_service_that_is_not_exponential_is_told_as_beyond_what_was_measured() -> None:
    solution = (
        solve_points(model_of(PLAIN.replace('time = "9 ms"', 'time = "9 ms", scv = 0.3')), asked=APPROXIMATED)
        .parts[0]
        .solution
    )
    assert [getattr(reason, "code", "") for reason in solution.reasons if "store" in reason] == ["QN670"]


LINES = """
qnet = 1
title = "Terminals in front of a few lines"

[parameters]
terminals = 12
lines = 3
room = 5

[stations]
bank = { servers = "lines", capacity = "room" }

[classes.user]
population = "terminals"
think_time = "10 s"
steps = [ { station = "bank", time = "4 s" } ]
"""


@pytest.mark.parametrize(("terminals", "lines", "room"), [(12, 3, 5), (12, 3, 3), (4, 1, 2), (60, 8, 50)])
def test_terminals_that_are_refused_are_the_queue_with_few_sources(terminals: int, lines: int, room: int) -> None:
    own = {"terminals": str(terminals), "lines": str(lines), "room": str(room)}
    found = m_m_c_k_n(service_time=4.0, servers=lines, sources=terminals, source_rate=0.1, capacity=room)
    for asked, value in (
        ("throughput", found.throughput),
        ("response", found.response),
        ("loss", found.blocking),
        ("queue_length('bank')", found.queue_length),
        ("offered", found.throughput / (1 - found.blocking)),
    ):
        assert told(LINES, asked, **own) == pytest.approx(value, rel=1e-9), asked
    assert solve_points(with_settings(model_of(LINES), own)).parts[0].solution.exact


def test_a_capacity_that_nobody_reaches_is_none() -> None:
    """With as many places as customers the answer is that of the network without a limit, in one way or the other."""
    free = LINES.replace(', capacity = "room"', "")
    for asked in ("throughput", "response", "queue_length('bank')"):
        assert told(LINES, asked, room="12") == told(free, asked)
        assert told(LINES, asked, room="500", terminals="12") == told(free, asked)
    assert told(LINES, "loss", room="12") == 0
    np = pytest.importorskip("numpy")
    some = solve_points(model_of(LINES), {"terminals": np.array([5.0, 12.0])}, 2)
    assert expression_value(some, metric("throughput", some.model).expression)[0] == pytest.approx(
        told(free, "throughput", terminals="5"), rel=1e-9
    )


def test_writes_that_are_lost_go_home() -> None:
    """All places are taken so often as births 5 x 0.6 / 10 ms and deaths of two servers of 9 ms tell."""
    text = PLAIN.replace('{ places = "size" }', '{ places = "size", full = "lost" }')
    weights = [1.0]
    for number in (1, 2, 3):
        weights.append(weights[-1] * 300 / (min(number, 2) / 0.009))
    full = weights[3] / sum(weights)
    assert told(text, "found_full('store')") == pytest.approx(full, rel=1e-9)
    assert told(text, "offered") == pytest.approx(500, rel=1e-9)
    assert told(text, "throughput") == pytest.approx(500 * (1 - 0.6 * full), rel=1e-9)
    assert told(text, "throughput('write')") == pytest.approx(300 * (1 - full), rel=1e-9)
    assert solve_points(model_of(text)).parts[0].solution.exact


REFUSED = {
    "a buffer and a capacity": ("disk = { servers = 2 }", "disk = { servers = 2, capacity = 4 }"),
    "several places, lost": (
        '{ fill = "store" }, {',
        '{ fill = "store", visits = 2 }, {',
    ),
    "a wait inside": (
        'steps = [ { fill = "store" }',
        'steps = [ { hold = "disk", steps = [ { fill = "store" }, { time = "1 ms" } ] }',
    ),
    "two buffers": (
        "[stations]",
        '[buffers.other]\nplaces = 2\n[[classes.client.routes]]\nname = "third"\nprobability = 0\n'
        'steps = [ { fill = "other" }, { phase = 2, drains = "other", station = "disk", time = "1 ms" } ]\n[stations]',
    ),
    "open classes that fill": (
        'population = "clients"\nthink_time = "think"',
        'arrival_rate = "5/s"\n[[classes.client.routes]]\nname = "other"\nprobability = 0\nsteps = [ { delay = 0 } ]',
    ),
    "no time anywhere else": ('think_time = "think"', ""),
}
BESIDE = '\n[classes.other]\npopulation = 3\nthink_time = "1 s"\nsteps = [ { station = "disk", time = "1 ms" } ]\n'


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_computed_is_told_with_a_way_out(what: str) -> None:
    text = PLAIN.replace(*REFUSED[what]) + (BESIDE if what.startswith("open") else "")
    if what.endswith("lost"):
        text = text.replace('{ places = "size" }', '{ places = "size", full = "lost" }')
    with pytest.raises(NotComputed) as caught:
        solve_points(model_of(text), asked=APPROXIMATED)
    assert caught.value.problems[0].code == "QN555"
    assert caught.value.problems[0].help


SHARED = """
qnet = 1
title = "writers and jobs that share a CPU and a disk"

[parameters]
factor = 1.0

[buffers]
store = {{ {store} }}

[stations]
cpu = {{ servers = {servers} }}
disk = {{ discipline = "{discipline}" }}

[classes.writer]
population = {writers}
think_time = "{think} ms * factor"
steps = [
  {{ station = "cpu", time = "{first} ms", visits = {visits} }},
  {{ fill = "store" }},
  {{ station = "cpu", time = "14.3 ms" }},
  {{ phase = 2, drains = "store", station = "disk", time = "{drain} ms", visits = {share} }},
]

[classes.job]
population = {jobs}
think_time = "{other} ms"
steps = [ {{ station = "cpu", time = "{at_cpu} ms" }}, {{ station = "disk", time = "{at_disk} ms" }} ]
"""
LOSING = SHARED.format(
    store='places = 20, full = "lost"', servers=2, discipline="ps", writers=10, think=134.1, first=47.6, visits=3,
    drain=48.1, share=1, jobs=1, other=292.1, at_cpu=26.0, at_disk=6.6,
)  # fmt: skip
UNPROVEN = SHARED.format(
    store="places = 8", servers=1, discipline="fcfs", writers=5, think=122.2, first=38.9, visits=1, drain=59.6,
    share=0.5, jobs=5, other=12.6, at_cpu=60.0, at_disk=36.4,
)  # fmt: skip
FACTORS = np.geomspace(0.1, 10, 30)
"""Each takes half a second alone, or seconds where it does not converge: tests look at the few that matter to them, of
which one has converged long before the other, or never does."""


@pytest.mark.long
def test_points_that_have_converged_are_not_led_astray_by_others() -> None:
    """Once all of a batch was refused, though each of its points has an answer."""
    model, factors = model_of(LOSING), FACTORS[[25, 28]]
    together = solve_points(model, {"factor": factors}, len(factors), asked=APPROXIMATED).parts[0].solution
    alone = [solve_points(model, {"factor": float(factor)}, asked=APPROXIMATED).parts[0].solution for factor in factors]
    for index in range(2):
        expected = [solution.classes[index].throughput for solution in alone]
        assert together.classes[index].throughput == pytest.approx(expected, rel=1e-8)


@pytest.mark.long
def test_points_that_do_not_converge_are_named() -> None:
    model, factors = model_of(UNPROVEN), FACTORS[[10, 14]]
    with pytest.raises(NotComputed) as caught:
        solve_points(model, {"factor": factors}, len(factors), asked=APPROXIMATED)
    assert caught.value.at is not None
    assert caught.value.at.tolist() == [True, False]
    assert caught.value.problems[0].code == "QN557"
    assert solve_points(model, {"factor": float(factors[1])}, asked=APPROXIMATED).stable
