"""The searches of a knee ask for their loads together, and for none twice."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import qnet
from qnet.model.load import load
from qnet.networks.closed.first_come import FirstComeBatch
from qnet.networks.layers import core
from qnet.networks.wanted import Wanted
from qnet.questions.knee import curve
from qnet.questions.knee.axes import axes
from qnet.questions.knee.curve import Curve, CurvePoint
from qnet.questions.knee.knee import answered_knees, knee

np: Any = importlib.import_module("numpy")


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[list[float]]:
    """The loads of every solution along curves, those of several axes one after the other."""
    result: list[list[float]] = []
    answers, solve = Curve.answers, getattr(curve, "_solve")  # noqa: B009

    def counted(self: Curve, values: Any) -> Any:
        result.append([float(value) for value in values])
        return answers(self, values)

    def at_once(new: dict[Curve, list[float]]) -> None:
        result.append([value for values in new.values() for value in values])
        solve(new)

    monkeypatch.setattr(Curve, "answers", counted)
    monkeypatch.setattr(curve, "_solve", at_once)
    return result


@pytest.mark.parametrize(
    ("name", "most"),
    [
        pytest.param("file-server-agents", 4, marks=pytest.mark.long),
        ("search-fan-out", 3),
        pytest.param("priority-batch", 10, marks=pytest.mark.long),
        ("ibm-3990-6-burn-through", 33),
        pytest.param("million-users", 13, marks=pytest.mark.long),
        ("short-and-long-jobs", 9),
    ],
)
def test_knees_take_few_solutions(name: str, most: int, solves: list[list[float]]) -> None:
    """At most as many as the longest search, of every axis a first look and one for the figures at its knees.

    The first look at a mix is repeated where a class has no customers yet: such a row is exact, which others are not.
    """
    assert qnet.load(name).knee().records()
    assert len(solves) <= most


def test_searches_find_what_each_finds_alone(solves: list[list[float]]) -> None:
    (axis,) = axes(load("web-tier"), "rate")
    together, alone = (Curve(axis, (), Wanted()) for _ in range(2))

    def search(along: Curve, steps: int) -> Callable[[], list[float]]:
        def find() -> list[float]:
            found = [10.0 * steps]
            for _ in range(steps):
                found.append(found[-1] + along.read([found[-1]], lambda point: point.response)[0])
            return found

        return find

    found = curve.together([(together, search(together, steps)) for steps in (3, 5, 2)])
    assert len(solves) == 5
    assert found == [search(alone, steps)() for steps in (3, 5, 2)]
    asked = [value for values in solves[:5] for value in values]
    assert len(asked) == len(set(asked))


@pytest.mark.long
def test_a_point_of_the_method_that_a_curve_keeps_is_not_solved_again(solves: list[list[float]]) -> None:
    """Few customers are solved exactly, and again by the method that many need; those that had it already are not."""
    qnet.load("file-server-agents").knee()
    asked = [value for values in solves[:-1] for value in values]
    again = [value for value in asked if asked.count(value) > 1]
    assert set(again) <= {1.0}


def test_points_know_the_figures_of_all_classes() -> None:
    (axis, *_) = axes(load("priority-batch"), "")
    along = Curve(axis, (), Wanted())
    points: Sequence[CurvePoint] = along.points([5.0])
    throughput, response = curve.everything(along.answers(np.array([5.0])))
    assert points[0].overall == pytest.approx((throughput[0], response[0]), rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("name", "most", "least"), [("file-server-agents", 20, 50), ("search-fan-out", 25, 80)])
def test_figures_of_knees_begin_where_the_search_ended(
    name: str, most: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From scratch they take more rounds; and they are those that they would be from there."""
    rounds: list[int] = []
    layers, lines = core.image_of, FirstComeBatch.image
    monkeypatch.setattr(core, "image_of", lambda *arguments: rounds.append(1) or layers(*arguments))
    monkeypatch.setattr(FirstComeBatch, "image", lambda *arguments: rounds.append(1) or lines(*arguments))
    (found,) = knee(load(name))
    values = np.array([item.value for item in answered_knees(found)])
    times: list[Any] = []
    taken: list[int] = []
    for _ in range(2):
        rounds.clear()
        times.append(found.curve.answers(values).gather(lambda part: part.solution.response))
        taken.append(len(rounds))
        found.curve.ended.clear()
    assert taken[0] <= most < least <= taken[1]
    assert times[0] == pytest.approx(times[1], rel=1e-10)
