"""Networks without a customer of one class are solved with those without one of the others."""

from __future__ import annotations

from typing import Any

import pytest

import qnet
from qnet.networks.closed import approximate_mva


def _solved(name: str) -> list[float]:
    report = qnet.load(f"examples/{name}.toml").set(**({"users": 30} if name == "priority-batch" else {})).solve()
    return [float(row["response_s"]) for row in report.records() if row["scope"] == "class"]


@pytest.mark.parametrize(("name", "ways"), [("priority-batch", 1), ("short-and-long-jobs", 2)])
def test_a_linearizer_of_two_classes_takes_five_fixed_points(
    name: str, ways: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three core solutions, and between them two with a customer less, of each class; first come first served with and
    without the order of arrival, as one batch."""
    sizes: list[int] = []
    fixed_points = approximate_mva.fixed_points

    def counted(maps: Any, start: Any, *others: Any, **named: Any) -> Any:
        sizes.append(len(start))
        return fixed_points(maps, start, *others, **named)

    monkeypatch.setattr(approximate_mva, "fixed_points", counted)
    together = _solved(name)
    assert sizes[:5] == [ways, 2 * ways, ways, 2 * ways, ways]
    sizes.clear()
    monkeypatch.setattr(approximate_mva, "_CELLS", 1)
    alone = _solved(name)
    assert sizes[:7] == [ways] * 7
    assert together == pytest.approx(alone, rel=1e-12)
