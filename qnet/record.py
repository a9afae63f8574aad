"""Immutable records like `typing.NamedTuple`, whose classes are created twenty times faster.

`NamedTuple` compiles all annotations and a constructor when a class is created: a quarter of a millisecond for each
record class that a command loads, a third of the start-up time of a small answer. Here only classes with many instances
get a compiled constructor. Type checkers treat these records as frozen dataclasses.
"""

from __future__ import annotations

from collections import namedtuple
from functools import lru_cache
from importlib import import_module
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, cast, dataclass_transform

if TYPE_CHECKING:
    from typing import Self


_OFTEN = 200
"""Instances of a class after which its constructor is compiled, which takes as long as creating a hundred of them."""


@dataclass_transform(frozen_default=True)
class Record(tuple[Any, ...]):
    """Base class of all records: annotated names are fields, in order; assigned values are their defaults.

    A record is a tuple: it compares, hashes, unpacks and sorts by its values, and cannot be changed.
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _made: ClassVar[list[None]] = []
    """An element for each instance of the class by the general constructor, up to `_OFTEN`."""

    def __init_subclass__(cls) -> None:
        # The annotations of this class only, not evaluated: inspect.get_annotations costs an import.
        names = tuple(cls.__dict__.get("__annotations__") or _annotations(cls))  # noqa: RUF063
        cls._fields = cls._fields + names
        cls._defaults = cls._defaults | {name: cls.__dict__[name] for name in names if name in cls.__dict__}
        for index, name in enumerate(names, len(cls._fields) - len(names)):
            setattr(cls, name, _field(index))
        cls._made = []
        if cls.__bases__ != (Record,) and getattr(cls.__new__, "general", False):
            # The compiled constructor of a base class has the fields of the base class only.
            cls.__new__ = Record.__new__

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """A record of the values of its fields, given by position or by name; raises `TypeError` for wrong ones."""
        fields = cls._fields
        # Most calls give all fields in order, which needs no look-up of names.
        if named and tuple(named) == fields[len(values) :]:
            values += tuple(named.values())
        elif named or len(values) != len(fields):
            values = cls._arranged(values, named)
        made = cls._made
        if len(made) < _OFTEN:
            made.append(None)
            if len(made) == _OFTEN:
                cls._compile()
        return tuple.__new__(cls, values)  # pyright: ignore[reportUnknownMemberType]

    @classmethod
    def _arranged(cls, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The values of all fields in order, from those given by position and by name, and the defaults."""
        fields, defaults = cls._fields, cls._defaults
        rest: list[Any] = []
        for name in fields[len(values) :]:
            if name in named:
                rest.append(named.pop(name))
            elif name in defaults:
                rest.append(defaults[name])
            else:
                raise TypeError(f"{cls.__name__}: {name} is missing")
        if named or len(values) > len(fields):
            raise TypeError(f"{cls.__name__} has the fields {', '.join(fields)}")
        return (*values, *rest)

    @classmethod
    def _compile(cls) -> None:
        """Give the class a compiled constructor, if fields with a default come last and no name begins with `_`."""
        fields, defaults = cls._fields, [cls._defaults[name] for name in cls._fields if name in cls._defaults]
        required = [name for name in fields if name not in cls._defaults]
        if cls.__new__ is not Record.__new__ or [*fields[: len(required)]] != required:
            return
        if not fields or len(set(fields)) < len(fields) or any(name.startswith("_") for name in fields):
            return
        made: Any = namedtuple(cls.__name__, fields, defaults=defaults).__new__  # pyright: ignore[reportUntypedNamedTuple]
        made.general = True
        cls.__new__ = made

    @classmethod
    def fields(cls) -> tuple[str, ...]:
        """The names of the fields, in order."""
        return cls._fields

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The default values of fields, by name."""
        return dict(cls._defaults)

    def replace(self, **changes: Any) -> Self:
        """A copy of the record with some fields changed; raises `TypeError` for an unknown one."""
        values, fields = list(self), self._fields
        for name, value in changes.items():
            try:
                values[fields.index(name)] = value
            except ValueError:
                raise TypeError(f"{type(self).__name__} has no field {name}") from None
        return tuple.__new__(type(self), values)  # pyright: ignore[reportUnknownMemberType]

    def as_dict(self) -> dict[str, Any]:
        """The values of the fields by name, in order."""
        return dict(zip(self._fields, self, strict=True))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        text = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({text})"


cast("Any", Record.__new__).general = True


@lru_cache(maxsize=64)
def _field(index: int) -> property:
    """The property of the field at an index, shared by all classes: it takes a third of the time to create a class."""
    return property(itemgetter(index))


def _annotations(cls: type) -> dict[str, Any]:
    """The annotations of a class if they are computed on demand (Python 3.14 and later), not evaluated."""
    make = getattr(cls, "__annotate__", None)
    if make is None:
        return {}
    library: Any = import_module("annotationlib")
    return dict(library.call_annotate_function(make, library.Format.STRING, owner=cls))
