"""The exact answer for small closed networks of holds in holds: the Markov chain of all customers and their servers.

Every route is a program of steps: take a server, spend an exponential time, give the server back, leave work behind.
All points of a batch share the states; nothing of qnet's solvers is used. Second phases must be last in their holds.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from chain import MAX_STATES

from qnet.networks.routed import RoutedNetwork, Step, Time

_Step = tuple[str, Any]
_State = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]
"""Where customers and work left behind spend time, sorted; and who waits for each station, in order."""


class _Programs:
    """The routes as one list of instructions: what, with which argument, and what comes next."""

    def __init__(self, network: RoutedNetwork) -> None:
        self.names = [station.name for station in network.stations]
        self.servers = [station.servers for station in network.stations]
        self.todo: list[tuple[str, Any, int | None]] = []
        self.held: list[tuple[int, ...]] = []
        self.starts: list[int] = []
        for item in network.classes:
            steps: list[_Step] = [("time", item.think_time)]  # type: ignore[union-attr]
            for step in item.routes[0].steps:
                self.emit(step, steps, ())
            self.starts.append(self.place(steps, (), True))

    def emit(self, step: Step, steps: list[_Step], around: tuple[int, ...]) -> set[int]:
        """Append the instructions of a step; which stations the work left behind in it gives back."""
        if isinstance(step, Time):
            steps.append(("time", step.mean))
            return set()
        kept: set[int] = set()
        here = self.names.index(step.station)
        inside = (*around, here)
        for _ in range(round(step.visits)):
            steps.append(("take", here))
            behind: set[int] = set()
            for inner in step.steps:
                if inner.phase == 1:
                    behind |= self.emit(inner, steps, inside)
                    continue
                keeps = tuple(place for place in inside if inner.keeps is None or self.names[place] in inner.keeps)
                later: list[_Step] = []
                self.emit(inner.replace(phase=1), later, keeps)
                steps.append(("leave", (later + [("give", place) for place in keeps], keeps)))
                behind |= set(keeps)
            if here not in behind:
                steps.append(("give", here))
            kept |= behind - {here}
        return kept

    def place(self, steps: list[_Step], held: tuple[int, ...], again: bool) -> int:
        """Number the instructions of a program; the first of them."""
        start, now, left = len(self.todo), list(held), []
        for number, (what, argument) in enumerate(steps):
            self.held.append(tuple(now))
            if what == "take":
                now.append(argument)
            elif what == "give":
                now.remove(argument)
            elif what == "leave":
                left.append((len(self.todo), *argument))
                for station in argument[1]:
                    now.remove(station)
            last = number + 1 == len(steps)
            self.todo.append((what, argument, (start if again else None) if last else len(self.todo) + 1))
        for at, later, keeps in left:
            self.todo[at] = ("leave", self.place(later, keeps, False), self.todo[at][2])
        return start

    def busy(self, state: _State) -> list[int]:
        """How many servers of every station are held."""
        found = [0] * len(self.names)
        for at in (*state[0], *(at for line in state[1] for at in line)):
            for station in self.held[at]:
                found[station] += 1
        return found

    def after(self, state: _State, start: int | None) -> _State:
        """The state after somebody goes on from an instruction, until all spend time or wait."""
        active, lines, busy = list(state[0]), [list(line) for line in state[1]], self.busy(state)
        if start is not None:
            for station in self.held[start]:
                busy[station] += 1
        going = [start]
        while going:
            at = going.pop(0)
            while at is not None:
                what, argument, following = self.todo[at]
                if what == "time":
                    active.append(at)
                    break
                if what == "take" and busy[argument] >= self.servers[argument]:
                    lines[argument].append(at)
                    break
                if what == "take":
                    busy[argument] += 1
                elif what == "leave":
                    going.append(argument)
                elif lines[argument]:
                    going.append(self.todo[lines[argument].pop(0)][2])
                else:
                    busy[argument] -= 1
                at = following
        return tuple(sorted(active)), tuple(tuple(line) for line in lines)


def throughputs(network: RoutedNetwork) -> Any:
    """(P, C) passages per second of every class of a batch; populations and servers are those of all points."""
    programs, size = _Programs(network), network.size or 1
    first: _State = ((), tuple(() for _ in programs.names))
    for item, start in zip(network.classes, programs.starts, strict=True):
        for _ in range(round(item.population)):  # type: ignore[union-attr]
            first = programs.after(first, start)
    places, states = {first: 0}, [first]
    rates = {at: 1.0 / np.broadcast_to(argument, (size,)) for at, (what, argument, _) in enumerate(programs.todo)
             if what == "time"}  # fmt: skip
    moves: list[tuple[int, int, int, int]] = []
    for state in states:
        for at, count in Counter(state[0]).items():
            left = list(state[0])
            left.remove(at)
            after = programs.after((tuple(left), state[1]), programs.todo[at][2])
            if after not in places:
                if len(states) >= MAX_STATES:
                    raise ValueError(f"more than {MAX_STATES} states")
                places[after] = len(states)
                states.append(after)
            moves.append((places[state], places[after], at, count))
    balance = np.zeros((size, len(states), len(states)))
    for source, target, at, count in moves:
        balance[:, target, source] += count * rates[at]
        balance[:, source, source] -= count * rates[at]
    balance[:, 0] = 1.0
    shares = np.linalg.solve(balance, np.eye(len(states))[:, :1])[..., 0]
    thinking = [np.array([state[0].count(start) for state in states]) for start in programs.starts]
    return np.stack(
        [(shares * count).sum(1) * rates[start] for count, start in zip(thinking, programs.starts, strict=True)], axis=1
    )
