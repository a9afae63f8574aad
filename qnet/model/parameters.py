"""Reading the parameters of a model: those it states, and those of the catalog parts it uses."""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING, Any, cast

from qnet.documents import Document, Path
from qnet.errors import InvalidInput, UsageError
from qnet.expression import Expression, parse
from qnet.expression.names import FUNCTIONS, SOLUTION_FUNCTIONS, percentile_share
from qnet.lazy import lazy
from qnet.model.fields import LOST, RESERVED, TABLES
from qnet.model.model import Parameter
from qnet.model.reader import Reader, describe
from qnet.record import Record
from qnet.units import NUMBER, UNIT_NAMES, UnitError, unit

if TYPE_CHECKING:
    from qnet.catalog import parts as catalog_parts
    from qnet.expression import nodes
else:
    catalog_parts = lazy("qnet.catalog.parts")
    nodes = lazy("qnet.expression.nodes")

_UNREAD = parse(1)


class Parts(Record):
    """The catalog parts of a model."""

    identities: dict[str, str]
    """Identities by namespace."""
    parameters: dict[str, Parameter]
    """Parameters by `namespace.name`."""
    documents: list[Document]


def read_parts(reader: Reader, entries: list[tuple[str, Any]]) -> Parts:
    """The catalog parts in use and their parameters; problems are noted, also those of the parts' files."""
    parts = Parts({}, {}, [])
    for namespace, identity in entries:
        path = ("uses", namespace)
        identifier(reader, namespace, path)
        if not isinstance(identity, str):
            expected = 'the name of a catalog part, such as "dasd/ibm-3390-3"'
            reader.fail("QN204", path, f"found {describe(identity)}", expected)
            reader.broken.add(namespace)
            continue
        _read_part(reader, parts, namespace, identity, path)
    return parts


def _read_part(reader: Reader, parts: Parts, namespace: str, identity: str, path: Path) -> None:
    try:
        part = catalog_parts.load_part(identity)
    except UsageError as error:
        reader.fail("QN301", path, error.problems[0].found, error.problems[0].expected, error.problems[0].help)
        reader.broken.add(namespace)
        return
    except InvalidInput as error:
        reader.broken.add(namespace)
        for problem in error.problems:
            reader.note(problem)
        return
    parts.identities[namespace] = identity
    parts.documents.append(part.document)
    for item in part.parameters.values():
        expression = _qualified(item.expression, namespace)
        name = f"{namespace}.{item.name}"
        parts.parameters[name] = Parameter(
            name=name,
            expression=expression,
            dimension=item.dimension,
            options=(),
            low=item.low,
            high=item.high,
            unit="",
            note=item.note,
            grade=item.grade,
            sources=item.sources,
            place=item.place,
            fitted_on=item.fitted_on,
            part=identity,
            path=path,
        )


def identifier(reader: Reader, name: str, path: Path) -> None:
    """Note a name that expressions cannot use, or that means something else in them."""
    if not (name.isidentifier() and name.isascii() and len(name) <= 100):
        expected = "letters, digits and _, not starting with a digit, 100 at most"
        reader.fail("QN207", path, f'"{name}" cannot be used in expressions', expected)
    elif name in UNIT_NAMES:
        reader.fail("QN207", path, f'"{name}" is the name of a unit', "another name")
    elif (
        name in FUNCTIONS
        or name in SOLUTION_FUNCTIONS
        or name in RESERVED
        or name in LOST
        or iskeyword(name)
        or percentile_share(name)
    ):
        reader.fail("QN207", path, f'"{name}" is a reserved word of expressions', "another name")


def read_parameter(reader: Reader, name: str, raw: Any) -> Parameter:
    """A parameter that the model states; one that cannot be read is noted and named in `reader.broken`."""
    path = ("parameters", name)
    identifier(reader, name, path)
    if not isinstance(raw, dict):
        expression = reader.expression(raw, path)
        if expression is None:
            reader.broken.add(name)
        return Parameter(name, expression or _UNREAD, dimension=NUMBER, path=path)
    given = cast("dict[str, Any]", raw)
    if "options" in given:
        return _choice(reader, name, given, path)
    values = reader.table(given, "parameter", path)
    expression = values.get("value")
    if expression is None:
        reader.broken.add(name)
    low, high = _range(reader, values.get("range"), (*path, "range"))
    shown = unit_text(reader, values.get("unit", ""), (*path, "unit"))
    return Parameter(
        name=name,
        expression=expression or _UNREAD,
        dimension=NUMBER,
        options=(),
        low=low,
        high=high,
        unit=shown,
        **_provenance(values),
        path=path,
    )


def _choice(reader: Reader, name: str, given: dict[str, Any], path: Path) -> Parameter:
    """A parameter whose value is one of some words; it is held as the index of the word."""
    word = given.get("value")
    values = reader.table({**given, "value": 0} if "value" in given else given, "parameter", path)
    options: tuple[str, ...] = values.get("options", ())
    for key in ("range", "unit"):
        if key in given:
            reader.fail("QN204", (*path, key), f"a {key} is given together with options", f"options, or a {key}")
    index = 0
    if isinstance(word, str) and word in options:
        index = options.index(word)
    else:
        reader.broken.add(name)
        if options and "value" in given:
            reader.word(word, options, (*path, "value"))
        elif given["options"] == []:
            reader.fail("QN204", (*path, "options"), "the list is empty", "the words that the parameter may take")
    return Parameter(
        name=name, expression=parse(index), dimension=NUMBER, options=options, **_provenance(values), path=path
    )


def _provenance(values: dict[str, Any]) -> dict[str, Any]:
    return {
        "note": values.get("note", ""),
        "grade": values.get("grade", ""),
        "sources": values.get("source", ()),
        "place": values.get("place", ""),
        "fitted_on": values.get("fitted_on", ()),
    }


def _range(reader: Reader, raw: Any, path: Path) -> tuple[Expression | None, Expression | None]:
    """The least and the greatest value allowed."""
    if raw is None:
        return None, None
    bounds = cast("list[Any]", raw) if isinstance(raw, list) else []
    if len(bounds) != 2:
        reader.fail("QN204", path, f"found {describe(raw)}", "two values: [least, greatest]")
        return None, None
    return reader.expression(bounds[0], (*path, 0)), reader.expression(bounds[1], (*path, 1))


def unit_text(reader: Reader, text: str, path: Path) -> str:
    """The text of a unit; an unknown unit is noted, and the result is empty."""
    try:
        unit(text)
    except UnitError as error:
        reader.fail("QN101", path, str(error), help=error.help)
        return ""
    return text


def read_shown(reader: Reader, raw: Any, kind: str, path: Path) -> dict[str, Any]:
    """A table with a `value`, or the bare value itself."""
    if isinstance(raw, dict):
        return reader.table(cast("dict[str, Any]", raw), kind, path)
    value = reader.value(raw, TABLES[kind]["value"], path)
    return {} if value is None else {"value": value}


def _qualified(expression: Expression, namespace: str) -> Expression:
    """An expression over the parameters of a part, with the namespace before every name."""
    if not expression.names:
        return expression
    root = nodes.rename(expression.root, lambda node: nodes.Name(f"{namespace}.{node.name}", node.column))
    return Expression(expression.source, root, tuple(f"{namespace}.{name}" for name in expression.names))
