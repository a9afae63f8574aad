"""The pipelines of `qnet help pipelines` that need more than qnet: data frames, GNU parallel, Dask and Spark.

    python -m venv ENV
    ENV/bin/pip install . pandas polars pyarrow 'dask[dataframe]' distributed pyspark
    ENV/bin/python tests/clusters.py

Not collected by pytest. Every block marked `cluster` is run as it stands, on real local clusters, and its answers are
held against those of one process, to the last digit; as are data frames of every kind. Spark needs Java. Prints one
line for each and exits with 1 where any fails.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import qnet
from qnet.cli.group import qnet as command_line
from qnet.cli.topics import topic_text

SYSTEM = "ibm-3990-6"
ROWS = [100.0 + index for index in range(801)]
BLOCK = re.compile(r"^```(sh|python) cluster\n(.*?)^```$", re.M | re.S)


def one_process() -> list[dict[str, Any]]:
    """The answers that all others are held against."""
    return list(qnet.load(SYSTEM).map_rows(({"rate_per_s": rate} for rate in ROWS), metric="response"))


def same(answers: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> str:
    """Empty, or what differs first."""
    if len(answers) != len(wanted):
        return f"{len(answers)} rows instead of {len(wanted)}"
    for number, (row, right) in enumerate(zip(answers, wanted, strict=True), start=1):
        read = {name: float(cell) if isinstance(right[name], float) else cell for name, cell in row.items()}
        if read != right:
            return f"row {number}: {read} instead of {right}"
    return ""


def blocks() -> Iterator[tuple[str, str, str]]:
    """Title, language and text of the blocks of code that need a cluster."""
    text = topic_text("pipelines", command_line)
    for found in BLOCK.finditer(text):
        title = re.findall(r"^## (.*)$", text[: found.start()], re.M)[-1]
        yield title, found[1], found[2]


def run(language: str, text: str, folder: Path) -> list[dict[str, Any]]:
    """The answers that a block writes."""
    (folder / "rows.csv").write_text("rate_per_s\n" + "".join(f"{rate}\n" for rate in ROWS))
    (folder / "block.py").write_text(text)
    command = [sys.executable, "block.py"] if language == "python" else ["sh", "-e", "-c", text]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    python = {"PATH": path, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    done = subprocess.run(command, cwd=folder, env={**os.environ, **python}, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode()[-2000:])
    if (lines := folder / "answers.jsonl").exists():
        return [json.loads(line) for line in lines.read_text().splitlines()]
    with (folder / "answers.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def frames() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The answers of a data frame of every kind, which is returned as one of its kind."""
    import pandas
    import polars
    import pyarrow

    system, columns = qnet.load(SYSTEM), {"rate_per_s": ROWS}
    for name, table in (
        ("pandas", pandas.DataFrame(columns)),
        ("polars", polars.DataFrame(columns)),
        ("arrow", pyarrow.table(columns)),
    ):
        answers = system.map(table, metric="response")
        assert type(answers) is type(table)
        records = {"pandas": lambda a=answers: a.to_dict("records"), "polars": lambda a=answers: a.to_dicts()}
        yield name, records.get(name, lambda a=answers: a.to_pylist())()


def main() -> None:
    """Run all and print a line for each."""
    wanted, bad = one_process(), 0
    for name, answers in frames():
        difference = same(answers, wanted)
        bad += bool(difference)
        print(f"{name:40} {difference or 'as one process'}")
    for title, language, text in blocks():
        with tempfile.TemporaryDirectory() as folder:
            try:
                difference = same(run(language, text, Path(folder)), wanted)
            except RuntimeError as error:
                difference = str(error)
        bad += bool(difference)
        print(f"{f'{title} ({language})':40} {difference or 'as one process'}", flush=True)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
