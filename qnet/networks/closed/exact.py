"""Exact solution of closed networks by the cheapest method that applies, within a budget."""

from __future__ import annotations

from typing import Any

from qnet.budget import MEMORY, OPERATIONS, spend
from qnet.errors import NotComputed, Problem
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, varying
from qnet.networks.closed.reduction import reduced, stacked
from qnet.networks.reasons import Reason
from qnet.networks.solvers.features import unsupported
from qnet.networks.solvers.loader import solver
from qnet.networks.solvers.table import MethodRow, row_of, rows
from qnet.networks.wanted import AUTO, Wanted, Work

_WITH_STATES = AUTO.replace(states=True)
NONE = frozenset[str]()
"""No other features."""

_SINGLE = "one closed class"
_AT_ONCE = frozenset({"several closed classes", "batches at once"})
_SMALL = 100_000
"""Steps of the recursion below which no other method is considered, since its loading would take longer."""


def choices(network: ClosedNetwork, marginals: bool = False, further: frozenset[str] = NONE) -> list[tuple[str, Work]]:
    """The methods that apply to a point, the cheapest first, with the work of each.

    network    one point, integer populations.
    marginals  whether state probabilities are wanted, which some methods do not compute.
    further    other features that a method must support, of the network of which this is the closed part.
    """
    wanted = _WITH_STATES if marginals else AUTO
    features, core = _features(network, marginals), reduced(network, marginals)
    small = _SINGLE in features and core.total * (len(core.groups) + 4) < _SMALL
    result: list[tuple[str, Work]] = []
    for row in _supporting(features | further):
        method = solver(row)
        if not method.applies(network, wanted):
            result.append((row.name, method.work(network, wanted)))
            if small:
                break
    return sorted(result, key=lambda item: item[1].operations)


def _supporting(features: frozenset[str]) -> list[MethodRow]:
    """The rows of the table that support the features of a closed network."""
    return [row for row in rows("closed") if features <= row.supports]


def _features(network: ClosedNetwork, marginals: bool) -> frozenset[str]:
    """The features of a point with identical classes and stations joined, or of a batch as stated, since several
    servers may have waits in some variants only."""
    if network.size is None:
        core = reduced(network, marginals)
        single = len(core.population) <= 1
        changing = any(group.rates is not None for group in core.groups)
    else:
        single = network.classes == 1
        changing = any(rates is not None and (varying(rates) or len(set(rates)) > 1) for rates in network.rates)
    features = {_SINGLE if single else "several closed classes"}
    if changing:
        features.add("changing rates")
    if marginals:
        features.add("state probabilities")
    return frozenset(features)


def refusal(row: MethodRow, network: ClosedNetwork, wanted: Wanted) -> Reason | None:
    """Why a method does not apply to a point or a batch; methods for several classes also take one class.

    row      of an exact method for closed classes.
    network  a point or a batch.
    wanted   whether state probabilities are wanted.
    """
    features = _features(network, wanted.states) - {_SINGLE}
    return unsupported(features, row.supports) or solver(row).applies(network, wanted)


def no_part(network: Any, wanted: Wanted) -> Any:
    """The chooser for exact methods of closed classes, which never solve a part.

    network, wanted  as for any chooser.
    Raises           `AssertionError` always.
    """
    raise AssertionError


def _applies(name: str, network: ClosedNetwork, marginals: bool) -> bool:
    """Whether a method applies to a network."""
    row = row_of(name, "closed")
    return row is not None and not refusal(row, network, _WITH_STATES if marginals else AUTO)


def by(name: str, network: ClosedNetwork, marginals: bool = False) -> ClosedFigures:
    """The steady state of a point or a batch by a named method that applies; the figures name it, unless they name the
    form for several classes."""
    row = row_of(name, "closed")
    assert row is not None
    method, wanted = solver(row), _WITH_STATES if marginals else AUTO
    if network.size is None or network.size:
        charge(of_batch(name, network, marginals))
    figures = method.solve(network, wanted, no_part)
    return figures if figures.method else figures.replace(method=name)


def charge(need: Work) -> None:
    """Charge an exact answer with half of its estimate, which is an upper one.

    need  operations and bytes, as estimated by the method.
    """
    spend(need.operations / 2, "exact answers of closed classes")


def of_batch(name: str, network: ClosedNetwork, marginals: bool = False) -> Work:
    """The work of a method for all points: a single recursion for one class, else that of the largest point for each.

    name       of the method.
    network    a batch.
    marginals  whether state probabilities are wanted.
    Returns    operations and bytes, of all points together.
    """
    row = row_of(name, "closed")
    assert row is not None
    method, wanted = solver(row), _WITH_STATES if marginals else AUTO
    if network.size is None or (network.classes == 1 and row.family):
        return method.work(network, wanted)
    need = method.work(_largest(network), wanted)
    return need.replace(operations=need.operations * network.size)


def batch_method(network: ClosedNetwork, marginals: bool = False, further: frozenset[str] = NONE) -> str:
    """The method for a batch of one class; empty for several classes, whose points may have different methods.

    network    a batch.
    marginals  whether state probabilities are wanted.
    further    as for `choices`.
    """
    if network.classes != 1:
        return ""
    single = _supporting(further | {_SINGLE})
    return next(row.name for row in single if _applies(row.name, network, marginals))


def _largest(network: ClosedNetwork) -> ClosedNetwork:
    """The point of a batch with the most customers."""
    return network.point(int(network.population.sum(1).argmax()))


def solve(
    network: ClosedNetwork,
    marginals: bool = False,
    operations: float = OPERATIONS,
    memory: float = MEMORY,
    further: frozenset[str] = NONE,
) -> ClosedFigures:
    """The steady state of a point or a batch by the exact method that costs least.

    network     integer populations; demands and think times in seconds.
    marginals   whether to compute the state probabilities of the stations
    operations  the budget of elementary operations per point, about 1e9 per second
    memory      the budget of bytes
    further     as for `choices`
    Raises      `NotComputed` where no method fits the budget, `NoAnswer` for a class without demand and think time
    """
    if network.size is not None:
        if network.classes == 1:
            return by(batch_method(network, marginals, further), network, marginals)
        at_once = next((row.name for row in _supporting(_AT_ONCE | further)), "")
        if network.size and at_once and _applies(at_once, network, marginals):
            result = choices(_largest(network), further=further)
            forms = {at_once, *(row.name for row in rows("closed") if row.family == at_once)}
            if result and result[0][0] in forms:
                return by(at_once, network)
        points: list[ClosedFigures] = []
        known: dict[ClosedNetwork, ClosedFigures] = {}
        for point in map(network.point, range(network.size)):
            if point not in known:
                known[point] = solve(point, marginals, operations, memory, further)
            points.append(known[point])
        if points:
            return stacked(points, network)
        first = _supporting(_features(network, marginals) | further)[0]
        return stacked(points, network).replace(method=first.name)
    result = choices(network, marginals, further)
    fitting = [name for name, need in result if need.operations <= operations and need.bytes <= memory]
    failure: NotComputed | None = None
    for name in fitting:
        try:
            return by(name, network, marginals)
        except NotComputed as error:
            failure = error
    if failure:
        raise failure
    least = ", ".join(f"{name}: {need.amount(', ')}" for name, need in result)
    expected = f"at most {operations:.1e} operations and {memory:.1e} bytes"
    raise NotComputed(Problem("QN515", f"too large for an exact answer ({least})", expected))
