"""Figures of Markov chains that take long, kept as the chains gave them, by the numbers of a system.

What is not kept, such as a system that is no longer drawn as it was, is computed. Every tenth system is computed
all the same, and compared; all are with `QNET_FULL=1`. `QNET_KEEP=1 python -m pytest -p no:xdist tests/errors` computes
the figures of all that it runs, and writes their rows again.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from full import FULL

FILE = Path(__file__).with_name("chains_exact.json")
KEPT: dict[str, dict[str, list[float]]] = json.loads(FILE.read_text()) if FILE.exists() else {}
_ANEW = bool(os.environ.get("QNET_KEEP"))
_EVERY = 1 if FULL else 10
_NEAR = 1e-8
_found: dict[str, dict[str, list[float]]] = {}


def kept(row: str, system: Any, compute: Callable[[], Sequence[float]]) -> list[float]:
    """The figures of a chain.

    row      a name for systems whose figures mean the same.
    system   what tells a system of the row from the others: numbers and names, arrays, and tuples of them.
    compute  the figures, by the chain; none of them is 0.
    """
    key = hashlib.sha256(json.dumps(system, default=lambda item: item.tolist()).encode()).hexdigest()[:12]
    known = None if _ANEW else KEPT.get(row, {}).get(key)
    if known is not None and int(key, 16) % _EVERY:
        return known
    figures = [float(value) for value in compute()]
    if known is not None:
        assert all(abs(one / other - 1) <= _NEAR for one, other in zip(figures, known, strict=True)), (row, system)
    if _ANEW:
        _found.setdefault(row, {})[key] = figures
    return figures


def _write() -> None:
    """Replace the rows that were asked for: a system in each line."""
    rows = [
        f'"{row}": {{\n' + ",\n".join(f'"{key}": {json.dumps([float(f"{value:.11g}") for value in figures])}'
                                      for key, figures in systems.items()) + "\n}"
        for row, systems in sorted((KEPT | _found).items())
    ]  # fmt: skip
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if _ANEW:
    atexit.register(_write)
