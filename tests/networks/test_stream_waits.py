"""What one request waits, of the time that its class spends at the station."""

from __future__ import annotations

from typing import Any

import pytest

from qnet.expression import FLOATS, arrays
from qnet.lazy import np
from qnet.networks.duration import Duration, Wait
from qnet.networks.streams import Stream, stream_wait

ONE = Stream(
    station="cpu", group=0, class_index=0, route="", rate=1.0, first=Duration(1.0), second=Duration(),
    holding=Duration(1.0), priority=0, scv=None, holder="", holders=0, inside=(),
)  # fmt: skip


def waited(spent: Any, ordered: bool, faster: bool = False, operations: Any = FLOATS) -> Wait:
    """The wait of a class that comes twice and is served for 2 s altogether."""
    return stream_wait(ONE, spent, 2.0 + 0.0 * spent, 2.0, ordered, faster, operations)


def test_a_wait_in_order_of_arrival_is_the_same_at_each_visit():
    assert waited(8.0, True) == Wait(3.0, 3.0 * 5.0)


def test_a_wait_beside_others_is_in_proportion_to_the_service():
    assert waited(8.0, False) == Wait(3.0, 3.0 * 5.0)


@pytest.mark.parametrize("ordered", [True, False])
def test_nobody_waits_less_than_nothing(ordered: bool):
    assert waited(1.0, ordered).mean == 0


def test_service_that_more_customers_make_faster_may_take_less_time():
    assert waited(1.0, False, faster=True).mean == -0.5


@pytest.mark.parametrize("ordered", [True, False])
def test_a_wait_without_end_is_no_warning_of_the_arithmetic(ordered: bool):
    """At points without a steady state waits grow beyond what a square is known of."""
    found = waited(np.array([8.0, 1e200]), ordered, operations=arrays())
    assert found.mean == pytest.approx([3.0, 0.5e200])
    assert np.isfinite(found.variance).all()
