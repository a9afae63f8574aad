"""Layered queueing networks: both forms, exact results that were published with LQNS, and closed forms."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import pytest

import qnet
from qnet.errors import QnetError
from qnet.exchange import lqn, lqnx
from qnet.exchange.imported import Converted, Reading


def lqn_text(processors: str, tasks: str, entries: str, before: str = "") -> str:
    """A file of three sections, one declaration a line."""
    return f'{before}G "test" 1e-05 50 1 0.9 -1\nP 0\n{processors}\n-1\nT 0\n{tasks}\n-1\nE 0\n{entries}\n-1\n'


def read(text: str, unit: str = "s") -> Converted:
    return lqn.read(text.encode(), Reading(name="model.lqn", time_unit=unit))


def read_xml(text: str) -> Converted:
    return lqnx.read(text.encode(), Reading(name="model.lqnx"))


def data(converted: Converted) -> dict[str, Any]:
    return tomllib.loads(converted.text)


def throughput(converted: Converted, method: str = "auto") -> float:
    rows = qnet.loads(converted.text).solve(method=method).records()
    return next(row["throughput_per_s"] for row in rows if row["scope"] == "system")


def listed(converted: Converted) -> str:
    return "\n".join(f"{item.where}: {item.text}" for item in converted.items)


# Exact results published with LQNS: its regression models 10-interlock, 22-multiserver, 31-overtaking, by Petri nets


def test_calls_of_one_customer_take_turns() -> None:
    text = lqn_text("p p0 i\np p1 f\np p2 f", "t t0 r e0 -1 p0\nt t1 n e1 -1 p1\nt t2 n e2 -1 p2",
                    "s e0 1 -1\ny e0 e2 1 -1\ny e0 e1 1 -1\ns e1 1 -1\ny e1 e2 1 -1\ns e2 1 -1")  # fmt: skip
    assert throughput(read(text)) == pytest.approx(0.25, rel=1e-9)


def test_as_many_servers_as_clients_do_not_wait() -> None:
    text = lqn_text("p client i\np server i", "t client r client -1 client m 3\nt server n server -1 server m 3",
                    "s client 1 -1\ny client server 1 -1\ns server 1 -1")  # fmt: skip
    assert throughput(read(text)) == pytest.approx(1.5, rel=1e-9)


OVERTAKING = lqn_text("p p1 i\np p2 f", "t t1 r e1 -1 p1\nt t2 n e2 -1 p2", "s e1 1 -1\ny e1 e2 1 -1\ns e2 1 1 -1")


def test_a_second_phase_delays_the_next_call() -> None:
    """The client works 1, calls for 1, and waits 0.5 for the second phase of its last call."""
    assert throughput(read(OVERTAKING), "states") == pytest.approx(0.4, rel=1e-9)
    assert throughput(read(OVERTAKING)) == pytest.approx(0.4, rel=0.05)


@pytest.mark.long
def test_a_task_may_be_kept_by_a_second_phase_inside_the_hold_of_its_caller() -> None:
    """The layers method against the Markov chain of the model language."""
    text = lqn_text("p c i\np s f\np d f", "t c r e1 -1 c z 3 m 3\nt s n e2 -1 s m 2\nt d n e3 -1 d",
                    "y e1 e2 1 -1\ns e2 0.4 0.1 -1\ny e2 e3 1 -1\ns e3 0.5 0.3 -1")  # fmt: skip
    assert throughput(read(text), "layers") == pytest.approx(throughput(read(text), "states"), rel=0.01)


# Closed forms


def repairman(customers: int, servers: int, think: float, service: float) -> float:
    """Throughput of M/M/c//N (Kleinrock 1975)."""
    weights = [1.0]
    for number in range(customers):
        weights.append(weights[-1] * (customers - number) / think / (min(number + 1, servers) / service))
    busy = sum(weight * min(number, servers) for number, weight in enumerate(weights)) / math.fsum(weights)
    return busy / service


@pytest.mark.parametrize("servers", [1, 3])
def test_a_server_task_is_a_finite_source_queue(servers: int) -> None:
    text = lqn_text("p c i\np s i", f"t c r e1 -1 c z 5 m 12\nt s n e2 -1 s m {servers}", "y e1 e2 1 -1\ns e2 0.7 -1")
    assert throughput(read(text)) == pytest.approx(repairman(12, servers, 5, 0.7), rel=1e-6)


def test_an_infinite_task_leaves_the_queue_to_its_processor() -> None:
    text = lqn_text("p c i\np s f m 2", "t c r e1 -1 c m 9\nt s i e2 -1 s", "Z e1 4 -1\ny e1 e2 1 -1\ns e2 1.1 -1")
    assert throughput(read(text)) == pytest.approx(repairman(9, 2, 4, 1.1), rel=1e-9)


def test_open_arrivals_are_a_class() -> None:
    """Jackson 1957: two queues in a row."""
    text = lqn_text("p c i\np s f\np d s 0.1", "t c i e1 -1 c\nt s i e2 -1 s\nt d i e3 -1 d",
                    "a e1 0.5\ns e1 0.1 -1\ny e1 e2 1 -1\ny e1 e3 2 -1\ns e2 1 -1\ns e3 0.3 -1")  # fmt: skip
    rows = qnet.loads(read(text).text).solve().records()
    assert rows[0]["response_s"] == pytest.approx(0.1 + 1 / (1 - 0.5) + 2 * 0.3 / (1 - 0.3), rel=1e-9)


# What the model says

FULL = lqn_text(
    "p c i\np s p m 2 R 2\np d s 0.1",
    "t c r e1 -1 c z 5 m 12\nt s h e2 -1 s 3 m 4\nt d n e3 e4 -1 d",
    "s e1 1 -1\ny e1 e2 2 -1\ns e2 6 0.5 -1\nc e2 0.25 1 -1\ny e2 e3 2 -1\n"
    "z e2 e4 0 0.5 -1\ns e3 0.3 -1\ns e4 0.2 0.1 -1",
)  # fmt: skip


def test_tasks_are_held_and_phases_are_kept_by_their_task() -> None:
    model = data(read(FULL))
    assert model["stations"] == {
        "s (task)": {"servers": 4, "discipline": "priority"}, "d (task)": {},
        "s": {"discipline": "preemptive", "servers": 2}, "d": {"discipline": "ps"},
    }  # fmt: skip
    passage = model["classes"]["c"]
    assert (passage["population"], passage["think_time"]) == (12, "5 s")
    own, call = passage["steps"]
    assert own == {"delay": "1 s"}
    assert (call["hold"], call["visits"]) == ("s (task)", 2)
    first, inner, second, message = call["steps"]
    assert first == {"station": "s", "visits": 3, "time": "1 s", "scv": 0.25, "priority": 3}
    assert inner == {"hold": "d (task)", "visits": 2, "steps": [{"station": "d", "time": "0.3 s"}]}
    assert (second["phase"], second["keeps"], second["visits"]) == (2, ["s (task)"], 1.5)
    assert (message["phase"], message["keeps"], message["visits"]) == (2, [], 0.5)
    assert [step["time"] for step in message["steps"]] == ["0.2 s", "0.1 s"]


def test_a_network_of_all_features_is_solved() -> None:
    told = qnet.loads(read(FULL).text).solve().records()
    rows = {row["name"]: row for row in told if row["scope"] == "station"}
    cycles = next(row["throughput_per_s"] for row in told if row["scope"] == "system")
    assert rows["s"]["busy_servers"] == pytest.approx(cycles * 2 * 6.5 / 2, rel=1e-6)
    assert rows["d"]["busy_servers"] == pytest.approx(cycles * (2 * 2 * 0.3 + 2 * 0.5 * 0.3), rel=1e-6)


def test_the_xml_form_is_the_same_model() -> None:
    text = """<lqn-model name="test"><processor name="p1" scheduling="inf"><task name="t1" scheduling="ref">
    <entry name="e1" type="PH1PH2"><entry-phase-activities><activity name="a" phase="1" host-demand-mean="1">
    <synch-call dest="e2" calls-mean="1"/></activity></entry-phase-activities></entry></task></processor>
    <processor name="p2" scheduling="fcfs"><task name="t2" scheduling="fcfs"><entry name="e2" type="PH1PH2">
    <entry-phase-activities><activity name="b" phase="1" host-demand-mean="1"/>
    <activity name="c" phase="2" host-demand-mean="1"/></entry-phase-activities></entry></task></processor>
    </lqn-model>"""
    assert data(read_xml(text)) == data(read(OVERTAKING))
    assert "geometric" in listed(read_xml(text))
    constant = text.replace("<activity ", '<activity call-order="DETERMINISTIC" ')
    assert "geometric" not in listed(read_xml(constant))


def test_variables_are_numbers_and_lines_may_go_on() -> None:
    text = OVERTAKING.replace("s e2 1 1 -1", "s e2\n $x 1\n -1").replace("G ", "$x = 1\nG ")
    assert data(read(text)) == data(read(OVERTAKING))
    assert "model.lqn:1: the variable $x is written as its value" in listed(read(text))


def test_what_is_left_out_is_listed() -> None:
    text = OVERTAKING.replace("s e2 1 1 -1", "s e2 1 1 -1\nH e2 1 0 : 20 20\nf e2 1 0 -1\nM e2 3 -1")
    for what in ("histograms", "maximum service times", "convergence parameters"):
        assert what in listed(read(text))


def test_a_call_after_the_reply_of_an_entry_with_two_phases_changes_the_solution() -> None:
    text = lqn_text("p c i\np s f\np d f", "t c r e1 -1 c\nt s n e2 -1 s\nt d n e3 -1 d",
                    "s e1 1 -1\ny e1 e2 1 -1\ns e2 1 1 -1\ny e2 e3 0 1 -1\ns e3 1 1 -1")  # fmt: skip
    assert [item.text for item in read(text).items if item.changes] == [
        '"e3" is called after a reply: the caller waits for its second phase too'
    ]


CALLS = lqn_text("p c i\np s f", "t c r e1 -1 c z 3 m 3\nt s h e2 e3 -1 s m 2",
                 "y e1 e2 1 -1\ny e1 e3 2 -1\ns e2 0.4 -1\ns e3 0.5 -1")  # fmt: skip


def test_entries_have_priorities_at_a_task_that_serves_by_priority() -> None:
    model = data(read(CALLS.replace("s e3 0.5 -1", "s e3 0.5 -1\np e3 5")))
    assert [step.get("priority") for step in model["classes"]["c"]["steps"]] == [None, 5]
    ignored = read(CALLS.replace("t s h", "t s n").replace("s e3 0.5 -1", "s e3 0.5 -1\np e3 5"))
    assert 'the priority of "e3" is left out' in listed(ignored)


def test_priorities_beyond_those_of_the_language_keep_their_order() -> None:
    text = CALLS.replace("p s f", "p s h").replace("-1 s m 2", "-1 s 200 m 2").replace("s e3 0.5", "p e3 7\ns e3 0.5")
    steps = data(read(text))["classes"]["c"]["steps"]
    assert [step.get("priority") for step in steps] == [None, 1]
    assert [step["steps"][0]["priority"] for step in steps] == [2, 2]


def test_a_call_without_work_waits_its_turn() -> None:
    """Two kinds of calls at one server, of which one takes no time: one customer more waits for it."""
    text = CALLS.replace("s e3 0.5 -1", "s e3 0 -1")
    assert data(read(text))["classes"]["c"]["steps"][1] == {"hold": "s (task)", "visits": 2, "steps": [{"time": "0 s"}]}
    qnet.loads(read(text).text).solve()


def test_the_think_time_of_a_server_task_is_listed() -> None:
    assert 'the think time of "s" is left out' in listed(read(CALLS.replace("-1 s m 2", "-1 s m 2 z 7")))


def test_tasks_have_stations_of_their_own() -> None:
    """In XML, names may have spaces."""
    task = '<task name="{}"><entry name="{}"><entry-phase-activities><activity name="x" phase="1" {}'
    text = (
        '<lqn-model><processor name="c" scheduling="inf">'
        + task.format("u", "e1", 'host-demand-mean="1"><synch-call dest="e2" calls-mean="1"/>').replace(
            'name="u"', 'name="u" scheduling="ref"'
        )
        + '<synch-call dest="e3" calls-mean="1"/></activity></entry-phase-activities></entry></task></processor>'
        + '<processor name="a">'
        + task.format("a", "e2", 'host-demand-mean="1"/></entry-phase-activities></entry></task>')
        + task.format("a (task)", "e3", 'host-demand-mean="1"/></entry-phase-activities></entry></task>')
        + "</processor></lqn-model>"
    )
    assert set(data(read_xml(text))["stations"]) == {"a", "a (task)", "a (task) 0"}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            'host-demand-mean="1"/>',
            'host-demand-mean="1"/><activity name="z" phase="1"/>',
            "phase 1 of an entry is stated",
        ),
        ('scheduling="inf">', 'scheduling="inf" speed-factor="0">', "a number above 0"),
    ],
)
def test_what_contradicts_itself_in_xml_is_refused(before: str, after: str, message: str) -> None:
    text = """<lqn-model><processor name="p" scheduling="inf"><task name="t" scheduling="ref"><entry name="e">
    <entry-phase-activities><activity name="a" phase="1" host-demand-mean="1"/></entry-phase-activities></entry></task>
    </processor></lqn-model>"""
    with pytest.raises(QnetError, match=message):
        read_xml(text.replace(before, after))


# What is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("s e2 1 1 -1", "s e2 1 1 -1\nF e2 e1 0.5"), "no forwarding of calls"),
        (("s e2 1 1 -1", "s e2 1 1 -1\nA e2 a"), "no activities"),
        (("p p2 f", "p p2 f r 2"), "no replicas"),
        (("t t2 n", "t t2 S"), 'no scheduling "S" of tasks'),
        (("y e1 e2", "y e1 e9"), 'there is no entry "e9"'),
        (("-1 p2", "-1 p9"), 'there is no processor "p9"'),
        (("y e1 e2", "y e1 e1"), "a reference task is called"),
        (("s e2 1 1 -1", "s e2 1 1 -1\ny e2 e2 1 -1"), "call each other in a cycle"),
        (("t t1 r", "t t1 n"), "no reference task"),
        (("s e1 1 -1", "s e1 x -1"), "a number from 0"),
        (("s e1 1 -1", "s e1 1 1 1 1 -1"), "cannot be read"),
        (("p p2 f", "p p2 q"), "the scheduling"),
        (("p p2 f", "p p1 f"), "is repeated"),
        (("E 0", "Q 0"), "begins no section"),
        (("E 0\n", "E 3 "), 'the heading of a section, "E", is not alone in its line'),
        (("p p2 f", "p p2 f R 0"), "a number above 0"),
        (("s e1 1 -1", "s e1 1 -1\ns e1 2 -1"), '"s" of the entry "e1" is stated twice'),
        (("s e1 1 -1", "s e1 1 -1\na e1 0.5"), "an entry of a reference task"),
        (("y e1 e2 1 -1\n", ""), "nothing queues"),
    ],
)
def test_what_cannot_be_said_or_read_is_refused(change: tuple[str, str], message: str) -> None:
    assert change[0] in OVERTAKING
    with pytest.raises(QnetError, match=message):
        read(OVERTAKING.replace(*change))


def test_all_refusals_are_reported_at_once() -> None:
    text = OVERTAKING.replace("s e2 1 1 -1", "s e2 1 1 -1\nF e2 e1 0.5\nA e2 a").replace("p p2 f", "p p2 f r 3")
    with pytest.raises(QnetError) as caught:
        read(text)
    assert [problem.line for problem in caught.value.problems] == [4, 14, 15]


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ("<task-activities/>", "no graphs of activities"),
        ('<forwarding dest="e" prob="1"/>', "no forwarding of calls"),
        ('<task name="s" scheduling="semaphore"/>', 'no scheduling "semaphore"'),
    ],
)
def test_the_xml_form_refuses_the_same(element: str, message: str) -> None:
    text = f'<lqn-model><processor name="p" scheduling="inf">{element}</processor></lqn-model>'
    with pytest.raises(QnetError, match=message):
        read_xml(text)


@pytest.mark.parametrize("flag", ["", "f e0 0 -1\n", "f e0 1 -1\n"])
def test_geometric_numbers_of_calls_are_listed(flag: str) -> None:
    text = lqn_text("p p0 i\np p1 f", "t t0 r e0 -1 p0\nt t1 n e1 -1 p1",
                    f"s e0 1 -1\n{flag}y e0 e1 2.5 -1\ns e1 1 -1")  # fmt: skip
    assert ("number of calls of a phase is geometric" in listed(read(text))) == ("f e0 1" not in flag)
