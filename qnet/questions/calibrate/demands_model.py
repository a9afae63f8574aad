"""Service demands written as a model, with an open class for each measured class, at its mean throughput."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from qnet.errors import InvalidInput, Problem, printable
from qnet.questions.calibrate.demands import BACKGROUND, FittedDemands, StationRegression, servers_and_copies
from qnet.record import Record
from qnet.reports.content import Note
from qnet.units import format_number

_DIGITS, _ERROR_DIGITS = 12, 6
"""Significant digits of demands, and of errors and correlations: more than measurements determine."""
_NO_NAME = re.compile(r"[^A-Za-z0-9_]")


class _Demand(Record):
    """One demand above 0."""

    name: str
    """The name of its parameter."""
    station: StationRegression
    kind: int
    """The index of its class."""
    value: float

    @property
    def error(self) -> float:
        """Its standard error; NaN where there is none."""
        return float(self.station.coefficients.errors[self.kind])


def demands_model(result: FittedDemands) -> tuple[str, tuple[Note, ...]]:
    """A model file with fitted demands, and notes on what it assumes.

    Every class has Poisson arrivals at the mean throughput of the fitted rows and visits every station once for its
    demand, and stations are processor sharing, because the utilization law determines no more. The background is a
    class of one request per second. Standard errors and correlations are in `[calibration]`.

    result   demands in seconds per passage, by station and class, as `demands_of` estimates them.
    Returns  the text in TOML, and the notes.
    Raises   `InvalidInput` QN252 where no demand is above 0.
    """
    stations = _names([item.name for item in result.stations], "station")
    classes = _names([name or "requests" for name in result.classes], "class")
    demands: list[_Demand] = []
    for station in result.stations:
        for index, value in enumerate(station.coefficients.values.tolist()):
            if value > 0:
                alone = not result.classes[index]
                name = f"demand_{stations[station.name]}" + ("" if alone else f"_{classes[result.classes[index]]}")
                demands.append(_Demand(name, station, index, value))
    if not demands:
        raise InvalidInput(Problem("QN252", "no demand is above 0", "intervals with load", file=result.table.name))
    used = sorted({item.kind for item in demands})
    origin = result.table.name.rpartition("/")[2] + (f", sha256 {result.table.digest}" if result.table.digest else "")
    rates = _rates(result)
    lines = ["qnet = 1", f"title = {_quoted('Service demands from ' + origin)}", "", "[parameters]"]
    for index in used:
        note = "requests per second for the utilization without throughput" if _is_background(result, index) else (
            "mean throughput of the fitted rows")  # fmt: skip
        value = _number(rates[index])
        lines.append(f'{_rate(result, classes, index)} = {{ value = "{value}/s", range = ["0/s", "1e9/s"], '
                     f"note = {_quoted(note)} }}")  # fmt: skip
    for item in demands:
        lines.append(f'{item.name} = {{ value = "{_number(item.value)} s", grade = "fitted", '
                     f"fitted_on = [{_quoted(origin)}] }}")  # fmt: skip
    lines += ["", "[stations]", *(f"{stations[item.name]} = {_station(result, item)}" for item in result.stations)]
    for index in used:
        steps = [item for item in demands if item.kind == index]
        lines += ["", f"[classes.{classes[result.classes[index] or 'requests']}]"]
        lines += [f'arrival_rate = "{_rate(result, classes, index)}"', "steps = ["]
        lines += [f'  {{ station = "{stations[item.station.name]}", time = "{item.name}" }},' for item in steps]
        lines.append("]")
    return "\n".join([*lines, *_calibration(demands)]) + "\n", tuple(_notes(result, used))


def _is_background(result: FittedDemands, index: int) -> bool:
    """Whether a class is the background."""
    return result.background and index == len(result.classes) - 1


def _rates(result: FittedDemands) -> list[float]:
    """The mean throughput of every class over the fitted rows; 1 for the background."""
    used = np.array([item.used for item in result.stations]).any(axis=0)
    return [float(values[used].mean()) for values in result.design.T]


def _rate(result: FittedDemands, classes: Mapping[str, str], index: int) -> str:
    """The parameter of the arrival rate of a class."""
    name = result.classes[index]
    return f"rate_{classes[name]}" if name else "rate"


def _station(result: FittedDemands, station: StationRegression) -> str:
    """A station as an inline table."""
    servers, copies = int(station.servers), 1
    if result.model is not None:
        counts = servers_and_copies(result.model, station.name)
        if counts is not None and counts[0] * counts[1] == servers:
            servers, copies = counts
    keys = ['discipline = "ps"']
    keys += [f"servers = {servers}"] if servers > 1 else []
    keys += [f'copies = {copies}, split = "even"'] if copies > 1 else []
    return "{ " + ", ".join(keys) + " }"


def _calibration(demands: list[_Demand]) -> list[str]:
    """The table of standard errors and correlations; demands of different stations are independent."""
    known = [item for item in demands if item.error == item.error and item.error > 0]
    lost = [
        item.name for item in demands if item not in known and np.isinf(item.station.coefficients.inflation[item.kind])
    ]
    if not known and not lost:
        return []
    lines = ["", "[calibration]", f"parameters = [{', '.join(_quoted(item.name) for item in known)}]"]
    errors = [f'"{_number(item.error, _ERROR_DIGITS)} s"' for item in known]
    lines.append(f"standard_errors = [{', '.join(errors)}]")
    pairs = [(one, other) for index, one in enumerate(known) for other in known[index + 1 :]]
    if pairs:
        lines.append(f"correlations = [{', '.join(_number(_correlation(*pair), _ERROR_DIGITS) for pair in pairs)}]")
    if known:
        lines.append(f"degrees_of_freedom = {min(item.station.coefficients.freedom for item in known)}")
    if lost:
        lines.append(f"not_determined = [{', '.join(map(_quoted, lost))}]")
    return lines


def _correlation(one: _Demand, other: _Demand) -> float:
    if one.station is not other.station:
        return 0.0
    value = float(one.station.coefficients.correlation[one.kind, other.kind])
    return value if value == value else 0.0


def _notes(result: FittedDemands, used: Iterable[int]) -> Iterable[Note]:
    text = "the model assumes processor sharing at all stations, and Poisson arrivals at the mean measured throughput"
    yield Note("QN758", text)
    if any(_is_background(result, index) for index in used):
        text = f'class "{BACKGROUND}" is the utilization without throughput, as one request per second'
        yield Note("QN758", text, "warning", "response times and throughput of all classes include it")
    tied: Any = [item for item in result.stations if np.isinf(item.coefficients.inflation).any()]
    if tied:
        text = "demands that cannot be separated are written as one of their many solutions"
        yield Note("QN758", text, "warning", "keep the mix of classes of the measurements")


def _names(names: Iterable[str], kind: str) -> dict[str, str]:
    """Distinct names of letters, digits and underscores that the language accepts, by the given names."""
    result: dict[str, str] = {}
    for name in names:
        text = _NO_NAME.sub("_", name)
        text = text if text[:1].isalpha() else f"{kind}_{text}"
        while text in result.values():
            text += "_"
        result[name] = text
    return result


def _number(value: float, digits: int = _DIGITS) -> str:
    return format_number(value, digits)


def _quoted(text: str) -> str:
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
