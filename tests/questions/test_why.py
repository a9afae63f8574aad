"""`why`: sentences with their numbers, Markdown that can be pasted, and a command that gives it all again."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

import qnet
from qnet.cli.group import qnet as command_line
from qnet.expression import FLOATS, evaluate, parse
from qnet.questions.presentation.provenance import inputs
from qnet.questions.why.findings import SECTIONS
from qnet.reports.report import Report
from qnet.units import quantity

SYSTEMS = ("ibm-3990-6", "examples/interactive-users.toml", "examples/terminals-and-web.toml")


@cache
def explained(system: str) -> Report:
    """The answer to `why` for a system as it stands, which several tests look at."""
    return qnet.load(system).why()


def ran(*words: str) -> str:
    answer = CliRunner().invoke(command_line, list(words))
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def command(markdown: str) -> list[str]:
    (found,) = re.findall(r"^```sh\n(.*)\n```$", markdown, re.MULTILINE)
    return shlex.split(found)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_sections_come_in_order(system: str) -> None:
    told = [row["section"] for row in explained(system).records()]
    assert list(dict.fromkeys(told)) == [section for section in SECTIONS if section in told]
    assert {"question", "answer", "bottleneck", "laws", "method and trust", "assumptions"} <= set(told)


def test_every_number_beside_a_sentence_is_that_of_solve() -> None:
    system = qnet.load("ibm-3990-6").set(rate="900/s", write_fraction=0.3)
    rows = [row for row in system.why().records() if row["text"] and row["section"] == "answer"]
    response, wait, drive, full, best = (row["value"] for row in rows)
    assert 0 < best < response
    assert response == pytest.approx(system.metric("response"), rel=1e-15)
    assert 0 < wait < response
    assert drive == system.metric("residence('drive')")
    assert rows[3]["name"] == "back_end"
    assert full == next(row["maximum_throughput_per_s"] for row in system.solve().records())


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_laws_hold_with_the_numbers_put_in(system: str) -> None:
    told = [row["text"] for row in explained(system).records() if row["section"] == "laws"]
    equations = [text.rpartition(": ")[2].partition(" = ") for text in told if " = " in text.rpartition(": ")[2]]
    assert len(equations) >= 3
    for left, _, right in equations:
        shown = AMOUNT.search(right)
        assert shown and arithmetic(left) == pytest.approx(arithmetic(shown[0]), rel=2e-3)


AMOUNT = re.compile(r"\d+(?:\.\d+)?(?:/s\b| (?:ms|us|s)\b)?")


def arithmetic(text: str) -> float:
    """The value of a line such as `60/s x (10 ms + 1 s) / 4`, in base units."""

    def plain(match: re.Match[str]) -> str:
        return repr(quantity(match[0])[0])

    return float(evaluate(parse(AMOUNT.sub(plain, text).replace("x", "*")).root, {}, FLOATS))


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_markdown_can_be_pasted_as_it_is(system: str) -> None:
    text = explained(system).text("md")
    lines = text.splitlines()
    assert lines[0].startswith("## ") and all(line.startswith("### ") for line in lines[1:] if line.startswith("#"))
    assert sum(line.startswith("```") for line in lines) == 2
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(cells) == 1
    assert "\n\n\n" not in text and not text.startswith("\n")


@pytest.mark.parametrize(
    "words",
    [
        ("ibm-3990-6", "-p", "rate=900/s", "-p", "write_fraction=0.3"),
        ("ibm-3990-6", "-p", "block=4 KiB * 2", "-p", "staging='record'"),
        ("examples/interactive-users.toml", "-p", "users=100", "--faster", "1.5", "--method", "linearizer"),
        ("examples/terminals-and-web.toml", "--memory", "1 GB", "--operations", "1e6", "--core-solutions", "converged"),
        ("examples/one-queue.toml", "--assert", "response > 0 s"),
    ],
)
def test_the_command_gives_the_same_again(words: tuple[str, ...]) -> None:
    text = ran("why", *words, "--md")
    again = command(text)
    assert again[0] == "qnet"
    assert ran(*again[1:], "--md") == text


def test_a_path_with_spaces_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "my  model's.toml"
    path.write_text(Path("examples/one-queue.toml").read_text())
    assert command(qnet.load(str(path)).why().text("md"))[2] == str(path)


def test_the_provenance_is_complete() -> None:
    system = qnet.load("ibm-3990-6").set(skew=2)
    told = {row["name"]: row for row in system.why().records() if row["section"] == "provenance" and row["stated"]}
    for item in inputs(system):
        row = told.pop(item["name"])
        assert (row["stated"], row["grade"]) == (item["value"], item["grade"])
        assert all(source in row["source"] for source in item["sources"])
    assert told["skew"]["source"] == "set for this answer"
    assert set(told) == {"rate", "write_fraction", "block", "access", "staging", "skew"}


def test_an_approximation_says_what_encloses_it_or_that_nothing_does() -> None:
    assert "Bounds: none known." in explained("ibm-3990-6").text()
    assert (
        "The exact response of user lies between"
        in qnet.load("examples/interactive-users.toml").why(method="bard-schweitzer").text()
    )


def test_arrivals_are_told_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "bursts.toml"
    path.write_text(
        'qnet = 1\ntitle = "bursts"\n[stations]\ndb = {}\n'
        '[classes.even]\narrival_rate = "1/s"\nsteps = [{ station = "db", time = "20 ms" }]\n'
        '[classes.burst]\narrival_rate = "1/s"\narrival_scv = 4\nsteps = [{ station = "db", time = "20 ms" }]\n'
    )
    told = [row["text"] for row in qnet.load(str(path)).why().records() if row["section"] == "assumptions"]
    assert "Arrivals of even are Poisson and do not react to delays." in told
    assert "Arrivals of burst have an scv of 4 and do not react to delays." in told


FULL = """qnet = 1
title = "writers"
[buffers]
nvs = { places = 2 }
[stations]
cpu = {}
disk = {}
[classes.writer]
population = 6
think_time = "20 ms"
steps = [
  { station = "cpu", time = "1 ms" },
  { fill = "nvs" },
  { phase = 2, drains = "nvs", station = "disk", time = "8 ms" },
]
"""


def test_the_wait_for_a_place_is_told_by_the_name_of_the_buffer(tmp_path: Path) -> None:
    path = tmp_path / "writers.toml"
    path.write_text(FULL)
    system = qnet.load(str(path))
    told = [row["text"] or "" for row in system.why().records()]
    assert any(text.startswith("The largest part is spent waiting for a place in nvs: ") for text in told)
    assert any(
        text.startswith("waiting for a place in nvs: ") and text.endswith("all of it is waiting.") for text in told
    )
    (row,) = [row for row in system.bottleneck().records() if row["scope"] == "delays"]
    assert row["name"] == "waiting for a place in nvs" and row["service_s"] == 0
    path.write_text(FULL.replace("steps = [\n", 'steps = [\n  { delay = "1 ms" },\n'))
    (row,) = [row for row in qnet.load(str(path)).bottleneck().records() if row["scope"] == "delays"]
    assert row["name"] == "delays and waiting for a place in nvs"


def test_work_after_the_response_counts_for_what_a_class_alone_fills(tmp_path: Path) -> None:
    path = tmp_path / "both.toml"
    steps = 'population = 2\nsteps = [ { station = "cpu", time = "1 ms" }, { station = "disk", time = "6 ms" } ]\n'
    path.write_text(f"{FULL}[classes.reader]\n{steps}")
    system = qnet.load(str(path))
    told = [row["text"] for row in system.why().records() if row["section"] == "bottleneck"]
    assert "The bottleneck is the same for every class alone: disk for writer and disk for reader." in told
    rows = [row for row in system.bottleneck().records() if row["scope"] == "class at station"]
    (row,) = [row for row in rows if (row["class"], row["name"]) == ("writer", "disk")]
    assert (row["demand_s"], row["full_at_per_s"], row["residence_s"]) == (0.008, 125, 0)


ALIKE = """qnet = 1
title = "three branches alike"
[stations]
r1 = {}
r2 = {}
r3 = {}
front = {}
[classes.x]
population = 3
think_time = "100 ms"
steps = [
  { station = "front", time = "5 ms" },
  { parallel = [
    { steps = [ { station = "r1", time = "20 ms" } ] },
    { steps = [ { station = "r2", time = "20 ms" } ] },
    { steps = [ { station = "r3", time = "20 ms" } ] },
  ] },
]
"""


def test_what_is_alike_is_told_together_in_the_order_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "alike.toml"
    path.write_text(ALIKE)
    told = qnet.load(str(path)).why().text()
    assert "The largest part is spent equally at each of r1, r2 and r3: " in told
    assert "\nr1, r2 and r3 saturate first, at 50/s" in told
    assert "\nfront is next, at 200/s: 4 times as much. It limits the system once these no longer do." in told
    assert "\nMaking any one of r1, r2 or r3 2 times as fast shortens the response most: " in told
    assert "\nOne server more helps most at any one of r1, r2 or r3: " in told


@pytest.mark.parametrize("system", ["contention", "bursty-arrivals", "terminals-and-web", "ci-runners"])
def test_a_brief_answer_says_how_sure_it_is_and_nothing_twice(system: str) -> None:
    told = [row["text"] for row in qnet.load(system).why(brief=True).records()]
    assert told[-1].startswith("The answer is ")
    assert not any(later.startswith(first) for place, first in enumerate(told) for later in told[place + 1 :])


def test_a_brief_answer_names_the_slowest_class_and_the_mean_that_changes_shorten() -> None:
    """The ratio of the best change is that of the mean over all classes, which the lines must state."""
    system = qnet.loads(
        'qnet = 1\ntitle = "two"\n[stations]\nserver = { discipline = "priority" }\n'
        '[classes.gold]\narrival_rate = "20/s"\npriority = 2\nsteps = [{ station = "server", time = "10 ms" }]\n'
        '[classes.silver]\narrival_rate = "50/s"\npriority = 1\nsteps = [{ station = "server", time = "12 ms" }]\n'
    )
    first, second, *_ = [row["text"] for row in system.why(brief=True).records()]
    # Cobham: the residual work 9.2 ms is waited for over 0.8, and over 0.8 times 0.2.
    assert first == "The mean response of silver is 69.5 ms at 50/s."
    assert second == "Over all classes it is 55.79 ms: 20.5 % service, 79.5 % waiting."
