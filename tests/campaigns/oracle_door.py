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
SURE_STATES = 5_000
"""States up to which a chain is solved as one dense system, where an answer labelled exact is contradicted."""
SURE_SECONDS = 60.0


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


def surely(text: str, first: Any) -> tuple[Any, float]:
    """The answer of the oracle by elimination, up to `SURE_STATES`; and how far it is from that by iteration.

    first    the answer by iteration.
    Returns  None where there are more states. In a chain that is nearly several neither residuals of rounding size nor
             elimination say much; how far the two are apart does.
    """
    from oracle import sparse

    usual, sparse.DENSE = sparse.DENSE, SURE_STATES
    try:
        found, _ = oracle_answer(text, SURE_STATES, SURE_SECONDS, simulate=False)
    finally:
        sparse.DENSE = usual
    if found is None:
        return None, 0.0
    rates = [(value, first.throughput[name]) for name, value in found.throughput.items()]
    return found, max(abs(value - other) / max(value, other, 1e-300) for value, other in rates)
