"""Answer `qnet envelope`: along a grid, or at every row of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, UsageError
from qnet.lazy import lazy
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.envelope.envelope import envelopes
from qnet.questions.envelope.question import questions
from qnet.questions.envelope.report import envelope_report
from qnet.reports.report import Report

if TYPE_CHECKING:
    from qnet.questions.envelope import rows as rows_of_a_file
    from qnet.questions.map.tables import Rows
else:
    rows_of_a_file = lazy("qnet.questions.envelope.rows")


def ask_envelope(
    model: Model,
    names: Sequence[str] = (),
    vary: str = "",
    limit: Sequence[str] = (),
    over: Sequence[str] = (),
    route: str = "",
    find: str = "",
    crossings: bool = False,
    rows: Rows | None = None,
    wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
) -> Report:
    """The report of envelopes of a model, along a grid or for the rows of a table.

    model     with the parameters that were set.
    rows      a table; None: along the grids `over`.
    wanted    the method and its budget.
    asserted  conditions on metrics that every answer must meet.
    Raises    `UsageError` QN010 for `rows` with a grid or `crossings`; and as `questions`, `envelopes`,
              `envelope_report` and `envelope_of_rows`.

    The other arguments are those of `System.envelope`.
    """
    if rows is not None:
        refuse_with_rows(over, crossings)
    asked = questions(model, names, vary, limit, over, route, find, wanted)
    if rows is not None:
        return rows_of_a_file.envelope_of_rows(model, asked, rows, asserted)
    return envelope_report(model, envelopes(asked), asserted, crossings)


def refuse_with_rows(over: Any, crossings: bool) -> None:
    """Raise `UsageError` QN010 if a grid `over` or `crossings` is given, neither of which goes with `--rows`."""
    if over or crossings:
        other = "--over" if over else "--crossings"
        help = "a row states every parameter; write a row for each point" if over else ""
        raise UsageError(Problem("QN010", f"--rows and {other} exclude each other", "one of them", help=help))
