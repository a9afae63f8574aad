"""Envelopes that a model states: several limits, and which end is looked for."""

from __future__ import annotations

import pytest
from envelopes import model

import qnet
from qnet.errors import InvalidInput, UsageError
from qnet.questions.envelope.envelope import envelope
from qnet.questions.envelope.question import question, questions
from qnet.questions.envelope.report import envelope_report

TEXT = """[parameters]
rate = "30/s"
servers = 4
[stations]
pool = { servers = "servers" }
[classes.x]
arrival_rate = "rate"
steps = [ { station = "pool", time = "100 ms" } ]
[envelopes.staff]
vary = "servers"
limit = ["response <= 150 ms", "utilization('pool') <= 0.7"]
find = "smallest"
"""


def test_a_list_of_limits_must_hold_together():
    built = model(TEXT)
    (point,) = envelope(question(built, built.envelopes["staff"])).points
    # 3 erlangs are below 0.7 of 5 servers, where 150 ms are long kept.
    assert (point.value, point.binds) == (5, "utilization('pool') <= 0.7")


def test_what_is_asked_for_replaces_what_is_stated():
    built = model(TEXT)
    asked = question(built, built.envelopes["staff"], limit=["response <= 101 ms"], find="largest")
    assert ([item.source for item in asked.limits], asked.find) == (["response <= 101 ms"], "largest")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"smallest"', '"least"', r"envelopes.staff.find: found 'least'; expected one of largest, smallest"),
        ("utilization('pool') <= 0.7\"", 'response <= 1"', r"envelopes.staff.limit\[1\]: .*a time .* is compared"),
        ('["response <= 150 ms", "utilization(\'pool\') <= 0.7"]', "[]", "envelopes.staff.limit: the list is empty"),
    ],
)
def test_a_fault_is_told_where_it_stands(old: str, new: str, words: str):
    with pytest.raises(InvalidInput, match=words):
        model(TEXT.replace(old, new))


def test_envelopes_of_both_kinds_do_not_fit_one_table():
    largest = '[envelopes.other]\nvary = "servers"\nlimit = "utilization(\'pool\') >= 0.1"\n'
    built = model(TEXT + largest)
    with pytest.raises(UsageError, match="some of the envelopes are about the largest value"):
        envelope_report(built, [envelope(asked) for asked in questions(built)])


def test_the_population_is_varied_where_nothing_arrives():
    closed = TEXT.replace('arrival_rate = "rate"', 'population = "users"').replace('rate = "30/s"', "users = 3")
    assert question(model(closed), None, limit="response <= 1 s").vary == "users"


def test_envelopes_with_different_limits_have_a_column_for_each():
    rejected, *_, slow = qnet.load("llm-server").envelope().records()
    assert (rejected["loss"], rejected["response_s"]) == (pytest.approx(0.01), None)
    assert (slow["loss"], slow["response_s"]) == (None, pytest.approx(4.0))
