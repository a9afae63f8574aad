"""A small validator of JSON Schema: the words that qnet's schemas use, and an error for any other."""

from __future__ import annotations

from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "number": (int, float),
    "integer": (int,), "null": (type(None),),
}  # fmt: skip
REMARKS = {"$schema", "title", "description", "default", "examples", "definitions"}
KNOWN = REMARKS | {
    "$ref", "type", "enum", "anyOf", "oneOf", "properties", "required", "additionalProperties", "minProperties",
    "items", "allOf", "minItems", "maxItems", "uniqueItems", "minLength", "minimum", "maximum",
}  # fmt: skip


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None, at: str = "") -> list[str]:
    """Everything of a value that a schema forbids."""
    root = schema if root is None else root
    assert not set(schema) - KNOWN, set(schema) - KNOWN
    if "$ref" in schema:
        # Draft 7 ignores every other word next to a reference.
        name = schema["$ref"].removeprefix("#/definitions/")
        return faults(value, root["definitions"][name], root, at)
    result = []
    if "type" in schema and not _is_type(value, schema["type"]):
        return [f"{at}: not of type {schema['type']}"]
    if "enum" in schema and value not in schema["enum"]:
        result.append(f"{at}: not one of {schema['enum']}")
    for option in schema.get("allOf", ()):
        result += faults(value, option, root, at)
    for word, allowed in (("anyOf", lambda count: count), ("oneOf", lambda count: count == 1)):
        if word in schema:
            inner = [faults(value, option, root, at) for option in schema[word]]
            if not allowed(sum(not item for item in inner)):
                result.append(f"{at}: {word} {inner}")
    if isinstance(value, dict):
        result += _object(value, schema, root, at)
    if isinstance(value, list):
        result += _array(value, schema, root, at)
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        result.append(f"{at}: too short")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        result.append(f"{at}: {value} is out of range")
    return result


def _is_type(value: Any, wanted: str | list[str]) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted
    return any(isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool)) for name in names)


def _object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    result = [f"{at}: {key} is missing" for key in schema.get("required", ()) if key not in value]
    if len(value) < schema.get("minProperties", 0):
        result.append(f"{at}: too few entries")
    more = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in schema.get("properties", {}):
            result += faults(item, schema["properties"][key], root, f"{at}.{key}")
        elif more is False:
            result.append(f"{at}: unknown key {key}")
        elif isinstance(more, dict):
            result += faults(item, more, root, f"{at}.{key}")
    return result


def _array(value: list[Any], schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    result = []
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        result.append(f"{at}: {len(value)} items")
    if schema.get("uniqueItems") and any(item in value[:index] for index, item in enumerate(value)):
        result.append(f"{at}: repeated items")
    for index, item in enumerate(value):
        result += faults(item, schema.get("items", {}), root, f"{at}[{index}]")
    return result
