"""Solving a `Network`: open classes in closed form, closed ones by the best method within a budget, mixed ones by both.

Mixed networks are exact too: closed classes see what open ones leave of every station, and an open customer that
arrives sees the closed ones as they are (see `open_classes`).
"""

from __future__ import annotations

from typing import Any

from qnet.errors import InvalidInput, NotComputed, Problem, suggest
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import np
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import Figures, figures
from qnet.networks.product.first_come import solve_first_come, wanted_for
from qnet.networks.product.loads import loads, ranked, reasons, refuse_overload, shared, visited_open
from qnet.networks.product.methods import CORRECTIONS, SOLVERS
from qnet.networks.product.open_classes import residence_beside, stretch
from qnet.networks.product.solution import Solution
from qnet.networks.wanted import AUTO, NO_STATES, Divided, Wanted
from qnet.queues.arithmetic import total


def solve(network: Demands, wanted: Wanted = AUTO, near: Solution | None = None) -> Solution:
    """The steady state of a network, or of every variant of a batch.

    Applies  every `Network`; the method by `methods.METHODS`.
    wanted   `method` "auto": the cheapest exact method within the budget, else the best approximation; or a name.
             "mva" and "convolution" stand for their forms over several classes too.
    near     the solution of a network that is nearly the same, from which fixed points are found sooner.
    Returns  `Solution`, with the method, why it was taken, and why the answer is not exact if it is not.
    Raises   `NoAnswer` QN401 where open load reaches a capacity, QN403 for a closed class without any time to spend;
             `NotComputed` QN511, QN513, QN515; `InvalidInput` QN514 for an unknown method.
    """
    method = wanted.method
    if method != "auto" and method not in SOLVERS:
        options = ("auto", *SOLVERS)
        help = suggest(method, options)
        raise InvalidInput(Problem("QN514", f'no method "{method}"', " or ".join(options), help=help))
    if method == "flow-equivalent":
        found = "flow-equivalent does not apply: no station is held around stations that nobody else uses"
        raise NotComputed(Problem("QN513", found, "another method"))
    _check(wanted)
    refuse_overload(network)
    if not network.closed and method != "qna":
        return _open(network, method, wanted.states)
    if method == "qna":
        raise NotComputed(Problem("QN513", "qna needs the ways between stations, which demands do not tell", "auto"))
    if method == "open":
        raise NotComputed(Problem("QN513", "open does not apply: there are closed classes", "a method for them"))
    if ranked(network):
        from qnet.networks.product.priorities import solve_ranked

        return solve_ranked(network, wanted)
    if wanted_for(network, wanted):
        return solve_first_come(network, wanted, near and near.starts)
    if network.size is not None and any(visited_open(network, station) for station in shared(network)):
        points = [_mixed(network.point(index), wanted) for index in range(network.size)]
        if wanted.each and len({point.exact for point in points}) > 1:
            raise Divided(np.array([point.exact for point in points]))
        return _stacked(network, points)
    return _mixed(network, wanted)


def _check(wanted: Wanted) -> None:
    """Refuse a budget or a variant of approximations that means nothing."""
    wrong: list[Problem] = []
    if wanted.correction and wanted.correction not in CORRECTIONS:
        options = " or ".join(CORRECTIONS)
        help = suggest(wanted.correction, CORRECTIONS)
        wrong.append(Problem("QN514", f'no correction "{wanted.correction}"', options, help=help))
    for name, value in (("operations", wanted.operations), ("memory", wanted.memory)):
        if not value > 0:
            wrong.append(Problem("QN514", f"{name} is {value}", "a number above 0"))
    count = wanted.core_solutions
    if count is not None and (isinstance(count, bool) or count != int(count) or count < 1):
        wrong.append(Problem("QN514", f"core_solutions is {count}", "a whole number of 1 or more, or None"))
    if wrong:
        raise InvalidInput(*wrong)


def _open(network: Demands, method: str, states: bool) -> Solution:
    """Open classes alone."""
    if method not in ("auto", "open"):
        raise NotComputed(Problem("QN513", f"{method} does not apply: there are no closed classes", "open, or auto"))
    if states:
        raise NotComputed(Problem("QN513", NO_STATES, "a closed class, or qnet queue with --states"))
    residence = [_open_residence(network, station, load) for station, load in enumerate(loads(network))]
    throughput = list(network.arrival_rate)
    found = figures(network, throughput, residence)
    return Solution(network, found, "open", reasons(network), "open classes alone have a closed form")


def _open_residence(network: Demands, station: int, load: Value) -> list[Value]:
    """The row of residences at a station that only open customers use."""
    if len(set(network.ranks(station))) > 1:
        from qnet.networks.product.priorities import open_row

        return open_row(network, station)
    longer = 1.0 if network.delay[station] else stretch(load, network.capacities(station))
    return [network.demand(station, kind) * longer for kind in range(network.shape[1])]


def _mixed(network: Demands, wanted: Wanted) -> Solution:
    """Closed classes, with or without open ones beside them."""
    from qnet.networks.product.closed_classes import solve_closed

    loaded = loads(network)
    needed = bool(network.open) and any(visited_open(network, station) for station in shared(network))
    answer = solve_closed(network, loaded, wanted, needed)
    found = answer.figures
    stations, classes = network.shape
    throughput: list[Value] = list(network.arrival_rate)
    for place, kind in enumerate(network.closed):
        throughput[kind] = found.throughput[place] if network.size is None else found.throughput[:, place]
    residence: list[list[Value]] = []
    for station in range(stations):
        row: list[Value] = [0.0] * classes
        for place, kind in enumerate(network.closed):
            row[kind] = found.residence[station][place] if network.size is None else found.residence[:, station, place]
        if network.open:
            states = None if found.marginals is None or network.size is not None else found.marginals[station]
            _beside(network, station, loaded[station], throughput, row, states)
        residence.append(row)
    made = figures(network, throughput, residence, found.log_constant, found.marginals if wanted.states else None)
    return Solution(network, made, answer.method, (*answer.reasons, *reasons(network)), answer.why)


def _beside(
    network: Demands, station: int, load: Value, throughput: list[Value], row: list[Value], states: Any
) -> None:
    """Fill in what open classes spend at a station beside closed ones."""
    if network.delay[station]:
        longer: Value = 1.0
    elif station not in shared(network):
        queue = total(throughput[kind] * row[kind] for kind in network.closed)
        longer = (1.0 + queue) / (1.0 - load)
    elif states is not None:
        from qnet.networks.product.open_classes import capacities_left

        longer = residence_beside(1.0, capacities_left(load, network.capacities(station), len(states)), states)
    else:
        longer = _approximate_stretch(network, station, load, throughput, row)
    for kind in network.open:
        row[kind] = network.demand(station, kind) * longer


def _approximate_stretch(
    network: Demands, station: int, load: Value, throughput: list[Value], row: list[Value]
) -> Value:
    """What open customers meet at several servers beside closed ones whose states are not known.

    (1 + queue of the closed classes + idle servers beyond one) / (servers - open load): the form of the Conway
    correction, with the idle servers of M/M/c at the load of all classes.
    """
    from qnet.queues.erlang import erlang_c

    servers = network.servers[station]
    busy = load + total(throughput[kind] * network.demand(station, kind) for kind in network.closed)
    queue = total(throughput[kind] * row[kind] for kind in network.closed)
    operations: Operations = FLOATS if network.size is None else arrays()
    busy = operations.minimum([busy, servers + 0.0 * busy])
    idle = servers - 1 - busy + erlang_c(servers, busy)
    return (1.0 + queue + operations.maximum([idle, 0.0 * idle])) / (servers - load)


def _stacked(network: Demands, points: list[Solution]) -> Solution:
    """The solutions of the points of a batch as one."""
    values: list[Any] = []
    for name in Figures.fields():
        column = [getattr(point.figures, name) for point in points]
        if name == "states":
            values.append(None if any(item is None for item in column) else _padded(column))
        else:
            values.append(None if any(item is None for item in column) else np.array(column, float))
    methods = dict.fromkeys(point.method for point in points)
    told = dict.fromkeys(reason for point in points for reason in point.reasons)
    why = dict.fromkeys(point.why for point in points)
    return Solution(network, Figures(*values), ", ".join(methods), tuple(told), "; ".join(why))


def _padded(rows: list[Any]) -> Any:
    """State probabilities of different lengths, filled up with zeros: (B, K, longest)."""
    longest = max(len(row) for states in rows for row in states)
    found = np.zeros((len(rows), len(rows[0]), longest))
    for point, states in enumerate(rows):
        for station, row in enumerate(states):
            found[point, station, : len(row)] = row
    return found
