"""Markdown of every command names the command that made it, so that what is pasted can be computed again."""

from __future__ import annotations

import re
import shlex

import pytest
from cli_process import Run

from qnet.cli.group import qnet as command_line

SMALL = ("--station", "cpu=10ms", "--arrival-rate", "20/s")
WITHOUT = {
    "calibrate", "check", "completion", "convert", "cost", "example", "explain", "help", "man", "map", "measured",
    "new", "schema", "validate",
}  # fmt: skip
"""Commands that need files of their own, take long, or print no report."""
COMMANDS = {
    "bottleneck": SMALL,
    "catalog": ("list",),
    "compare": (*SMALL, "--with", "demand_cpu=20 ms"),
    "envelope": (*SMALL, "--vary", "arrival_rate", "--limit", "response <= 40 ms"),
    "formula": SMALL,
    "knee": ("interactive-users",),
    "methods": (),
    "queue": ("M/M/1", "--arrival-rate", "20/s", "--service-time", "10ms"),
    "sensitivity": SMALL,
    "solve": SMALL,
    "study": ("ibm-3990-6",),
    "sweep": (*SMALL, "--vary", "arrival_rate=10/s,20/s"),
    "why": SMALL,
}


def test_every_command_with_a_report_is_listed() -> None:
    names = set(command_line.list_commands(None))  # pyright: ignore[reportArgumentType]
    assert names - WITHOUT == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_markdown_names_its_command(name: str, qnet: Run) -> None:
    answer = qnet(name, *COMMANDS[name], "--md")
    assert answer.code == 0, answer.err
    (command,) = re.findall(r"^```sh\n(.*)\n```$", answer.out, re.MULTILINE)
    again = shlex.split(command)
    assert again[:2] == ["qnet", name]
    assert qnet(*again[1:], *([] if "--md" in again else ["--md"])).out == answer.out
