"""Proof of the oracle: closed forms, Little's law, and its simulation against its chains.

A tenth of these chains are solved, all with `QNET_FULL=1`; of the others it is kept what they said.
"""

from __future__ import annotations

from itertools import product
from math import factorial, inf, prod

import pytest

from . import Answer, TooLarge, Unsupported, exact, load, simulated, simulation, solve, sparse
from .models import HEAD, MODELS, answer

pytestmark = pytest.mark.sliced


def model(stations: str, classes: str) -> Answer:
    return exact(load(text(stations, classes)))


def text(stations: str, classes: str) -> str:
    return f'qnet = 1\ntitle = "t"\n[stations]\n{stations}\n{classes}'


def open_class(name: str, rate: float, steps: str, more: str = "") -> str:
    return f'[classes.{name}]\narrival_rate = "{rate}/s"\n{more}\nsteps = [{steps}]\n'


def closed_class(name: str, population: int, think: float, steps: str, more: str = "") -> str:
    return f'[classes.{name}]\npopulation = {population}\nthink_time = "{think} s"\n{more}\nsteps = [{steps}]\n'


def visit(station: str, time: float, more: str = "") -> str:
    return f'{{ station = "{station}", time = "{time!r} s"{", " + more if more else ""} }}'


def erlang_c(servers: int, load: float) -> float:
    waiting = load**servers / factorial(servers) * servers / (servers - load)
    return waiting / (sum(load**n / factorial(n) for n in range(servers)) + waiting)


@pytest.mark.parametrize("discipline", ["fcfs", "ps", "lcfs-pr", "priority", "preemptive"])
def test_one_server_of_any_discipline(discipline: str) -> None:
    found = model(f's = {{ discipline = "{discipline}" }}', open_class("c", 0.7, visit("s", 1.0)))
    assert found.response["c"] == pytest.approx(1 / 0.3, rel=1e-9)
    assert found.utilization["s"] == pytest.approx(0.7, rel=1e-9)


@pytest.mark.parametrize("discipline", ["fcfs", "ps", "lcfs-pr", "preemptive"])
def test_several_servers(discipline: str) -> None:
    found = model(f's = {{ servers = 3, discipline = "{discipline}" }}', open_class("c", 2.0, visit("s", 1.0)))
    assert found.response["c"] == pytest.approx(1 + erlang_c(3, 2.0) / (3 - 2), rel=1e-9)


@pytest.mark.parametrize("scv", [0.1, 0.5, 0.7, 1.0, 4.0])
def test_service_that_varies(scv: float) -> None:
    found = model("s = {}", open_class("c", 0.5, visit("s", 1.0, f"scv = {scv}")))
    assert found.wait["s"] == pytest.approx(0.5 * (1 + scv) / 2 / 0.5, rel=1e-9)


def test_places_of_a_full_station() -> None:
    found = model("s = { servers = 2, capacity = 4 }", open_class("c", 3.0, visit("s", 1.0)))
    weights = [3.0**n / prod(min(k, 2) for k in range(1, n + 1)) for n in range(5)]
    assert found.throughput["c"] == pytest.approx(3.0 * (1 - weights[4] / sum(weights)), rel=1e-12)
    number = sum(n * weight for n, weight in enumerate(weights)) / sum(weights)
    assert found.response["c"] == pytest.approx(number / found.throughput["c"], rel=1e-12)
    assert found.offered["c"] == 3.0


def test_machine_repair_and_engset() -> None:
    weights = [prod((6 - k) / min(k + 1, 2) for k in range(n)) * 0.5**n for n in range(7)]
    idle = sum((6 - n) * weight for n, weight in enumerate(weights)) / sum(weights)
    found = model("s = { servers = 2 }", closed_class("c", 6, 2.0, visit("s", 1.0)))
    assert found.throughput["c"] == pytest.approx(idle / 2.0, rel=1e-12)
    weights = [prod((6 - k) / (k + 1) for k in range(n)) * 0.5**n for n in range(3)]
    found = model("s = { servers = 2, capacity = 2 }", closed_class("c", 6, 2.0, visit("s", 1.0)))
    busy = sum(n * weight for n, weight in enumerate(weights)) / sum(weights)
    assert found.throughput["c"] == pytest.approx(busy, rel=1e-12)
    assert found.response["c"] == pytest.approx(1.0, rel=1e-12)


def test_closed_product_form() -> None:
    """Two classes at a shared processor, a queue of two servers and a delay: by brute force."""
    demands = {"a": (3, 0.5, (0.4, 0.3)), "b": (2, 1.0, (0.2, 0.3))}
    steps = {name: ", ".join([visit("p", times[0]), visit("q", times[1])]) for name, (_, _, times) in demands.items()}
    classes = "".join(closed_class(name, n, z, steps[name]) for name, (n, z, _) in demands.items())
    found = model('p = { discipline = "ps" }\nq = { servers = 2 }', classes)

    def constant(people: dict[str, int]) -> float:
        spots = [[(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)] for n in people.values()]
        total = 0.0
        for way in product(*spots):
            weight = 1.0
            for at in range(2):
                present = sum(item[at] for item in way)
                weight *= factorial(present)
                if at == 1:
                    weight /= prod(min(k, 2) for k in range(1, present + 1))
            for item, name in zip(way, people, strict=True):
                think, times = demands[name][1:]
                for count, time in zip(item, (*times, think), strict=True):
                    weight *= time**count / factorial(count)
            total += weight
        return total

    for name in demands:
        fewer = {other: n - (other == name) for other, (n, _, _) in demands.items()}
        whole = {other: n for other, (n, _, _) in demands.items()}
        assert found.throughput[name] == pytest.approx(constant(fewer) / constant(whole), rel=1e-11)


def test_priorities_without_interruption() -> None:
    """Cobham (1954)."""
    classes = open_class("high", 0.3, visit("s", 1.0), "priority = 1") + open_class("low", 0.25, visit("s", 1.0))
    found = model('s = { discipline = "priority" }', classes)
    remaining = 0.55
    assert found.response["high"] == pytest.approx(1 + remaining / 0.7, rel=1e-8)
    assert found.response["low"] == pytest.approx(1 + remaining / (0.7 * 0.45), rel=1e-8)


@pytest.mark.long
def test_priorities_with_interruption() -> None:
    classes = open_class("high", 0.3, visit("s", 1.0), "priority = 1") + open_class("low", 0.5, visit("s", 0.5))
    found = model('s = { discipline = "preemptive" }', classes)
    assert found.response["high"] == pytest.approx(1 / 0.7, rel=1e-8)
    low = (0.5 + (0.3 * 1 + 0.5 * 0.25) / 0.45) / 0.7
    assert found.response["low"] == pytest.approx(low, rel=1e-8)


@pytest.mark.long
def test_two_branches() -> None:
    """Flatto and Hahn (1984), Nelson and Tantawi (1988): (12 - rho) / 8 times an M/M/1 queue."""
    fork = f"{{ parallel = [ {{ steps = [{visit('a', 1.0)}] }}, {{ steps = [{visit('b', 1.0)}] }} ] }}"
    found = model("a = {}\nb = {}", open_class("c", 0.3, fork))
    assert found.response["c"] == pytest.approx((12 - 0.3) / 8 / 0.7, rel=1e-8)


def test_queues_in_a_row() -> None:
    found = model("a = {}\nb = { servers = 2 }", open_class("c", 0.5, visit("a", 1.0) + ", " + visit("b", 2.0)))
    assert found.response["c"] == pytest.approx(2 + 2 + erlang_c(2, 1.0) * 2 / (2 - 1), rel=1e-8)


def test_work_left_behind_by_one_customer() -> None:
    steps = visit("s", 11e-6) + ', { delay = "165 us" }, ' + visit("s", 25e-6, "phase = 2")
    found = model("s = {}", closed_class("c", 1, 0.0, steps))
    assert found.throughput["c"] == pytest.approx(1 / 201e-6, rel=1e-9)


def test_an_open_class_beside_one_customer() -> None:
    """The server never idles: the closed class gets what the open one leaves."""
    classes = open_class("o", 0.2, visit("s", 2.0)) + closed_class("c", 1, 0.0, visit("s", 1.0))
    assert model("s = {}", classes).throughput["c"] == pytest.approx(0.6, rel=1e-8)


@pytest.mark.parametrize("discipline", ["fcfs", "ps", "lcfs-pr", "priority", "preemptive"])
@pytest.mark.parametrize("servers", [1, 2])
def test_utilization_law(discipline: str, servers: int) -> None:
    """Servers that are busy are the throughput times the service time, whatever else is there."""
    steps = visit("s", 0.3, "scv = 3, visits = 1.4") + ", " + visit("t", 0.2)
    classes = closed_class("a", 3, 1.0, steps, "priority = 1") + closed_class("b", 2, 0.0, visit("s", 0.7, "scv = 0.4"))
    heeds = discipline in ("priority", "preemptive")
    classes = classes if heeds else classes.replace("priority = 1", "")
    found = model(f's = {{ servers = {servers}, discipline = "{discipline}" }}\nt = {{}}', classes)
    busy = found.throughput["a"] * 1.4 * 0.3 + found.throughput["b"] * 0.7
    assert found.utilization["s"] * servers == pytest.approx(busy, rel=1e-9)
    assert found.utilization["t"] == pytest.approx(found.throughput["a"] * 0.2, rel=1e-9)


@pytest.mark.long
def test_all_ways_to_solve_a_chain_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = load(HEAD + MODELS["hot"])
    found = []
    for dense, cheap in ((10_000, 0.0), (0, inf), (0, 0.0)):
        monkeypatch.setattr(sparse, "DENSE", dense)
        monkeypatch.setattr(sparse, "CHEAP", cheap)
        found.append(exact(asked).queue_length)
    assert found[1] == pytest.approx(found[0], rel=1e-11)
    assert found[2] == pytest.approx(found[0], rel=1e-11)


@pytest.mark.long
def test_constant_times_are_simulated() -> None:
    asked = load(text("s = {}", open_class("c", 0.5, visit("s", 1.0, "scv = 0"))))
    with pytest.raises(Unsupported, match="constant"):
        exact(asked)
    found = solve(asked, seconds=0.5)
    assert found.kind == "simulation"
    assert found.response["c"] == pytest.approx(1.5, abs=1.5 * found.width("response", "c"))


def test_too_many_states() -> None:
    asked = load(text("s = {}", closed_class("c", 20, 1.0, visit("s", 1.0))))
    with pytest.raises(TooLarge):
        exact(asked, max_states=10)
    assert simulated(asked, 0.3).kind == "simulation"


FIGURES = ("throughput", "response", "station_throughput", "utilization", "queue_length", "wait", "occupancy")


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_the_simulation_agrees_with_the_chain(name: str) -> None:
    found, drawn = answer(name), simulated(load(HEAD + MODELS[name]), 10.0, 1, 12_000)
    for figure in FIGURES:
        assert figure == "response" or getattr(found, figure).keys() == getattr(drawn, figure).keys()
        for key, value in getattr(found, figure).items():
            assert getattr(drawn, figure)[key] == pytest.approx(value, abs=2 * drawn.width(figure, key) + 1e-9), key


def test_those_who_are_last_in_a_stack_for_most_of_a_run_settle_nothing() -> None:
    """Twenty customers last come first served, who hardly ever leave it empty: the first of them see little of it."""
    crowd = "".join(closed_class(name, 10, 5.0, visit("s", 1.0)) for name in "ab")
    stack = load(text('s = { discipline = "lcfs-pr" }', crowd))
    assert set(simulated(stack, 10.0, 1, 20_000).unsettled) == {"a", "b"}
    line = load(text("s = {}", crowd))
    assert simulated(line, 10.0, 1, 20_000).unsettled == ()


@pytest.mark.long
def test_more_work_than_can_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = load(text("s = {}", open_class("c", 1.2, visit("s", 1.0))))
    with pytest.raises(TooLarge, match="steady"):
        exact(asked)
    with pytest.raises(Unsupported, match="steady"):
        simulated(asked, 10.0, 1, 50_000)
    monkeypatch.setattr(simulation, "MOST_PRESENT", 1000)
    with pytest.raises(Unsupported, match="steady"):
        solve(asked, seconds=60.0)
