"""Which copy a station is visited at that follows another one: the copy of that which was named last on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnet.networks.routed import Fork, Step, Time


def with_copies(steps: tuple[Step, ...], follows: Mapping[str, str]) -> tuple[Step, ...]:
    """The steps of a route, of which those at a station that follows another one have the copy that was named there.

    follows   by station that follows another one: that one.
    Limits    Where a copy was drawn before, or named by a step that is not always made, the one that follows is drawn
              by the same shares: the same means, and not the same copies. Inside of a hold it is the copy held.
    """
    return _walk(steps, follows, {}, frozenset()) if follows else steps


def _walk(
    steps: tuple[Step, ...], follows: Mapping[str, str], last: dict[str, int], held: frozenset[str]
) -> tuple[Step, ...]:
    """The same, given the copies named before, which are brought up to date, and the stations held."""
    result: list[Step] = []
    for step in steps:
        if isinstance(step, Time):
            result.append(step)
            continue
        if isinstance(step, Fork):
            branches: list[Any] = []
            for branch in step.branches:
                particular = dict(last)
                branches.append(branch.replace(steps=_walk(branch.steps, follows, particular, held)))
            for name in _leaders(step.inner, follows):
                last.pop(name, None)
            result.append(step.replace(branches=tuple(branches)))
            continue
        leader = follows.get(step.station, step.station)
        copy = step.copy
        if copy is None and step.station in follows and leader not in held:
            copy = last.get(leader)
        if copy is not None and isinstance(step.visits, float) and step.visits >= 1.0:
            last[leader] = copy
        elif step.station not in follows or step.copy is not None:
            last.pop(leader, None)
        result.append(step.replace(copy=copy, steps=_walk(step.steps, follows, last, held | {leader})))
    return tuple(result)


def _leaders(steps: tuple[Step, ...], follows: Mapping[str, str]) -> set[str]:
    """The stations whose copies are chosen by some steps."""
    result: set[str] = set()
    for step in steps:
        if isinstance(step, Time):
            continue
        if not isinstance(step, Fork):
            result.add(follows.get(step.station, step.station))
        result |= _leaders(step.inner if isinstance(step, Fork) else step.steps, follows)
    return result
