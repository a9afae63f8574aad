"""Service demands by the utilization law: known ones recovered, what moves together named."""

import numpy as np
import pytest

import qnet
from qnet.documents import parse as read
from qnet.errors import InvalidInput, UsageError
from qnet.model.load import build
from qnet.questions.calibrate.demands import demands_of
from qnet.questions.calibrate.demands_report import demands_report

MIXED = """\
qnet = 1
title = "two classes"
[parameters]
web_rate = "5/s"
batch_rate = "2/s"
[stations]
cpu = { servers = 2 }
disk = { copies = 3 }
net = { delay = true }
[classes.web]
arrival_rate = "web_rate"
steps = [ { station = "cpu", time = "40 ms" }, { station = "disk", time = "30 ms" }, { delay = "1 s" } ]
[classes.batch]
arrival_rate = "batch_rate"
steps = [ { station = "cpu", time = "150 ms" }, { station = "disk", time = "200 ms" } ]
"""
DEMANDS = {("cpu", "web"): 0.04, ("cpu", "batch"): 0.15, ("disk", "web"): 0.03, ("disk", "batch"): 0.2}


def model():
    text = MIXED.replace("net = { delay = true }\n", "")
    return qnet.System(*build(read(text.encode(), "model.toml"), "model.toml"))


def intervals(noise=0.0, seed=0, count=30):
    numbers = np.random.default_rng(seed)
    web, batch = numbers.uniform(1, 9, count), numbers.uniform(0.5, 3, count)
    cpu = (0.04 * web + 0.15 * batch) / 2 + noise * numbers.normal(size=count)
    disk = (0.03 * web + 0.2 * batch) / 3 + noise * numbers.normal(size=count)
    names = ("throughput_web_per_s", "throughput_batch_per_s", "utilization_cpu", "utilization_disk")
    return [dict(zip(names, row, strict=True)) for row in np.array([web, batch, cpu, disk]).T.tolist()]


def told(found):
    return {(row["station"], row["class"]): row for row in demands_report(found).records() if row["scope"] == "demand"}


def test_demands_of_a_model_are_found_from_its_own_figures():
    """The utilization law holds exactly in every answer of a solver."""
    rows = []
    for rate, jobs in ((2.0, 1.0), (5.0, 2.0), (8.0, 0.5), (3.0, 2.5)):
        asked = [f"utilization('{name}')" for name in ("cpu", "disk")]
        answers = model().set(web_rate=rate, batch_rate=jobs).solve(metric=asked, method="open").records()
        used = {f"utilization_{name}": row["value"] for name, row in zip(("cpu", "disk"), answers, strict=True)}
        rows.append({"throughput_web": rate, "throughput_batch": jobs, **used})
    found = told(demands_of(rows, model()))
    assert {key: row["value"] for key, row in found.items()} == pytest.approx(DEMANDS, rel=1e-9)


def test_servers_may_be_said_without_a_model():
    found = told(demands_of(intervals(), None, ["cpu=2", "disk=3"]))
    assert {key: row["value"] for key, row in found.items()} == pytest.approx(DEMANDS, rel=1e-9)


@pytest.mark.long
def test_known_demands_lie_in_their_intervals_in_at_least_ninety_of_a_hundred_trials():
    inside = np.zeros((100, 4), dtype=bool)
    for seed in range(100):
        found = told(demands_of(intervals(0.01, seed), None, ["cpu=2", "disk=3"]))
        inside[seed] = [found[key]["low"] <= value <= found[key]["high"] for key, value in DEMANDS.items()]
    assert (inside.sum(axis=0) >= 90).all()


def test_what_is_busy_without_throughput_is_found_where_it_is_asked_for():
    rows = [{**row, "utilization_cpu": row["utilization_cpu"] + 0.1} for row in intervals()]
    found = told(demands_of(rows, None, ["cpu=2", "disk=3"], background=True))
    assert found["cpu", "background"]["value"] == pytest.approx(0.1)
    assert found["cpu", "web"]["value"] == pytest.approx(0.04)


def test_one_class_is_the_mean_of_utilization_over_throughput():
    """Through the origin: D = sum X U / sum X^2."""
    rows = [{"throughput_per_s": 2, "utilization_cpu": "21 %"}, {"throughput_per_s": 4, "utilization_cpu": 0.38}]
    (row,) = told(demands_of(rows)).values()
    assert row["value"] == pytest.approx((2 * 0.21 + 4 * 0.38) / 20)


def test_classes_that_move_together_cannot_be_separated():
    rows = [{**row, "throughput_batch_per_s": row["throughput_web_per_s"] / 3} for row in intervals(0.01)]
    found = demands_of(rows)
    assert [row["status"] for row in told(found).values()] == ["cannot be separated"] * 4
    assert [row["value"] for row in told(found).values()] == [None] * 4
    (note,) = [note for note in demands_report(found).notes if note.code == "QN634"]
    assert "web and batch" in note.text and "cpu, disk" in note.text


def test_held_out_rows_are_told_apart_and_do_not_count():
    rows = intervals(0.01)
    worse = [*rows, {**rows[0], "utilization_cpu": 1.0}]
    assert told(demands_of(worse, hold_out="1")) == told(demands_of(rows))


def test_a_column_of_what_the_model_does_not_have_is_named():
    rows = [{**row, "utilization_tape": 0.5} for row in intervals()]
    found = demands_of(rows, model())
    assert found.ignored == ("utilization_tape",)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([{"utilization_cpu": 0.5}], "QN250"),
        ([{"throughput": 0.5}], "QN250"),
        ([{"throughput": 1, "utilization_cpu": 37}], "QN251"),
        ([{"throughput": -1, "utilization_cpu": 0.3}], "QN251"),
        ([{"throughput": 0, "utilization_cpu": 0.3}], "QN252"),
        ([{"throughput_a": 1, "throughput_b": 2, "utilization_cpu": 0.3}], "QN252"),
    ],
)
def test_intervals_that_cannot_be_used_are_refused(rows, code):
    with pytest.raises(InvalidInput, match=code):
        demands_of(rows)


@pytest.mark.parametrize("text", ["tape=2", "cpu", "cpu=0", "cpu=1.5"])
def test_servers_that_cannot_be_used_are_refused(text):
    with pytest.raises(UsageError, match="QN029"):
        demands_of(intervals(), None, [text])


CHAIN = """
[chains.shopper]
arrival_rate = "1/s"
[chains.shopper.classes]
looking = { service = { cpu = "20 ms" } }
paying = { service = { cpu = "80 ms", disk = "50 ms" } }
[chains.shopper.routing]
outside = { looking.cpu = 1 }
looking.cpu = { looking.cpu = 0.5, paying.cpu = 0.25, outside = 0.25 }
paying.cpu = { paying.disk = 1 }
paying.disk = { outside = 1 }
"""


def test_the_demands_of_a_chain_are_found_by_its_throughput():
    """A shopper looks twice, and pays in every other passage."""
    system = qnet.System(*build(read((MIXED + CHAIN).encode(), "model.toml"), "model.toml"))
    rows = [
        {
            "throughput_web": rate, "throughput_batch": jobs, "throughput_shopper": shoppers,
            "utilization_cpu": (0.04 * rate + 0.15 * jobs + (2 * 0.02 + 0.5 * 0.08) * shoppers) / 2,
        }
        for rate, jobs, shoppers in ((2.0, 1.0, 3.0), (5.0, 2.0, 1.0), (8.0, 0.5, 2.0), (3.0, 2.5, 4.0))
    ]  # fmt: skip
    found = told(demands_of(rows, system))
    assert found["cpu", "shopper"]["value"] == pytest.approx(0.08, rel=1e-9)
