"""Bounds and knees of closed classes as formulas: what `qnet.networks.closed.bounds` computes over numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.expression.traced import TRACING
from qnet.questions.formula.network import FormulaCentre, Symbolic
from qnet.queues.arithmetic import total
from qnet.record import Record

Pieces = list[tuple[str, Value]]
"""What each station, or the lack of any queueing, allows."""

ALONE = "no queueing"
SPREAD = "balanced"


class Visited(Record):
    """What a closed class asks of one copy of a queueing station."""

    label: str
    copies: Value
    demand: Value
    """Seconds per passage, longer by what open classes take of a single server."""
    servers: Value
    answered: Value
    """Of the demand, what is done before the response."""


class BoundInputs(Record):
    """One closed class with all that its bounds rest on."""

    name: str
    population: Value
    others: Value
    """All other customers of closed classes."""
    think: Value
    delays: Value
    """Delays and delay stations."""
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
    everybody = total(item.population for item in symbolic.closed)
    result: list[BoundInputs] = []
    for kind, item in enumerate(symbolic.network.classes):
        if item not in symbolic.closed:
            continue
        delay = symbolic.delays[kind]
        queues: list[Visited] = []
        for centre in symbolic.centres:
            if centre.demands[kind] == 0:
                continue
            if centre.station.delay:
                delay = delay + centre.group.copies * centre.demands[kind]
            else:
                queues.append(_visited(symbolic, centre, kind))
        result.append(
            BoundInputs(item.name, item.population, everybody - 1, item.think_time, delay, tuple(queues))  # type: ignore[union-attr]
        )
    return tuple(result)


def _visited(symbolic: Symbolic, centre: FormulaCentre, kind: int) -> Visited:
    demand, answered = centre.demands[kind], centre.answered[kind]
    if centre.held:
        raise _refused(f'"{centre.label}" is held while another station is waited for')
    if centre.station.rates is not None:
        raise _refused(f'the rates of "{centre.label}" depend on the number present')
    taken = symbolic.open_load(centre)
    if taken != 0 and centre.station.servers != 1:
        raise _refused(f'"{centre.label}" shares several servers among open and closed classes')
    if taken != 0:
        demand, answered = demand / (1 - taken), answered / (1 - taken)
    return Visited(centre.label, centre.group.copies, demand, centre.station.servers, answered)


def throughput_upper(of: BoundInputs) -> Pieces:
    """N / (Z + D), and the capacity of each station: the asymptotic bound."""
    alone = of.population / (of.think + of.least)
    return [(ALONE, alone), *((queue.label, queue.servers / queue.demand) for queue in of.queues)]


def throughput_lower(of: BoundInputs) -> Pieces:
    """Every customer waits for all others at every station."""
    return [("", of.population / (of.think + of.most))]


def response_lower(of: BoundInputs) -> Pieces:
    """D, and N D(k) / c - Z of each station: the asymptotic bound."""
    stations = ((queue.label, of.population * queue.demand / queue.servers - of.think) for queue in of.queues)
    return [(ALONE, of.least), *stations]


def response_upper(of: BoundInputs) -> Pieces:
    """Every customer waits for all others at every station."""
    return [("", of.most)]


def n_star(of: BoundInputs) -> Pieces:
    """(D + Z) c / D(k) of each station: where the two lines of the asymptotic bound meet."""
    return [(queue.label, (of.least + of.think) * queue.servers / queue.demand) for queue in of.queues]


def balanced_throughput_upper(of: BoundInputs) -> Pieces:
    """As if all stations had the same demand, and the asymptotic bound."""
    return [(SPREAD, of.population / (of.think + _spread(of))), *throughput_upper(of)]


def balanced_response_lower(of: BoundInputs) -> Pieces:
    """As if all stations had the same demand, and the asymptotic bound."""
    return [(SPREAD, _spread(of)), *response_lower(of)]


def balanced_throughput_lower(of: BoundInputs) -> Pieces:
    """As if the others all queued at the slowest station."""
    return [("", of.population / (of.think + _slowest(of)))]


def balanced_response_upper(of: BoundInputs) -> Pieces:
    """As if the others all queued at the slowest station."""
    return [("", _slowest(of))]


def _spread(of: BoundInputs) -> Value:
    fast = total(queue.copies * queue.demand / queue.servers for queue in of.queues)
    count = total(queue.copies for queue in of.queues if queue.demand > 0)
    # Delays count in full, and several servers as fast as they can be.
    return of.delays + fast + of.others * fast / count / (1 + (of.think + of.delays) / fast)


def _slowest(of: BoundInputs) -> Value:
    alone = total(queue.copies * queue.demand for queue in of.queues)
    steps = [queue.demand / queue.servers for queue in of.queues]
    longest = alone + of.others * total(queue.copies * step for queue, step in zip(of.queues, steps, strict=True))
    slowest = TRACING.maximum(steps) if len(steps) > 1 else steps[0]
    return of.delays + alone + of.others * slowest / (1 + (of.think + of.delays) / longest)


BALANCED: Sequence[Callable[[BoundInputs], Pieces]] = (
    balanced_throughput_lower, balanced_throughput_upper, balanced_response_lower, balanced_response_upper,
)  # fmt: skip
"""Those of one class alone, which visits at least one queueing station."""


def pieces(symbolic: Symbolic, bound: Callable[[BoundInputs], Pieces]) -> list[tuple[str, str, Value]]:
    """A bound by closed class: class, station, formula.

    Raises `NotComputed` QN521 as `customers`, for a balanced bound of several classes, for a class without customers,
    and with second-phase work for all bounds except those that it does not lengthen. Without product
    form only the asymptotic bounds hold, and with open classes none.
    """
    everybody = customers(symbolic)
    nobody = [of.name for of in everybody if of.population == 0]
    if nobody and bound is not n_star:
        raise _refused(f'class "{nobody[0]}" has no customers', "give it a population with -p")
    if bound not in (throughput_upper, n_star) and symbolic.losing:
        raise _refused("customers may be lost, which keeps the others from waiting for them")
    if bound not in (throughput_upper, response_lower, n_star) and symbolic.unit.deferred:
        raise _refused("customers wait for second-phase work, for which no bound is known")
    beside = any(symbolic.open_load(centre) != 0 and _closed_use(symbolic, centre) for centre in symbolic.centres)
    if symbolic.without_product_form and (beside or bound not in (throughput_upper, response_lower, n_star)):
        raise _refused(
            f"the bound is that of product form: {symbolic.without_product_form}", "qnet solve computes figures"
        )
    if bound in BALANCED and (len(everybody) > 1 or not all(of.queues for of in everybody)):
        raise _refused("the balanced bounds are formulas for one closed class that visits a queue")
    return [(of.name, about, value) for of in everybody for about, value in bound(of)]


def _closed_use(symbolic: Symbolic, centre: FormulaCentre) -> bool:
    """Whether a closed class queues at a station."""
    kinds = zip(symbolic.network.classes, centre.demands, strict=True)
    return not centre.station.delay and any(item in symbolic.closed and demand != 0 for item, demand in kinds)


def _refused(reason: str, help: str = "qnet solve --bounds computes bounds as numbers") -> NotComputed:
    return NotComputed(Problem("QN521", reason, "closed classes in closed form", help=help))
