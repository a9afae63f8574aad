"""The warnings of an envelope are those of its answers, whatever load the model states."""

from __future__ import annotations

import pytest

import qnet

MEMORY = """
qnet = 1
title = "A limited memory"
[parameters]
rate = "{rate}"
[stations]
memory = {{ servers = 2 }}
cpu = {{}}
disk = {{}}
[classes.user]
arrival_rate = "rate"
steps = [ {{ hold = "memory", steps = [
  {{ station = "cpu", time = "120 ms" }}, {{ station = "disk", time = "125 ms" }},
] }} ]
"""


def warnings_of(report: qnet.Report) -> set[str]:
    return {note.code for note in report.notes if note.severity == "warning"}


@pytest.mark.parametrize("stated", ["1/s", "5/s"])
@pytest.mark.parametrize(("limit", "expected"), [("550 ms", set[str]()), ("900 ms", {"QN645"})])
def test_warnings_are_those_of_the_answer(stated: str, limit: str, expected: set[str]) -> None:
    # 550 ms are reached at 68 % of the throughput with the memory full, 900 ms at 82 %; QN645 is about more than 70 %.
    system = qnet.loads(MEMORY.format(rate=stated))
    report = system.envelope(vary="rate", limit=f"response <= {limit}", method="flow-equivalent")
    assert warnings_of(report) == expected
    there = system.set(rate=f"{report.records()[0]['rate_per_s']}/s").solve(method="flow-equivalent")
    assert warnings_of(there) == expected


def test_a_warning_names_the_envelopes_that_it_is_about() -> None:
    notes = [note.text for note in qnet.load("ibm-3990-6").envelope().notes if note.code == "QN716"]
    assert len(notes) == 1
    first, second = notes[0].split("; ")
    assert first.startswith("ten_ms: waits for ") and first.endswith(" make the response 3.1 % longer")
    assert second.startswith("twenty_ms: waits for ") and second.endswith(" make the response 8.3 % longer")
