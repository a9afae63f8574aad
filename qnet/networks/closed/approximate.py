"""Approximate mean value analysis of closed networks: Bard-Schweitzer, Linearizer and AQL.

All three replace the recursion over populations by an estimate of the queue that a customer finds on arrival, so that
the work does not depend on the populations, which may be huge or fractional. Answers obey Little's law, the population
constraint and the utilization law to rounding; a fixed point that is not proven by its residual, or that leaves the
feasible region, is never returned or clamped.

How good they are (median and worst error of a throughput against exact results) is asserted by
`tests/closed/approximate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.errors import InvalidInput, NotComputed, Problem
from qnet.networks.closed.approximate_core import Core, CoreAnswer, solve_core
from qnet.networks.closed.approximate_servers import conway, one_server, rolia_sevcik, seidmann, servers_of
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.record import Record

CORRECTIONS: dict[str, str] = {
    "conway": "marginal probabilities of M/M/m at the load found on arrival",
    "seidmann": "one fast server and a delay",
    "rolia-sevcik": "utilization to the power of the servers",
}
"""The corrections for several servers, the recommended one first."""

DEFAULT_CORRECTION = "conway"
_CONVERGED = 1e-9
_MOST_SOLUTIONS = 100
_MANY = 1e5
_PARTS = (0.98, 0.95, 0.9, 0.8, 0.6, 0.3, 0.0)
_CELLS = 1_000_000
"""How many numbers of one array a part of a large batch may have."""


class _Work(Record):
    """A batch in arrays: the queueing stations of it as `servers` and `demands`, delays folded into `away`."""

    demands: Any
    """(B, K', R) at the queueing stations, as the core wants them."""
    population: Any
    away: Any
    """(B, R) think time and the residence that does not depend on queues."""
    fixed: Any
    """(B, K, R) the part of each residence that does not depend on queues."""
    queueing: Any
    """(K',) the places of the queueing stations."""
    servers: Any
    correction: Any


def bard_schweitzer(
    network: ClosedNetwork,
    correction: str = DEFAULT_CORRECTION,
) -> ClosedFigures:
    """Closed networks by proportional estimation: removing one customer of class r leaves all proportions as they are.

    Applies     Product-form stations (ps, lcfs-pr, fcfs with equal exponential times), delays, several servers;
                any number of classes; populations from 0 to 10^9 and beyond, fractional ones too.
    network     a point or a batch; populations may be fractional; rates are None or (1, 2, ..., m) for m servers.
    correction  the effect of several servers: "conway", "seidmann" or "rolia-sevcik".
    Returns     `ClosedFigures`, without a normalising constant; exact for one customer, and for
                balanced networks of one class without delay.
    Method      seen(k, r) = sum over s of Q(k, s) - Q(k, r) / N(r), solved by Newton's method in the throughputs; the
                work does not depend on the populations.
    Fails       `NotComputed` QN511 where the residual stays above 1e-10, QN513 for other rates than servers.
                Throughputs of single-server networks come out too low in most cases, by up to about a tenth.
    Source      Bard, in Arato et al. (eds), Performance of Computer Systems, 1979, 51-62; Schweitzer, in Proc. Int.
                Conf. Stochastic Control and Optimization, Amsterdam, 1979.
    """
    return _in_parts(network, correction, _solve_schweitzer, "bard-schweitzer")


def linearizer(
    network: ClosedNetwork,
    correction: str = DEFAULT_CORRECTION,
    solutions: int | None = 3,
) -> ClosedFigures:
    """Closed networks by Linearizer: how the proportions change when a customer is removed is estimated too.

    Applies     as `bard_schweitzer`.
    network     a point or a batch; populations may be fractional; rates are None or (1, 2, ..., m) for m servers.
    correction  the effect of several servers: "conway", "seidmann" or "rolia-sevcik".
    solutions   core solutions at the full population: 1 is Bard-Schweitzer, 3 is the published algorithm and the
                default, None goes on until the queue lengths change by less than 1e-9 of the population.
    Returns     `ClosedFigures`, without a normalising constant.
    Method      The cores at N and at N less one customer of each class share the differences
                D(k, s, j) = F(k, s | N - 1(j)) - F(k, s | N) of the fractions F = Q / N; their sum over classes is kept
                instead of the single terms, so that a core costs K R numbers. All cores of a batch are one Newton.
                Where that leaves the feasible region (a residence below the demand, a utilization above 1; one network
                in twenty, near saturation), the last core is solved again with 0.98, 0.95, ... of the estimated
                changes, at last with none, which is Bard-Schweitzer: feasible by construction, never clamped. Above
                10^5 customers of a class, (N / 10^5)^1.5 of them are removed instead of one, against rounding.
    Fails       `NotComputed` QN511 where the sequence of cores does not settle in 100 turns.
    Source      Chandy and Neuse, Comm. ACM 25 (1982) 126-134; de Souza e Silva and Muntz, IEEE Trans. Computers 39
                (1990) 840-842; the relaxation: this tool.
    """
    if solutions is not None and solutions < 1:
        raise InvalidInput(Problem("QN514", f"{solutions} core solutions", "a whole number of at least 1"))

    def method(work: _Work) -> CoreAnswer:
        return _solve_linearizer(work, solutions)

    return _in_parts(network, correction, method, "linearizer")


def aql(
    network: ClosedNetwork,
    correction: str = DEFAULT_CORRECTION,
) -> ClosedFigures:
    """Closed networks by aggregate queue length: Linearizer's idea applied to the total queue of each station.

    Applies     as `bard_schweitzer`; exact for one customer in all.
    network     a point or a batch; populations may be fractional; rates are None or (1, 2, ..., m) for m servers.
    correction  the effect of several servers: "conway", "seidmann" or "rolia-sevcik".
    Returns     `ClosedFigures`, without a normalising constant.
    Method      seen(k, r) = (n - 1)(Q(k) / n - g(k, r)), n the total population and g(k, r) the change of Q(k) / n when
                a customer of class r is removed; g from the cores at N and N less one customer, until the queue
                lengths change by less than 1e-9 of the population. Relaxed as `linearizer` where infeasible.
    Fails       `NotComputed` QN511 where it does not settle in 100 turns: "rolia-sevcik" near saturation.
    Source      Zahorjan, Eager and Sweillam, Performance Evaluation 8 (1988) 255-270.
    """
    return _in_parts(network, correction, _solve_aql, "aql")


def _in_parts(
    network: ClosedNetwork, correction: str, method: Callable[[_Work], CoreAnswer], name: str
) -> ClosedFigures:
    """A method applied to a batch of any size, a part of bounded memory at a time."""
    import numpy

    np: Any = numpy

    lift = network.size is None
    inputs = (network.demands, network.population, network.think_time)
    demands, population, think_time = (np.asarray([value] if lift else value, dtype=float) for value in inputs)
    if ((population > 0) & (think_time + demands.sum(1) <= 0)).any():
        found = "a class has customers and neither a demand nor a think time"
        raise InvalidInput(Problem("QN514", found, "some time to spend in each passage"))
    size, stations, classes = demands.shape
    at_once = max(1, _CELLS // max(1, stations * classes * (classes + 1)))
    parts: list[tuple[Any, ...]] = []
    for first in range(0, size, at_once):
        chosen = slice(first, first + at_once)
        work = _prepared(network, demands[chosen], population[chosen], think_time[chosen], correction)
        answer = method(work)
        _prove(answer, first)
        parts.append(_means(network, work, answer, demands[chosen]))
    whole = [np.concatenate([part[place] for part in parts]) for place in range(5)]
    throughput, residence, queues, utilization, busy = (
        [_nested(value[0].tolist()) for value in whole] if lift else whole
    )
    return ClosedFigures(throughput, residence, queues, utilization, busy, None, None, name)


def _nested(value: Any) -> Any:
    return tuple(_nested(part) for part in value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]


def _prepared(network: ClosedNetwork, demands: Any, population: Any, think_time: Any, correction: str) -> _Work:
    """The batch as the core wants it: delays folded into think times, several servers corrected as asked."""
    import numpy

    np: Any = numpy

    queueing = np.array([place for place, away in enumerate(network.delay) if not away], dtype=int)
    counts = servers_of([network.rates[place] for place in queueing.tolist()])
    if counts is None:
        found = "a station has rates that depend on the number there in another way than several servers do"
        raise NotComputed(Problem("QN513", found, "one server, several servers or a delay", help="use an exact method"))
    if correction not in CORRECTIONS:
        raise InvalidInput(Problem("QN514", f'no correction "{correction}"', " or ".join(CORRECTIONS)))
    servers: Any = np.array(counts, dtype=float)
    fixed = np.where(np.array(network.delay, dtype=bool)[:, None], demands, 0.0)
    seen = demands[:, queueing]
    form: Any = one_server
    if (servers > 1).any():
        if correction == "seidmann":
            seen, rest = seidmann(seen, servers)
            fixed = fixed.copy()
            fixed[:, queueing] = rest
            servers = np.ones(len(counts))
        else:
            form = conway if correction == "conway" else rolia_sevcik
    return _Work(seen, population, think_time + fixed.sum(1), fixed, queueing, servers, form)


def _prove(answer: CoreAnswer, first: int) -> None:
    """Refuses answers that are not converged or not possible."""
    import numpy

    np: Any = numpy

    for failed, found in (
        (~answer.converged, "the approximation did not converge"),
        (
            ~answer.feasible,
            "the approximation left the feasible region (a residence below the demand, a utilization above 1)",
        ),
    ):
        places = np.flatnonzero(failed)
        if places.size:
            where = f" at point {first + int(places[0])} of the batch" if failed.size > 1 else ""
            help = 'use the method "bard-schweitzer", which always stays feasible, or an exact method'
            raise NotComputed(Problem("QN511", found + where, "a fixed point with a residual of 1e-10", help=help))


def _means(network: ClosedNetwork, work: _Work, answer: CoreAnswer, demands: Any) -> tuple[Any, ...]:
    """Throughput, residence, queue length, utilization and busy servers of all stations, delays included."""
    import numpy

    np: Any = numpy

    residence = work.fixed.copy()
    residence[:, work.queueing] += answer.residence
    residence = np.where((work.population > 0)[:, None, :], residence, 0.0)
    throughput = answer.throughput[:, None, :]
    busy = throughput * demands
    share = [0.0 if away else 1.0 / network.peak(place) for place, away in enumerate(network.delay)]
    return answer.throughput, residence, throughput * residence, busy * np.array(share)[:, None], busy


def _core(work: _Work) -> Core:
    """The core of Bard-Schweitzer: no change of proportions."""
    import numpy

    np: Any = numpy

    size = work.population.shape[0]
    own = 1.0 / np.maximum(work.population, 1.0)
    nothing = np.zeros(work.demands.shape)
    return Core(
        work.demands, work.population, work.away, np.ones(size), own, own, nothing, work.servers, work.correction
    )


def _solve_schweitzer(work: _Work) -> CoreAnswer:
    return solve_core(_core(work))


def _removed(population: Any) -> Any:
    """How many customers are removed to see how proportions change: one, and more where rounding would hide that."""
    import numpy

    np: Any = numpy

    return np.maximum(1.0, (population / _MANY) ** 1.5)


def _settled(population: Any) -> Any:
    """The change of queue lengths, in units of the total population, that is lost in rounding."""
    import numpy

    np: Any = numpy

    return np.maximum(_CONVERGED, 1e-13 * population.sum(-1))


def _reduced(work: _Work) -> Core:
    """The cores at N and at N less one customer of each class: (R + 1) fixed points per point of the batch, N first."""
    import numpy

    np: Any = numpy

    classes = work.population.shape[1]
    less = np.concatenate([np.zeros((1, classes)), np.eye(classes)]) * _removed(work.population)[:, None, :]
    population = np.maximum(work.population[:, None, :] - less, 0.0).reshape(-1, classes)
    demands = np.repeat(work.demands, classes + 1, axis=0)
    own = 1.0 / np.maximum(population, 1.0)
    away = np.repeat(work.away, classes + 1, axis=0)
    return Core(
        demands,
        population,
        away,
        np.ones(len(population)),
        own,
        own,
        np.zeros(demands.shape),
        work.servers,
        work.correction,
    )


def _solve_linearizer(work: _Work, solutions: int | None) -> CoreAnswer:
    """Linearizer with a number of core solutions at N, or until the queue lengths stay."""
    import numpy

    np: Any = numpy

    single, every = _core(work), _reduced(work)
    answer = solve_core(single)
    reduced = _spread(answer, every, work.population)
    for turn in range(1, solutions or _MOST_SOLUTIONS):
        reduced = _relaxed(every, solve_core(every, reduced), False)
        shifts = _linear_shifts(reduced, every.population, work.population)
        shifts = _damped(shifts, every.shift, turn)
        every = every.replace(shift=shifts.reshape(every.demands.shape))
        before = answer
        answer = solve_core(single.replace(shift=shifts[:, 0]), before)
        if turn + 1 == solutions:
            return _relaxed(single.replace(shift=shifts[:, 0]), answer)
        answer = _relaxed(single.replace(shift=shifts[:, 0]), answer, False)
        if solutions is None:
            change = _change(answer.queue_length, before.queue_length, work.population)
            if (change <= _settled(work.population)).all():
                return _relaxed(single.replace(shift=shifts[:, 0]), answer)
            if turn == _MOST_SOLUTIONS - 1:
                return answer.replace(residual=np.where(change <= _settled(work.population), answer.residual, change))
    return answer


def _relaxed(core: Core, answer: CoreAnswer, final: bool = True) -> CoreAnswer:
    """The answer; where it did not converge, or at last is not feasible, with as much of the changes as possible."""
    import numpy

    np: Any = numpy

    values = [value.copy() for value in answer]
    for part in _PARTS if final else _PARTS[-3:-1]:
        wrong = np.flatnonzero(~(CoreAnswer(*values).converged & (values[-1] | (not final))))
        if not wrong.size:
            break
        less = core.part(wrong)
        less = less.replace(shift=less.shift * part)
        if not part:
            less = less.replace(weight=np.ones(wrong.size), own=less.absent)
        better = solve_core(less)
        for value, other in zip(values, better, strict=True):
            value[wrong] = other
    return CoreAnswer(*values)


def _spread(answer: CoreAnswer, every: Core, population: Any) -> CoreAnswer:
    """The answer at N as a first guess of those at N less one customer of each class."""
    import numpy

    np: Any = numpy

    times = population.shape[-1] + 1
    ratio = every.population / np.repeat(np.where(population > 0, population, 1.0), times, axis=0)
    repeated = CoreAnswer(*(np.repeat(value, times, axis=0) for value in answer))
    return repeated.replace(
        throughput=repeated.throughput * ratio, queue_length=repeated.queue_length * ratio[:, None, :]
    )


def _linear_shifts(reduced: CoreAnswer, population: Any, whole: Any) -> Any:
    """(B, R + 1, K, R): what the changes of all proportions add to the queue seen, at N and at N less one customer.

    shift(k, r | n) = sum over s != r of n(s) D(k, s, r) + max(n(r) - 1, 0) D(k, r, r)
    """
    import numpy

    np: Any = numpy

    size, classes = whole.shape
    queues = reduced.queue_length.reshape(size, classes + 1, -1, classes)
    counts = population.reshape(size, classes + 1, classes)
    shares = queues / np.where(counts > 0, counts, 1.0)[:, :, None, :]
    change = (shares[:, 1:] - shares[:, :1]) / _removed(whole)[:, :, None, None]
    """(B, j, K, s): per customer of class j that is removed"""
    change = np.where((counts[:, 1:] > 0)[:, :, None, :], change, 0.0)
    owned = np.einsum("bjkj->bkj", change)
    summed = np.einsum("bps,bjks->bpkj", counts, change)
    return summed - np.minimum(counts, 1.0)[:, :, None, :] * owned[:, None]


def _solve_aql(work: _Work) -> CoreAnswer:
    """AQL until the queue lengths stay."""
    import numpy

    np: Any = numpy

    every = _reduced(work)
    size, classes = work.population.shape
    total = every.population.sum(-1)
    others = np.maximum(total - 1.0, 0.0)
    weight = others / np.where(total > 0, total, 1.0)
    every = every.replace(weight=weight, own=np.zeros(every.own.shape))
    whole = total.reshape(size, classes + 1)
    reduced = solve_core(every)
    answer, moved = reduced, np.zeros(size)
    for turn in range(_MOST_SOLUTIONS):
        aggregate = reduced.queue_length.sum(-1).reshape(size, classes + 1, -1)
        share = aggregate / np.where(whole > 0, whole, 1.0)[:, :, None]
        change = np.where((whole[:, 1:] > 0)[:, :, None], share[:, :1] - share[:, 1:], 0.0)
        change = change / _removed(work.population)[:, :, None]
        shift = -others.reshape(size, classes + 1)[:, :, None, None] * np.swapaxes(change, 1, 2)[:, None]
        every = every.replace(shift=_damped(shift, every.shift, turn).reshape(every.demands.shape))
        before = reduced
        reduced = _relaxed(every, solve_core(every, before), False)
        answer = CoreAnswer(*(value.reshape((size, classes + 1, *value.shape[1:]))[:, 0] for value in reduced))
        last = before.queue_length.reshape((size, classes + 1, *before.queue_length.shape[1:]))[:, 0]
        moved = _change(answer.queue_length, last, work.population)
        if (moved <= _settled(work.population)).all() or not reduced.converged.all():
            first = np.arange(size) * (classes + 1)
            return _relaxed(every.part(first), answer)
    return answer.replace(residual=np.where(moved <= _settled(work.population), answer.residual, moved))


def _damped(shift: Any, before: Any, turn: int) -> Any:
    """The new estimate of changes, averaged with the one before where many turns have not settled it."""
    new = 1.0 if turn < 20 else 0.5 if turn < 80 else 0.2
    return new * shift + (1.0 - new) * before.reshape(shift.shape)


def _change(queues: Any, before: Any, population: Any) -> Any:
    """(B,) largest change of a queue length, in units of the total population."""
    import numpy

    np: Any = numpy

    return np.abs(queues - before).max((1, 2), initial=0.0) / np.maximum(population.sum(-1), 1e-300)
