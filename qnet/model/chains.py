"""Reading the chains of a model: class switching, and the routing probabilities."""

from __future__ import annotations

from typing import Any, cast

from qnet.documents import Path
from qnet.errors import suggest
from qnet.model.fields import ONWARD, TABLES
from qnet.model.model import HOME, OUTSIDE, THINK, ChainModel, OnwardModel, ServiceModel, State
from qnet.model.reader import Reader, describe

MAX_STATES = 300
"""States of a route given by probabilities; a choice: visits are one dense solution, cubic in them."""


def read_chain(reader: Reader, name: str, raw: Any) -> ChainModel:
    """A chain as the file states it, as far as it can be read; problems go to the reader."""
    return _ChainReader(reader, name).chain(raw)


class _ChainReader:
    def __init__(self, reader: Reader, name: str) -> None:
        self.reader = reader
        self.name = name
        self.path: Path = ("chains", name)
        self.homes: tuple[str, ...] = ()
        self.classes: tuple[str, ...] = ()

    def chain(self, raw: Any) -> ChainModel:
        """The chain with all its classes."""
        reader = self.reader
        reader.label(self.name, self.path)
        values = reader.table(raw, "chain", self.path)
        given = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
        is_open, is_closed = ("arrival_rate" in given), ("population" in given)
        self.homes = (THINK, OUTSIDE) if is_open == is_closed else (OUTSIDE if is_open else THINK,)
        before = len(reader.problems)
        services = self.services(values.get("classes"))
        onward = self.routing(values.get("routing"))
        complete = len(reader.problems) == before and "classes" in values and "routing" in values
        reference: str = values.get("reference", "")
        return reader.record(
            ChainModel,
            "chain",
            values,
            name=self.name,
            reference="" if reference in self.homes else reference,
            classes=self.classes,
            services=services,
            onward=onward,
            home=self.homes[0],
            integer=complete,
            path=self.path,
        )

    # Classes

    def services(self, raw: Any) -> tuple[ServiceModel, ...]:
        """The service times of all classes."""
        path = (*self.path, "classes")
        result: list[ServiceModel] = []
        for name, value in self.entries(raw, path, "a table [chains.NAME.classes]", "classes"):
            where = (*path, name)
            self.reader.label(name, where)
            if name in (THINK, OUTSIDE):
                self.reader.fail("QN207", where, f'"{name}" is a reserved word of routings', "another name")
                continue
            self.classes = (*self.classes, name)
            values = self.reader.table(value, "chain class", where)
            stations = self.entries(values.get("service"), (*where, "service"), "service times by station", "services")
            result += [self.service(name, station, item) for station, item in stations]
        if len(result) > MAX_STATES:
            text = f"the chain has {len(result)} service times"
            self.reader.fail("QN206", path, text, f"at most {MAX_STATES}")
            self.reader.finish()
        return tuple(result)

    def service(self, name: str, station: str, raw: Any) -> ServiceModel:
        """A service time, alone or in a table with how it varies; 0 where it cannot be read."""
        path = (*self.path, "classes", name, "service", station)
        if isinstance(raw, dict):
            values = self.reader.table(cast("Any", raw), "service", path)
            scv = values.get("scv") if "scv" in raw else None
            path = (*path, "time")
        else:
            time, scv = self.reader.value(raw, TABLES["service"]["time"], path), None
            values = {} if time is None else {"time": time}
        return self.reader.record(ServiceModel, "service", values, state=(name, station), scv=scv, path=path)

    # Routing

    def routing(self, raw: Any) -> tuple[OnwardModel, ...]:
        """The probabilities, row by row."""
        path = (*self.path, "routing")
        result: list[OnwardModel] = []
        for origin, row, at in self.states(raw, path, "a table [chains.NAME.routing]"):
            for target, probability, index in self.states(row, at, "probabilities of what comes next"):
                value = self.reader.value(probability, ONWARD, index)
                if value is not None:
                    result.append(OnwardModel(origin, target, value, index))
        return tuple(result)

    def states(self, raw: Any, path: Path, expected: str) -> list[tuple[State, Any, Path]]:
        """The entries of a table whose keys are states: `class.station`, or the origin of customers."""
        result: list[tuple[State, Any, Path]] = []
        for key, value in self.entries(raw, path, expected, "entries"):
            at = (*path, key)
            if key in self.homes:
                result.append((HOME, value, at))
            elif key in self.classes:
                inner = self.entries(value, at, f"{key}.STATION", "stations")
                result += [((key, station), item, (*at, station)) for station, item in inner]
            elif key in (THINK, OUTSIDE):
                kind = "an open" if key == THINK else "a closed"
                self.reader.fail("QN233", at, f'found "{key}" in {kind} chain', f'"{self.homes[0]}"')
            elif self.classes:
                known = [*self.classes, *self.homes]
                self.reader.fail(
                    "QN233", at, f'the chain has no class "{key}"', f"one of {', '.join(known)}", suggest(key, known)
                )
        return result

    def entries(self, raw: Any, path: Path, expected: str, what: str) -> list[tuple[str, Any]]:
        """The entries of a table, at least one; none of a missing key, which is reported elsewhere."""
        if raw is None:
            return []
        if not isinstance(raw, dict):
            self.reader.fail("QN201", path, f"found {describe(raw)}", expected)
            return []
        entries = list(cast("dict[str, Any]", raw).items())
        if not entries:
            self.reader.fail("QN203", path, f"there are no {what}", "at least one")
        return entries
