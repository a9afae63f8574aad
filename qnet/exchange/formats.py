"""The table of formats: a format is one file and one row."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from qnet.errors import NotComputed, Problem, UsageError, printable, suggest
from qnet.exchange.imported import REFUSED, Converted, Reading
from qnet.model.model import Model
from qnet.record import Record


class Format(Record):
    """A format of another tool."""

    suffixes: tuple[str, ...]
    module: str
    """Has `read(raw, reading)`, and `write(model)` where the format can be written."""
    writes: bool
    title: str
    analyses: bool = False
    """Whether `write` takes grids as its second argument."""


FORMATS = {
    "jmva": Format((".jmva",), "qnet.exchange.jmva", True, "XML of JMVA (Java Modelling Tools) and qnsolver", True),
    "lqn": Format((".lqn", ".xlqn"), "qnet.exchange.lqn", False, "layered queueing network, text form of LQNS"),
    "lqnx": Format((".lqnx", ".lqxo"), "qnet.exchange.lqnx", False, "layered queueing network, XML form of LQNS"),
    "csv": Format((".csv", ".tsv"), "qnet.exchange.demands_csv", True, "table of demands: station,class,demand"),
}
"""Name -> its row. The model language itself is `toml`."""

TOML = "toml"


def format_of(path: str) -> str:
    """The format of a path by its suffix; empty for an unknown one."""
    suffix = "." + path.rpartition(".")[2].lower()
    if suffix == ".toml":
        return TOML
    return next((name for name, row in FORMATS.items() if suffix in row.suffixes), "")


def read_format(name: str, raw: bytes, reading: Reading) -> Converted:
    """Read a file of another tool as a model.

    name     a key of `FORMATS`.
    raw      the contents of the file.
    reading  the name of the file, and the options of the conversion.
    Returns  the model, with the items of the file that it cannot express.
    Raises   `UsageError` QN005 for an unknown format, `InvalidInput` QN760 for contents that are not in the format,
             `NotComputed` QN767 for features that no model can express.
    """
    module: Any = import_module(_row(name, [*FORMATS]).module)
    return module.read(raw, reading)


def write_format(name: str, model: Model, over: Sequence[str] = ()) -> Converted:
    """Write a model in the format of another tool.

    name     a key of `FORMATS`.
    over     grids `NAME=VALUES` that become analyses in the file, for formats that have them.
    Returns  the text, with the items of `model` that it cannot express.
    Raises   `UsageError` QN005 for an unknown format, one that is only read, or `over` where the format has no
             analyses.
    """
    written = [key for key, item in FORMATS.items() if item.writes]
    row = _row(name, [*written, TOML])
    if not row.writes:
        raise UsageError(Problem("QN005", f'the format "{name}" is read, not written', ", ".join(written)))
    module: Any = import_module(row.module)
    if over and not row.analyses:
        raise UsageError(Problem("QN005", f'the format "{name}" has no analyses over values', "jmva, or no --over"))
    return module.write(model, over) if over else module.write(model)


def _row(name: str, known: Sequence[str]) -> Format:
    if name not in FORMATS:
        found = f'unknown format "{printable(name, 60)}"'
        raise UsageError(Problem("QN005", found, ", ".join(known), help=suggest(name, known)))
    return FORMATS[name]


def refused(converted: Converted, name: str, system: str) -> NotComputed | None:
    """The failure of a conversion that would change the solution, with every reason; None where there is none.

    converted  the result of `read_format` or `write_format`.
    name       the format, for the message.
    system     the model or file, as the user named it.
    """
    problems: Sequence[Problem] = [
        Problem(REFUSED, item.text, path=(), file=f"{system}: {item.where}" if item.where else system,
                help=f"--lossy writes the {name} without it")
        for item in converted.items
        if item.changes
    ]  # fmt: skip
    return NotComputed(*problems) if problems else None
