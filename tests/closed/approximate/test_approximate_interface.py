"""What approximations accept, what they refuse and how, and that a batch is its points."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from approximate_cases import METHODS, certify, servers
from closed_figures import queue_length

from qnet.errors import InvalidInput, NoAnswer, NotComputed, QnetError
from qnet.networks.closed import approximate
from qnet.networks.closed.approximate import CORRECTIONS, solve
from qnet.networks.closed.newton_core import solve_core
from qnet.networks.closed.problem import ClosedNetwork, closed_network
from qnet.networks.wanted import CORRECTIONS as TOLD

np: Any = importlib.import_module("numpy")


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_batch_is_its_points(method: str, correction: str) -> None:
    rng = np.random.default_rng(3)
    batch = closed_network(
        rng.exponential(1.0, (12, 4, 3)),
        rng.integers(0, 30, (12, 3)),
        rng.exponential(2.0, (12, 3)),
        [False] * 3 + [True],
        [None, servers(3), None, None],
    )
    load = rng.uniform(0.0, 0.9, (12, 4))
    whole = solve(batch, method, correction, open_load=load)
    assert whole.method == method
    assert whole.log_constant is None
    for index in range(12):
        single = solve(batch.point(index), method, correction, open_load=load[index].tolist())
        assert isinstance(single.residence, tuple)
        assert np.allclose(whole.throughput[index], single.throughput, rtol=1e-8)
        assert np.allclose(queue_length(whole)[index], queue_length(single), rtol=1e-6, atol=1e-8)


def test_large_batches_are_solved_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    batch = closed_network(rng.exponential(1.0, (23, 3, 2)), rng.integers(0, 30, (23, 2)))
    load = rng.uniform(0.0, 0.9, (23, 3))
    whole = solve(batch, open_load=load)
    monkeypatch.setattr(approximate, "_CELLS", 90)
    assert np.allclose(solve(batch, open_load=load).residence, whole.residence, rtol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_fractional_populations_lie_between_whole_ones(method: str) -> None:
    counts = np.arange(0.1, 6.0, 0.1)[:, None]
    batch = closed_network([[0.3], [0.9], [0.1]], counts, [1.0], None, [None, servers(2), None], fractional=True)
    found = solve(batch, method)
    certify(batch, found)
    assert (np.diff(found.throughput[:, 0]) > 0).all()
    assert isinstance(batch.point(4).population[0], float)


@pytest.mark.parametrize("method", METHODS)
def test_classes_without_customers_do_not_matter(method: str) -> None:
    with_idle = solve(closed_network([[0.2, 5.0, 0.1], [0.1, 7.0, 0.4]], [4, 0, 3], [1.0, 0.0, 0.0]), method)
    without = solve(closed_network([[0.2, 0.1], [0.1, 0.4]], [4, 3], [1.0, 0.0]), method)
    assert (with_idle.throughput[0], with_idle.throughput[2]) == pytest.approx(without.throughput, rel=1e-9)
    assert with_idle.throughput[1] == 0.0
    assert [row[1] for row in with_idle.residence] == [0.0, 0.0]


@pytest.mark.parametrize("method", METHODS)
def test_networks_with_nobody_or_nothing(method: str) -> None:
    assert solve(closed_network([[0.2], [0.1]], [0]), method).throughput == (0.0,)
    assert solve(closed_network([[0.0], [0.0]], [3], [2.0]), method).throughput == (1.5,)
    assert solve(closed_network([], [3], [2.0]), method).throughput == (1.5,)
    empty = solve(closed_network(np.zeros((0, 2, 1)), np.zeros((0, 1)), np.zeros((0, 1))), method)
    assert empty.residence.shape == (0, 2, 1)


def refused(kind: type[QnetError], code: str, network: ClosedNetwork, **options: Any) -> str:
    with pytest.raises(kind) as failure:
        solve(network, **options)
    assert failure.value.problems[0].code == code
    return str(failure.value)


def test_refusals() -> None:
    one = closed_network([[1.0]], [3])
    said = refused(NotComputed, "QN513", closed_network([[1.0]], [3], rates=[(2.0, 1.0)]))
    assert "depend on the number present" in said
    assert 'no method "x"' in refused(InvalidInput, "QN514", one, method="x")
    assert 'no correction "x"' in refused(InvalidInput, "QN514", one, correction="x")
    assert "0 core solutions" in refused(InvalidInput, "QN514", one, solutions=0)
    assert "neither demand nor think time" in refused(NoAnswer, "QN403", closed_network([[1.0, 0.0]], [3, 1]))


def test_refusals_of_open_loads() -> None:
    two = closed_network([[1.0], [2.0], [1.0]], [3], [1.0], [False, False, True], [None, servers(2), None])
    said = refused(NoAnswer, "QN401", two, open_load=[0.5, 2.0, 7.0])
    assert "2 erlangs to station 2" in said
    assert solve(two, open_load=[0.5, 1.9, 7.0]).throughput[0] > 0
    assert "negative or not finite" in refused(InvalidInput, "QN514", two, open_load=[-0.1, 0.0, 0.0])
    assert "negative or not finite" in refused(InvalidInput, "QN514", two, open_load=[float("nan"), 0.0, 0.0])
    assert "shape (2,)" in refused(InvalidInput, "QN514", two, open_load=[0.1, 0.1])


def test_a_fixed_point_that_is_not_proven_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(core: Any, start: Any = None) -> Any:
        answer = solve_core(core, start)
        return answer.replace(residual=answer.residual + 1e-9)

    monkeypatch.setattr("qnet.networks.closed.approximate_methods.solve_core", careless)
    network = closed_network([[[1.0], [2.0]]] * 2, [3])
    for method in METHODS:
        said = refused(NotComputed, "QN511", network, method=method)
        assert f"{method} did not converge at point 1 of the batch" in said
        assert ('the method "bard-schweitzer"' in said) == (method != "bard-schweitzer")


@pytest.mark.parametrize("method", METHODS)
def test_the_unit_of_time_does_not_matter(method: str) -> None:
    rates = [None, None, servers(4)]
    first: Any = None
    for scale in (1.0, 1e-290, 1e-12, 1e290):
        demands = [[0.2 * scale, 0.3 * scale], [0.5 * scale, 0.1 * scale], [3.0 * scale, scale]]
        found = solve(closed_network(demands, [12, 9], [scale, 2.0 * scale], None, rates), method)
        first = queue_length(found) if first is None else first
        assert np.allclose(first, queue_length(found), rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_what_overflows_is_refused(method: str) -> None:
    refused(NotComputed, "QN511", closed_network([[1e-320]], [5]), method=method)
    refused(NotComputed, "QN511", closed_network([[1e308], [1e308]], [5]), method=method)


def test_populations_are_whole_unless_fractions_are_asked_for() -> None:
    for population in ([2.5], np.array([[2.5]])):
        network = closed_network([[1.0]], population, fractional=True)
        assert np.asarray(solve(network).throughput).ravel() == pytest.approx([1.0])
        with pytest.raises(InvalidInput, match="integer"):
            closed_network([[1.0]], population)


def test_the_command_line_knows_every_correction():
    assert tuple(approximate.CORRECTIONS) == TOLD
    assert TOLD[0] == approximate.DEFAULT_CORRECTION
