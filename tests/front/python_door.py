"""Every public callable of `qnet` with sound arguments, and the wrong ones to put in their places."""

from __future__ import annotations

import decimal
import fractions
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import qnet
from qnet.errors import QnetError
from qnet.lazy import np
from qnet.reports.report import Report
from qnet.signatures import Questions

OPEN = """qnet = 1
title = "open"
[parameters]
rate = { value = "50/s", range = ["1/s", "90/s"] }
time = { value = "10 ms", range = ["8 ms", "12 ms"] }
[stations]
cpu = {}
[classes.a]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "time" } ]
[costs.each]
of = "cpu"
[envelopes.one]
vary = "rate"
limit = "response <= 50 ms"
"""
CLOSED = OPEN.replace('rate = { value = "50/s", range = ["1/s", "90/s"] }', "rate = 3").replace(
    'arrival_rate = "rate"', 'population = "rate"\nthink_time = "1 s"'
)


class Infinite:
    """A number that claims to be one and is infinite."""

    def __float__(self) -> float:
        return math.inf


class Broken:
    """An object whose text and number fail."""

    def __float__(self) -> float:
        raise ValueError("no number")

    def __repr__(self) -> str:
        return "<broken>"


def wrong() -> list[Any]:
    """Values of wrong types, empty, negative, huge, and those that are no numbers."""
    return [
        None, True, False, 0, -1, 1, 2.5, 0.0, -0.0, 1e-320, 1e-300, 1e300, -1e300, 10**400, -(10**400), math.nan,
        math.inf, -math.inf, 1j, decimal.Decimal("NaN"), decimal.Decimal("1e999"), fractions.Fraction(1, 3),
        "", " ", "x", "nan", "1e400", "é\0", "\ud800", "a" * 5000, "=1+1", "1 s", "-1 s", "response",
        "response <= -1 s",
        "rate=1/s:9/s:1/s", "rate=1:3", "time=1 ms:2 ms", "cpu", "rate", "10%", "-10%", b"x", bytearray(b"x"), object(),
        object, len, [], (), {}, set(), [None], [[]], [[[]]], [1], ["x"], [["x"]], [math.nan], [[math.nan]], [-1.0],
        [[-1.0]], [[1.0, 2.0], [3.0]], [[1e300]], [[1e-300]], [10**400], [[0.0]], {"x": 1}, [{"x": 1}], [{}], range(3),
        iter([1]), Path("x"), Infinite(), Broken(), [Broken()], np.array([]), np.array(1.0), np.array([math.nan]),
        np.array([["x"]]), np.array([[1.0]]), np.array([[[1.0]]]), np.zeros((0, 1)), np.float64(math.nan), np.int8(3),
        np.bool_(True), np.array([None]), np.datetime64("2020-01-01"), np.array([1 + 1j]), np.complex128(1),
    ]  # fmt: skip


class Door(NamedTuple):
    """A callable with arguments that it takes."""

    call: Callable[..., Any]
    given: dict[str, Any]
    positional: tuple[Any, ...] = ()


def doors(folder: Path) -> dict[str, Door]:
    """Every public callable of the package by name."""
    for name, text in (("open", OPEN), ("closed", CLOSED)):
        (folder / f"{name}.toml").write_text(text)
    system, closed = qnet.load(str(folder / "open.toml")), qnet.load(str(folder / "closed.toml"))
    network = qnet.Network([[0.1]], population=[3])
    opened = qnet.Network([[0.1]], arrival_rate=[3.0])
    rows = [
        {"rate": 20.0, "response_s": 0.0125},
        {"rate": 50.0, "response_s": 0.02},
        {"rate": 80.0, "response_s": 0.05},
    ]
    busy = [{"throughput": 1.0, "utilization_cpu": 0.1}, {"throughput": 2.0, "utilization_cpu": 0.21}]
    routing = {"service_times": [[0.1], [0.2]], "routing": [[[[0.0], [1.0]]], [[[1.0], [0.0]]]], "population": [3]}
    found = {
        "load": Door(qnet.load, {"system": str(folder / "open.toml")}),
        "loads": Door(qnet.loads, {"model": OPEN}),
        "queue": Door(qnet.queue, {"name": "M/M/c", "arrival_rate": 5.0, "service_time": 0.1, "servers": 2}),
        "study": Door(qnet.study, {"name": "none such"}),
        "validate": Door(qnet.validate, {"study": "none such"}),
        "Network": Door(qnet.Network, {"demands": [[0.1]], "population": [3]}),
        "Network.open": Door(qnet.Network, {"demands": [[0.1]], "arrival_rate": [3.0]}),
        "Network.solve": Door(network.solve, {}),
        "Network.solve.open": Door(opened.solve, {}),
        "Network.bounds": Door(network.bounds, {}),
        "Network.from_routing": Door(qnet.Network.from_routing, routing),
        "System": Door(qnet.System, {}),
        "Report.text": Door(system.solve().text, {}),
    }
    given: dict[str, dict[str, Any]] = {
        "set": {"values": {"rate": 20.0}},
        "metric": {"text": "response"},
        "envelope": {"vary": "rate", "limit": "response <= 50 ms"},
        "cost": {"of": "cpu"},
        "calibrate": {"measured": rows, "fit": "time", "starts": 1},
        "demands": {"measured": busy},
        "tornado": {"within": "10%"},
        "corners": {"within": "10%"},
        "uncertainty": {"within": "10%", "sample": 3},
        "map": {"table": {"rate": [20.0]}},
        "map_rows": {"rows": [{"rate": 20.0}]},
    }
    for name in methods():
        found[f"System.{name}"] = Door(getattr(system, name), given.get(name, {}), positional(name, system))

    def filtered(cell: Any) -> Any:
        return list(system.map_rows([{"rate": cell}]))

    def set_by_name(cell: Any) -> Any:
        return system.set(rate=cell)

    def set_by_mapping(cell: Any) -> Any:
        return system.set({"rate": cell})

    def fitted(cell: Any) -> Any:
        return system.calibrate([{"rate": cell, "response_s": 0.0125}, *rows], "time", starts=1)

    def fitted_on(cell: Any) -> Any:
        return system.calibrate([{"rate": 20.0, "response_s": cell}, *rows], "time", starts=1)

    def regressed(cell: Any) -> Any:
        return system.demands([{"throughput": 1.0, "utilization_cpu": cell}, *busy])

    def demand(cell: Any) -> Any:
        return qnet.Network([[cell]], population=[3])

    def population(cell: Any) -> Any:
        return qnet.Network([[0.1]], population=[cell])

    for inside in (filtered, set_by_name, set_by_mapping, fitted, fitted_on, regressed, demand, population):
        found[f"cell {inside.__name__}"] = Door(inside, {"cell": 1.0})
    for name in ("solve", "knee", "bottleneck", "why"):
        found[f"System.{name}.closed"] = Door(getattr(closed, name), given.get(name, {}))
    return found


def methods() -> list[str]:
    """The questions of `qnet.System`."""
    every = {**vars(qnet.System), **vars(Questions)}
    return [name for name, item in every.items() if inspect.isfunction(item) and not name.startswith("_")]


def positional(name: str, system: Any) -> tuple[Any, ...]:
    """What a method takes besides named arguments."""
    return {"sweep": ("rate=1/s:9/s:4/s",), "compare": (system,)}.get(name, ())


NAMES = [
    "load", "loads", "queue", "study", "validate", "Network", "Network.open", "Network.solve", "Network.solve.open",
    "Network.bounds", "Network.from_routing", "System", "Report.text", *(f"System.{name}" for name in methods()),
    *(f"cell {name}" for name in ("filtered", "set_by_name", "set_by_mapping", "fitted", "fitted_on", "regressed",
                                  "demand", "population")),
    *(f"System.{name}.closed" for name in ("solve", "knee", "bottleneck", "why")),
]  # fmt: skip
"""The names of `doors`."""


def parameters(door: Door) -> list[str]:
    """The names of what a callable takes; `*name` of what it takes by place."""
    signs = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [signs.get(item.kind, "") + name for name, item in inspect.signature(door.call).parameters.items()]


def failures(door: Door) -> list[str]:
    """What is no answer and no error of qnet, with every wrong value in the place of every argument."""
    result: list[str] = []
    for name in parameters(door):
        for value in wrong():
            failed = failure(door, name, value)
            if failed:
                result.append(f"{name} = {shown(value)}: {failed}")
    return result


def shown(value: Any) -> str:
    try:
        return repr(value)[:60]
    except ValueError:
        return "an integer of hundreds of digits"


def failure(door: Door, name: str, value: Any) -> str:
    """What is wrong with a call; empty where it is answered, or refused in words of qnet."""
    if door.call is qnet.validate and isinstance(value, str) and not value.strip():
        return ""  # All studies, which takes ten seconds and is tested elsewhere.
    try:
        if name.startswith("**"):
            answer = door.call(*door.positional, **door.given, unknown=value)
        elif name.startswith("*"):
            answer = door.call(value, **door.given)
        else:
            answer = door.call(*door.positional, **{**door.given, name: value})
        read(answer)
    except QnetError as error:
        return "" if str(error) and error.problems else "an error without a word"
    except Exception as error:
        return f"{type(error).__name__}: {error} at {innermost(error)}"
    return ""


def innermost(error: Exception) -> str:
    trace, last = error.__traceback__, ""
    while trace:
        name = trace.tb_frame.f_code.co_filename
        if "/qnet/" in name:
            last = f"{name.rpartition('/qnet/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return last


_READ: set[str] = set()
"""Reports that have been read, as JSON: most wrong arguments that are answered are answered alike."""


def read(answer: Any) -> None:
    """Read all of an answer."""
    if isinstance(answer, Report):
        text = answer.text("json")
        for form in ("table", "csv", "md") if text not in _READ else ():
            answer.text(form)
        _READ.add(text)
    elif hasattr(answer, "__next__"):
        list(answer)
    elif isinstance(answer, qnet.System):
        answer.metric("response")
    elif isinstance(answer, qnet.Network):
        read(answer.solve())
    else:
        str(answer)
        for name in ("throughput", "response", "residence", "queue_length", "utilization", "warnings"):
            getattr(answer, name, None)
