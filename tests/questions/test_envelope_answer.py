"""What a report of `qnet envelope` says in words: the question, and the answer of each envelope."""

from __future__ import annotations

import pytest

import qnet


@pytest.mark.parametrize(
    ("over", "answer"),
    [((), "The largest rate is 60/s."), (("servers=1:2",), "The largest rate is between 60/s (servers = 1) and ")],
)
def test_the_answer_is_a_sentence(over: tuple[str, ...], answer: str) -> None:
    system = qnet.loads(
        'qnet = 1\ntitle = "M"\n'
        '[parameters]\nrate = "50/s"\nservers = 1\n[stations]\nserver = { servers = "servers" }\n'
        '[classes.c]\narrival_rate = "rate"\nsteps = [ { station = "server", time = "10 ms" } ]'
    )
    report = system.envelope(vary="rate", limit="response <= 25 ms", over=over)
    assert report.summary is not None
    summary = report.summary(report)
    assert summary.question == 'What is the largest rate of "M" that meets response <= 25 ms?'
    assert summary.answer[0].startswith(answer)
