"""How the passages of a chain vary because its customers come back by chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.expression import Value
from qnet.lazy import np


def routing_variance(onward: Sequence[tuple[str, str, Value]], spent: Mapping[str, Value]) -> Value:
    """The variance of a passage of which every visit to a station takes just its mean time.

    onward    from a station to a station ("" for outside), how often per passage; leaving is what lacks.
    spent     mean seconds at each station in a passage, all visits together.
    Returns   square seconds; one number for each point where these are arrays.
    Method    With m the time of a visit and E = m + P E the time from a visit on, the mean square of a passage is the
              sum of v m (m + 2 P E) over stations (Kemeny and Snell, Finite Markov Chains, 1960, of absorbing chains).
    Limits    Where customers go on by chance is taken to depend on the station that they leave alone, not on the class
              that they are there.
    """
    names = list(dict.fromkeys(target for _, target, _ in onward))
    place = {name: number for number, name in enumerate(names)}
    shape = np.broadcast_shapes(*(np.shape(count) for _, _, count in onward), *map(np.shape, spent.values()))
    flows = np.zeros((*shape, len(names), len(names)))
    visits = np.zeros((*shape, len(names)))
    for origin, target, count in onward:
        visits[..., place[target]] += count
        if origin:
            flows[..., place[origin], place[target]] += count
    whole = np.zeros_like(visits)
    for name, time in spent.items():
        if name in place:
            whole[..., place[name]] = time
    some = np.where(visits > 0, visits, 1.0)
    each = whole / some
    further = np.linalg.solve(np.eye(len(names)) - flows / some[..., None], each[..., None])
    later = (flows @ further)[..., 0]
    found = (each * (whole + 2 * later)).sum(-1) - whole.sum(-1) ** 2
    return np.maximum(found, 0.0)
