"""Steps whose numbers depend on how many customers are inside a station that is held."""

from __future__ import annotations

from qnet.networks.routed import Fork, Profile, RoutedNetwork, Step, Time
from qnet.networks.states.program import HoldPath


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
