"""Every parameter of every shipped model at its ends, at zero and just inside: an answer, or a refusal in qnet's words.

The tests take a seeded slice: one question of a model, and with `QNET_FULL=1` each of its twelve questions at nine
extremes. `python tests/questions/parameter_ends.py "" ""` takes every case, which needs an hour.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import parameter_ends as ends
import pytest

SLOW = {"clients-and-write-buffer.toml", "search-fan-out.toml", "file-server-agents.toml"}
"""Models whose every solution takes a second: in a slice they are only solved and swept."""


MENDED = [
    # A delay inside a hold is no centre that anybody waits for.
    ends.Case(str(ends.ROOT / "examples" / "missed-revolutions.toml"), "missed", 0.0, "formula"),
]


@cache
def drawn() -> list[ends.Case]:
    """The slice: drawn when it is tested, because what a parameter may be is computed."""
    return ends.drawn(seed=1)


@cache
def widely_drawn() -> list[ends.Case]:
    """The slice of the full mode."""
    return ends.drawn(seed=2, each=9 * len(ends.QUESTIONS))


def test_the_slice_holds_every_model_and_every_question() -> None:
    assert [case.system for case in drawn()] == ends.SHIPPED
    assert {case.question for case in drawn()} == set(ends.QUESTIONS)


@pytest.mark.long
@pytest.mark.parametrize("index", range(len(ends.SHIPPED)), ids=[Path(name).name for name in ends.SHIPPED])
def test_an_extreme_value_is_answered_or_refused_in_words(index: int) -> None:
    case = drawn()[index]
    if Path(case.system).name in SLOW:
        case = case._replace(question="solve")
    assert not ends.failure(case), str(case)


@pytest.mark.parametrize("case", MENDED, ids=str)
def test_what_was_mended_is_answered_or_refused_in_words(case: ends.Case) -> None:
    assert not ends.failure(case), str(case)


@pytest.mark.long
@pytest.mark.parametrize("system", ends.SHIPPED, ids=lambda item: Path(item).name)
def test_every_question_is_answered_at_an_extreme_or_refused_in_words(system: str) -> None:
    cases = [case for case in widely_drawn() if case.system == system]
    assert {case.question for case in cases} == set(ends.QUESTIONS)
    failures = [f"{case}: {found}" for case in cases if (found := ends.failure(case))]
    assert not failures, "\n".join(failures)
