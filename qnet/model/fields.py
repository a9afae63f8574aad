"""The words of the model language, in one table: the loader, the checker, the JSON Schema and the help all read it."""

from __future__ import annotations

from qnet.catalog.grades import GRADES
from qnet.record import Record
from qnet.units import NUMBER, RATE, TIME, Dimension


class Field(Record):
    """One key of a table of the language.

    `kind` is how its value is read: `expression` (a number or a string), `text`, `word` (one of `options`),
    `names` (a text or a list of texts), `integer` (a literal from `low` to `high`), `flag`, or `other` (the loader has
    a function of its own for it).
    """

    kind: str
    help: str
    dimension: Dimension | None = None
    """Of an expression; None where any dimension will do."""
    required: bool = False
    default: float | str | None = None
    options: tuple[str, ...] = ()
    low: float | None = None
    """The least value an expression may take."""
    high: float | None = None
    whole: bool = False
    """Whether the value must be a whole number, the same for all points that are solved together."""


_SCV = Field("expression", "squared coefficient of variation: 0 constant, 1 exponential", NUMBER, default=1, low=0)
_ARRIVAL_SCV = Field(
    "expression",
    "squared coefficient of variation of the gaps between arrivals: 0 evenly spaced, 1 Poisson, more for bursts",
    NUMBER,
    low=0,
)
_VISITS = Field("expression", "mean number of times the step is made", NUMBER, default=1, low=0)
_PHASE = Field("integer", "1: part of the response; 2: work left after it", default=1, low=1, high=2)
_KEEPS = Field("names", "phase 2: the enclosing holds that stay held; all of them if left out")
_PRIORITY = Field(
    "integer", "the highest is served first, at stations that serve by priority", default=0, low=-99, high=99
)
_NOTE = Field("text", "a remark")

TABLES: dict[str, dict[str, Field]] = {
    "model": {
        "qnet": Field("other", "version of the language: 1", required=True),
        "title": Field("text", "what the model is of", required=True),
        "note": _NOTE,
        "uses": Field("other", "catalog parts, each a namespace of parameters"),
        "parameters": Field("other", "named values, which -p, --vary and --over may change"),
        "stations": Field("other", "the service centres", required=True),
        "classes": Field("other", "the customers and their routes"),
        "chains": Field("other", "customers who change between classes on their way"),
        "buffers": Field("other", "stores of places that are taken on the way and freed by work left behind"),
        "limits": Field("other", "capacities that are not queues"),
        "outputs": Field("other", "named results, as expressions over parameters and the solution"),
        "costs": Field("other", "named costs for qnet cost"),
        "envelopes": Field("other", "named questions for qnet envelope"),
        "knee": Field("other", "what qnet knee asks where nothing else is asked for"),
        "calibration": Field("other", "how well fitted parameters are known, as qnet calibrate --write states it"),
    },
    "parameter": {
        "value": Field("expression", "the value, or an expression over other parameters", required=True),
        "options": Field("names", "the words a choice parameter may take"),
        "range": Field("other", "[least, greatest] value allowed"),
        "unit": Field("text", "the unit it is shown in"),
        "note": _NOTE,
        "grade": Field("word", "how well it is known", options=tuple(GRADES)),
        "source": Field("names", "key of a source in the catalog, or a list of keys"),
        "place": Field("text", "where in the source"),
        "fitted_on": Field("names", "the claims a fitted value was fitted on"),
    },
    "station": {
        "servers": Field("expression", "servers of each copy", NUMBER, default=1, low=1, high=1e6, whole=True),
        "rates": Field(
            "other", "relative capacity with 1, 2, ... customers present, the last repeats; without servers"
        ),
        "capacity": Field(
            "expression",
            "places of each copy, in queue and in service together; all that come if left out",
            NUMBER,
            low=1,
            high=1e6,
            whole=True,
        ),
        "discipline": Field(
            "word", "order of service", default="fcfs", options=("fcfs", "ps", "lcfs-pr", "priority", "preemptive")
        ),
        "delay": Field("flag", "as many servers as customers: no queue"),
        "copies": Field(
            "expression", "identical stations that share the work", NUMBER, default=1, low=1, high=1e6, whole=True
        ),
        "split": Field(
            "other", 'how visits spread over the copies: "even", a list of shares, or { hot = n, share = s }'
        ),
        "follows": Field("text", "the station whose chosen copy is also the copy used here"),
        "note": _NOTE,
    },
    "buffer": {
        "places": Field("expression", "how many places it has", NUMBER, required=True, low=1, high=1e12),
        "full": Field(
            "word",
            "those who find it full wait until a place is free, or are lost",
            default="wait",
            options=("wait", "lost"),
        ),
        "note": _NOTE,
    },
    "split": {
        "hot": Field("expression", "number of hot copies, the first ones", NUMBER, required=True, low=1, whole=True),
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
        "arrival_rate": Field("expression", "arrivals per second of an open class", RATE, low=0),
        "arrival_scv": _ARRIVAL_SCV,
        "population": Field("expression", "customers of a closed class", NUMBER, low=0, high=1e15),
        "think_time": Field(
            "expression", "time between a response and the next request of a closed class", TIME, low=0
        ),
        "priority": _PRIORITY,
        "routes": Field("other", "the ways through the network, with probabilities"),
        "steps": Field("other", "the only way through the network"),
        "note": _NOTE,
    },
    "chain": {
        "arrival_rate": Field("expression", "arrivals per second of an open chain", RATE, low=0),
        "arrival_scv": _ARRIVAL_SCV,
        "population": Field("expression", "customers of a closed chain, in all its classes", NUMBER, low=0, high=1e15),
        "think_time": Field(
            "expression", "time of each visit to think, which forgets the class, in a closed chain", TIME, low=0
        ),
        "reference": Field(
            "text", 'whose visits are the passages of a closed chain: a station, or "think", as if left out'
        ),
        "priority": _PRIORITY,
        "classes": Field("other", "the classes between which its customers change", required=True),
        "routing": Field(
            "other",
            "from each CLASS.STATION, and from think or outside, the probabilities of what comes next",
            required=True,
        ),
        "note": _NOTE,
    },
    "chain class": {
        "service": Field(
            "other", "by station, the service time of each visit; by think, the time it thinks", required=True
        ),
        "note": _NOTE,
    },
    "service": {
        "time": Field("expression", "service time of a visit", TIME, required=True, low=0),
        "scv": _SCV,
        "note": _NOTE,
    },
    "route": {
        "name": Field("text", "name of the route", required=True),
        "probability": Field("expression", "share of the class that takes it", NUMBER, required=True, low=0, high=1),
        "steps": Field("other", "what happens on the way, in order", required=True),
        "note": _NOTE,
    },
    "step": {
        "delay": Field("expression", "time that passes without queueing", TIME, low=0),
        "station": Field("text", "wait for a server of this station, be served for `time`, leave"),
        "time": Field("expression", "service time, at `station` or at the innermost hold", TIME, low=0),
        "hold": Field("text", "wait for a server of this station and keep it while the inner steps run"),
        "steps": Field("other", "the inner steps of a hold"),
        "parallel": Field("other", "branches that start together, each a table with steps"),
        "join": Field(
            "expression",
            "how many branches must finish before the next step; all of them if left out",
            NUMBER,
            low=1,
            whole=True,
        ),
        "fill": Field("text", "wait for a place of this buffer and take it, `visits` of them on average"),
        "drains": Field(
            "text",
            "phase 2: the buffer of which the places that this passage took are free when the step is done",
        ),
        "visits": _VISITS,
        "phase": _PHASE,
        "keeps": _KEEPS,
        "priority": Field(
            "integer", "the highest is served first; that of the class if left out, or 0", low=-99, high=99
        ),
        "exempt": Field(
            "expression", "share of the visits that have priority 0 all the same", NUMBER, default=0, low=0, high=1
        ),
        "scv": _SCV,
        "work": Field("text", "the kind of work that it is, and all inside it, which a cost may pick"),
        "causes": Field("names", "beside work: what is known to make it long, which qnet why tells where it dominates"),
        "remainder": Field(
            "flag", "beside time: what a fit leaves, time that no part is known to take; no faster station shortens it"
        ),
        "copy": Field("expression", "the number of the copy to use, from 1", NUMBER, low=1, whole=True),
        "note": _NOTE,
    },
    "branch": {
        "steps": Field("other", "what happens in the branch, in order", required=True),
        "copies": Field(
            "expression",
            "how many such branches start; at a station of several copies each takes another one",
            NUMBER,
            default=1,
            low=1,
            high=1000,
            whole=True,
        ),
        "name": Field("text", "name of the branch in reports"),
        "note": _NOTE,
    },
    "limit": {
        "load": Field("expression", "what is asked of it", required=True, low=0),
        "capacity": Field("expression", "what it can give, in the same unit", required=True, low=0),
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
        "of": Field("names", 'whose busy server time it is: a station, a list of them, or "all" queues', required=True),
        "per": Field(
            "expression", "units per passage, such as page moves per command; else per passage", default=1, low=0
        ),
        "work": Field("names", "the kinds of work that count, as steps state them; all work if left out"),
        "class": Field("text", "the class whose passages count; all classes if left out"),
        "routes": Field("names", "the routes whose passages count; all of them if left out"),
        "unit": Field("text", "the unit it is shown in, such as us, or ms/MB"),
        "note": _NOTE,
    },
    "envelope": {
        "title": Field("text", "what the envelope shows"),
        "vary": Field("text", "the parameter whose largest or smallest value is looked for", required=True),
        "limit": Field("names", "what must hold, such as response <= 10 ms, or a list: all must", required=True),
        "find": Field(
            "word", "which value; if left out, the one that the limits stop", options=("largest", "smallest")
        ),
        "over": Field("names", "the grid, such as write_fraction = 0:0.5:0.1, or a list of them"),
        "set": Field("other", "values of parameters for this envelope"),
        "route": Field("text", "the route whose response the limit is about"),
    },
    "knee": {
        "vary": Field("text", "the parameter that brings the customers; if left out, everything that does"),
        "limit": Field("names", "the service levels, such as response <= 1 s", required=True),
    },
    "calibration": {
        "parameters": Field("names", "the fitted parameters", required=True),
        "standard_errors": Field("other", "the standard error of each of them, with its unit", required=True),
        "correlations": Field(
            "other",
            "of each pair: the first with the second, the first with the third, ..., the second with the third, ...; "
            "0 if left out",
        ),
        "degrees_of_freedom": Field(
            "integer", "of Student's t for intervals; a normal distribution if left out", low=1, high=10**9
        ),
        "not_determined": Field("names", "parameters that were fitted, and that the measurements do not determine"),
        "note": _NOTE,
    },
}

BY_PRIORITY = ("priority", "preemptive")
"""The disciplines that heed the priority of a class."""

SHARE = Field("expression", "share of the visits that goes to one copy", NUMBER, low=0, high=1)
"""One entry of a `split` that lists shares."""

ONWARD = Field("expression", "probability of what comes next", NUMBER, low=0, high=1)
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
"""Figures of the whole system, by these bare names in outputs and limits."""

LOST = ("offered", "loss")
"""The same of a system that may lose customers: arrivals per second, and the share of them that is lost."""

OF_BUFFERS = ("occupancy", "found_full", "delay_when_full", "time_to_fill", "drain_rate")
"""Figures by name of a buffer."""
