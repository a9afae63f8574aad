"""Metrics, percentiles and margins of `qnet solve`, against the closed forms of M/M/1."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import pytest
from test_commands import invoke

import qnet
from qnet.questions.solve.solve import solve_report
from qnet.reports.report import Report

LINE = ("solve", "--station", "cpu=20ms", "--arrival-rate", "30/s")
MEAN = 1 / (50 - 30)


def test_value_is_one_bare_number_in_base_units() -> None:
    result = invoke(*LINE, "--metric", "response_p95", "--value")
    assert result.exit_code == 0
    assert float(result.stdout) == pytest.approx(-log(0.05) * MEAN, rel=1e-9)
    assert result.stdout.count("\n") == 1


def test_value_takes_a_unit() -> None:
    result = invoke(*LINE, "--metric", "response", "--value", "--unit", "ms")
    assert float(result.stdout) == pytest.approx(1000 * MEAN, rel=1e-12)


def test_value_keeps_the_exit_code_of_assertions() -> None:
    result = invoke(*LINE, "--metric", "response", "--value", "--assert", "response < 1 ms")
    assert (result.exit_code, float(result.stdout)) == (6, pytest.approx(MEAN))


@pytest.mark.parametrize(
    "options",
    [["--value"], ["--value", "--metric", "response", "--metric", "throughput"],
     ["--value", "--metric", "response", "--csv"]],
)  # fmt: skip
def test_value_needs_one_metric_and_no_format(options: list[str]) -> None:
    result = invoke(*LINE, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "QN748" in result.stderr


@pytest.mark.parametrize("unit", ["kB", "parsec"])
def test_a_unit_that_does_not_fit_is_refused(unit: str) -> None:
    assert invoke(*LINE, "--metric", "response", "--unit", unit).exit_code == 2


def of_scope(report: Report, scope: str) -> list[dict[str, Any]]:
    return [row for row in report.records() if row["scope"] == scope]


@pytest.fixture
def system(tmp_path: Path) -> qnet.System:
    path = tmp_path / "model.toml"
    path.write_text(
        """
        qnet = 1
        title = "one server"
        [stations]
        cpu = {}
        [classes.job]
        arrival_rate = "30/s"
        steps = [{ station = "cpu", time = "20 ms" }]
        """
    )
    return qnet.load(str(path))


def test_percentiles_are_rows_of_metrics(system: qnet.System) -> None:
    rows = of_scope(system.solve(percentile=[50, 99.9]), "metric")
    assert [row["name"] for row in rows] == ["response_p50", "response_p99_9"]
    assert [row["value"] for row in rows] == pytest.approx([-log(0.5) * MEAN, -log(0.001) * MEAN], rel=1e-7)


def test_only_the_metrics_asked_for_are_reported(system: qnet.System) -> None:
    report = system.solve(metric=["response", "utilization('cpu')"], unit="")
    assert [(row["name"], row["value"]) for row in report.records()] == [
        ("response", pytest.approx(MEAN)),
        ("utilization('cpu')", pytest.approx(0.6)),
    ]


@pytest.mark.parametrize("percentile", ["0", "100", "-5", "nan", "word"])
def test_percentiles_outside_their_range_are_refused(percentile: str) -> None:
    assert invoke(*LINE, "--percentile", percentile).exit_code == 2


@pytest.mark.parametrize(
    ("condition", "margin", "percent", "holds"),
    [("response <= 200 ms", 0.2 - MEAN, 75, True), ("response <= 40 ms", 0.04 - MEAN, -25, False),
     ("throughput >= 20/s", 10, 50, True)],
)  # fmt: skip
def test_assertions_are_reported_with_their_margin(
    system: qnet.System, condition: str, margin: float, percent: float, holds: bool
) -> None:
    report = solve_report(system, asserted=[condition])
    (row,) = of_scope(report, "assertion")
    assert (row["margin"], row["margin_percent"]) == (pytest.approx(margin), pytest.approx(percent))
    assert (row["holds"], not report.broken) == (holds, holds)


def test_a_metric_in_python_takes_a_unit(system: qnet.System) -> None:
    assert system.metric("response", unit="ms") == pytest.approx(1000 * MEAN)


@pytest.mark.parametrize("name", ["max_throughput", "maximum_throughput", "max_rate", "maximum_rate"])
def test_the_saturation_throughput_has_four_names(name: str) -> None:
    """M/M/1: the service rate."""
    result = invoke(*LINE, "--metric", name, "--value")
    assert float(result.stdout) == pytest.approx(50, rel=1e-6)
    assert float(invoke(*LINE, "--metric", name, "--value", "--unit", "/min").stdout) == pytest.approx(3000, rel=1e-6)
    assert invoke(*LINE, "--metric", name, "--unit", "ms").exit_code == 2
    formula = invoke("formula", *LINE[1:], "--metric", name, "--csv")
    assert formula.exit_code == 0
    assert ",max_arrival_rate," in formula.stdout


@pytest.mark.parametrize("command", [("sweep", "--over", "arrival_rate=30/s,40/s"), ("compare", "--with", "cpu=10ms")])
def test_percentiles_of_other_commands_are_those_of_solve(command: tuple[str, ...]) -> None:
    words = [word.replace("cpu=", "demand_cpu=") for word in command[1:]]
    result = invoke(command[0], *LINE[1:], *words, "--percentile", "95", "--json")
    assert result.exit_code == 0
    assert "response_p95" in result.stdout and "utilization" in result.stdout
    alone = invoke(command[0], *LINE[1:], *words, "--percentile", "95", "--metric", "throughput", "--csv")
    assert "response_p95" in alone.stdout and "utilization" not in alone.stdout


@pytest.mark.parametrize("command", [("sweep", "--over", "rate=100/s,200/s"), ("compare", "--with", "rate=200/s")])
def test_other_commands_have_the_saturation_throughput_of_solve(command: tuple[str, ...]) -> None:
    alone = invoke("solve", "web-tier", "-p", "rate=200/s", "--metric", "max_rate", "--value").stdout
    result = invoke(command[0], "web-tier", *command[1:], "--metric", "max_rate", "--csv")
    assert result.exit_code == 0
    assert alone.strip() in result.stdout


def test_quiet_leaves_the_warnings_out_of_a_brief_answer() -> None:
    loud, quiet = (invoke("why", "dial-in-lines", "--brief", *more) for more in ((), ("-q",)))
    assert "warning [QN625]" in loud.stdout
    assert "QN625" not in quiet.stdout + quiet.stderr


def test_metrics_may_stand_between_commas() -> None:
    result = invoke("solve", "web-pool", "--metric", "p95, max(response, 1 ms),utilization_database", "--csv", "-q")
    _, *rows = result.stdout.splitlines()
    assert [row.split(",")[0] for row in rows] == ["metric"] * 3
