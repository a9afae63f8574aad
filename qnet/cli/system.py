"""Opening the SYSTEM of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from qnet.errors import Problem, QnetError, UsageError
from qnet.model.load import load
from qnet.model.model import Model
from qnet.model.settings import parse_settings, with_settings

FOREIGN = (".jmva", ".lqn", ".xlqn", ".lqnx")
"""Suffixes of models of other tools whose formats state the load."""


def open_system(system: str, settings: Sequence[str]) -> Model:
    """The model of a catalog name, a path or `-`, with its settings.

    Raises `UsageError` for an unknown name, `InvalidInput` for a defect of the model.
    """
    if system == "-":
        announce_input("a model")
    if system.lower().endswith(FOREIGN):
        return with_settings(_converted(system), parse_settings(settings))
    try:
        model = load(system)
    except UsageError as error:
        if "/" in system and not os.path.exists(system) and _is_part(system):
            help = f"qnet catalog show {system} shows it; a model names it under [uses]"
            raise UsageError(Problem("QN301", f'"{system}" is a part, not a system', help=help)) from None
        if name := _name_of_missing_file(system):
            problem = error.problems[0].replace(help=f'without folder and suffix, "{name}" is a system of qnet')
            raise UsageError(problem) from None
        if "=" in system:
            help = f"a parameter is set by -p '{system}', on one side of qnet compare by --with '{system}'"
            raise UsageError(error.problems[0].replace(help=help)) from None
        if path := _file_like(system):
            raise UsageError(error.problems[0].replace(help=f'did you mean the file "{path}"?')) from None
        if "/" in system or not os.path.isfile(system):
            raise
        help = f"to read the file of that name, write ./{system}"
        raise UsageError(Problem("QN301", error.problems[0].found, help=help)) from None
    return with_settings(model, parse_settings(settings))


def _converted(path: str) -> Model:
    """The model of a file of another tool; notes list what it cannot express; raises as `qnet convert` does."""
    from qnet.cli.output import write_notes
    from qnet.documents import GivenText, parse
    from qnet.exchange.formats import format_of, read_format, refused
    from qnet.exchange.imported import Reading, notes_of, read_bytes
    from qnet.model.load import build

    converted = read_format(format_of(path), read_bytes(path), Reading(name=path))
    if failure := refused(converted, "model", path):
        raise failure
    write_notes(notes_of(item for item in converted.items if not item.informs))
    return build(GivenText(*parse(converted.text.encode(), path)), path)


def _file_like(system: str) -> str:
    """The TOML file whose name a system has but for case and suffix; empty where there is none."""
    folder, name = os.path.split(system)
    names = {f"{stem}.toml".lower() for stem in (name, name.rpartition(".")[0]) if stem}
    try:
        files = [file for file in sorted(os.listdir(folder or ".")) if file.lower() in names and file != name]
    except (OSError, ValueError):
        return ""
    return os.path.join(folder or ".", files[0]) if files else ""


def _name_of_missing_file(system: str) -> str:
    """The system or example that has the file name of a path without a file; empty where there is none."""
    from qnet.catalog.find import system_path

    name = os.path.basename(system).removesuffix(".toml")
    if name == system or os.path.exists(system):
        return ""
    try:
        system_path(name)
    except QnetError:
        return ""
    return name


def _is_part(name: str) -> bool:
    from qnet.catalog.find import entries

    return any(entry.kind == "part" and entry.id == name for entry in entries())


def announce_input(what: str) -> None:
    """Announce that standard input is being read, where it is a terminal; refuse a closed one."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise UsageError(Problem("QN002", "standard input is closed", what, file="<stdin>"))
    if sys.stdin.isatty():
        from qnet.cli.failures import write_line

        write_line(f"qnet: reading {what} from the terminal; end it with Ctrl-D")
