"""Many stations that are alike: as any others, without the price of each."""

from __future__ import annotations

import pytest

from qnet.lazy import np
from qnet.networks.closed import convolution, convolution_arrays, mva
from qnet.networks.closed.problem import closed_network


@pytest.mark.parametrize("think", [0.0, 2.0])
def test_the_copies_that_exceed_the_customers_are_joined_at_once(think: float) -> None:
    demands = [[0.3], *[[0.01]] * 50]
    points = [closed_network(demands, [count], [think]) for count in (1, 7, 30)]
    exact = [mva.solve(point) for point in points]
    batch = convolution.solve(closed_network(demands, [[1], [7], [30]], [think]))
    for index, (point, wanted) in enumerate(zip(points, exact, strict=True)):
        found = convolution.solve(point)
        assert found.throughput == pytest.approx(wanted.throughput, rel=1e-13)
        assert [row[0] for row in found.residence] == pytest.approx([row[0] for row in wanted.residence], rel=1e-12)
        assert batch.throughput[index] == pytest.approx(wanted.throughput, rel=1e-13)
        assert batch.residence[index, :, 0].tolist() == pytest.approx([row[0] for row in wanted.residence], rel=1e-12)
        assert batch.log_constant[index] == pytest.approx(wanted.log_constant, rel=1e-12)


def test_no_copy_is_joined_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    filtered = convolution_arrays.filtered
    monkeypatch.setattr(convolution_arrays, "filtered", lambda *arguments: calls.append(1) or filtered(*arguments))
    demands = np.full((6, 2000, 1), 1e-3) * np.linspace(1.0, 2.0, 6)[:, None, None]
    convolution.solve(closed_network(demands, [[5]], [1.0]))
    assert len(calls) < 5


def test_variants_without_demand_at_a_queue_are_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    demands = np.full((40, 3, 1), 0.2) * np.linspace(1.0, 2.0, 40)[:, None, None]
    demands[::2, 1] = 0.0
    asked = closed_network(demands, [[5]], [1.0])
    alone = [mva.solve(asked.point(index)) for index in range(40)]
    monkeypatch.setattr(type(asked), "point", lambda *_: pytest.fail("a variant is solved by itself"))
    found = convolution.solve(asked)
    assert found.throughput[:, 0].tolist() == pytest.approx([item.throughput[0] for item in alone], rel=1e-13)
    assert found.residence[:, 1, 0].tolist() == pytest.approx([item.residence[1][0] for item in alone], rel=1e-12)
