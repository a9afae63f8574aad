"""Keys of other tools are answered with what this language has in their place."""

from __future__ import annotations

import pytest
from language_models import problems_of
from many import many

from qnet.model.fields import TABLES
from qnet.model.other_words import WHAT_TO_WRITE, WORDS_TO_WRITE

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


FIRST_TRY_POOL = """
qnet = 1
title = "A pool"
[stations]
pool = { servers = 8 }
db = {}
[classes.page]
arrival_rate = "10/s"
steps = [ { HELD = "pool", steps = [ { station = "db", time = "10 ms" } ] } ]
"""


def test_a_first_try_is_answered_line_by_line():
    help = {problem.line: problem.help for problem in problems_of(FIRST_TRY) if problem.code == "QN202"}
    assert help[4].startswith("give the service time in the step")
    assert help[5].startswith("servers share one queue")
    assert "delay = true" in help[6]
    assert help[8].startswith("arrival_rate")


@pytest.mark.parametrize(
    ("discipline", "help"),
    [
        ("FIFO", 'write "fcfs"'),
        ("delay", "a station without queueing has delay = true, and no discipline"),
        ("pss", 'did you mean "ps"?'),
        ("sjf", ""),
    ],
)
def test_the_words_of_other_tools_for_a_discipline_are_answered(discipline: str, help: str):
    (problem,) = problems_of(
        f'qnet = 1\ntitle = "t"\n[stations]\ns = {{ discipline = "{discipline}" }}\n'
        '[classes.a]\narrival_rate = "1/s"\nsteps = [{ station = "s", time = "1 ms" }]\n'
    )
    assert (problem.code, problem.line, problem.help) == ("QN204", 4, help)
    assert problem.expected == "one of fcfs, ps, lcfs-pr, priority, preemptive"


def test_a_pool_is_answered_by_what_is_held():
    (problem,) = problems_of(
        'qnet = 1\ntitle = "t"\n[pools]\ndb = 10\n[stations]\ns = {}\n'
        '[classes.a]\narrival_rate = "1/s"\nsteps = [{ station = "s", time = "1 ms" }]\n'
    )
    assert (problem.code, problem.line) == ("QN202", 3)
    assert "hold" in problem.help


def test_a_station_with_steps_is_answered_by_a_hold():
    text = FIRST_TRY_POOL.replace("HELD", "station")
    (problem,) = problems_of(text)
    assert (problem.code, problem.help) == (
        "QN209", 'a station that is held during other steps: { hold = "NAME", steps = [...] }'
    )  # fmt: skip


def test_a_class_without_steps_is_refused_once():
    text = 'qnet = 1\ntitle = "t"\n[stations]\ns = {}\n[classes.a]\narrival_rate = "1/s"\n'
    assert [problem.code for problem in problems_of(text)] == ["QN208"]


@many("kind", WHAT_TO_WRITE)
def test_no_word_is_a_key_and_every_answer_names_one(kind: str):
    assert not WHAT_TO_WRITE[kind].keys() & TABLES[kind].keys()
    known = {key for fields in TABLES.values() for key in fields} | {"classes", "stations", "parameters"}
    assert all(any(key in answer for key in known) for answer in WHAT_TO_WRITE[kind].values())


@many("key", WORDS_TO_WRITE)
def test_no_word_is_an_option_and_every_answer_names_one_or_a_key(key: str):
    station = TABLES["station"]
    assert not WORDS_TO_WRITE[key].keys() & set(station[key].options)
    known = {*station[key].options, *station}
    assert all(any(word in answer for word in known) for answer in WORDS_TO_WRITE[key].values())
