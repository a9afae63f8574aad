"""Stations that may be full and buffers that fill, by closed forms and by what must hold whatever the numbers."""

from __future__ import annotations

from functools import lru_cache, partial
from math import log

import pytest

from qnet.documents import parse
from qnet.errors import InvalidInput, NotComputed
from qnet.model.load import build
from qnet.model.metrics import metric
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import Solved, solve_points
from qnet.queues.m_g_1_k import ServiceTime, m_g_1_k, m_g_1_outside
from qnet.queues.stations.m_m_c_k import m_m_c_k

QUEUE = """
qnet = 1
title = "A queue with room for few"

[parameters]
rate = "80/s"
room = 5

[stations]
cpu = { servers = 2, capacity = "room" }

[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "20 ms" } ]
"""

STORE = """
qnet = 1
title = "Reads, and writes into a store that paths drain when there is nothing to read"

[parameters]
rate = "400/s"
size = 100

[buffers]
store = { places = "size", full = "FULL" }

[stations]
front = { servers = 4 }
path = { servers = 2 }

[classes.io]
arrival_rate = "rate"

[[classes.io.routes]]
name = "read"
probability = 0.7
steps = [ { station = "path", priority = 1, time = "5 ms" }, { station = "front", time = "1 ms" } ]

[[classes.io.routes]]
name = "write"
probability = 0.3
steps = [
  { fill = "store" },
  { station = "front", time = "1 ms" },
  { phase = 2, drains = "store", station = "path", time = "10 ms" },
]
"""
WAITING, LOSING = STORE.replace("FULL", "wait"), STORE.replace("FULL", "lost")
ONE = (
    STORE.split("[stations]")[0].replace("FULL", "wait")
    + """[stations]
path = {}

[classes.io]
arrival_rate = "rate"
steps = [ { fill = "store" }, { phase = 2, drains = "store", station = "path", time = "2 ms" } ]
"""
)


ITERATED = AUTO.replace(chain=0)
"""Without the chain of all states, which takes a while until it has too many."""


def model_of(text: str) -> Model:
    return build(parse(text.encode(), "model.toml"), "model.toml")


@lru_cache(maxsize=8)
def answered(text: str, wanted: Wanted, settings: tuple[tuple[str, str], ...]) -> tuple[Model, Solved]:
    """A model with some settings, and its answer, which several metrics are read from."""
    model = with_settings(model_of(text), dict(settings))
    return model, solve_points(model, asked=wanted)


def told(text: str, asked: str, wanted: Wanted = AUTO, **settings: str) -> float:
    model, solved = answered(text, wanted, tuple(settings.items()))
    return float(expression_value(solved, metric(asked, model).expression))


@pytest.mark.parametrize("room", [2, 5, 40])
@pytest.mark.parametrize("rate", [20.0, 100.0, 500.0])
def test_a_station_alone_is_the_queue_of_its_kind(room: int, rate: float) -> None:
    found = m_m_c_k(rate, 0.02, 2, room)
    own = {"room": str(room), "rate": f"{rate}/s"}
    assert told(QUEUE, "loss", **own) == pytest.approx(found.blocking, rel=1e-9, abs=1e-15)
    assert told(QUEUE, "throughput", **own) == pytest.approx(found.throughput, rel=1e-9)
    assert told(QUEUE, "offered", **own) == rate
    assert told(QUEUE, "response", **own) == pytest.approx(found.response, rel=1e-9)
    assert solve_points(model_of(QUEUE)).parts[0].solution.exact


def test_what_is_behind_a_station_gets_what_it_lets_pass() -> None:
    """Flow is lost where it is lost, and nowhere else."""
    text = QUEUE.replace("[classes", "next = {}\n[classes").replace(
        '"20 ms" }', '"20 ms" }, { station = "next", time = "1 ms" }'
    )
    assert told(text, "utilization('next')") == pytest.approx(m_m_c_k(80.0, 0.02, 2, 5).throughput * 0.001)


def test_a_buffer_drained_by_a_station_of_its_own() -> None:
    """Those inside and those who wait outside are an M/M/1 together: found full with probability rho^K."""
    assert told(ONE, "found_full('store')", size="7") == pytest.approx(0.8**7)
    assert told(ONE, "delay_when_full('store')", size="7") == pytest.approx(0.002 / (1 - 0.8))
    assert told(ONE, "response", size="7") == pytest.approx(0.8**7 * 0.01)
    inside = sum(0.2 * 0.8**n * min(n, 7) for n in range(400))
    assert told(ONE, "occupancy('store')", size="7") == pytest.approx(inside)
    assert solve_points(model_of(ONE)).parts[0].solution.exact


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("percent", [95, 99])
def test_percentiles_of_who_waits_for_a_place_are_near_those_of_an_exponential_time(size: int, percent: int) -> None:
    """With probability rho^K the wait is that time, of 10 ms; fitted by two moments, within a tenth."""
    exact = 0.01 * log(0.8**size / (1 - percent / 100))
    assert told(ONE, f"response_p{percent}", size=str(size)) == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize("full", ["wait", "lost"])
def test_work_of_several_classes_that_frees_places_is_a_queue_of_sorts_of_times(full: str) -> None:
    sorts = (ServiceTime(share=10 / 11, mean=0.002, scv=1.0), ServiceTime(share=1 / 11, mean=0.04, scv=0.0))
    drain = '{ phase = 2, drains = "store", station = "path", time = "2 ms" }'
    text = ONE.replace('full = "wait"', f'full = "{full}"').replace('"400/s"', '"100/s"')
    text += f'[classes.large]\narrival_rate = "rate / 10"\nsteps = [ {{ fill = "store" }}, {drain} ]\n'.replace(
        '"2 ms"', '"40 ms", scv = 0'
    )
    share = m_g_1_outside(110.0, sorts, 4).full if full == "wait" else m_g_1_k(110.0, sorts, 4).blocked
    assert told(text, "found_full('store')", ITERATED, size="4") == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("full", ["wait", "lost"])
def test_a_buffer_that_is_never_full_changes_nothing(full: str, servers: int) -> None:
    """Whatever the spread of the work that frees its places, and however many do it."""
    text = ONE.replace('full = "wait"', f'full = "{full}"').replace("path = {}", f"path = {{ servers = {servers} }}")
    text = text.replace('"2 ms"', '"2 ms", scv = 3')
    without = text.replace('{ fill = "store" }', "{ delay = 0 }").replace('drains = "store", ', "")
    without = without.replace(text[text.index("[buffers]") : text.index("[stations]")], "")
    own = {"wanted": ITERATED, "rate": f"{250 * servers}/s"}
    expected = told(without, "queue_length('path')", **own)
    assert told(text, "queue_length('path')", size="3000", **own) == pytest.approx(expected, rel=1e-9)


def test_a_place_is_taken_until_the_work_that_frees_it_whatever_follows() -> None:
    """Indices of an M/M/1 queue of work: those who left it there go on, and keep no place."""
    text = """
qnet = 1
title = "A log, and more to do"
[stations]
front = {}
drain = {}
back = {}
[buffers]
log = { places = 60 }
[classes.a]
arrival_rate = "4/s"
steps = [
  { station = "front", time = "50 ms" },
  { fill = "log" },
  { station = "drain", time = "70 ms", phase = 2, drains = "log" },
  { station = "back", time = "0.2 s" },
]
"""
    assert told(text, "occupancy('log')") == pytest.approx(0.28 / 0.72, rel=1e-9)


@pytest.mark.parametrize("size", ["1000", "10000", "100000"])
def test_more_buffer_moves_the_time_to_fill_and_not_the_limit(size: str) -> None:
    """At 500/s reads leave 2 - 0.7 x 500 x 5 ms = 0.25 of the two paths."""
    told_at = partial(told, LOSING, wanted=ITERATED, size=size, rate="500/s")
    assert told_at("throughput('write')") == pytest.approx(0.25 / 0.01)
    assert told_at("drain_rate('store')") == pytest.approx(25)
    assert told_at("time_to_fill('store')") == pytest.approx(float(size) / (150 - 25))


def test_where_all_wait_the_limit_is_that_of_the_drain_whatever_the_size() -> None:
    """A write and a read together ask 0.7 x 5 + 0.3 x 10 ms of two paths."""
    limit = 2 / 0.0065
    for size in ("10", "10000"):
        below = with_settings(model_of(WAITING), {"size": size, "rate": f"{limit * 0.999}/s"})
        above = with_settings(model_of(WAITING), {"size": size, "rate": f"{limit * 1.001}/s"})
        assert solve_points(below, asked=ITERATED).stable
        assert not solve_points(above, asked=ITERATED).stable


def test_a_buffer_drained_where_few_have_room_is_as_its_markov_chain() -> None:
    """A place is freed by a second visit to a station that may be full itself."""
    text = """
qnet = 1
title = "A log that is written where its users are served"
[stations]
disk = { capacity = 4 }
[buffers]
log = { places = 8, full = "lost" }
[classes.a]
arrival_rate = "0.99/s"
steps = [
  { fill = "log" },
  { station = "disk", time = "0.179 s" },
  { delay = "0.321 s" },
  { station = "disk", time = "0.0897 s", phase = 2, drains = "log", priority = -1 },
]
"""
    model = model_of(text)
    wanted = (AUTO, ITERATED)
    by_states, iterated = (solve_points(model, asked=asked).parts[0].solution for asked in wanted)
    assert (by_states.method, iterated.method) == ("states", "open")
    assert iterated.throughput == pytest.approx(by_states.throughput, rel=2e-3)
    assert iterated.response == pytest.approx(by_states.response, rel=2e-3)


def test_many_points_are_each_as_one() -> None:
    np = pytest.importorskip("numpy")
    model = model_of(LOSING)
    rates = np.array([0.0, 100.0, 300.0, 320.0, 500.0])
    sizes = np.array([5.0, 50.0, 500.0, 4.5, 5e6])
    many = solve_points(model, {"rate": rates, "size": sizes}, 5)
    each = [
        solve_points(model, {"rate": rate, "size": size}, asked=ITERATED)
        for rate, size in zip(rates.tolist(), sizes.tolist(), strict=True)
    ]
    for asked in ("throughput", "response", "occupancy('store')", "found_full('store')"):
        expression = metric(asked, model).expression
        alone = [expression_value(one, expression) for one in each]
        assert expression_value(many, expression) == pytest.approx(alone, rel=1e-9, abs=1e-300)


FAULTS = {
    'fill = "store"': ('fill = "stoer"', "QN212"),
    'drains = "store", ': ("", "QN209"),
    "phase = 2, drains": ("drains", "QN209"),
    'full = "wait"': ('full = "later"', "QN204"),
    "size = 100": ('size = "1 s"', "QN122"),
}


@pytest.mark.parametrize("right", FAULTS)
def test_faults_are_told(right: str) -> None:
    wrong, code = FAULTS[right]
    with pytest.raises(InvalidInput) as caught:
        model_of(WAITING.replace(right, wrong))
    assert code in {problem.code for problem in caught.value.problems}


def test_closed_classes_beside_open_ones_are_refused() -> None:
    with pytest.raises(NotComputed, match="QN555"):
        other = '\n[classes.other]\npopulation = 3\nsteps = [ { delay = "1 s" } ]\n'
        solve_points(model_of(QUEUE + other), asked=ITERATED)
