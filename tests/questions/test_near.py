"""A search near a known answer finds what a search of the entire range finds."""

from __future__ import annotations

import pytest
from full import long_but

from qnet.lazy import np
from qnet.model.conditions import condition
from qnet.questions.points.trial import Trial
from qnet.questions.search.near import near, near_largest
from qnet.questions.search.search import pick, search
from qnet.system import load

FRACTIONS = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])


@pytest.mark.parametrize("limit", ["response <= 10 ms", "response <= 20 ms"])
@pytest.mark.parametrize("factor", long_but([0.99, 1.01], 0.99))
def test_an_answer_moves_with_a_parameter_and_is_found_beside_the_old_one(limit: str, factor: float) -> None:
    model = load("ibm-3990-6")
    asked = [condition(limit, model)]
    before = Trial(model, "rate", asked, {"write_fraction": FRACTIONS}, len(FRACTIONS))
    known = pick(before, search(before)).value
    moved = {"write_fraction": FRACTIONS * factor}
    trial = Trial(model, "rate", asked, moved, len(FRACTIONS))
    expected = pick(trial, search(trial))
    result = near(trial, known)
    assert result.answered.all()
    np.testing.assert_allclose(result.value, expected.value, rtol=1e-9)
    assert trial.solve(result.shown).stable.all()


@pytest.mark.long
def test_an_answer_that_moves_farther_is_found_as_well() -> None:
    model = load("ibm-3990-6")
    asked = [condition("response <= 10 ms", model)]
    columns = {"write_fraction": FRACTIONS}
    trial = Trial(model, "rate", asked, columns, len(FRACTIONS))
    expected = pick(trial, search(trial)).value
    for factor in (0.8, 0.95, 1.0, 1.1, 1.25):
        result = near(trial, expected * factor)
        assert result.answered.all(), factor
        np.testing.assert_allclose(result.value, expected, rtol=1e-9)
        assert trial.solve(result.shown).stable.all()


def solutions(monkeypatch: pytest.MonkeyPatch, fractions: np.ndarray) -> list[int]:
    """The points of each solution that finds answers at fractions a little smaller than those with known answers."""
    model = load("ibm-3990-6")
    asked = [condition("response <= 10 ms", model)]
    trial = Trial(model, "rate", asked, {"write_fraction": fractions}, len(fractions))
    known = pick(trial, search(trial)).value
    moved = Trial(model, "rate", asked, {"write_fraction": fractions * 0.99}, len(fractions))
    sizes: list[int] = []
    solve = Trial.solve
    monkeypatch.setattr(Trial, "solve", lambda self, value: sizes.append(self.size) or solve(self, value))
    assert near(moved, known).answered.all()
    return sizes


def test_few_answers_take_few_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads without waits apart: at the known answers, beyond where these move, and for the roots. 6 solutions of 500
    points where values around the known answers were tried."""
    sizes = solutions(monkeypatch, FRACTIONS)
    assert len(sizes) <= 5
    assert sum(sizes) <= 190


@pytest.mark.long
def test_many_answers_take_few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a dozen points each, with as many known answers as points; 12 where the slope was not used."""
    assert sum(solutions(monkeypatch, np.linspace(0.0, 0.5, 400))) <= 5 * 400


def test_points_with_one_known_answer_share_its_slope(monkeypatch: pytest.MonkeyPatch) -> None:
    """What hardly moves takes two points, and one of all a third."""
    model = load("ibm-3990-6")
    asked = [condition("response <= 10 ms", model)]
    before = Trial(model, "rate", asked, {"write_fraction": np.array([0.2])}, 1)
    known = np.repeat(pick(before, search(before)).value, 50)
    columns = {"write_fraction": np.full(50, 0.2), "cu.path_release": np.linspace(0.99999, 1.0, 50) * 1e-4}
    trial = Trial(model, "rate", asked, columns, 50)
    sizes: list[int] = []
    solve = Trial.solve
    monkeypatch.setattr(Trial, "solve", lambda self, value: sizes.append(self.size) or solve(self, value))
    result = near(trial, known)
    assert result.answered.all()
    assert sizes[0] == 51
    expected = pick(trial, search(trial)).value
    np.testing.assert_allclose(result.value, expected, rtol=1e-9)


def test_an_answer_that_moves_too_far_is_not_found() -> None:
    model = load("ibm-3990-6")
    trial = Trial(model, "rate", [condition("response <= 10 ms", model)], {"write_fraction": FRACTIONS}, len(FRACTIONS))
    assert not near(trial, np.full(len(FRACTIONS), 300.0)).answered.any()
    assert not near(trial, np.full(len(FRACTIONS), np.nan)).answered.any()


def test_a_saturation_is_found_where_no_limit_is_asked_for() -> None:
    model = load("one-queue")
    trial = Trial(model, "rate", (), {}, 1)
    known = pick(trial, search(trial)).value
    np.testing.assert_allclose(near(trial, known * 1.03).value, known, rtol=1e-9)


def test_of_a_set_only_the_largest_answer_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are shown to be smaller, even where what is known has them in another order."""
    model = load("ibm-3990-6")
    asked = [condition("response <= 10 ms", model)]
    trial = Trial(model, "rate", asked, {"write_fraction": np.append(FRACTIONS, 0.2)}, len(FRACTIONS) + 1)
    exact = pick(trial, search(trial)).value
    sets = np.array([3] * len(FRACTIONS) + [-1])
    sizes: list[int] = []
    solve = Trial.solve
    monkeypatch.setattr(Trial, "solve", lambda self, value: sizes.append(self.size) or solve(self, value))
    result = near_largest(trial, exact, sets)
    few = sum(sizes)
    assert result.answered.all()
    np.testing.assert_allclose(result.value[:-1].max(), exact[:-1].max(), rtol=1e-9)
    np.testing.assert_allclose(result.value[-1], exact[-1], rtol=1e-9)
    assert (result.value[:-1] <= result.value[:-1].max()).all()
    near(trial, exact)
    assert few < sum(sizes) - few
    misleading = exact * np.array([1.1, 1.0, 1.0, 1.0, 0.9, 0.9, 1.0])
    again = near_largest(trial, misleading, sets)
    np.testing.assert_allclose(again.value[:-1].max(), exact[:-1].max(), rtol=1e-9)


def test_a_set_without_a_known_answer_has_none() -> None:
    model = load("ibm-3990-6")
    trial = Trial(model, "rate", [condition("response <= 10 ms", model)], {"write_fraction": FRACTIONS}, len(FRACTIONS))
    known = np.full(len(FRACTIONS), np.nan)
    assert not near_largest(trial, known, np.zeros(len(FRACTIONS), dtype=int)).answered.any()


def test_a_number_of_users_is_kept_where_the_next_one_is_too_many() -> None:
    model = load("p390")
    asked = [condition("response <= 2 s", model)]
    trial = Trial(model, "users", asked, {}, 1)
    known = pick(trial, search(trial)).value
    result = near(trial, known)
    assert result.answered.all()
    assert (result.value == known).all()
    for other in (known - 1, known + 1, known + 0.5):
        assert not near(trial, other).answered.any()


def _points_solved(monkeypatch: pytest.MonkeyPatch, sets: np.ndarray) -> tuple[int, float]:
    """The points that are solved for answers near known ones, all within 3 %, and the largest of the answers."""
    model = load("ibm-3990-6")
    asked = [condition("response <= 10 ms", model)]
    fractions = np.linspace(0.2, 0.215, 40)
    trial = Trial(model, "rate", asked, {"write_fraction": fractions}, 40)
    known = pick(trial, search(trial)).value
    assert known.min() > 0.97 * known.max()
    moved = Trial(model, "rate", asked, {"write_fraction": fractions * 0.99}, 40)
    sizes: list[int] = []
    solve = Trial.solve
    with monkeypatch.context() as patched:
        patched.setattr(Trial, "solve", lambda self, value: sizes.append(self.size) or solve(self, value))
        result = near_largest(moved, known, sets)
    assert result.answered.all()
    assert moved.solve(result.shown).stable.all()
    return sum(sizes), result.value.max()


def test_brackets_show_which_answers_of_a_set_are_not_its_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    """All are near the largest, so that each is begun; no root is searched where another answer is larger."""
    together, largest = _points_solved(monkeypatch, np.zeros(40, dtype=int))
    apart, expected = _points_solved(monkeypatch, np.arange(40))
    assert together < 0.8 * apart
    np.testing.assert_allclose(largest, expected, rtol=1e-9)


def test_capacities_near_known_answers_take_one_look_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads are proportional to the rate: the line through two of them foretells the capacity. Of many points two more
    rounds of two values each were tried."""
    model = load("ibm-3990-6")
    fractions = np.linspace(0.0, 0.5, 300)
    trial = Trial(model, "rate", (), {"write_fraction": fractions}, 300)
    known = pick(trial, search(trial)).value
    sizes: list[int] = []
    certain = Trial.certain
    monkeypatch.setattr(Trial, "certain", lambda self, value: sizes.append(self.size) or certain(self, value))
    result = near(Trial(model, "rate", (), {"write_fraction": fractions * 0.99}, 300), known)
    assert result.answered.all()
    assert sizes == [600, 300]
