"""Names of columns as names of metrics: what a CSV calls a figure, a question may call it too."""

from __future__ import annotations

from typing import Any

import pytest

from qnet.errors import UsageError
from qnet.model.column_names import column_key
from qnet.model.conditions import condition
from qnet.model.from_data import document_from
from qnet.model.load import build
from qnet.model.metrics import every_metric, metric
from qnet.model.model import Model
from qnet.units import column_suffix


def from_data(data: dict[str, Any]) -> Model:
    return build(document_from(data, "shop"), "shop")


def shop(second: str = "disk") -> Model:
    return from_data(
        {
            "qnet": 1,
            "title": "shop",
            "parameters": {"rate": {"value": "10/s", "unit": "/s"}, "loss_of_face": 2},
            "stations": {"cpu.1": {}, second: {}},
            "classes": {
                "web": {"arrival_rate": "rate", "steps": [{"station": "cpu.1", "time": "10 ms"}]},
                "batch": {"arrival_rate": "1/s", "steps": [{"station": second, "time": "20 ms"}]},
            },
            "outputs": {"load": {"value": "utilization('cpu.1') * 100"}},
        }
    )


@pytest.mark.parametrize(
    ("column", "figure"),
    [
        ("utilization_cpu_1", "utilization('cpu.1')"),
        ("queue_length_disk", "queue_length('disk')"),
        ("response_web", "response('web')"),
        ("response_web_s", "response('web')"),
        ("throughput_per_s", "throughput"),
        ("throughput_batch_per_s", "throughput('batch')"),
        ("response_p95", "response_p95"),
        ("response_p95_s", "response_p95"),
        ("response_p99_9_web_s", "response_p99_9('web')"),
        ("response_s / response_web", "response / response('web')"),
        ("load", "load"),
        ("latency", "response"),
        ("response_time('web')", "response('web')"),
        ("p95", "response_p95"),
        ("latency_p99('web')", "response_p99('web')"),
        ("waiting_time('disk')", "wait('disk')"),
        ("wait_time_p80('disk')", "wait_p80('disk')"),
        ("number('disk')", "queue_length('disk')"),
        ("capacity", "max_throughput"),
        ("max_rate", "max_throughput"),
        ("inside('disk')", "busy_servers('disk')"),
    ],
)
def test_a_column_is_the_figure_that_it_holds(column: str, figure: str) -> None:
    asked, meant = metric(column, shop()), metric(figure, shop())
    assert asked.expression.names == meant.expression.names
    assert asked.dimension == meant.dimension


def test_every_default_column_is_accepted_with_its_unit_and_without() -> None:
    model = shop()
    for item in every_metric(model):
        for column in (item.key, item.key + column_suffix(item.unit)):
            assert metric(column, model).expression.names == item.expression.names


def test_a_condition_takes_columns_on_both_sides() -> None:
    asked = condition("response_web_s <= 2 * response_batch", shop())
    assert asked.metric.names == ("response('web')", "response('batch')")


def test_the_name_of_a_parameter_comes_before_that_of_a_column() -> None:
    model = from_data(
        {
            "qnet": 1,
            "title": "shop",
            "parameters": {"utilization_cpu": 0.25},
            "stations": {"cpu": {}},
            "classes": {"web": {"arrival_rate": "10/s", "steps": [{"station": "cpu", "time": "10 ms"}]}},
        }
    )
    assert metric("utilization_cpu", model).expression.names == ("utilization_cpu",)
    assert metric("utilization_cpu + response_web / 1 s", model).expression.names == (
        "utilization_cpu",
        "response('web')",
    )


def test_a_column_of_two_figures_is_refused() -> None:
    with pytest.raises(UsageError, match=r"may be utilization\('cpu\.1'\) or") as caught:
        metric("utilization_cpu_1", shop("cpu_1"))
    assert caught.value.problems[0].code == "QN124"


@pytest.mark.parametrize("column", ["utilization_cpu_2", "response_web_per_s", "response_p95_disk", "wait_s"])
def test_what_is_no_column_is_an_unknown_name(column: str) -> None:
    with pytest.raises(UsageError) as caught:
        metric(column, shop())
    assert caught.value.problems[0].code == "QN112"


def test_the_key_of_a_figure_has_letters_digits_and_underscores_only() -> None:
    assert column_key("response_p99('from the database')") == "response_p99_from_the_database"
