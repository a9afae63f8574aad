"""What every metric means: the table behind `qnet help metrics`."""

from __future__ import annotations

from qnet.expression.names import MAX_THROUGHPUT
from qnet.model.fields import SOLUTION_DIMENSIONS
from qnet.record import Record
from qnet.units import NUMBER, RATE, TIME, Dimension


class MetricDefinition(Record):
    """One metric: what it is of, and its definition."""

    of: str
    """What may be named in parentheses; empty where nothing is."""
    meaning: str


FIGURES: dict[str, MetricDefinition] = {
    "response": MetricDefinition("class, route, chain",
        "Response time: mean time from arrival to completion, think time excluded. Without a name: mean over all "
        "passages of all classes."),
    "throughput": MetricDefinition("class, route, chain",
        "Throughput: completed passages per second. Without a name: of all classes together."),
    "residence": MetricDefinition("station",
        "Residence time: the part of the response time spent at a station, over all visits of a passage, waiting "
        "included. Inside a hold it counts at the innermost station that is held."),
    "wait": MetricDefinition("station",
        "Waiting time: mean time in the queue of one visit, before service begins."),
    "utilization": MetricDefinition("station",
        "Utilization: mean fraction of the servers that are busy, 0 to 1; with rates, mean rate over the largest. Of "
        "copies with unequal shares: of the busiest copy."),
    "queue_length": MetricDefinition("station",
        "Queue length: mean number of customers at a station, those in service included."),
    "busy_servers": MetricDefinition("station",
        "Mean number of busy servers; at a delay station the mean number of customers there."),
    "offered": MetricDefinition("class, route, chain, station",
        "Offered rate: arrivals per second, those that are lost included. In models that may lose customers."),
    "loss": MetricDefinition("class, route, chain, station",
        "Loss probability: fraction of the arrivals that are lost. In models that may lose customers."),
    "occupancy": MetricDefinition("buffer",
        "Mean number of places of a buffer that are taken."),
    "found_full": MetricDefinition("buffer",
        "Probability that a request for places has to wait, or is lost, because too few are free."),
    "delay_when_full": MetricDefinition("buffer",
        "Mean waiting time for places of the requests that have to wait."),
    "time_to_fill": MetricDefinition("buffer",
        "Time from empty to full at the present rates, if arrivals exceed what is drained."),
    "drain_rate": MetricDefinition("buffer",
        "Capacity of the drain: places per second that can be freed at most."),
}  # fmt: skip
"""By name; the same names as in `SOLUTION_DIMENSIONS`."""

PERCENTILE = MetricDefinition("class, route, chain",
    "Percentile of response time: the time within which 95 % of the passages complete; p50, p99, p99_9 and so on "
    "likewise. Assumes independent times at stations (qnet help trust).")  # fmt: skip
WAIT_PERCENTILE = MetricDefinition(
    "station",
    "Percentile of waiting time: the time within which service begins for 80 % of the visits; p50, p99 and so on "
    "likewise. Exact, in networks of product form with service in order of arrival there.",
)
MAXIMUM = MetricDefinition("",
    "Saturation throughput: the limit of the throughput for more arrivals, or for more customers of one closed class. "
    "Undefined with several closed classes, both kinds of classes, or losses.")  # fmt: skip
INSIDE = MetricDefinition("station",
    "Mean number of customers that hold the station, which is a delay where none is to wait for it. In times and "
    "visits of the steps inside the hold: the number present.")  # fmt: skip


def every_figure() -> list[tuple[str, Dimension, MetricDefinition]]:
    """Name, dimension and definition of all metrics of expressions."""
    rows = [(name, SOLUTION_DIMENSIONS[name], figure) for name, figure in FIGURES.items()]
    behind = [*FIGURES].index("wait") + 1
    rows[behind:behind] = [("wait_p80", TIME, WAIT_PERCENTILE)]
    ends = [(MAX_THROUGHPUT, RATE, MAXIMUM), ("inside", NUMBER, INSIDE)]
    return [*rows[:1], ("response_p95", TIME, PERCENTILE), *rows[1:], *ends]


def unit_of(dimension: Dimension) -> str:
    """The base unit of a metric, as shown to users: `s`, `/s`, or `number` for any other `dimension`."""
    return {TIME: "s", RATE: "/s"}.get(dimension, "number")
