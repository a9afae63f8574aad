"""The rows of the field table that belong to each record: reading, checking and binding all follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from qnet.documents import Path
from qnet.expression import Expression, parse
from qnet.model.fields import TABLES, Field
from qnet.model.model import Model, StepModel, fact_of_tables
from qnet.record import Record

_Stated = TypeVar("_Stated", bound=Record)

FURTHER = "further"
"""The attribute with the values of the keys that have no attribute themselves."""


class Key(Record):
    """A row of the field table, and where a record has its value."""

    key: str
    field: Field
    attribute: str
    position: int
    """The index of the attribute among the fields of the record; -1: the value is in `FURTHER`."""

    def of(self, item: Any) -> Any:
        """The value of the key in the record `item`; None where it has none."""
        if self.position >= 0:
            return item[self.position]
        return next((value for key, value in item.further if key == self.key), None)


class Recipe(Record):
    """How a record of the network is made from one of the model; fast, because searches bind networks of thousands of
    steps at every point."""

    numbers: tuple[tuple[str, Field, Key, int, Any], ...]
    """The keys that are expressions: each with its row, its position, and the default of the network's attribute."""
    words: tuple[tuple[Key, Any], ...]
    """Keys that are no expressions and may be unstated, each with the default of the network's attribute."""
    others: tuple[Any, ...]
    """The defaults of all attributes of the network's record."""
    arranged: Callable[[tuple[Any, ...]], tuple[Any, ...]]
    """Picks the values of all attributes in order out of one tuple: the given values, `others`, the record of the
    model, and the values of `numbers` and of `words`."""


class Keys:
    """The rows of the field table by the class of record, each computed once."""

    def __init__(self) -> None:
        self._all: dict[tuple[str, type[Record]], tuple[Key, ...]] = {}
        self._numbers: dict[tuple[str, type[Record]], tuple[list[tuple[Key, int]], list[Key]]] = {}
        self._unstated: dict[str, list[tuple[str, Field, Any]]] = {}
        self._bound: dict[str, tuple[tuple[str, Field], ...]] = {}
        self._made: dict[tuple[Any, ...], Recipe] = {}
        self._fillings: dict[tuple[str, type[Record]], tuple[list[tuple[str, str, Any]], list[tuple[str, Any]]]] = {}

    def all(self, kind: str, record: type[Record]) -> tuple[Key, ...]:
        """The rows of a table whose values a record keeps.

        kind     the table of the language.
        record   the class of the model's records.
        """
        if (kind, record) not in self._all:
            self._all[kind, record] = tuple(_keys(kind, record))
        return self._all[kind, record]

    def numbers(self, kind: str, item: Record) -> list[tuple[Key, Expression]]:
        """The expressions that a record of a model states or has by default, those with an attribute first.

        kind   its table of the language.
        item   the record.
        """
        record = type(item)
        if (kind, record) not in self._numbers:
            every = [key for key in self.all(kind, record) if key.field.kind == "expression"]
            plain = [(key, key.position) for key in every if key.position >= 0]
            self._numbers[kind, record] = plain, [key for key in every if key.position < 0]
        plain, further = self._numbers[kind, record]
        result = [(key, value) for key, position in plain if (value := item[position]) is not None]
        return result + [(key, value) for key in further if (value := key.of(item)) is not None]

    def unstated(self, kind: str) -> list[tuple[str, Field, Any]]:
        """The rows of a table that are required or have a default, each with its key and its default.

        kind   the table of the language.
        """
        if kind not in self._unstated:
            self._unstated[kind] = [
                (key, field, _default(field))
                for key, field in TABLES[kind].items()
                if field.required or field.default is not None
            ]
        return self._unstated[kind]

    def bound(self, kind: str) -> tuple[tuple[str, Field], ...]:
        """The rows of a table that need or exclude other keys.

        kind   the table of the language.
        """
        if kind not in self._bound:
            rows = TABLES[kind].items()
            self._bound[kind] = tuple((key, field) for key, field in rows if field.needs or field.excludes)
        return self._bound[kind]

    def made(self, record: type[Record], kind: str, item: Record, given: Mapping[str, Any]) -> Recipe:
        """How a record of the network is made from one of the model.

        record   the class of the network's record.
        kind     the table of the language.
        item     the record of the model.
        given    the attributes that have a value already.
        """
        key = record, kind, *given
        recipe = self._made.get(key)
        if recipe is None:
            recipe = self._made[key] = _recipe(record, type(item), self.all(kind, type(item)), given)
        return recipe

    def filled(self, record: type[_Stated], kind: str, values: Mapping[str, Any], /, **stated: Any) -> _Stated:
        """A record of a model from the values of its table.

        record   its class.
        kind     the table of the language.
        values   values by key, as `Reader.table` returns them; a key without one gets the default of its row, or else
                 of its attribute.
        stated   attributes that are no key, or that a key alone does not determine.
        """
        if (kind, record) not in self._fillings:
            every, defaults = self.all(kind, record), record.defaults()
            keys = {key.attribute: key for key in every if key.position >= 0}
            plain = [
                (name, keys[name].key, _absent(keys[name].field, defaults, name))
                if name in keys
                else (name, "", defaults.get(name))
                for name in record.fields()
            ]
            rest = [(key.key, _absent(key.field)) for key in every if key.position < 0]
            self._fillings[kind, record] = plain, rest
        plain, rest = self._fillings[kind, record]
        if rest:
            stated[FURTHER] = tuple([(key, values.get(key, absent)) for key, absent in rest])
        return record(*[stated[name] if name in stated else values.get(key, absent) for name, key, absent in plain])


def _keys(kind: str, record: type[Record]) -> Iterator[Key]:
    fields = record.fields()
    for name, field in TABLES[kind].items():
        if field.attribute is None:
            continue
        attribute = field.attribute or name
        if attribute in fields:
            yield Key(name, field, attribute, fields.index(attribute))
        elif FURTHER in fields and field.kind != "other" and not field.explains:
            yield Key(name, field, attribute, -1)


def _recipe(
    record: type[Record], stated: type[Record], every: Sequence[Key], given_values: Mapping[str, Any]
) -> Recipe:
    """How a `record` of the network is made from a `stated` one of the model, whose keys are `every`."""
    given = [*given_values]
    fields, defaults = record.fields(), record.defaults()
    keys = {key.attribute: key for key in every}
    before = len(given) + len(fields)
    numbers = [key for key in every if key.field.kind == "expression" and key.attribute in {*fields} - {*given}]
    words: list[tuple[Key, Any]] = []
    indices: list[int] = []
    for index, name in enumerate(fields):
        default = defaults.get(name)
        key = keys.get(name)
        if name in given:
            indices.append(given.index(name))
        elif key is None:
            indices.append(len(given) + index)
        elif key in numbers:
            indices.append(before + len(stated.fields()) + numbers.index(key))
        elif key.position >= 0 and not (default and key.field.default is None):
            indices.append(before + key.position)
        else:
            indices.append(before + len(stated.fields()) + len(numbers) + len(words))
            words.append((key, default))
    return Recipe(
        tuple((key.key, key.field, key, key.position, defaults.get(key.attribute)) for key in numbers),
        tuple(words),
        tuple(map(defaults.get, fields)),
        itemgetter(*indices),
    )


def _default(field: Field) -> Any:
    number = field.kind == "expression" and isinstance(field.default, (int, float))
    return parse(field.default) if number and field.default is not None else field.default


def _absent(field: Field, defaults: Mapping[str, Any] | None = None, name: str = "") -> Any:
    """The value of a key that is not stated or cannot be read, chosen so that it causes no further problem."""
    if field.default is not None:
        return _default(field)
    if defaults is not None and name in defaults:
        return defaults[name]
    if field.required and field.kind == "expression":
        return parse(field.low or 0)
    return {"text": "", "word": "", "names": (), "flag": False}.get(field.kind)


@fact_of_tables
def keys_of(model: Model) -> Keys:
    """The rows of the field table for the records of `model`."""
    return Keys()


def all_steps(model: Model) -> list[StepModel]:
    """The steps of all routes of a model, inner ones included, in no particular order."""
    pending = [step for customers in model.classes for route in customers.routes for step in route.steps]
    result: list[StepModel] = []
    while pending:
        step = pending.pop()
        result.append(step)
        pending += step.inner
    return result


def stated(model: Model) -> Iterator[tuple[str, Record, Path]]:
    """The records of a model whose numbers become numbers of its network.

    Returns  each with its table of the language and its path in the file.
    """
    for limit in model.limits:
        yield "limit", limit, limit.path
    for station in model.stations:
        yield "station", station, station.path
        if station.split.kind == "hot":
            yield "split", station.split, (*station.path, "split")
    for buffer in model.buffers:
        yield "buffer", buffer, buffer.path
    for customers in model.classes:
        yield "class", customers, customers.path
        for route in customers.routes:
            yield "route", route, route.path
    for chain in model.chains:
        yield "chain", chain, chain.path
        for service in chain.services:
            yield "service", service, service.path[:-1]
    for step in all_steps(model):
        yield "step", step, step.path
        for branch in step.branches:
            yield "branch", branch, branch.path
