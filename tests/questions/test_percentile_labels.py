"""What is said of percentiles, point by point, and told alike by every question."""

from __future__ import annotations

from pathlib import Path

import pytest

import qnet
from qnet.reports.report import Report

USERS = """
qnet = 1
title = "users"
[parameters]
users = 20
[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }
[classes.user]
population = "users"
think_time = "5 s"
steps = [ { station = "cpu", time = "100 ms" }, { station = "disk", time = "150 ms" } ]
"""
ORDERS = """
qnet = 1
title = "orders"
[parameters]
rate = "4/s"
variability = 1
[stations]
check = {}
print = {}
[classes.order]
arrival_rate = "rate"
steps = [ { station = "check", time = "100 ms" }, { station = "print", time = "50 ms", scv = "variability" } ]
"""


def system(folder: Path, text: str) -> qnet.System:
    path = folder / "model.toml"
    path.write_text(text)
    return qnet.load(str(path))


def exactness(report: Report) -> list[object]:
    return [row["exactness"] for row in report.records()]


def notes(report: Report) -> dict[str, str]:
    return {note.code: note.text for note in report.notes}


@pytest.mark.parametrize(("metric", "word"), [("response", "exact"), ("response_p95", "approximate")])
def test_a_limit_on_a_percentile_of_closed_classes_is_approximate(metric: str, word: str, tmp_path: Path):
    users = system(tmp_path, USERS)
    limit = f"{metric} <= 3 s"
    knees = users.knee(limit=limit, definition=["service_level"])
    for told in (users.envelope(vary="users", limit=limit), knees):
        assert set(exactness(told)) == {word}


def test_other_knees_keep_the_label_of_the_means(tmp_path: Path):
    rows = system(tmp_path, USERS).knee(limit="response_p95 <= 3 s").records()
    labels = {row["definition"]: row["exactness"] for row in rows}
    assert labels.pop("service_level") == "approximate"
    assert set(labels.values()) == {"exact"}


@pytest.mark.long
def test_percentiles_of_queues_in_a_row_are_told_as_exact(tmp_path: Path):
    orders = system(tmp_path, ORDERS)
    asked = ["response_p95"]
    limit = "response_p95 <= 1 s"
    reports = [
        orders.sweep("rate=1/s,4/s", metric=asked),
        orders.envelope(vary="rate", limit=limit),
        orders.knee(vary="rate", limit=limit),
        orders.sensitivity(metric=asked, by="rate"),
    ]
    for report in reports:
        assert set(exactness(report)) == {"exact"}
        assert not {"QN609", "QN663"} & set(notes(report))


def test_a_sweep_that_leaves_the_trusted_region_says_at_how_many_points(tmp_path: Path):
    orders = system(tmp_path, ORDERS)
    told = orders.sweep("variability=0.5,1,4,8", metric=["response_p95"])
    assert exactness(told) == ["approximate", "exact", "approximate", "approximate"]
    warning = "percentiles are unreliable at 2 of 4 points, where service times at print have an scv above 2"
    assert notes(told)["QN663"] == warning


def test_points_without_a_steady_state_are_not_counted(tmp_path: Path):
    orders = system(tmp_path, ORDERS).set(variability=4)
    told = orders.sweep("rate=4/s,9/s,20/s", metric=["response_p95"])
    assert notes(told)["QN663"].startswith("percentiles are unreliable where")


def test_an_envelope_that_leaves_the_trusted_region_says_so(tmp_path: Path):
    orders = system(tmp_path, ORDERS)
    told = orders.envelope(vary="rate", limit="response_p95 <= 1 s", over="variability = 1, 2, 4")
    assert exactness(told) == ["exact", "approximate", "approximate"]
    assert "at 1 of 3 points" in notes(told)["QN663"]


def test_a_knee_that_leaves_the_trusted_region_says_so(tmp_path: Path):
    orders = system(tmp_path, ORDERS).set(variability=4)
    assert "QN663" in notes(orders.knee(vary="rate", limit="response_p95 <= 1 s"))


LINK = """
qnet = 1
title = "a link"
[parameters]
rate = "20/s"
[stations]
line = {}
far = { delay = true }
[classes.packet]
arrival_rate = "rate"
steps = [ { station = "line", time = "10 ms" }, STEP ]
"""


@pytest.mark.parametrize(
    ("step", "noted"),
    [
        ('{ delay = "20 ms" }', True),
        ('{ station = "far", time = "20 ms" }', True),
        ('{ delay = "20 ms", scv = 0 }', False),
        ('{ delay = "20 ms", scv = 1 }', False),
        ('{ station = "far", time = "20 ms", scv = 0.2 }', False),
        ('{ delay = "0.2 ms" }', False),
        ('{ phase = 2, delay = "20 ms" }', False),
    ],
)
def test_a_notable_delay_without_scv_is_noted_where_percentiles_are_asked(tmp_path: Path, step: str, noted: bool):
    """A propagation delay is constant, and its percentiles as exponential time are far too long."""
    link = system(tmp_path, LINK.replace("STEP", step))
    words = "percentiles take delays of packet as exponential"
    for report in (link.solve(percentile=(99,)), link.sweep("rate=20/s,30/s", metric="response_p99")):
        assert any(note.text.startswith(words) for note in report.notes) == noted
    assert not any(note.text.startswith(words) for note in link.solve().notes)
