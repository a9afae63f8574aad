"""The probability of waiting at c servers for a limited number of requesting holders and an open stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.lazy import Array, np
from qnet.record import Record

MAX_SOURCES = 2000
"""Beyond this number of sources the requests are practically a Poisson stream, and callers treat them so."""

MAX_SERVERS = 20_000
"""Beyond this number of servers the chain is not worth its memory, and callers use Erlang's C."""

_TOLERANCE, _CLOSEST = 2e-14, 2e-15
"""Tolerances of the logarithm of the throughput: for long chains, whose weights have rounding errors as large; and for
short ones, per unit of the logarithm of the rate, whose rounding error is as large."""
_MAX_ROUNDS = 200
"""Any number above what converges works: the bracket is halved where a step leaves it."""
_STIRLING = 16
"""From here on four terms of Stirling's series give the logarithm of a factorial to the last digits."""
_CACHED = 1 << 16
"""States over all points that are computed together: enough that calls take little of the time, and few enough that an
array of as many floats takes half a megabyte."""
_SHORT, _MANY = 256, 1 << 24
"""The number of requests up to which chains are never cut, and the largest number of requests of a chain."""
_LEFT_OUT = 1e-18
"""The largest share of the total weight that a cut chain may leave out."""
_MOST_WAITING = 0.45
"""The largest share of the holders that waits in the first estimate."""
_LONG, _STRIDE = 512, 16
"""The length from which the end of the weights of a chain is searched, and the stride of that search."""
_WIDE = 200
"""The number of points from which products along chains are faster one row at a time."""
_ALONG = 128
"""The requests of a chain from which its states, not the points, are contiguous in memory: that halves the time of the
rounds for two points, and costs nothing for a hundred."""
_LARGEST_WEIGHT = 1e250
"""The largest weight that is computed as a product; sums of such weights times squares of requests do not overflow."""
_STEPPED = 32
"""The requests of a chain from which a round takes longer than the step that saves one."""
_LOST, _NOTHING = -50.0, 1e-20
"""The logarithm of a negligible weight, relative to the largest; and the largest last weight of a cut chain, relative
to the sum."""
_ROUNDING = 1e-13
"""The least share of the capacity that a throughput must leave to be more than a rounding error."""
_HIGHEST = 50.0
"""The largest logarithm of an idle holder's request rate: no load below c (1 - 1e-9) needs more."""


def waiting_probability(sources: int, servers: int, offered: Any, first_share: Any, open_offered: Any) -> Any:
    """Probability that a request of one of `sources` holders finds all `servers` busy, at a given throughput.

    Applies      A holder requests a server, is kept until the first phase of its service ends, and makes its next
                 request after a while; the server remains busy for a second phase. An open Poisson stream uses the
                 servers too.
    sources      N >= 1 holders, at most `MAX_SOURCES`.
    servers      c >= 1, at most `MAX_SERVERS`.
    offered      a, erlangs of the holders' requests, both phases, a > 0, shape (B,) or a float.
    first_share  p, the share of the first phase in them, in [0, 1], likewise.
    open_offered b, erlangs of the open stream, likewise, a + b < c.
    Returns      the probability, shape (B,). It is 0 where no request can ever find another: N <= c, p = 1, b = 0.
    Raises       NotComputed where the request rate of an idle holder does not converge to 2e-14.
    Method       Both kinds in one product-form chain. With n holders' requests present, N - h(n) holders are free to
                 ask, h(n) = max(n - f, 0) + p min(n, f), f = c - b being the servers left to them on average. Summed
                 over the open stream in closed form, the weight of n is
                     prod_{k<n} z (N - h(k))
                     x [ (c^n / n!) sum_{i<c-n} b^i / i!  +  (c^c / c!) t(n) / (1-x)^(n+1) ] / c^n,
                 x = b / c, t(n) the probability that a binomial (c, 1-x) variable is at most n; the second term is
                 the part with all servers busy. Positive terms only. The rate z of a free holder is the root of
                 throughput = a, by Halley steps on log z kept inside a bracket, a few at any load. Long chains
                 are cut where the rest is negligible.
    Exact        for p = 1 (M/M/c//N with a Poisson stream of the same exponential service: a mixed product-form
                 network), for b = 0 and c = N = 1, and as N grows (Erlang's C). Otherwise an aggregation.
    Fails        where no rate gives the throughput (p = 1 and a >= N): the answer is then that of a very large rate.
    Source       Mixed product form: @baskett1975; M/M/c//N: @kleinrock1975, chapter 3; the throughput as given:
                 this tool.

    >>> waiting_probability(sources=1, servers=1, offered=0.5, first_share=1.0, open_offered=0.0)
    array([0.])
    """
    return full_probabilities(sources, servers, offered, first_share, open_offered)[0]


def full_probabilities(
    sources: Any,
    servers: int,
    offered: Any,
    first_share: Any,
    open_offered: Any,
    guess: Any = None,
    chains: Chains | None = None,
) -> tuple[Any, Any, Any, Any]:
    """Probabilities of all servers busy on arrival of a request and at any time, the rates, and the services ahead.

    servers, offered, first_share, open_offered  as of `waiting_probability`.
    sources      N, a number or (B,) of them; fractions are allowed.
    guess        initial values: logarithms of the rates z, (B,); or the rates of an earlier answer, (4, B).
    chains       of earlier rounds; updated.
    Returns      the probability on arrival of a holder's request, (B,); that at any time, (B,); the rates, (4, B): log
                 z, the erlangs there, and the first two derivatives of the logarithm of the throughput near it,
                 not-a-number where they were not computed; and (B,) the mean number of services that end before that of
                 a holder's request begins, over all c servers: the requests that it finds beyond c - 1. It is exact
                 where the probabilities are.
    """
    start = np.full((4, 1), np.nan)
    if guess is not None:
        start = np.asarray(guess, dtype=float)
        start = start if start.ndim == 2 else np.stack([start, *np.full((3, *start.shape), np.nan)])
    points = [np.asarray(item, dtype=float) for item in (sources, offered, first_share, open_offered, *start)]
    size = np.broadcast_shapes((1,), *(item.shape for item in points))[0]
    most = math.ceil(points[0].max()) + servers
    if most <= _SHORT:
        return _answered(_in_blocks(chains, most, servers, points, size, guess is not None)[0])
    points = [np.broadcast_to(item, (size,)) for item in points]
    counts = np.minimum(_enough(servers, points[1], points[3]), most)
    result: Any = np.zeros((7, size))
    for count in sorted(set(counts.tolist())):
        here = np.flatnonzero(counts == count)
        some = [item[here] for item in points]
        values, left_out = _in_blocks(chains, count, servers, some, len(here), guess is not None, count == most)
        result[:, here] = values
        again = np.flatnonzero(left_out > _LEFT_OUT) if count < most else here[:0]
        if again.size:
            rest = [item[again] for item in some]
            result[:, here[again]] = _in_blocks(chains, most, servers, rest, len(again), guess is not None)[0]
    return _answered(result)


def states(sources: Any, servers: int, offered: Any, open_offered: Any) -> int:
    """The number of states of the chains that `full_probabilities` computes, over all points.

    sources, servers, offered, open_offered  as of `full_probabilities`, (B,) each but `servers`.
    """
    most = math.ceil(sources.max()) + servers
    if most <= _SHORT:
        return len(sources) * most
    return int(np.minimum(_enough(servers, offered, open_offered), most).sum())


def _answered(result: Any) -> tuple[Any, Any, Any, Any]:
    return result[0], result[1], result[3:], result[2]


def _enough(servers: int, offered: Any, open_offered: Any) -> Any:
    """(B,) powers of 2: the numbers of requests from which the weights of a chain with unlimited sources are
    negligible, since they fall geometrically with its load."""
    spare = servers - open_offered
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = servers + 1 - math.log(_LEFT_OUT / 16) / np.log(spare / offered)
    needed = np.where(np.isfinite(needed) & (needed > 0), np.minimum(needed, _MANY), _MANY)
    return (2 ** np.ceil(np.log2(np.maximum(needed, _SHORT)))).astype(int)


def _in_blocks(
    chains: Chains | None, most: int, servers: int, points: list[Any], size: int, guessed: bool, entire: bool = True
) -> tuple[Any, Any]:
    """As `_solved`, of any number of points."""
    # A third of a long chain or less is left after a cut.
    states = most + 1 if not (guessed and entire) or most < _LONG else most // 3
    block = max(_CACHED // states, 1)
    if size <= block:
        return _solved(chains, most, servers, points, guessed, entire)
    points = [np.broadcast_to(item, size) for item in points]
    # Allocating large arrays again for each block takes as long as filling them.
    room = _arrays(4, most, block)
    blocks = [
        _solved(chains, most, servers, [item[begin : begin + block] for item in points], guessed, entire, room)
        for begin in range(0, size, block)
    ]
    values, left_out = zip(*blocks, strict=True)
    return np.concatenate(values, axis=1), np.concatenate(left_out)


def _cut(chain: _Chain, rate: Any) -> int:
    """The number of requests beyond which the weights at rates near the given ones are negligible."""
    size = len(chain.count)
    if size < _LONG:
        return size - 1
    # Weights have one peak, so that a few of them show where they become negligible.
    compared = np.arange(0, size, _STRIDE)
    logs = chain.steps[compared] + chain.count[compared, None] * rate
    there = np.flatnonzero((logs > logs.max(axis=0) + _LOST).any(axis=1))
    return min(int(there[-1]) * _STRIDE + _STRIDE, size - 1)


def _solved(
    chains: Chains | None, most: int, servers: int, points: list[Any], guessed: bool, entire: bool = False,
    room: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """As `full_probabilities`, for points whose chains, of 0 to `most` requests, fit the cache of the processor.

    entire   whether chains end there, so that negligible weights are left out of the rounds.
    room     four work arrays with enough rows and columns.
    Returns  (7, B) the answers, and (B,) an upper bound of the share of the weight of longer chains beyond these
             requests; 0 where chains end there.
    """
    columns_of: list[Array] = [np.atleast_1d(item) for item in points]
    sources, offered, first_share, open_offered, *guess = columns_of
    chain = _kept_chain(chains, most, servers, sources, first_share, open_offered, room)
    rate, least = _starts(servers, columns_of, guessed, guessed and most >= _STEPPED)
    cut = _cut(chain, rate) if guessed and entire else most
    if cut < most:
        chain = chain.each(lambda part: part[: cut + 1]).replace(count=chain.count[: cut + 1])
    each_of = rate, least, offered, servers - open_offered, *guess[2:]
    size = max(chain.free.shape[1], *map(len, each_of))
    # Sums over a single chain differ in the last digits from those over several.
    columns = max(size, 2)
    rate, least, offered, spare, slope, bend = (
        item if len(item) == columns else np.full(columns, item) for item in each_of
    )
    low = least - guessed
    high = np.full_like(rate, _HIGHEST)
    result: Any = np.zeros((7, len(rate)))
    left_out: Any = np.zeros(len(rate))
    live = np.arange(len(rate))
    count = chain.count
    squares = count**2
    work: Any = (_arrays(2, most, columns) if room is None else room[2:])[:, : len(count)]
    both = work[:, :, :columns]
    weights, asking = both
    exact = len(chain.heads) > 0
    for _ in range(_MAX_ROUNDS):
        _weigh(chain, rate, weights)
        np.multiply(weights, chain.free, out=asking)
        mass, asked = sums = _sums(both, None)
        excess = rate + np.log(asked / (mass * offered))
        # A bracket narrower than rounding cannot be improved: it counts as the root.
        size_of = np.maximum(1.0, np.abs(rate))
        enough = np.minimum(_CLOSEST * size_of, _TOLERANCE) if exact else _TOLERANCE
        done = (np.abs(excess) <= enough) | (high - low <= 4e-15 * size_of)
        left = len(done) - np.count_nonzero(done)
        # Finished points remain among the others until they are half of all, since removing them takes longer.
        parted = not left or 1 < left < len(done) / 2
        if parted:
            (observed, all_busy), ahead = _busy_and_ahead(chain, servers, both)
            known = [all_busy / asked, observed / mass, ahead / asked, rate, offered, slope, bend]
            result[:, live[done]] = np.stack(known)[:, done]
            if cut < most and (weights[-1, done] > _NOTHING * mass[done]).any():
                return _solved(chains, most, servers, points, guessed, False)
            if not entire:
                left_out[live[done]] = _share_beyond(chain, rate, spare, weights[-1] / mass, done)
        if not left:
            return result[:, :size], left_out[:size]
        low, high = np.where(excess < 0, rate, low), np.where(excess > 0, rate, high)
        means = mean, asked_mean = _sums(both, count) / sums
        variance, asked_variance = _sums(both, squares) / sums - means**2
        # Finished points keep the derivatives of their last step, as they would alone.
        slope = np.where(done, slope, np.maximum(1 + asked_mean - mean, 1e-12))
        bend = np.where(done, bend, asked_variance - variance)
        step = rate - _halley(excess, slope, bend, offered, spare)
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        rate = np.where(done, rate, step)
        if parted:
            going = np.flatnonzero(~done)
            live, rate, low, high = live[going], rate[going], low[going], high[going]
            offered, spare, chain = offered[going], spare[going], chain.part(going)
            slope, bend = slope[going], bend[going]
            both = work[:, :, : len(rate)]
            weights, asking = both
    problem = "the finite-source wait did not converge"
    raise NotComputed(Problem("QN510", problem, help="report the model: this should not happen"))


def _starts(servers: int, points: Sequence[Array], guessed: bool, stepped: bool) -> tuple[Any, Any]:
    """(B,) logarithms of the initial rates z, and of lower bounds of the rates.

    points    as of `_solved`.
    guessed   whether initial values are given.
    stepped   whether these are improved by a step first.
    """
    sources, offered, first_share, open_offered, *guess = points
    least = np.log(offered / sources)
    rate = np.minimum(_next_rate(guess, offered, servers - open_offered, least) if stepped else guess[0], _HIGHEST)
    if np.isnan(rate).any():
        first = least if guessed and not stepped else _first_rate(servers, sources, offered, first_share, open_offered)
        rate = np.where(np.isnan(rate), first, rate)
    return rate, least


def _share_beyond(chain: _Chain, rate: Any, spare: Any, last: Any, done: Any) -> Any:
    """An upper bound of the share of the weight of longer chains beyond these requests, at the points that are `done`.

    last   the share of the last weight; the next ones fall at least geometrically.
    """
    fall = np.minimum((np.exp(rate) * chain.free[-1] / spare)[done], 1.0)
    return last[done] * fall / np.maximum(1.0 - fall, 1e-300)


def _busy_and_ahead(chain: _Chain, servers: int, both: Array) -> tuple[Array, Array]:
    """(2, B) the sums of `busy` of a chain, weighted by each of two shares of its states; (B,) of `ahead`, weighted by
    the second."""
    few = min(servers, len(chain.count))
    count = chain.count
    busy = _sums(both[:, :few] * chain.busy, None) + _sums(both[:, few:], None)
    shares = both[1:]
    ahead = _sums(shares[:, :few] * chain.ahead, None) + _sums(shares[:, few:], count[few:] - (servers - 1))
    return busy, (ahead + chain.beside[0] * _sums(shares[:, few:], count[few:] + 1))[0]


def _next_rate(guess: Sequence[Array], offered: Array, spare: Array, least: Array) -> Any:
    """(B,) logarithms of initial rates z: by a step from the last ones, where their derivatives are known."""
    rate, last, slope, bend = guess
    with np.errstate(all="ignore"):
        following = rate - _halley(np.log(last / offered), slope, bend, offered, spare)
    return np.where((following > least - 1.0) & (following < _HIGHEST), following, rate)


def _first_rate(servers: int, sources: Any, offered: Any, first_share: Any, open_offered: Any) -> Any:
    """(B,) logarithms of initial rates z, with the number of free holders estimated by the formula of Sakasegawa
    (1977)."""
    spare = servers - open_offered
    load = np.minimum(offered / spare, 1 - 1e-9)
    waiting = np.minimum(load ** (1 + math.sqrt(2 * (servers + 1))) / (1 - load), _MOST_WAITING * sources)
    free = np.maximum(sources - first_share * offered - waiting, 1e-3 * sources)
    return np.maximum(np.log(offered / free), np.log(offered / sources))


def _halley(excess: Array, slope: Array, bend: Array, offered: Array, spare: Array) -> Array:
    """(B,) the steps of log z towards the given throughput.

    excess       the logarithm of the present throughput over the given one.
    slope, bend  its first and second derivative with respect to log z.
    offered      the given throughput in erlangs.
    spare        its limit in erlangs.
    Method       Halley's, for the logarithm of throughput / (spare - throughput): that of throughput alone is nearly
                 linear in log z only at light loads, and that of spare - throughput only at heavy ones.
    """
    with np.errstate(all="ignore"):
        beyond = offered * np.expm1(excess) / (spare - offered)
        below = (1 - beyond) * (spare - offered) > _ROUNDING * spare
        ratio = np.where(below, offered * np.exp(excess) / ((spare - offered) * (1 - beyond)), 0.0)
        missed = np.where(below, excess - np.log1p(-beyond), excess)
    newton = missed / (slope * (1 + ratio))
    return newton / np.clip(1 - newton * (bend / slope + ratio * slope) / 2, 0.5, 2.0)


def _arrays(number: int, most: int, columns: int) -> Array:
    """Work arrays for the states of chains of 0 to `most` requests, with a column for each point."""
    if most < _ALONG:
        return np.empty((number, most + 1, columns))
    return np.empty((number, columns, most + 1)).swapaxes(1, 2)


def _columns(part: Any, chosen: Any) -> Any:
    """Some columns, in the memory layout of the array."""
    return part.take(chosen, axis=1) if part.strides[0] > part.strides[1] else part.T.take(chosen, axis=0).T


def _sums(shares: Any, values: Any) -> Any:
    """Sums over chains, one in each column, of values times shares of their states: (k, n, B) to (k, B); of the
    shares alone for None.

    The last digits of matrix products and plain sums depend on the number of points and on the position of a point;
    these depend at most on the length of a long chain.
    """
    if values is not None:
        return np.einsum("kij,i->kj", shares, values)
    # Rows are added one after the other, and no numbers of a row.
    if shares.strides[1] > shares.strides[2]:
        return np.add.reduce(shares, axis=1)
    return np.einsum("kij,i->kj", shares, np.ones(shares.shape[1]))


_MOST_CHAINS = 24
"""The number of chains that are kept."""


class _Chain(Record):
    """The parts of a chain that do not depend on the request rate z, for n = 0 .. N + c; points are columns."""

    count: Any
    """n, shape (N + c + 1,)."""
    free: Any
    """N - h(n), at least 0; shape (N + c + 1, B)."""
    steps: Any
    """For short chains, the ratio of a weight to the one before, without z and the factors of `heads`; for long ones,
    the logarithms of the weights without z^n; of the same shape."""
    heads: Any
    """For short chains, further factors of the weights of n = 0 .. c, shape (c + 1, B); for long chains no row."""
    busy: Any
    """The share of the weight with all servers busy, for n below c: shape (c, B). From c on it is 1."""
    ahead: Any
    """That share, times the mean number of requests beyond c - 1, those of the open stream included; of the same shape.
    From c on it is n - c + 1 + (n + 1) `beside`."""
    beside: Any
    """x / (1 - x), shape (1, B)."""

    def part(self, chosen: Any) -> _Chain:
        """Some points of the batch; a single column holds for all points."""
        if self.free.shape[1] == 1:
            return self
        return self.each(lambda part: _columns(part, chosen))

    def each(self, of: Callable[[Any], Any]) -> _Chain:
        """The chain with a function applied to all arrays that have a column for each point."""
        return self.replace(**{name: of(part) for name, part in self.as_dict().items() if name != "count"})


Chains = dict[tuple[Any, ...], _Chain]
"""The latest chains, by their parameters: between the rounds of a fixed point only the rates change."""


def _kept_chain(
    chains: Chains | None, most: int, servers: int, sources: Any, share: Any, erlangs: Any, room: Any
) -> _Chain:
    """As `_chain`, from the chains that are kept if it is among them."""
    if chains is None:
        return _few_chains(most, servers, sources, share, erlangs, room)
    key = most, servers, *(item.tobytes() for item in (sources, share, erlangs))
    if key not in chains:
        while len(chains) >= _MOST_CHAINS:
            del chains[next(iter(chains))]
        chains[key] = _few_chains(most, servers, sources, share, erlangs, None)
    return chains[key]


def _few_chains(most: int, servers: int, sources: Any, share: Any, erlangs: Any, room: Any) -> _Chain:
    """As `_chain`, with one column if all points have the same chain; if at most half of the chains differ, each is
    made once."""
    if (sources == sources[0]).all():
        sources = sources[:1]
    if not ((share == share[0]).all() and (erlangs == erlangs[0]).all()):
        return _chain(most, sources, servers, share, erlangs, room)
    share, erlangs = share[:1], erlangs[:1]
    if len(sources) > 1:
        different, where = np.unique(sources, return_inverse=True)
        if 2 * len(different) <= len(sources):
            chain = _chain(most, different, servers, share, erlangs)
            return chain.each(lambda part: _columns(part, where))
    return _chain(most, sources, servers, share, erlangs, room)


def _chain(most: int, sources: Any, servers: int, share: Any, erlangs: Any, room: Any = None) -> _Chain:
    """The chain of 0 to `most` requests for N, p and b of each point; `room` as of `_solved`."""
    count = np.arange(0.0, most + 1)
    column = count[:, None]
    few = column[:servers]
    left = servers - erlangs
    most_free = sources + left * (1.0 - share)
    free, steps = (_arrays(2, most, len(most_free)) if room is None else room[:2])[:, :, : len(most_free)]
    np.subtract(most_free, column, out=free)
    free[:servers] = np.minimum(few, left) * (1.0 - share) + (sources - few)
    np.maximum(free, 0.0, out=free)
    constants = _constants(servers)
    idle = _idle_servers(servers, erlangs, constants)
    # From c requests on all servers are busy: only the rows before have two kinds of states.
    chances = _all_busy(servers, erlangs, constants)
    with np.errstate(divide="ignore"):
        busy = np.log(chances)
    both = np.logaddexp(idle, busy[:servers])
    heads = np.concatenate([both, busy[servers:]])
    steps[0] = 1.0
    np.divide(free[:-1], left, out=steps[1:])
    if most < _ALONG:
        heads = np.exp(heads)
    else:
        _take_logs(steps)
        steps[: servers + 1] += heads
        heads = heads[:0]
    share_busy = np.exp(busy[:servers] - both)
    beside = erlangs / left
    ahead = _ahead(few, servers, beside, chances, share_busy)
    parts = heads, share_busy, ahead, beside[None]
    heads, busy, ahead, beside = (np.broadcast_to(part, (len(part), free.shape[1])) for part in parts)
    return _Chain(count=count, free=free, steps=steps, heads=heads, busy=busy, ahead=ahead, beside=beside)


def _take_logs(steps: Array) -> None:
    """Replace the steps of weights by the logarithms of the weights."""
    with np.errstate(divide="ignore"):
        np.log(steps, out=steps)
    np.cumsum(steps, axis=0, out=steps)


def _weigh(chain: _Chain, rate: Array, weights: Array) -> None:
    """Put the weights of a chain at the rates (B,), up to a factor of each, into an array (n, B).

    Method   For short chains as products, which is fastest and loses no digits; where these would overflow, and for
             long chains, by logarithms.
    """
    if not len(chain.heads):
        _weigh_logs(chain.steps, chain.count, rate, weights)
        return
    with np.errstate(over="ignore", invalid="ignore"):
        np.multiply(chain.steps, np.exp(rate), out=weights)
        weights[0] = 1.0
        if weights.shape[1] < _WIDE:
            np.multiply.accumulate(weights, axis=0, out=weights)
        else:
            before = weights[0]
            for row in weights[1:]:
                np.multiply(row, before, out=row)
                before = row
        weights[: len(chain.heads)] *= chain.heads
        beyond = ~(weights.max(axis=0) < _LARGEST_WEIGHT)
    if beyond.any():
        part = chain.part(np.flatnonzero(beyond))
        logs: Array = part.steps.copy()
        _take_logs(logs)
        with np.errstate(divide="ignore"):
            logs[: len(part.heads)] += np.log(part.heads)
        few = np.empty((len(chain.count), np.count_nonzero(beyond)))
        _weigh_logs(logs, chain.count, rate[beyond], few)
        weights[:, beyond] = few


def _weigh_logs(logs: Array, count: Array, rate: Array, weights: Array) -> None:
    """As `_weigh`, from the logarithms of the weights without their rate."""
    np.multiply(count[:, None], rate, out=weights)
    weights += logs
    weights -= weights.max(axis=0)
    np.exp(weights, out=weights)


def _ahead(count: Any, servers: int, beside: Any, chances: Any, share_busy: Any) -> Any:
    """`ahead` for n below c: n - c + 1 requests of holders and, since the open stream is negative binomial,
    (n + 1) x / (1 - x) t(n + 1) / t(n) of that, times the share with all servers busy."""
    present = chances[:-1]
    following = np.divide(chances[1:], present, out=np.zeros_like(present), where=present > 0)
    return share_busy * (count - (servers - 1) + (count + 1) * beside * following)


def _idle_servers(servers: int, erlangs: Any, constants: tuple[Any, Any, Any]) -> Any:
    """The logarithm of the weight of n = 0 .. c - 1 with a server idle, over (c^c / c!) / (1-x)^(n+1)."""
    few = np.arange(0.0, servers)[:, None]
    _, factorials, heads = constants
    terms = few * _log(erlangs) - factorials[:servers]
    terms[1:] = np.where(erlangs > 0, terms[1:], -np.inf)
    sums = np.logaddexp.accumulate(terms, axis=0)[::-1]
    return heads + sums + (few + 1) * np.log(1 - erlangs / servers)


def _all_busy(servers: int, erlangs: Any, constants: tuple[Any, Any, Any]) -> Any:
    """t(n) for n = 0 .. c: the probability that a binomial (c, 1 - b/c) variable is at most n."""
    hit = np.arange(0.0, servers + 1)[:, None]
    logs = constants[0] + hit * np.log(1 - erlangs / servers) + hit[::-1] * (_log(erlangs) - math.log(servers))
    chance = np.exp(logs)
    chance[:-1] *= erlangs > 0
    return np.minimum(np.cumsum(chance, axis=0), 1.0)


def _constants(servers: int) -> tuple[Any, Any, Any]:
    """Logarithms, as columns: of binomial(c, n) and n! for n = 0 .. c, and of (c^n / n!) / (c^c / c!) for n below c."""
    factorials = _log_factorials(servers)
    binomials = factorials[-1] - factorials - factorials[::-1]
    heads = (np.arange(0.0, servers) - servers) * math.log(servers) + factorials[-1] - factorials[:servers]
    return binomials[:, None], factorials[:, None], heads[:, None]


def _log_factorials(most: int) -> Any:
    """log n! for n = 0 .. `most`, to the last digits: by Stirling's series from `_STIRLING` on."""
    few = np.array([math.lgamma(n + 1) for n in range(min(most, _STIRLING - 1) + 1)])
    n = np.arange(float(_STIRLING), most + 1)
    series = (1 - (1 - (2 / 7 - 3 / 14 / n**2) / n**2) / (30 * n**2)) / (12 * n)
    return np.concatenate([few, (n + 0.5) * np.log(n) - n + math.log(2 * math.pi) / 2 + series])


def _log(erlangs: Any) -> Any:
    """The logarithm; 0 for 0."""
    return np.log(erlangs + (erlangs == 0))
