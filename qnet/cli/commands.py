"""The table of commands: names, modules and the first lines of their help; `group` loads them."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "solve": ("qnet.cli.solve", "Compute throughput, response time and utilization of a system."),
    "envelope": ("qnet.cli.envelope", "Find the largest load (or the smallest capacity) that meets a limit."),
    "cost": ("qnet.cli.cost", "Compute server time per unit of work, such as CPU time per page moved."),
    "sweep": ("qnet.cli.sweep", "Compute metrics over a grid of parameter values."),
    "map": ("qnet.cli.map", "Solve the model for each row of a CSV or JSONL stream."),
    "compare": ("qnet.cli.compare", "Compare systems or settings side by side."),
    "knee": ("qnet.cli.knee", "Find the knee of response time as load grows."),
    "formula": ("qnet.cli.formula", "Derive metrics as closed-form expressions; solve them for a parameter."),
    "bottleneck": ("qnet.cli.bottleneck", "Break down response time, find the bottleneck, rank upgrades."),
    "why": ("qnet.cli.why", "Explain a system's response time in words fit for a ticket."),
    "sensitivity": ("qnet.cli.sensitivity", "Compute how a metric depends on each parameter and on its uncertainty."),
    "calibrate": ("qnet.cli.calibrate", "Estimate parameters and their errors from measurements."),
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
"""Name -> module with a `command`, and the first line of its help."""
