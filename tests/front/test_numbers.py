"""What a number is: one rule for arguments, demands, stations, parameters, rows and models of data."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy  # noqa: TID253
from many import many

import qnet
from qnet.real import real

NUMBERS = [2, 2.0, True + 1, np.float64(2), np.float32(2), np.int8(2), np.array(2.0), Decimal(2), Fraction(2),
           sympy.Integer(2), sympy.Float(2.0)]  # fmt: skip
WRONG = [True, np.bool_(True), 2j, np.complex128(2), np.datetime64("2020-01-01"), object(), np.ma.masked]
OTHERS = [*WRONG, None, False, np.array([2.0]), b"2", "x", sympy.I]
MODEL = {
    "title": "t", "parameters": {"rate": "1/s"}, "stations": {"cpu": {}},
    "classes": {"a": {"arrival_rate": "rate", "steps": [{"station": "cpu", "time": "0.1 s"}]}},
}  # fmt: skip
SYSTEM = qnet.loads(MODEL)


def by_dict(value: Any) -> float:
    return qnet.loads({**MODEL, "parameters": {"rate": "1/s * factor", "factor": value}}).metric("throughput")


def by_argument(value: Any) -> float:
    changes = [row["change"] for row in SYSTEM.bottleneck(faster=value).records() if row["change"]]
    return float(changes[0].removesuffix(" times as fast"))


def by_row(value: Any) -> float:
    (row,) = SYSTEM.map_rows([{"rate": value}], metric="throughput")
    return row["throughput_per_s"]


DOORS: dict[str, Callable[[Any], float]] = {
    "demand": lambda value: qnet.Network([[value]], population=[1]).solve().response[0],
    "population": lambda value: qnet.Network([[1.0]], population=[value]).solve().response[0],
    "station": lambda value: qnet.queue("M/M/1", arrival_rate=value, service_time=0.1).throughput,
    "parameter": lambda value: SYSTEM.set(rate=value).metric("throughput"),
    "row": by_row,
    "argument": by_argument,
    "dict": by_dict,
}


@pytest.mark.parametrize("value", NUMBERS, ids=lambda value: type(value).__name__)
def test_a_number_of_any_kind_is_its_float(value: Any):
    assert real(value) == 2.0
    assert type(real(value)) is float


@many("door", DOORS)
@many("value", NUMBERS)
def test_every_door_takes_it(door: str, value: Any):
    assert DOORS[door](value) == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: type(value).__name__)
def test_what_is_no_number_is_none(value: Any):
    assert real(value) is None


@many("door", ["demand", "population", "station", "parameter", "argument"])
@many("value", WRONG)
def test_no_door_takes_it(door: str, value: Any):
    with pytest.raises(qnet.QnetError):
        DOORS[door](value)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(10**400, math.inf), (-(10**400), -math.inf), (Fraction(10**400), math.inf), (Decimal("-1e999"), -math.inf)],
)
def test_a_number_beyond_a_float_is_infinite(value: Any, wanted: float):
    assert real(value) == wanted


def test_a_number_that_fails_is_none():
    class Failing:
        def __float__(self) -> float:
            raise ValueError

    class Endless:
        def __float__(self) -> float:
            raise OverflowError

    assert real(Failing()) is None
    assert real(Endless()) is None
    assert real(Decimal("sNaN")) is None
    assert math.isnan(real(Decimal("NaN")) or 0.0)


def test_a_masked_cell_is_an_empty_one():
    for column in (np.ma.array([1.0, 2.0], mask=[0, 1]), [1.0, np.ma.masked]):
        table = SYSTEM.map({"rate": column}, metric="throughput")
        assert list(table["status"]) == ["ok", "rate is empty"]


def test_a_masked_element_is_no_number_of_a_station():
    for rates in (np.ma.array([1.0, 2.0], mask=[0, 1]), [1.0, np.ma.masked]):
        with pytest.raises(qnet.UsageError, match="arrival_rate is masked"):
            qnet.queue("M/M/1", arrival_rate=rates, service_time=0.1)


def test_a_sweep_without_a_grid_is_refused():
    with pytest.raises(qnet.UsageError, match="no grid is given"):
        SYSTEM.sweep()


@pytest.mark.parametrize("customers", [None, np.ma.masked, [1]])
def test_customers_are_classes_and_chains(customers: Any):
    with pytest.raises(qnet.UsageError, match="customers are"):
        SYSTEM.with_customers(customers)
