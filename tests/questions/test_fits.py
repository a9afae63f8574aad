"""Fits and free choices of a study: the intervals that digits and choices leave, against closed forms of M/M/1."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from studies import HEAD, WINDOW, claim

from qnet.cli.group import qnet
from qnet.questions.study.fits_report import Freedom, fits_report, freedom
from qnet.questions.study.load import load_study
from qnet.questions.study.refit import fitted_values, refitted

GRADED = WINDOW.replace(
    'time = "1 s"',
    'time = { value = "1 s", unit = "s", grade = "fitted", source = "book", fitted_on = ["fit"] }',
)
FIT = claim("fit", role="fitted", sets="time", stated="2.0 s", figure="response")
"""R = T / (1 - rate T), so T = R / (1 + rate R): 1 s for 2 s at 0.5/s."""
BUSY = claim("busy", role="predicted", stated="2.8 s", tolerance=0.25, figure="response", set={"rate": "0.6/s"})
"""2.5 s; 2.8 s there would be T = 2.8 / (1 + 0.6 * 2.8) = 1.045 s."""
CHOICE = """[[free_choices]]
id = "{id}"
kind = "{kind}"
chosen = "as it is"
alternatives = [{alternatives}]
why = "not told"
{more}
"""


def choice(id: str, alternatives: str, more: str = "", kind: str = "value") -> str:
    return CHOICE.format(id=id, kind=kind, alternatives=alternatives, more=more)


@pytest.fixture
def free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function from the text of a study to what it was free in."""
    monkeypatch.setenv("QNET_CATALOG", str(tmp_path))

    def found(*parts: str) -> Freedom:
        files = {"CATALOG.toml": 'schema = 1\ntitle = "test"\n', "sources.toml": '[book]\ntitle = "A book"\n'}
        files |= {"systems/window.toml": GRADED, "studies/s.toml": HEAD + "\n".join(parts)}
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return freedom(load_study("s"))

    return found


def test_another_reading_of_a_fitted_claim_moves_its_parameter(free):
    found = free(FIT, BUSY, choice("reading", '"1.8 s", "2.2 s"', 'claim = "fit"', "reading"))
    assert [item.converged for item in found.refits] == [True, True]
    times = [response / (1 + 0.5 * response) for response in (1.8, 2.2)]
    assert [item.parameters["time"] for item in found.refits] == pytest.approx(times, rel=1e-5)
    responses = tuple(time / (1 - 0.6 * time) for time in times)
    assert found.interval("busy") == pytest.approx(responses, rel=1e-4)
    assert found.uncertainties[0].choices == pytest.approx(tuple(times), rel=1e-5)


def test_another_value_of_a_parameter_is_set_where_no_claim_sets_it(free):
    """At 0.4/s the fit gives T = 2 / 1.8; the prediction keeps its own 0.6/s."""
    found = free(FIT, BUSY, choice("rate", '"0.4/s"', 'parameter = "rate"'))
    (item,) = found.refits
    assert item.parameters["time"] == pytest.approx(2 / 1.8, rel=1e-5)
    time = 2 / 1.8
    assert item.figures["busy"] == pytest.approx(time / (1 - 0.6 * time), rel=1e-4)


def test_a_choice_in_words_is_counted_and_not_varied(free):
    found = free(FIT, BUSY, choice("form", '"two windows"', kind="form"))
    assert found.refits == ()
    assert found.interval("busy") is None
    sections = [row["section"] for row in fits_report("s").records()]
    assert sections == ["fits", "free choices"]
    assert fits_report("s").notes[0].text == "1 prediction, 1 fitted parameter, 1 free choice, none of them varied"


def test_digits_and_other_rows_bound_a_fit(free):
    """dT / T = (1 - rate T) dR / R: half of 0.05 / 2. The prediction asks for 1.045 s, above what the digits leave."""
    (item,) = free(FIT, BUSY).uncertainties
    assert item.digits == pytest.approx((1 - 0.0125, 1 + 0.0125), rel=1e-3)
    assert item.contradicted == ("busy",)
    assert item.implied is not None
    assert 1.02 < item.implied[0] < 1.06


def test_what_cannot_be_fitted_again_is_told(free):
    """No time gives a negative response."""
    free(FIT, BUSY, choice("reading", '"-1 s"', 'claim = "fit"', "reading"))
    report = fits_report("s")
    assert [note.code for note in report.warnings] == ["QN746"]


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.5])
def test_a_fit_is_found_from_other_values(free, factor: float):
    found = free(FIT, BUSY)
    study = found.validation.study
    again = refitted(study, found.influences, factor)
    assert again == pytest.approx(fitted_values(study, found.influences), rel=1e-5)


def test_fits_stand_alone(free):
    free(FIT, BUSY)
    run = CliRunner().invoke(qnet, ["validate", "s", "--fits", "--csv"])
    assert run.exit_code == 0
    assert "fits,s,time," in run.stdout
    assert CliRunner().invoke(qnet, ["validate", "s", "--fits", "--assert", "met > 0"]).exit_code == 2
    assert CliRunner().invoke(qnet, ["validate", "--fits", "--claims"]).exit_code == 2


def test_a_prediction_without_an_answer_has_no_interval(free):
    """At 1.01/s there is no steady state with the fitted time of 1 s, but with that of the other reading, 0.95 s."""
    late = claim("late", role="predicted", stated="9 s", tolerance=0.25, figure="response", set={"rate": "1.01/s"})
    found = free(FIT, late, choice("reading", '"1.8 s"', 'claim = "fit"', "reading"))
    assert [item.figures.keys() for item in found.refits] == [{"late"}]
    assert found.interval("late") is None
    assert fits_report("s").text("csv")
