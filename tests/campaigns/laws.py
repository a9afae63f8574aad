"""Laws that hold between answers: other units, order and spelling, more customers, other commands, bounds.

Each law makes another model, or another question, of a model, and says what must be alike. No oracle is needed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from typing import Any

from asking import Outcome, ask, load_text
from error_rows import measured_error
from judging import LEAST
from model_text import PerSecond, Seconds, Spec, seconds, text

from qnet.errors import QnetError
from qnet.networks.wanted import Wanted
from qnet.record import Record

ALIKE = 1e-9
"""Of exact answers."""
ROUGHLY = ("class told as two", "class of population 0", "class with a rate near 0")
"""Approximations may tell customers of one class from those of another: these laws hold within the told error."""
CONVERGED = 1e-6
"""Of approximate answers by the same method, whose fixed points have residuals."""


class Broken(Record):
    """A law that does not hold."""

    law: str
    figure: str
    name: str
    value: float
    other: float
    error: float
    allowed: float


def broken_laws(spec: Spec, outcome: Outcome, seed: int, kind: str) -> list[Broken]:
    """The laws that an answer breaks: those that cost nothing, and of the others one for each seed.

    spec     the model that was answered.
    kind     `open`, `closed` or `mixed`.
    """
    if outcome.status != "answered":
        return []
    found = [*_always_busy(spec, outcome)[:1], *_little(outcome)[:1]]
    applicable = [law for law in LAWS if law.applies(spec, outcome)]
    if applicable:
        law = applicable[seed % len(applicable)]
        found += law.check(spec, outcome, Random(f"law {seed}"), kind)
    return found


class _Law(Record):
    name: str
    applies: Callable[[Spec, Outcome], bool]
    check: Callable[[Spec, Outcome, Random, str], list[Broken]]


# What is compared


def _same(
    law: str, one: Outcome, other: Outcome, kind: str, time: float = 1.0, renamed: dict[str, str] | None = None
) -> list[Broken]:
    """That another model has the same figures.

    time      what all times of the other are multiplied by.
    renamed   classes of the other by those of the first that they are part of: their throughputs add up.
    """
    if other.status != "answered":
        codes = other.problems[0][:2] if other.problems else ("", "")
        law = law if other.status == "crash" else f"{law}: not answered"
        return [Broken(law, other.status, " ".join(codes)[:120], 0.0, 0.0, 1.0, 0.0)]
    found: list[Broken] = []
    renamed = renamed or {}
    for figure, scale in (("throughput", 1 / time), ("response", time), ("utilization", 1.0), ("queue_length", 1.0)):
        allowed = _tolerance(one, other, kind, law in ROUGHLY, figure)
        ours, theirs = getattr(one, figure), getattr(other, figure)
        for name, value in ours.items():
            if figure == "response" and one.throughput.get(name, 0) <= 0:
                continue
            parts = [item for item in theirs if renamed.get(item, item) == name]
            if not parts:
                continue
            if figure == "throughput":
                total = sum(theirs[item] for item in parts)
            else:
                weights = [other.throughput.get(item, 1.0) if figure == "response" else 1.0 for item in parts]
                whole = sum(weights) or 1.0
                total = sum(theirs[item] * weight for item, weight in zip(parts, weights, strict=True)) / whole
            size = max(abs(value * scale), LEAST.get(figure, 0.0), 1e-300)
            error = abs(total - value * scale) / size
            if error > allowed:
                found.append(Broken(law, figure, name, value * scale, total, error, allowed))
    return sorted(found, key=lambda item: -item.error)[:1]


def _tolerance(one: Outcome, other: Outcome, kind: str, rough: bool, figure: str) -> float:
    """How far a figure may differ; that of a queue length has rows of its own in the table of measured errors.

    An approximation that warns promises nothing beside an answer by another method.
    """
    if one.exact and other.exact:
        return ALIKE
    if one.method == other.method and not rough:
        return CONVERGED
    if any(item.codes for item in (one, other) if not item.exact):
        return float("inf")
    errors = [measured_error(item.reasons, item.method, kind) for item in (one, other) if not item.exact]
    if any(item.unmeasured for item in errors):
        return 0.05
    return max(item.queues if figure == "queue_length" else item.worst for item in errors)


def _again(spec: Spec, unit: str = "s") -> Outcome:
    return ask(text(spec, unit))


# Laws that cost nothing


def _little(outcome: Outcome) -> list[Broken]:
    """Utilizations are shares."""
    return [
        Broken("a utilization is a share", "utilization", name, value, 1.0, value - 1.0, ALIKE)
        for name, value in outcome.utilization.items()
        if value > 1 + ALIKE or value < -ALIKE
    ]


def _always_busy(spec: Spec, outcome: Outcome) -> list[Broken]:
    """A single server is always busy where a closed class that never thinks goes nowhere else."""
    found: list[Broken] = []
    for table in spec["classes"].values():
        if not table.get("population") or table.get("think_time", 0) > 0:
            continue
        steps = [step for route in table["routes"] for step in route["steps"]]
        at = {step.get("station") for step in steps}
        timed = all(float(step.get("time", 0)) > 0 for step in steps)
        if len(at) != 1 or None in at or not timed or any(step.get("visits", 1) != 1 for step in steps):
            continue
        name = at.pop()
        station = spec["stations"][name]
        if set(station) - {"discipline", "scv"} or name not in outcome.utilization:
            continue
        error = abs(outcome.utilization[name] - 1)
        if error > (ALIKE if outcome.exact else CONVERGED):
            found.append(Broken("always busy", "utilization", name, outcome.utilization[name], 1.0, error, ALIKE))
    return found


# Other spellings of the same model


def _units(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    return _same("units", outcome, _again(spec, rng.choice(["ms", "us"])), kind)


def _scaled(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    factor = rng.choice([8.0, 0.125, 1024.0])

    def walk(value: Any) -> Any:
        match value:
            case Seconds():
                return value.times(factor)
            case PerSecond():
                return PerSecond(float(value) / factor)
            case dict():
                return {key: walk(item) for key, item in value.items()}
            case list():
                return [walk(item) for item in value]
            case _:
                return value

    return _same("scaled time", outcome, _again(walk(spec)), kind, time=factor)


def _order(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    other = copy.copy(spec)
    for key in ("stations", "buffers", "classes", "chains"):
        other[key] = dict(reversed(spec.get(key, {}).items()))
    other["classes"] = {
        name: {**table, "routes": list(reversed(table["routes"]))} for name, table in other["classes"].items()
    }
    return _same("order", outcome, _again(other), kind)


def _spare(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    more = rng.choice([{}, {"discipline": "priority"}, {"servers": 3}, {"discipline": "ps"}])
    return _same("nobody visits", outcome, _again({**spec, "stations": {**spec["stations"], "unused": more}}), kind)


def _with_class(spec: Spec, table: dict[str, Any]) -> Spec:
    at = next(iter(spec["stations"]))
    time = next((step["time"] for _, step in _steps(spec) if step.get("station") == at), seconds(1.0))
    step = {"station": at, "time": seconds(float(time))}
    if spec["stations"][at].get("delay"):
        step = {"delay": seconds(1.0)}
    route = {"name": "added", "probability": 1.0, "steps": [step]}
    return {**spec, "classes": {**spec["classes"], "added": {**table, "routes": [route]}}}


def _nobody(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    other = _again(_with_class(spec, {"population": 0, "think_time": seconds(1.0)}))
    return _same("class of population 0", outcome, other, "mixed" if kind == "open" else kind)


def _rare(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    most = max(outcome.throughput.values(), default=1.0)
    rate = rng.choice([0.0, 1e-13 * most])
    other = _again(_with_class(spec, {"arrival_rate": PerSecond(rate)}))
    return _same("class with a rate near 0", outcome, other, "mixed" if kind == "closed" else kind)


def _steps(spec: Spec) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every step outside of holds and branches, with its class."""
    for name, table in spec["classes"].items():
        for route in table["routes"]:
            for step in route["steps"]:
                yield name, step


def _may_split_class(spec: Spec, outcome: Outcome) -> bool:
    return any(_halves(table) for table in spec["classes"].values())


def _halves(table: dict[str, Any]) -> bool:
    open_ = table.get("arrival_scv", 1) == 1 and "arrival_rate" in table
    return open_ or (table.get("population", 1) > 0 and table.get("population", 1) % 2 == 0)


def _two_classes(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    name = rng.choice([name for name, table in spec["classes"].items() if _halves(table)])
    table = dict(spec["classes"][name])
    if "arrival_rate" in table:
        table["arrival_rate"] = PerSecond(float(table["arrival_rate"]) / 2)
    else:
        table["population"] //= 2
    twin = {**table, "routes": [{**item, "name": item["name"] + " again"} for item in table["routes"]]}
    other = {**spec, "classes": {**spec["classes"], name: table, "again": twin}}
    return _same("class told as two", outcome, _again(other), kind, renamed={"again": name})


def _two_routes(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    name = rng.choice(list(spec["classes"]))
    table = spec["classes"][name]
    first, *rest = table["routes"]
    part = first["probability"]
    halves = [
        {**first, "name": f"{first['name']} {number}", "probability": share}
        for number, share in ((1, part * 0.25), (2, part - part * 0.25))
    ]
    other = {**spec, "classes": {**spec["classes"], name: {**table, "routes": [*halves, *rest]}}}
    return _same("route told as two", outcome, _again(other), kind)


# More customers


def _monotone(spec: Spec, outcome: Outcome) -> bool:
    """One closed class at stations whose speed does not fall; what is inside nowhere makes others slower."""
    if len(spec["classes"]) != 1 or spec["chains"]:
        return False
    table = next(iter(spec["classes"].values()))
    words = str(spec)
    odd = ("inside", "capacity", "lost", "'join'", "'priority'", "preemptive")
    rates = [item["rates"] for item in spec["stations"].values() if "rates" in item]
    falls = any(later < first for row in rates for first, later in pairwise(row))
    factors = any(isinstance(step.get("time"), Seconds) and step["time"].factor for step in _deep(spec))
    return bool(table.get("population")) and not falls and not factors and not any(word in words for word in odd)


def _deep(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _deep(item)
    elif isinstance(value, list):
        for item in value:
            yield from _deep(item)


def _more(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    name, table = next(iter(spec["classes"].items()))
    count = table["population"]
    other = _again({**spec, "classes": {name: {**table, "population": count + 1}}})
    if other.status != "answered":
        return []
    before, after = outcome.throughput[name], other.throughput[name]
    error = (before - after) / before if before > 0 else 0.0
    allowed = ALIKE if outcome.exact and other.exact else CONVERGED
    return [Broken("more customers", "throughput", name, before, after, error, allowed)] if error > allowed else []


# Other commands, bounds


def _with_parameter(spec: Spec) -> str:
    """The text with a parameter `speed` of 1 that multiplies the think time or the rate of every class."""
    lines = []
    for line in text(spec).split("\n"):
        key = line.partition(" = ")[0]
        lines.append(line[:-1] + ' * speed"' if key in ("arrival_rate", "think_time") else line)
    place = lines.index("[stations]")
    return "\n".join([*lines[:place], "[parameters]", "speed = 1", "", *lines[place:]])


def _has_parameter(spec: Spec, outcome: Outcome) -> bool:
    return " * speed" in _with_parameter(spec)


def _system(text_: str) -> Any:
    from qnet.system import System

    model = load_text(text_)
    return System(*(getattr(model, name) for name in type(model).__annotations__))


def _sweep(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    law = "sweep of one point"
    metrics = [f"throughput('{name}')" for name in outcome.throughput]
    metrics += [f"response('{name}')" for name, rate in outcome.throughput.items() if rate > 0]
    try:
        report = _system(_with_parameter(spec)).sweep("speed=1:1", metric=metrics)
        row = report.records()[0]
    except QnetError as error:
        return [Broken(law, "refused", str(error)[:150], 0.0, 0.0, 1.0, 0.0)]
    except Exception as error:
        return [Broken(law, "crash", f"{type(error).__name__}: {error}"[:150], 0.0, 0.0, 1.0, 0.0)]
    if outcome.exact and row.get("exactness") != "exact" and report.warnings:
        # The chain of all states is tried for a single point alone; the warning says so.
        return []
    values = [value for key, value in row.items() if key.startswith(("throughput", "response"))]
    ours = [*outcome.throughput.values()]
    ours += [outcome.response[name] for name, rate in outcome.throughput.items() if rate > 0]
    allowed = ALIKE if outcome.exact else CONVERGED
    found: list[Broken] = []
    for metric, one, other in zip(metrics, ours, values, strict=False):
        if other is None:
            return [Broken(law, "refused", f"{metric} {row.get('status')}", one, 0.0, 1.0, allowed)]
        error = abs(one - other) / abs(one) if one else abs(other)
        if error > allowed:
            found.append(Broken(law, metric, "", one, other, error, allowed))
    label = row.get("exactness")
    if label is not None and (label == "exact") != outcome.exact:
        found.append(Broken(law, "exactness", str(label), float(outcome.exact), 0.0, 1.0, 0.0))
    return found[:1]


def _envelope(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    """At the largest load within a limit, the response is the limit."""
    law = "envelope"
    name = next(name for name, table in spec["classes"].items() if "arrival_rate" in table)
    limit = outcome.response[name] * 1.2
    metric = f"response('{name}')"
    try:
        system = _system(_with_parameter(spec))
        report = system.envelope(vary="speed", limit=f"{metric} <= {limit!r} s")
        row = report.records()[0]
        largest = next((value for key, value in row.items() if key == "speed"), None)
        if row.get("status") != "ok" or largest is None or (outcome.exact and report.warnings):
            return []
        reached = system.set(speed=float(largest)).metric(metric)
    except QnetError:
        return []
    except Exception as error:
        return [Broken(law, "crash", f"{type(error).__name__}: {error}"[:150], 0.0, 0.0, 1.0, 0.0)]
    binds = str(row.get("what_binds") or row.get("binds") or "limit")
    error = (reached - limit) / limit
    tight = "limit" in binds or "response" in binds
    wrong = error > 1e-4 or (tight and error < -1e-2)
    return [Broken(law, metric, binds[:60], limit, reached, abs(error), 1e-4)] if wrong else []


def _one_closed(spec: Spec, outcome: Outcome) -> bool:
    tables = list(spec["classes"].values())
    return len(tables) == 1 and not spec["chains"] and 1 < tables[0].get("population", 0) <= 8


def _knee(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    """At the largest population within a service level the response is within it, and beyond it with one more."""
    law = "knee"
    name, table = next(iter(spec["classes"].items()))
    limit = outcome.response[name] * 1.3
    lines = text(spec).replace(f"population = {table['population']}", 'population = "customers"').split("\n")
    place = lines.index("[stations]")
    parameters = ["[parameters]", f"customers = {table['population']}", ""]
    try:
        system = _system("\n".join([*lines[:place], *parameters, *lines[place:]]))
        asked = {"vary": "customers", "limit": f"response <= {limit!r} s", "definition": "service_level"}
        report = system.knee(**asked)
        row = report.records()[0]
        if row["status"] != "ok" or row["population"] is None or report.meta["exactness"] != "exact":
            return []
        count = int(row["population"])
        within, beyond = (system.set(customers=number).metric("response") for number in (count, count + 1))
    except QnetError:
        return []
    except Exception as error:
        return [Broken(law, "crash", f"{type(error).__name__}: {error}"[:150], 0.0, 0.0, 1.0, 0.0)]
    if within <= limit * (1 + CONVERGED) and beyond > limit * (1 - CONVERGED):
        return []
    return [Broken(law, f"response of {count}", name, limit, within, abs(within / limit - 1), CONVERGED)]


def _has_open(spec: Spec, outcome: Outcome) -> bool:
    return any(
        float(table.get("arrival_rate", 0)) > 0 and outcome.response.get(name, 0) > 0
        for name, table in spec["classes"].items()
    )


def _bounds(spec: Spec, outcome: Outcome, rng: Random, kind: str) -> list[Broken]:
    """Every figure is within every rigorous bound that there is."""
    found: list[Broken] = []
    for bounds in ("asymptotic", "balanced"):
        other = ask(text(spec), Wanted(bounds=bounds))
        if other.status == "crash":
            found.append(Broken(f"{bounds} bounds", "crash", str(other.problems[0])[:150], 0.0, 0.0, 1.0, 0.0))
        for key, (low, high) in other.bounds.items():
            figure, _, name = key.partition(" ")
            value = getattr(other, figure)[name]
            slack = 1e-7 * max(abs(high) if high < float("inf") else abs(low), 1e-300)
            if value < low - slack or value > high + slack:
                nearest = low if value < low else high
                error = abs(value - nearest) / abs(nearest or 1.0)
                found.append(Broken(f"{bounds} bounds", figure, name, value, nearest, error, 1e-7))
    return found[:1]


def _always(spec: Spec, outcome: Outcome) -> bool:
    return True


def _classes(spec: Spec, outcome: Outcome) -> bool:
    return bool(spec["classes"])


LAWS = (
    _Law("units", _always, _units),
    _Law("class told as two", _may_split_class, _two_classes),
    _Law("scaled time", _always, _scaled),
    _Law("more customers", _monotone, _more),
    _Law("order", _always, _order),
    _Law("sweep of one point", _has_parameter, _sweep),
    _Law("route told as two", _classes, _two_routes),
    _Law("nobody visits", _always, _spare),
    _Law("bounds", _always, _bounds),
    _Law("class of population 0", _classes, _nobody),
    _Law("class with a rate near 0", _classes, _rare),
    _Law("envelope", _has_open, _envelope),
    _Law("knee", _one_closed, _knee),
)
