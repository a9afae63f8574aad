"""A model: names, units and expressions as a file states them, checked, and free of any algorithm.

A key of the language needs an attribute here only where code reads it from the model by name. The values of all other
keys, which become numbers of the network, are in `further`.

A question may solve one model thousands of times: `fact` caches what depends on the model alone, and `fact_of_tables`
what its settings do not change either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from qnet.documents import Document, Path
from qnet.errors import InvalidInput, Problem, QnetError, UsageError, short
from qnet.expression import Expression
from qnet.lazy import lazy
from qnet.record import Record
from qnet.units import TIME, Dimension

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = lazy("hashlib")


Further = tuple[tuple[str, Any], ...]
"""The keys of a table that have no attribute in its record, each with its value."""


_Fact = TypeVar("_Fact")
_FACTS, _OF_TABLES = "_facts", "_facts_of_tables"
"""The attributes of a model in which facts are cached."""


class Parameter(Record):
    """A named value that users may change."""

    name: str
    expression: Expression
    dimension: Dimension
    options: tuple[str, ...] = ()
    """The words of a choice parameter, whose value is the index of one of them; empty for a number."""
    low: Expression | None = None
    high: Expression | None = None
    unit: str = ""
    note: str = ""
    grade: str = ""
    sources: tuple[str, ...] = ()
    place: str = ""
    fitted_on: tuple[str, ...] = ()
    part: str = ""
    """The catalog part that defines it; empty for parameters of the model itself."""
    path: Path = ()


class Split(Record):
    """How the visits to a station spread over its copies: even, by listed shares, or by a hot group."""

    kind: str
    """`even`, `listed` or `hot`."""
    shares: tuple[Expression, ...] = ()
    hot: Expression | None = None
    share: Expression | None = None
    further: Further = ()


class StationModel(Record):
    """A station as stated."""

    name: str
    servers: Expression
    copies: Expression
    split: Split
    discipline: str
    delay: bool
    follows: str
    path: Path
    rates: tuple[Expression, ...] = ()
    """Relative capacities with 1, 2, ... customers present; empty: those of the servers. Of a formula, the first."""
    rate_formula: Expression | None = None
    """The relative capacity as an expression over the number present, `n`."""
    capacity: Expression | None = None
    """The places of each copy, queue and service together; None: unlimited."""
    further: Further = ()


class BufferModel(Record):
    """A buffer as stated: its places are taken by a fill step and freed by second-phase work."""

    name: str
    places: Expression
    full: str
    """`wait` or `lost`."""
    path: Path
    further: Further = ()


class StepModel(Record):
    """A step as stated: a delay or a service time (`station` empty), a visit or hold with inner steps, parallel
    branches, or a fill."""

    station: str
    time: Expression | None
    steps: tuple[StepModel, ...]
    visits: Expression
    phase: int
    keeps: tuple[str, ...] | None
    priority: int | None
    """None: the priority of the class, at stations that serve by priority."""
    scv: Expression | None
    copy: Expression | None
    path: Path
    time_key: str = "time"
    work: str = ""
    """The kind of work of the step, and of inner steps that state none."""
    branches: tuple[BranchModel, ...] = ()
    """The branches of a parallel step."""
    join: Expression | None = None
    """How many branches must finish; None for all of them."""
    fills: str = ""
    """The buffer whose places it takes; empty for none."""
    drains: str = ""
    """The buffer whose places it frees; empty for none."""
    causes: tuple[str, ...] = ()
    """Known causes of long times of this kind of work."""
    remainder: bool = False
    """Whether its time is the residual of a fit, which no faster station shortens."""
    fitted: str = ""
    """The percentiles to which time and scv were fitted, as `p50 = 12 ms, p99 = 80 ms`; empty for none."""
    further: Further = ()

    @property
    def inner(self) -> tuple[StepModel, ...]:
        """The steps directly inside this one: those of a hold, or of all branches."""
        return (*self.steps, *(step for branch in self.branches for step in branch.steps))


class BranchModel(Record):
    """A branch of a parallel step as stated."""

    name: str
    copies: Expression
    steps: tuple[StepModel, ...]
    path: Path
    further: Further = ()


class RouteModel(Record):
    """A route as stated."""

    name: str
    probability: Expression
    steps: tuple[StepModel, ...]
    path: Path
    further: Further = ()


class ClassModel(Record):
    """A class as stated: open with an arrival rate, or closed with a population and a think time."""

    name: str
    arrival_rate: Expression | None
    population: Expression | None
    think_time: Expression | None
    routes: tuple[RouteModel, ...]
    path: Path
    priority: int | None = None
    """The priority of its steps that state none, at stations that serve by priority."""
    per_copy_of: str = ""
    """The station for each of whose copies there is one such class; empty for a single class."""
    further: Further = ()


THINK, OUTSIDE = "think", "outside"
"""Where customers of closed and of open chains are when they are at no station."""

State = tuple[str, str]
"""A state of the customers of a chain: a class, and a station or `THINK`; or `HOME`."""

HOME: State = ("", "")
"""The state without a class: outside of an open chain, thinking in a closed one."""


class ServiceModel(Record):
    """The service time (or think time) of a chain in one state, as stated."""

    state: State
    time: Expression
    scv: Expression | None
    path: Path
    """The path of the time."""
    further: Further = ()


class OnwardModel(Record):
    """A transition from one state of a chain to another, as stated."""

    origin: State
    target: State
    probability: Expression
    path: Path


class ChainModel(Record):
    """A chain as stated: customers that change class, open or closed."""

    name: str
    arrival_rate: Expression | None
    population: Expression | None
    think_time: Expression | None
    reference: str
    """The station whose visits are the passages; empty: those of `HOME` are."""
    classes: tuple[str, ...]
    services: tuple[ServiceModel, ...]
    onward: tuple[OnwardModel, ...]
    home: str
    """The name of `HOME` in the file: `THINK` or `OUTSIDE`."""
    complete: bool
    """Whether all classes and the routing could be read; else no check reports what may merely be unread."""
    path: Path
    priority: int = 0
    """The priority at stations that serve by priority."""
    further: Further = ()

    def label(self, state: State) -> str:
        """The name of a state in the file."""
        return ".".join(state) if state != HOME else self.home

    def row(self, state: State) -> Path:
        """The path of the row of the routing that leaves a state."""
        return (*self.path, "routing", *(state if state != HOME else (self.home,)))

    @property
    def states(self) -> tuple[State, ...]:
        """All states, `HOME` first where the routing uses it."""
        used = any(HOME in (item.origin, item.target) for item in self.onward)
        return (*((HOME,) if used else ()), *(item.state for item in self.services))

    @property
    def references(self) -> tuple[State, ...]:
        """The states whose visits are the passages."""
        wanted = self.reference or self.home
        return tuple(state for state in self.states if wanted == (self.home if state == HOME else state[1]))


class LimitModel(Record):
    """A capacity that is not a queue, as stated."""

    name: str
    load: Expression
    capacity: Expression
    path: Path
    further: Further = ()


class Output(Record):
    """A named result."""

    name: str
    expression: Expression
    dimension: Dimension
    unit: str
    note: str
    path: Path


class CostModel(Record):
    """A named cost, as stated: busy server time per unit of something."""

    name: str
    of: tuple[str, ...]
    """Names of stations, or `all`."""
    per: Expression
    """Units per passage."""
    class_name: str = ""
    """The class whose passages count; empty for all classes."""
    routes: tuple[str, ...] = ()
    """The routes whose passages count; empty for all of them."""
    work: tuple[str, ...] = ()
    """The kinds of work that count; empty for all work."""
    dimension: Dimension = TIME
    unit: str = ""
    note: str = ""
    path: Path = ()


class EnvelopeModel(Record):
    """A named question of `qnet envelope`, as text that is parsed when it is asked."""

    name: str
    title: str
    vary: str
    limits: tuple[str, ...]
    over: tuple[str, ...]
    settings: dict[str, str]
    route: str
    find: str
    """`largest` or `smallest`; empty: by the direction of the limits."""
    path: Path


class KneeModel(Record):
    """The defaults of `qnet knee`, as text that is parsed when it is asked."""

    vary: str = ""
    limits: tuple[str, ...] = ()


class CalibrationModel(Record):
    """The uncertainty of parameters that were fitted to measurements, as stated."""

    parameters: tuple[str, ...]
    errors: tuple[Expression, ...]
    """The standard error of each parameter, a constant."""
    correlations: tuple[float, ...]
    """Of every pair: the first with the second, the first with the third, ..., the second with the third, ..."""
    freedom: int | None
    """Degrees of freedom of Student's t; None for a normal distribution."""
    undetermined: tuple[str, ...] = ()
    """Fitted parameters that the measurements do not determine."""


class Model(Record):
    """A checked model."""

    name: str
    """The catalog name or path from which it was loaded."""
    title: str
    document: Document
    parameters: dict[str, Parameter]
    """By name, each after those that it uses; those of catalog parts as `namespace.name`."""
    stations: tuple[StationModel, ...]
    classes: tuple[ClassModel, ...]
    chains: tuple[ChainModel, ...]
    limits: tuple[LimitModel, ...]
    outputs: dict[str, Output]
    costs: dict[str, CostModel]
    envelopes: dict[str, EnvelopeModel]
    knee_question: KneeModel
    parts: dict[str, str]
    """The identity of each catalog part, by namespace."""
    settings: dict[str, str]
    """The parameters that were set, each with its new value as text."""
    part_documents: tuple[Document, ...]
    """The files of the parts it uses."""
    origins: dict[str, str | Path]
    """Where parameters that were set have their values from: an option, or a key of the model's file."""
    buffers: tuple[BufferModel, ...] = ()
    calibration: CalibrationModel | None = None

    @property
    def loses(self) -> bool:
        """Whether customers may be lost, at a full station or a full buffer."""
        limited = any(station.capacity is not None for station in self.stations)
        return limited or any(buffer.full == "lost" for buffer in self.buffers)

    @property
    def customers(self) -> tuple[ClassModel | ChainModel, ...]:
        """The classes, then the chains, in the order of a solution's classes."""
        return (*self.classes, *self.chains)

    def with_customers(self, customers: Iterable[ClassModel | ChainModel]) -> Model:
        """The model with other classes and chains, in the order of `customers`."""
        try:
            every: tuple[Any, ...] = tuple(customers)
        except TypeError:
            every = (customers,)
        if odd := [item for item in every if not isinstance(item, ClassModel | ChainModel)]:
            text = f"customers are {short(repr(odd[0]))}"
            raise UsageError(Problem("QN753", text, "classes and chains, as in system.customers"))
        classes = tuple(item for item in every if isinstance(item, ClassModel))
        return self.replace(classes=classes, chains=tuple(item for item in every if isinstance(item, ChainModel)))

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of a hash of the model's text, the texts of its parts, and the settings."""
        settings = [f"{name}={value}" for name, value in sorted(self.settings.items())]
        parts = [item.digest for item in self.part_documents]
        text = "\n".join([self.document.text, *parts, *settings])
        return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]

    def refusal(self, problem: Problem, names: Iterable[str]) -> QnetError:
        """The error for a number outside its domain, which blames the options it depends on, or else the file.

        names    the parameters that the number is computed from.
        Returns  `UsageError` where an option set one of them, else `InvalidInput`.
        """
        origins = self._origins(names)
        options = [origin for origin in origins if isinstance(origin, str)]
        if options:
            path = () if problem.path[:1] == ("parameters",) else problem.path
            return UsageError(problem.replace(file=", ".join(options), path=path))
        path = origins[0] if origins else problem.path
        return InvalidInput(self.document.located(problem.replace(path=path)))

    def _origins(self, names: Iterable[str]) -> list[str | Path]:
        """The origins of all settings on which some parameters depend."""
        result: dict[str | Path, None] = {}
        pending, visited = list(names), set[str]()
        while pending:
            name = pending.pop()
            if name in self.origins:
                result[self.origins[name]] = None
            elif name in self.parameters and name not in visited:
                pending += self.parameters[name].expression.names
            visited.add(name)
        return list(result)

    def set_to(
        self, parameters: dict[str, Parameter], settings: dict[str, str], origins: dict[str, str | Path]
    ) -> Model:
        """The model with other expressions of the same parameters.

        settings, origins   the attributes of the result.
        """
        result = self.replace(parameters=parameters, settings=settings, origins=origins)
        result.__dict__[_OF_TABLES] = self.__dict__.setdefault(_OF_TABLES, {})
        return result

    @cached_property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """The options of every choice parameter."""
        return {name: parameter.options for name, parameter in self.parameters.items() if parameter.options}

    @cached_property
    def dimensions(self) -> dict[str, Dimension]:
        """The dimension of every parameter that is not a choice."""
        return {name: parameter.dimension for name, parameter in self.parameters.items() if not parameter.options}


def require_models(systems: Iterable[Any]) -> None:
    """Raise `UsageError` QN753 unless all `systems` to be compared are models."""
    for system in systems:
        if not isinstance(system, Model):
            raise UsageError(Problem("QN753", f"a system to compare with is {system!r}", "what qnet.load() returns"))


def fact(function: Callable[[Model], _Fact]) -> Callable[[Model], _Fact]:
    """Cache the result of a function of a model alone on that model; callers must not change the result."""
    return _cached(function, _FACTS)


def fact_of_tables(function: Callable[[Model], _Fact]) -> Callable[[Model], _Fact]:
    """As `fact`, for a function that does not look at parameters: models with other settings share the result."""
    return _cached(function, _OF_TABLES)


def _cached(function: Callable[[Model], _Fact], kept: str) -> Callable[[Model], _Fact]:
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def cached(model: Model) -> _Fact:
        facts = model.__dict__.setdefault(kept, {})
        if name not in facts:
            facts[name] = function(model)
        return facts[name]

    return cached
