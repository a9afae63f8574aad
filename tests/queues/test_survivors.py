"""Figures that seeded mutants could change unnoticed, against closed forms."""

from __future__ import annotations

import math

import pytest
import sympy  # noqa: TID253

import qnet
from qnet.expression import ExpressionError, parse


def test_vacations_add_their_variance_to_that_of_the_wait_and_of_the_service():
    rate, time, away = 5.0, 0.1, 0.3
    found = qnet.queue(
        "M/G/1-vacations",
        arrival_rate=rate,
        service_time=time,
        scv_service=1.0,
        skewness_service=2.0,
        vacation_time=away,
        scv_vacation=0.0,
    )
    load = rate * time
    # That of M/M/1, and that of the rest of a constant vacation, which is uniform.
    wait = load * (2 - load) * (time / (1 - load)) ** 2 + away**2 / 12
    assert found.variance_of_wait == pytest.approx(wait, rel=1e-12)
    assert found.variance_of_response == pytest.approx(wait + time**2, rel=1e-12)


@pytest.mark.parametrize("share", [0.9, 0.99])
def test_a_percentile_of_the_wait_is_the_same_over_symbols(share: float):
    rate = sympy.Symbol("rate", positive=True)
    symbolic = qnet.queue("M/M/c", arrival_rate=rate, service_time=0.1, servers=2).wait_percentile
    number = qnet.queue("M/M/c", arrival_rate=15.0, service_time=0.1, servers=2)
    assert symbolic is not None and number.wait_percentile is not None
    chance = number.probability_of_waiting
    wanted = math.log(chance / (1 - share)) / (20.0 - 15.0)
    assert number.wait_percentile(share) == pytest.approx(wanted, rel=1e-12)
    assert float(symbolic(share).subs(rate, 15)) == pytest.approx(wanted, rel=1e-9)


def test_a_fault_of_the_syntax_is_where_it_stands_behind_blanks():
    with pytest.raises(ExpressionError) as caught:
        parse("   1 + * 2")
    assert caught.value.column == "   1 + * 2".index("*")


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("M/M/1", {}),
        ("M/M/c", {"servers": 3}),
        ("GI/M/1", {"scv_arrival": 0.5}),
        ("GI/M/1", {"scv_arrival": 3.0}),
        ("M/D/1", {}),
        ("M/Ek/1", {"phases": 3}),
    ],
)
def test_those_who_do_not_wait_have_no_wait(kind: str, more: dict[str, float]):
    found = qnet.queue(kind, arrival_rate=5.0, service_time=0.1, **more)
    assert found.wait_percentile is not None
    none = 1 - found.probability_of_waiting
    assert found.wait_percentile(0.99 * none) == 0.0
    assert found.wait_percentile(none + 0.01 * (1 - none)) > 0.0


@pytest.mark.parametrize("kind", ["M/G/1-priority", "M/G/1-preemptive"])
def test_without_arrivals_a_response_is_the_service_of_the_first_class(kind: str):
    found = qnet.queue(kind, arrival_rate=[0.0, 0.0], service_time=[0.2, 0.3], scv_service=[1.0, 1.0])
    assert found.response == pytest.approx(0.2, rel=1e-12)
    assert found.wait == 0.0


@pytest.mark.parametrize("scv", [0.0, 0.5, 1.0, 3.0])
def test_a_longer_service_is_interrupted_more_often(scv: float):
    found = qnet.queue(
        "M/G/1-preemptive", arrival_rate=[2.0, 1.0], service_time=[0.2, 0.3], scv_service=[1.0, scv],
        skewness_service=[2.0, 2.0],
    )  # fmt: skip
    high, low = found.classes
    above, service = 0.4, scv * 0.3**2
    # The wait of the second class grows by rho / (1 - rho) of its service: Var R = Var W + Var S + 2 Cov(W, S).
    more = low.variance_of_response - low.variance_of_wait
    assert more == pytest.approx(service * (1 + 2 * above / (1 - above)), rel=1e-9, abs=1e-12)
    assert high.variance_of_response == pytest.approx((0.2 / (1 - 0.4)) ** 2, rel=1e-9)
