"""How often the time of parallel steps is computed, and for what."""

from __future__ import annotations

from typing import Any

import pytest

import qnet
from qnet.networks.closed import first_come
from qnet.networks.parallel import closed
from qnet.networks.parallel.closed import Joining


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The rounds of fixed points, the evaluations of parallel steps, and the parts of those with other numbers."""
    result = {"rounds": 0, "joins": 0, "parts": 0}
    image: Any = getattr(first_come, "_image")  # noqa: B009
    extra, part = Joining.extra, Joining.__getitem__

    def round_of(*state: Any) -> Any:
        result["rounds"] += 1
        return image(*state)

    def evaluated(self: Joining, residence: Any) -> Any:
        result["joins"] += 1
        return extra(self, residence)

    def taken(self: Joining, chosen: Any) -> Joining:
        kept = (self.plain.requests, *self.plain.forks) if self.plain else ()
        result["parts"] += sum(len(value) > 1 for record in kept for value in record if getattr(value, "ndim", 0) > 1)
        return part(self, chosen)

    monkeypatch.setattr(first_come, "_image", round_of)
    monkeypatch.setattr(Joining, "extra", evaluated)
    monkeypatch.setattr(Joining, "__getitem__", taken)
    return result


def test_what_is_asked_again_of_a_fixed_point_is_known(counted: dict[str, int]) -> None:
    """Shares, capacities and cycles are those of residences that a round has just had."""
    qnet.load("search-fan-out").solve()
    assert counted["joins"] <= counted["rounds"]


@pytest.mark.long
def test_points_take_from_parallel_steps_what_differs_among_them(counted: dict[str, int]) -> None:
    """Of those with more and more customers the shares of a start, and none of the times of steps."""
    qnet.load("search-fan-out").knee()
    assert 0 < counted["parts"] <= counted["rounds"]


@pytest.mark.long
def test_steps_without_others_inside_are_arrays(counted: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """And last as long as one by one: the evaluations were 432, and 377 of 1106 points; the 387 now are of 716."""
    model = qnet.load("search-fan-out")
    report = model.bottleneck()
    assert counted["joins"] <= 390
    monkeypatch.setattr(closed, "plain", lambda *arguments: None)
    one_by_one = model.bottleneck()
    assert counted["joins"] <= 780
    for ours, theirs in zip(report.records(), one_by_one.records(), strict=True):
        for name, value in ours.items():
            assert value == (pytest.approx(theirs[name], rel=1e-9) if isinstance(value, float) else theirs[name])
