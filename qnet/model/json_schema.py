"""The JSON Schema of the model language for editors of TOML, made from the table of keys that the loader reads."""

from __future__ import annotations

from typing import Any

from qnet.model.fields import SHARE, TABLES, Field
from qnet.units import DATA, NUMBER, RATE, TIME, Dimension

Schema = dict[str, Any]

_EXAMPLES_BY_DIMENSION: dict[Dimension | None, list[Any]] = {
    TIME: ["10 ms", "seek + rotation / 2"],
    RATE: ["600/s", "rate"],
    NUMBER: [2, "1 - hit"],
    DATA: ["4 KiB"],
    None: ["10 ms", 0.8, "block / rate"],
}
_EXAMPLES: dict[tuple[str, str], list[Any]] = {
    ("model", "qnet"): [1],
    ("model", "title"): ["Web tier with a connection pool"],
    ("model", "uses"): [{"disk": "dasd/ibm-3390-3"}],
    ("model", "parameters"): [{"rate": "600/s", "hit": {"value": 0.8, "range": [0, 1]}}],
    ("model", "stations"): [{"cpu": {"servers": 4}, "disk": {"copies": 8}}],
    ("model", "outputs"): [{"density": {"value": "throughput / capacity", "unit": "/s/GB"}}],
    ("parameter", "options"): [["track", "record"]],
    ("parameter", "range"): [[0, 1], ["1/s", "1000/s"]],
    ("parameter", "unit"): ["/s", "ms"],
    ("station", "rates"): [[1, 1.7, 2.2], "n / (1 + 0.05 * (n - 1))"],
    ("station", "split"): ["even", [0.5, 0.3, 0.2], {"hot": 2, "share": 0.5}],
    ("station", "follows"): ["volume"],
    ("class", "population"): [20, "users"],
    ("class", "steps"): [[{"station": "cpu", "time": "3 ms"}]],
    ("route", "name"): ["read hit"],
    ("route", "probability"): [0.8, "1 - hit"],
    ("step", "station"): ["cpu"],
    ("step", "hold"): ["pool"],
    ("step", "steps"): [[{"delay": "2 ms"}, {"station": "database", "time": "20 ms"}]],
    ("step", "parallel"): [[{"steps": [{"station": "index", "time": "50 ms"}]}]],
    ("step", "fill"): ["nvs"],
    ("step", "percentiles"): [{"p50": "12 ms", "p99": "80 ms"}],
    ("step", "drains"): ["nvs"],
    ("step", "phase"): [2],
    ("step", "keeps"): ["drive", ["drive", "path"]],
    ("step", "causes"): [["storage short"]],
    ("chain", "routing"): [{"browse": {"web": {"browse": {"disk": 0.6}, "think": 0.4}}}],
    ("cost", "of"): ["cpu", "all"],
    ("cost", "per"): ["faults"],
    ("cost", "unit"): ["us", "ms/MB"],
    ("envelope", "vary"): ["rate"],
    ("envelope", "limit"): ["response <= 10 ms", ["response <= 1 s", "utilization('cpu') <= 0.9"]],
    ("envelope", "over"): ["write_fraction = 0:0.5:0.1"],
    ("envelope", "set"): [{"hit": 0.5}],
    ("knee", "limit"): ["response <= 1 s"],
}
_EXPRESSION: Schema = {"type": ["number", "string"]}
_TEXT: Schema = {"type": "string", "minLength": 1}


def model_schema() -> Schema:
    """The JSON Schema (draft 7) of a model file."""
    tables = {table: _table(table, fields) for table, fields in TABLES.items()}
    top = tables.pop("model")
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "qnet model",
        "description": "A queueing network in the model language of qnet; qnet help language explains it.",
        **{key: value for key, value in top.items() if key != "title"},
        "anyOf": [{"required": ["classes"]}, {"required": ["chains"]}],
        "definitions": {_name(table): schema for table, schema in tables.items()},
    }


def _table(table: str, fields: dict[str, Field]) -> Schema:
    """The schema of one table of the language."""
    required = [key for key, field in fields.items() if field.required]
    return {
        "title": table,
        "type": "object",
        "properties": {key: _property(table, key, field) for key, field in fields.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
        **_FORMS.get(table, {}),
    }


def _property(table: str, key: str, field: Field) -> Schema:
    """The schema of one key, with its title, meaning, default and examples."""
    result: Schema = {"title": key.replace("_", " "), "description": _description(field)}
    result |= _STRUCTURES[table, key] if field.kind == "other" else _by_kind(field)
    if field.default is not None:
        result["default"] = field.default
    examples = _EXAMPLES.get((table, key)) or _examples(field)
    return result | ({"examples": examples} if examples else {})


def _description(field: Field) -> str:
    bounds: list[str] = []
    if field.kind == "expression" and field.low is not None:
        bounds.append(f"at least {field.low:g}")
    if field.kind == "expression" and field.high is not None:
        bounds.append(f"at most {field.high:g}")
    if field.integer:
        bounds.append("an integer")
    return field.help + (f" ({', '.join(bounds)})" if bounds else "")


def _examples(field: Field) -> list[Any]:
    if field.kind == "expression":
        share = field.dimension == NUMBER and field.high == 1
        return [0.5, "1 - hit"] if share else _EXAMPLES_BY_DIMENSION.get(field.dimension, [])
    return list(field.options[:2]) if field.kind == "word" else []


def _by_kind(field: Field) -> Schema:
    """The schema of a value, by the kind of its field."""
    match field.kind:
        case "expression":
            return _expression(field)
        case "word":
            return {"type": "string", "enum": list(field.options)}
        case "names":
            return {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "uniqueItems": True}]}
        case "integer":
            return {"type": "integer", "minimum": int(field.low or 0), "maximum": int(field.high or 0)}
        case "flag":
            return {"type": "boolean"}
        case _:
            return dict(_TEXT)


def _expression(field: Field) -> Schema:
    """A number within its range, or an expression in quotes; a literal number has no unit."""
    if field.dimension not in (NUMBER, None):
        return dict(_EXPRESSION)
    limits: Schema = {}
    if field.low is not None:
        limits["minimum"] = field.low
    if field.high is not None:
        limits["maximum"] = field.high
    return dict(_EXPRESSION) | limits


def _name(table: str) -> str:
    return table.replace(" ", "_")


def _ref(table: str) -> Schema:
    return {"$ref": f"#/definitions/{_name(table)}"}


def _named(entry: Schema) -> Schema:
    """A table of named entries."""
    return {"type": "object", "additionalProperties": entry}


def _several(entry: Schema) -> Schema:
    return {"type": "array", "items": entry, "minItems": 1}


_STRUCTURES: dict[tuple[str, str], Schema] = {
    ("model", "qnet"): {"type": "integer", "enum": [1]},
    ("model", "uses"): _named(_TEXT),
    ("model", "parameters"): _named({"anyOf": [_EXPRESSION, _ref("parameter")]}),
    ("model", "stations"): _named(_ref("station")) | {"minProperties": 1},
    ("model", "classes"): _named(_ref("class")),
    ("model", "chains"): _named(_ref("chain")),
    ("model", "buffers"): _named(_ref("buffer")),
    ("model", "limits"): _named(_ref("limit")),
    ("model", "outputs"): _named({"anyOf": [_EXPRESSION, _ref("output")]}),
    ("model", "costs"): _named(_ref("cost")),
    ("model", "envelopes"): _named(_ref("envelope")),
    ("model", "knee"): {"allOf": [_ref("knee")]},
    ("model", "calibration"): {"allOf": [_ref("calibration")]},
    ("parameter", "range"): {"type": "array", "items": _EXPRESSION, "minItems": 2, "maxItems": 2},
    ("station", "rates"): {"anyOf": [{"type": "string"}, _several(_EXPRESSION)]},
    ("station", "split"): {
        "anyOf": [{"type": "string", "enum": ["even"]}, _several(_expression(SHARE)), _ref("split")]
    },
    ("class", "routes"): _several(_ref("route")),
    ("class", "steps"): _several(_ref("step")),
    ("chain", "classes"): _named(_ref("chain class")) | {"minProperties": 1},
    ("chain", "routing"): _named(
        _named({"anyOf": [_EXPRESSION, _named({"anyOf": [_EXPRESSION, _named(_EXPRESSION)]})]})
    ),
    ("chain class", "service"): _named({"anyOf": [_EXPRESSION, _ref("service")]}) | {"minProperties": 1},
    ("route", "steps"): _several(_ref("step")),
    ("step", "steps"): _several(_ref("step")),
    ("step", "parallel"): _several(_ref("branch")),
    ("step", "percentiles"): _named(_EXPRESSION) | {"minProperties": 2},
    ("branch", "steps"): _several(_ref("step")),
    ("envelope", "set"): _named(_EXPRESSION),
    ("calibration", "standard_errors"): {"type": "array", "items": _EXPRESSION},
    ("calibration", "correlations"): {"type": "array", "items": {"type": "number", "minimum": -1, "maximum": 1}},
}
"""The schemas of the keys that the loader reads by a separate function."""

_FORMS: dict[str, Schema] = {
    "class": {"oneOf": [{"required": ["routes"]}, {"required": ["steps"]}]},
    "step": {"anyOf": [{"required": [key]} for key in ("delay", "time", "hold", "parallel", "fill")]},
}
"""The keys that must be given, for tables with several forms."""
