"""Work that closed customers leave behind: what of it is there on their return, the unit of time, and the capacity."""

import importlib
from math import exp, log1p, sqrt
from typing import Any

import pytest

from qnet.networks.closed.first_come import FirstComeBatch
from qnet.networks.closed.return_times import Absence, still_there
from qnet.networks.closed.second_phase import Left, waits_with_second_phases

np: Any = importlib.import_module("numpy")


def one(value: float) -> Any:
    """Of one network with one station and one class."""
    return np.full((1, 1, 1), value)


def transform(scv: float, rate: float) -> float:
    """E[e^(-rate L)] of a piece of mean 1: a mixture of two Erlang distributions, or of two exponential ones."""
    if scv > 1:
        fast = (1 + sqrt((scv - 1) / (scv + 1))) / 2
        return sum(share * 2 * share / (2 * share + rate) for share in (fast, 1 - fast))
    low = int(1 / scv + 1e-9)
    fewer, more = ((1 + rate / stages) ** -stages for stages in (low, low + 1))
    part = (1 / low - scv) / (1 / low - 1 / (low + 1))
    return (1 - part) * fewer + part * more


@pytest.mark.parametrize("away", [0.01, 0.5, 3.0])
@pytest.mark.parametrize("scv", [0.1, 0.25, 0.4, 0.7, 1.0, 2.5])
def test_after_an_exponential_absence_the_rest_of_a_piece_is_known(scv: float, away: float) -> None:
    """E[(L - A)+] = E[L] - E[min(L, A)], and E[min(L, A)] is the share 1 - E[e^(-L / A)] of the mean absence."""
    piece = 0.2
    mean = away * piece
    absence = Absence(one(mean), one(mean**2), one(log1p(away)), np.zeros((1, 1, 1, 1)))
    found = still_there(absence, one(piece), one(scv), one(1.0), one(1.0), one(0.0))
    assert found[0, 0, 0] == pytest.approx(1 - away * (1 - transform(scv, 1 / away)), rel=1e-9)


def test_after_a_constant_absence_an_exponential_piece_is_there_with_its_tail() -> None:
    absence = Absence(one(0.3), one(0.0), one(1.5), np.zeros((1, 1, 1, 1)))
    assert still_there(absence, one(0.2), one(1.0), one(1.0), one(1.0), one(0.0))[0, 0, 0] == pytest.approx(exp(-1.5))


def lines(unit: float, left: float) -> FirstComeBatch:
    """Ten customers who spend 0.05 units at a station and leave some more to do there."""
    return FirstComeBatch(
        demands=one(0.05 * unit), visits=one(1.0), weight=one(0.05 * unit), stretch=one(1.0), excess=one(0.0),
        memory=one(0.05 * unit), open_load=np.zeros((1, 1)), open_rest=np.zeros((1, 1)),
        population=np.full((1, 1), 10.0), think_time=np.zeros((1, 1)),
        left=Left(one(left * unit), one(left * unit), one(0.3 * left * unit)),
    )  # fmt: skip


@pytest.mark.parametrize("absent", [0.0, 0.3])
@pytest.mark.parametrize("unit", [1e-9, 1e-4, 1.0, 1e6])
def test_waits_with_second_phases_have_no_favourite_unit(unit: float, absent: float) -> None:
    def waits(unit: float) -> list[float]:
        batch = lines(unit, 0.03)
        found = waits_with_second_phases(
            batch, batch.left, one(unit), np.full((1, 1), 10 / unit), one(absent * unit), one(0.2 * unit)
        )
        return [float(value.sum()) / unit for value in found]

    assert waits(unit) == pytest.approx(waits(1.0), rel=1e-9)
    assert all(value > 0 for value in waits(1.0))


@pytest.mark.parametrize("absent", [0.0, 0.1, 2.0])
@pytest.mark.parametrize("left", [0.01, 0.2])
def test_a_customer_alone_waits_for_the_rest_of_its_last_piece_only(left: float, absent: float) -> None:
    """With probability L / (L + A) an exponential piece lasts longer than the absence, and as long again then."""
    batch = lines(1.0, left).replace(population=np.ones((1, 1)), left=Left(one(left), one(left), one(0.0)))
    found = waits_with_second_phases(batch, batch.left, one(0.1), np.full((1, 1), 1.0), one(absent), one(0.0))
    assert found.customers[0, 0, 0] == pytest.approx(left * left / (left + absent), rel=1e-12)


@pytest.mark.parametrize(("left", "possible"), [(0.04, True), (0.06, False)])
def test_a_station_does_what_customers_leave_behind_as_well(left: float, possible: bool) -> None:
    """At ten passages per second customers take half of its time: nine or eleven tenths with what they leave."""
    assert lines(1.0, left).feasible(one(1.0)).tolist() == [possible]
