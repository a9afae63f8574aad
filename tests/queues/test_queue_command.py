"""`qnet queue`: the report and the command, without the group."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

from qnet.errors import NoAnswer, UsageError
from qnet.questions.tables.queue_report import COLUMNS, queue_report
from qnet.queues.stations.queue import queue

RUN = (
    "import sys; from qnet.cli import group; "
    "group.COMMANDS.setdefault('queue', ('qnet.cli.queue', 'x')); group.qnet(sys.argv[1:], prog_name='qnet')"
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", RUN, "queue", *arguments], capture_output=True, text=True, check=False)


TEXTS = {"arrival_rate": "80/s", "service_time": "20 ms", "servers": "2"}


@pytest.mark.parametrize(
    ("name", "example"), [("servers", "a plain number"), ("service_time", '"8.5 ms"'), ("arrival_rate", '"80/s"')]
)
def test_a_word_in_place_of_a_value_is_answered_with_one(name: str, example: str):
    with pytest.raises(UsageError) as caught:
        queue_report("M/M/c", TEXTS | {name: "two"})
    (problem,) = caught.value.problems
    assert problem.code == "QN102" and example in problem.help


def test_figures_percentiles_and_states():
    report = queue_report("mmc", TEXTS, [95.0], 2)
    rows = [dict(zip((column.key for column in COLUMNS), row, strict=True)) for row in report.rows]
    found = queue("M/M/c", arrival_rate=80, service_time=0.02, servers=2)
    assert [row["scope"] for row in rows] == ["station", "percentile", "state", "state", "state"]
    assert rows[0]["wait"] == found.wait
    assert rows[0]["servers"] == 2
    assert rows[0]["standard_deviation_of_wait"] == pytest.approx(found.variance_of_wait**0.5)
    assert rows[1]["response"] == found.response_percentile(0.95)
    assert rows[4]["probability"] == found.state_probability(2)
    assert report.schema == "qnet/queue/1"
    assert report.meta["exactness"] == "exact"


def test_classes_are_rows():
    texts = {"arrival_rate": "10/s, 30/s", "service_time": "5ms,20ms", "scv_service": "1"}
    report = queue_report("M/G/1-priority", texts)
    assert [row[0] for row in report.rows] == ["station", "class", "class"]


def test_inverse_tells_real_and_whole():
    texts = {"arrival_rate": "80/s", "service_time": "20 ms"}
    report = queue_report("M/M/c", texts, solve_for="servers", limit="wait <= 5 ms")
    first = dict(zip((column.key for column in COLUMNS), report.rows[0], strict=True))
    assert first["scope"] == "answer"
    assert first["integer"] == 3
    assert 2 < first["value"] < 3
    assert report.meta["parameters"]["servers"] == 3


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({**TEXTS, "arrival_rate": "80"}, "is a plain number; expected a rate"),
        ({**TEXTS, "service_time": "20"}, "is a plain number; expected a time"),
        ({**TEXTS, "service_time": "20 m"}, "ms"),
        ({**TEXTS, "servers": "2/s"}, "expected a plain number"),
        ({**TEXTS, "servers": "two"}, "not a quantity"),
    ],
)
def test_units_are_strict(texts: dict[str, str], words: str):
    with pytest.raises(UsageError, match=words):
        queue_report("M/M/c", texts)


def test_what_a_question_lacks():
    with pytest.raises(UsageError, match="--solve-for needs a limit"):
        queue_report("M/M/c", TEXTS, solve_for="servers")
    with pytest.raises(UsageError, match="percentile"):
        queue_report("M/M/c", TEXTS, [100.0])
    with pytest.raises(NoAnswer):
        queue_report("M/M/c", {**TEXTS, "servers": "1"})


def test_approximations_and_bounds_say_so():
    texts = {"arrival_rate": "30/s", "service_time": "20 ms", "scv_arrival": "0.5", "scv_service": "1"}
    assert "approximate" in queue_report("GI/G/1", texts).notes[0].text
    assert "upper bounds" in queue_report("GI/G/1", {**texts, "approximation": "kingman"}).notes[0].text


def test_the_command_prints_csv_and_json():
    done = run("M/M/c", "--arrival-rate", "80/s", "--service-time", "20ms", "--servers", "2", "--csv")
    assert done.returncode == 0, done.stderr
    row = next(csv.DictReader(io.StringIO(done.stdout)))
    assert float(row["wait_s"]) == pytest.approx(8 / 225)
    done = run("M/M/c", "--arrival-rate", "80/s", "--service-time", "20ms", "--servers", "2", "--json")
    assert json.loads(done.stdout)["schema"] == "qnet/queue/1"


def test_the_command_fails_in_words():
    done = run("M/M/c", "--arrival-rate", "80/s", "--service-time", "20ms", "--servers", "1")
    assert (done.returncode, done.stdout) == (4, "")
    assert "at least 2 servers" in done.stderr
    done = run("M/M/z", "--arrival-rate", "80/s")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean" in done.stderr


def test_help_lists_every_station():
    from qnet.queues.stations.table import STATIONS

    done = subprocess.run([sys.executable, "-m", "qnet", "help", "queue"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    for station in STATIONS:
        assert f"  {station} " in done.stdout


def test_percentiles_without_a_closed_form_are_noted_and_not_listed():
    report = queue_report("M/G/1", {"arrival_rate": "30/s", "service_time": "20 ms", "scv_service": "1.5"}, [95.0])
    assert all(row["scope"] != "percentile" for row in report.records())
    assert "QN651" in [note.code for note in report.notes]
