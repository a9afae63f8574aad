"""An envelope for every row of a file: each row's columns set parameters, and are kept beside the answer."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import qnet
from qnet.cli.group import qnet as command
from qnet.documents import parse as read
from qnet.errors import QnetError
from qnet.model.load import build

TEXT = """qnet = 1
title = "queue"
[parameters]
rate = "10/s"
service = { value = "30 ms", range = ["1 ms", "90 ms"] }
delay = "5 ms"
[stations]
cpu = {}
[classes.web]
arrival_rate = "rate"
steps = [ { delay = "delay" }, { station = "cpu", time = "service" } ]
[envelopes.fast]
vary = "rate"
limit = "response <= 0.2 s"
"""
LIMIT = 0.2


def largest(service: float, delay: float, limit: float = LIMIT) -> float:
    """Of M/M/1 behind a delay: delay + s / (1 - x s) is the limit."""
    return 1 / service - 1 / (limit - delay)


@pytest.fixture
def system() -> qnet.System:
    return qnet.System(*build(read(TEXT.encode(), "queue.toml"), "queue.toml"))


ROWS = [
    {"site": "a", "service_ms": 20, "delay": "1 ms"},
    {"site": "b", "service_ms": 50, "delay": "4 ms"},
    {"site": "c", "service_ms": 20, "delay": "9 ms"},
]


def test_every_row_has_the_largest_load_of_its_parameters(system: qnet.System):
    answers = system.envelope(rows=ROWS).records()
    expected = [largest(row["service_ms"] / 1e3, int(row["delay"][0]) / 1e3) for row in ROWS]
    assert [row["rate_per_s"] for row in answers] == pytest.approx(expected, rel=1e-9)
    assert [{key: row[key] for key in ROWS[0]} for row in answers] == ROWS


def test_a_new_limit_and_another_parameter(system: qnet.System):
    rows = [{"rate": 10}, {"rate": 20}]
    answers = system.envelope(rows=rows, vary="service", limit="response <= 100 ms").records()
    # s / (1 - x s) = 95 ms
    assert [row["service_s"] for row in answers] == pytest.approx([0.095 / (1 + 0.95), 0.095 / (1 + 1.9)], rel=1e-9)


def test_answers_are_those_of_one_row_at_a_time(system: qnet.System):
    alone = [system.envelope(rows=[row]).records()[0] for row in ROWS]
    assert system.envelope(rows=ROWS).records() == alone


def test_rows_that_cannot_be_read_or_answered_say_why(system: qnet.System):
    rows = [*ROWS, {"site": "d", "service_ms": "many", "delay": "1 ms"}, {"site": "e", "service_ms": 500, "delay": 0},
            {"site": "f", "service_ms": 20, "delay": "300 ms"}]  # fmt: skip
    answers = system.envelope(rows=rows).records()
    assert [row["site"] for row in answers] == ["a", "b", "c", "d", "e", "f"]
    assert [row["status"] for row in answers[:3]] == ["ok"] * 3
    assert answers[3]["status"] == 'service: "many" is not a quantity'
    assert "service" in answers[4]["status"] and answers[4]["rate_per_s"] is None
    assert answers[5]["status"] == "limit exceeded at the lowest load"
    assert [row["rate_per_s"] for row in answers[:3]] == [
        row["rate_per_s"] for row in system.envelope(rows=ROWS).records()
    ]


def test_columns_that_answers_have_too_are_kept_apart(system: qnet.System):
    (row,) = system.envelope(rows=[{"service_ms": 20, "status": "old", "response_s": 7}]).records()
    assert row["status"] == "old" and row["envelope_status"] == "ok"
    assert row["response_s"] == 7 and row["envelope_response_s"] == pytest.approx(LIMIT)


@pytest.mark.parametrize(
    ("rows", "more"),
    [
        ([{"site": "a"}], {}),
        ([{"rate": 5, "service_ms": 20}], {}),
        (ROWS, {"over": "delay=1 ms, 2 ms"}),
        (ROWS, {"crossings": True}),
        ([{"servce": 20}], {}),
        ([{"service_ms": 20, "service": 3}], {}),
    ],
    ids=["none", "varied", "over", "crossings", "misspelt", "twice"],
)
def test_rows_that_cannot_be_asked_about(system: qnet.System, rows, more):
    with pytest.raises(QnetError):
        system.envelope(rows=rows, **more)


def test_no_answer_of_any_row_is_a_failure(system: qnet.System):
    with pytest.raises(QnetError) as caught:
        system.envelope(rows=[{"delay": "300 ms"}, {"delay": "400 ms"}])
    assert caught.value.exit_code == 4


def test_the_command_keeps_the_text_of_the_rows(tmp_path: Path):
    (tmp_path / "queue.toml").write_text(TEXT)
    rows = '# sites\nsite;service_ms;note\na;20,0;=1+1\nb;050;"x; y"\nc;20\n'
    (tmp_path / "rows.csv").write_text(rows)
    result = CliRunner().invoke(
        command, ["envelope", str(tmp_path / "queue.toml"), "--rows", str(tmp_path / "rows.csv")]
    )
    assert result.exit_code == 0, result.output
    answers = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["site"], row["note"]) for row in answers[:2]] == [("a", "=1+1"), ("b", "x; y")]
    assert [float(row["rate_per_s"]) for row in answers[:2]] == pytest.approx(
        [largest(0.02, 0.005), largest(0.05, 0.005)], rel=1e-9
    )
    assert answers[2]["site"] == "c;20" and answers[2]["status"] == "the row has 2 cells for 3 columns"


def test_rows_come_from_standard_input_and_leave_in_any_format(tmp_path: Path):
    (tmp_path / "queue.toml").write_text(TEXT)
    asked = ["envelope", str(tmp_path / "queue.toml"), "--rows", "-", "--json"]
    result = CliRunner().invoke(command, asked, input="service_ms\n20\n50\n")
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["rows"]) == 2


def test_assertions_are_judged_at_every_row(tmp_path: Path):
    (tmp_path / "queue.toml").write_text(TEXT)
    asked = ["envelope", str(tmp_path / "queue.toml"), "--rows", "-", "--assert"]
    least = largest(0.05, 0.005)
    assert CliRunner().invoke(command, [*asked, f"rate >= {least - 1}/s"], input="service_ms\n20\n50\n").exit_code == 0
    assert CliRunner().invoke(command, [*asked, f"rate >= {least + 1}/s"], input="service_ms\n20\n50\n").exit_code == 6
