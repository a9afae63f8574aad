"""`why` of a saturated system: demand against capacity of every station, and the smallest change of each type."""

from __future__ import annotations

import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import qnet
from qnet.cli.group import qnet as command_line

TWO = ("--station", "cpu=20ms", "--station", "disk=12ms", "--station", "net=1ms", "--arrival-rate", "90/s")
POOL = """
qnet = 1
title = "A pool around a database"
[parameters]
rate = "{rate}"
[stations]
pool = {{ servers = {servers} }}
database = {{ servers = 2 }}
[classes.web]
arrival_rate = "rate"
steps = [ {{ hold = "pool", steps = [ {{ time = "5 ms" }}, {{ station = "database", time = "{query}" }} ] }} ]
"""


@cache
def ran(*words: str, exit_code: int = 0) -> str:
    answer = CliRunner().invoke(command_line, list(words))
    assert answer.exit_code == exit_code, answer.output
    return answer.stdout


def rows(section: str, *words: str) -> list[dict[str, Any]]:
    report = json.loads(ran("why", *words, "--json"))
    return [row for row in report["rows"] if row["section"] == section and row["text"] is None]


def needed(change: str, *words: str) -> dict[str, float]:
    return {row["name"]: row["needed"] for row in rows("what would help", *words) if row["change"] == change}


def stable(*words: str) -> bool:
    return CliRunner().invoke(command_line, ["solve", *words]).exit_code == 0


def test_demand_stands_beside_the_capacity_of_every_station() -> None:
    table = {row["name"]: row for row in rows("bottleneck", *TWO)}
    assert {name: row["offered_load"] for name, row in table.items()} == pytest.approx(
        {"cpu": 90 * 0.020, "disk": 90 * 0.012, "net": 90 * 0.001}
    )
    assert [row["capacity"] for row in table.values()] == [1, 1, 1]
    assert {name: row["excess"] for name, row in table.items()} == pytest.approx(
        {"cpu": 0.8, "disk": 0.08, "net": 0.09 - 1}
    )
    assert table["cpu"]["full_at_per_s"] == pytest.approx(50)


def test_a_load_above_one_is_no_utilization() -> None:
    table = {row["name"]: row for row in rows("bottleneck", *TWO)}
    assert {name: row["load"] for name, row in table.items()} == pytest.approx({"cpu": 1.8, "disk": 1.08, "net": 0.09})
    assert all(row["utilization"] is None for row in table.values())


def test_the_smallest_change_of_each_type_cures_every_saturated_station() -> None:
    assert needed("fewer arrivals", *TWO) == pytest.approx({"arrivals": 50})
    assert needed("faster station", *TWO) == pytest.approx({"cpu": 1.8, "disk": 1.08})
    assert needed("more servers", *TWO) == {"cpu": 2, "disk": 2}
    assert needed("shorter demand", *TWO) == pytest.approx({"cpu": 1 / 90, "disk": 1 / 90})


def test_the_arrivals_of_several_classes_are_a_total() -> None:
    assert "at 910/s in total: database" in ran("why", "web-tier", "-p", "rate=900/s", "--brief")
    assert " in total" not in ran("why", *TWO, "--brief")


def test_what_needs_no_change_gets_none() -> None:
    assert all(row["name"] != "net" for row in rows("what would help", *TWO))


@pytest.mark.parametrize("margin", [-1e-6, 1e-6])
def test_a_change_just_above_the_smallest_cures_and_one_just_below_does_not(margin: float) -> None:
    rate = needed("fewer arrivals", *TWO)["arrivals"]
    assert stable(*TWO[:-1], f"{rate * (1 - margin)}/s") == (margin > 0)
    demands = needed("shorter demand", *TWO)
    short = [f"{name}={time * (1 - margin)}s" for name, time in demands.items()]
    assert stable("--station", short[0], "--station", short[1], "--arrival-rate", "90/s") == (margin > 0)


def test_servers_are_whole_and_the_fewest(tmp_path: Any) -> None:
    path = tmp_path / "three.toml"
    path.write_text(
        'qnet = 1\ntitle = "Small"\n[stations]\ncpu = { servers = 3 }\n[classes.io]\narrival_rate = "150/s"\n'
        'steps = [ { station = "cpu", time = "20 ms" } ]\n'
    )
    assert needed("more servers", str(path)) == {"cpu": 4}  # 3 of 3 servers asked for: no steady state either.


def test_copies_are_offered_where_copies_share_the_work_evenly(tmp_path: Any) -> None:
    path = tmp_path / "copies.toml"
    path.write_text(
        'qnet = 1\ntitle = "Small"\n[stations]\ndisk = { copies = 4, split = "even" }\n'
        '[classes.io]\narrival_rate = "500/s"\n'
        'steps = [ { station = "disk", time = "10 ms" } ]\n'
    )
    assert needed("more copies", str(path)) == {"disk": 6}  # 500/s x 10 ms = 5 servers: 5 copies are just saturated.
    assert needed("more servers", str(path)) == {"disk": 2}


def test_a_pool_whose_capacity_the_inner_station_limits_blames_the_inner_one(tmp_path: Any) -> None:
    path = tmp_path / "pool.toml"
    path.write_text(POOL.format(rate="120/s", servers=50, query="20 ms"))
    assert needed("faster station", str(path)) == pytest.approx({"database": 1.2}, rel=1e-4)
    assert needed("more servers", str(path)) == {"database": 3}


@pytest.mark.long
def test_a_pool_too_small_for_its_waits_gets_the_fewest_connections(tmp_path: Any) -> None:
    path = tmp_path / "pool.toml"
    path.write_text(POOL.format(rate="90/s", servers=2, query="20 ms"))
    (least,) = needed("more servers", str(path)).values()
    for servers in (int(least) - 1, int(least)):
        path.write_text(POOL.format(rate="90/s", servers=servers, query="20 ms"))
        assert stable(str(path)) == (servers == least)


def test_the_3990_6_past_its_limit_is_a_ticket() -> None:
    words = ("ibm-3990-6", "-p", "rate=1500/s")
    limit = needed("fewer arrivals", *words)["arrivals"]
    assert limit == pytest.approx(qnet.load("ibm-3990-6").solve().records()[0]["maximum_throughput_per_s"], rel=1e-6)
    text = ran("why", *words)
    assert "no steady state" in text
    assert shlex.join(["qnet", "why", *words]) in text


def test_a_saturated_answer_fails_what_is_asserted_of_it() -> None:
    answer = CliRunner().invoke(command_line, ["why", *TWO, "--assert", "response < 1 s"])
    assert answer.exit_code == 6
    assert "no answer" in answer.stderr


def test_the_exit_code_is_that_of_an_answer_and_the_warning_has_a_code() -> None:
    report = json.loads(ran("why", *TWO, "--json"))
    assert [note["code"] for note in report["notes"] if note["severity"] == "warning"] == ["QN751"]


@pytest.mark.parametrize("words", [TWO, (*TWO[:-1], "40/s"), ("examples/interactive-users.toml",), ("ibm-3990-6",)])
def test_brief_is_six_lines_and_the_command(words: tuple[str, ...]) -> None:
    lines = ran("why", *words, "--brief").splitlines()
    assert len(lines) == 8
    assert all(len(line) > 0 for line in lines[:6])
    assert lines[6] == ""
    assert lines[7] == shlex.join(["qnet", "why", *words, "--brief"])


def test_brief_in_markdown_has_the_six_sentences_and_the_command() -> None:
    text = ran("why", *TWO, "--brief", "--md")
    sentences = [row["text"] for row in json.loads(ran("why", *TWO, "--brief", "--json"))["rows"]]
    assert len(sentences) == 6
    assert "```sh\nqnet why " in text


def test_python_answers_as_the_command_does() -> None:
    report = qnet.load("ibm-3990-6").set(rate="1500/s").why()
    assert any(row["change"] == "faster station" for row in report.records())
    assert len(qnet.load("ibm-3990-6").why(brief=True).rows) == 6


@pytest.mark.parametrize("command", ["solve", "why", "bottleneck"])
def test_a_limit_without_any_capacity_allows_no_rate(command: str, tmp_path: Path) -> None:
    model = tmp_path / "model.toml"
    text = POOL.format(rate="3/s", servers=1, query="1 ms")
    model.write_text(text + '[limits]\ndrain = { load = "rate", capacity = "0/s" }\n')
    answer = CliRunner().invoke(command_line, [command, str(model)])
    assert answer.exit_code == 4
    assert "there is no steady state at any rate" in answer.output


FAR = """
qnet = 1
title = "A pool held during a call"
[stations]
pool = {}
far = { delay = true }
[classes.call]
arrival_rate = "2/s"
steps = [ { hold = "pool", steps = [ { time = "100 ms" }, { station = "far", time = "INSIDE" } ] } ]
"""


@pytest.mark.parametrize("inside", ["499.9999 ms", "499.95 ms", "500 ms", "800 ms"])
def test_a_station_whose_speed_hardly_divides_its_holding_time_is_no_cure(tmp_path: Path, inside: str) -> None:
    # 2/s x (100 ms / speed + inside) < 1 takes a speed of 1e6, of 2000, or none at all.
    path = tmp_path / "far.toml"
    path.write_text(FAR.replace("INSIDE", inside))
    text = ran("why", str(path))
    assert "No faster station helps: pool would have to be more than 1000 times as fast." in text
    assert "faster station  " not in text and "Fewer arrivals" in text


def test_an_overload_by_thousands_has_no_faster_station_as_its_cure() -> None:
    text = ran("why", "--station", "cpu=1s", "--arrival-rate", "2000/s")
    assert "No faster station helps: cpu would have to be more than 1000 times as fast." in text
    assert "cpu more than 800 times as fast" in ran("why", "--station", "cpu=1s", "--arrival-rate", "800/s")
