"""What the compiler asks of single steps: how they depend on the number inside, where customers are lost, and times as
phases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import ceil

from qnet.networks.routed import Fork, Profile, RoutedNetwork, Step, Time
from qnet.networks.states.program import HoldPath, NotCovered

MAX_PHASES = 20
"""Of an Erlang distribution: scv down to 0.05."""
EXPONENTIAL = 1e-12
"""How far from 1 the scv of an exponential time may be."""


def time_inside(
    network: RoutedNetwork, profile: Profile | None, here: tuple[int, int], path: HoldPath, index: int
) -> tuple[Step, ...]:
    """A step as it is with 1, 2, ... customers inside of the station that its numbers depend on; or as it is.

    profile  what the network is by that number; None where the step is not inside of the station.
    here     the class and the route of the step.
    path     the holds and branches around it; `place` is that in the innermost of them.
    """
    networks = [network] if profile is None else [profile.network.point(number) for number in range(profile.levels)]
    result: list[Step] = []
    for item in networks:
        steps = item.classes[here[0]].routes[here[1]].steps
        for outer, group in path:
            step = steps[outer]
            assert not isinstance(step, Time)
            steps = step.branches[-1 - group].steps if isinstance(step, Fork) else step.steps
        result.append(steps[index])
    return tuple(result)


def lost_late(steps: Sequence[Step], lossy: Collection[str], begun: bool = False) -> bool:
    """Whether a customer may be lost at some steps after it has spent time on its passage.

    lossy   the stations and buffers where customers are lost.
    begun   whether it has spent time before the first of the steps.
    """
    for step in steps:
        if isinstance(step, Time):
            if step.fills in lossy and begun:
                return True
            begun = begun or step.fills not in lossy
            continue
        inner = step.inner if isinstance(step, Fork) else step.steps
        if not isinstance(step, Fork) and step.station in lossy and (begun or step.visits > 1.0):
            return True
        if lost_late(inner, lossy, True):
            return True
        begun = True
    return False


def phases(mean: float, scv: float, phase: Callable[[float, int], int], after: int) -> list[tuple[float, int]]:
    """The nodes where a time that is not exponential begins, each with its probability.

    mean     in seconds, above 0.
    scv      other than 1.
    phase    makes a node: of a phase of some rate, and the node after it.
    after    the node after all phases.
    Raises   `NotCovered` for more than `MAX_PHASES` phases.
    Method   Below 1 a mixture of Erlang distributions of k - 1 and k phases of one rate; above 1 two exponential phases
             with balanced means.
    Source   @tijms2003, appendix B.
    """
    if scv > 1.0:
        share = 0.5 * (1.0 + ((scv - 1.0) / (scv + 1.0)) ** 0.5)
        return [(part, phase(2.0 * part / mean, after)) for part in (share, 1.0 - share)]
    if scv * MAX_PHASES < 1.0 - 1e-9:
        raise NotCovered(f"a time has scv {scv:g}")
    count = ceil(1.0 / scv - 1e-9)
    root = max(count * (1.0 + scv) - count**2 * scv, 0.0) ** 0.5
    fewer = max((count * scv - root) / (1.0 + scv), 0.0)
    nodes = [after]
    for _ in range(count):
        nodes.append(phase((count - fewer) / mean, nodes[-1]))
    return [(fewer, nodes[-2]), (1.0 - fewer, nodes[-1])]
