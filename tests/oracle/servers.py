"""Customers and places of the simulation."""

from __future__ import annotations

from typing import Any

from .program import DELAY, QUEUE, Place


class Token:
    __slots__ = (
        "begun",
        "begun_at",
        "fork",
        "left",
        "level",
        "line",
        "owner",
        "pc",
        "served",
        "slots",
        "speed",
        "thought",
        "version",
    )

    def __init__(self, pc: int, slots: list[int], owner: int, begun: float, fork: Any) -> None:
        self.pc, self.slots, self.owner, self.begun, self.fork = pc, slots, owner, begun, fork
        self.left = 0.0
        """Time that must still pass for it."""
        self.version = 0
        self.thought = 0.0
        """Of the time since the passage began."""
        self.served = False
        self.speed = 0.0
        self.begun_at = 0.0
        """The clock of the place when it was served last."""
        self.level = 0
        self.line: Any = None
        """The place in whose order it stands, where a server may be taken away."""


class Station:
    """One place."""

    def __init__(self, place: Place) -> None:
        self.kind, self.place = place.kind, place
        self.servers = 1 if place.rates else place.servers
        self.free_speed = place.kind in (QUEUE, DELAY) and not place.rates
        self.holders = 0
        self.waiting: list[Token] = []
        """Of queues; of places that take servers away all who are there, in order."""
        self.clock = self.since = self.speed = 0.0
        self.timed: list[tuple[float, int, int, Token]] = []
        self.version = 0
        self.area = self.busy = self.flushed = 0.0
        self.visits = 0

    @property
    def present(self) -> int:
        return self.holders + len(self.waiting)

    def clock_at(self, now: float) -> float:
        """How much time has passed for each who is served."""
        return self.clock + (now - self.since) * self.speed

    def flush(self, now: float) -> None:
        """Count the time that has passed."""
        passed = now - self.flushed
        if passed > 0:
            present = self.holders + len(self.waiting)
            self.area += present * passed
            self.busy += (present if self.kind == DELAY else self.place.speed(present)) * passed
        self.flushed = now
