"""Inputs at random through every door: an answer or an error in words, soon, in little memory, and nothing lost.

`python tests/fuzz/run.py --count 200000 --jobs 2` runs more of them; a failure that is mended adds its input to the
corpus. Those of the corpus that take seconds run with `QNET_FULL=1`.
"""

from __future__ import annotations

import pytest
from full import FULL
from fuzz_case import corpus, read
from fuzz_inputs import cases
from fuzz_workers import outcomes

pytestmark = pytest.mark.sliced


@pytest.mark.long
def test_two_thousand_inputs_have_an_answer_or_a_reason():
    ran = list(outcomes(cases(seed=0, count=2000, quick=True)))
    failures = {item.outcome.failure.key: item for item in ran if item.outcome.failure}
    assert not failures, "\n".join(f"{item.outcome.failure} {item.case.line()}" for item in failures.values())
    assert len(ran) == 2000
    assert sum(item.outcome.end in ("exit 0", "value") for item in ran) > 500, "most inputs are refused at once"


@pytest.mark.long
def test_every_failure_of_the_past_is_mended():
    lines = dict(corpus(slow=FULL))
    ran = outcomes((index, read(line)) for index, line in enumerate(lines.values()))
    names = list(lines)
    failed = [f"{names[item.index]}: {item.outcome.failure}" for item in ran if item.outcome.failure]
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("door", ["expression", "python", "model", "command", "rows"])
def test_inputs_of_a_seed_are_the_same_every_time(door: str):
    first = [case for _, case in cases(seed=3, count=200)]
    again = [case for _, case in cases(seed=3, count=200)]
    assert first == again
    assert any(case.door == door for case in first)
