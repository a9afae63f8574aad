"""`--columns` with every command that prints rows: the columns asked for and no other, in every format."""

from __future__ import annotations

import csv
import json

import pytest
from cli_process import Run

COMMANDS = {
    "bottleneck": ("bottleneck", "web-pool"),
    "catalog": ("catalog", "list"),
    "compare": ("compare", "web-pool", "web-tier"),
    "cost": ("cost", "zvm-paging"),
    "envelope": ("envelope", "one-queue", "--limit", "response <= 50 ms"),
    "formula": ("formula", "one-queue"),
    "knee": ("knee", "web-pool", "--limit", "response <= 80 ms"),
    "methods": ("methods",),
    "queue": ("queue", "M/M/1", "--arrival-rate", "50/s", "--service-time", "10ms"),
    "sensitivity": ("sensitivity", "web-pool"),
    "solve": ("solve", "web-pool"),
    "sweep": ("sweep", "web-pool", "--over", "workers=5:8", "--over", "connections=4:6"),
    "why": ("why", "web-pool"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_report_is_narrowed_to_what_is_asked_for(words: tuple[str, ...], qnet: Run) -> None:
    header = next(csv.reader(qnet(*words, "--csv").out.splitlines()))
    asked = [header[-1], header[1]]
    shown = {
        ending: qnet(*words, "--columns", ",".join(asked), f"--{ending}")
        for ending in ("csv", "json", "md", "format=table")
    }
    assert {answer.code for answer in shown.values()} == {0}
    columns = next(csv.reader(shown["csv"].out.splitlines()))
    assert set(asked) <= set(columns)  # and those that name blocks and paragraphs
    assert len(columns) <= 4
    assert {key for row in json.loads(shown["json"].out)["rows"] for key in row} == set(columns)
