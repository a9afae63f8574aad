"""What searches compute, by counts: few solutions, and none where loads alone are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from qnet.catalog.find import system_path
from qnet.documents import parse
from qnet.lazy import np
from qnet.model import bind as binding
from qnet.model import values
from qnet.model.conditions import condition
from qnet.model.load import build, load
from qnet.model.model import Model
from qnet.model.values import Values
from qnet.networks.open import solve as open_networks
from qnet.networks.open.solve import OpenSolver
from qnet.questions.envelope.envelope import envelopes
from qnet.questions.envelope.question import question
from qnet.questions.points import domain as domains
from qnet.questions.points import trial as trials
from qnet.questions.points.points import solve_points
from qnet.questions.points.trial import Trial
from qnet.questions.search import continuous, steady_range
from qnet.questions.search.search import search
from qnet.questions.search.steady_range import largest_steady


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of points of all solutions of a search."""
    result: list[int] = []

    def solved(model: Any, varied: Any, size: int, **more: Any) -> Any:
        result.append(size)
        return solve(model, varied, size, **more)

    solve = trials.solve_points
    monkeypatch.setattr(trials, "solve_points", solved)
    return result


def test_the_envelopes_of_the_catalog_take_few_solutions(sizes: list[int]) -> None:
    model = load("ibm-3990-6")
    envelopes([question(model, stated) for stated in model.envelopes.values()])
    assert len(sizes) <= 14
    assert sum(sizes) <= 2500


def test_the_end_of_a_steady_state_takes_loads_without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no waits fill a station before its capacity, one solution confirms that."""
    model = load("one-queue")
    trial = Trial(model, "rate", (), {}, 1)
    solved: list[int] = []
    solve = Trial.solve
    monkeypatch.setattr(Trial, "solve", lambda self, value: solved.append(self.size) or solve(self, value))
    steady = largest_steady(trial)
    assert steady.bounded.all()
    assert sum(solved) <= 2


def test_the_points_of_a_trial_share_what_its_model_says(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = _trial(4)
    monkeypatch.setattr(trials, "stated_value", lambda *_: pytest.fail("the model is asked again"))
    again = trial.at(np.array([0, 0, 3])).brief()
    assert (again.stated, again.least, again.size) == (trial.stated, trial.least, 3)
    assert list(again.domain.coordinates["write_fraction"]) == [0.0, 0.0, 0.5]


def test_a_batch_evaluates_again_only_what_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    evaluate = values.evaluate

    def evaluated(root: Any, *more: Any) -> Any:
        counted.append(str(root))
        return evaluate(root, *more)

    monkeypatch.setattr(values, "evaluate", evaluated)
    trial = _trial(4)
    rates = np.array([100.0, 200.0, 300.0, 400.0])
    first = trial.solve(rates)
    of_first = len(counted)
    counted.clear()
    second = trial.solve(rates)
    assert len(counted) < of_first / 2
    np.testing.assert_array_equal(first.parts[0].solution.response, second.parts[0].solution.response)


def test_loads_that_rise_slowly_are_asked_for_several_values_at_once(
    sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is the same one by one; points that have come to it remain there."""
    model = load("ibm-3990-6-burn-through")
    columns = {"write_fraction": np.array([0.1, 0.3, 0.45])}
    steady = largest_steady(Trial(model, "stressed_rate", (), columns, 3))
    together = len(sizes)
    sizes.clear()
    monkeypatch.setattr(steady_range, "_TOGETHER", 0)
    alone = largest_steady(Trial(model, "stressed_rate", (), columns, 3))
    assert together <= len(sizes) - 3
    np.testing.assert_allclose(steady.largest, alone.largest, rtol=1e-12)
    np.testing.assert_array_equal(steady.bounded, alone.bounded)


def _read_anew(system: str, mark: str) -> Model:
    """A model of which nothing is known from other tests, which share those of the same text."""
    path = system_path(system)
    return build(parse(f"{Path(path).read_text()}\n# {mark}\n".encode(), path), system)


def test_stations_and_routes_are_bound_once_where_their_numbers_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    bound: list[str] = []
    station, steps = binding._Binder.station, binding._Binder.route_steps

    def of_station(self: Any, item: Any) -> Any:
        bound.append(item.name)
        return station(self, item)

    def of_route(self: Any, route: Any, customers: Any) -> Any:
        bound.append(route.name)
        return steps(self, route, customers)

    monkeypatch.setattr(binding._Binder, "station", of_station)
    monkeypatch.setattr(binding._Binder, "route_steps", of_route)
    model, another = (_read_anew("ibm-3990-6", mark) for mark in ("one", "two"))
    rates = np.array([100.0, 200.0, 300.0])
    first = solve_points(model, {"rate": rates}, 3)
    assert bound
    bound.clear()
    second = solve_points(model, {"rate": 2 * rates}, 3)
    assert not bound
    other = solve_points(another, {"rate": 2 * rates}, 3)
    np.testing.assert_array_equal(second.parts[0].solution.response, other.parts[0].solution.response)
    assert (second.parts[0].solution.response > first.parts[0].solution.response).all()
    solve_points(model, {"rate": rates, "connect": rates / 1e5}, 3)
    assert bound


def test_points_that_differ_in_their_limits_alone_are_solved_once(sizes: list[int]) -> None:
    model = load("ibm-3990-6")
    columns = {"write_fraction": np.tile([0.0, 0.25, 0.5], 40)}
    limits = [condition(f"response <= {most} ms", model) for most in (10, 20)]
    applies = [np.arange(120) % 2 == index for index in range(2)]
    trial = Trial(model, "rate", limits, columns, 120, applies=applies)
    rates = np.repeat([300.0, 500.0], 60)
    excess = trial.excess(trial.solve(rates))
    assert sizes == [6]
    alone = Trial(model, "rate", limits, {"write_fraction": columns["write_fraction"][:1]}, 1,
                  applies=[item[:1] for item in applies])  # fmt: skip
    np.testing.assert_allclose(excess[0], alone.excess(alone.solve(rates[:1]))[0], rtol=1e-12)
    assert len(np.unique(excess)) == 12


def test_looks_of_a_search_leave_out_what_its_limits_do_not_name() -> None:
    rates = np.array([100.0, 300.0])
    model = load("ibm-3990-6")
    brief, entire = (_trial(2).solve(rates).parts[0].solution, _trial(2).read(rates).parts[0].solution)
    assert not brief.stations and not brief.visits and entire.stations and entire.visits
    np.testing.assert_array_equal(brief.response, entire.response)
    np.testing.assert_array_equal(brief.stable, entire.stable)
    assert [item.name for item in brief.loads] == [item.name for item in entire.loads]
    limits = ["utilization('drive') <= 0.5", "data_rate <= 10 MiB/s", "wait('volume') <= 1 ms"]
    read = [Trial(model, "rate", [condition(text, model)], {}, 1).responses for text in limits]
    assert read == [False, True, False]


def test_a_search_asks_for_the_ends_of_a_steady_state_where_they_matter(sizes: list[int]) -> None:
    """Where limits cease to hold before them they are roots of one batch with these; or not asked for at all."""
    model = load("ibm-3990-6")
    columns = {"write_fraction": np.linspace(0.0, 0.5, 6), "block": np.full(6, 27998.0)}
    trial = Trial(model, "rate", [condition("response <= 20 ms", model)], columns, 6)
    asked = search(trial)
    together = list(sizes)
    sizes.clear()
    brief = search(trial, ends=False)
    assert len(together) <= 11
    assert len(sizes) < len(together) and sum(sizes) < sum(together)
    np.testing.assert_allclose(brief.high.value, asked.high.value, rtol=1e-12)
    exact = largest_steady(trial).largest
    np.testing.assert_allclose(asked.steady_greatest, exact, rtol=1e-11)
    np.testing.assert_allclose(brief.steady_greatest, exact, rtol=0.01)


def _trial(points: int) -> Trial:
    model = load("ibm-3990-6")
    columns = {"write_fraction": np.linspace(0.0, 0.5, points)}
    return Trial(model, "rate", [condition("response <= 10 ms", model)], columns, points)


def test_the_load_of_stations_that_hold_no_waits_needs_no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = np.array([100.0, 700.0, 1e4, 1e6])
    expected = _trial(4).solve(rates).certain_load - 1

    def find_waits(_: OpenSolver) -> int:
        pytest.fail("waits were computed")

    monkeypatch.setattr(OpenSolver, "find_waits", find_waits)
    np.testing.assert_array_equal(_trial(4).certain(rates), expected)


def test_the_load_of_times_that_rest_on_waits_needs_them() -> None:
    model = load("zvm-paging")
    trial = Trial(model, "resident", (), {"guests": np.array([1.0, 4.0])}, 2)
    values = np.array([0.5, 0.9]) * trial.stated
    np.testing.assert_array_equal(trial.certain(values), trial.solve(values).certain_load - 1)


def test_a_search_asks_for_warnings_only_of_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def beyond(solver: Any, stable: Any) -> Any:
        asked.append(1)
        return known(solver, stable)

    known = open_networks.hold_warnings.beyond
    monkeypatch.setattr(open_networks.hold_warnings, "beyond", beyond)
    rates = np.array([100.0, 700.0])
    searched = _trial(2).solve(rates).parts[0].solution
    assert not asked
    answered = _trial(2).answer(rates).parts[0].solution
    assert asked
    np.testing.assert_array_equal(searched.response, answered.response)


def test_a_steady_state_ends_at_its_capacity_where_a_range_begins_near_it() -> None:
    """The rate may be 1/s at least, and the first value tried, 400/s, is beyond the capacity of four workers."""
    model = load("web-pool")
    steady = largest_steady(Trial(model, "rate", (), {"workers": np.array([4.0])}, 1))
    assert steady.bounded.all()
    np.testing.assert_allclose(steady.largest, 4 / 12e-3, rtol=1e-9)


def test_ends_of_a_steady_state_and_crossings_of_limits_are_roots_of_one_batch(
    sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At half of the points no limit must hold, so that the steady state ends before any."""
    model = load("ibm-3990-6")
    limits = [condition("response <= 20 ms", model)]
    columns = {"write_fraction": np.tile([0.1, 0.3, 0.5], 2), "block": np.full(6, 27998.0)}
    asked = np.arange(6) < 3

    def searched(flags: Any) -> tuple[Any, list[int], int]:
        """The answers at some points, and the numbers of points of solutions and of batches of roots."""
        here = np.flatnonzero(flags)
        some = {name: column[here] for name, column in columns.items()}
        trial = Trial(model, "rate", limits, some, len(here), applies=[asked[here]])
        sizes.clear()
        batches.clear()
        return search(trial, ends=False).high.value, list(sizes), len(batches)

    batches: list[int] = []
    roots = continuous.sign_change

    def changed(trial: Trial, *more: Any) -> Any:
        batches.append(trial.size)
        return roots(trial, *more)

    monkeypatch.setattr(continuous, "sign_change", changed)
    together, solved, of_roots = searched(asked == asked)
    limited, one, _ = searched(asked)
    ended, other, _ = searched(~asked)
    assert of_roots == 1
    assert len(solved) < len(one) + len(other) - 4
    np.testing.assert_allclose(together, np.concatenate([limited, ended]), rtol=1e-12)


def test_a_fraction_is_known_to_count_no_customers_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
qnet = 1
title = "users of sites"
[parameters]
sites = 4
users_each = 2.5
[stations]
cpu = {}
[classes.user]
population = "sites * users_each"
think_time = "1 s"
steps = [ { station = "cpu", time = "10 ms" } ]
"""
    model = build(parse(text.encode(), "sites.toml"), "sites.toml")
    made: list[object] = []
    create = Values.__init__
    monkeypatch.setattr(Values, "__init__", lambda self, *given: made.append(self) or create(self, *given))
    assert domains.stated_value(model, "sites") == 4.0
    assert domains.stated_value(model, "users_each") == 2.5
    assert len(made) == 1
    monkeypatch.setattr(domains, "bind", lambda *_: pytest.fail("a network is made"))
    assert not domains.Domain(model, "users_each", {}).integer()
