"""The options by which commands choose a method of `qnet methods`, and its budget."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qnet.cli.options import MethodOption

if TYPE_CHECKING:
    from qnet.networks.wanted import Wanted

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _complete_method(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.networks.solvers.loader import known
    from qnet.networks.solvers.table import names

    result = [name for name in ("auto", *names()) if name.startswith(incomplete)]
    return [CompletionItem(name, help="" if name == "auto" else known(name).APPLIES) for name in result]


def _complete_bounds(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.networks.solvers.bounds import BOUNDS

    return [CompletionItem(name, help=kind.applies) for name, kind in BOUNDS.items() if name.startswith(incomplete)]


def _core_solutions(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """A number of core solutions, or None for as many as it takes."""
    if value == "converged":
        return None
    try:
        count = int(value or "3")
    except ValueError:
        count = 0
    if count < 1:
        raise click.BadParameter(f"{value!r} is not valid, expected an integer of at least 1, or converged", ctx, param)
    return count


def budget_options(command: _Command) -> _Command:
    """`--operations` and `--memory`: what a command may spend."""
    operations = click.option("--operations", type=click.FloatRange(min=0, min_open=True), metavar="NUMBER",
                              help="Operation limit (about 1e9/s; default: 1e10).")  # fmt: skip
    memory = click.option("--memory", metavar="SIZE", help="Memory limit, such as 4 GB (default: 1 GB).")
    return operations(memory(command))


def method_options(command: _Command) -> _Command:
    """`--method`, the budget of exact answers, and the variants of approximations, for questions of many points."""
    option = partial(click.option, cls=MethodOption)
    for decorate in reversed(
        [
            option("--method", "method_name", metavar="NAME", default="auto", shell_complete=_complete_method,
                   help="Solution method (see qnet methods; default: auto, the most accurate within budget)."),
            budget_options,
            option("--servers-correction", metavar="NAME", default="",
                   help="Multiserver approximation: conway, seidmann or rolia-sevcik."),
            option("--core-solutions", metavar="NUMBER", default="3", callback=_core_solutions,
                   help="Linearizer iterations, or converged (default: 3)."),
        ]
    ):  # fmt: skip
        command = decorate(command)
    return command


bounds_option = click.option(
    "--bounds", cls=MethodOption, metavar="KIND", default="", shell_complete=_complete_bounds,
    help="Also compute bounds: asymptotic, balanced, composite, proportional or geometric.",
)  # fmt: skip
states_option = click.option(
    "--states",
    cls=MethodOption,
    is_flag=True,
    help="Also compute the probabilities of 0, 1, ... closed customers at stations.",
)


def method(options: dict[str, Any]) -> Wanted:
    """Take the options of `method_options`, and the two that some commands add, out of a command's arguments."""
    from qnet.networks.wanted import AUTO

    name, correction = options.pop("method_name"), options.pop("servers_correction")
    operations, memory = limited(options)
    bounds = options.pop("bounds", "")
    if name != "auto":
        _known("method", name)
    if bounds:
        _known("bounds", bounds)
    if correction:
        _known("correction", correction)
    return AUTO.replace(
        method=name,
        states=options.pop("states", False),
        bounds=bounds,
        announce=_announcer(),
        operations=operations,
        memory=memory,
        correction=correction,
        core_solutions=options.pop("core_solutions"),
    )


def limited(options: dict[str, Any]) -> tuple[float, float]:
    """Limit the account of the command as `budget_options` say, which are taken out of its arguments; the limits."""
    from qnet import budget

    operations, text = options.pop("operations"), options.pop("memory")
    limits = operations or budget.OPERATIONS, budget.MEMORY if text is None else _size(text)
    account = budget.current()
    if account is not None:
        account.limit(*limits)
    return limits


def affordable(options: dict[str, Any]) -> Wanted:
    """The best method within the limits of `budget_options`, which are taken out of a command's arguments."""
    from qnet.networks.wanted import AUTO

    operations, memory = limited(options)
    return AUTO.replace(operations=operations, memory=memory, announce=_announcer())


def _announcer() -> Callable[[str], None] | None:
    """Announces long computations on a terminal; None where standard error is not one."""
    import sys

    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        return None
    from qnet.cli.failures import write_line

    return lambda text: write_line(f"qnet: {text}")


def _known(what: str, name: str) -> None:
    """Refuse an unknown method, kind of bounds or correction."""
    from qnet.errors import Problem, UsageError, suggest
    from qnet.networks.solvers.bounds import BOUNDS
    from qnet.networks.solvers.table import names
    from qnet.networks.wanted import CORRECTIONS

    options = {"method": ("auto", *names()), "bounds": tuple(BOUNDS), "correction": CORRECTIONS}[what]
    if name not in options:
        raise UsageError(Problem("QN514", f'unknown {what} "{name}"', ", ".join(options), help=suggest(name, options)))


def _size(text: str) -> float:
    """A number of bytes."""
    from qnet.units import DATA, UnitError, quantity

    try:
        value, dimension = quantity(text)
    except UnitError as error:
        raise click.UsageError(f"--memory {text}: {error}") from None
    if dimension != DATA or value <= 0:
        raise click.UsageError(f"--memory {text}: expected a size above 0, such as 4 GB")
    return value
