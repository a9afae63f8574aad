"""Chains of the model language: against `Network.from_routing`, Markov chains of all states, and ordinary classes."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from many import many
from routing_oracles import Network, Table, balanced, floats, open_traffic, random_routing

import qnet
from qnet.documents import parse
from qnet.errors import InvalidInput, NoAnswer
from qnet.model.load import build
from qnet.model.model import Model
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import Wanted
from qnet.questions.points.domain import Domain
from qnet.questions.points.points import solve_points
from qnet.questions.solve.solve import solve_report

np: Any = importlib.import_module("numpy")

STATES = [("a", "first"), ("b", "first"), ("a", "second"), ("b", "second")]
"""As the oracles count: station by station, and class by class."""

Times = list[list[Fraction]]


def model_of(text: str, discipline: str = "ps") -> Model:
    head = f'qnet = 1\ntitle = "A chain"\n[stations]\nfirst = {{ discipline = "{discipline}" }}\n'
    return build(parse((head + text).encode(), "model.toml"), "model.toml")


def rows(routing: Table, names: list[str]) -> str:
    """A routing as the language says it."""
    return "\n".join(
        f"{name} = {{ " + ", ".join(f'{to} = "{chance}"' for to, chance in zip(names, row, strict=True)) + " }"
        for name, row in zip(names, routing, strict=True)
    )


def classes(service: Times, other: str = "") -> str:
    first, second = service
    return "".join(
        f'{name} = {{ service = {{ first = "{first[kind]} * 1 s", second = "{second[kind]} * 1 s" }} }}\n{other}'
        for kind, name in enumerate("ab")
    )


def named(state: tuple[str, str]) -> str:
    return ".".join(state)


def times(seed: int) -> Times:
    source = random.Random(seed)
    return [[Fraction(source.randint(1, 20), source.randint(1, 9)) for _ in range(2)] for _ in range(2)]


def solved(text: str) -> RoutedSolution:
    return solve_points(model_of(text)).parts[0].solution


def by_state(solution: RoutedSolution, figure: str) -> list[float]:
    """A figure of the classes of the chain at the stations, in the order of the oracles."""
    found = {(item.class_name, item.name): getattr(item, figure) for item in solution.visits if item.chain == "session"}
    return [found[state] for state in STATES]


def flat(table: Any) -> list[float]:
    return [float(value) for row in table for value in row]


def by_station(routing: list[list[float]], stations: int = 2) -> list[Any]:
    """A routing between states as (K, R, K, R) for two classes."""
    return [
        [[[routing[2 * k + r][2 * j + s] for s in range(2)] for j in range(stations)] for r in range(2)]
        for k in range(stations)
    ]


@many("seed", range(4))
@pytest.mark.parametrize("servers", [1, 2])
def test_a_closed_chain_is_as_the_balance_of_all_states_says(seed: int, servers: int):
    routing, service = random_routing(seed, 4), times(seed)
    exact = balanced(Network(routing, service, [[1], [1, 2][:servers]], [(3, [0, 1])]))
    found = solved(f"""
        second = {{ discipline = "ps", servers = {servers} }}
        [chains.session]
        population = 3
        reference = "first"
        [chains.session.classes]
        {classes(service)}
        [chains.session.routing]
        {rows(routing, [named(state) for state in STATES])}""")
    assert found.exact
    assert by_state(found, "queue_length") == pytest.approx(flat(exact.queue_length), rel=1e-12)
    assert by_state(found, "throughput") == pytest.approx(flat(exact.throughput), rel=1e-12)
    passages = float(sum(exact.throughput[0]))
    assert found.classes[0].throughput == pytest.approx(passages, rel=1e-12)
    assert found.classes[0].response == pytest.approx(3 / passages, rel=1e-12)


@many("seed", range(4))
def test_thinking_is_a_delay_that_the_response_leaves_out(seed: int):
    """Two ways to think: without a class, and as the second class; both together are the passages."""
    names = ["think", "b.think", *(named(state) for state in STATES)]
    routing, service = random_routing(seed, 6), times(seed)
    found = solved(f"""
        second = {{ discipline = "ps" }}
        [chains.session]
        population = 9
        think_time = "11 s"
        [chains.session.classes]
        a.service = {{ first = "{service[0][0]} * 1 s", second = "{service[1][0]} * 1 s" }}
        b.service = {{ first = "{service[0][1]} * 1 s", second = "{service[1][1]} * 1 s", think = "7 s" }}
        [chains.session.routing]
        {rows(routing, names)}""")
    asked = qnet.Network.from_routing(
        [[11, 7], *floats(service)],
        by_station(floats(routing), 3),
        population=[9, 0],
        kinds=["delay", "queue", "queue"],
        disciplines="ps",
    ).solve()
    thinking = sum(asked.residence[0])
    (chain,) = found.classes
    assert chain.throughput == pytest.approx(asked.throughput[0], rel=1e-12)
    assert chain.think_time == pytest.approx(thinking, rel=1e-12)
    assert chain.response == pytest.approx(asked.response[0] - thinking, rel=1e-12)
    assert chain.throughput * (chain.response + chain.think_time) == pytest.approx(9, rel=1e-12)
    for figure in ("residence", "queue_length", "utilization"):
        assert by_state(found, figure) == pytest.approx(flat(getattr(asked, figure)[1:]), rel=1e-12)


@many("seed", range(4))
def test_an_open_chain_is_as_its_traffic_equations_say(seed: int):
    routing, service = random_routing(seed, 4, leaving=True), times(seed)
    entrance = [Fraction(1, 4), Fraction(3, 4), Fraction(0), Fraction(0)]
    visits = open_traffic(routing, entrance)
    load = max(sum(v * t for v, t in zip(visits[k : k + 2], service[k // 2], strict=True)) for k in (0, 2))
    rate = Fraction(4, 5) / load
    table = [[Fraction(0), *entrance], *([1 - sum(row), *row] for row in routing)]
    found = solved(f"""
        second = {{ discipline = "ps" }}
        [chains.session]
        arrival_rate = "{rate} * 1/s"
        [chains.session.classes]
        {classes(service)}
        [chains.session.routing]
        {rows(table, ["outside", *(named(state) for state in STATES)])}""")
    arrivals = [[float(rate * value) for value in entrance[k : k + 2]] for k in (0, 2)]
    asked = qnet.Network.from_routing(
        floats(service), by_station(floats(routing)), arrivals=arrivals, disciplines="ps"
    ).solve()
    assert found.exact and found.method == "open"
    assert found.throughput == pytest.approx(float(rate))
    assert found.response == pytest.approx(asked.response[0], rel=1e-12)
    assert by_state(found, "throughput") == pytest.approx([float(rate * value) for value in visits], rel=1e-12)
    for figure in ("residence", "queue_length", "utilization"):
        assert by_state(found, figure) == pytest.approx(flat(getattr(asked, figure)), rel=1e-12)


@many("seed", range(8))
def test_an_open_chain_in_order_of_arrival_is_followed_from_station_to_station(seed: int):
    """Its arrivals at a station are not Poisson, and how they vary depends on where they come from."""
    routing, service = random_routing(seed, 4, leaving=True), times(seed)
    entrance = [Fraction(1, 4), Fraction(3, 4), Fraction(0), Fraction(0)]
    visits = open_traffic(routing, entrance)
    load = max(sum(v * t for v, t in zip(visits[k : k + 2], service[k // 2], strict=True)) for k in (0, 2))
    rate = Fraction(4, 5) / load
    table = [[Fraction(0), *entrance], *([1 - sum(row), *row] for row in routing)]
    text = f"""
        second = {{ discipline = "fcfs" }}
        [chains.session]
        arrival_rate = "{rate} * 1/s"
        [chains.session.classes]
        {classes(service)}
        [chains.session.routing]
        {rows(table, ["outside", *(named(state) for state in STATES)])}"""
    found = solve_points(model_of(text, "fcfs"), asked=Wanted("qna")).parts[0].solution
    arrivals = [[float(rate * value) for value in entrance[k : k + 2]] for k in (0, 2)]
    asked = qnet.Network.from_routing(floats(service), by_station(floats(routing)), arrivals=arrivals).solve("qna")
    assert found.method == asked.method == "qna"
    assert asked.response == pytest.approx([found.response], rel=1e-9)
    assert by_state(found, "residence") == pytest.approx(flat(asked.residence), rel=1e-9)


OPEN_AND_CLOSED = """
second = { discipline = "ps" }
away = { delay = true }
[classes.report]
arrival_rate = "0.02/s"
steps = [ { station = "first", time = "2 s" }, { station = "second", time = "5 s" } ]
[chains.session]
population = 4
reference = "away"
[chains.session.classes]
a.service = { first = "1 s", away = "30 s" }
b.service = { first = "3 s", second = "4 s" }
[chains.session.routing]
a.away = { a.first = 1 }
a.first = { b.first = "1/3", a.away = "2/3" }
b.first = { b.second = 1 }
b.second = { b.first = 0.25, a.away = 0.75 }
[chains.parcel]
arrival_rate = "0.01/s"
classes = { small = { service = { first = "1 s" } }, large = { service = { first = "6 s" } } }
[chains.parcel.routing]
outside = { small.first = 0.5, large.first = 0.5 }
small.first = { large.first = 0.2, outside = 0.8 }
large.first = { outside = 1 }
"""


def test_chains_stand_beside_each_other_and_beside_classes():
    """Visits by hand: the closed chain b.first 4/9, b.second 4/9; the open one 0.5 small, 0.6 large."""
    found = solved(OPEN_AND_CLOSED)
    ninths = 4 / 9
    asked = qnet.Network(
        [[2, 1 + 3 * ninths, 0.5 + 0.6 * 6], [5, 4 * ninths, 0], [0, 30, 0]],
        kinds=["queue", "queue", "delay"],
        population=[None, 4, None],
        arrival_rate=[0.02, None, 0.01],
        disciplines="ps",
    ).solve()
    assert found.exact
    assert [item.name for item in found.classes] == ["report", "session", "parcel"]
    assert [item.response for item in found.classes] == pytest.approx(list(asked.figures.response), rel=1e-12)
    assert [item.throughput for item in found.classes] == pytest.approx(list(asked.figures.throughput), rel=1e-12)


def test_every_law_holds_with_chains():
    found = solved(OPEN_AND_CLOSED)
    for station in found.stations:
        own = [item for item in found.visits if item.label == station.label]
        assert sum(item.throughput for item in own) == pytest.approx(station.throughput)
        assert sum(item.queue_length for item in own) == pytest.approx(station.queue_length)
        assert sum(item.utilization or 0 for item in own) == pytest.approx(station.utilization or 0)
    for customers in found.classes:
        own = [item for item in found.visits if customers.name in (item.class_name, item.chain)]
        assert sum(item.residence for item in own) == pytest.approx(customers.response)
        queued = sum(item.queue_length for item in own)
        assert queued == pytest.approx(customers.throughput * customers.response)
        for item in own:
            assert item.queue_length == pytest.approx(customers.throughput * item.residence)


def test_flow_is_balanced_in_every_state():
    found = solved(OPEN_AND_CLOSED)
    rate = {(item.class_name, item.name): item.throughput for item in found.visits if item.chain == "session"}
    assert rate["a", "first"] == pytest.approx(rate["a", "away"])
    assert rate["b", "first"] == pytest.approx(rate["a", "first"] / 3 + rate["b", "second"] / 4)
    assert rate["b", "second"] == pytest.approx(rate["b", "first"])
    assert rate["a", "away"] == pytest.approx(rate["a", "first"] * 2 / 3 + rate["b", "second"] * 3 / 4)


VARIED = """
second = { discipline = "ps", servers = 2 }
third = {}
[parameters]
turn = { value = 0.25, range = [0, 1] }
[chains.session]
KIND
[chains.session.classes]
a.service = { first = "1 s", third = "2 s" }
b.service = { first = "2 s", second = "6 s" }
[chains.session.routing]
HOME = { a.first = "1 - turn / 2", b.first = "turn / 2" }
a.first = { b.first = "turn", a.third = "(1 - turn) / 2", HOME = "(1 - turn) / 2" }
a.third = { a.first = 0.5, HOME = 0.5 }
b.first = { b.second = 1 }
b.second = { b.first = "turn / 2", HOME = "1 - turn / 2" }
"""


@pytest.mark.parametrize(
    ("kind", "home"),
    [('population = 5\nthink_time = "9 s"', "think"), ('arrival_rate = "0.08/s"', "outside")],
    ids=["closed", "open"],
)
def test_a_batch_of_probabilities_is_each_of_its_points(kind: str, home: str):
    """At the ends ways are closed: nobody turns, or everybody does."""
    model = model_of(VARIED.replace("KIND", kind).replace("HOME", home))
    values = np.array([0.0, 0.25, 0.5, 1.0, 0.25])
    (part,) = solve_points(model, {"turn": values}, 5).parts
    for point, value in enumerate(values):
        alone = solve_points(model, {"turn": float(value)}).parts[0].solution
        for one, all_points in zip(alone.visits, part.solution.visits, strict=True):
            for figure in ("throughput", "residence", "queue_length", "utilization"):
                whole = np.broadcast_to(getattr(all_points, figure), (5,))
                assert whole[point] == pytest.approx(getattr(one, figure), rel=1e-12, abs=1e-15)
        assert part.solution.response[point] == pytest.approx(alone.response, rel=1e-12)


def test_a_chain_of_one_class_is_a_class():
    (alone,) = solved("""
        [classes.job]
        population = 6
        think_time = "4 s"
        steps = [ { station = "first", time = "1 s", visits = 2.5 } ]""").classes
    (chain,) = solved("""
        [chains.job]
        population = 6
        think_time = "4 s"
        classes = { only = { service = { first = "1 s" } } }
        routing = { think = { only.first = 1 }, only.first = { only.first = 0.6, think = 0.4 } }""").classes
    assert (chain.throughput, chain.response) == pytest.approx((alone.throughput, alone.response), rel=1e-14)


def test_copies_share_the_visits_of_every_class():
    found = solved("""
        disk = { copies = 4, split = { hot = 1, share = 0.4 }, discipline = "ps" }
        [chains.session]
        arrival_rate = "1/s"
        classes = { a = { service = { disk = "0.5 s" } }, b = { service = { disk = "1 s" } } }
        routing = { outside = { a.disk = 1 }, a.disk = { b.disk = 0.5, outside = 0.5 }, b.disk = { outside = 1 } }""")
    rates = {(item.class_name, item.label): item.throughput for item in found.visits if item.throughput}
    assert rates == pytest.approx(
        {("a", "disk[1]"): 0.4, ("a", "disk[2-4]"): 0.6, ("b", "disk[1]"): 0.2, ("b", "disk[2-4]"): 0.3}
    )


@pytest.mark.parametrize(
    ("station", "services", "reason"),
    [
        ("", ('"1 s"', '"1 s"'), ()),
        ("", ('"1 s"', '"2 s"'), ("second: service times differ between its visits",)),
        ("", ('{ time = "1 s", scv = 0 }', '"1 s"'), ("second: service times are not exponential",)),
        ('discipline = "ps"', ('{ time = "1 s", scv = 0 }', '"2 s"'), ()),
    ],
)
def test_a_chain_is_exact_where_its_stations_have_product_form(
    station: str, services: tuple[str, str], reason: tuple[str, ...]
):
    """The only station that is visited: a customer who comes back by chance is no single visit of an M/G/1."""
    found = solved(
        f"""
        second = {{ {station} }}
        [chains.session]
        arrival_rate = "0.1/s"
        [chains.session.classes]
        a.service = {{ second = {services[0]} }}
        b.service = {{ second = {services[1]} }}
        [chains.session.routing]
        outside = {{ a.second = 0.5, b.second = 0.5 }}
        a.second = {{ b.second = 0.5, outside = 0.5 }}
        b.second = {{ outside = 1 }}""".replace("first = ", "unused = ")
    )
    assert found.reasons == reason
    assert found.exact == (not reason)


def test_probabilities_may_rest_on_the_solution():
    """Who meets a busy station is sent away: the share that stays is the share of time it is idle."""
    found = solved("""
        [chains.session]
        arrival_rate = "0.5/s"
        classes = { a = { service = { first = "1 s" } }, b = { service = { first = "0 s" } } }
        [chains.session.routing]
        outside = { a.first = "1 - utilization('first')", b.first = "utilization('first')" }
        a.first = { outside = 1 }
        b.first = { outside = 1 }""")
    assert found.stations[0].utilization == pytest.approx(1 / 3, rel=1e-9)


AGAIN = """
[parameters]
again = { value = 0.5, range = [0, 1] }
[chains.job]
population = 5
think_time = "1 s"
classes = { a = { service = { first = "1 ms" } } }
routing = { think = { a.first = 1 }, a.first = { a.first = "again", think = "1 - again" } }
"""


def test_searches_end_where_customers_would_be_stranded():
    domain = Domain(model_of(AGAIN), "again", {})
    assert domain.allows(0, 0.999) and not domain.allows(0, 1.0)
    assert domain.end(0, 0.5, 1.0) == pytest.approx(1.0, rel=1e-9)


def test_a_point_of_a_batch_where_customers_are_stranded_is_told():
    model = model_of(AGAIN)
    with pytest.raises(InvalidInput, match=r"customers in a.first never come back to think where again = 1; .*QN231"):
        solve_points(model, {"again": np.array([0.5, 0.25, 1.0])}, 3)


def test_too_many_arrivals_of_a_chain_have_no_steady_state():
    text = OPEN_AND_CLOSED.replace('"0.01/s"', '"0.24/s"')
    assert not solved(text).stable
    with pytest.raises(NoAnswer, match="first"):
        solve_report(model_of(text))


def test_one_point_needs_no_numpy():
    script = "import sys; from qnet.model.load import load; from qnet.questions.points.points import solve_points; "
    script += "solve_points(load(sys.argv[1])); print('numpy' in sys.modules)"
    example = str(Path(__file__).parents[2] / "examples" / "web-shop.toml")
    run = subprocess.run([sys.executable, "-c", script, example], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
