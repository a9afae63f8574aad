"""Tables of the code itself as text, for `qnet help`: keys, functions, units, methods, metrics, schemas."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING

from qnet.expression.names import FUNCTIONS
from qnet.lazy import lazy
from qnet.model.fields import TABLES, Field
from qnet.model.figures import every_figure, unit_of
from qnet.question import Answer
from qnet.questions.presentation.schemas import columns_of
from qnet.units import UNIT_NAMES, base_unit, unit

if TYPE_CHECKING:
    from qnet.networks import measured_errors
    from qnet.questions.tables import methods_report
else:
    measured_errors = lazy("qnet.networks.measured_errors")
    methods_report = lazy("qnet.questions.tables.methods_report")

WIDTH = 76
"""Columns of text: those of a plain terminal less a margin."""
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
"""How each table of the language is written."""


def keys_text() -> str:
    """Every key of the model language, from the table that the loader reads."""
    blocks: list[str] = []
    for table, fields in TABLES.items():
        rows = [(key, _field_text(field)) for key, field in fields.items()]
        blocks.append("\n".join([SECTIONS[table], two_columns(rows, 20)]))
    return "\n\n".join(blocks)


def _field_text(field: Field) -> str:
    """The meaning of a key with what is needed, its default and its range."""
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
    """The measured errors of throughput, response and percentiles by feature, with the warnings outside."""
    groups: dict[str, list[measured_errors.MeasuredError]] = {}
    for row in measured_errors.MEASURED.values():
        if row.trusted and row.quantity in ("throughput", "response", "percentile"):
            feature = row.name.partition(":")[0]
            method = row.method.partition(", ")[0]
            groups.setdefault(f"{feature}, {method}" if feature == "product form" else feature, []).append(row)
    lines = [f"{'feature':<31}{'median error (%)':<17}{'worst (%)':<11}warning"]
    for feature, rows in groups.items():
        codes = sorted({code for row in rows for code in row.code.split(", ") if code})
        middle, worst = _percent_range([row.median for row in rows]), _percent_range([row.worst for row in rows])
        lines.append(f"{feature:<31}{middle:<17}{worst:<11}{', '.join(codes)}".rstrip())
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

    rows    a name and its text each; the text is folded, and marks of code are left out.
    width   of the first column, in characters; a longer name has a line to itself.
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
