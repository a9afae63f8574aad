"""The keys of the model language, in one table: the loader, the checker, the JSON Schema and the help all read it."""

from __future__ import annotations

from qnet.catalog.grades import GRADES
from qnet.record import Record
from qnet.units import NUMBER, RATE, TIME, Dimension


class Field(Record):
    """One key of a table of the language.

    `kind` is how its value is read: `expression` (a number or a string), `text`, `word` (one of `options`),
    `names` (a text or a list of texts), `integer` (a literal from `low` to `high`), `flag`, or `other` (the loader has
    a separate function for it).
    """

    kind: str
    help: str
    dimension: Dimension | None = None
    """The dimension of an expression; None: any."""
    required: bool = False
    default: float | str | None = None
    options: tuple[str, ...] = ()
    low: float | None = None
    """The least value an expression may take."""
    high: float | None = None
    integer: bool = False
    """Whether the value must be an integer, the same for all points that are solved together."""
    attribute: str | None = ""
    """The attribute with its value, in the records of the model and of the network; empty: named like the key. None: no
    attribute, because the loader derives others from it."""
    needs: tuple[str, ...] = ()
    """Keys of the table, of which one must be stated with it."""
    excludes: tuple[tuple[str, str], ...] = ()
    """Keys of the table that must not be stated with it, each with the reason or an empty text; `{}` in a reason is
    the value of the other key."""
    inside: bool = False
    """Whether it may depend on the number of customers that hold the stations around it."""
    explains: bool = False
    """Whether it only documents the model: no figure depends on it."""


_SCV = Field("expression", "squared coefficient of variation: 0 constant, 1 exponential", NUMBER, default=1, low=0)
_ARRIVAL_SCV = Field(
    "expression",
    "squared coefficient of variation of interarrival times: 0 constant, 1 Poisson, above 1 bursty",
    NUMBER,
    low=0,
    needs=("arrival_rate",),
)
_VISITS = Field("expression", "mean number of visits", NUMBER, default=1, low=0, inside=True)
_PHASE = Field("integer", "1: part of the response; 2: second-phase work, after it", default=1, low=1, high=2)
_KEEPS = Field("names", "phase 2: the enclosing holds that remain held (default: all)")
_PRIORITY = Field(
    "integer", "the highest is served first, at stations that serve by priority", default=0, low=-99, high=99
)
_NOTE = Field("text", "a remark", explains=True)
_AT_STATIONS = ("station", "hold")
_INFINITE = "a delay has an infinite number of servers"
_FOLLOWED = 'copies and split are those of "{}"'

TABLES: dict[str, dict[str, Field]] = {
    "model": {
        "qnet": Field("other", "version of the language: 1", required=True),
        "title": Field("text", "title of the model", required=True),
        "note": _NOTE,
        "uses": Field("other", "catalog parts, each a namespace of parameters"),
        "parameters": Field("other", "named values, which -p, --over and --vary may change"),
        "stations": Field("other", "the service centres", required=True),
        "classes": Field("other", "the customers and their routes"),
        "chains": Field("other", "chains: customers that change class"),
        "buffers": Field("other", "buffers: places taken by a fill and freed by second-phase work"),
        "limits": Field("other", "capacities that are not queues"),
        "outputs": Field("other", "named results, as expressions over parameters and the solution"),
        "costs": Field("other", "named costs for qnet cost"),
        "envelopes": Field("other", "named questions for qnet envelope"),
        "knee": Field("other", "defaults of qnet knee"),
        "calibration": Field("other", "how well fitted parameters are known, as qnet calibrate --write states it"),
    },
    "parameter": {
        "value": Field("expression", "the value, or an expression over other parameters", required=True),
        "options": Field("names", "the words a choice parameter may take"),
        "range": Field("other", "[least, greatest] value allowed"),
        "unit": Field("text", "the unit it is shown in"),
        "note": _NOTE,
        "grade": Field("word", "grade: how well it is known", options=tuple(GRADES)),
        "source": Field("names", "key of a source in the catalog, or a list of keys"),
        "place": Field("text", "where in the source, such as a page or table"),
        "fitted_on": Field("names", "the claims a fitted value was fitted to"),
    },
    "station": {
        "servers": Field(
            "expression",
            "servers of each copy",
            NUMBER,
            default=1,
            low=1,
            high=1e6,
            integer=True,
            excludes=(("rates", ""), ("delay", _INFINITE)),
        ),
        "rates": Field(
            "other",
            "relative capacity with 1, 2, ... customers present, the last repeats, or a formula of the number n; "
            "without servers",
            excludes=(("delay", _INFINITE),),
        ),
        "capacity": Field(
            "expression",
            "places of each copy, queue and service together (default: unlimited)",
            NUMBER,
            low=1,
            high=1e6,
            integer=True,
            excludes=(("delay", _INFINITE), ("follows", "")),
        ),
        "discipline": Field(
            "word",
            "queueing discipline",
            default="fcfs",
            options=("fcfs", "ps", "lcfs-pr", "priority", "preemptive"),
            excludes=(("delay", _INFINITE),),
        ),
        "delay": Field("flag", "infinite server: no queueing"),
        "copies": Field(
            "expression",
            "identical stations that share the work",
            NUMBER,
            default=1,
            low=1,
            high=1e6,
            integer=True,
            excludes=(("follows", _FOLLOWED),),
        ),
        "split": Field(
            "other",
            'distribution of visits over the copies: "even", a list of shares, or { hot = n, share = s }',
            excludes=(("follows", _FOLLOWED),),
        ),
        "follows": Field("text", "the station whose chosen copy is also the copy used here"),
        "note": _NOTE,
    },
    "buffer": {
        "places": Field("expression", "number of places", NUMBER, required=True, low=1, high=1e12),
        "full": Field(
            "word",
            "when full: customers wait for a place (blocking), or are lost",
            default="wait",
            options=("wait", "lost"),
        ),
        "note": _NOTE,
    },
    "split": {
        "hot": Field("expression", "number of hot copies, the first ones", NUMBER, required=True, low=1, integer=True),
        "share": Field(
            "expression",
            "share of all visits that goes to the hot copies together",
            NUMBER,
            required=True,
            low=0,
            high=1,
        ),
    },
    "class": {
        "arrival_rate": Field("expression", "arrival rate of an open class", RATE, low=0),
        "arrival_scv": _ARRIVAL_SCV,
        "population": Field("expression", "customers of a closed class", NUMBER, low=0, high=1e15),
        "think_time": Field(
            "expression",
            "time between a response and the next request of a closed class",
            TIME,
            low=0,
            needs=("population",),
        ),
        "priority": _PRIORITY,
        "per_copy_of": Field(
            "text",
            "one such class for each copy of this station, which visits that copy only; population or arrival_rate is "
            "that of one copy",
        ),
        "routes": Field("other", "routes, with probabilities"),
        "steps": Field("other", "steps of the only route"),
        "note": _NOTE,
    },
    "chain": {
        "arrival_rate": Field("expression", "arrival rate of an open chain", RATE, low=0),
        "arrival_scv": _ARRIVAL_SCV,
        "population": Field("expression", "customers of a closed chain, in all its classes", NUMBER, low=0, high=1e15),
        "think_time": Field(
            "expression", "think time of a closed chain, common to its classes", TIME, low=0, needs=("population",)
        ),
        "reference": Field(
            "text", 'reference of a closed chain, whose visits count as passages: a station (default: "think")'
        ),
        "priority": _PRIORITY,
        "classes": Field("other", "the classes of the chain", required=True),
        "routing": Field(
            "other",
            "from each CLASS.STATION, and from think or outside, the probabilities of the next state",
            required=True,
        ),
        "note": _NOTE,
    },
    "chain class": {
        "service": Field("other", "service time of each visit by station; under think, its think time", required=True),
        "note": _NOTE,
    },
    "service": {
        "time": Field("expression", "service time of a visit", TIME, required=True, low=0),
        "scv": _SCV,
        "note": _NOTE,
    },
    "route": {
        "name": Field("text", "name of the route", required=True, explains=True),
        "probability": Field(
            "expression", "probability of the route; those of a class sum to 1", NUMBER, required=True, low=0, high=1
        ),
        "steps": Field("other", "steps in order", required=True),
        "note": _NOTE,
    },
    "step": {
        "delay": Field(
            "expression", "delay without queueing; scv as for time", TIME, low=0, attribute=None, inside=True
        ),
        "station": Field("text", "wait for a server of this station, be served for `time`, leave"),
        "time": Field(
            "expression",
            "service time, at `station` or at the innermost hold",
            TIME,
            low=0,
            attribute=None,
            inside=True,
        ),
        "hold": Field(
            "text", "wait for a server of this station and keep it while the inner steps run", attribute=None
        ),
        "steps": Field("other", "the inner steps of a hold"),
        "parallel": Field("other", "branches that start together, each a table with steps"),
        "join": Field(
            "expression",
            "branches that must finish before the next step (default: all)",
            NUMBER,
            low=1,
            integer=True,
            needs=("parallel",),
        ),
        "fill": Field(
            "text", "wait for a place of this buffer and take it, `visits` of them on average", attribute="fills"
        ),
        "drains": Field(
            "text",
            "phase 2: the buffer whose places, taken by this passage, are freed when the step ends",
            needs=_AT_STATIONS,
        ),
        "visits": _VISITS,
        "phase": _PHASE,
        "keeps": _KEEPS,
        "priority": Field(
            "integer", "highest first (default: that of the class, or 0)", low=-99, high=99, needs=_AT_STATIONS
        ),
        "exempt": Field(
            "expression",
            "share of the visits that have priority 0",
            NUMBER,
            default=0,
            low=0,
            high=1,
            needs=_AT_STATIONS,
        ),
        "scv": _SCV,
        "percentiles": Field(
            "other",
            "instead of time and scv: two percentiles of the service time, to which a lognormal distribution is fitted",
            TIME,
            low=0,
        ),
        "work": Field("text", "kind of work of the step and all inside it, which a cost can select", explains=True),
        "causes": Field(
            "names",
            "with work: known causes of long times, which qnet why reports if it dominates",
            needs=("work",),
            explains=True,
        ),
        "remainder": Field("flag", "with time: residual of a fit, not shortened by a faster station", explains=True),
        "copy": Field(
            "expression", "the number of the copy to use, from 1", NUMBER, low=1, integer=True, needs=_AT_STATIONS
        ),
        "note": _NOTE,
    },
    "branch": {
        "steps": Field("other", "steps of the branch, in order", required=True),
        "copies": Field(
            "expression",
            "number of such branches; at a station of several copies each takes a different one",
            NUMBER,
            default=1,
            low=1,
            high=1000,
            integer=True,
        ),
        "name": Field("text", "name of the branch in reports", explains=True),
        "note": _NOTE,
    },
    "limit": {
        "load": Field("expression", "load", required=True, low=0),
        "capacity": Field("expression", "capacity, in the same unit", required=True, low=0),
        "note": _NOTE,
    },
    "output": {
        "value": Field(
            "expression", "an expression over parameters, throughput, response and figures of stations", required=True
        ),
        "unit": Field("text", "the unit it is shown in"),
        "note": _NOTE,
    },
    "cost": {
        "of": Field("names", 'station whose busy server time counts, a list of them, or "all" queues', required=True),
        "per": Field("expression", "units per passage, such as page moves per command", default=1, low=0),
        "work": Field("names", "kinds of work that count (default: all)"),
        "class": Field("text", "class whose passages count (default: all)", attribute="class_name"),
        "routes": Field("names", "routes whose passages count (default: all)"),
        "unit": Field("text", "display unit, such as us, or ms/MB"),
        "note": _NOTE,
    },
    "envelope": {
        "title": Field("text", "title of the envelope"),
        "vary": Field("text", "the parameter to maximize or minimize", required=True),
        "limit": Field(
            "names", "limit, such as response <= 10 ms, or a list: all must hold", required=True, attribute="limits"
        ),
        "find": Field(
            "word", "largest or smallest (default: by the direction of the limits)", options=("largest", "smallest")
        ),
        "over": Field("names", "the grid, such as write_fraction = 0:0.5:0.1, or a list of them"),
        "set": Field("other", "values of parameters for this envelope"),
        "route": Field("text", "the route whose response time is limited"),
    },
    "knee": {
        "vary": Field("text", "the parameter of the load (default: all parameters of populations)"),
        "limit": Field("names", "the service levels, such as response <= 1 s", required=True, attribute="limits"),
    },
    "calibration": {
        "parameters": Field("names", "the fitted parameters", required=True),
        "standard_errors": Field("other", "the standard error of each of them, with its unit", required=True),
        "correlations": Field(
            "other",
            "of each pair: the first with the second, the first with the third, ..., the second with the third, ...; "
            "default 0",
        ),
        "degrees_of_freedom": Field(
            "integer", "degrees of freedom of Student's t (default: normal distribution)", low=1, high=10**9
        ),
        "not_determined": Field("names", "fitted parameters that the measurements do not determine"),
        "note": _NOTE,
    },
}

BY_PRIORITY = ("priority", "preemptive")
"""The disciplines that use the priority of a class."""

SHARE = Field("expression", "share of the visits that goes to one copy", NUMBER, low=0, high=1)
"""One entry of a `split` that lists shares."""

ONWARD = Field("expression", "probability of the next state", NUMBER, low=0, high=1)
"""One entry of the `routing` of a chain."""

RATES = Field("expression", "relative capacity, 1 for one server", NUMBER, low=0, high=1e9)
"""One entry of `rates`."""

SOLUTION_DIMENSIONS: dict[str, Dimension] = {
    "wait": TIME,
    "residence": TIME,
    "utilization": NUMBER,
    "queue_length": NUMBER,
    "busy_servers": NUMBER,
    "response": TIME,
    "throughput": RATE,
    "offered": RATE,
    "loss": NUMBER,
    "occupancy": NUMBER,
    "found_full": NUMBER,
    "delay_when_full": TIME,
    "time_to_fill": TIME,
    "drain_rate": RATE,
}
"""Dimension of each figure of the solution that expressions may use."""

RESERVED = ("throughput", "response")
"""Figures of the system, by these bare names in outputs and limits."""

LOST = ("offered", "loss")
"""Further figures of a system that may lose customers: the arrival rate, and the loss probability."""

OF_BUFFERS = ("occupancy", "found_full", "delay_when_full", "time_to_fill", "drain_rate")
"""Figures of a buffer, by its name."""
