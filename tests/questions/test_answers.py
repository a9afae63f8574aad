"""Tables of points: rows without an answer say why, and do not cost the others theirs."""

import importlib
from typing import Any

import pytest

import qnet
from qnet.errors import InvalidInput, NoAnswer
from qnet.model.metrics import metric
from qnet.networks.wanted import AUTO
from qnet.questions.points import answers as module
from qnet.questions.points.answers import OK, solve_table
from qnet.questions.points.points import solve_points

np: Any = importlib.import_module("numpy")


@pytest.fixture
def two_stations(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(
        'qnet = 1\ntitle = "two"\n[parameters]\nrate = { value = "1/s", range = ["0/s", "30/s"] }\n'
        '[stations]\ncpu = {}\ndisk = {}\n[classes.job]\narrival_rate = "rate"\n'
        'steps = [ { station = "cpu", time = "40 ms" }, { station = "disk", time = "50 ms" } ]\n'
    )
    return qnet.load(str(path))


def test_rows_agree_with_the_closed_form(two_stations):
    rates = np.linspace(1.0, 19.0, 7)
    answers = solve_table(two_stations, {"rate": rates}, 7)
    expected = 0.04 / (1 - 0.04 * rates) + 0.05 / (1 - 0.05 * rates)
    np.testing.assert_allclose(answers.of(metric("response", two_stations).expression), expected, rtol=1e-14)
    assert answers.exact
    assert answers.status == [OK] * 7


def test_a_row_without_a_steady_state_names_what_is_saturated(two_stations):
    answers = solve_table(two_stations, {"rate": [10.0, 22.0, 5.0]}, 3)
    assert answers.status == [OK, "no steady state: disk", OK]
    found = answers.of(metric("response", two_stations).expression)
    assert np.isnan(found).tolist() == [False, True, False]


def test_a_row_outside_the_domain_leaves_the_others_their_answers(two_stations):
    answers = solve_table(two_stations, {"rate": [1.0, 2.0, 31.0, 3.0, -1.0]}, 5)
    assert answers.answered.tolist() == [True, True, False, True, False]
    assert "rate is 31/s" in answers.status[2]


def test_no_answer_at_all_is_refused_with_the_reason(two_stations):
    with pytest.raises(NoAnswer):
        solve_table(two_stations, {"rate": [25.0, 26.0]}, 2).refuse_all_failed()
    with pytest.raises(InvalidInput, match="rate is 40"):
        solve_table(two_stations, {"rate": [40.0, 41.0]}, 2).refuse_all_failed()


def test_progress_is_told_by_rows(two_stations):
    done = []
    solve_table(two_stations, {"rate": np.full(9000, 1.0)}, 9000, progress=done.append)
    assert done == [4096, 8192, 9000]


@pytest.fixture
def solves(monkeypatch):
    """How often points are solved, or tried to be."""
    asked: list[int] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        asked.append(1)
        return solve_points(*arguments, **options)

    monkeypatch.setattr(module, "solve_points", counted)
    return asked


def test_rows_outside_their_range_are_refused_at_once_each_for_its_reason(two_stations, solves):
    """Not by halves, nor one by one; the reasons are those that each row has alone."""
    rates = np.linspace(-5.0, 35.0, 41)
    answers = solve_table(two_stations, {"rate": rates}, 41)
    assert len(solves) <= 3
    alone = [solve_table(two_stations, {"rate": [rate]}, 1).status[0] for rate in rates]
    assert answers.status == alone
    assert len(set(alone)) == 12


def test_an_unknown_method_is_refused_for_all_rows_at_once(two_stations, solves):
    """No half of the rows has an answer either."""
    answers = solve_table(two_stations, {"rate": np.linspace(1.0, 19.0, 64)}, 64, AUTO.replace(method="guess"))
    assert len(solves) == 1
    assert not answers.answered.any() and 'no method "guess"' in answers.status[63]
