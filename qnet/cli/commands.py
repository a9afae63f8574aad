"""The table of commands: names, modules and the first lines of their help; `group` loads them.

The commands of questions come first, and are derived from the table of `qnet.signatures`.
"""

from __future__ import annotations

from qnet.signatures import rows

QUESTION = "qnet.cli.question"
"""The module that makes the command of a question from its row."""

RUN_BY = {
    "envelope": "qnet.cli.envelope",
    "sweep": "qnet.cli.sweep",
    "formula": "qnet.cli.formula",
    "calibrate": "qnet.cli.calibrate",
}
"""Questions whose command does more than write a report: modules with a `run` that takes the options."""

_WRITTEN_OUT = {"map": "qnet.cli.map"}
"""Questions whose command writes no report: modules with a `command`."""

_OTHERS = {
    "queue": ("qnet.cli.queue", "Compute the metrics of a single station, such as M/M/c, in closed form."),
    "methods": ("qnet.cli.methods", "List the solution methods: accuracy, applicability, cost, source."),
    "check": ("qnet.cli.check", "Validate a model without solving it."),
    "validate": ("qnet.cli.validate", "Compare the models of measured studies with their published figures."),
    "study": ("qnet.cli.study", "Summarize a measured study on one screen: question, evidence, chart."),
    "convert": ("qnet.cli.convert", "Convert models from and to the formats of other tools."),
    "measured": ("qnet.cli.measured", "Turn files of monitoring tools into a table of measurements."),
    "new": ("qnet.cli.new", "Write a commented starter model to standard output."),
    "example": ("qnet.cli.example", "List the example models, or print one."),
    "catalog": ("qnet.cli.catalog", "List and show the parts, systems and studies that come with qnet."),
    "help": ("qnet.cli.help", "Explain a topic, or a command in detail."),
    "explain": ("qnet.cli.explain", "Explain an error or note code and what to do about it."),
    "schema": ("qnet.cli.schema", "Print the JSON Schema of an output, or of the model language."),
    "completion": ("qnet.cli.completion", "Print the completion script of a shell, or the manual page."),
}

COMMANDS: dict[str, tuple[str, str]] = {
    **{name: (_WRITTEN_OUT.get(name, QUESTION), row.help) for name, row in rows().items() if row.help},
    **_OTHERS,
}
"""Name -> module with a `command`, or `QUESTION`, and the first line of its help."""
