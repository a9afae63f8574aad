"""What the fuzzer counts as a failure, shown to it on purpose; and how it makes an input smaller."""

from __future__ import annotations

import fuzz_failure
import pytest
from fuzz_case import Case, read
from fuzz_minimise import minimised, smallest
from fuzz_workers import outcome_of


def python(text: str) -> Case:
    return Case("python", (), text)


def kind(text: str, seconds: float = 5.0) -> str:
    failure = outcome_of(python(text), seconds).failure
    return failure.kind if failure else ""


FILL = "np.ones(2 * 10**8)"
SPIN = "sum(0 for _ in iter(int, 1))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("qnet.queue('M/M/1', arrival_rate=1, service_time=0.5)", ""),
        ("qnet.queue('M/M/1', arrival_rate=1, service_time=2)", ""),
        ("float('nan')", "figure"),
        ("__import__('os')._exit(1)", "process"),
        ("[__import__('warnings').warn('loud'), 1][1]", "warning"),
    ],
)
def test_failures_are_seen(text: str, expected: str):
    assert kind(text) == expected


@pytest.mark.long
def test_too_long_is_a_failure():
    assert kind(SPIN, seconds=0.3) == "time"


def test_a_busy_machine_has_more_time_but_not_for_ever(monkeypatch: pytest.MonkeyPatch):
    clock = 0.0
    monkeypatch.setattr(fuzz_failure.time, "process_time", lambda: clock)
    for slowness, seconds in ((0.5, 10.0), (2.0, 20.0), (100.0, 40.0)):
        monkeypatch.setattr(fuzz_failure, "slowness", lambda slowness=slowness: slowness)
        clock = 0.0
        over = fuzz_failure._watch(10.0)
        clock = seconds - 0.01
        over()
        clock = seconds
        with pytest.raises(fuzz_failure.Slow):
            over()


def test_too_much_memory_is_a_failure():
    assert kind(FILL) == "memory"


def test_pieces_that_do_not_matter_are_left_out():
    assert smallest(["a", "b", "c", "d", "e", "f"], lambda pieces: {"b", "e"} <= set(pieces)) == ["b", "e"]
    assert smallest(["only"], lambda pieces: "only" in pieces) == ["only"]


@pytest.mark.long
def test_an_input_is_minimised_by_lines_and_tokens():
    case = python("[\n10000,\n__import__('warnings').warn('loud')]")
    failure = outcome_of(case).failure
    assert failure
    small = minimised(case, failure)
    assert outcome_of(small).failure == failure
    assert len(small.text) < len(case.text) - 6


def test_a_line_of_the_corpus_is_read_as_it_was_written():
    case = Case("rows", ("map", "é"), "a\n\udc80\x00")
    assert read(case.line("what was wrong")) == case
