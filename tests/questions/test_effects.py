"""What is changed and changes nothing is told; what does not exist is refused."""

from __future__ import annotations

import pytest

from qnet.errors import UsageError
from qnet.reports.report import Report

MODEL = """
qnet = 1
title = "web"
[parameters]
rate = "4/s"
call = "50 ms"
spare = 3
reserve = "spare + 1"
price = 2
[stations]
cpu = {}
[classes.web]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "call" } ]
[outputs]
cost = "price * throughput / (1 /s)"
"""


@pytest.fixture
def web(model):
    return model(MODEL)


def told(report: Report) -> list[str]:
    return [note.text for note in report.notes if note.code == "QN701"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda web: web.set(spare=9).solve(),
        lambda web: web.set(spare=9).why(),
        lambda web: web.set(spare=9).bottleneck(),
        lambda web: web.set(spare=9).sensitivity(),
        lambda web: web.sensitivity(by="spare"),
        lambda web: web.sweep("spare=1,2", metric="response"),
        lambda web: web.envelope(limit="response <= 1 s", over="spare=1,2"),
        lambda web: web.set(spare=9).knee(),
        lambda web: web.cost(of="cpu", over="spare=1,2"),
    ],
)
def test_a_change_that_nothing_rests_on_is_told(web, ask):
    assert told(ask(web)) == ['no reported figure depends on "spare": no effect']


def test_a_side_with_the_figures_of_the_first_is_told(web):
    assert told(web.compare(web.set(spare=9), web.set(rate="5/s"), metric="response")) == [
        "B: spare does not enter response"
    ]
    assert told(web.compare(web.set(rate="4/s"))) != []


@pytest.mark.parametrize(
    "ask",
    [
        lambda web: web.set(rate="5/s").solve(),
        lambda web: web.set(price=3).solve(),
        lambda web: web.sweep("spare=1,2", metric="reserve"),
        lambda web: web.sensitivity(metric="cost", by="price"),
        lambda web: web.compare(web.set(price=3)),
        lambda web: web.cost(of="cpu", per="price", over="price=1,2"),
        lambda web: web.envelope(limit="reserve * response <= 1 s", over="spare=1,2"),
    ],
)
def test_what_has_an_effect_is_not_told(web, ask):
    assert told(ask(web)) == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda web: web.set(spair=9),
        lambda web: web.sweep("spair=1,2"),
        lambda web: web.sensitivity(by="spair"),
        lambda web: web.tornado(range="spair=1:2"),
        lambda web: web.uncertainty(spread="spair=10%"),
        lambda web: web.envelope(limit="response <= 1 s", over="spair=1,2"),
    ],
)
def test_a_name_that_does_not_exist_is_refused_with_the_nearest(web, ask):
    with pytest.raises(UsageError, match=r'unknown parameter "spair" \[QN004\][\s\S]*did you mean "spare"'):
        ask(web)
