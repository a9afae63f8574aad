"""Keys of other tools are answered with what this language has in their place."""

from __future__ import annotations

from language_models import problems_of
from many import many

from qnet.model.fields import TABLES
from qnet.model.other_words import WHAT_TO_WRITE

FIRST_TRY = """\
qnet = 1
title = "A first try"
[stations.api]
service = "5 ms"
threads = 4
kind = "queue"
[classes.request]
rate = "80/s"
steps = [{ visit = "api", service_time = "5 ms" }]
"""


def test_a_first_try_is_answered_line_by_line():
    help = {problem.line: problem.help for problem in problems_of(FIRST_TRY) if problem.code == "QN202"}
    assert help[4].startswith("give the service time in the step")
    assert help[5].startswith("servers share one queue")
    assert "delay = true" in help[6]
    assert help[8].startswith("arrival_rate")


def test_a_class_without_steps_is_refused_once():
    text = 'qnet = 1\ntitle = "t"\n[stations]\ns = {}\n[classes.a]\narrival_rate = "1/s"\n'
    assert [problem.code for problem in problems_of(text)] == ["QN208"]


@many("kind", WHAT_TO_WRITE)
def test_no_word_is_a_key_and_every_answer_names_one(kind: str):
    assert not WHAT_TO_WRITE[kind].keys() & TABLES[kind].keys()
    known = {key for fields in TABLES.values() for key in fields} | {"classes", "stations", "parameters"}
    assert all(any(key in answer for key in known) for answer in WHAT_TO_WRITE[kind].values())
