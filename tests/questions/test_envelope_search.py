"""Envelopes against a look at every value, and against formulas, for open, closed and mixed models."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from envelopes import answer, holds, inside, model, points
from full import long_but
from many import many

import qnet
from qnet.cli.inline import inline
from qnet.errors import NoAnswer, NotComputed
from qnet.expression import parse
from qnet.questions.envelope.envelope import crossings, envelope
from qnet.questions.envelope.question import question
from qnet.questions.points.trial import Trial
from qnet.questions.search.steady_range import largest_steady
from qnet.units import format_quantity


def erlang_response(rate: float, time: float, servers: int) -> float:
    """The mean response of M/M/c by the textbook sum."""
    load = rate * time
    terms = [load**number / math.factorial(number) for number in range(servers)]
    last = load**servers / math.factorial(servers) / (1 - load / servers)
    return time + last / (sum(terms) + last) * time / (servers - load)


SERVERS = """[parameters]
rate = "30/s"
servers = 1
speed = 1
[stations]
pool = { servers = "servers" }
[classes.x]
arrival_rate = "rate"
steps = [ { station = "pool", time = "100 ms / speed" } ]
"""


@pytest.mark.parametrize("rate", [0.5, 9.9, 10.0, 30.0, 95.0])
@pytest.mark.parametrize("bound", [101, 110, 150, 1000])
def test_the_smallest_number_of_servers(rate: float, bound: float):
    (point,) = points(SERVERS, "servers", f"response <= {bound} ms", [f"rate={rate}/s"])
    steady = math.floor(rate * 0.1) + 1
    least = next(c for c in range(steady, 999) if erlang_response(rate, 0.1, c) <= bound / 1000)
    assert point.value == (least if least > 1 else 1_000_000)
    if least > 1:
        assert point.binds == ("limit" if least > steady else "saturation of pool")
        assert point.extreme == (steady if steady > 1 else None)


def test_smallest_may_be_asked_for():
    (point,) = points(SERVERS, "servers", "response <= 1 s", ["rate=1/s"], find="smallest")
    assert (point.value, point.binds) == (1, "range of servers")


def test_the_smallest_speed_is_a_root():
    # M/M/1: 1 / (speed / 0.1 - 30) <= 50 ms where speed is at least 0.1 * (30 + 20).
    (point,) = points(SERVERS, "speed", "response <= 50 ms")
    assert point.value == pytest.approx(5, rel=1e-9)
    assert point.extreme == pytest.approx(3, rel=1e-9)
    assert point.binds == "limit"


def test_a_speed_that_the_steady_state_alone_bounds():
    (point,) = points(SERVERS, "speed", "throughput >= 1/s")
    assert point.value == pytest.approx(3, rel=1e-9)
    assert point.binds == "saturation of pool"


TWO = """[parameters]
rate = "1/s"
slow = "100 ms"
[stations]
a = {}
b = {}
[classes.x]
arrival_rate = "rate"
steps = [ { station = "a", time = "50 ms" }, { station = "b", time = "slow" } ]
"""


def test_of_several_limits_each_point_names_the_one_that_binds():
    limits = ["utilization('a') <= 0.3", "utilization('b') <= 0.45", "response <= 1 s"]
    found = points(TWO, "rate", limits, ["slow=10 ms, 100 ms, 900 ms"])
    assert [point.binds for point in found] == limits
    assert [point.value for point in found[:2]] == pytest.approx([6, 4.5], rel=1e-9)
    rate = found[2].value or 0
    assert 0.05 / (1 - 0.05 * rate) + 0.9 / (1 - 0.9 * rate) == pytest.approx(1, rel=1e-9)


def test_limits_from_both_sides():
    (point,) = points(TWO, "rate", ["throughput >= 2/s", "utilization('b') <= 0.5"])
    assert point.intervals == (pytest.approx((2, 5), rel=1e-9),)
    assert (point.value, point.binds) == (pytest.approx(5, rel=1e-9), "utilization('b') <= 0.5")


def test_limits_that_exclude_each_other():
    with pytest.raises(NoAnswer, match=r"no value of .* meets throughput"):
        points(TWO, "rate", ["throughput >= 6/s", "utilization('b') <= 0.5"])


@pytest.mark.parametrize(("limit", "least"), [("response <= 90 ms", 64), ("response >= 400 ms", 4)])
def test_a_figure_that_falls_is_not_told_as_that_of_a_load(limit: str, least: int):
    text = SERVERS.replace("servers = 1", "servers = { value = 4, range = [4, 64] }")
    there = format_quantity(erlang_response(30, 0.1, least), "s")
    with pytest.raises(NoAnswer, match=rf"no value of .*\n.*at best response is {there}, with servers = {least}"):
        points(text, "servers", limit)


BURSTS = """[parameters]
users = { value = 60000, range = [50000, 200000] }
bursts = 1
[stations]
a = { discipline = "ps" }
[classes.x]
population = "users"
think_time = "10000 s"
steps = [ { station = "a", time = "50 ms" } ]
[classes.y]
arrival_rate = "1/s"
arrival_scv = "bursts"
steps = [ { station = "a", time = "50 ms" } ]
"""


def test_a_point_that_is_not_computed_says_so_beside_others():
    """Arrivals in bursts beside closed customers are refused where these are too many for the chain of states."""
    found = answer(BURSTS, "users", "response <= 100 ms", ["bursts=1, 4, 1"])
    alone = answer(BURSTS, "users", "response <= 100 ms", ["bursts=1"]).points[0]
    assert [point.status for point in found.points[::2]] == ["ok", "ok"]
    assert [point.value for point in found.points] == [alone.value, None, alone.value]
    assert "not Poisson" in found.points[1].status
    assert [interval.upper.status for interval in crossings(found)] == [point.status for point in found.points]
    assert list(np.isnan(found.of(parse("response")))) == [False, True, False]
    with pytest.raises(NotComputed):
        answer(BURSTS, "users", "response <= 100 ms", ["bursts=4"])


def random_text(random: Random, kind: str) -> str:
    """A model of some stations with an open class, a closed one, or both."""
    names = ["a", "b", "c"][: random.randint(1, 3)]
    kinds = ["{ discipline = 'ps' }", "{ servers = 2, discipline = 'ps' }", "{ delay = true }"]
    stations = [f"{name} = {random.choice(kinds)}" for name in names]
    stations[0] = f"{names[0]} = {{ discipline = 'ps' }}"

    def steps() -> str:
        return ", ".join(f"{{ station = '{name}', time = '{random.uniform(5, 60):.3f} ms' }}" for name in names)

    text = ["[parameters]", "rate = '2/s'", f"users = {{ value = {random.randint(2, 9)}, range = [0, 60] }}"]
    text += ["[stations]", *stations]
    if kind != "closed":
        text += ["[classes.open]", "arrival_rate = 'rate'", f"steps = [ {steps()} ]"]
    if kind != "open":
        text += ["[classes.closed]", "population = 'users'", f"think_time = '{random.uniform(0, 2):.3f} s'"]
        text += [f"steps = [ {steps()} ]"]
    return "\n".join(text)


@many("seed", range(12))
@pytest.mark.parametrize(
    ("kind", "vary"),
    long_but([("open", "rate"), ("mixed", "rate"), ("mixed", "users"), ("closed", "users")], ("open", "rate")),
)
def test_every_value_is_where_it_is_said_to_be(kind: str, vary: str, seed: int):
    random = Random(f"{kind} {vary} {seed}")
    built = model(random_text(random, kind))
    bound, share = random.uniform(0.05, 0.4), random.uniform(0.3, 0.99)
    limits = [f"response <= {bound} s", f"utilization('a') <= {share}", "throughput >= 0.5/s"]
    limits = random.sample(limits, random.randint(1, 3))
    values = np.arange(0.0, 61.0) if vary == "users" else np.linspace(0.01, 60, 997)
    true = holds(question(built, None, vary, limits), (), values)
    try:
        (point,) = answer(built, vary, limits).points
    except NoAnswer:
        assert not true.any()
        return
    said, close = inside(point, values)
    assert np.all((said == true) | close)


@pytest.mark.long
@many("seed", range(6))
def test_a_grid_says_what_its_points_say(seed: int):
    random = Random(seed)
    built = model(random_text(random, "mixed"))
    together = points(built, "users", "response <= 300 ms", ["rate=0.5/s, 1/s, 2/s"], find="largest")
    for rate, point in zip(("0.5/s", "1/s", "2/s"), together, strict=True):
        alone = answer(built, "users", "response <= 300 ms", [f"rate={rate}"], find="largest").points[0]
        assert alone.intervals == point.intervals
        assert alone.value == point.value


def mean_value_response(users: int, think: float, demands: list[float]) -> float:
    """Reiser and Lavenberg's recursion for one class and single servers."""
    queues = [0.0] * len(demands)
    response = 0.0
    for number in range(1, users + 1):
        times = [demand * (1 + queue) for demand, queue in zip(demands, queues, strict=True)]
        response = sum(times)
        queues = [number / (think + response) * time for time in times]
    return response


@pytest.mark.long
def test_a_first_look_by_an_approximation_decides_nothing():
    """Up to 100,000 customers at many values at once are too many for an exact answer, and few are not."""
    text = """[parameters]
users = { value = 60, range = [0, 100000] }
think = "12 s"
[stations]
cpu = { discipline = "ps" }
disk = { copies = 2 }
[classes.user]
population = "users"
think_time = "think"
steps = [ { station = "cpu", time = "135 ms" }, { station = "disk", time = "96 ms" } ]
"""
    found = points(text, "users", "response <= 2 s", ["think=6 s, 12 s, 50 s"])
    for think, point in zip((6.0, 12.0, 50.0), found, strict=True):
        ((_, high),) = point.intervals
        beside = [mean_value_response(int(high) + more, think, [0.135, 0.048, 0.048]) for more in (0, 1)]
        assert beside[0] <= 2 < beside[1]


@pytest.mark.parametrize("stated", [1, 5, 700])
@pytest.mark.parametrize("limit", [3, 500, 4_000])
def test_the_stated_number_of_customers_does_not_decide_how_far_is_looked(stated, limit):
    """A repairman without thinking answers after as many services as there are customers."""
    network = inline(["repair=1s"], [], [], population=str(stated)).model()
    asked = question(network, None, "population", (f"response <= {limit} s",))
    assert [point.value for point in envelope(asked).points] == [limit]


def test_without_open_load_one_look_shows_that_there_is_a_steady_state(monkeypatch: pytest.MonkeyPatch):
    looks: list[int] = []
    solve = Trial.solve
    monkeypatch.setattr(Trial, "solve", lambda *arguments: looks.append(1) or solve(*arguments))
    trial = Trial(qnet.load("zvm-paging"), "resident", (), {"guests": np.array([1.0, 4.0])}, 2)
    assert trial.closed and not largest_steady(trial).bounded.any()
    assert len(looks) == 1
