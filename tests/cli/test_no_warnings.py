"""No command warns as Python and numpy do: the process that answers the tests of commands takes warnings as errors."""

from __future__ import annotations

from pathlib import Path

from warm_process import SERVER

from qnet.cli.commands import COMMANDS

GOLDEN = Path(__file__).parent / "golden"


def test_warnings_of_commands_are_errors() -> None:
    assert 'warnings.simplefilter("error")' in SERVER


def test_every_command_is_run_with_warnings_as_errors() -> None:
    run = {word for path in GOLDEN.rglob("cmd") for word in path.read_text().split()[1:2]}
    assert [name for name in COMMANDS if name not in run] == []
