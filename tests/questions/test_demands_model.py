"""Service demands by the utilization law, written out as a model that can be solved."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import qnet
from qnet.cli.group import qnet as command
from qnet.documents import parse as read
from qnet.model.load import build
from qnet.questions.calibrate.demands import demands_of
from qnet.questions.calibrate.demands_model import demands_model

WEB, BATCH = (4.0, 6.0, 8.0, 5.0, 7.0), (1.0, 0.5, 2.0, 1.5, 0.2)
CPU, DISK = (0.08, 0.2), (0.03, 0.05)
"""Demands of both classes, in seconds: the processor has two servers, the disk one."""


def rows(noise: float = 0.0, background: float = 0.0) -> list[dict[str, float]]:
    signs = (1, -1, 1, -1, 0.5)
    return [
        {
            "throughput_web": web,
            "throughput_batch": batch,
            "utilization_cpu": (web * CPU[0] + batch * CPU[1]) / 2 + background + noise * sign,
            "utilization_disk": web * DISK[0] + batch * DISK[1] + noise * sign,
        }
        for web, batch, sign in zip(WEB, BATCH, signs, strict=True)
    ]


def written(*asked, **more) -> qnet.System:
    text, _ = demands_model(demands_of(*asked, **more))
    return qnet.System(*build(read(text.encode(), "model.toml"), "model.toml"))


def mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)


def test_the_model_has_the_utilizations_of_the_utilization_law_at_the_mean_throughput():
    system = written(rows(), servers=["cpu=2"])
    row = system.sweep("rate_web=0.001/s", metric=["utilization('cpu')", "utilization('disk')"]).records()[0]
    assert row["utilization_disk"] == pytest.approx(mean(BATCH) * DISK[1] + 0.001 * DISK[0], rel=1e-9)
    assert row["utilization_cpu"] == pytest.approx((mean(BATCH) * CPU[1] + 0.001 * CPU[0]) / 2, rel=1e-9)


def test_its_response_times_are_those_of_processor_sharing():
    """M/G/1-PS: each class takes D / (1 - U) at the disk; the class of one station alone shows it."""
    system = written([{key: value for key, value in row.items() if "cpu" not in key} for row in rows()])
    busy = mean(WEB) * DISK[0] + mean(BATCH) * DISK[1]
    row = system.sweep(f"rate_web={mean(WEB)}/s", metric=["response('web')", "response('batch')"]).records()[0]
    assert row["response_web_s"] == pytest.approx(DISK[0] / (1 - busy), rel=1e-9)
    assert row["response_batch_s"] == pytest.approx(DISK[1] / (1 - busy), rel=1e-9)


def test_what_is_busy_without_throughput_is_a_class():
    system = written(rows(background=0.05), servers=["cpu=2"], background=True)
    asked = ["utilization('cpu')", "utilization('disk')"]
    row = system.sweep(f"rate_web={mean(WEB)}/s", metric=asked).records()[0]
    assert row["utilization_cpu"] == pytest.approx((mean(WEB) * CPU[0] + mean(BATCH) * CPU[1]) / 2 + 0.05, rel=1e-6)
    assert row["utilization_disk"] == pytest.approx(mean(WEB) * DISK[0] + mean(BATCH) * DISK[1], rel=1e-6)


def test_one_class_without_a_name():
    system = written([{"throughput": rate, "utilization_cpu": 0.04 * rate} for rate in (5, 10, 15)])
    row = system.sweep("rate=10/s", metric="response").records()[0]
    assert row["response_s"] == pytest.approx(0.04 / (1 - 0.4), rel=1e-9)


def test_standard_errors_are_written():
    found = demands_of(rows(noise=0.002), servers=["cpu=2"])
    system = written(rows(noise=0.002), servers=["cpu=2"])
    stated = system.calibration
    assert stated is not None and stated.parameters[:2] == ("demand_cpu_web", "demand_cpu_batch")
    assert stated.freedom == 3
    errors = [item.root.value for item in stated.errors]
    assert errors[:2] == pytest.approx(found.stations[0].coefficients.errors, rel=1e-5)
    expected = found.stations[0].coefficients.correlation[0][1]
    assert stated.correlations[0] == pytest.approx(expected, rel=1e-5)


def test_demands_that_cannot_be_separated_are_marked():
    together = [{"throughput_a": rate, "throughput_b": 2 * rate, "utilization_cpu": 0.05 * rate} for rate in (2, 4, 6)]
    system = written(together)
    stated = system.calibration
    assert stated is not None and set(stated.undetermined) == {"demand_cpu_a", "demand_cpu_b"} & set(system.parameters)
    row = system.sweep("rate_a=4/s", metric="utilization('cpu')").records()[0]
    assert row["utilization_cpu"] == pytest.approx(0.2, rel=1e-9)


def test_names_that_are_no_names_are_written_as_ones():
    awkward = [{"throughput_größe 1": rate, "utilization_1st disk": 0.04 * rate} for rate in (5, 10)]
    system = written(awkward)
    assert [item.name for item in system.stations] == ["station_1st_disk"]


def test_copies_of_a_system_are_kept():
    text = """qnet = 1
title = "copies"
[stations]
disk = { copies = 3, split = "even" }
[classes.io]
arrival_rate = "10/s"
steps = [ { station = "disk", time = "10 ms" } ]
"""
    model = build(read(text.encode(), "m.toml"), "m.toml")
    system = written([{"throughput": rate, "utilization_disk": 0.02 * rate / 3} for rate in (5, 10, 15)], model)
    row = system.sweep("rate_io=10/s" if "rate_io" in system.parameters else "rate=10/s", metric="response").records()[
        0
    ]
    # Three queues, each with a third of the arrivals.
    assert row["response_s"] == pytest.approx(0.02 / (1 - 0.2 / 3), rel=1e-9)


def test_the_command_writes_a_model_that_solves(tmp_path: Path):
    (tmp_path / "rows.csv").write_text("throughput,utilization_cpu\n5,20 %\n10,40 %\n15,60 %\n")
    target = tmp_path / "m.toml"
    first = CliRunner().invoke(command, ["calibrate", "--demands", str(tmp_path / "rows.csv"), "--write", str(target)])
    assert first.exit_code == 0, first.output
    second = CliRunner().invoke(command, ["solve", str(target), "--csv"])
    assert second.exit_code == 0, second.output
    piped = CliRunner().invoke(command, ["calibrate", "--demands", str(tmp_path / "rows.csv"), "--write", "-"])
    assert piped.stdout == target.read_text()
