"""From a TOML document to a checked `Model`; all problems of the file are reported at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from qnet.documents import Document, Path, read
from qnet.expression import Expression, parse
from qnet.lazy import lazy
from qnet.model.fields import RATES, SHARE
from qnet.model.model import (
    BufferModel,
    CalibrationModel,
    ChainModel,
    CostModel,
    EnvelopeModel,
    KneeModel,
    LimitModel,
    Model,
    Output,
    Split,
    StationModel,
)
from qnet.model.parameters import identifier, read_parameter, read_parts, read_shown, unit_text
from qnet.model.reader import Reader, Table, describe
from qnet.model.routes import RouteReader
from qnet.units import NUMBER

if TYPE_CHECKING:
    from qnet.catalog import find
    from qnet.model import calibration, chains, check
    from qnet.model import rate_formula as rate_formulas
else:
    rate_formulas = lazy("qnet.model.rate_formula")
    find = lazy("qnet.catalog.find")
    check = lazy("qnet.model.check")
    chains = lazy("qnet.model.chains")
    calibration = lazy("qnet.model.calibration")

MAX_ENTRIES = 2000
"""Most entries of a table of a model, such as its stations; a choice that bounds time."""
MAX_ENVELOPES = 200
"""Most envelopes of a model; a choice far above what is written by hand."""
MAX_RATES = 10_000
"""Most rates of a station, one for each number of customers; a choice that bounds time."""

_ONE = parse(1)


def load(system: str) -> Model:
    """Load and check a model.

    system   a catalog name such as `ibm-3990-6`, a path (with `/` or ending in `.toml`), or `-` for standard input.
    Raises   `UsageError` for an unknown name or an unreadable file, `InvalidInput` with every problem of the file.
    """
    if system == "-" or "/" in system or system.endswith(".toml"):
        return build(read(system), system)
    return build(read(find.system_path(system)), system)


def build(document: Document, name: str) -> Model:
    """The checked model of a parsed document; raises `InvalidInput` with all its problems.

    name   the name of the model in messages and reports: a catalog name, a path, or `-`.
    """
    reader = Reader(document)
    model = check.check_model(_Builder(reader).model(name), reader)
    reader.finish()
    return model


class _Builder:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.document = reader.document

    def model(self, name: str) -> Model:
        """The model as the file states it, as far as it can be read."""
        reader, data = self.reader, self.document.data
        top = reader.table(data, "model", ())
        version: Any = data.get("qnet", 1)
        if isinstance(version, bool) or version != 1:
            expected = "version 1 of the model language"
            reader.fail("QN205", ("qnet",), f"found {describe(version)}", expected, "write qnet = 1")
        parts = read_parts(reader, self.tables(top, "uses"))
        parameters = parts.parameters | {
            key: read_parameter(reader, key, raw) for key, raw in self.tables(top, "parameters")
        }
        stations = tuple(self.station(key, raw) for key, raw in self.tables(top, "stations"))
        routes = RouteReader(reader)
        classes = tuple(routes.customers(key, raw) for key, raw in self.tables(top, "classes"))
        chains = tuple(self.chain(key, raw) for key, raw in self.tables(top, "chains"))
        if top.get("stations") == {}:
            reader.fail("QN203", ("stations",), "there are no stations", "at least one")
        if all(top.get(key, {}) == {} for key in ("classes", "chains")):
            stated = [key for key in ("classes", "chains") if key in top]
            expected = "at least one" if stated else "[classes.NAME], or [chains.NAME]"
            reader.fail("QN203", tuple(stated[:1]), f"there are no {(*stated, 'classes')[0]}", expected)
        return Model(
            name=name,
            title=top.get("title") or name,
            document=self.document,
            parameters=parameters,
            stations=stations,
            classes=classes,
            chains=chains,
            buffers=tuple(self.buffer(key, raw) for key, raw in self.tables(top, "buffers")),
            limits=tuple(self.limit(key, raw) for key, raw in self.tables(top, "limits")),
            outputs={key: self.output(key, raw) for key, raw in self.tables(top, "outputs")},
            costs={key: self.cost(key, raw) for key, raw in self.tables(top, "costs")},
            envelopes={key: self.envelope(key, raw) for key, raw in self.tables(top, "envelopes")},
            knee_question=self.knee(top),
            parts=parts.identities,
            settings={},
            part_documents=tuple(parts.documents),
            origins={},
            calibration=self.calibration(top),
        )

    def tables(self, top: Table, key: str) -> list[tuple[str, Any]]:
        """The named entries of a top-level table; raises `InvalidInput` at once where there are too many to go on."""
        raw = top.get(key, {})
        if not isinstance(raw, dict):
            self.reader.fail("QN201", (key,), f"found {describe(raw)}", f"a table [{key}]")
            return []
        entries = list(cast("dict[str, Any]", raw).items())
        most = MAX_ENVELOPES if key == "envelopes" else MAX_ENTRIES
        if len(entries) > most:
            help = "use copies" if key == "stations" else ""
            self.reader.fail("QN206", (key,), f"there are {len(entries)} {key}", f"at most {most}", help)
            self.reader.finish()
        return entries

    def station(self, name: str, raw: Any) -> StationModel:
        """A service centre."""
        path = ("stations", name)
        self.reader.label(name, path)
        values = self.reader.table(raw, "station", path)
        split = self.split(values.get("split", "even"), (*path, "split"))
        formula = self.rate_formula(values.get("rates"), (*path, "rates"))
        rates = () if isinstance(values.get("rates"), str) else self.rates(values.get("rates"), (*path, "rates"))
        rates = rates if formula is None else (rate_formulas.at(formula, 1),)
        return self.reader.record(
            StationModel, "station", values, name=name, split=split, path=path, rates=rates, rate_formula=formula
        )

    def chain(self, name: str, raw: Any) -> ChainModel:
        """Customers that change class."""
        return chains.read_chain(self.reader, name, raw)

    def rate_formula(self, raw: Any, path: Path) -> Expression | None:
        """The formula of rates, over the number present `n`; None for a list."""
        return self.reader.value(raw, RATES, path) if isinstance(raw, str) else None

    def rates(self, raw: Any, path: Path) -> tuple[Expression, ...]:
        """Relative capacities with 1, 2, ... customers present."""
        if raw is None:
            return ()
        if not isinstance(raw, list) or not raw or len(cast("list[Any]", raw)) > MAX_RATES:
            result = describe(raw) if raw != [] else "an empty list"
            self.reader.fail(
                "QN204",
                path,
                f"found {result}",
                f"a list of 1 to {MAX_RATES} numbers: [1, 1.7, 2.2], or a formula of n",
            )
            return ()
        items = enumerate(cast("list[Any]", raw))
        result = [self.reader.value(item, RATES, (*path, index)) for index, item in items]
        return tuple(rate for rate in result if rate is not None)

    def split(self, raw: Any, path: Path) -> Split:
        """How visits spread over the copies of a station."""
        if isinstance(raw, dict):
            return self.reader.record(Split, "split", self.reader.table(raw, "split", path), kind="hot")
        if isinstance(raw, list):
            items = cast("list[Any]", raw)
            shares = [self.reader.value(item, SHARE, (*path, index)) for index, item in enumerate(items)]
            return Split("listed", tuple(share for share in shares if share is not None))
        if raw != "even":
            expected = '"even", a list of shares, or { hot = n, share = s }'
            self.reader.fail("QN204", path, f"found {describe(raw)}", expected)
        return Split("even")

    def buffer(self, name: str, raw: Any) -> BufferModel:
        """A buffer."""
        path = ("buffers", name)
        self.reader.label(name, path)
        return self.reader.record(BufferModel, "buffer", self.reader.table(raw, "buffer", path), name=name, path=path)

    def limit(self, name: str, raw: Any) -> LimitModel:
        """A capacity that is not a queue."""
        path = ("limits", name)
        self.reader.label(name, path)
        return self.reader.record(LimitModel, "limit", self.reader.table(raw, "limit", path), name=name, path=path)

    def output(self, name: str, raw: Any) -> Output:
        """A named result."""
        path = ("outputs", name)
        identifier(self.reader, name, path)
        values = read_shown(self.reader, raw, "output", path)
        if "value" not in values:
            self.reader.broken.add(name)
        shown = unit_text(self.reader, values.get("unit", ""), (*path, "unit"))
        return Output(name, values.get("value", _ONE), NUMBER, shown, values.get("note", ""), path)

    def cost(self, name: str, raw: Any) -> CostModel:
        """Busy server time per unit of something."""
        path = ("costs", name)
        self.reader.label(name, path)
        values = self.reader.table(raw, "cost", path)
        shown = unit_text(self.reader, values.get("unit", ""), (*path, "unit"))
        return self.reader.record(CostModel, "cost", values, name=name, unit=shown, path=path)

    def envelope(self, name: str, raw: Any) -> EnvelopeModel:
        """A named question."""
        path = ("envelopes", name)
        self.reader.label(name, path)
        values = self.reader.table(raw, "envelope", path)
        settings = self.settings(values.get("set", {}), (*path, "set"))
        if values.get("limit") == ():
            self.reader.fail("QN204", (*path, "limit"), "the list is empty", "a condition, or a list of them")
        title = values.get("title", name)
        return self.reader.record(
            EnvelopeModel, "envelope", values, name=name, title=title, settings=settings, path=path
        )

    def knee(self, top: Table) -> KneeModel:
        """The defaults of `qnet knee`."""
        if "knee" not in top:
            return KneeModel()
        return self.reader.record(KneeModel, "knee", self.reader.table(top["knee"], "knee", ("knee",)))

    def calibration(self, top: Table) -> CalibrationModel | None:
        """The uncertainty of fitted parameters."""
        if "calibration" not in top:
            return None
        return calibration.read_calibration(self.reader, top["calibration"])

    def settings(self, raw: Any, path: Path) -> dict[str, str]:
        """The values that an envelope gives to parameters, as texts."""
        if not isinstance(raw, dict):
            self.reader.fail("QN201", path, f"found {describe(raw)}", "a table of parameter values")
            return {}
        texts: dict[str, str] = {}
        for key, value in cast("dict[str, Any]", raw).items():
            if isinstance(value, (int, float, str)) and not isinstance(value, bool):
                texts[key] = str(value)
            else:
                self.reader.fail(
                    "QN204", (*path, key), f"found {describe(value)}", "a number or an expression in quotes"
                )
        return texts
