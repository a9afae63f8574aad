"""Stations that become one another, and independent solutions by other means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from full import long_but

from qnet.errors import UsageError
from qnet.queues.stations.m_d_c import _by_roots
from qnet.queues.stations.m_d_c import walk as _walk
from qnet.queues.stations.queue import queue

A = {"arrival_rate": 80.0, "service_time": 0.02}
KEYS = ("queue_length", "wait", "response", "probability_of_waiting", "variance_of_wait", "variance_of_response")


def same(one, other, tolerance=1e-9, keys=KEYS):
    for key in keys:
        first, second = getattr(one, key), getattr(other, key)
        if first is not None and second is not None:
            assert first == pytest.approx(second, rel=tolerance, abs=1e-15), key
    for share in (0.5, 0.9, 0.999):
        for key in ("wait_percentile", "response_percentile"):
            first, second = getattr(one, key), getattr(other, key)
            if first is not None and second is not None:
                assert first(share) == pytest.approx(second(share), rel=max(tolerance, 1e-8), abs=1e-12), key


def test_room_without_end():
    same(queue("M/M/c/K", **A, servers=3, capacity=3000), queue("M/M/c", **A, servers=3))


def test_one_server():
    one = {"arrival_rate": 40.0, "service_time": 0.02}
    plain = queue("M/M/1", **one)
    same(queue("M/M/c", **one, servers=1), plain)
    same(queue("M/Ek/1", **one, phases=1), plain)
    same(queue("M/H2/1", **one, scv_service=1), plain)
    same(queue("GI/M/1", **one, scv_arrival=1), plain)
    same(queue("M/G/1", **one, scv_service=1, skewness_service=2), plain)
    same(queue("M[X]/M/1", **one, batch_size=1), plain, keys=("wait", "probability_of_waiting"))
    same(queue("M/M/1/K", **one, capacity=2000), plain)
    for kind in ("kraemer-langenbach-belz", "allen-cunneen", "whitt"):
        same(queue("GI/G/1", **one, scv_arrival=1, scv_service=1, approximation=kind), plain, keys=("wait",))


@pytest.mark.parametrize("service", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("arrival", [0.3, 1.0, 1.7, 6.0])
def test_the_correction_of_kraemer_and_langenbach_belz(arrival: float, service: float):
    """As printed, with one expression where arrivals vary less than those of a Poisson stream and one for more."""
    load, spread = 0.8, arrival + service
    if arrival < 1:
        correction = math.exp(-2 * (1 - load) * (1 - arrival) ** 2 / (3 * load * spread))
    else:
        correction = math.exp(-(1 - load) * (arrival - 1) / (arrival + 4 * service))
    found = queue("GI/G/1", arrival_rate=40.0, service_time=0.02, scv_arrival=arrival, scv_service=service)
    assert found.wait == pytest.approx(0.02 * load / (1 - load) * spread / 2 * correction, rel=1e-12)


@pytest.mark.parametrize("servers", [1, 3])
def test_the_correction_of_whitt_is_a_power_of_how_far_both_spreads_are_below_one(servers: int):
    """Of equal spreads c of arrivals and services: of 2 (1 - c), so that its logarithm falls in proportion."""
    load = {"arrival_rate": 35.0 * servers, "service_time": 0.02, "servers": servers}
    markov = queue("M/M/c", **load).wait
    falls: list[float] = []
    for spread in (0.1, 0.5, 0.9):
        wait = queue("GI/G/c", **load, scv_arrival=spread, scv_service=spread).wait
        falls.append(math.log(wait / (markov * spread)) / (1 - spread))
    assert falls == pytest.approx([falls[0]] * 3, rel=1e-9) and falls[0] < 0


def test_constant_service():
    one = {"arrival_rate": 40.0, "service_time": 0.02}
    same(queue("M/D/c", **one, servers=1), queue("M/D/1", **one))
    same(queue("M/Ek/1", **one, phases=400), queue("M/D/1", **one), 0.01)
    states = [queue("M/D/c", **one, servers=1).state_probability(n) for n in range(8)]
    assert states[1] == pytest.approx(0.2 * (math.exp(0.8) - 1), rel=1e-12)


@pytest.mark.parametrize("size", [2.5, 1.2])
def test_batches_vary_no_less_than_whole_numbers_must(size: float):
    """The least is that of the two whole numbers beside the mean, with which nothing need be said of the scv."""
    least = (size - int(size)) * (1 - size + int(size)) / size**2
    one = {"arrival_rate": 20.0, "service_time": 0.02, "batch_size": size}
    same(queue("M[X]/M/1", **one, scv_batch=least), queue("M[X]/M/1", **one), keys=("wait",))
    assert queue("M[X]/M/1", **one, scv_batch=1.001 * least).wait > queue("M[X]/M/1", **one).wait
    with pytest.raises(UsageError, match="no integer distribution"):
        queue("M[X]/M/1", **one, scv_batch=0.999 * least)


def test_erlang_phases_in_one_order():
    waits = [queue("M/Ek/1", arrival_rate=40.0, service_time=0.02, phases=k).wait for k in (1, 2, 5, 50)]
    assert waits == sorted(waits, reverse=True)


def test_many_sources_are_poisson():
    many = queue("Engset", source_rate=160 / 1e6, service_time=0.02, servers=4, sources=1_000_000)
    loss = queue("Erlang B", arrival_rate=160.0, service_time=0.02, servers=4)
    assert many.blocking == pytest.approx(loss.blocking, rel=1e-5)
    waiting = queue("M/M/c/K/N", source_rate=80 / 1e6, service_time=0.02, servers=3, sources=1_000_000)
    same(waiting, queue("M/M/c", **A, servers=3), 1e-4, ("wait", "probability_of_waiting"))


def test_total_and_source_rate_are_one_thing():
    by_source = queue("M/M/c/K/N", source_rate=13.0, service_time=0.02, servers=2, sources=9, capacity=5)
    by_total = queue(
        "M/M/c/K/N", arrival_rate=by_source.arrival_rate, service_time=0.02, servers=2, sources=9, capacity=5
    )
    same(by_source, by_total)


@pytest.mark.parametrize(
    ("servers", "offered"), long_but([(2, 1.0), (2, 1.8), (5, 4.5), (20, 18.5)], (2, 1.0), (20, 18.5))
)
def test_constant_service_by_roots_and_by_the_walk(servers: int, offered: float):
    walk, roots = _walk(servers, offered), _by_roots(servers, offered)
    assert (walk.mean, walk.second) == pytest.approx(roots[:2], rel=1e-9)
    assert -math.expm1(-walk.reached) == pytest.approx(roots[2], rel=1e-9)


@pytest.mark.parametrize(("servers", "offered"), [(2, 1.2), (3, 2.7), (6, 5.0)])
def test_constant_service_against_the_embedded_chain(servers: int, offered: float):
    # Iterate the number in the system one service time apart: max(Q - c, 0) + Poisson(a).
    size = 400
    arrivals = np.array([math.exp(-offered + n * math.log(offered) - math.lgamma(n + 1)) for n in range(80)])
    states = np.eye(size)[0]
    for _ in range(1500):
        left = np.concatenate([[states[: servers + 1].sum()], states[servers + 1 :]])
        following = np.convolve(left, arrivals)[:size]
        change = abs(states - following).max()
        states = following
        if change < 1e-15:
            break
    found = queue("M/D/c", arrival_rate=offered, service_time=1.0, servers=servers)
    for n in (0, 1, servers, servers + 3, 3 * servers):
        assert found.state_probability(n) == pytest.approx(states[n], rel=1e-8)
    assert found.number_waiting == pytest.approx(sum(max(n - servers, 0) * p for n, p in enumerate(states)), rel=1e-8)


def test_priorities_keep_the_work():
    rates, times = [10.0, 20.0, 5.0], [0.01, 0.02, 0.03]
    second = sum(rate * 2 * time**2 for rate, time in zip(rates, times, strict=True)) / sum(rates)
    mean = sum(rate * time for rate, time in zip(rates, times, strict=True)) / sum(rates)
    plain = queue("M/G/1", arrival_rate=sum(rates), service_time=mean, scv_service=second / mean**2 - 1)
    found = queue("M/G/1-priority", arrival_rate=rates, service_time=times, scv_service=1)
    # Kleinrock's conservation law: the sum of rho_i W_i does not depend on the order.
    kept = sum(item.utilization * item.wait for item in found.classes)
    assert kept == pytest.approx(found.utilization * plain.wait, rel=1e-12)
    alone = queue("M/G/1", arrival_rate=10.0, service_time=0.01, scv_service=1)
    preempting = queue("M/G/1-preemptive", arrival_rate=rates, service_time=times, scv_service=1)
    assert preempting.classes[0].response == pytest.approx(alone.response, rel=1e-12)
    one = queue("M/G/1-priority", arrival_rate=[10.0], service_time=[0.01], scv_service=1)
    assert one.response == pytest.approx(alone.response, rel=1e-12)


def test_preemption_of_exponential_classes_of_one_mean_keeps_the_number():
    found = queue("M/G/1-preemptive", arrival_rate=[20.0, 15.0], service_time=0.02, scv_service=1)
    assert found.queue_length == pytest.approx(queue("M/M/1", arrival_rate=35.0, service_time=0.02).queue_length)


def test_batches_of_one_size_are_erlang_arrivals_of_work():
    # All of a batch of k exponential customers: the wait of its first is that of M/Ek/1 with k phases.
    batch = queue("M[X]/M/1", arrival_rate=30.0, service_time=0.02, batch_size=3)
    integer = queue("M/Ek/1", arrival_rate=10.0, service_time=0.06, phases=3)
    assert batch.wait == pytest.approx(integer.wait + 0.02, rel=1e-12)


def test_gi_m_1_root_solves_its_equation():
    for scv, transform in (
        (0.0, lambda s: math.exp(-s / 40)),
        (0.5, lambda s: (1 + s / 80) ** -2),
        (0.25, lambda s: (1 + s / 160) ** -4),
    ):
        found = queue("GI/M/1", arrival_rate=40.0, service_time=0.02, scv_arrival=scv)
        busy = found.probability_of_waiting
        assert transform((1 - busy) / 0.02) == pytest.approx(busy, rel=1e-13)


@pytest.mark.parametrize("load", [1e-9, 1e-6, 1e-3, 0.03])
@pytest.mark.parametrize("scv", [0.0, 0.1, 0.25, 0.5, 1.0, 1.5, 50.0])
def test_hardly_anybody_waits_for_gi_m_1_at_a_light_load(load, scv):
    """s = E[exp(-(1 - s) A / S)], repeated from 0: the share that waits is small, and has all of its digits."""
    lean = math.sqrt(max(scv - 1, 0) / (scv + 1))
    branches = ((1 + lean) / 2, (1 - lean) / 2)

    def transform(at):
        if scv == 0:
            return math.exp(-at / load)
        if scv <= 1:
            return math.exp(-math.log1p(scv * at / load) / scv)
        return sum(share * 2 * share * load / (2 * share * load + at) for share in branches)

    busy = 0.0
    for _ in range(100):
        busy = transform(1 - busy)
    found = queue("GI/M/1", arrival_rate=load / 0.02, service_time=0.02, scv_arrival=scv)
    assert found.probability_of_waiting == pytest.approx(busy, rel=1e-12, abs=1e-300)
    assert found.wait == pytest.approx(0.02 * busy / (1 - busy), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("load", [1e-9, 1e-3, 0.05, 0.3, 0.9])
def test_a_number_that_is_hardly_ever_present_has_all_of_its_digits(load):
    """M/M/1 as M/H2/1 and M/Ek/1."""
    one = {"arrival_rate": load, "service_time": 1.0}
    for name, more in (("M/H2/1", {"scv_service": 1.0}), ("M/Ek/1", {"phases": 1})):
        found = queue(name, **one, **more).state_probability
        for number in (1, 3, 6, 15, 30):
            assert found(number) == pytest.approx((1 - load) * load**number, rel=1e-12, abs=1e-200), (name, number)


def test_kingman_is_above_the_exact_answer():
    for scv in (0.0, 0.5, 1.0, 3.0):
        for rate in (5.0, 25.0, 45.0, 49.0):
            exact = queue("GI/M/1", arrival_rate=rate, service_time=0.02, scv_arrival=scv)
            bound = queue(
                "GI/G/1", arrival_rate=rate, service_time=0.02, scv_arrival=scv, scv_service=1, approximation="kingman"
            )
            assert bound.exactness == "bound"
            assert bound.wait >= exact.wait


def test_approximations_are_exact_for_poisson_arrivals():
    for kind in ("kraemer-langenbach-belz", "allen-cunneen"):
        found = queue("GI/G/1", arrival_rate=40.0, service_time=0.02, scv_arrival=1, scv_service=3, approximation=kind)
        assert found.wait == pytest.approx(queue("M/G/1", arrival_rate=40.0, service_time=0.02, scv_service=3).wait)
        assert found.exactness == "approximate"


def test_constant_service_approximation_is_near():
    for servers, load in ((2, 0.8), (10, 0.9), (50, 0.95)):
        point = {"arrival_rate": servers * load, "service_time": 1.0, "servers": servers}
        exact = queue("M/D/c", **point).wait
        assert queue("GI/G/c", **point, scv_arrival=1, scv_service=0).wait == pytest.approx(exact, rel=0.03)


def test_sharing_has_the_mean_of_one_server():
    point = {"arrival_rate": 40.0, "service_time": 0.02}
    assert queue("M/G/1-PS", **point).response == pytest.approx(queue("M/M/1", **point).response)


def test_vacations_that_vanish():
    point = {"arrival_rate": 40.0, "service_time": 0.02, "scv_service": 2.0}
    gone = queue("M/G/1-vacations", **point, vacation_time=1e-15)
    assert gone.wait == pytest.approx(queue("M/G/1", **point).wait)
