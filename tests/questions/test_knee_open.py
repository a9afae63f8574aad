"""Knees along the rates of open classes."""

import re

import pytest
from knees import MIXED, OPEN, by_definition

from qnet.model.metrics import metric
from qnet.questions.knee.knee import knee
from qnet.questions.points.answers import solve_table


def test_the_knees_of_equal_queues_are_those_of_the_closed_form(model):
    """Of K equal queues R = K S / (1 - rate S): twice the floor and the best power at half, a load of one each."""
    found = by_definition(knee(model(OPEN), limits=["response <= 1 s"], multiple=2))
    assert found["multiple"].value == pytest.approx(2.5, rel=1e-11)
    assert found["power"].value == pytest.approx(2.5, rel=1e-8)
    assert found["service_level"].value == pytest.approx((1 - 0.4) / 0.2, rel=1e-11)
    assert found["saturation"].value == pytest.approx(5.0, rel=1e-11)


@pytest.mark.parametrize("multiple", [1.01, 3.0, 50.0, 4000.0])
def test_the_rate_at_a_multiple_of_the_floor(model, multiple):
    found = by_definition(knee(model(OPEN), multiple=multiple))
    assert found["multiple"].value == pytest.approx(5 * (1 - 1 / multiple), rel=1e-10)


def test_general_service_has_its_best_power_with_one_customer_present(model):
    """Kleinrock (1979): of M/G/1 power is highest where the mean number present is one."""
    text = OPEN.replace('time = "0.2 s" }, { station = "disk", time = "0.2 s" }', 'time = "0.2 s", scv = 4 }')
    loaded = model(text.replace("disk = {}\n", ""))
    rate = by_definition(knee(loaded))["power"].value
    found = solve_table(loaded, {"rate": [rate]}, 1).of(metric("queue_length('cpu')", loaded).expression)
    assert found[0] == pytest.approx(1.0, rel=1e-6)


def test_open_classes_grow_in_their_mix_and_alone(model):
    text = OPEN + '[classes.other]\narrival_rate = "3/s"\nsteps = [ { station = "cpu", time = "0.05 s" } ]\n'
    found = {item.axis.name: item for item in knee(model(text), definitions=["saturation"])}
    assert found["mix of rate, arrival rate of other"].knees[0].value == pytest.approx(4 / 0.35, rel=1e-11)
    assert found["rate"].knees[0].value == pytest.approx((1 - 0.15) / 0.2, rel=1e-11)
    assert found["arrival rate of other"].knees[0].value == pytest.approx((1 - 0.2) / 0.05, rel=1e-11)


def test_open_load_beside_closed_classes_takes_its_part_beforehand(model):
    found = {item.axis.name: item for item in knee(model(MIXED), definitions=["saturation", "multiple"])}
    knees = {one.definition: one for one in found["rate"].knees}
    assert knees["saturation"].value == pytest.approx(10.0, rel=1e-11)
    web = metric("response('web')", found["rate"].axis.model).expression
    response = solve_table(found["rate"].axis.model, {"rate": [1e-9, knees["multiple"].value]}, 2).of(web)
    assert response[1] == pytest.approx(2 * response[0], rel=1e-8)


def test_the_floor_is_without_load_also_where_the_range_begins_with_some(model):
    """One server at 0.2 s twice, so that no load is answered in 0.4 s, and 2.5/s in twice that."""
    ranged = re.sub(r"rate = .*", 'rate = { value = "3/s", unit = "/s", range = ["2/s", "5/s"] }', OPEN, count=1)
    (found,) = knee(model(ranged), multiple=2)
    assert found.floor == pytest.approx(0.4, rel=1e-6)
    assert by_definition([found])["multiple"].value == pytest.approx(2.5, rel=1e-6)
