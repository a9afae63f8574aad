"""From a chain to a class of a network: its ways become mean numbers of visits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnet.errors import Problem
from qnet.expression import Expression, Value
from qnet.model.check_chains import stranded
from qnet.model.fields import BY_PRIORITY, ONWARD, TABLES
from qnet.model.model import HOME, THINK, ChainModel, Model, State
from qnet.model.values import Values
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Route, Time, Turn
from qnet.networks.state_reduction import StrandedCustomers, visits_per_passage


def bind_chain(model: Model, values: Values, chain: ChainModel) -> OpenClass | ClosedClass:
    """A chain as one class, with one route for each class of the chain: what is done as that class in a passage.

    values      the points.
    Raises      `InvalidInput` QN211 for numbers outside their domain, QN221 for probabilities that do not sum to one,
                QN231 where customers never come back; `UsageError` where an option set what they rest on.
    """
    visits = _visits(model, values, chain)
    services = TABLES["service"]
    stations = {station.name: station for station in model.stations}
    thinking: Value = 0.0
    thoughts: dict[State, tuple[Value, Value]] = {}
    at: dict[State, int] = {}
    steps: dict[str, list[Hold]] = {name: [] for name in chain.classes}
    for item in chain.services:
        mean = values.field(item.time, services["time"], item.path)
        time = values.record(Time, "service", item, item.path[:-1], mean=mean)
        if item.state[1] == THINK and chain.home == THINK:
            thinking = thinking + mean * visits[item.state]
            thoughts[item.state] = (mean, time.scv)
            continue
        heeded = stations[item.state[1]].discipline in BY_PRIORITY
        hold = Hold(item.state[1], (time,), visits=visits[item.state], priority=chain.priority if heeded else 0)
        at[item.state] = len(steps[item.state[0]])
        steps[item.state[0]].append(hold)
    routes = tuple(Route(name, 1.0, tuple(each)) for name, each in steps.items())
    onward = _onward(values, chain, visits)
    if chain.think_time is not None:
        field = TABLES["chain"]["think_time"]
        thoughts[HOME] = (values.field(chain.think_time, field, (*chain.path, "think_time")), 1.0)
        thinking = thinking + thoughts[HOME][0] * visits.get(HOME, 0.0)
    turns = _turns(values, chain, at, thoughts)
    given: dict[str, Any] = {"name": chain.name, "routes": routes, "chain": True, "onward": onward, "turns": turns}
    if chain.arrival_rate is not None:
        return values.record(OpenClass, "chain", chain, chain.path, **given)
    return values.record(ClosedClass, "chain", chain, chain.path, **given, think_time=thinking)


def _turns(
    values: Values, chain: ChainModel, at: Mapping[State, int], thoughts: Mapping[State, tuple[Value, Value]]
) -> tuple[Turn, ...]:
    """The states of a chain as turns.

    at        the step of each state at a station, on the route of its class.
    thoughts  mean and scv of the other times.
    """
    numbers = {state: number for number, state in enumerate(chain.states)}
    classes = {name: number for number, name in enumerate(chain.classes)}
    ways: dict[State, list[tuple[int, Value]]] = {state: [] for state in numbers}
    for item in chain.onward:
        probability = values.field(item.probability, ONWARD, item.path)
        ways[item.origin].append((numbers[item.target], probability))
    return tuple(
        Turn(
            classes[state[0]] if state in at else -1,
            at.get(state, -1),
            tuple(ways[state]),
            state in chain.references,
            *thoughts.get(state, (0.0, 1.0)),
        )
        for state in numbers
    )


def _onward(values: Values, chain: ChainModel, visits: Mapping[State, Value]) -> tuple[tuple[str, str, Value], ...]:
    """How often a passage goes from one station to another, or begins with one; leaving is left out.

    Nothing where passages are visits to a station of reference, which begin and end there.
    """
    result: dict[tuple[str, str], Value] = {}
    outside = ("", THINK) if chain.home == THINK else ("",)
    for item in () if chain.reference else chain.onward:
        origin, target = (state[1] if state[1] not in outside else "" for state in (item.origin, item.target))
        if target:
            count = visits[item.origin] * values.field(item.probability, ONWARD, item.path)
            result[origin, target] = result.get((origin, target), 0.0) + count
    return tuple((origin, target, count) for (origin, target), count in result.items())


def _visits(model: Model, values: Values, chain: ChainModel) -> dict[State, Value]:
    """Visits to every state per passage."""
    states = chain.states
    index = {state: number for number, state in enumerate(states)}
    rows: list[dict[int, Value]] = [{} for _ in states]
    terms: list[dict[str, Expression]] = [{} for _ in states]
    for item in chain.onward:
        origin = index[item.origin]
        rows[origin][index[item.target]] = values.field(item.probability, ONWARD, item.path)
        terms[origin][chain.label(item.target)] = item.probability
    for state, row, each in zip(states, rows, terms, strict=True):
        values.check_sum(sum(row.values()), f"the probabilities from {chain.label(state)}", chain.row(state), each)
    try:
        result = visits_per_passage(rows, [index[state] for state in chain.references], values.size)
    except StrandedCustomers as error:
        names = dict.fromkeys(name for item in chain.onward for name in item.probability.names)
        stuck = [states[number] for number in error.states]
        text, expected = stranded(chain, stuck, [states[number] for number in error.beside] or chain.references)
        problem = Problem(
            code="QN231", found=text + values.at(names, error.point), expected=expected, path=chain.row(stuck[0])
        )
        raise model.refusal(problem, names) from None
    return dict(zip(states, result, strict=True))
