"""From a TOML document to a checked `Model`; all problems of the file are reported at once."""

from __future__ import annotations

from typing import Any

from qnet.documents import Document, Path, read
from qnet.errors import InvalidInput, UsageError, suggest
from qnet.expression import Expression, parse
from qnet.expression.functions import FUNCTIONS, SOLUTION_FUNCTIONS
from qnet.model.fields import RESERVED
from qnet.model.model import (
    ClassModel,
    EnvelopeModel,
    LimitModel,
    Model,
    Output,
    Parameter,
    RouteModel,
    Split,
    StationModel,
    StepModel,
)
from qnet.model.reader import Reader, Table, describe
from qnet.units import NUMBER, UNIT_NAMES, UnitError, unit

MAX_STATIONS = 2000
MAX_STEPS = 20000

_ONE = parse(1)
_ZERO = parse(0)


def load(system: str) -> Model:
    """Load and check a model.

    system   a catalog name such as `ibm-3990-6`, a path (with `/` or ending in `.toml`), or `-` for standard input.
    Raises   `UsageError` for an unknown name or an unreadable file, `InvalidInput` with every problem of the file.
    """
    if system == "-" or "/" in system or system.endswith(".toml"):
        return build(read(system), system)
    from qnet.catalog.find import system_path

    return build(read(system_path(system)), system)


def build(document: Document, name: str) -> Model:
    """Check a document that has been read; raises `InvalidInput` with every problem of it."""
    from qnet.model.check import check_model

    builder = _Builder(document)
    model = builder.model(name)
    checked = check_model(model, builder.reader, builder.broken)
    builder.reader.finish()
    return checked


class _Builder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.reader = Reader(document)
        self.broken: set[str] = set()
        """Parameters that could not be read: expressions over them are not blamed for it."""
        self.steps_seen = 0

    def model(self, name: str) -> Model:
        reader, data = self.reader, self.document.data
        top = reader.table(data, "model", ())
        if "qnet" in data and (isinstance(data["qnet"], bool) or data["qnet"] != 1):
            reader.fail("QN205", ("qnet",), f"found {describe(data['qnet'])}", "version 1 of the model language", "write qnet = 1")
        parts, parameters, digests = self.parts(top.get("uses"))
        parameters |= {key: self.parameter(key, raw) for key, raw in self.tables(top, "parameters")}
        stations = tuple(self.station(key, raw) for key, raw in self.tables(top, "stations"))
        if len(stations) > MAX_STATIONS:
            reader.fail("QN206", ("stations",), f"found {len(stations)} stations", f"at most {MAX_STATIONS}", "use copies")
        classes = tuple(self.customers(key, raw) for key, raw in self.tables(top, "classes"))
        for key, found in (("stations", stations), ("classes", classes)):
            if key in top and not found:
                reader.fail("QN203", (key,), f"there are no {key}", "at least one")
        return Model(
            name=name,
            title=top.get("title") or name,
            document=self.document,
            parameters=parameters,
            stations=stations,
            classes=classes,
            limits=tuple(self.limit(key, raw) for key, raw in self.tables(top, "limits")),
            outputs={key: self.output(key, raw) for key, raw in self.tables(top, "outputs")},
            envelopes={key: self.envelope(key, raw) for key, raw in self.tables(top, "envelopes")},
            parts=parts,
            settings={},
            digest=_digest([self.document.digest, *digests]),
        )

    def tables(self, top: Table, key: str) -> list[tuple[str, Any]]:
        """The named entries of a top-level table."""
        raw = top.get(key, {})
        if not isinstance(raw, dict):
            self.reader.fail("QN201", (key,), f"found {describe(raw)}", f"a table [{key}]")
            return []
        entries: dict[str, Any] = raw  # pyright: ignore[reportUnknownVariableType]
        return list(entries.items())

    def parts(self, raw: Any) -> tuple[dict[str, str], dict[str, Parameter], list[str]]:
        """The catalog parts in use and their parameters, as `namespace.name`."""
        from qnet.catalog.parts import load_part

        parts: dict[str, str] = {}
        parameters: dict[str, Parameter] = {}
        digests: list[str] = []
        for namespace, identity in self.tables({"uses": raw or {}}, "uses"):
            path = ("uses", namespace)
            self.identifier(namespace, path)
            if not isinstance(identity, str):
                self.reader.fail("QN204", path, f"found {describe(identity)}", 'the name of a catalog part, such as "dasd/ibm-3390-3"')
                continue
            try:
                part = load_part(identity)
            except UsageError as error:
                self.reader.fail("QN301", path, error.problems[0].found, help=error.problems[0].help)
                self.broken.add(namespace)
                continue
            except InvalidInput as error:
                self.reader.problems += error.problems
                self.broken.add(namespace)
                continue
            parts[namespace] = identity
            digests.append(part.digest)
            for item in part.parameters.values():
                expression = _qualified(item.expression, namespace)
                name = f"{namespace}.{item.name}"
                parameters[name] = Parameter(
                    name, expression, item.dimension, (), item.low, item.high, "", item.note, item.grade, item.sources,
                    item.place, item.fitted_on, identity, path,
                )  # fmt: skip
        return parts, parameters, digests

    def identifier(self, name: str, path: Path) -> None:
        """Names used in expressions are identifiers and mean nothing else."""
        if not (name.isidentifier() and name.isascii()):
            self.reader.fail("QN207", path, f'"{name}" cannot be used in expressions', "letters, digits and _, not starting with a digit")
        elif name in UNIT_NAMES:
            self.reader.fail("QN207", path, f'"{name}" is the name of a unit', "another name")
        elif name in FUNCTIONS or name in SOLUTION_FUNCTIONS or name in RESERVED:
            self.reader.fail("QN207", path, f'"{name}" has a meaning of its own in expressions', "another name")

    def parameter(self, name: str, raw: Any) -> Parameter:
        path = ("parameters", name)
        self.identifier(name, path)
        values = self.reader.table(raw if isinstance(raw, dict) else {"value": raw}, "parameter", path)
        options = values.get("options", ())
        expression = values.get("value")
        if options:
            word = raw["value"] if isinstance(raw, dict) and "value" in raw else None  # pyright: ignore[reportUnknownVariableType]
            expression = self.choice(word, options, (*path, "value"))
        if expression is None:
            self.broken.add(name)
            expression = _ONE
        low, high = self.range(values.get("range"), (*path, "range"))
        source = values.get("source", ())
        sources = (source,) if isinstance(source, str) else tuple(str(item) for item in source)
        return Parameter(
            name, expression, NUMBER, options, low, high, self.unit(values.get("unit", ""), (*path, "unit")),
            values.get("note", ""), values.get("grade", ""), sources, values.get("place", ""), values.get("fitted_on", ()), "", path,
        )  # fmt: skip

    def choice(self, word: Any, options: tuple[str, ...], path: Path) -> Expression | None:
        """The index of an option, as an expression; the parse problem of the bare word is withdrawn."""
        self.reader.problems = [problem for problem in self.reader.problems if problem.path != path]
        if word not in options:
            self.reader.fail("QN204", path, f"found {describe(word)}", "one of " + ", ".join(options), suggest(str(word), options))
            return None
        return parse(options.index(word))

    def unit(self, text: str, path: Path) -> str:
        try:
            if text:
                unit(text)
        except UnitError as error:
            self.reader.fail("QN101", path, str(error), help=error.help)
            return ""
        return text

    def range(self, raw: Any, path: Path) -> tuple[Expression | None, Expression | None]:
        if raw is None:
            return None, None
        if not isinstance(raw, list) or len(raw) != 2:  # pyright: ignore[reportUnknownArgumentType]
            self.reader.fail("QN204", path, f"found {describe(raw)}", "two values: [least, greatest]")
            return None, None
        bounds: list[Any] = raw  # pyright: ignore[reportUnknownVariableType]
        return self.reader.expression(bounds[0], (*path, 0)), self.reader.expression(bounds[1], (*path, 1))

    def station(self, name: str, raw: Any) -> StationModel:
        path = ("stations", name)
        values = self.reader.table(raw, "station", path)
        return StationModel(
            name, values.get("servers", _ONE), values.get("copies", _ONE), self.split(values.get("split", "even"), (*path, "split")),
            values.get("discipline", "fcfs"), values.get("delay", False), values.get("follows", ""), path,
        )  # fmt: skip

    def split(self, raw: Any, path: Path) -> Split:
        if isinstance(raw, dict):
            values = self.reader.table(raw, "split", path)
            return Split("hot", (), values.get("hot"), values.get("share"))
        if isinstance(raw, list):
            items: list[Any] = raw  # pyright: ignore[reportUnknownVariableType]
            shares = [self.reader.expression(item, (*path, index)) for index, item in enumerate(items)]
            return Split("listed", tuple(share for share in shares if share is not None))
        if raw != "even":
            self.reader.fail("QN204", path, f"found {describe(raw)}", '"even", a list of shares, or { hot = n, share = s }')
        return Split("even")

    def customers(self, name: str, raw: Any) -> ClassModel:
        path = ("classes", name)
        values = self.reader.table(raw, "class", path)
        routes: tuple[RouteModel, ...] = ()
        if ("routes" in values) == ("steps" in values) and isinstance(raw, dict):
            self.reader.fail("QN208", path, "a class needs either routes or steps", "[[classes.NAME.routes]], or steps for the only route")
        if "routes" in values:
            items: Any = values["routes"]
            if isinstance(items, list):
                routes = tuple(self.route(item, (*path, "routes", index)) for index, item in enumerate(items))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            else:
                self.reader.fail("QN201", (*path, "routes"), f"found {describe(items)}", "tables [[classes.NAME.routes]]")
        elif "steps" in values:
            routes = (RouteModel(name, _ONE, self.steps(values["steps"], (*path, "steps")), path),)
        return ClassModel(name, values.get("arrival_rate"), values.get("population"), values.get("think_time"), routes, path)

    def route(self, raw: Any, path: Path) -> RouteModel:
        values = self.reader.table(raw, "route", path)
        steps = self.steps(values.get("steps", []), (*path, "steps"))
        return RouteModel(values.get("name", "?"), values.get("probability", _ONE), steps, path)

    def steps(self, raw: Any, path: Path) -> tuple[StepModel, ...]:
        if not isinstance(raw, list):
            self.reader.fail("QN201", path, f"found {describe(raw)}", "a list of steps: [ { delay = ... }, { station = ..., time = ... } ]")
            return ()
        items: list[Any] = raw  # pyright: ignore[reportUnknownVariableType]
        return tuple(self.step(item, (*path, index)) for index, item in enumerate(items))

    def step(self, raw: Any, path: Path) -> StepModel:
        values = self.reader.table(raw, "step", path)
        self.steps_seen += 1
        if self.steps_seen == MAX_STEPS + 1:
            self.reader.fail("QN206", path, f"the model has more than {MAX_STEPS} steps", f"at most {MAX_STEPS}")
        given: dict[str, Any] = raw if isinstance(raw, dict) else {}  # pyright: ignore[reportUnknownVariableType]
        form = frozenset(key for key in ("delay", "station", "time", "hold", "steps") if key in given)
        if form not in _STEP_FORMS and given:
            self.reader.fail("QN209", path, "found a step with " + (", ".join(sorted(form)) or "none of its forms"), "one of: delay; station and time; hold and steps; time (inside a hold)")
        common = {
            "visits": values.get("visits", _ONE),
            "phase": self.small_number(given.get("phase", 1), (1, 2), (*path, "phase")),
            "keeps": values.get("keeps"),
            "priority": self.small_number(given.get("priority", 0), range(-99, 100), (*path, "priority")),
            "exempt": values.get("exempt", _ZERO),
            "copy": values.get("copy"),
        }
        scv = values["scv"] if "scv" in given and "scv" in values else None
        time = values.get("delay", values.get("time"))
        if "station" in values or "hold" in values:
            inner = self.steps(values["steps"], (*path, "steps")) if "steps" in values else ()
            if "station" in values and time is not None:
                service = StepModel("", time, (), _ONE, 1, None, 0, _ZERO, scv, None, path)
                return StepModel(values["station"], None, (service,), scv=None, path=path, **common)
            return StepModel(values.get("hold", values.get("station", "")), None, inner, scv=scv, path=path, **common)
        key = "delay" if "delay" in values else "time"
        return StepModel("", time if time is not None else _ZERO, (), scv=scv, path=path, time_key=key, **common)

    def small_number(self, raw: Any, allowed: Any, path: Path) -> int:
        if isinstance(raw, int) and not isinstance(raw, bool) and raw in allowed:
            return raw
        self.reader.fail("QN204", path, f"found {describe(raw)}", f"a whole number from {allowed[0]} to {allowed[-1]}")
        return allowed[0]

    def limit(self, name: str, raw: Any) -> LimitModel:
        values = self.reader.table(raw, "limit", ("limits", name))
        return LimitModel(name, values.get("load", _ZERO), values.get("capacity", _ONE), ("limits", name))

    def output(self, name: str, raw: Any) -> Output:
        path = ("outputs", name)
        self.identifier(name, path)
        values = self.reader.table(raw if isinstance(raw, dict) else {"value": raw}, "output", path)
        shown = self.unit(values.get("unit", ""), (*path, "unit"))
        return Output(name, values.get("value", _ONE), NUMBER, shown, values.get("note", ""), path)

    def envelope(self, name: str, raw: Any) -> EnvelopeModel:
        path = ("envelopes", name)
        values = self.reader.table(raw, "envelope", path)
        over = values.get("over", ())
        settings: Any = values.get("set", {})
        if not isinstance(settings, dict):
            self.reader.fail("QN201", (*path, "set"), f"found {describe(settings)}", "a table of parameter values")
            settings = {}
        texts = {str(key): str(value) for key, value in settings.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return EnvelopeModel(
            name, values.get("title", name), values.get("vary", ""), values.get("limit", ""),
            (over,) if isinstance(over, str) else tuple(str(item) for item in over), texts, values.get("route", ""), path,
        )  # fmt: skip


_STEP_FORMS = {
    frozenset({"delay"}), frozenset({"station", "time"}), frozenset({"hold", "steps"}), frozenset({"time"}),
}  # fmt: skip


def _qualified(expression: Expression, namespace: str) -> Expression:
    """An expression over the parameters of a part, with the namespace before every name."""
    if not expression.names:
        return expression
    from qnet.expression.nodes import Name, rename

    root = rename(expression.root, lambda node: Name(f"{namespace}.{node.name}", node.column))
    return Expression(expression.source, root, tuple(f"{namespace}.{name}" for name in expression.names))


def _digest(parts: list[str]) -> str:
    from hashlib import sha256

    return sha256("\n".join(parts).encode()).hexdigest()[:12] if len(parts) > 1 else parts[0]
