"""Checks of buffers: unknown names, and places that are taken and never freed, or freed and never taken."""

from __future__ import annotations

from collections.abc import Callable

from qnet.documents import Path
from qnet.errors import suggest
from qnet.expression import Expression
from qnet.model.fields import Field
from qnet.model.model import Model, RouteModel, StepModel
from qnet.model.reader import Reader
from qnet.units import Dimension

_Check = Callable[[Expression | None, Field, Path], Dimension | None]


def check_buffers(model: Model, reader: Reader, number: _Check) -> None:
    """Note what is wrong with the buffers of a model, and with the steps that fill and drain them.

    number   checks a number of the network against its field.
    """
    for buffer in model.buffers:
        for key, expression in reader.keys.numbers("buffer", buffer):
            number(expression, key.field, (*buffer.path, key.key))
    routes = [route for customers in model.classes for route in customers.routes]
    used: set[str] = set()
    for route in routes:
        used |= _Route(model, reader).check(route)
    for buffer in model.buffers:
        if buffer.name not in used:
            text = f'nothing fills "{buffer.name}"'
            reader.fail("QN209", buffer.path, text, f'a step {{ fill = "{buffer.name}" }} in a route')


class _Route:
    """The steps of one route."""

    def __init__(self, model: Model, reader: Reader) -> None:
        self.reader = reader
        self.buffers = [buffer.name for buffer in model.buffers]
        self.queues = [station.name for station in model.stations if not station.delay]
        self.filled: dict[str, Path] = {}
        self.drained: dict[str, Path] = {}

    def check(self, route: RouteModel) -> set[str]:
        """Note what is wrong with the steps of `route`, and return the buffers that they fill."""
        for step in route.steps:
            self.step(step, True, step.phase == 2)
        for name, path in self.filled.items():
            if name not in self.drained:
                expected = f'a step of phase 2 at a station, with drains = "{name}"'
                self.reader.fail("QN209", path, f'places of "{name}" are taken here and never freed', expected)
        return set(self.filled)

    def step(self, step: StepModel, outermost: bool, deferred: bool) -> None:
        """One step, with those inside it."""
        for key, name in (("fill", step.fills), ("drains", step.drains)):
            if name and name not in self.buffers:
                text = f'unknown buffer "{name}"'
                expected = "" if self.buffers else f"[buffers.{name}] with its places"
                self.reader.fail("QN212", (*step.path, key), text, expected, suggest(name, self.buffers))
        if step.fills in self.buffers:
            self.fill(step, (*step.path, "fill"), deferred)
        if step.drains in self.buffers:
            self.drain(step, (*step.path, "drains"), outermost)
        for inner in step.steps:
            self.step(inner, False, deferred or inner.phase == 2)

    def fill(self, step: StepModel, path: Path, deferred: bool) -> None:
        """A step that takes places."""
        if deferred:
            self.reader.fail("QN209", path, "a fill is in phase 2", "a fill before the response")
        elif step.fills in self.filled:
            self.reader.fail("QN209", path, f'this route fills "{step.fills}" twice', "visits, at one step")
        self.filled.setdefault(step.fills, path)

    def drain(self, step: StepModel, path: Path, outermost: bool) -> None:
        """A step that frees places."""
        name = step.drains
        if step.phase != 2 or not outermost:
            self.reader.fail("QN209", path, "drains is used in phase 1", "phase = 2, outside of any hold")
        elif step.station and step.station not in self.queues:
            self.reader.fail("QN209", path, f'"{step.station}" is a delay', "a station with servers")
        elif name in self.drained:
            self.reader.fail("QN209", path, f'this route drains "{name}" twice', "one hold around both")
        elif name not in self.filled:
            self.reader.fail("QN209", path, f'nothing before it fills "{name}"', f'a step {{ fill = "{name}" }}')
        self.drained.setdefault(name, path)
