"""Simulations in C: programs beside the tests, compiled when they are first run."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="the simulation is written in C")


def output(source: Path, values: Iterable[Any]) -> list[list[float]]:
    """The numbers that a program prints, by line, when it reads these values."""
    words = " ".join(map(repr, values))
    printed = subprocess.run([_compiled(source)], input=words, capture_output=True, text=True, check=True).stdout
    return [[float(word) for word in line.split()] for line in printed.splitlines()]


def rounded(values: Iterable[float], digits: int) -> list[float]:
    """To significant digits, as figures are kept."""
    return [float(f"{value:.{digits}g}") for value in values]


def written(kept: Mapping[str, Mapping[str, Any]]) -> str:
    """Figures that are kept, by the name of a row and the key of a system, as JSON: one system a line."""
    rows = (
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(f'"{key}": {json.dumps(figures)}' for key, figures in systems.items()) + "\n}"
        for name, systems in kept.items()
    )  # fmt: skip
    return "{\n" + ",\n".join(rows) + "\n}\n"


@cache
def _compiled(source: Path) -> Path:
    # See `forked_process.program`.
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    program = folder / source.stem
    subprocess.run(["cc", "-O2", "-o", program, source, "-lm"], check=True)
    return program
