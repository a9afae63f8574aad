"""Bounds and N* of closed classes as formulas; `qnet.networks.closed.bounds` computes the same over numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.expression.traced import TRACING
from qnet.questions.formula.network import FormulaCentre, Symbolic
from qnet.queues.arithmetic import total
from qnet.record import Record

Pieces = list[tuple[str, Value]]
"""The pieces of a bound, each with the label of its station, or of its assumption."""

ALONE = "no queueing"
SPREAD = "balanced"


class Visited(Record):
    """The demand of a closed class on one copy of a queueing station."""

    label: str
    copies: Value
    demand: Value
    """Seconds per passage, extended by the share that open classes use of a single server."""
    servers: Value
    answered: Value
    """The part of the demand before the response."""


class BoundInputs(Record):
    """One closed class, with the inputs of its bounds."""

    name: str
    population: Value
    others: Value
    """The number of all other customers of closed classes."""
    think: Value
    delays: Value
    """Seconds per passage in delays and delay stations."""
    queues: tuple[Visited, ...]

    @property
    def least(self) -> Value:
        """The response without any queueing."""
        return self.delays + total(queue.copies * queue.answered for queue in self.queues)

    @property
    def most(self) -> Value:
        """The response where all other customers are present at every station."""
        at_arrival = (queue.copies * queue.demand * (1 + self.others / queue.servers) for queue in self.queues)
        return self.delays + total(at_arrival)


def customers(symbolic: Symbolic) -> tuple[BoundInputs, ...]:
    """The closed classes of a model.

    Raises `NotComputed` QN521 where there is none, or a station has rates, is held together with another, or shares
    several servers with open classes.
    """
    if not symbolic.closed:
        raise _refused("there is no closed class", "max_rate, response and utilization are those of open ones")
    total_population = total(item.population for item in symbolic.closed)
    result: list[BoundInputs] = []
    for number, item in enumerate(symbolic.network.classes):
        if item not in symbolic.closed:
            continue
        delay = symbolic.delays[number]
        queues: list[Visited] = []
        for centre in symbolic.centres:
            if centre.demands[number] == 0:
                continue
            if centre.station.delay:
                delay = delay + centre.group.copies * centre.demands[number]
            else:
                queues.append(_visited(symbolic, centre, number))
        result.append(
            BoundInputs(item.name, item.population, total_population - 1, item.think_time, delay, tuple(queues))  # type: ignore[union-attr]
        )
    return tuple(result)


def _visited(symbolic: Symbolic, centre: FormulaCentre, number: int) -> Visited:
    demand, answered = centre.demands[number], centre.answered[number]
    if centre.held:
        raise _refused(f'"{centre.label}" is held while customers wait for another station')
    if centre.station.rates is not None:
        raise _refused(f'the rates of "{centre.label}" depend on the number present')
    taken = symbolic.open_load(centre)
    if taken != 0 and centre.station.servers != 1:
        raise _refused(f'"{centre.label}" shares several servers among open and closed classes')
    if taken != 0:
        demand, answered = demand / (1 - taken), answered / (1 - taken)
    return Visited(centre.label, centre.group.copies, demand, centre.station.servers, answered)


def throughput_upper(inputs: BoundInputs) -> Pieces:
    """N / (Z + D), and the capacity of each station: the asymptotic bound."""
    alone = inputs.population / (inputs.think + inputs.least)
    return [(ALONE, alone), *((queue.label, queue.servers / queue.demand) for queue in inputs.queues)]


def throughput_lower(inputs: BoundInputs) -> Pieces:
    """The bound where every customer waits for all others at every station."""
    return [("", inputs.population / (inputs.think + inputs.most))]


def response_lower(inputs: BoundInputs) -> Pieces:
    """D, and N D(k) / c - Z of each station: the asymptotic bound."""
    stations = (
        (queue.label, inputs.population * queue.demand / queue.servers - inputs.think) for queue in inputs.queues
    )
    return [(ALONE, inputs.least), *stations]


def response_upper(inputs: BoundInputs) -> Pieces:
    """The bound where every customer waits for all others at every station."""
    return [("", inputs.most)]


def n_star(inputs: BoundInputs) -> Pieces:
    """(D + Z) c / D(k) of each station: where the two lines of the asymptotic bound meet."""
    return [(queue.label, (inputs.least + inputs.think) * queue.servers / queue.demand) for queue in inputs.queues]


def balanced_throughput_upper(inputs: BoundInputs) -> Pieces:
    """The bound for stations of equal demand, and the asymptotic bound."""
    return [(SPREAD, inputs.population / (inputs.think + _spread(inputs))), *throughput_upper(inputs)]


def balanced_response_lower(inputs: BoundInputs) -> Pieces:
    """The bound for stations of equal demand, and the asymptotic bound."""
    return [(SPREAD, _spread(inputs)), *response_lower(inputs)]


def balanced_throughput_lower(inputs: BoundInputs) -> Pieces:
    """The bound where all others queue at the slowest station."""
    return [("", inputs.population / (inputs.think + _slowest(inputs)))]


def balanced_response_upper(inputs: BoundInputs) -> Pieces:
    """The bound where all others queue at the slowest station."""
    return [("", _slowest(inputs))]


def _spread(inputs: BoundInputs) -> Value:
    fast = total(queue.copies * queue.demand / queue.servers for queue in inputs.queues)
    count = total(queue.copies for queue in inputs.queues if queue.demand > 0)
    # Delays count in full, and several servers like one that is as fast as all of them.
    return inputs.delays + fast + inputs.others * fast / count / (1 + (inputs.think + inputs.delays) / fast)


def _slowest(inputs: BoundInputs) -> Value:
    alone = total(queue.copies * queue.demand for queue in inputs.queues)
    steps = [queue.demand / queue.servers for queue in inputs.queues]
    longest = alone + inputs.others * total(
        queue.copies * step for queue, step in zip(inputs.queues, steps, strict=True)
    )
    slowest = TRACING.maximum(steps) if len(steps) > 1 else steps[0]
    return inputs.delays + alone + inputs.others * slowest / (1 + (inputs.think + inputs.delays) / longest)


BALANCED: Sequence[Callable[[BoundInputs], Pieces]] = (
    balanced_throughput_lower, balanced_throughput_upper, balanced_response_lower, balanced_response_upper,
)  # fmt: skip
"""The bounds for a single class that visits at least one queueing station."""


def pieces(symbolic: Symbolic, bound: Callable[[BoundInputs], Pieces]) -> list[tuple[str, str, Value]]:
    """The pieces of a bound of every closed class, as (class, station, formula).

    Raises `NotComputed` QN521 as `customers`, for a balanced bound of several classes, for a class without customers,
    and, with second-phase work, for all bounds that it affects. Without product form only the asymptotic
    bounds hold, and with open classes none.
    """
    classes = customers(symbolic)
    empty = [inputs.name for inputs in classes if inputs.population == 0]
    if empty and bound is not n_star:
        raise _refused(f'class "{empty[0]}" has no customers', "give it a population with -p")
    if bound not in (throughput_upper, n_star) and symbolic.losing:
        raise _refused("customers may be lost, and others do not wait for them")
    if bound not in (throughput_upper, response_lower, n_star) and symbolic.unit.deferred:
        raise _refused("customers wait for second-phase work, for which no bound is known")
    mixed = any(symbolic.open_load(centre) != 0 and _closed_use(symbolic, centre) for centre in symbolic.centres)
    if symbolic.without_product_form and (mixed or bound not in (throughput_upper, response_lower, n_star)):
        raise _refused(
            f"the bound is that of product form: {symbolic.without_product_form}", "qnet solve computes figures"
        )
    if bound in BALANCED and (len(classes) > 1 or not all(inputs.queues for inputs in classes)):
        raise _refused("the balanced bounds are formulas for one closed class that visits a queue")
    return [(inputs.name, about, value) for inputs in classes for about, value in bound(inputs)]


def _closed_use(symbolic: Symbolic, centre: FormulaCentre) -> bool:
    """Whether a closed class queues at a station."""
    kinds = zip(symbolic.network.classes, centre.demands, strict=True)
    return not centre.station.delay and any(item in symbolic.closed and demand != 0 for item, demand in kinds)


def _refused(reason: str, help: str = "qnet solve --bounds computes bounds as numbers") -> NotComputed:
    return NotComputed(Problem("QN521", reason, "closed classes in closed form", help=help))
