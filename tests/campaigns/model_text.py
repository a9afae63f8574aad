"""Models as nested tables, and their text in the model language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Spec = dict[str, Any]
"""A model as nested tables, with the keys of the language. Classes always have `routes`; times are `Seconds`."""


class Seconds(float):
    """A time; `factor` is an expression that multiplies it, such as `(1 + 0.1 * inside('memory'))`."""

    factor: str = ""

    def times(self, number: float) -> Seconds:
        """The time multiplied by a number."""
        return seconds(float(self) * number, self.factor)


class PerSecond(float):
    """A rate."""


def seconds(value: float, factor: str = "") -> Seconds:
    """A time with its factor."""
    found = Seconds(value)
    found.factor = factor
    return found


_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6}


def text(spec: Spec, unit: str = "s") -> str:
    """The model language for a model.

    unit   that of all times; rates are always per second.
    """
    writer = _Writer(unit)
    lines = ["qnet = 1", f"title = {_quoted(spec.get('title', 'campaign'))}"]
    for key in ("stations", "buffers"):
        if spec.get(key):
            lines += ["", f"[{key}]"]
            lines += [f"{name} = {writer.inline(table)}" for name, table in spec[key].items()]
    for name, table in spec.get("classes", {}).items():
        lines += ["", f"[classes.{name}]"]
        lines += [f"{key} = {writer.value(value)}" for key, value in table.items() if key != "routes"]
        routes = table["routes"]
        if len(routes) == 1:
            lines.append(f"steps = {writer.steps(routes[0]['steps'])}")
            continue
        for route in routes:
            lines += ["", f"[[classes.{name}.routes]]", f"name = {_quoted(route['name'])}"]
            lines.append(f"probability = {route['probability']!r}")
            lines.append(f"steps = {writer.steps(route['steps'])}")
    for name, table in spec.get("chains", {}).items():
        lines += ["", f"[chains.{name}]"]
        parts = ("classes", "routing")
        lines += [f"{key} = {writer.value(value)}" for key, value in table.items() if key not in parts]
        lines += ["", f"[chains.{name}.classes]"]
        lines += [f"{key} = {writer.inline(value)}" for key, value in table["classes"].items()]
        lines += ["", f"[chains.{name}.routing]"]
        lines += [f"{key} = {writer.inline(value)}" for key, value in table["routing"].items()]
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Writer:
    def __init__(self, unit: str) -> None:
        self.unit = unit

    def value(self, value: Any) -> str:
        """One value."""
        match value:
            case bool():
                return "true" if value else "false"
            case Seconds():
                number = f"{float(value) * _UNITS[self.unit]!r} {self.unit}"
                return _quoted(f"{number} * {value.factor}" if value.factor else number)
            case PerSecond():
                return _quoted(f"{float(value)!r}/s")
            case str():
                return _quoted(value)
            case Mapping():
                return self.inline(value)
            case list() | tuple():
                return "[" + ", ".join(self.value(item) for item in value) + "]"
            case _:
                return repr(value)

    def inline(self, table: Mapping[str, Any]) -> str:
        """A table on one line."""
        found = ", ".join(f"{key} = {self.value(value)}" for key, value in table.items())
        return f"{{ {found} }}" if found else "{}"

    def steps(self, steps: list[Any]) -> str:
        """A list of steps, each on a line."""
        return "[\n" + "".join(f"  {self.inline(step)},\n" for step in steps) + "]"
