"""Tables of measurements as other tools write them: comments, separators, decimal commas, units in titles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import qnet
from qnet.documents import parse as read
from qnet.errors import QnetError
from qnet.model.load import build
from qnet.questions.calibrate.shape import shaped
from qnet.questions.map.tables import read_table

QUEUE = """qnet = 1
title = "queue"
[parameters]
rate = "10/s"
service = { value = "30 ms", range = ["1 ms", "90 ms"] }
mode = { value = "slow", options = ["slow", "fast"] }
[stations]
cpu = {}
[classes.web]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "where(mode == 'fast', service / 2, service)" } ]
"""
SERVICE = 0.040


def loaded() -> qnet.System:
    return qnet.System(*build(read(QUEUE.encode(), "queue.toml"), "queue.toml"))


def response(rate: float, service: float = SERVICE) -> float:
    """Of M/M/1, in seconds."""
    return service / (1 - rate * service)


RATES = (5, 10, 15)


@pytest.fixture
def queue() -> qnet.System:
    return loaded()


def rows_of(folder: Path, text: str) -> str:
    path = folder / "rows.csv"
    path.write_bytes(text.encode())
    return str(path)


def fitted(queue: qnet.System, source: Any, **more: Any) -> float:
    report = queue.calibrate(source, "service", **more)
    return next(row["value"] for row in report.records() if row["scope"] == "parameter")


PLAIN = "".join(f"{rate},{response(rate)!r}\n" for rate in RATES)
COMMAS = "".join(f"{rate};{response(rate)!r}".replace(".", ",") + "\n" for rate in RATES)


@pytest.mark.parametrize(
    "text",
    [
        "# run of Monday\n# second line, with commas, and more\nrate,response\n" + PLAIN,
        "rate,response\n" + PLAIN.replace("\n", "\n# pause\n", 1),
        "# rate,response\n" + PLAIN,
        "#a note\n# rate response, and more\n#rate,response\n" + PLAIN,
        "rate;response\n" + PLAIN.replace(",", ";"),
        "rate;response\n" + COMMAS,
        "rate\tresponse\n" + PLAIN.replace(",", "\t"),
        "#,rate,response\n" + "".join(f"{n},{line}" for n, line in enumerate(PLAIN.splitlines(keepends=True))),
        "\ufeff# saved by a spreadsheet\r\nrate;response\r\n" + COMMAS.replace("\n", "\r\n"),
    ],
    ids=["before", "between", "header", "header-later", "semicolon", "decimal-comma", "tab", "number-sign", "dos"],
)
def test_every_dialect_says_the_same(queue: qnet.System, tmp_path: Path, text: str):
    assert fitted(queue, rows_of(tmp_path, text)) == pytest.approx(SERVICE, rel=1e-9)


def test_lines_keep_their_numbers(queue: qnet.System, tmp_path: Path):
    path = rows_of(tmp_path, "# one\n# two\nrate,response\n# three\nmany,0.1\n" + PLAIN)
    with pytest.raises(QnetError, match=r"rows\.csv:5: "):
        queue.calibrate(path, "service", strict=True)


def test_decimal_commas_are_noted(queue: qnet.System, tmp_path: Path):
    report = queue.calibrate(rows_of(tmp_path, "rate;response\n" + COMMAS), "service")
    (note,) = [note for note in report.notes if note.code == "QN756"]
    assert "decimal comma" in note.text


def test_commas_beside_points_are_not_guessed(queue: qnet.System, tmp_path: Path):
    text = "rate;response\n5;0.05\n10;0,0667\n15;0.1\n"
    unread = [row for row in queue.calibrate(rows_of(tmp_path, text), "service").records() if row["use"] == "not read"]
    assert [row["row"] for row in unread] == [2]


def test_a_row_that_looks_like_a_comment_is_noted(queue: qnet.System, tmp_path: Path):
    text = "tag,rate,response\n" + "".join(f"#{line}" if n == 1 else line for n, line in enumerate(
        f"{n},{row}\n" for n, row in enumerate(PLAIN.splitlines())))  # fmt: skip
    report = queue.calibrate(rows_of(tmp_path, text), "service")
    (note,) = [note for note in report.notes if note.code == "QN756"]
    assert note.severity == "warning" and "1 line " in note.text


def test_quotation_marks_keep_a_number_sign(tmp_path: Path):
    table = read_table(rows_of(tmp_path, 'tag,rate\n"#1",5\n'))
    assert table.rows == (("#1", "5"),)


@pytest.mark.parametrize(
    "title", ["response_ms", "response [ms]", "response (ms)", "response_us", "response_min", "response_s", "response"]
)
def test_a_figure_may_have_any_unit(queue: qnet.System, title: str):
    size = {"ms": 1e3, "us": 1e6, "in": 1 / 60}.get(title.strip("])")[-2:], 1.0)
    rows = [{"rate": rate, title: response(rate) * size} for rate in RATES]
    assert fitted(queue, rows) == pytest.approx(SERVICE, rel=1e-9)


@pytest.mark.parametrize("title", ["rate_per_min", "rate [1/min]", "rate (/min)"])
def test_a_parameter_may_have_any_unit(queue: qnet.System, title: str):
    rows = [{title: 60 * rate, "response_s": response(rate)} for rate in RATES]
    assert fitted(queue, rows) == pytest.approx(SERVICE, rel=1e-9)


@pytest.mark.parametrize("title", ["utilization_cpu_percent", "utilization_cpu_pct", "utilization_cpu %",
                                   "utilization_cpu_%", "utilization_cpu [%]"])  # fmt: skip
def test_percent_in_the_title(queue: qnet.System, title: str):
    rows = [{"rate": rate, title: 100 * rate * SERVICE} for rate in RATES]
    assert fitted(queue, rows) == pytest.approx(SERVICE, rel=1e-9)


def test_percent_signs_in_cells(queue: qnet.System):
    rows = [{"rate": rate, "utilization_cpu": f"{100 * rate * SERVICE:g} %"} for rate in RATES]
    assert fitted(queue, rows) == pytest.approx(SERVICE, rel=1e-9)
    rows = [{"rate": rate, "utilization_cpu_percent": f"{100 * rate * SERVICE:g}%"} for rate in RATES]
    assert fitted(queue, rows) == pytest.approx(SERVICE, rel=1e-9)


def test_a_percentile_may_have_any_unit(queue: qnet.System):
    # The response time of M/M/1 is exponential, so that its 95th percentile is ln 20 times its mean.
    rows = [{"rate": rate, "response_p95_ms": 2995.732273553991 * response(rate)} for rate in RATES]
    assert fitted(queue, rows) == pytest.approx(SERVICE, rel=1e-6)


def test_a_unit_of_another_dimension_is_no_figure(queue: qnet.System):
    with pytest.raises(QnetError, match="QN250"):
        queue.calibrate([{"rate": 5, "response_MB": 1}], "service")


def test_errors_have_units_too(queue: qnet.System):
    """An error stated in the unit of its column, and in one of its own, is that in base units."""

    def interval(title: str, error: float) -> tuple[float, float]:
        rows = [{"rate": rate, "response_ms": 1e3 * response(rate), title: error} for rate in RATES]
        row = queue.calibrate(rows, "service").records()[0]
        return row["low"], row["high"]

    expected = interval("response_error_s", 0.001)
    assert interval("response_ms_error", 1.0) == pytest.approx(expected, rel=1e-9)
    assert interval("response_error_us", 1000.0) == pytest.approx(expected, rel=1e-9)
    assert interval("response_error", 0.001) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("busy", ["utilization_cpu", "utilization_cpu_percent", "utilization_cpu [%]"])
@pytest.mark.parametrize("rate", ["throughput", "throughput_per_min", "throughput [1/min]"])
def test_demands_take_units(busy: str, rate: str):
    share, flow = 100 if busy != "utilization_cpu" else 1, 60 if "min" in rate else 1
    rows = [{busy: share * each * SERVICE, rate: flow * each} for each in RATES]
    report = loaded().demands(rows)
    assert report.records()[0]["value"] == pytest.approx(SERVICE, rel=1e-9)


def test_columns_are_renamed(queue: qnet.System):
    rows = [{"io_r": rate, "svc t": 1e3 * response(rate)} for rate in RATES]
    assert fitted(queue, rows, column=["io_r=rate", "svc t=response_ms"]) == pytest.approx(SERVICE, rel=1e-9)


def test_a_formerly_equal_column_is_not_read(queue: qnet.System):
    """The column that another is renamed to steps back."""
    rows = [{"response": 99, "rt": response(rate), "rate": rate} for rate in RATES]
    with pytest.raises(QnetError, match="QN755"):
        queue.calibrate(rows, "service", column="rt=response")
    rows = [{"response": 99, "rt": response(rate), "rate": rate} for rate in RATES]
    assert fitted(queue, rows, column=["rt=response", "response=old"]) == pytest.approx(SERVICE, rel=1e-9)


@pytest.mark.parametrize("text", ["io_r", "=rate", "io_r=", "unknown=rate", "io_r=rate"])
def test_renaming_that_cannot_be_is_refused(queue: qnet.System, text: str):
    with pytest.raises(QnetError, match="QN755"):
        queue.calibrate([{"io_r": 1, "rate": 1, "response": 1}], "service", column=text)


WIDE = [
    {"day": "Mon", **{f"rt_{rate}_ms": 1e3 * response(rate) for rate in RATES}},
    {"day": "Tue", **{f"rt_{rate}_ms": 1e3 * response(rate) for rate in RATES}},
]


def test_a_wide_row_is_as_many_rows(queue: qnet.System):
    result = shaped(read_table(WIDE), (), ("rt_{rate}_ms = response_ms",), queue)
    assert result.header == ("day", "rate", "response_ms")
    assert [row[:2] for row in result.rows] == [(day, str(rate)) for day in ("Mon", "Tue") for rate in RATES]
    assert result.numbers == (1, 1, 1, 2, 2, 2)
    assert fitted(queue, WIDE, melt="rt_{rate}_ms=response_ms") == pytest.approx(SERVICE, rel=1e-9)


def test_several_figures_of_a_wide_row(queue: qnet.System):
    """Empty braces are the name of the figure; conditions of one row that are the same share a row."""
    rows = [{f"{name}@{rate}": value for rate in RATES
             for name, value in (("response", response(rate)), ("utilization_cpu", rate * SERVICE))}]  # fmt: skip
    result = shaped(read_table(rows), (), ("{}@{rate}",), queue)
    assert result.header == ("rate", "response", "utilization_cpu")
    assert [tuple(map(float, row)) for row in result.rows] == [(rate, response(rate), rate * SERVICE) for rate in RATES]


def test_two_conditions_in_a_title_one_of_them_a_word(queue: qnet.System):
    factor = {"slow": 1.0, "fast": 0.5}
    rows = [{f"{mode}/{rate}/s": response(rate, SERVICE * factor[mode]) for mode in factor for rate in RATES}]
    assert fitted(queue, rows, melt="{mode}/{rate}=response") == pytest.approx(SERVICE, rel=1e-9)


def test_an_empty_cell_of_a_wide_row_is_no_row(queue: qnet.System):
    rows = [{"rt_5": response(5), "rt_10": "", "rt_15": response(15)}]
    assert len(shaped(read_table(rows), (), ("rt_{rate}=response",), queue).rows) == 2


def test_other_columns_that_look_similar_are_kept(queue: qnet.System):
    rows = [{"rt_5": response(5), "rt_unit": "s"}]
    assert shaped(read_table(rows), (), ("rt_{rate}=response",), queue).header == ("rt_unit", "rate", "response")


@pytest.mark.parametrize(
    "text",
    ["rt", "rt_{rate}", "rt_{}", "{}_{}_{rate}", "rt_{rate", "xy_{rate}=response", "{rate}{a}{b}{c}{d}=x",
     "rt_{rate}=rate"],
)  # fmt: skip
def test_patterns_that_cannot_be_are_refused(queue: qnet.System, text: str):
    with pytest.raises(QnetError, match="QN755"):
        queue.calibrate([{"rt_5": 1, "rt_10": 2}], "service", melt=text)


def test_the_table_of_parameters_is_in_their_declared_units(queue: qnet.System):
    """The model states milliseconds: tables for people show them, CSV keeps seconds."""
    report = queue.calibrate([{"rate": rate, "response": response(rate)} for rate in RATES], "service")
    line = next(line for line in report.text().splitlines() if line.startswith("service "))
    assert line.split()[:3] == ["service", "30", "40"] and " ms " in line
    assert re.search(r"\| service +\| +30 \| +40 \|", report.text("md"))
    row = report.records()[0]
    assert (row["stated"], row["unit"]) == (0.03, "s")
