"""Values of parameters written back into the text of a model, all the rest of it as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from qnet.documents import Document, parse
from qnet.errors import Problem, UsageError, printable
from qnet.model.model import Model
from qnet.units import UnitError, base_unit, format_number, quantity, scale, unit

_DIGITS = 12
_GONE = ("source", "place")
"""What vouched for the value that was there, and not for a new one."""


def rewritten(model: Model, values: Mapping[str, float], fitted_on: str) -> str:
    """The text of a model with fitted values for some of its parameters.

    values     in base units, by name; they are written with twelve digits, in the unit in which they stood.
    fitted_on  what they were fitted on; their grade becomes `fitted`.
    Raises     `UsageError` QN254 for a parameter that the text does not state.
    """
    refuse_elsewhere(model, values)
    text = model.document.text
    for name, value in values.items():
        document = parse(text.encode(), model.document.name)
        keys = {
            "value": _literal(model, document, name, value),
            "grade": '"fitted"',
            "fitted_on": f"[{_quoted(printable(fitted_on))}]",
        }
        text = _replaced(document, name, keys)
    return text


def refuse_elsewhere(model: Model, names: Mapping[str, float] | tuple[str, ...]) -> None:
    """Raise `UsageError` QN254 for parameters that the text of a model does not state itself."""
    problems: list[Problem] = []
    for name in names:
        part = model.parameters[name].part
        if part:
            help = "give the model a parameter of its own for it, and fit that"
            problems.append(
                Problem("QN254", f'"{name}" stands in the catalog part {part}', "one of the model", help=help)
            )
    if problems:
        raise UsageError(*problems)


def _replaced(document: Document, name: str, keys: Mapping[str, str]) -> str:
    """The text with some keys of one parameter replaced or added."""
    text, path = document.text, ("parameters", name)
    raw = cast("dict[str, Any]", document.data["parameters"])[name]
    whole = document.span(path)
    if not isinstance(raw, dict):
        assert whole is not None
        return _spliced(text, whole, "{ " + ", ".join(f"{key} = {value}" for key, value in keys.items()) + " }")
    given = cast("dict[str, Any]", raw)
    if whole is not None:
        told = {key: _told(document, (*path, key)) for key in given if key not in _GONE} | dict(keys)
        return _spliced(text, whole, "{ " + ", ".join(f"{key} = {value}" for key, value in told.items()) + " }")
    # A table of its own, or dotted keys: each key has a line. The last ones first, so that places stay.
    spans = {key: span for key in given if (span := document.span((*path, key))) is not None}
    start, end = spans["value"]
    before = text[text.rfind("\n", 0, start) + 1 : start]
    added = [re.sub(r"value(?=[\"']?\s*=\s*$)", key, before) + value for key, value in keys.items() if key not in spans]
    changes = [(spans[key], value) for key, value in keys.items() if key in spans and key != "value"]
    changes.append(((start, end), keys["value"]))
    changes += [
        ((text.rfind("\n", 0, spans[key][0]) + 1, _line_end(text, spans[key][1])), "") for key in _GONE if key in spans
    ]
    line_end = _line_end(text, end) - 1
    changes.append(((line_end, line_end), "".join(f"\n{line}" for line in added)))
    for span, value in sorted(changes, key=lambda item: item[0], reverse=True):
        text = _spliced(text, span, value)
    return text


def _spliced(text: str, span: tuple[int, int], value: str) -> str:
    return text[: span[0]] + value + text[span[1] :]


def _line_end(text: str, place: int) -> int:
    """The place after the end of the line."""
    end = text.find("\n", place)
    return len(text) + 1 if end < 0 else end + 1


def _told(document: Document, path: tuple[str, ...]) -> str:
    """The value of a key as it stands in the text."""
    start, end = document.span(path) or (0, 0)
    return document.text[start:end]


def _literal(model: Model, document: Document, name: str, value: float) -> str:
    """A value as TOML: in the unit in which it stood, a bare number where it has none."""
    source = _stated(document, name)
    dimension = model.parameters[name].dimension
    shown = base_unit(dimension)
    try:
        if quantity(source)[1] == dimension:
            match = re.fullmatch(r"\s*[+-]?[0-9._]*(?:[eE][+-]?[0-9]+)?\s*(.*?)\s*", source)
            shown = match[1] if match else shown
    except UnitError:
        pass
    if not shown:
        return format_number(value, _DIGITS)
    number = format_number(scale(value, 1 / unit(shown).factor), _DIGITS)
    return _quoted(f"{number}{'' if shown.startswith('/') else ' '}{shown}")


def _stated(document: Document, name: str) -> str:
    """What the text of a model states as the value of a parameter."""
    raw = cast("dict[str, Any]", document.data["parameters"])[name]
    value = cast("dict[str, Any]", raw).get("value", "") if isinstance(raw, dict) else raw
    return str(value)


def _quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = "".join(
        f"\\u{ord(character):04X}" if ord(character) < 32 or character == "\x7f" else
        "\\" + character if character in '"\\' else character
        for character in text
    )  # fmt: skip
    return f'"{escaped}"'
