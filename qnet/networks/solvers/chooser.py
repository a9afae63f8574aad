"""The choice of a method: one loop over the table of solvers, for networks of routes and of demands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from qnet.budget import FLOOR
from qnet.errors import InvalidInput, NotComputed, Problem, of_method, suggest
from qnet.networks.reasons import Reason
from qnet.networks.solvers import loader, table
from qnet.networks.solvers.features import Final, absent, does_not_apply, unsupported
from qnet.networks.wanted import Divided, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import Patient, SolvePart


_ORDER = "order of arrival"


class Choice(Protocol):
    """One way to solve a network."""

    @property
    def name(self) -> str:
        """The name of the method; "auto" or empty for a choice of several."""
        ...

    def refusal(self) -> Reason | None:
        """Why it does not apply; None where it does. Raises `NotComputed` where no other is to be tried."""
        ...

    def solve(self) -> Any:
        """The solution; None where the network is left to the next choice. Raises `NotComputed`."""
        ...


class TableMethod:
    """A row of the table, for a network with some features."""

    def __init__(
        self, row: table.MethodRow, network: Any, wanted: Wanted, features: frozenset[str], solve_part: SolvePart
    ) -> None:
        self.row, self.network, self.wanted = row, network, wanted
        self.features, self.solve_part = features, solve_part
        self.name = row.name

    def refusal(self) -> Reason | None:
        """Why it does not apply: by a feature that the row does not support, or else by its module, loaded for that."""
        return lacking(self.row, self.features) or loader.solver(self.row).applies(self.network, self.wanted)

    def solve(self) -> Any:
        """The solution; raises `NotComputed` QN515 where an exact method takes more than the budget."""
        module = loader.solver(self.row)
        if self.row.trust == "exact" or self.row.takes == "demands":
            self.afford(module.work(self.network, self.wanted))
        return module.solve(self.network, self.wanted, self.solve_part)

    def afford(self, need: Work) -> None:
        """Raise `NotComputed` QN515 beyond the budget; `Final` where fewer points would fit, so that the batch is
        divided rather than left to later, worse methods."""
        exact, points = self.row.trust == "exact", self.network.size or 1
        wanted = self.wanted if exact else self.wanted.replace(operations=max(self.wanted.operations, FLOOR))
        try:
            afford(self.name, need, wanted, points, wanted.each)
        except NotComputed as error:
            alone = need.operations <= wanted.operations * points and need.bytes <= wanted.memory * points
            if points > 1 and (alone or _ORDER in self.row.supports):
                raise Final(*error.problems) from None
            raise

    def at_last(self, result: Any) -> Any:
        """The solution of a patient method after all others; None where it has no better one than `result`."""
        module = cast("Patient", loader.solver(self.row))
        return module.at_last(self.network, self.wanted, result) if self.row.patient else None


class Named(TableMethod):
    """A row of the table that is judged by the features alone, without its module."""

    def refusal(self) -> Reason | None:
        """Why it does not apply, as far as the features show."""
        return lacking(self.row, self.features)


def offered(
    rows: Sequence[table.MethodRow],
    takes: str,
    method: Callable[[table.MethodRow], Choice],
    reduced: Callable[[], Sequence[Choice]],
) -> list[Choice]:
    """The choices for a network in one form, in the order of the table.

    rows     of the table, all or those of one name.
    takes    the form of the network.
    method   the choice of a row that takes it.
    reduced  gives the choices that try all other rows, which take a form that the network is reduced to; they replace
             the first of these rows.
    """
    result: list[Choice] = []
    pending = True
    for row in rows:
        if row.takes == takes:
            result.append(method(row))
        elif pending:
            result += reduced()
            pending = False
    return result


class Outcome:
    """The result of a choice."""

    def __init__(self) -> None:
        self.solution: Any = None
        self.name = ""
        """The method of the solution."""
        self.failed: list[tuple[str, NotComputed]] = []
        """The methods that applied and had no answer, and why."""


def choose(choices: Sequence[Choice]) -> Outcome:
    """The answer of the first choice that applies and has one, with the choices that failed before it."""
    outcome = Outcome()
    for choice in choices:
        try:
            if choice.refusal():
                continue
        except NotComputed as error:
            outcome.failed.append((choice.name, error))
            break
        try:
            outcome.solution = choice.solve()
        except NotComputed as error:
            outcome.failed.append((choice.name, error))
            if isinstance(error, Final):
                break
        if outcome.solution is not None:
            outcome.name = choice.name
            break
    return outcome


def by_name(choices: Sequence[Choice], others: Callable[[], Sequence[TableMethod]]) -> Any:
    """The solution by the first of the choices of one name that applies.

    others   gives the methods that may be named instead.
    Raises   `NotComputed` QN513 where none applies.
    """
    first: Reason | None = None
    for choice in choices:
        reason = choice.refusal()
        if not reason:
            return choice.solve()
        first = first or reason
    assert first is not None
    raise does_not_apply(choices[0].name, first, way_out(choices[0].name, others()))


def lacking(row: table.MethodRow, features: frozenset[str]) -> Reason | None:
    """Why a method does not apply, by the features of a network alone; None where it may."""
    missing = unsupported(features, row.supports)
    if missing or not row.of or row.of & features:
        return missing
    return absent(row.of)


def way_out(name: str, methods: Sequence[TableMethod]) -> str:
    """`auto` and the methods other than a named one that do not refuse a network."""
    names = [method.name for method in methods if method.name != name and _takes(method)]
    return ", ".join(dict.fromkeys(["auto", *names]))


def _takes(method: TableMethod) -> bool:
    try:
        return not method.refusal()
    except (NotComputed, Divided):
        return False


def nothing(features: frozenset[str]) -> NotComputed:
    """The refusal of a network that no method of the table takes.

    features  of the network; the reason is the first but for whether it has closed classes.
    """
    reason = unsupported(features - {"closed", "no closed classes"}, frozenset())
    return NotComputed(Problem("QN513", f"no method applies: {reason or 'the table has none'}", "see qnet methods"))


def refuse_unknown(method: str) -> None:
    """Raise `InvalidInput` QN514 for an unknown method."""
    options = ("auto", *table.names())
    if method not in options:
        help = suggest(method, options)
        raise InvalidInput(Problem("QN514", f'no method "{method}"', " or ".join(options), help=help))


def afford(name: str, need: Work, wanted: Wanted, points: int = 1, each: bool = False) -> None:
    """Raise `NotComputed` QN515 where a method needs more than the budget.

    name     of the method.
    need     what all points together need.
    wanted   whose operations and memory are the budget.
    points   of the batch.
    each     whether each point has all operations of the budget.
    """
    allowed = wanted.operations * (points if each else 1)
    if need.operations <= allowed and need.bytes <= wanted.memory:
        return
    what = f"takes {need.amount()}"
    fit = int(points * min(allowed / max(need.operations, 1.0), wanted.memory / max(need.bytes, 1.0)))
    if points > 1 and fit:
        what += f" for {points} points"
    help = "allow more with --operations and --memory, or leave the choice to auto"
    if points > 1 and fit:
        help = f"solve at most {fit} points at once, or allow more with --operations and --memory"
    raise NotComputed(of_method("QN515", name, what, budget(wanted), help))


def budget(wanted: Wanted) -> str:
    """The budget, as refusals state it.

    wanted  with operations and bytes.
    """
    return f"at most {wanted.operations:.1e} operations and {wanted.memory:.1e} bytes"
