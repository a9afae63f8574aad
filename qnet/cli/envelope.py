"""`qnet envelope`: the largest load, or the smallest capacity, that meets a limit."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect
from qnet.cli.shared_options import asked, method, opened


def run(largest: bool, smallest: bool, asserted: tuple[str, ...], **options: Any) -> None:
    """Compute envelopes along a grid, or at the rows of a table, for which CSV is the default format."""
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.envelope.ask import ask_envelope, refuse_with_rows

    wanted, output, network = method(options), collect(options), asked(options)
    rows, crossings = options["rows"], options["crossings"]
    if rows is not None:
        refuse_with_rows(options["over"], crossings)
        if network.system == rows == "-":
            raise click.UsageError("- is given for the model and the rows; name a FILE for one of them")
        output = output.replace(format=output.format or ("csv" if output.path == "-" else ""))
    ready(output)
    ends = {"largest": largest, "smallest": smallest, "crossings": crossings}
    chosen = [name for name, given in ends.items() if given]
    if len(chosen) > 1:
        options_given = " and ".join(f"--{name}" for name in chosen)
        raise click.UsageError(f"{options_given} exclude each other; --crossings lists both ends of every interval")
    find = chosen[0] if chosen and not crossings else ""
    with opened(network) as model, watched(wanted) as wanted:
        report = ask_envelope(model, **options, find=find, wanted=wanted, asserted=asserted)
    write(report, output)
