"""Layers of changes that are solved one by one: a batch when the first of them asks, the same answers."""

from typing import Any

import pytest

from qnet.model.load import load
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.networks.layers import together
from qnet.questions.bottleneck.bottleneck import bottleneck
from qnet.questions.points.changes import Change, changes
from qnet.questions.sensitivity.sensitivity import ask_sensitivity

SETTINGS: list[dict[str, str]] = [{}, {"agents": "64", "terminals": "800"}]
"""Of the shipped system with stations that are held around others: as it stands, and with more of both."""


def _asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The points of every batch that the layers solve from here on."""
    points: list[int] = []
    solve = together.solve

    def counted(shape: Any, numbers: Any, *others: Any) -> Any:
        points.append(len(numbers.population))
        return solve(shape, numbers, *others)

    monkeypatch.setattr(together, "solve", counted)
    return points


def _figures(change: Change) -> list[float]:
    return [float("nan") if item is None else item for item in (change.throughput, change.response, change.maximum)]


@pytest.fixture(scope="module", params=SETTINGS, ids=["as it stands", "with more of both"])
def asked(request: pytest.FixtureRequest) -> tuple[Model, dict[str, Change]]:
    """A model, and all of its changes, each with layers of its own."""
    model = with_settings(load("file-server-agents"), request.param)
    with pytest.MonkeyPatch.context() as patch:
        points = _asked(patch)
        patch.setattr("qnet.networks.layers.solve.solved", lambda asked: together.solve(*asked))
        alone = bottleneck(model)
    assert len(points) > 4
    return model, {change.words: change for change in alone.changes}


@pytest.mark.long
def test_changes_of_servers_are_one_batch_with_the_answers_of_each_alone(
    asked: tuple[Model, dict[str, Change]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, alone = asked
    points = _asked(monkeypatch)
    result = changes(model, [item.name for item in model.stations], 2.0)
    assert len(points) <= 2
    assert {change.words for change in result.tried} == set(alone)
    for one in result.tried:
        other = alone[one.words]
        assert _figures(one) == pytest.approx(_figures(other), rel=1e-9, nan_ok=True)
        assert (one.status, one.limited_by) == (other.status, other.limited_by)


@pytest.mark.long
def test_a_model_and_all_its_changes_are_one_batch(
    asked: tuple[Model, dict[str, Change]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Speeds are a batch of their own to all other methods, and each number of servers a question by itself."""
    model, alone = asked
    points = _asked(monkeypatch)
    result = bottleneck(model)
    assert len(points) == 1
    assert [change.words for change in result.changes] == list(alone)
    for one in result.changes:
        assert _figures(one) == pytest.approx(_figures(alone[one.words]), rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("system", ["database-locks", "index-shards"])
def test_where_only_delays_are_held_no_layers_are_asked(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of each station alone says what the throughput tends to."""
    points = _asked(monkeypatch)
    assert bottleneck(load(system)).changes
    assert points == []


@pytest.mark.long
def test_a_sensitivity_asks_for_no_throughput_of_unlimited_customers(monkeypatch: pytest.MonkeyPatch) -> None:
    system, parameter = "file-server-agents", "page_faults"
    most: list[float] = []
    solve = together.solve

    def counted(shape: Any, numbers: Any, *others: Any) -> Any:
        most.append(float(numbers.population.max()))
        return solve(shape, numbers, *others)

    monkeypatch.setattr(together, "solve", counted)
    assert ask_sensitivity(load(system), [], []).rows
    assert max(most, default=0.0) < 1000
    report = ask_sensitivity(load(system), ["max_throughput"], [parameter])
    assert report.rows and max(most) >= 1e5
