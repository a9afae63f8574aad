"""`--safe-csv`: text that a spreadsheet would compute gets an apostrophe, on every command that writes CSV."""

from __future__ import annotations

import click
from cli_process import Run

from qnet.cli.group import qnet as group

ROWS = b"rate,=note\n50/s,=1+1\n40/s,-3\n"
MAP = ("map", "one-queue", "-", "--metric", "response")


def test_every_command_that_writes_csv_has_the_option() -> None:
    context = click.Context(group, info_name="qnet")
    writing: set[str] = set()
    safe: set[str] = set()
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        subcommands = command.commands.values() if isinstance(command, click.Group) else [command]
        for item in subcommands:
            options = {text for parameter in item.params for text in parameter.opts}
            writing |= {f"{name} {item.name}"} if "--csv" in options or name == "map" else set()
            safe |= {f"{name} {item.name}"} if "--safe-csv" in options else set()
    assert len(writing) > 12
    assert safe == writing


def test_cells_of_rows_stay_as_they_are_unless_asked(qnet: Run) -> None:
    lines = qnet(*MAP, stdin=ROWS).out.splitlines()
    assert [line.split(",")[1] for line in lines] == ["=note", "=1+1", "-3"]


def test_formulas_in_rows_get_an_apostrophe_and_numbers_none(qnet: Run) -> None:
    lines = qnet(*MAP, "--safe-csv", stdin=ROWS).out.splitlines()
    assert [line.split(",")[1] for line in lines] == ["'=note", "'=1+1", "-3"]


def test_a_name_in_a_report_gets_an_apostrophe(qnet: Run) -> None:
    model = b"""qnet = 1
title = "t"
[stations]
"=1+1" = {}
[classes.a]
arrival_rate = "1/s"
steps = [ { station = "=1+1", time = "10 ms" } ]
"""
    assert ",=1+1," in qnet("bottleneck", "-", "--csv", stdin=model).out
    safe = qnet("bottleneck", "-", "--csv", "--safe-csv", stdin=model).out
    assert ",'=1+1," in safe and ",=1+1," not in safe


def test_where_the_option_has_no_effect_a_note_says_so(qnet: Run) -> None:
    answer = qnet("solve", "one-queue", "--safe-csv")
    assert answer.code == 0 and "--safe-csv applies to CSV, not to table [QN606]" in answer.err


def test_it_cannot_be_asked_of_json_lines(qnet: Run) -> None:
    assert qnet("map", "one-queue", "--jsonl", "--safe-csv", stdin=b"{}").code == 2
