"""Checks of `per_copy_of`: classes of which every copy of a station has one."""

from __future__ import annotations

from collections.abc import Iterable

from qnet.errors import suggest
from qnet.expression.nodes import Number
from qnet.model.model import ClassModel, Model, StationModel, StepModel
from qnet.model.reader import Reader

_KEY = "per_copy_of"


def check_copy_classes(model: Model, reader: Reader) -> None:
    """Note what is wrong with classes per copy, and with the stations that they name.

    model   the model to check.
    reader  takes the problems.
    """
    stations = {station.name: station for station in model.stations}
    owners: set[str] = set()
    for customers in model.classes:
        path = (*customers.path, _KEY)
        name = customers.per_copy_of
        if name and name in stations:
            _check_station(customers, stations[name], model, reader)
            owners.add(name)
        elif name and stations:
            text = f'unknown station "{name}"'
            reader.fail("QN212", path, text, help=suggest(name, list(stations)))
    for customers in model.classes:
        for route in customers.routes:
            _check_steps(route.steps, {name: stations[name].follows or name for name in stations}, owners, reader)


def _check_station(customers: ClassModel, station: StationModel, model: Model, reader: Reader) -> None:
    """Check the station that a class names."""
    path = (*customers.path, _KEY)
    if station.follows:
        text = f'the copies of "{station.name}" are those of "{station.follows}"'
        reader.fail("QN213", path, text, f'{_KEY} = "{station.follows}"')
    if station.delay:
        reader.fail("QN213", path, f'"{station.name}" is a delay', "a station with a queue")
    if station.split.kind != "even":
        text = f'{_KEY} is used with a split of "{station.name}"'
        reader.fail("QN213", path, text, "no split: every copy has the same customers")
    family = {station.name, *(item.name for item in model.stations if item.follows == station.name)}
    if not any(family & set(_visited(route.steps)) for route in customers.routes):
        reader.fail("QN213", path, f'the class never visits "{station.name}"', f'a step at "{station.name}"')


def _check_steps(steps: Iterable[StepModel], leaders: dict[str, str], owners: set[str], reader: Reader) -> None:
    """Refuse steps that choose among the copies of a station with classes per copy.

    leaders  of each station, the one whose copies it shares, or itself.
    owners   the stations with classes per copy.
    """
    for step in steps:
        if step.copy is not None and leaders.get(step.station) in owners:
            text = f'copy is used with {_KEY} = "{leaders[step.station]}"'
            reader.fail("QN213", (*step.path, "copy"), text, "no copy: the class has one")
        for branch in step.branches:
            several = not isinstance(branch.copies.root, Number) or branch.copies.root.value != 1
            bound = {leaders.get(name, "") for name in _visited(branch.steps)} & owners
            if several and bound:
                text = f'branches at several copies are used with {_KEY} = "{min(bound)}"'
                reader.fail("QN213", (*branch.path, "copies"), text, "one such branch")
        _check_steps(step.inner, leaders, owners, reader)


def _visited(steps: Iterable[StepModel]) -> Iterable[str]:
    for step in steps:
        yield step.station
        yield from _visited(step.inner)
