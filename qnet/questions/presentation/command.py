"""The command line that gives an answer again."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted


def command_line(
    name: str, model: Model, wanted: Wanted = AUTO, asserted: Sequence[str] = (), options: Sequence[str] = (),
    network: Sequence[str] = (),
) -> str:  # fmt: skip
    """`qnet NAME SYSTEM -p ...`, quoted for a shell: the system, what was set, the method and its budget.

    options   what else was asked, as words.
    network   the options of a network without a file, which stand for the system.
    """
    from shlex import join

    # The file after --, or a file whose name starts with a dash, would be taken for an option.
    system = f"./{model.name}" if model.name.startswith("-") and model.name != "-" else model.name
    words = ["qnet", name, *(network or (system,))]
    for key, value in model.settings.items():
        words += ["-p", f"{key}={value}"]
    words += [*options, *_method(wanted)]
    for text in asserted:
        words += ["--assert", text]
    told = join(words)
    return told if system != "-" else f"{told}  # the model of digest {model.document.digest} on standard input"


def _method(wanted: Wanted) -> list[str]:
    """The options of a command that chooses a method, as far as they differ from what is taken without them."""
    words: list[str] = []
    if wanted.method != AUTO.method:
        words += ["--method", wanted.method]
    if wanted.bounds:
        words += ["--bounds", wanted.bounds]
    if wanted.operations != AUTO.operations:
        words += ["--operations", repr(wanted.operations)]
    if wanted.memory != AUTO.memory:
        words += ["--memory", f"{wanted.memory!r} B"]
    if wanted.correction:
        words += ["--servers-correction", wanted.correction]
    if wanted.core_solutions != AUTO.core_solutions:
        words += ["--core-solutions", str(wanted.core_solutions or "converged")]
    return words
