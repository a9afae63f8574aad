"""What a sound model says once it is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from language_models import SOUND, make_catalog, model_of, spoilt

from qnet.errors import UsageError
from qnet.model.bind import expressions
from qnet.model.costs import kinds_of_work
from qnet.model.load import load
from qnet.model.scope import depends_on_solution, is_figure, uses_solution
from qnet.units import DATA_RATE, NUMBER, RATE, TIME


def test_parameters_come_after_those_they_use():
    model = model_of(spoilt('rate = "20/s"', 'rate = "base * 2"\nbase = "10/s"'))
    assert list(model.parameters) == ["base", "rate", "hit", "mode", "work", "disks"]


def test_parameters_have_dimensions_and_choices_have_words():
    model = model_of(SOUND)
    assert model.dimensions == {"rate": RATE, "hit": NUMBER, "work": TIME, "disks": NUMBER}
    assert model.choices == {"mode": ("fast", "slow")}


def test_a_parameter_keeps_what_it_rests_on():
    text = spoilt(
        "range = [0, 1]", 'note = "n", grade = "fitted", source = ["a", "b"], place = "p. 3", fitted_on = "c"'
    )
    parameter = model_of(text).parameters["hit"]
    assert (parameter.note, parameter.grade, parameter.place) == ("n", "fitted", "p. 3")
    assert (parameter.sources, parameter.fitted_on) == (("a", "b"), ("c",))


def test_a_station_with_a_time_is_a_hold_around_it():
    step = model_of(SOUND).classes[0].routes[0].steps[0]
    assert (step.station, step.time, len(step.steps)) == ("server", None, 1)
    assert step.steps[0].time is not None
    assert step.steps[0].time.source == "work"


def test_variability_of_a_service_belongs_to_its_time():
    step = (
        model_of(spoilt('steps = [ { station = "server", ', 'steps = [ { scv = 0, station = "server", '))
        .classes[0]
        .routes[0]
        .steps[0]
    )
    assert step.scv is None
    assert step.steps[0].scv is not None


def test_keeps_may_keep_nothing():
    step = model_of(spoilt('keeps = ["disk"]', "keeps = []")).classes[0].routes[1].steps[2].steps[1].steps[1]
    assert (step.phase, step.keeps) == (2, ())


def test_kinds_of_work_are_all_those_of_steps_and_of_steps_inside_in_their_order():
    text = SOUND
    steps = '{ station = "server", time = "work" } ]', '{ delay = "1 ms" }', '{ time = "5 ms" }', '{ time = "2 ms" }'
    for step in steps:
        text = text.replace(step, step.replace("{ ", f'{{ work = "{step.split(chr(34))[1]}", ', 1))
    assert kinds_of_work(model_of(text)) == ("server", "1 ms", "5 ms", "2 ms")


def test_an_output_has_the_dimension_of_its_expression():
    output = model_of(SOUND).outputs["data_rate"]
    assert (output.dimension, output.unit) == (DATA_RATE, "MiB/s")


def test_an_output_may_be_its_bare_expression():
    model = model_of(spoilt('{ value = "throughput * 4 KiB", unit = "MiB/s" }', "\"response('miss') + wait('disk')\""))
    assert model.outputs["data_rate"].dimension == TIME


def test_names_of_stations_and_routes_may_have_any_letters():
    text = (
        SOUND.replace('"server"', '"sérvèr 1"')
        .replace("server =", '"sérvèr 1" =')
        .replace("throughput *", "utilization('sérvèr 1') * throughput *")
    )
    assert model_of(text).stations[0].name == "sérvèr 1"


def test_an_expression_may_go_over_several_lines():
    model = model_of(
        spoilt("\"where(mode == 'fast', 10 ms, 20 ms)\"", '"""\nwhere(mode == \'fast\',\n      10 ms,\n      20 ms)"""')
    )
    assert model.dimensions["work"] == TIME


def test_the_digest_follows_the_file_and_its_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert model_of(SOUND).digest == model_of(SOUND).digest != model_of(SOUND + "\n").digest
    monkeypatch.setenv("QNET_CATALOG", str(tmp_path))
    digests: set[str] = set()
    for seek in ("4 ms", "5 ms"):
        make_catalog(tmp_path, seek)
        digests.add(model_of(spoilt("[parameters]", '[uses]\ndrive = "drive"\n[parameters]')).digest)
    assert len(digests) == 2


def test_the_3990_6_is_read_from_the_catalog():
    model = load("ibm-3990-6")
    assert model.name == "ibm-3990-6"
    assert model.parts == {"cu": "storage/ibm-3990-6", "disk": "dasd/ibm-3390-3"}
    assert model.parameters["cu.pend"].grade == "measured"
    assert model.parameters["disk.rotation"].expression.names == ("disk.latency",)


def test_a_path_and_a_catalog_name_are_told_apart(tmp_path: Path):
    path = tmp_path / "model.toml"
    path.write_text(SOUND)
    assert load(str(path)).title == "A server and its disks"
    with pytest.raises(UsageError, match='unknown system "ibm-3990"'):
        load("ibm-3990")


def test_what_depends_on_the_solution_is_known_through_others():
    text = spoilt("disks = 2", 'disks = 2\nslow = "1 ms * utilization(\'disk\')"\nslower = "slow * 2"').replace(
        '"5 ms"', '"slower"'
    )
    model = model_of(text)
    dependent = depends_on_solution(model)
    assert dependent == {"slow", "slower"}
    assert sum(uses_solution(expression, dependent) for expression in expressions(model)) == 1


def test_figures_are_told_from_parameters():
    assert [is_figure(name) for name in ("throughput", "wait('a')", "rate", "disk.seek")] == [True, True, False, False]
