"""Files of monitoring tools as measurements: columns, intervals, joins, and the way into a calibration."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from qnet.cli import group
from qnet.errors import InvalidInput
from qnet.exchange.measured import MeasurementTable, measured


def report(minute: int, idle: float, disk: float) -> dict[str, Any]:
    return {
        "timestamp": {"date": "2024-03-01", "time": f"10:{minute:02d}:00", "utc": 1, "interval": 60},
        "cpu-load": [{"cpu": "all", "user": 1.0, "iowait": 5.0, "idle": idle}],
        "disk": [{"disk-device": "sda", "tps": 40.0, "await": 7.5, "util-percent": disk}],
        "queue": {"runq-sz": 3, "blocked": 1},
    }


START = 1709287200.0
"""10:00:00 on 2024-03-01, UTC."""


def sysstat(*statistics: dict[str, Any]) -> bytes:
    return json.dumps({"sysstat": {"hosts": [{"number-of-cpus": 4, "statistics": list(statistics)}]}}).encode()


SAR = sysstat(report(1, 65, 20), report(2, 45, 40), report(3, 25, 60))


def prometheus(*series: tuple[dict[str, str], list[tuple[float, str]]]) -> bytes:
    result = [{"metric": metric, "values": values} for metric, values in series]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}).encode()


def table(*sources: bytes, first: bool = False) -> MeasurementTable:
    return measured([(f"file{number}", data) for number, data in enumerate(sources)], first)


def rows(result: MeasurementTable) -> list[dict[str, float]]:
    return [dict(row.values) for row in result.rows]


def test_sar_has_utilizations_of_processors_and_disks() -> None:
    result = table(SAR)
    assert rows(result)[0] == {
        "utilization_cpu": pytest.approx(0.3), "utilization_sda": 0.2, "tps_sda_per_s": 40.0, "await_sda_ms": 7.5,
        "run_queue": 3.0, "blocked": 1.0,
    }  # fmt: skip
    assert [row.end for row in result.rows] == [START + 60, START + 120, START + 180]
    assert any("--servers cpu=4" in note.text for note in result.notes)


IOSTAT = sysstat(
    *({"timestamp": f"03/01/2024 10:0{minute}:00 AM", "avg-cpu": {"idle": 100 - 10 * minute, "iowait": 0.0},
       "disk": [{"disk_device": "nvme0n1", "r/s": 5.0, "w/s": 2.0, "r_await": 0.5, "aqu-sz": 0.1, "util": 12.5}]}
      for minute in (0, 1, 2))
)  # fmt: skip


def test_the_first_report_of_iostat_is_left_out() -> None:
    result = table(IOSTAT)
    assert [row["utilization_cpu"] for row in rows(result)] == pytest.approx([0.1, 0.2])
    assert rows(result)[0]["utilization_nvme0n1"] == 0.125
    assert len(table(IOSTAT, first=True).rows) == 3


def test_vmstat_is_read_with_and_without_times() -> None:
    head = "procs ---memory--- -system-- ----cpu----\n r  b   swpd   in   cs us sy id wa st"
    plain = f"{head}\n 1  0 0 100 200  1  1 98  0  0\n 3  1 0 150 300 30 20 40 10  0\n"
    assert rows(table(plain.encode())) == [
        {"utilization_cpu": 0.5, "run_queue": 3.0, "blocked": 1.0, "interrupts_per_s": 150.0,
         "context_switches_per_s": 300.0}
    ]  # fmt: skip
    timed = plain.replace(" st\n", " st UTC\n").replace("10  0\n", "10  0 2024-03-01 10:01:00\n")
    assert table(timed.encode()).rows[0].end == START + 60


def test_series_of_prometheus_are_named_by_what_differs() -> None:
    base = {"__name__": "http_requests", "instance": "a"}
    result = table(prometheus(({**base, "job": "web"}, [(1, "2.5"), (2, "NaN")]), ({**base, "job": "api"}, [(1, "4")])))
    assert result.columns == ("http_requests_web", "http_requests_api")
    assert rows(result) == [{"http_requests_web": 2.5, "http_requests_api": 4.0}]
    assert table(prometheus(({}, [(1, "3")]))).columns == ("value",)


def test_files_are_joined_by_the_intervals_of_the_first() -> None:
    """Each minute has what was measured after the minute before it."""
    points = [(START + 15 * number, str(number)) for number in range(13)]
    result = table(SAR, prometheus(({"__name__": "rate"}, points)))
    assert [row["rate"] for row in rows(result)] == [2.5, 6.5, 10.5]
    assert result.csv().splitlines()[0] == (
        "time,utilization_cpu,utilization_sda,tps_sda_per_s,await_sda_ms,run_queue,blocked,rate"
    )


def test_files_without_times_are_joined_by_position() -> None:
    vmstat = b" r b id wa\n 1 0 90 0\n 1 0 80 0\n 1 0 70 0\n"
    requests = prometheus(({"__name__": "rate"}, [(1, "5"), (2, "6")]))
    result = table(vmstat, requests)
    assert [(row["utilization_cpu"], row["rate"]) for row in rows(result)] == [(0.2, 5.0), (pytest.approx(0.3), 6.0)]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ((SAR, prometheus(({}, [(1.0, "5")]))), "within an interval"),
        ((b" r b id\n 1 0 9\n", prometheus(({}, [(1, "5"), (2, "5")]))), "intervals without times"),
        ((SAR[:-20],), "not valid JSON"),
        ((b"hello",), "not a file of a known monitoring tool"),
        ((sysstat(),), "no measurements"),
        ((b'{"sysstat":{"hosts":[{},{}]}}',), "2 hosts"),
        ((b'{"status":"error","error":"bad query"}',), "bad query"),
    ],
)
def test_what_cannot_be_read_or_joined_is_refused(sources: tuple[bytes, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        table(*sources)


def test_what_was_measured_gives_the_demands_by_the_utilization_law(tmp_path: Path) -> None:
    """Requests of 20 ms on four processors and 8 ms on a disk."""
    rates = [10.0, 20.0, 40.0]
    sar = sysstat(*(report(n + 1, 95 - 100 * rate * 0.02 / 4, 100 * rate * 0.008) for n, rate in enumerate(rates)))
    points = [(START + 60 * (n + 1), str(rate)) for n, rate in enumerate(rates)]
    path = tmp_path / "day.csv"
    path.write_text(table(sar, prometheus(({"__name__": "requests"}, points))).csv())
    words = ["calibrate", "--demands", str(path), "--column", "requests=throughput", "--servers", "cpu=4", "--csv"]
    answer = CliRunner().invoke(group.qnet, words)
    rows = list(csv.DictReader(io.StringIO(answer.stdout)))
    demands = {row["station"]: float(row["value"]) for row in rows if row["scope"] == "demand"}
    assert demands == {"cpu": pytest.approx(0.02, rel=1e-6), "sda": pytest.approx(0.008, rel=1e-6)}


VMSTAT = b" r b id wa\n 1 0 90 0\n 2 0 62 8\n"


def test_several_files_of_one_tool_keep_all_their_columns() -> None:
    """The columns of the third replaced those of the second."""
    table = measured([(f"{n}", VMSTAT.replace(b"62", idle)) for n, idle in enumerate((b"62", b"52", b"42"))])
    busy = [table.rows[0].values[f"utilization_cpu{suffix}"] for suffix in ("", "_2", "_3")]
    assert busy == pytest.approx([0.3, 0.4, 0.5])


def test_devices_whose_names_have_no_letters_of_columns_keep_their_figures() -> None:
    item = report(1, 65, 20)
    item["disk"] = [{"disk-device": name, "util-percent": busy} for name, busy in (("\u0434", 10), ("\u4e2d", 30))]
    (row,) = measured([("x", sysstat(item))]).rows
    assert sorted(value for name, value in row.values.items() if name != "utilization_cpu")[:2] == [0.1, 0.3]


def test_all_processors_by_state_are_utilization() -> None:
    item = report(1, 65, 20)
    item["cpu-load-all"] = item.pop("cpu-load")
    (row,) = measured([("x", sysstat(item))]).rows
    assert row.values["utilization_cpu"] == pytest.approx(0.3)


def test_dates_of_a_file_have_one_form() -> None:
    """The 12th is no month of the year where the 13th follows."""
    items = [report(1, 65, 20), report(2, 65, 20)]
    items[0]["timestamp"], items[1]["timestamp"] = "12/03/24 23:59:30", "13/03/24 00:00:30"
    first, second = measured([("x", sysstat(*items))]).rows
    assert (second.end or 0) - (first.end or 0) == 60


@pytest.mark.parametrize("line", [b" 2 0 nan 8 2024-02-01 10:00:00", b" 2 0 - 8 2024-02-31 10:00:00"])
def test_a_line_of_vmstat_without_idle_time_or_with_an_impossible_date(line: bytes) -> None:
    (row,) = measured([("x", b" r b id wa\n 1 0 90 0\n" + line + b"\n")]).rows
    assert "utilization_cpu" not in row.values
    assert row.values["run_queue"] == 2


def test_values_that_no_measurement_has_are_counted() -> None:
    table = measured([("x", prometheus(({"a": "b"}, [(1.0, "2"), (2.0, "NaN"), (3.0, "-1")])))])
    assert len(table.rows) == 1
    assert "2 values are left out" in table.notes[0].text


def test_a_native_histogram_is_refused() -> None:
    data = b'{"status":"success","data":{"result":[{"metric":{"a":"b"},"histograms":[[1,{"count":"3"}]]}]}}'
    with pytest.raises(InvalidInput, match="native histogram"):
        measured([("x", data)])


def test_titles_with_numbers_stay_distinct() -> None:
    series = ({"__name__": "a_2"}, [(1.0, "1")]), ({"__name__": "a"}, [(1.0, "2")]), ({"__name__": "a"}, [(1.0, "3")])
    (row,) = measured([("x", prometheus(*series))]).rows
    assert sorted(row.values.values()) == [1, 2, 3]
