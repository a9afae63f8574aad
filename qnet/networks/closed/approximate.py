"""Approximate mean value analysis of closed networks: Bard-Schweitzer, Linearizer and AQL.

All three replace the recursion over populations by an estimate of the queue that a customer finds on arrival, so that
the work does not depend on the populations, which may be huge or fractional. Answers obey Little's law, the population
constraint and the utilization law to rounding; a fixed point that is not proven by its residual, or that leaves the
feasible region, is never returned or clamped.

Errors of the throughput of the class where it is largest, against exact answers of 2000 random networks each, from
`networks/measured_errors.csv`, measured by `tests/errors/test_error_product_form.py`. Several servers are corrected by
"conway" unless another correction is named.

    region                         method                         median   worst
    one server                     bard-schweitzer                3.1 %    24 %
    one server                     linearizer                     0.094 %  1.4 %
    one server                     aql                            0.19 %   8.2 %
    2 to 16 servers                bard-schweitzer                0.34 %   21 %
    2 to 16 servers                bard-schweitzer, seidmann      2.3 %    22 %
    2 to 16 servers                bard-schweitzer, rolia-sevcik  0.43 %   21 %
    2 to 16 servers                linearizer                     0.086 %  9.5 %
    2 to 16 servers                linearizer, seidmann           1.2 %    16 %
    2 to 16 servers                linearizer, rolia-sevcik       0.044 %  17 %
    2 to 16 servers                aql                            0.11 %   9.6 %
    2 to 16 servers                aql, seidmann                  1.2 %    16 %
    2 to 16 servers                aql, rolia-sevcik              0.061 %  17 %
    2 to 16 servers, open classes  bard-schweitzer                1.9 %    20 %
    2 to 16 servers, open classes  bard-schweitzer, seidmann      6.4 %    22 %
    2 to 16 servers, open classes  bard-schweitzer, rolia-sevcik  2.8 %    26 %
    2 to 16 servers, open classes  linearizer                     0.29 %   13 %
    2 to 16 servers, open classes  linearizer, seidmann           3.3 %    17 %
    2 to 16 servers, open classes  linearizer, rolia-sevcik       1.2 %    24 %
    2 to 16 servers, open classes  aql                            0.41 %   14 %
    2 to 16 servers, open classes  aql, seidmann                  3.3 %    17 %
    2 to 16 servers, open classes  aql, rolia-sevcik              1.2 %    24 %

The worst errors are at about as many servers as customers, or at very few customers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet import budget
from qnet.errors import InvalidInput, NoAnswer, NotComputed, Problem, of_method
from qnet.lazy import Array, Indices
from qnet.networks.closed import newton_core
from qnet.networks.closed.approximate_methods import aql, bard_schweitzer, linearizer
from qnet.networks.closed.approximate_servers import conway, one_server, rolia_sevcik, seidmann, servers_of
from qnet.networks.closed.newton_core import Core, CoreAnswer
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.networks.fixed_point import not_converged
from qnet.networks.wanted import Work
from qnet.record import Record

METHODS: dict[str, str] = {
    "bard-schweitzer": "proportions do not change when a customer is removed",
    "linearizer": "changes of proportions are estimated by class",
    "aql": "changes of the total queues are estimated",
}
"""The methods, the simplest first."""

CORRECTIONS: dict[str, str] = {
    "conway": "marginal probabilities of M/M/m at the load found on arrival",
    "seidmann": "one fast server and a delay",
    "rolia-sevcik": "utilization to the power of the servers",
}
"""The corrections for several servers, the recommended one first."""

DEFAULT_CORRECTION = "conway"
"""The correction with the smallest ninth decile and maximum of errors, as `tests/closed/approximate` measures them."""

_EXPECTED = "a fixed point with a residual of 1e-10"
_MOST_NEED = 10.0
"""Newton steps that most networks need, over all core solutions."""
_BYTES = 100.0
"""Bytes for each entry of the matrices of a core."""
_CELLS = 1_000_000
"""The most numbers of one array in a part of a large batch."""


class _Work(Record):
    """A batch in arrays: the core of its different queueing stations, and the parts outside of the core."""

    core: Core
    """(B, K', R) at the queueing stations; delays are part of its think times."""
    fixed: Any
    """(B, K, R) the part of each residence that does not depend on queues."""
    queueing: Any
    """(K',) the indices of the queueing stations."""
    identical: Any
    """(K',) the index of each in the core, which has identical stations once."""


def solve(
    network: ClosedNetwork,
    method: str = "linearizer",
    correction: str = DEFAULT_CORRECTION,
    solutions: int | None = 3,
    open_load: Any = None,
) -> ClosedFigures:
    """The steady state of a closed network, approximately, at a cost that does not depend on the populations.

    Applies     Product-form stations (ps, lcfs-pr, fcfs with equal exponential times), delays, several servers;
                any number of classes; populations from 0 to 10^9 and beyond, fractional ones too.
    network     a point or a batch; rates are None or (1, 2, ..., m) for m servers.
    method      "bard-schweitzer", "linearizer" or "aql".
    correction  the effect of several servers: "conway", "seidmann" or "rolia-sevcik".
    solutions   of "linearizer", the core solutions at the full population: 1 is Bard-Schweitzer, 3 is the published
                algorithm and the default, None goes on until the queue lengths change by less than 1e-9 of the
                population.
    open_load   (K,) or (B, K): the load in erlangs, at rate 1, that open classes offer to each station of a mixed
                network, in [0, m); ignored at delays; None: no open classes.
    Returns     `ClosedFigures` of the closed classes, without a normalising constant; all methods are exact for one
                customer in all, for delays alone, and for one class in a balanced network without think time. With
                open classes they are exact under the same conditions where stations have one server.
    Raises      `NotComputed` QN511 where a fixed point is not reached or not feasible, QN513 for other rates than
                servers; `NoAnswer` QN401 where open classes saturate a station, QN403 for customers that spend no
                time; `InvalidInput` QN514 for an unknown method or correction, or an open load that is no load.
    Method      See `approximate_methods` and `newton_core`. Where Linearizer or AQL leaves the feasible region (a
                residence below the demand, a utilization above 1; one random network in twenty with Linearizer, one in
                six with AQL), the last core is solved again with 0.98, 0.95, ... of the estimated changes, at last with
                none, which is Bard-Schweitzer: feasible by construction. Above 10^5 customers of a class,
                (N / 10^5)^1.5 of them are removed instead of one, against rounding.
    Fails       Bard-Schweitzer gives throughputs that are too low in most cases, by up to about a tenth, more in rare
                ones. Linearizer until convergence and AQL need not converge, above all where a million customers fill
                equal stations and rounding decides where they wait, and "rolia-sevcik" with open classes that
                nearly saturate a station may reach no proven answer: all report it.
    Source      see `approximate_methods` and `approximate_servers`.
    """
    _check(method, correction, solutions)
    with np.errstate(all="ignore"):  # What overflows is not finite, and refused.
        return _solved(network, method, correction, solutions, open_load)


def _solved(
    network: ClosedNetwork, method: str, correction: str, solutions: int | None, open_load: Any
) -> ClosedFigures:
    """As `solve`, after the options were checked."""
    lift = network.size is None
    inputs = (network.demands, network.population, network.think_time)
    demands, population, think_time = (np.asarray([value] if lift else value, dtype=float) for value in inputs)
    size, stations, classes = len(population), network.stations, network.classes
    demands = demands.reshape(size, stations, classes)
    if ((population > 0) & (think_time + demands.sum(1) <= 0)).any():
        text = "a class has customers and neither demand nor think time: its throughput has no limit"
        raise NoAnswer(Problem("QN403", text))
    indices = [index for index, delay in enumerate(network.delay) if not delay]
    counts = servers_of([network.rates[index] for index in indices])
    if counts is None:
        text = "a station has rates that depend on the number present, other than those of several servers"
        raise NotComputed(Problem("QN513", text, "one server, several servers or a delay", help="use an exact method"))
    load = _open_load(open_load, size, stations)[:, indices]
    _check_load(load, np.array(counts, dtype=float), indices, size)
    identical = _identical(demands[:, indices], load, counts)
    at_once = _at_once(stations, classes)
    parts: list[tuple[Any, ...]] = []
    for first in range(0, size, at_once):
        chosen = slice(first, first + at_once)
        queueing = demands[chosen][:, indices]
        core = _core(queueing, population[chosen], think_time[chosen], load[chosen], counts, identical)
        work = _prepared(core, network, demands[chosen], indices, identical, correction)
        answer = _answer(work.core, method, solutions)
        _prove(answer, method, correction, first, size)
        parts.append((answer.throughput, _residence(work, answer)))
    if not parts:
        shape = (0, stations, classes)
        parts.append((np.zeros((0, classes)), np.zeros(shape)))
    overall = [np.concatenate(column) for column in zip(*parts, strict=True)]
    throughput, residence = (_nested(value[0].tolist()) for value in overall) if lift else overall
    return ClosedFigures(throughput=throughput, residence=residence, method=method)


def work(stations: int, classes: int, cores: int, points: int) -> Work:
    """The work of the rounds that most networks need.

    stations, classes  their numbers.
    cores              fixed points of every point of the batch.
    points             points of the batch.
    """
    rounds = _MOST_NEED * cores * float(points)
    several = min(points, _at_once(stations, classes)) * float(cores * classes * max(stations, classes))
    return Work(rounds * newton_core.cost(stations, classes), _BYTES * several + 100.0 * points * stations * classes)


def _at_once(stations: int, classes: int) -> int:
    """The number of points that are solved together, few enough for the memory."""
    cells = (classes + 1) * classes
    fit = budget.memory() / max(1.0, _BYTES * cells * max(stations, classes))
    return int(max(1, min(_CELLS // max(1, cells * stations), fit)))


def _check(method: str, correction: str, solutions: int | None) -> None:
    if method not in METHODS:
        raise InvalidInput(Problem("QN514", f'no method "{method}"', " or ".join(METHODS)))
    if correction not in CORRECTIONS:
        raise InvalidInput(Problem("QN514", f'no correction "{correction}"', " or ".join(CORRECTIONS)))
    if solutions is not None and solutions < 1:
        raise InvalidInput(Problem("QN514", f"{solutions} core solutions", "an integer of at least 1"))


def _open_load(given: Any, size: int, stations: int) -> Any:
    """(B, K) the load of open classes in erlangs."""
    if given is None:
        return np.zeros((size, stations))
    load = np.asarray(given, dtype=float)
    if load.shape not in ((stations,), (1, stations), (size, stations)):
        raise InvalidInput(Problem("QN514", f"an open load of the shape {load.shape}", f"{stations} stations"))
    return np.broadcast_to(load, (size, stations))


def _check_load(load: Any, servers: Any, indices: list[int], size: int) -> None:
    if not (np.isfinite(load) & (load >= 0)).all():
        raise InvalidInput(Problem("QN514", "an open load is negative or not finite", "erlangs of 0 or more"))
    if (load >= servers).any():
        point, station = (int(value) for value in np.argwhere(load >= servers)[0])
        text = f"open classes offer {load[point, station]:.6g} erlangs to station {indices[station] + 1}"
        expected = f"a load below its {servers[station]:.0f} servers"
        raise NoAnswer(Problem("QN401", text + _where(point, size), expected))


def _identical(demands: Array, load: Array, counts: Sequence[int]) -> Indices:
    """(K',) the index of each queueing station among the different ones; equal demands, load and servers make one."""
    known: dict[tuple[bytes, bytes, int], int] = {}
    keys = [(demands[:, at].tobytes(), load[:, at].tobytes(), count) for at, count in enumerate(counts)]
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=int)


def _core(
    demands: Array, population: Array, think_time: Array, open_load: Array, counts: tuple[int, ...], identical: Indices
) -> Core:
    """The core of Bard-Schweitzer for queueing stations: no change of proportions."""
    one_of_all = 1.0 / np.maximum(population, 1.0)
    _, first, copies = np.unique(identical, return_index=True, return_counts=True)
    return Core(
        demands=demands[:, first],
        population=population,
        think_time=think_time,
        open_load=open_load[:, first],
        weight=np.ones(len(population)),
        one_of_all=one_of_all,
        absent=one_of_all,
        shift=np.zeros((len(demands), len(first), demands.shape[-1])),
        servers=np.array(counts, dtype=float)[first],
        copies=copies.astype(float),
        correction=one_server,
        bends=False,
    )


def _prepared(
    core: Core, network: ClosedNetwork, demands: Any, indices: list[int], identical: Indices, correction: str
) -> _Work:
    """The core with delays in the think times, and the named correction for several servers."""
    fixed = np.where(np.array(network.delay, dtype=bool)[:, None], demands, 0.0)
    if (core.servers > 1).any():
        if correction == "seidmann":
            fast, rest = seidmann(core.demands, core.servers)
            fixed[:, indices] = rest[:, identical]
            open_load, servers = core.open_load / core.servers, np.ones(len(core.servers))
            core = core.replace(demands=fast, open_load=open_load, servers=servers)
        elif correction == "conway":
            core = core.replace(correction=conway)
        else:
            core = core.replace(correction=rolia_sevcik, bends=True)
    core = core.replace(think_time=core.think_time + fixed.sum(1))
    return _Work(core, fixed, np.array(indices, dtype=int), identical)


def _answer(core: Core, method: str, solutions: int | None) -> CoreAnswer:
    if method == "aql":
        return aql(core)
    return linearizer(core, solutions) if method == "linearizer" else bard_schweitzer(core)


def _prove(answer: CoreAnswer, method: str, correction: str, first: int, size: int) -> None:
    """Raise `NotComputed` QN511 for answers that did not converge or are not feasible."""
    beyond = "left the feasible region (a residence below the demand, a utilization above 1)"
    for failed in (~answer.converged, ~answer.feasible):
        indices = np.flatnonzero(failed)
        if indices.size:
            point = first + int(indices[0])
            help = 'use the method "bard-schweitzer", which is always feasible, or an exact method'
            if method == "bard-schweitzer":
                help = "use an exact method"
            if correction != DEFAULT_CORRECTION:
                help += f', or the correction "{DEFAULT_CORRECTION}"'
            if not answer.converged.all():
                raise not_converged(method, _EXPECTED, help, point if size > 1 else None)
            raise NotComputed(of_method("QN511", method, f"{beyond}{_where(point, size)}", _EXPECTED, help))


def _where(point: int, size: int) -> str:
    return f" at point {point + 1} of the batch" if size > 1 else ""


def _residence(work: _Work, answer: CoreAnswer) -> Array:
    """(B, K, R) residences at all stations, delays included."""
    residence = work.fixed.copy()
    residence[:, work.queueing] += answer.residence[:, work.identical]
    return np.where((work.core.population > 0)[:, None, :], residence, 0.0)


def _nested(value: Any) -> Any:
    return tuple(_nested(part) for part in value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]
