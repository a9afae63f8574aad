"""Solving a `Network`: open classes in closed form, closed ones by the best method within a budget, mixed ones by both.

Mixed networks are exact too: closed classes see what open ones leave of every station, and an open customer that
arrives sees the closed ones as they are (see `open_classes`).
"""

from __future__ import annotations

from typing import Any

from qnet.errors import InvalidInput, NoAnswer, NotComputed, Problem, suggest
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.product.methods import SOLVERS
from qnet.networks.product.network import Network
from qnet.networks.product.open_classes import load_of, residence_beside, stretch
from qnet.networks.product.solution import Figures, Solution
from qnet.networks.wanted import AUTO, Wanted
from qnet.queues.arithmetic import total

_ROUNDING = 1e-11


def solve(network: Network, wanted: Wanted = AUTO) -> Solution:
    """The steady state of a network, or of every variant of a batch.

    Applies  every `Network`; the method by `methods.METHODS`.
    wanted   `method` "auto": the cheapest exact method within the budget, else the best approximation; or a name.
             "mva" and "convolution" stand for their forms over several classes too.
    Returns  `Solution`, with the method, why it was taken, and why the answer is not exact if it is not.
    Raises   `NoAnswer` QN401 where open load reaches a capacity, QN403 for a closed class without any time to spend;
             `NotComputed` QN511, QN513, QN515; `InvalidInput` QN514 for an unknown method.
    """
    method = wanted.method
    if method != "auto" and method not in SOLVERS:
        options = ("auto", *SOLVERS)
        help = suggest(method, options)
        raise InvalidInput(Problem("QN514", f'no method "{method}"', " or ".join(options), help=help))
    refuse_overload(network)
    if not network.closed:
        return _open(network, method)
    if method == "open":
        raise NotComputed(Problem("QN513", "open does not apply: there are closed classes", "a method for them"))
    if network.size is not None and any(_visited_open(network, station) for station in _shared(network)):
        return _stacked(network, [_mixed(network.point(index), wanted) for index in range(network.size)])
    return _mixed(network, wanted)


def loads(network: Network) -> list[Any]:
    """Open load of every station, in erlangs at rate 1: floats, or arrays (B,)."""
    rates = [network.arrival_rate[kind] for kind in network.open]
    return [
        load_of(rates, [network.demand(station, kind) for kind in network.open]) + _nothing(network)
        for station in range(network.shape[0])
    ]


def _nothing(network: Network) -> Value:
    if network.size is None:
        return 0.0
    import numpy

    np: Any = numpy
    return np.zeros(network.size)


def _shared(network: Network) -> list[int]:
    """Stations with several servers or rates: what open load leaves of them differs from variant to variant."""
    return [
        station
        for station in range(network.shape[0])
        if not network.delay[station] and (network.servers[station] > 1 or network.rates[station] is not None)
    ]


def _visited_open(network: Network, station: int) -> bool:
    """Whether an open class has a demand at a station, arrivals or none."""
    demands = [network.demand(station, kind) for kind in network.open]
    return any(demand > 0 if network.size is None else (demand > 0).any() for demand in demands)


def refuse_overload(network: Network) -> None:
    """Raise `NoAnswer` where the open classes ask a station for as much as it can do, or more."""
    operations: Operations = FLOATS if network.size is None else arrays()
    for station, load in enumerate(loads(network) if network.open else []):
        if network.delay[station]:
            continue
        most = network.capacities(station)[-1]
        if operations.all(load < most):
            continue
        variant = "" if network.size is None else f" in variant {int((load >= most).argmax())}"
        worst = load if network.size is None else load[(load >= most).argmax()]
        found = f"no steady state: station {station} is asked for {worst / most:.4g} times what it can do{variant}"
        help = f"arrival rates below {most / worst:.6g} of these have a steady state there"
        raise NoAnswer(Problem("QN401", found, "a load below every capacity", help=help))


def _open(network: Network, method: str) -> Solution:
    """Open classes alone."""
    if method not in ("auto", "open"):
        raise NotComputed(Problem("QN513", f"{method} does not apply: there are no closed classes", "open, or auto"))
    residence = [_open_residence(network, station, load) for station, load in enumerate(loads(network))]
    throughput = list(network.arrival_rate)
    found = figures(network, throughput, residence)
    return Solution(network, found, "open", reasons(network), "open classes alone have a closed form")


def _open_residence(network: Network, station: int, load: Value) -> list[Value]:
    """The row of residences at a station that only open customers use."""
    longer = 1.0 if network.delay[station] else stretch(load, network.capacities(station))
    return [network.demand(station, kind) * longer for kind in range(network.shape[1])]


def _mixed(network: Network, wanted: Wanted) -> Solution:
    """Closed classes, with or without open ones beside them."""
    from qnet.networks.product.closed_classes import solve_closed

    loaded = loads(network)
    needed = bool(network.open) and any(_visited_open(network, station) for station in _shared(network))
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
    network: Network, station: int, load: Value, throughput: list[Value], row: list[Value], states: Any
) -> None:
    """Fill in what open classes spend at a station beside closed ones."""
    if network.delay[station]:
        longer: Value = 1.0
    elif station not in _shared(network):
        queue = total(throughput[kind] * row[kind] for kind in network.closed)
        longer = (1.0 + queue) / (1.0 - load)
    elif states is not None:
        from qnet.networks.product.open_classes import capacities_left

        longer = residence_beside(1.0, capacities_left(load, network.capacities(station)), states)
    else:
        longer = _approximate_stretch(network, station, load, throughput, row)
    for kind in network.open:
        row[kind] = network.demand(station, kind) * longer


def _approximate_stretch(
    network: Network, station: int, load: Value, throughput: list[Value], row: list[Value]
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


def reasons(network: Network) -> tuple[str, ...]:
    """Why a network has no product form, so that its answer is approximate; empty where it has."""
    found: list[str] = []
    for station, discipline in enumerate(network.disciplines):
        if network.delay[station] or discipline == "ps":
            continue
        if discipline == "lcfs-pr":
            if network.servers[station] > 1:
                found.append(f"station {station}: last come first served with several servers has no product form")
        elif not _alike(network, station):
            found.append(f"station {station}: first come first served, with service times that differ between classes")
    return tuple(found)


def _alike(network: Network, station: int) -> bool:
    """Whether all classes have the same time per visit at a station."""
    operations: Operations = FLOATS if network.size is None else arrays()
    first: Any = None
    for kind in range(network.shape[1]):
        demand, visits = network.demand(station, kind), network.visit_ratio(station, kind)
        used = (demand > 0) & (visits > 0)
        if not (used.any() if network.size is not None else used):
            continue
        if first is None:
            first = (demand, visits)
        near = operations.absolute(demand * first[1] - first[0] * visits) <= 1e-12 * demand * first[1]
        if not operations.all(near):
            return False
    return True


def figures(
    network: Network,
    throughput: list[Value],
    residence: list[list[Value]],
    log_constant: Any = None,
    states: Any = None,
) -> Figures:
    """All figures from throughputs and residences, by the laws; refused where they are not possible.

    Raises  `NotComputed` QN502 for a figure that is not finite or negative, or a utilization above 1 by more than
            rounding: a fault of a method that must never reach a caller.
    """
    stations, classes = range(network.shape[0]), range(network.shape[1])
    response = [total(residence[station][kind] for station in stations) for kind in classes]
    queue = [[throughput[kind] * residence[station][kind] for kind in classes] for station in stations]
    busy = [[throughput[kind] * network.demand(station, kind) for kind in classes] for station in stations]
    used: list[list[Value]] = []
    for station in stations:
        share = 0.0 if network.delay[station] else 1.0 / network.peak(station)
        row = [value * share for value in busy[station]]
        used.append(_not_above_one(row, station, network))
    if network.size is None:
        made = Figures(
            tuple(throughput), tuple(response), _rows(residence), _rows(queue), _rows(used), _rows(busy), log_constant,
            states,
        )  # fmt: skip
        sound = all(0 <= value < float("inf") for row in (*residence, *queue, throughput) for value in row)
    else:
        size = network.size
        rates, times = _columns(throughput, size), _columns(response, size)
        stays, lengths = _table(residence, size), _table(queue, size)
        made = Figures(rates, times, stays, lengths, _table(used, size), _table(busy, size), log_constant, states)
        sound = all(bool(((table >= 0) & (table < float("inf"))).all()) for table in (rates, times, stays, lengths))
    if not sound:
        raise NotComputed(Problem("QN502", "a figure of the answer is negative or not finite", "smaller numbers"))
    return made


def _not_above_one(row: list[Value], station: int, network: Network) -> list[Value]:
    """Utilizations of a station whose sum is above 1 by a rounding are scaled to 1; by more, they are refused."""
    operations: Operations = FLOATS if network.size is None else arrays()
    whole = total(row)
    if operations.all(whole <= 1.0):
        return row
    if not operations.all(whole <= 1.0 + _ROUNDING):
        found = f"the utilization of station {station} comes out above 1"
        raise NotComputed(Problem("QN511", found, "a utilization of at most 1", help="try another method"))
    scale = operations.maximum([whole, 1.0 + 0.0 * whole])
    return [value / scale for value in row]


def _rows(values: list[list[Value]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in values)


def _columns(values: list[Value], size: int) -> Any:
    import numpy

    np: Any = numpy
    return np.stack([np.broadcast_to(np.asarray(value, float), (size,)) for value in values], axis=1)


def _table(rows: list[list[Value]], size: int) -> Any:
    import numpy

    np: Any = numpy
    return np.stack([_columns(row, size) for row in rows], axis=1)


def _stacked(network: Network, points: list[Solution]) -> Solution:
    """The solutions of the points of a batch as one."""
    import numpy

    np: Any = numpy
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
    import numpy

    np: Any = numpy
    longest = max(len(row) for states in rows for row in states)
    found = np.zeros((len(rows), len(rows[0]), longest))
    for point, states in enumerate(rows):
        for station, row in enumerate(states):
            found[point, station, : len(row)] = row
    return found
