"""What is asserted of an envelope is judged where its values were found."""

from __future__ import annotations

import pytest
from envelopes import answer, model

from qnet.questions.envelope.report import envelope_report

TEXT = """[parameters]
rate = "1/s"
time = "100 ms"
[stations]
a = {}
[classes.x]
arrival_rate = "rate"
steps = [ { station = "a", time = "time" } ]
"""


def broken(limit: str, asserted: str, over: str = "time=100 ms") -> str:
    built = model(TEXT)
    report = envelope_report(built, [answer(built, "rate", limit, [over])], [asserted])
    return "; ".join(problem.found for problem in report.broken)


@pytest.mark.parametrize(
    ("asserted", "found"),
    [
        # 1 / (10 - rate) <= 0.2 s where rate <= 5/s.
        ("rate >= 4.9/s", ""),
        ("rate >= 5.1/s", "asserted rate >= 5.1/s, found 5/s"),
        ("utilization('a') < 0.51", ""),
        ("time < 0.1 s", "asserted time < 0.1 s, found 100 ms"),
    ],
)
def test_the_varied_parameter_has_the_value_that_was_found(asserted: str, found: str):
    assert broken("response <= 200 ms", asserted) == found


def test_at_saturation_it_is_the_edge_itself():
    assert not broken("utilization('a') <= 1", "rate >= 9.9999999999/s")


def test_a_point_without_an_answer_meets_nothing():
    words = "asserted rate > 0/s, but there is no answer at 1 of 2 points, first at point 2"
    assert broken("response <= 200 ms", "rate > 0/s", "time=100 ms,300 ms") == words
