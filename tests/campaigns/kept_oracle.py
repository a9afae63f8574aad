"""What the oracle answers to the models of the slice of the campaign, kept as it gave it, by the text of the model.

A model that is not kept, such as one that is no longer generated as it was, is answered by the oracle. A test computes
every tenth of the kept answers again, and all with `QNET_FULL=1`. `python tests/campaigns/kept_oracle.py` writes them
again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS))

from oracle import Answer  # noqa: E402
from oracle.kept import difference, key_of, read, write  # noqa: E402
from oracle_door import oracle_answer  # noqa: E402

FILE = Path(__file__).with_name("oracle_exact.json")
KEPT: dict[str, dict[str, Any] | None] = json.loads(FILE.read_text()) if FILE.exists() else {}
MOST = 3000
"""States of a chain."""
SECONDS = 10.0
"""Processor time of a chain: ten times what one takes, so that only its states decide whether a model is judged."""


def kept_answer(text: str) -> Answer | None:
    """The answer of the oracle by a chain of `MOST` states; None where it has none."""
    key = key_of(text)
    return read(KEPT[key]) if key in KEPT else oracle_answer(text, MOST, SECONDS, simulate=False)[0]


def differs(text: str) -> str:
    """How an answer of the oracle differs from the kept one; empty where it does not."""
    return difference(read(KEPT[key_of(text)]), oracle_answer(text, MOST, SECONDS, simulate=False)[0])


if __name__ == "__main__":
    from model_generator import model
    from test_campaign import SEEDS

    texts = [model(seed).text for seed in SEEDS]
    write(FILE, {key_of(text): oracle_answer(text, MOST, SECONDS, simulate=False)[0] for text in texts})
