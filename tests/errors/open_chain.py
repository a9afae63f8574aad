"""The exact mean numbers of open networks of two stations with phases: a Markov chain whose levels repeat.

Nothing of qnet is used. The second station is unlimited; the first has room for so many that hardly anybody is lost.
Services and gaps between arrivals have an scv of 1 (exponential), 1/n (Erlang) or above 1 (two branches of equal load).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import sqrt
from typing import Any, NamedTuple

import numpy as np


class Phases(NamedTuple):
    """A time made of phases."""

    begin: Any
    """Chances to begin in each."""
    moves: Any
    """Rates from phase to phase; what a row lacks to 0 ends the time."""

    @property
    def ends(self) -> Any:
        """Rates at which the time ends."""
        return -self.moves.sum(1)


def phases(mean: float, scv: float) -> Phases:
    """Exponential, Erlang, or two branches of equal load."""
    if scv == 1:
        return Phases(np.ones(1), np.array([[-1.0 / mean]]))
    if scv < 1:
        count = round(1 / scv)
        rate = count / mean
        return Phases(np.eye(count)[0], rate * (np.eye(count, k=1) - np.eye(count)))
    share = 0.5 * (1.0 + sqrt((scv - 1.0) / (scv + 1.0)))
    return Phases(np.array([share, 1 - share]), np.diag([-2 * share / mean, -2 * (1 - share) / mean]))


def mixed(shares: Sequence[float], means: Sequence[float]) -> Phases:
    """One exponential time for each class of customers, who come in a Poisson stream each."""
    return Phases(np.array(shares), np.diag([-1.0 / mean for mean in means]))


class Open(NamedTuple):
    """Two stations of one server each, first come first served."""

    gaps: Phases
    services: tuple[Phases, Phases]
    first: float
    """Share of arrivals from outside that go to the first station, the others to the second."""
    onward: Any
    """From a station to a station, probabilities."""
    room: int
    """At the first station; more is given where it is full for more than a millionth of the time."""
    leaving: Any = None
    """By phase of the service at the first station: the chance to leave the network after it, instead of `onward`."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """What systems that are solved together have in common."""
        return (self.room, len(self.gaps.begin), *(len(service.begin) for service in self.services))


def _product(*parts: Any) -> Any:
    return reduce(np.kron, parts)


def _blocks(system: Open) -> tuple[Any, ...]:
    """Rates by which the number at the second station rises, stays, falls, and stays where it is 0.

    A station without customers keeps the phase in which the next service will begin.
    """
    gaps, (one, two) = system.gaps, system.services
    places = system.room + 1
    there = [np.eye(len(item.begin)) for item in (gaps, one, two)]
    alone, busy = np.eye(places), np.diag([0.0] + [1.0] * system.room)
    more, less = np.eye(places, k=1), np.eye(places, k=-1)
    more[-1, -1] = 1.0
    arriving, starting = np.outer(gaps.ends, gaps.begin), np.outer(two.ends, two.begin)
    onward = system.onward
    out = one.ends * (1.0 - onward[0].sum() if system.leaving is None else np.array(system.leaving))
    across = (one.ends - out) * (onward[0, 1] / onward[0].sum() if onward[0].any() else 0.0)
    again = one.ends - out - across

    def first(rates: Any, places: Any) -> Any:
        return _product(there[0], places, np.outer(rates, one.begin), there[2])

    up = _product(arriving, alone, there[1], there[2]) * (1.0 - system.first) + first(across, less)
    empty = _product(arriving, more, there[1], there[2]) * system.first + first(out, less) + first(again, busy)
    empty = empty + _product(gaps.moves, alone, there[1], there[2]) + _product(there[0], busy, one.moves, there[2])
    stay = empty + _product(there[0], alone, there[1], two.moves + starting * onward[1, 1])
    down = _product(there[0], alone, there[1], starting) * (1.0 - onward[1].sum())
    down = down + _product(there[0], more, there[1], starting) * onward[1, 0]
    return up, stay, down, empty


def numbers(systems: Sequence[Open]) -> Any:
    """(S, 2) mean numbers at the two stations, those in service included; the systems have the same sizes.

    Method  Latouche, Ramaswami, J. Appl. Prob. 30 (1993) 650-674 (logarithmic reduction).
    """
    up, stay, down, empty = (np.stack(item) for item in zip(*(_blocks(system) for system in systems), strict=True))
    one = np.eye(up.shape[-1])
    rising, falling = np.linalg.solve(-stay, up), np.linalg.solve(-stay, down)
    first, product = falling.copy(), rising.copy()
    for _ in range(50):
        ways = one - rising @ falling - falling @ rising
        rising, falling = np.linalg.solve(ways, rising @ rising), np.linalg.solve(ways, falling @ falling)
        first, product = first + product @ falling, product @ rising
        if product.max() < 1e-13:
            break
    ratio = np.swapaxes(np.linalg.solve(np.swapaxes(-(stay + up @ first), 1, 2), np.swapaxes(up, 1, 2)), 1, 2)
    levels = np.linalg.inv(one - ratio)
    balance = empty + ratio @ down
    balance[:, :, 0] = levels.sum(-1)
    start = np.linalg.solve(np.swapaxes(balance, 1, 2), np.broadcast_to(one[:, :1], (*up.shape[:2], 1)))[..., 0]
    shares = np.einsum("si,sij->sj", start, levels)
    second = np.einsum("si,sij,sj->s", shares, ratio, levels.sum(-1))
    gaps, one_, two = (len(item.begin) for item in (systems[0].gaps, *systems[0].services))
    here = _product(np.ones(gaps), np.arange(systems[0].room + 1), np.ones(one_ * two))
    found = np.stack([shares @ here, second], axis=1)
    full = np.flatnonzero(shares @ (here == systems[0].room) > 1e-6)
    if full.size:
        found[full] = numbers([systems[place]._replace(room=systems[place].room * 3 // 2) for place in full])
    return found
