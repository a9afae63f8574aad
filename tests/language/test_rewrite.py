"""Fitted values written back: only what was fitted changes, and the text is the model that was fitted."""

import pytest

import qnet
from qnet.documents import parse as read
from qnet.errors import UsageError
from qnet.model.calibration import correlation_matrix, standard_errors
from qnet.model.load import build
from qnet.model.rewrite import FitUncertainty, rewritten
from qnet.model.values import Values

TEXT = """\
# A model of many forms.
qnet = 1
title = "forms"

[parameters]
bare = "10 ms"          # a comment stays
number = 3
shown = { value = "2e3 us", unit = "ms", range = ["1 ms", "1 s"], grade = "measured", note = "kept" } # and this one
rate = "600/s"
dotted.value = "30 ms"  # behind
dotted.note = "kept as well"
sum = "bare + shown"

[parameters.table]
value = "50 ms" # of its own
grade = "assumed"
source = "assumption"
note = "kept"

[stations]
cpu = {}

[classes.job]
arrival_rate = "rate / 100"
steps = [ { station = "cpu", time = "sum + 0 * (dotted + table) * number" } ]
"""
FITTED = "runs.csv: response in 5 of 6 rows"


def model_of(text):
    return build(read(text.encode(), "model.toml"), "model.toml")


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("bare", 0.0123, f'bare = {{ value = "12.3 ms", grade = "fitted", fitted_on = ["{FITTED}"] }}    '),
        ("number", 2.5, "number = { value = 2.5, "),
        ("shown", 0.0015, 'shown = { value = "1500 us", unit = "ms", range = ["1 ms", "1 s"], grade ='),
        ("rate", 123.5, 'rate = { value = "123.5/s", '),
        ("dotted", 1 / 3, 'dotted.value = "333.333333333 ms"  # behind'),
        ("table", 0.002, 'value = "2 ms" # of its own\nfitted_on = '),
    ],
)  # fmt: skip
def test_each_form_keeps_its_unit_its_comment_and_its_other_keys(name, value, line):
    text = rewritten(model_of(TEXT), {name: value}, FITTED)
    assert line in text
    model = model_of(text)
    assert Values(model, {}, None).known[name] == pytest.approx(value, rel=1e-11)
    assert (model.parameters[name].grade, model.parameters[name].fitted_on) == ("fitted", (FITTED,))
    assert not model.parameters[name].sources


def test_nothing_else_changes():
    text = rewritten(model_of(TEXT), {"bare": 0.02, "table": 0.04, "dotted": 0.01}, FITTED)
    before, after = model_of(TEXT), model_of(text)
    for name, item in before.parameters.items():
        if name not in ("bare", "table", "dotted"):
            assert after.parameters[name].expression == item.expression
    kept = [
        line for line in TEXT.splitlines() if not any(word in line for word in ("bare =", "value", "grade", "source"))
    ]
    assert all(line in text.splitlines() for line in kept)
    assert after.parameters["table"].note == after.parameters["shown"].note == "kept"


def test_a_value_written_twice_is_written_alike():
    once = rewritten(model_of(TEXT), {"bare": 0.02, "table": 0.04, "dotted": 0.01}, FITTED)
    assert rewritten(model_of(once), {"bare": 0.02, "table": 0.04, "dotted": 0.01}, FITTED) == once


DOUBT = FitUncertainty(
    {"bare": 0.001, "rate": 5.0, "number": 0.5, "table": 0.002},
    {("bare", "rate"): 0.1, ("bare", "number"): 0.2, ("bare", "table"): 0.3, ("rate", "number"): -0.1,
     ("number", "table"): 0.4},
    freedom=7,
)  # fmt: skip


def test_the_uncertainty_of_a_fit_is_read_as_it_was_written():
    stated = model_of(rewritten(model_of(TEXT), dict.fromkeys(DOUBT.errors, 0.02), FITTED, DOUBT)).calibration
    assert stated is not None and stated.parameters == tuple(DOUBT.errors)
    assert standard_errors(stated) == pytest.approx(tuple(DOUBT.errors.values()))
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert [correlation_matrix(stated)[one][two] for one, two in pairs] == [0.1, 0.2, 0.3, -0.1, 0.0, 0.4]
    assert stated.freedom == 7 and not stated.undetermined


def test_the_uncertainty_of_a_fit_takes_the_place_of_an_earlier_one():
    text, values = TEXT, dict.fromkeys(DOUBT.errors, 0.02)
    for _ in range(2):
        text = rewritten(model_of(text), values, FITTED, DOUBT)
    assert text == rewritten(model_of(TEXT), values, FITTED, DOUBT)


def test_what_was_fitted_on_is_quoted():
    text = rewritten(model_of(TEXT), {"bare": 0.02}, 'a "strange\\name\n.csv')
    assert model_of(text).parameters["bare"].fitted_on == ('a "strange\\name\\n.csv',)


def test_a_value_of_a_catalog_part_is_not_written():
    with pytest.raises(UsageError, match="QN254"):
        rewritten(qnet.load("ibm-3990-6"), {"disk.rotation": 0.01}, FITTED)


def test_a_catalog_system_loads_with_its_fitted_values():
    system = qnet.load("ibm-3990-6")
    model = model_of(rewritten(system, {"read_hit": 0.69, "destages_per_write": 0.47}, FITTED))
    expected = system.set(read_hit=0.69, destages_per_write=0.47).metric("response")
    assert qnet.System(*model).metric("response") == pytest.approx(expected, rel=1e-12)
