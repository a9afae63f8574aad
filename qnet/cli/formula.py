"""`qnet formula`: metrics as closed-form expressions, in text and LaTeX, solved for a parameter where possible."""

from __future__ import annotations

from typing import Any

from qnet.cli.options import collect
from qnet.cli.shared_options import asked, limited, opened


def run(keep: tuple[str, ...], latex: bool, asserted: tuple[str, ...], **options: Any) -> None:
    """Derive formulas, and write the report, or LaTeX instead of it."""
    from qnet.cli.output import ready, write
    from qnet.questions.formula.formula import ask_formula

    limited(options)
    system, output = asked(options), collect(options)
    ready(output.replace(format=output.format or "latex") if latex else output)
    kept = [name.strip() for text in keep for name in text.split(",")] if keep else None
    with opened(system) as model:
        report = ask_formula(model, **options, keep=kept, asserted=asserted)
    if latex:
        from qnet.cli.output import deliver
        from qnet.errors import AssertionFailed
        from qnet.reports.content import Style
        from qnet.reports.latex import render

        deliver(render(report, Style()).encode(), output)
        if report.broken:
            raise AssertionFailed(*report.broken)
        return
    write(report, output)
