"""Opening the SYSTEM of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from qnet.errors import Problem, UsageError
from qnet.model.load import load
from qnet.model.model import Model
from qnet.model.settings import parse_settings, with_settings


def open_system(system: str, settings: Sequence[str]) -> Model:
    """The model of a catalog name, a path or `-`, with the parameters that were set.

    Raises `UsageError` for an unknown name, `InvalidInput` for a defect of the model.
    """
    if system == "-":
        announce_input("a model")
    try:
        model = load(system)
    except UsageError as error:
        if "/" in system and not os.path.exists(system) and _is_part(system):
            help = f"qnet catalog show {system} shows it; a model names it under [uses]"
            raise UsageError(Problem("QN301", f'"{system}" is a part, not a system', help=help)) from None
        if "/" in system or not os.path.isfile(system):
            raise
        help = f"to read the file of that name, write ./{system}"
        raise UsageError(Problem("QN301", error.problems[0].found, help=help)) from None
    return with_settings(model, parse_settings(settings))


def _is_part(name: str) -> bool:
    from qnet.catalog.find import entries

    return any(entry.kind == "part" and entry.id == name for entry in entries())


def announce_input(what: str) -> None:
    """Announce on a terminal that standard input is being read; refuse a closed one."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise UsageError(Problem("QN002", "standard input is closed", what, file="<stdin>"))
    if sys.stdin.isatty():
        from qnet.cli.failures import tell

        tell(f"qnet: reading {what} from the terminal; end it with Ctrl-D")
