"""Percentiles of response: exact for tandem queues, near the exact mixture for a repairman, refused without moments."""

from __future__ import annotations

import importlib
import pickle
from math import exp, expm1, factorial, log, log1p
from pathlib import Path
from typing import Any

import pytest

import qnet
from qnet.errors import InvalidInput, UsageError
from qnet.expression import FLOATS
from qnet.model.metrics import metric
from qnet.networks.percentiles.responses import MixtureRoute, Stage, mixture_percentile, response_percentile
from qnet.networks.percentiles.trust import beyond
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.questions.points.answers import solve_table
from qnet.questions.points.points import solve_points

np: Any = importlib.import_module("numpy")

TANDEM = """
qnet = 1
title = "tandem"
[parameters]
rate = "8/s"
[stations]
first = {}
second = {}
[classes.order]
arrival_rate = "rate"
steps = [ { station = "first", time = "100 ms" }, { station = "second", time = "50 ms" } ]
[outputs]
late = { value = "response_p95", unit = "ms" }
"""
REPAIR = """
qnet = 1
title = "one repairman"
[parameters]
machines = 12
away = "1 s"
[stations]
repair = {}
[classes.machine]
population = "machines"
think_time = "away"
steps = [ { station = "repair", time = "100 ms" } ]
"""


def system(folder, text):
    path = folder / "model.toml"
    path.write_text(text)
    return qnet.load(str(path))


@pytest.mark.parametrize(("name", "share"), [("p10", 0.1), ("p50", 0.5), ("p95", 0.95), ("p99_9", 0.999)])
@pytest.mark.parametrize("rate", [0.01, 4.0, 8.0, 9.9])
def test_tandem_queues_have_the_percentiles_of_two_exponential_times(tmp_path, name, share, rate):
    slow, fast = 10 - rate, 20 - rate
    time = system(tmp_path, TANDEM).set(rate=rate).metric(f"response_{name}")
    within = 1 - (fast * exp(-slow * time) - slow * exp(-fast * time)) / (fast - slow)
    assert within == pytest.approx(share, abs=2e-8)


@pytest.mark.parametrize("share", [1e-5, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99, 0.9999])
def test_the_error_of_inversion_is_that_of_rounding(share):
    once = [MixtureRoute(np.ones(1), (Stage(np.array([0.2]), np.array([0.04])),))]
    assert mixture_percentile(once, share)[0] == pytest.approx(-0.2 * log1p(-share), rel=5e-12 / share + 1e-9)
    # An exponential time with a wait before it that is exponential in half of the cases, by the same distribution.
    rates = (5.0, 2.0)
    time = mixture_percentile([MixtureRoute(np.ones(1), (Stage(0.2, 0.04), Stage(0.25, 0.1875, 1.0)))], share)[0]
    both = (rates[0] * exp(-rates[1] * time) - rates[1] * exp(-rates[0] * time)) / (rates[0] - rates[1])
    later = (exp(-rates[0] * time) + both) / 2
    assert later == pytest.approx(1 - share, abs=5e-12)


CONSTANT = """
qnet = 1
title = "a queue before one of two constant delays"
[parameters]
near = "10 ms"
[stations]
fast = {}
net = { delay = true }
[classes.io]
arrival_rate = "20/s"
[[classes.io.routes]]
name = "near"
probability = 0.7
steps = [ { station = "fast", time = "1 ms" }, { station = "net", time = "near", scv = 0 } ]
[[classes.io.routes]]
name = "far"
probability = 0.3
steps = [ { station = "fast", time = "1 ms" }, { station = "net", time = "40 ms", scv = 0 } ]
"""


@pytest.mark.parametrize("share", [0.001, 0.01, 0.1, 0.5, 0.69, 0.71, 0.9, 0.99, 0.9999])
def test_constant_times_put_off_what_the_others_take(tmp_path, share):
    asked = system(tmp_path, CONSTANT)
    found = asked.metric(f"response_p{100 * share:.10g}".replace(".", "_"))
    within = sum(
        weight * -expm1(-980 * (found - delay)) for weight, delay in ((0.7, 0.01), (0.3, 0.04)) if found > delay
    )
    assert within == pytest.approx(share, abs=1e-10)
    assert asked.solve(percentile=100 * share).records()[-1]["exactness"] == "exact"


def test_hardly_any_of_a_long_time_is_queueing(tmp_path):
    """40 ms and an exponential time of 1/980 s: too little variation for a gamma time, and not normal."""
    asked = system(tmp_path, CONSTANT).set(near="40 ms")
    for share in (0.1, 0.5, 0.99):
        found = asked.metric(f"response_p{100 * share:.10g}")
        assert found == pytest.approx(0.04 - log1p(-share) / 980, rel=1e-10)


def test_a_route_may_be_a_million_times_as_short_as_the_mean():
    routes = [MixtureRoute(0.5 * np.ones(1), (Stage(mean, mean**2),)) for mean in (5e-3, 3600.0)]
    found = mixture_percentile(routes, 1e-4)[0]
    assert found == pytest.approx(-5e-3 * log1p(-2e-4), rel=1e-5, abs=0)


def test_a_batch_answers_as_its_points_do(tmp_path):
    model = system(tmp_path, TANDEM)
    found = solve_table(model, {"rate": [1.0, 8.0, 12.0]}, 3).of(metric("response_p90", model).expression)
    assert found[:2] == pytest.approx([model.set(rate=rate).metric("response_p90") for rate in (1.0, 8.0)], rel=1e-9)
    assert np.isnan(found[2])


def test_an_output_and_a_class_may_ask_for_a_percentile(tmp_path):
    model = system(tmp_path, TANDEM)
    assert model.metric("late") == model.metric("response_p95('order')") == model.metric("response_p95")


@pytest.mark.parametrize(("machines", "away"), [(2, 0.05), (12, 1.0), (12, 5.0), (40, 1.0)])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_the_response_of_a_repairman_is_near_the_exact_mixture(tmp_path, machines, away, share):
    """Exact: Erlang times of as many stages as the machine finds, itself included (Sevcik and Mitrani 1981)."""
    model = system(tmp_path, REPAIR).set(machines=machines, away=away)
    time = model.metric(f"response_p{round(100 * share)}")
    others = machines - 1
    weights = [factorial(others) / factorial(others - n) * (0.1 / away) ** n for n in range(machines)]
    within = sum(weight * erlang(n + 1, time / 0.1) for n, weight in enumerate(weights)) / sum(weights)
    assert within == pytest.approx(share, abs=0.02)


def erlang(stages, time):
    return 1 - sum(exp(-time + n * log(time)) / factorial(n) for n in range(stages)) if time > 0 else 0.0


@pytest.mark.parametrize("stages", [1, 2, 7, 40, 400, 2500])
def test_a_sum_of_equal_exponential_times_is_an_erlang_time(stages):
    """Against the chi-square percentile by bisection of the Poisson sum."""
    part = MixtureRoute(np.array([1.0]), tuple(Stage(np.array([0.01]), np.array([1e-4])) for _ in range(stages)))
    found = float(mixture_percentile([part], 0.9)[0])
    low, high = 0.0, 0.01 * stages * 5 + 0.05
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if poisson_tail(stages, middle / 0.01) < 0.9 else (low, middle)
    assert found == pytest.approx(low, rel=1e-6 if stages <= 400 else 1e-4)


def poisson_tail(least, mean):
    from math import lgamma

    return 1 - sum(exp(n * log(mean) - mean - lgamma(n + 1)) for n in range(least)) if mean > 0 else 0.0


def test_a_mixture_of_routes_is_between_them():
    fast, slow = (Stage(np.array([0.01]), np.array([1e-4])),), (Stage(np.array([1.0]), np.array([1.0])),)
    parts = [MixtureRoute(np.array([9.0]), fast), MixtureRoute(np.array([1.0]), slow)]
    time = float(mixture_percentile(parts, 0.95)[0])
    assert 0.9 * (1 - exp(-time / 0.01)) + 0.1 * (1 - exp(-time)) == pytest.approx(0.95, abs=1e-7)


def test_a_constant_time_has_one_percentile():
    part = MixtureRoute(np.array([1.0]), (Stage(np.array([0.25]), np.array([0.0])),))
    assert float(mixture_percentile([part], 0.99)[0]) == pytest.approx(0.25, rel=1e-12)


def test_more_customers_never_answer_sooner(tmp_path):
    model = system(tmp_path, REPAIR)
    found = solve_table(model, {"machines": np.arange(1.0, 30.0)}, 29).of(metric("response_p95", model).expression)
    assert (np.diff(found) > 0).all()


@pytest.mark.long
def test_many_customers_have_the_percentile_of_a_normal_time(tmp_path):
    """A full repairman: all but a Poisson number of the machines are there (mean away / service time)."""
    machines, away = 10**6, 100.0
    time = system(tmp_path, REPAIR).set(machines=machines, away=away).metric("response_p90")
    mean = 0.1 * machines - away
    deviation = 0.1 * (away / 0.1 + mean / 0.1) ** 0.5
    assert time == pytest.approx(mean + 1.2816 * deviation, rel=1e-4)


def test_the_recursion_agrees_with_state_probabilities(tmp_path):
    """Two servers who are never both needed are one: the same machines, by states and by the recursion."""
    one = system(tmp_path, REPAIR).set(machines=9)
    rates = system(tmp_path, REPAIR.replace("repair = {}", "repair = { rates = [1, 1] }")).set(machines=9)
    assert rates.metric("response_p95") == pytest.approx(one.metric("response_p95"), rel=0.02)


def test_open_customers_in_between_make_closed_ones_slower(tmp_path):
    """A closed class of one customer beside an open one: the customer finds what an M/M/1 queue has."""
    text = REPAIR + '[classes.web]\narrival_rate = "4/s"\nsteps = [ { station = "repair", time = "100 ms" } ]\n'
    mixed = system(tmp_path, text).set(machines=1)
    assert mixed.metric("response_p90('machine')") == pytest.approx(log(10) / (10 - 4), rel=1e-6)


def test_names_that_are_no_percentiles_are_unknown(tmp_path):
    model = system(tmp_path, TANDEM)
    for wrong in ("response_p0", "response_p100", "response_p95('nobody')", "wait_p95"):
        with pytest.raises(UsageError):
            model.metric(wrong)
    with pytest.raises(InvalidInput, match="reserved word"):
        system(tmp_path, TANDEM.replace('rate = "8/s"', 'rate = "8/s"\nresponse_p95 = 3'))


def test_a_chain_passes_through_all_of_its_classes():
    """Of equal exponential times it is between one visit and a passage without any variation."""
    shop = qnet.load(str(Path(__file__).parents[2] / "examples" / "web-shop.toml")).set(visitors=1)
    mean = shop.metric("response('session')")
    assert mean < shop.metric("response_p95('session')") < 4 * mean


@pytest.mark.parametrize("text", [TANDEM, REPAIR], ids=["open", "closed"])
def test_a_solution_with_its_passages_compares_and_pickles(tmp_path, text):
    def solution(**settings):
        return solve_points(system(tmp_path, text).set(**settings)).parts[0].solution

    first = solution()
    again = pickle.loads(pickle.dumps(first))
    assert first == solution() == again
    assert response_percentile(again, 0.95) == response_percentile(first, 0.95)
    changed = {"machines": 13} if text == REPAIR else {"rate": 9}
    assert first != solution(**changed)


@pytest.mark.parametrize(("other", "warned"), [(0.1, False), (0.06, False), (2.0, True)])
def test_what_all_classes_ask_together_is_warned_of_where_it_is_far_from_exponential(other, warned):
    station = Station("one", False, 1, "fcfs", (Group("one", 1, 1.0),))
    classes = tuple(
        OpenClass(name, rate, (Route("way", 1.0, (Hold("one", (Time(mean),)),)),))
        for name, rate, mean in (("a", 2.0, 0.1), ("b", 0.2, other))
    )
    reasons = beyond(RoutedNetwork((station,), classes), FLOATS)
    assert bool(reasons) == warned


@pytest.mark.parametrize("name", ["p0_1", "p10", "p30", "p80", "p95"])
def test_no_response_is_shorter_than_its_constant_service(tmp_path, name):
    """M/D/1 at a load of 0.3, of which seven in ten arrivals do not wait; and of two routes, of which one is long."""
    text = TANDEM.replace(' { station = "second", time = "50 ms" }', "").replace('"100 ms"', '"100 ms", scv = 0')
    one = system(tmp_path, text).set(rate=3).metric(f"response_{name}")
    assert one >= 0.1
    assert name > "p3" or one == 0.1
    share = float(name[1:].replace("_", ".")) / 100
    least = [Stage(mean, 0.0625, least=mean / 2) for mean in (0.25, 16.0)]
    routes = [MixtureRoute(weight, (stage,)) for weight, stage in zip((0.75, 0.25), least, strict=True)]
    time = mixture_percentile([MixtureRoute(np.ones(1) * item.weight, item.stages) for item in routes], share)[0]
    assert time >= (0.125 if share <= 0.75 else 8.0)


def test_constant_times_at_changing_rates_may_take_less(tmp_path):
    text = TANDEM.replace("first = {}", "first = { rates = [4, 5] }").replace('"100 ms"', '"100 ms", scv = 0')
    assert system(tmp_path, text).set(rate=0.1).metric("response_p1") < 0.1


@pytest.mark.parametrize("discipline", ["fcfs", "ps"])
@pytest.mark.parametrize("name", ["p50", "p95"])
def test_a_rate_of_five_is_a_time_of_a_fifth(tmp_path, name, discipline):
    """The median was 0.7 s where the mean is 0.2 s with open classes, and a hundredth of it with closed ones."""
    for text, change in ((TANDEM, {"rate": 3}), (REPAIR, {"machines": 4}), (REPAIR, {"away": 1000})):
        plain = text.replace("first = {}", f"first = {{ discipline = '{discipline}' }}")
        plain = plain.replace("repair = {}", f"repair = {{ discipline = '{discipline}' }}")
        fast = plain.replace("discipline =", "rates = [5], discipline =").replace('"100 ms"', '"500 ms"')
        times = [system(tmp_path, each).set(**change).metric(f"response_{name}") for each in (plain, fast)]
        assert times[1] == pytest.approx(times[0], rel=0.02 if discipline == "fcfs" else 0.3)
