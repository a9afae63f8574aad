"""Solving many models by worker processes, each judged beside the oracle, with a limit of time for qnet's answer."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import worker_pool
from asking import Outcome, Slow, ask
from judging import BAD, Verdict, differences, judge
from laws import broken_laws
from model_generator import Generated, model
from model_text import Spec
from oracle_door import SECONDS, oracle_answer, surely

LIMIT = 10.0
"""Seconds of processor time that an answer may take."""
_UNSURE = 3.0
"""How many times as far as two solutions of a chain are apart an answer may be from one of them."""
_AGAIN = 8.0
"""How many times as long a second simulation takes, by other random numbers, where the first speaks against an answer:
of thousands of intervals a few miss, and of two independent ones for the same figure hardly any."""
PATIENCE = 240.0
"""Seconds on the wall after which a worker that does not come back is given up."""


def kind_of(spec: Spec) -> str:
    """Whether the customers of a model are `open`, `closed` or both, `mixed`."""
    tables = [*spec["classes"].values(), *spec["chains"].values()]
    kinds = {"closed" if "population" in table else "open" for table in tables}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def judged(seed: int, laws: bool = True, seconds: float = SECONDS) -> dict[str, Any]:
    """A seed's model, both answers and the verdict, as one line of the campaign."""
    made = model(seed)
    outcome = timed(made.text)
    needed = outcome.status == "answered"
    exact, how = oracle_answer(made.text, seconds=seconds) if needed else (None, "not asked")
    verdict = judge(outcome, exact, kind_of(made.spec))
    if verdict.category == "exact-wrong" and exact.kind == "chain":
        sure, apart = surely(made.text, exact)
        worst = max(item.error for item in differences(outcome, exact))
        if sure is not None and worst <= _UNSURE * apart:
            verdict = verdict.replace(category="not judged", why="two solutions of its chain differ as much")
    if verdict.category in BAD and exact is not None and exact.kind != "chain":
        longer, again = oracle_answer(made.text, seconds=_AGAIN * seconds, seed=2)
        if longer is not None:
            verdict, how = judge(outcome, longer, kind_of(made.spec)), f"{how}, again {again}"
    line = _line(made, outcome, verdict, how)
    if laws and needed and verdict.category != "crash":
        start = time.process_time()
        try:
            _alarm(3 * LIMIT)
            line["laws"] = [list(item) for item in _as_rows(made, outcome, seed)]
        except Slow:
            line["laws"] = [["slow", "", "", 0.0, 0.0, time.process_time() - start, 0.0]]
        finally:
            _alarm(0)
    return line


def _as_rows(made: Generated, outcome: Outcome, seed: int) -> Iterator[tuple[Any, ...]]:
    for item in broken_laws(made.spec, outcome, seed, kind_of(made.spec)):
        yield item.law, item.figure, item.name, item.value, item.other, item.error, item.allowed


def timed(text: str, limit: float = LIMIT) -> Outcome:
    """qnet's answer, or that it took too long."""
    try:
        _alarm(limit)
        return ask(text)
    except Slow:
        return Outcome("slow", limit)
    finally:
        _alarm(0)


def _alarm(seconds: float) -> None:
    signal.signal(signal.SIGPROF, _over)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _over(*_: Any) -> None:
    raise Slow


def _line(made: Generated, outcome: Outcome, verdict: Verdict, how: str) -> dict[str, Any]:
    line: dict[str, Any] = {
        "seed": made.seed,
        "features": sorted(made.features),
        "kind": kind_of(made.spec),
        "category": verdict.category,
        "method": outcome.method,
        "exact": outcome.exact,
        "seconds": round(outcome.seconds, 3),
        "codes": sorted(outcome.codes),
        "oracle": how,
        "why": verdict.why,
        "reasons": outcome.reasons[:400],
    }
    if verdict.worst is not None:
        item = verdict.worst
        line["worst"] = [item.figure, item.name, item.answered, item.exact, item.half_width, item.error]
    if verdict.error is not None:
        line["told"] = {
            "worst": verdict.error.worst, "rows": list(verdict.error.rows), "unmeasured": list(verdict.error.unmeasured)
        }  # fmt: skip
    return line


def campaign(
    seeds: Iterable[int], jobs: int = 1, laws: bool = True, seconds: float = SECONDS
) -> Iterator[dict[str, Any]]:
    """A line for every seed, as they come."""

    def prepare(folder: Path) -> Callable[[int], dict[str, Any]]:
        return lambda seed: _line_of(seed, laws, seconds)

    return worker_pool.answers(seeds, prepare, _lost, jobs, PATIENCE)


def _line_of(seed: int, laws: bool, seconds: float) -> dict[str, Any]:
    try:
        return judged(seed, laws, seconds)
    except BaseException as error:
        return {
            "seed": seed, "features": [], "kind": "", "category": "invalid", "method": "", "exact": False,
            "seconds": 0.0, "codes": [], "oracle": "", "why": f"campaign: {type(error).__name__}: {error}",
            "reasons": "",
        }  # fmt: skip


def _lost(seed: int, why: str) -> dict[str, Any]:
    """The line of a seed whose process is gone."""
    return _line(model(seed), Outcome("slow", LIMIT), Verdict("no answer in 10 s", why=why), "not asked")
