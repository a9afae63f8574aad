"""What chains of the oracle answer, kept as it gave them, by the text of the model.

A model that is not kept, such as one that has changed, is answered by the chain; so is every tenth of those that are,
and all with `QNET_FULL=1`: then the kept answer is held against it. `QNET_KEEP=1 python -m pytest -p no:xdist
tests/oracle tests/solvers/test_states_in_the_language.py` answers all by chains, and writes them again.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from full import FULL

from . import Answer, exact, load

FILE = Path(__file__).with_name("kept_exact.json")
KEPT: dict[str, dict[str, Any] | None] = json.loads(FILE.read_text()) if FILE.exists() else {}
_EVERY = 1 if FULL else 10
_ANEW = bool(os.environ.get("QNET_KEEP"))
_NEAR, _NOTHING = 1e-8, 1e-6
_found: dict[str, Answer | None] = {}


def key_of(text: str) -> str:
    """The name of a model among the kept ones."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def kept_exact(text: str) -> Answer:
    """The exact answer of a model."""
    key = key_of(text)
    known = None if _ANEW else read(KEPT.get(key))
    if known is not None and int(key, 16) % _EVERY:
        return known
    answer = exact(load(text))
    assert known is None or not difference(known, answer), (text, difference(known, answer))
    _found[key] = answer
    return answer


def difference(kept: Answer | None, now: Answer | None) -> str:
    """How an answer differs from the kept one; empty where it does not."""
    if kept is None or now is None:
        return "" if kept is now else "only one has an answer"
    one, other = asdict(kept), asdict(now)
    if (kept.kind, kept.states, kept.unsettled) != (now.kind, now.states, now.unsettled):
        return "other chains"
    for name, table in one.items():
        if isinstance(table, dict):
            if table.keys() != other[name].keys():
                return f"other names of {name}"
            # A figure far below the others is nearly nothing but rounding, as are differences of figures.
            size = 1.0 if name == "half_width" else _NOTHING * max(map(abs, table.values()), default=0.0)
            for item, value in table.items():
                if abs(value - other[name][item]) > _NEAR * max(abs(value), size):
                    return f"{name} of {item}: {value}, now {other[name][item]}"
    return ""


def read(kept: dict[str, Any] | None) -> Answer | None:
    """An answer as it was written."""
    if kept is None:
        return None
    widths = {(figure, name): value for figure, name, value in kept["half_width"]}
    return Answer(**(kept | {"half_width": widths, "unsettled": tuple(kept["unsettled"])}))


def write(file: Path, answers: dict[str, Answer | None]) -> None:
    """Replace a file by answers, one in each line."""

    def as_json(answer: Answer | None) -> str:
        if answer is None:
            return "null"
        return json.dumps(asdict(answer) | {"half_width": [[*key, value] for key, value in answer.half_width.items()]})

    lines = [f'"{key}": {as_json(answer)}' for key, answer in sorted(answers.items())]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if _ANEW:
    atexit.register(lambda: write(FILE, _found))
