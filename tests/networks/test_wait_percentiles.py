"""Percentiles of the wait at one station: against closed forms, Markov chains of what arrivals find, and refusals."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

import qnet
from qnet.errors import NotComputed
from qnet.expression import ExpressionError, check, parse
from qnet.system import System
from qnet.units import TIME

HEAD = 'qnet = 1\ntitle = "t"\n[parameters]\nrate = "3/s"\n'
OPEN = (
    HEAD + '[stations]\na = { servers = 2 }\nb = { discipline = "ps" }\n[classes.io]\narrival_rate = "rate"\nsteps = ['
)
FED = OPEN + '{ station = "b", time = "0.1 s" }, { station = "a", visits = 2, time = "0.25 s" } ]\n'
LINE = HEAD + "[stations]\na = { servers = 2 }\nb = {}\n[classes.io]\npopulation = 6\nsteps = ["
LINE += ' { station = "a", time = "0.25 s" }, { station = "b", time = "0.1 s" } ]\n'
BOTH = HEAD + '[stations]\na = {}\n[classes.io]\narrival_rate = "rate"\nsteps = [ { station = "a", time = "0.1 s" } ]\n'
BOTH += '[classes.jobs]\npopulation = 3\nthink_time = "0.5 s"\nsteps = [ { station = "a", time = "0.1 s" } ]\n'


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], System]:
    def written(text: str) -> System:
        path = tmp_path / "model.toml"
        path.write_text(text)
        return qnet.load(str(path))

    return written


def longer(stages: Sequence[float], rate: float, time: float) -> float:
    """The probability that a sum of exponential times takes longer, where `stages[k]` is that of k of them."""
    term, ended, result = exp(-rate * time), 0.0, 0.0
    for count, probability in enumerate(stages):
        result += probability * ended
        ended += term
        term *= rate * time / (count + 1)
    return result


# A station of a network with feedback and shared service elsewhere waits like the same station alone.
@pytest.mark.parametrize("percent", [50, 80, 99])
def test_arrivals_of_open_classes_wait_as_at_the_station_alone(percent: int, load: Callable[[str], System]) -> None:
    alone = qnet.queue("M/M/c", arrival_rate=6, service_time=0.25, servers=2)
    assert alone.wait_percentile
    expected = alone.wait_percentile(percent / 100)
    assert load(FED).metric(f"wait_p{percent}('a')") == pytest.approx(expected, rel=1e-12)


def test_a_sweep_has_the_figures_of_its_points(load: Callable[[str], System]) -> None:
    system = load(FED)
    swept = system.sweep("rate=1/s,3/s,5/s", metric=["wait_p90_a"])
    points = [system.set(rate=f"{rate}/s").metric("wait_p90('a')") for rate in (1, 3)]
    assert swept.columns["wait_p90_a_s"].tolist()[:2] == pytest.approx(points, rel=1e-12)
    assert swept.records()[2]["wait_p90_a_s"] is None
    assert {row["exactness"] for row in swept.records()[:2]} == {"exact"}


def test_copies_with_unequal_shares_are_a_mixture(load: Callable[[str], System]) -> None:
    text = FED.replace("a = { servers = 2 }", "a = { copies = 2, split = [0.7, 0.3] }").replace("visits = 2, ", "")
    time = load(text).metric("wait_p80('a')")
    waits = [(share, share * 3 * 0.25) for share in (0.7, 0.3)]
    left = sum(share * load * exp(-(1 - load) * time / 0.25) for share, load in waits)
    assert left == pytest.approx(0.2, rel=1e-9)


def test_a_closed_class_finds_what_its_chain_says(load: Callable[[str], System]) -> None:
    """The states of the chain, each as likely on arrival at `a` as a service ends at `b` in it."""
    weights = [1.0]
    for present in range(1, 7):
        weights.append(weights[-1] * 10 / (4 * min(present, 2)))
    found = [weight * 10 for weight in weights[:6]]  # with all six at `a` nothing arrives
    stages = [sum(found[:2]), *found[2:]]
    time = load(LINE).metric("wait_p80('a')")
    assert longer([item / sum(found) for item in stages], 8, time) == pytest.approx(0.2, rel=1e-9)


def test_open_and_closed_classes_find_what_their_chain_says(load: Callable[[str], System]) -> None:
    """The chain of the numbers of both classes with shared service, which has the same probabilities."""
    most, inside = 250, 4
    size = (most + 1) * inside
    rates = np.zeros((size, size))
    for customers in range(most + 1):
        for jobs in range(inside):
            here = customers * inside + jobs
            moves = {
                here + inside: 3.0 * (customers < most),
                here + 1: (3 - jobs) / 0.5,
                here - inside: 10.0 * customers / max(customers + jobs, 1),
                here - 1: 10.0 * jobs / max(customers + jobs, 1),
            }
            for there, rate in moves.items():
                if rate:
                    rates[here, there] += rate
                    rates[here, here] -= rate
    system = np.vstack([rates.T, np.ones(size)])
    states = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0].reshape(most + 1, inside)
    arriving = states * 3.0 + states * (3 - np.arange(inside)) / 0.5
    numbers = np.add.outer(np.arange(most + 1), np.arange(inside))
    stages = np.bincount(numbers.ravel(), arriving.ravel()) / arriving.sum()
    time = load(BOTH).metric("wait_p80('a')")
    assert longer(stages.tolist(), 10, time) == pytest.approx(0.2, rel=1e-8)


def test_many_customers_are_as_their_limit(load: Callable[[str], System]) -> None:
    """At a station that is not full, many customers arrive like a Poisson stream at the rate of the one that is."""
    text = LINE.replace("a = { servers = 2 }", "a = {}").replace("0.25 s", "0.05 s").replace("= 6", "= 2000")
    assert load(text).metric("wait_p90('a')") == pytest.approx(log(0.5 / 0.1) * 0.1, rel=1e-9)


def test_who_does_not_wait_waits_for_nothing(load: Callable[[str], System]) -> None:
    assert load(FED).set(rate="0.1/s").metric("wait_p50('a')") == 0.0
    assert load(FED.replace("a = { servers = 2 }", "a = { delay = true }")).metric("wait_p99('a')") == 0.0
    assert load(FED).set(rate="0/s").metric("wait_p99('a')") == 0.0


def test_it_is_exact_and_may_be_limited_and_asserted(load: Callable[[str], System]) -> None:
    system = load(FED)
    rate = system.envelope(limit="wait_p80('a') <= 1 s", vary="rate").columns["rate_per_s"].tolist()[0]
    assert system.set(rate=f"{rate}/s").metric("wait_p80('a')") == pytest.approx(1.0, rel=1e-9)
    report = system.solve(metric=["wait_p80('a')"])
    assert report.meta["exactness"] == "exact"
    assert report.notes == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (FED.replace('"0.25 s"', '"0.25 s", scv = 2'), "not exponential"),
        (FED.replace('b = { discipline = "ps" }', "b = {}").replace('"0.1 s"', '"0.1 s", scv = 2'), "no product form"),
        (FED.replace("servers = 2", 'servers = 2, discipline = "ps"'), "not served in order of arrival"),
        (FED.replace("servers = 2", "servers = 2, capacity = 9"), "finite capacities"),
        (OPEN + '{ hold = "b", steps = [ { station = "a", time = "0.1 s" } ] } ]\n', "no product form"),
        (BOTH.replace("a = {}", "a = { servers = 2 }"), "share its servers"),
        (LINE.replace("= 6", "= 5.5"), "not an integer"),
    ],
)
def test_what_is_not_known_is_refused_with_the_reason(text: str, reason: str, load: Callable[[str], System]) -> None:
    with pytest.raises(NotComputed, match=reason) as caught:
        load(text).metric("wait_p80('a')")
    (problem,) = caught.value.problems
    assert problem.code == "QN554"
    assert "wait('a')" in problem.help


def test_a_percentile_without_its_station_is_completed(load: Callable[[str], System]) -> None:
    with pytest.raises(qnet.UsageError) as caught:
        load(FED).metric("wait_p80")
    assert caught.value.problems[0].help == "write wait_p80('a')"


def test_a_percentile_at_an_unknown_station_names_those_that_there_are(load: Callable[[str], System]) -> None:
    system = load(FED.replace('{ discipline = "ps" }', "{}"))
    with pytest.raises(qnet.UsageError) as caught:
        system.metric("wait_p80('b1')")
    suggested = re.findall(r'"([^"]*)"', caught.value.problems[0].help)
    assert suggested == ["wait_p80('b')", "wait_p80('a')"]
    assert all(system.metric(name) >= 0.0 for name in suggested)


def test_only_the_figure_in_a_suggested_percentile_is_replaced():
    with pytest.raises(ExpressionError) as caught:
        check(parse("wait_p80").root, {"wait('waiters')": TIME}, {})
    assert caught.value.help == "write wait_p80('waiters')"
