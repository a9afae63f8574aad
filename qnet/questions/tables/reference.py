"""Reference tables as text, for `qnet help`: keys, functions, units, methods, metrics, columns."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING

from qnet.expression.names import FUNCTIONS, MAX_THROUGHPUT
from qnet.lazy import lazy
from qnet.model.fields import SOLUTION_DIMENSIONS, TABLES, Field
from qnet.question import Answer
from qnet.questions.presentation.schemas import columns_of
from qnet.record import Record
from qnet.units import NUMBER, RATE, TIME, UNIT_NAMES, Dimension, base_unit, unit

if TYPE_CHECKING:
    from qnet.networks import measured_errors
    from qnet.questions.tables import methods_report
else:
    measured_errors = lazy("qnet.networks.measured_errors")
    methods_report = lazy("qnet.questions.tables.methods_report")


class MetricDefinition(Record):
    """The definition of a metric."""

    of: str
    """What may be named in parentheses, such as a station; empty for nothing."""
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
"""The metrics by name; the names are those of `SOLUTION_DIMENSIONS`."""

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
    after_wait = [*FIGURES].index("wait") + 1
    rows[after_wait:after_wait] = [("wait_p80", TIME, WAIT_PERCENTILE)]
    ends = [(MAX_THROUGHPUT, RATE, MAXIMUM), ("inside", NUMBER, INSIDE)]
    return [*rows[:1], ("response_p95", TIME, PERCENTILE), *rows[1:], *ends]


def unit_of(dimension: Dimension) -> str:
    """The base unit of a metric, as shown to users: `s`, `/s`, or `number` for any other `dimension`."""
    return {TIME: "s", RATE: "/s"}.get(dimension, "number")


WIDTH = 76
"""Columns of text: a plain terminal less a margin."""
SECTIONS = {
    "model": "Top level",
    "parameter": "[parameters]: NAME = value, or NAME = { value = ..., ... }",
    "station": "[stations]: NAME = { ... }",
    "split": "split = { ... } of a station",
    "buffer": "[buffers]: NAME = { ... }",
    "class": "[classes.NAME]",
    "route": "[[classes.NAME.routes]]",
    "step": "steps = [ { ... }, ... ]",
    "branch": "parallel = [ { ... }, ... ] of a step",
    "chain": "[chains.NAME]",
    "chain class": "[chains.NAME.classes]: CLASS = { ... }",
    "service": "service = { STATION = { ... } }, or STATION = time",
    "limit": "[limits]: NAME = { ... }",
    "output": "[outputs]: NAME = expression, or NAME = { value = ..., ... }",
    "cost": "[costs.NAME]",
    "envelope": "[envelopes.NAME]",
    "knee": "[knee]",
    "calibration": "[calibration]",
}
"""The form of each table of the language in a file."""


def keys_text() -> str:
    """Every key of the model language, from the table that the loader reads."""
    blocks: list[str] = []
    for table, fields in TABLES.items():
        rows = [(key, _field_text(field)) for key, field in fields.items()]
        blocks.append("\n".join([SECTIONS[table], two_columns(rows, 20)]))
    return "\n\n".join(blocks)


def _field_text(field: Field) -> str:
    """The meaning of a key, whether it is required, its default and its range."""
    remarks = ["required"] if field.required else []
    if field.default is not None:
        remarks.append(f"default {field.default}")
    if field.options:
        remarks.append("one of " + ", ".join(field.options))
    if field.low is not None and field.high is not None:
        remarks.append(f"{field.low:g} to {field.high:g}")
    elif field.low is not None:
        remarks.append(f"at least {field.low:g}")
    return field.help + (f" ({'; '.join(remarks)})" if remarks else "")


def functions_text() -> str:
    """Every function of expressions."""
    return two_columns([(name, function.help) for name, function in FUNCTIONS.items()], 20)


def units_text() -> str:
    """Every unit with its size in base units."""
    groups: dict[str, list[str]] = {}
    for name in sorted(UNIT_NAMES, key=lambda item: (unit(item).factor, item)):
        if name.isascii():
            known = unit(name)
            base = {"s": "times", "B": "data", "/s": "rates"}.get(base_unit(known.dimension), "numbers")
            groups.setdefault(base, []).append(f"{name} = {known.factor:.12g} {base_unit(known.dimension)}")
    groups["numbers"] = ["% = 0.01"]
    return two_columns([(group, ", ".join(names)) for group, names in groups.items()], 10)


def methods_text() -> str:
    """Every solution method with what it applies to and its cost."""
    lines: list[str] = []
    trust = ""
    for row in methods_report.methods_report().rows:
        if row[0] != trust:
            trust = str(row[0])
            lines += ["", trust] if lines else [trust]
        lines.append(two_columns([(str(row[1]), f"{row[2]}: {row[3]}. Cost: {row[4]}.")], 20))
    return "\n".join(lines)


def errors_text() -> str:
    """The measured errors of throughput, response and percentiles by feature, with the codes of their warnings."""
    groups: dict[str, list[measured_errors.MeasuredError]] = {}
    for row in measured_errors.MEASURED.values():
        if row.trusted and row.quantity in ("throughput", "response", "percentile"):
            feature = row.name.partition(":")[0]
            method = row.method.partition(", ")[0]
            groups.setdefault(f"{feature}, {method}" if feature == "product form" else feature, []).append(row)
    lines = [f"{'feature':<31}{'median error (%)':<17}{'worst (%)':<11}warning"]
    for feature, rows in groups.items():
        codes = sorted({code for row in rows for code in row.code.split(", ") if code})
        median, worst = _percent_range([row.median for row in rows]), _percent_range([row.worst for row in rows])
        lines.append(f"{feature:<31}{median:<17}{worst:<11}{', '.join(codes)}".rstrip())
    return "\n".join(lines)


def _percent_range(shares: list[float]) -> str:
    low, high = (f"{100 * share:.2g}" for share in (min(shares), max(shares)))
    return low if low == high else f"{low} to {high}"


def metrics_text() -> str:
    """Every metric of expressions with its unit and definition."""
    rows = [
        (f"{name}{_of(figure.of)}", f"[{unit_of(dimension)}] {figure.meaning}")
        for name, dimension, figure in every_figure()
    ]
    return "\n".join(f"{name}\n{two_columns([('', text)], 2)}" for name, text in rows)


def _of(what: str) -> str:
    return f"('NAME')   of a {what}" if what else ""


def columns_text(answers: Iterable[Answer]) -> str:
    """The columns of outputs, by command: key, heading and unit.

    answers   the kinds of answer to list.
    """
    blocks: list[str] = []
    for answer in answers:
        columns, optional = columns_of(answer)
        words = ", ".join(f"{item.key} [{item.unit}]" if item.unit else item.key for item in (*columns, *optional))
        more = ", and columns of the model and the grid" if answer.more_columns else ""
        blocks.append(f"{answer.name}: {answer.words}\n{two_columns([('', words + more)], 2)}")
    return "\n\n".join(blocks)


def two_columns(rows: list[tuple[str, str]], width: int) -> str:
    """Names and texts in two columns, as help is printed, in lines of at most `WIDTH` characters.

    rows    names and texts; texts are folded, and their backticks removed.
    width   the width of the first column, in characters; a longer name has a line to itself.
    """
    lines: list[str] = []
    for name, text in rows:
        wrapped = wrap(text.replace("`", ""), WIDTH - width - 2, break_on_hyphens=False) or [""]
        first = f"  {name:<{width}}"
        if len(name) >= width:
            lines.append(f"  {name}")
            first = " " * (width + 2)
        lines.append((first + wrapped[0]).rstrip())
        lines += [" " * (width + 2) + line for line in wrapped[1:]]
    return "\n".join(lines)
