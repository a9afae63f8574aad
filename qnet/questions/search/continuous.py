"""The intervals in which limits hold, along a parameter of real values."""

from __future__ import annotations

from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, Indices, np
from qnet.questions.points.domain import outside
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.questions.search.scan import ENDLESS, LIMIT, RANGE, SATURATION, Ends, Regions, Scan, best, intervals
from qnet.questions.search.sign_changes import overloaded, sign_change, smooth
from qnet.questions.search.steady_range import START, Ending, SteadyRange, largest_steady

_NEAR = tuple(2.0**-power for power in (5, 7, 9, 12, 16, 22))
_SHARES = (1e-6, 1e-4, 1e-3, 0.01, 0.03, *(part / 16 for part in range(1, 16)), *(1 - share for share in _NEAR), 1.0)
"""The values tried in a finite range, as shares of it: evenly spaced, and denser at its ends."""
_AROUND = tuple(10 ** (part / 8) for part in range(-8, 9))
"""Further values tried in every range, as multiples of the stated value."""
_FACTORS = (*(10.0 ** (part / 2) for part in (*range(-16, -2), *range(3, 17))), float("inf"))
"""The values tried in a range without an end instead of shares of it, as multiples of the stated value."""
_BEYOND = 100.0
"""The multiple of the stated number of customers from which others are tried only where the limits still hold."""
_SPARSE = 3
"""Of these other numbers only each third is tried."""
_FAR = 1e9
"""The multiple of the stated value up to which a search goes where there is no steady state at low values."""

_Crossings = dict[tuple[int, float, float], float]
"""Where limits are crossed, by the index of the point, and the values between which they are: where they hold first."""


def continuous(trial: Trial, ends: bool = True) -> Regions:
    """Find every interval in which there is a steady state and the limits hold.

    ends     whether to search the ends of the steady state also where limits cease to hold before them.
    Method   First the end of the steady state, upwards from the least value; then a scan of the range up to it, with
             more values where the excess turns near zero, and a root for every change of sign. Where there is no steady
             state at the least value, the entire range is scanned for one.
    Limits   What happens only between two neighbouring values tried is missed.
    """
    steady = largest_steady(trial, rough=bool(trial.limits))
    scan, moved = _loaded(trial, steady)
    hopeless = ~scan.stable[np.searchsorted(scan.point, np.arange(trial.size))]
    inner = np.full(trial.size, np.inf)
    inner[~hopeless] = np.where(steady.bounded, steady.largest, np.inf)[~hopeless]
    if hopeless.any():
        _unloaded(trial, scan, np.flatnonzero(hopeless))
    scan.closer(lambda low, high: low + (high - low) / 2)
    scan.settle()
    known, left = _exceeded_before(trial, scan, steady.rough, inner, ends) if steady.rough else ({}, None)
    return _regions(trial, scan, steady, inner, moved, hopeless, known, left)


def _exceeded_before(
    trial: Trial, scan: Scan, rough: Ending, edge: Array, ends: bool
) -> tuple[_Crossings, Ending | None]:
    """The crossings of limits that were searched, and the ends of the steady state that remain to be searched.

    Where limits cease to hold before a roughly known end, it is only estimated in `edge`, and remains to be searched if
    `ends`. All other ends are computed there and scanned.

    Method   The ends that are computed, the crossings of limits at all other points, and the ends that would remain are
             one batch of roots: points at which the limits hold up to the end seldom have a crossing.
    """
    last = np.flatnonzero(np.append(~scan.neighbours(), True))
    holds = np.zeros(trial.size, dtype=bool)
    holds[scan.point[last]] = scan.holds[last]
    before = ~holds[rough.point]
    left = rough.at(before & np.isfinite(edge[rough.point]))
    edge[left.point] = left.estimate
    reached = rough.at(~before)
    if not len(reached.point):
        return {}, left if ends else None
    inner, outer = scan.changes(scan.holds)
    crossed = scan.stable[outer] & ~np.isin(scan.point[inner], reached.point)
    inner, outer = inner[crossed], outer[crossed]
    searched = reached.joined(left) if ends else reached
    roots, exact = _roots(trial, scan, inner, outer, edge, searched)
    edge[searched.point] = exact
    value = edge[reached.point][:, None] * np.array([*(1 - share for share in _NEAR), JUST_BELOW])
    keys = zip(scan.point[inner].tolist(), scan.value[inner].tolist(), scan.value[outer].tolist(), strict=True)
    known = dict(zip(keys, roots.tolist(), strict=True))
    new = value > reached.low[:, None]
    scan.look(np.repeat(reached.point, value.shape[1])[new.reshape(-1)], value[new])
    return known, None


def _loaded(trial: Trial, steady: SteadyRange) -> tuple[Scan, Flags]:
    """The scan from no load to the end of the steady state, and whether the domain moved its start."""
    size = trial.size
    end = np.where(steady.bounded, steady.largest * JUST_BELOW, steady.largest)
    # "No load" is relative to the end of the steady state; without one, to the stated value.
    reference = np.where(steady.bounded, steady.largest, np.minimum(steady.largest, trial.stated))
    least = np.maximum(reference * START, trial.least)
    scan = Scan(trial)
    indices = np.arange(size)
    # A range may end only far beyond the stated value, as that of a number of customers: no share of it is near that.
    near_by = steady.greatest <= abs(trial.stated) * _FAR
    finite = steady.bounded | (np.isfinite(steady.greatest) & (near_by | (trial.greatest < np.inf)))
    if not trial.uncertain and _begun(trial, scan, least, end, finite):
        return scan, np.zeros(size, dtype=bool)
    start, lowest = trial.within(end, least)
    scan.keep(indices, start, trial.excess(lowest), lowest.stable)
    here = indices[lowest.stable & (end > start)]
    table = _values(trial, here, start, end, finite)
    far = ~finite[here, None] & (table > abs(trial.stated) * _BEYOND) if trial.closed else table != table
    point = np.repeat(here, table.shape[1]).reshape(table.shape)
    scan.look(point[~far], table[~far], brief=True)
    columns: Indices = np.flatnonzero(far.any(axis=0))
    for column in columns[::-_SPARSE][::-1]:
        # Many customers take long, and change nothing where the limits have failed after they held.
        last = np.searchsorted(scan.point, here, side="right") - 1
        going = far[:, column] & (~np.isin(here, scan.point[scan.holds]) | scan.holds[last])
        scan.look(here[going], table[going, column], brief=True)
    return scan, start != least


def _begun(trial: Trial, scan: Scan, start: Array, end: Array, finite: Flags) -> bool:
    """Scan from no load, at `start`, to an end in one batch; False, without a scan, if the model refuses a value."""
    here = np.flatnonzero(end > start)
    table = _values(trial, here, start, end, finite)
    index = np.concatenate([np.arange(trial.size), np.repeat(here, table.shape[1])])
    value = np.concatenate([start, table.reshape(-1)])
    lanes = trial.at(index)
    try:
        solved = lanes.solve(value)
    except QnetError as error:
        if not outside(error):
            raise
        return False
    stable = np.asarray(solved.stable)
    # Points without a steady state at the start are scanned over their entire range later.
    used = stable[: trial.size][index]
    used[: trial.size] = True
    scan.keep(index[used], value[used], lanes.excess(solved)[used], stable[used])
    return True


def _values(trial: Trial, here: Indices, start: Array, end: Array, finite: Flags) -> Array:
    """The values to try between two ends, the upper one included, a row for each point."""
    low, high = start[here, None], end[here, None]
    around = np.clip(trial.stated * np.array(_AROUND), low, high)
    if finite[here].all():
        return np.concatenate([low + (high - low) * np.array(_SHARES), around], axis=1)
    factors = np.clip(abs(trial.stated) * np.array(_FACTORS), low, high)
    shares = np.array([*_SHARES, *[1.0] * (len(_FACTORS) - len(_SHARES))])
    wide = np.where(finite[here, None], low + (high - low) * shares, factors)
    return np.concatenate([wide, around], axis=1)


def _unloaded(trial: Trial, scan: Scan, here: Indices) -> None:
    """Scan the entire range of points without a steady state at the least value."""
    sub = trial.at(here)
    far = abs(trial.stated) * _FAR
    inside = np.full(len(here), trial.stated)
    top, _ = sub.within(inside, np.full(len(here), min(trial.greatest, far)))
    low = np.full(trial.size, trial.least)
    high = np.zeros(trial.size)
    high[here] = top
    table = _values(trial, here, low, high, high < far)
    known = np.repeat(here, table.shape[1])
    scan.look(known, table.reshape(-1), brief=True)
    inner, outer = scan.changes(scan.stable)
    changed = np.isin(scan.point[inner], here)
    inner, outer = inner[changed], outer[changed]
    if len(inner):
        lanes = trial.at(scan.point[inner])
        inside, beyond = scan.value[inner], scan.value[outer]
        ends = (inside == inside, lanes.overload(lanes.solve(inside)), lanes.overload(lanes.solve(beyond)))
        edges = sign_change(lanes, overloaded, inside, beyond, 2 * np.maximum(inside, beyond), ends, ends[0])
        scan.look(scan.point[inner], edges)


def _regions(
    trial: Trial, scan: Scan, steady: SteadyRange, edge: Array, moved: Flags, hopeless: Flags, known: _Crossings,
    left: Ending | None,
) -> Regions:  # fmt: skip
    size = trial.size
    first, last = intervals(scan)
    low, low_cause = _ends(scan, first, -1)
    high, high_cause = _ends(scan, last, 1)
    index = scan.point[first]
    value = [low, high]
    shown = [low, high]
    # The ends of what was tried: of the range, or of the steady state.
    at_start = low_cause == RANGE
    limit = np.where(moved[index] | (not trial.bounded_below), low, np.minimum(low, trial.least))
    value[0] = np.where(at_start & ~hopeless[index], limit, low)
    low_cause = np.where(at_start & ~moved[index] & (not trial.bounded_below), ENDLESS, low_cause)
    at_end = high_cause == RANGE
    bounded = at_end & np.isfinite(edge[index])
    value[1] = np.where(bounded, edge[index], high)
    high_cause = np.where(bounded, SATURATION, high_cause)
    high_cause = np.where(at_end & ~bounded & np.isinf(steady.greatest[index]), ENDLESS, high_cause)
    value, shown = _crossed(trial, scan, (first, last), (low_cause, high_cause), edge, (value, shown), known, left)
    ends = [
        Ends(limit, read, cause, read) for limit, read, cause in zip(value, shown, (low_cause, high_cause), strict=True)
    ]
    steady_least, steady_greatest = np.full(size, np.nan), np.where(np.isfinite(edge), edge, np.nan)
    inner, outer = scan.changes(scan.stable)
    below = scan.value[inner] > scan.value[outer]
    steady_least[scan.point[inner][below][::-1]] = scan.value[inner][below][::-1]
    steady_greatest[scan.point[inner][~below][::-1]] = scan.value[inner][~below][::-1]
    never = np.ones(size, dtype=bool)
    never[scan.point[scan.stable]] = False
    return Regions(
        point=index,
        low=ends[0],
        high=ends[1],
        scan=scan,
        hopeless=never,
        steady_least=steady_least,
        steady_greatest=steady_greatest,
        best=best(scan, size),
    )


def _ends(scan: Scan, index: Any, step: int) -> tuple[Array, Any]:
    """The values at some ends of runs, and their causes as far as the scan shows them."""
    other = np.clip(index + step, 0, len(scan.point) - 1)
    same = (scan.point[other] == scan.point[index]) & (other != index)
    return scan.value[index], np.where(same, np.where(scan.stable[other], LIMIT, SATURATION), RANGE)


def _crossed(
    trial: Trial, scan: Scan, runs: tuple[Any, Any], causes: tuple[Any, Any], edge: Array, result: tuple[Any, Any],
    known: _Crossings, left: Ending | None,
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """The ends at which a limit is crossed, and, in `edge`, the ends of the steady state in `left`: one batch of
    roots, but for those that are `known`."""
    value, shown = result
    lanes = [np.flatnonzero(cause == LIMIT) for cause in causes]
    inner = np.concatenate([run[lane] for run, lane in zip(runs, lanes, strict=True)])
    outer = inner + np.repeat([-1, 1], [len(lane) for lane in lanes])
    keys = zip(scan.point[inner].tolist(), scan.value[inner].tolist(), scan.value[outer].tolist(), strict=True)
    crossing = np.array([known.get(key, np.nan) for key in keys])
    new = np.isnan(crossing)
    if left is None:
        left = Ending(inner[:0], *np.zeros((5, 0)))
    crossing[new], edge[left.point] = _roots(trial, scan, inner[new], outer[new], edge, left)
    cut = len(lanes[0])
    for number, (lane, part) in enumerate(zip(lanes, (crossing[:cut], crossing[cut:]), strict=True)):
        value[number], shown[number] = value[number].copy(), shown[number].copy()
        value[number][lane] = shown[number][lane] = part
    return value, shown


def _roots(
    trial: Trial, scan: Scan, inner: Indices, outer: Indices, edge: Array, ending: Ending
) -> tuple[Array, Array]:
    """The values at which limits are crossed between some values of a scan, and the ends of the steady state in some
    brackets: one batch of roots.

    inner, outer  the indices of the values: of those at which the limits hold, and of those at which they do not.
    edge          by point, the end of the steady state, perhaps estimated.
    ending        the brackets.
    """
    if not len(inner) + len(ending.point):
        return np.zeros(0), np.zeros(0)
    batch = trial.at(np.concatenate([scan.point[inner], ending.point]))
    of_state = np.arange(batch.size) >= len(inner)
    inside, beyond = scan.value[inner], scan.value[outer]
    top = np.minimum(edge[scan.point[inner]], 2 * np.maximum(inside, beyond))
    below, above = np.minimum(smooth(scan.excess[inner]), -1e-300), smooth(scan.excess[outer])
    inside, beyond, top, below, above = (
        np.concatenate(pair)
        for pair in zip(
            (inside, beyond, top, below, above),
            (ending.low, ending.high, ending.top, ending.at_low, ending.at_high),
            strict=True,
        )
    )

    def function(lanes: Trial, solved: Solved, indices: Indices) -> Array:
        return np.where(of_state[indices], lanes.filled(solved), smooth(lanes.excess(solved)))

    result = sign_change(batch, function, inside, beyond, top, (inside == inside, below, above), of_state)
    return result[: len(inner)], result[len(inner) :]
