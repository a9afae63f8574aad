"""The oracle of tests/oracle, which builds the exact Markov chain of a model, or simulates it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from asking import load_text

TESTS = Path(__file__).resolve().parents[1]
MAX_STATES = 60_000
SECONDS = 5.0


def oracle_answer(
    text: str, max_states: int = MAX_STATES, seconds: float = SECONDS, seed: int = 1, simulate: bool = True
) -> tuple[Any, str]:
    """The answer of the oracle, or None and why there is none.

    simulate   whether a simulation will do where the chain is too large.
    """
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))
    try:
        from oracle import exact, solve
    except ImportError as error:
        return None, f"no oracle: {error}"
    start = time.process_time()
    try:
        if simulate:
            found = solve(load_text(text), max_states=max_states, seconds=seconds, seed=seed)
        else:
            found = exact(load_text(text), max_states, seconds)
    except Exception as error:
        # What the oracle cannot do is counted, by kind.
        return None, f"{type(error).__name__}: {error}"[:200]
    if found.unsettled:
        return None, f"not mixed: too few passages of {', '.join(found.unsettled)}"
    return found, f"{found.kind} {time.process_time() - start:.2f} s"
