"""Findings on kinds of work: their shares in the largest times, and the known causes of long ones."""

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
    """The bottleneck and the largest part of the response, split by the kinds of work that steps state.

    The largest kind of work at the bottleneck is what to fix first, where the model states known causes of it.
    """
    kinds = kinds_of_work(bottleneck.model)
    if not kinds:
        return
    network = bottleneck.solution.network or bind(bottleneck.model, bottleneck.solved.parts[0].values)
    first, parts = _bottleneck(bottleneck), largest(bottleneck)
    worst = ""
    if first:
        split = _split(bottleneck, network, kinds, first.label)
        worst = _largest(split)
        causes = _causes(bottleneck.model, worst)
        if causes:
            share = percent(split[worst] / sum(split.values()))
            text = f"What to fix first is {worst}"
            text += f": {share} of the demand on {first.label}." if len(split) > 1 else f" at {first.label}."
            yield Finding(ANSWER, first.label, text, "demand", split[worst], "s")
            yield from _without(bottleneck, worst, first)
            yield _known_causes(worst, causes)
        yield from _made_of(FULL, f"The demand on {first.label}", first.label, split)
    if parts and not (first and parts[0].label == first.label):
        label = parts[0].label
        split = _split(bottleneck, network, kinds, label)
        yield from _made_of(
            TIME, f"The service at {label}" if label else "The delay outside the stations", label, split
        )
        longest = _largest(split)
        causes = _causes(bottleneck.model, longest)
        if causes and longest != worst:
            yield _known_causes(longest, causes)


_REST = "other work"
_AS_FULL = 1.01
"""The ratio of the throughputs at which an inner station and the held one saturate, up to which the inner one counts as
the cause: within a percent, a choice."""


def _bottleneck(bottleneck: Bottleneck) -> Resource | None:
    """The bottleneck; in place of a station held while others are visited, the inner station that saturates it."""
    resource = first_full(bottleneck)
    while resource and resource.label in bottleneck.solution.held_by:
        inside = [
            item
            for item in bottleneck.ranked
            if item.label in bottleneck.solution.held_by[resource.label] and item.full_at
        ]
        inner = min(inside, key=lambda item: item.full_at or 0.0, default=None)
        if inner is None or (inner.full_at or 0.0) > _AS_FULL * (full_at(bottleneck, resource) or 0.0):
            break
        resource = inner
    return resource


def _largest(split: dict[str, float]) -> str:
    """The kind of work that takes most of a time; empty where that is work without a kind."""
    kind = max(split, key=split.__getitem__, default="")
    return "" if kind == _REST else kind


def _split(bottleneck: Bottleneck, network: RoutedNetwork, kinds: tuple[str, ...], label: str) -> dict[str, float]:
    """The time of the mean customer at a station, or in delays, by kind of work; empty where none is stated there."""
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
    network_work = work(network)
    if label:
        return sum(
            share * float(demand) * group.copies
            for group in network_work.groups
            if group.label == label
            for share, demand in zip(mix, group.demands, strict=True)
        )
    return sum(
        mix[item.class_index] * float(item.probability * item.service.get("", 0.0)) for item in network_work.routes
    )


def _made_of(section: str, what: str, label: str, split: dict[str, float]) -> Iterator[Finding]:
    """The kinds of work in a time, the largest first, where there are several."""
    if len(split) > 1:
        total = sum(split.values())
        ordered = sorted(split.items(), key=lambda item: -item[1])
        kinds = listed([f"{time_of(time)} ({percent(time / total)}) of {kind}" for kind, time in ordered])
        text = f"{what}, {time_of(total)} per passage, consists of {kinds}."
        yield Finding(section, label, text, "demand", ordered[0][1], "s")


def _without(bottleneck: Bottleneck, kind: str, full: Resource) -> Iterator[Finding]:
    """The response and the saturation throughput without one kind of work."""
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
    maximum, cause = largest_throughput(solution, edge)
    now, label = float(bottleneck.solution.response), full.label
    text = f"Without {kind} the response would be {time_of(float(solution.response))} instead of {time_of(now)}"
    text += " at the present arrivals" if any(item.population is None for item in solution.classes) else ""
    if maximum and cause:
        what = f"{label} would saturate at" if cause == label else f"{cause} would saturate first, at"
        text += f", and {what} {rate_of(maximum)} instead of {rate_of(full_at(bottleneck, full) or 0.0)}"
    yield Finding(HELP, label, f"{text}.", "response", float(solution.response), "s")


def _idle(step: StepModel, kind: str, inherited: str) -> StepModel:
    """A step, with no time for one kind of work; `inherited` is the kind of the steps around it."""
    work = step.work or inherited
    if step.station:
        return step.replace(steps=tuple(_idle(inner, kind, work) for inner in step.steps))
    return step.replace(time=parse("0 s")) if work == kind and step.time is not None else step


def _causes(model: Model, kind: str) -> tuple[str, ...]:
    """The known causes of a kind of work, as any of its steps states them."""
    pending = [step for customers in model.classes for route in customers.routes for step in route.steps]
    causes: dict[str, None] = {}
    while pending:
        step = pending.pop(0)
        if step.work == kind:
            causes |= dict.fromkeys(step.causes)
        pending += step.steps
    return tuple(causes)


def _known_causes(kind: str, causes: tuple[str, ...]) -> Finding:
    return Finding(HELP, kind, f"Known causes of long {kind}: {'; '.join(causes)}.")
