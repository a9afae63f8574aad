"""What the oracle answers to the models of the slice of the campaign, kept as it gave it, by the text of the model.

A model that is not kept, such as one that is no longer generated as it was, is answered by the oracle. A test computes
every tenth of the kept answers again, and all with `QNET_FULL=1`. `python tests/campaigns/kept_oracle.py` writes them
again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS))

from oracle import Answer  # noqa: E402
from oracle_door import oracle_answer  # noqa: E402

FILE = Path(__file__).with_name("oracle_exact.json")
KEPT: dict[str, dict[str, Any] | None] = json.loads(FILE.read_text()) if FILE.exists() else {}
MOST = 3000
"""States of a chain."""
SECONDS = 10.0
"""Processor time of a chain: ten times what one takes, so that only its states decide whether a model is judged."""
_NEAR = 1e-8


def key_of(text: str) -> str:
    """The name of a model among the kept ones."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def kept_answer(text: str) -> Answer | None:
    """The answer of the oracle by a chain of `MOST` states; None where it has none."""
    key = key_of(text)
    return _read(KEPT[key]) if key in KEPT else oracle_answer(text, MOST, SECONDS, simulate=False)[0]


def differs(text: str) -> str:
    """How an answer of the oracle differs from the kept one; empty where it does not."""
    kept, now = _read(KEPT[key_of(text)]), oracle_answer(text, MOST, SECONDS, simulate=False)[0]
    if kept is None or now is None:
        return "" if kept is now else "only one has an answer"
    one, other = asdict(kept), asdict(now)
    if (kept.kind, kept.states, kept.unsettled) != (now.kind, now.states, now.unsettled):
        return "other chains"
    for name, table in one.items():
        if isinstance(table, dict):
            if table.keys() != other[name].keys():
                return f"other names of {name}"
            size = 1.0 if name == "half_width" else 0.0  # of differences of figures: nearly nothing but rounding
            for item, value in table.items():
                if abs(value - other[name][item]) > _NEAR * max(abs(value), size):
                    return f"{name} of {item}: {value}, now {other[name][item]}"
    return ""


def _read(kept: dict[str, Any] | None) -> Answer | None:
    if kept is None:
        return None
    widths = {(figure, name): value for figure, name, value in kept["half_width"]}
    return Answer(**(kept | {"half_width": widths, "unsettled": tuple(kept["unsettled"])}))


def _written(answer: Answer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return asdict(answer) | {"half_width": [[*key, value] for key, value in answer.half_width.items()]}


if __name__ == "__main__":
    from model_generator import model
    from test_campaign import SEEDS

    texts = [model(seed).text for seed in SEEDS]
    found = {key_of(text): _written(oracle_answer(text, MOST, SECONDS, simulate=False)[0]) for text in texts}
    lines = [f'"{key}": {json.dumps(answer)}' for key, answer in sorted(found.items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
