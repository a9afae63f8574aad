"""Findings on kinds of work: what the time at a place that matters is made of, and what is known to make it long."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.errors import QnetError
from qnet.expression import parse
from qnet.model.bind import bind
from qnet.model.costs import kinds_of_work
from qnet.model.model import Model, StepModel
from qnet.networks.routed import RoutedNetwork
from qnet.networks.work import only_work, work
from qnet.questions.bottleneck.bottleneck import Bottleneck, Resource
from qnet.questions.points.points import solve_points
from qnet.questions.points.saturation import largest_throughput, saturation
from qnet.questions.why.findings import (
    ANSWER,
    FULL,
    HELP,
    TIME,
    Finding,
    first_full,
    full_at,
    largest,
    listed,
    percent,
    rate_of,
    time_of,
)  # fmt: skip


def works(bottleneck: Bottleneck) -> Iterator[Finding]:
    """Where steps state kinds of work: the bottleneck and the largest part of the response, split by them.

    The largest kind of work of the bottleneck is what to fix, where the model states what makes it long.
    """
    kinds = kinds_of_work(bottleneck.model)
    if not kinds:
        return
    network = bottleneck.solution.network or bind(bottleneck.model, bottleneck.solved.parts[0].values)
    first, parts = _full(bottleneck), largest(bottleneck)
    reported = ""
    if first:
        split = _split(bottleneck, network, kinds, first.label)
        reported = _largest(split)
        causes = _causes(bottleneck.model, reported)
        if causes:
            share = percent(split[reported] / sum(split.values()))
            text = f"What to fix first is {reported}"
            text += f": {share} of the time that {first.label} is kept." if len(split) > 1 else f" at {first.label}."
            yield Finding(ANSWER, first.label, text, "demand", split[reported], "s")
            yield from _without(bottleneck, reported, first)
            yield _made_long(reported, causes)
        yield from _made_of(FULL, f"a passage keeps {first.label}", first.label, split)
    if parts and not (first and parts[0].label == first.label):
        label = parts[0].label
        split = _split(bottleneck, network, kinds, label)
        index = f"of service at {label}" if label else "of delays outside the stations"
        yield from _made_of(TIME, f"a passage has {index}", label, split)
        longest = _largest(split)
        causes = _causes(bottleneck.model, longest)
        if causes and longest != reported:
            yield _made_long(longest, causes)


_REST = "other work"
_AS_FULL = 1.01
"""How near an inner station saturates to the station that is held to be its cause: within a percent, a choice."""


def _full(bottleneck: Bottleneck) -> Resource | None:
    """The bottleneck; instead of a station held while others are visited, the inner station that saturates it."""
    resource = first_full(bottleneck)
    while resource and resource.label in bottleneck.solution.held_by:
        inside = [
            item
            for item in bottleneck.ranked
            if item.label in bottleneck.solution.held_by[resource.label] and item.full_at
        ]
        fills = min(inside, key=lambda item: item.full_at or 0.0, default=None)
        if fills is None or (fills.full_at or 0.0) > _AS_FULL * (full_at(bottleneck, resource) or 0.0):
            break
        resource = fills
    return resource


def _largest(split: dict[str, float]) -> str:
    """The kind of work that takes most of a time; empty where that is work of no kind."""
    kind = max(split, key=split.__getitem__, default="")
    return "" if kind == _REST else kind


def _split(bottleneck: Bottleneck, network: RoutedNetwork, kinds: tuple[str, ...], label: str) -> dict[str, float]:
    """Seconds per passage of the mean customer at a place, by kind of work; empty where none is stated there."""
    split: dict[str, float] = {}
    for kind in kinds:
        classes = tuple(
            item.replace(
                routes=tuple(route.replace(steps=only_work(route.steps, (kind,))) for route in item.routes)
            )
            for item in network.classes
        )  # fmt: skip
        time = _time(bottleneck, network.replace(classes=classes), label)
        if time > 0:
            split[kind] = time
    overall = _time(bottleneck, network, label)
    rest = overall - sum(split.values())
    return {**split, _REST: rest} if split and rest > 1e-9 * overall else split


def _time(bottleneck: Bottleneck, network: RoutedNetwork, label: str) -> float:
    """Seconds per passage of the mean customer: of servers at a station, or of all delays for no label."""
    rates = [float(item.throughput) for item in bottleneck.solution.classes]
    mix = [rate / (sum(rates) or 1.0) for rate in rates]
    asked = work(network)
    if label:
        return sum(
            share * float(demand) * group.copies
            for group in asked.groups
            if group.label == label
            for share, demand in zip(mix, group.demands, strict=True)
        )
    return sum(mix[item.class_index] * float(item.probability * item.service.get("", 0.0)) for item in asked.routes)


def _made_of(section: str, what: str, label: str, split: dict[str, float]) -> Iterator[Finding]:
    """The kinds of work in a time, the largest first, where there are several."""
    if len(split) > 1:
        overall = sum(split.values())
        ordered = sorted(split.items(), key=lambda item: -item[1])
        text = listed([f"{time_of(time)} ({percent(time / overall)}) of {kind}" for kind, time in ordered])
        yield Finding(section, label, f"The {time_of(overall)} that {what} are {text}.", "demand", ordered[0][1], "s")


def _without(bottleneck: Bottleneck, kind: str, full: Resource) -> Iterator[Finding]:
    """What the response and the capacity would be without one kind of work."""
    model = bottleneck.model.replace(
        classes=tuple(
            item.replace(
                routes=tuple(
                    route.replace(steps=tuple(_idle(step, kind, "") for step in route.steps)) for route in item.routes
                )
            )
            for item in bottleneck.model.classes
        )
    )
    try:
        solved = solve_points(model)
        edge = saturation(model, solved)
    except QnetError:
        return
    solution = solved.parts[0].solution
    if not solution.stable:
        return
    maximum, index = largest_throughput(solution, edge)
    now, label = float(bottleneck.solution.response), full.label
    text = f"Without {kind} the response would be {time_of(float(solution.response))} instead of {time_of(now)}"
    text += ", at the arrivals of now" if any(item.population is None for item in solution.classes) else ""
    if maximum and index:
        what = f"{label} would saturate at" if index == label else f"{index} would saturate first, at"
        text += f", and {what} {rate_of(maximum)} instead of {rate_of(full_at(bottleneck, full) or 0.0)}"
    yield Finding(HELP, label, f"{text}.", "response", float(solution.response), "s")


def _idle(step: StepModel, kind: str, around: str) -> StepModel:
    """A step, with no time where its work is of a kind."""
    particular = step.work or around
    if step.station:
        return step.replace(steps=tuple(_idle(inner, kind, particular) for inner in step.steps))
    return step.replace(time=parse("0 s")) if particular == kind and step.time is not None else step


def _causes(model: Model, kind: str) -> tuple[str, ...]:
    """What is known to make a kind of work long, as any of its steps says."""
    waiting = [step for customers in model.classes for route in customers.routes for step in route.steps]
    causes: dict[str, None] = {}
    while waiting:
        step = waiting.pop(0)
        if step.work == kind:
            causes |= dict.fromkeys(step.causes)
        waiting += step.steps
    return tuple(causes)


def _made_long(kind: str, causes: tuple[str, ...]) -> Finding:
    return Finding(HELP, kind, f"What is known to make {kind} long: {'; '.join(causes)}.")
