"""Whether customers are lost after they have spent time on a passage."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from qnet.networks.routed import Fork, Step, Time


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
