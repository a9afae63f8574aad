"""Printed results for what has no product form: priorities, capacity, layers, parallel steps, variability, percentiles.

Every number was read where its source says. Those of a Markov chain or a closed form are met to the printed digits;
beside simulations and other approximations it is told how far qnet is from them, and why. No printed numbers were
found for limits on how many may be inside, nor for thrashing: those are held against Markov chains only
(`tests/errors`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import qnet
from qnet.networks.measured_errors import MEASURED

Load = Callable[[str], Any]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """A system from the text of its stations and classes."""

    def read(text: str) -> Any:
        path = tmp_path / "model.toml"
        path.write_text(f'qnet = 1\ntitle = "printed"\n{text}')
        return qnet.load(str(path))

    return read


def codes(system: Any) -> list[str]:
    return [note.code for note in system.solve().notes]


def told(name: str) -> float:
    """The worst error that `qnet methods --error` tells."""
    return MEASURED[name].worst


# Priorities

FOUR_TASKS = """
[stations]
cpu = { discipline = "preemptive" }
[classes.first]
population = 1
think_time = "4 s"
priority = 2
steps = [ { station = "cpu", time = "1 s" } ]
[classes.second]
population = 2
think_time = "4 s"
priority = 1
steps = [ { station = "cpu", time = "1 s" } ]
[classes.third]
population = 1
think_time = "4 s"
steps = [ { station = "cpu", time = "1 s" } ]
"""


def test_four_tasks_of_three_priorities(load: Load):
    """The Petri net of layered queues solved exactly: layeredqueuing/V5, models/regression-xml/petri-results/
    70-priority.lqxo, whose two tasks of equal priority are one class here."""
    system = load(FOUR_TASKS)
    assert system.metric("response('first')") == pytest.approx(1, rel=1e-9)
    assert system.metric("response('second')") == pytest.approx(1.7258, rel=0.012)
    assert system.metric("response('third')") == pytest.approx(3.1416, rel=0.006)
    assert system.metric("utilization('cpu')") == pytest.approx(0.689321, rel=0.002)


def test_three_customers_who_are_interrupted_by_three(load: Load):
    """Mean numbers of the customers served first: layeredqueuing/V5, libmva/regression/test11a.cc: 0.8028 exactly."""
    customers = 'population = 3\nthink_time = "4 s"\nsteps = [ { station = "cpu", time = "1 s" } ]'
    system = load(f"""
[stations]
cpu = {{ discipline = "preemptive" }}
[classes.low]
{customers}
[classes.high]
priority = 1
{customers}
""")
    assert system.metric("response('high') * throughput('high')") == pytest.approx(0.8028, abs=0.5e-4)


def test_a_tenth_of_the_callers_served_first(load: Load):
    """One M/M/1 queue, 10 an hour, 12 served an hour: minutes in the system printed by the lecture "M/M/1 Queue with
    Two Priority Classes" (after Prabhu, 1981). Mean times of Poisson arrivals are exact."""
    served = 'steps = [ { station = "desk", time = "5 min" } ]'
    system = load(f"""
[stations]
desk = {{ discipline = "priority" }}
[classes.high]
arrival_rate = "1/h"
priority = 1
{served}
[classes.low]
arrival_rate = "9/h"
{served}
""")
    assert system.metric("response('high')") / 60 == pytest.approx(9.545, abs=0.0005)
    assert system.metric("response('low')") / 60 == pytest.approx(32.27, abs=0.005)
    assert system.solve().meta["exactness"] == "exact"


def test_priorities_beside_an_open_class(load: Load):
    """Bolch, Greiner, de Meer, Trivedi, Queueing Networks and Markov Chains, 1998, example 10.14, as the tests of JMT
    quote it (loretor/JMTNewVersion, src/test/java/jmt/jmva/analytical/priomvaCorrectness). The book's method is an
    approximation as well, without the correction that is made here."""
    system = load("""
[stations]
s1 = { discipline = "ps" }
s2 = { discipline = "preemptive" }
[classes.open]
arrival_rate = "1/s"
priority = 2
steps = [ { station = "s1", visits = 2, time = "0.4 s" }, { station = "s2", time = "0.6 s" } ]
[classes.second]
population = 1
priority = 1
steps = [ { station = "s1", time = "0.3 s" }, { station = "s2", visits = 0.5, time = "0.5 s" } ]
[classes.third]
population = 1
steps = [ { station = "s1", time = "0.5 s" }, { station = "s2", visits = 0.4, time = "0.8 s" } ]
""")
    assert system.metric("response('open')") == pytest.approx(8.91 + 1.5, rel=0.02)
    assert system.metric("throughput('second')") == pytest.approx(0.241, rel=0.1)
    assert system.metric("throughput('third')") == pytest.approx(0.178, rel=0.02)


# Finite capacity


@pytest.mark.parametrize(
    "rate, served, servers, places, printed",
    [
        (40, 30, 3, 7, {"response": (0.036517, 6)}),
        (50, 10, 4, 6, {"loss": (0.293543, 6)}),
        (3, 2, 2, 5, {"loss": (0.085113, 6), "queue_length('s')": (2.00595, 5), "wait('s')": (0.230857, 6)}),
    ],
)
def test_full_stations(
    load: Load, rate: int, served: int, servers: int, places: int, printed: dict[str, tuple[float, int]]
):
    """M/M/m/K, as the tests of the Octave package `queueing` print them (mmarzolla/queueing, inst/qsmmmk.m)."""
    system = load(f"""
[stations]
s = {{ servers = {servers}, capacity = {places} }}
[classes.c]
arrival_rate = "{rate}/s"
steps = [ {{ station = "s", time = "1 s / {served}" }} ]
""")
    for metric, (value, digits) in printed.items():
        assert system.metric(metric) == pytest.approx(value, rel=0, abs=10.0**-digits), metric


def test_lines_for_one_blocked_call_in_a_hundred():
    """15 lines carry 8.108 erlangs (manual of the Erlang calculator, erlang.com, "How much traffic?"); 30 lines lose
    about 0.05 of 25 erlangs (Wolfram, new in Mathematica 9, queueing)."""
    for lines, erlangs, lost, digit in ((15, 8.108, 0.01, 1e-5), (30, 25, 0.05, 0.005)):
        found = qnet.queue("Erlang B", arrival_rate=erlangs, service_time=1, servers=lines)
        assert found.blocking == pytest.approx(lost, abs=digit)


def test_machines_and_repairmen():
    """Wait of M/M/5/12/12: the example output of the R package `queueing`, Wq.o_MMCKK."""
    found = qnet.queue("M/M/c/K/N", source_rate=8, service_time=1 / 2, servers=5, sources=12, capacity=12)
    assert found.wait == pytest.approx(0.5750127, abs=0.5e-7)


# Layers and second phases


@pytest.mark.parametrize(
    "file, customers, inside, printed, error",
    [
        ("10-interlock", 1, '{ time = "1 s" }, { station = "t2", time = "1 s" }', 0.25, 1e-9),
        ("12-interlock", 2, '{ time = "1 s" }, { station = "t2", time = "1 s" }', 0.345407, 0.021),
        (
            "13-interlock",
            2,
            '{ time = "0.5 s" }, { phase = 2, time = "0.5 s" }, { phase = 2, station = "t2", time = "1 s" }',
            0.364152,
            0.09,
        ),
    ],
)
def test_a_server_called_directly_and_by_another_server(
    load: Load, file: str, customers: int, inside: str, printed: float, error: float
):
    """Throughputs of Petri nets solved exactly: layeredqueuing/V5, models/regression-xml/petri-results, which call
    each server once on average, a geometric number of times; here it is once. Within what is told of layers."""
    system = load(f"""
[stations]
t1 = {{}}
t2 = {{}}
[classes.c]
population = {customers}
think_time = "1 s"
steps = [ {{ station = "t2", time = "1 s" }}, {{ hold = "t1", steps = [ {inside} ] }} ]
""")
    assert error < min(told("layers: two deep"), told("layers: second phases"))
    found = system.solve(method="layers" if customers > 1 else "auto").records()[0]
    assert found["throughput_per_s"] == pytest.approx(printed, rel=error)


def test_two_threads_and_four_callers(load: Load):
    """Exact: 20-multiserver.lqxo, beside those."""
    steps = 'steps = [ { station = "server", time = "1 s" } ]'
    system = load(f'[stations]\nserver = {{ servers = 2 }}\n[classes.c]\npopulation = 4\nthink_time = "1 s"\n{steps}')
    assert system.metric("throughput") == pytest.approx(1.7, rel=1e-9)
    assert system.metric("wait('server')") == pytest.approx(0.352942, abs=1e-6)


SPLITS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Seconds of one that are served before the answer."""


def shared_second(load: Load, customers: int, before: float) -> float:
    """The response of customers who think 5 s, of a server that works 1 s, some of it after the answer."""
    parts = [f'{{ time = "{before} s" }}'] * (before > 0)
    parts += [f'{{ phase = 2, time = "{1 - before} s" }}'] * (before < 1)
    held = f'{{ hold = "server", steps = [ {", ".join(parts)} ] }}'
    text = f'[classes.c]\npopulation = {customers}\nthink_time = "5 s"\nsteps = [ {held} ]'
    return load(f"[stations]\nserver = {{}}\n{text}").metric("response")


def test_work_after_the_answer(load: Load):
    """Woodside, Franks, Tutorial Introduction to Layered Modeling of Software Performance, table "the impact of
    dividing a unit server demand" (layeredqueuing/V5, doc/tutorial/tutorial.tex): one user."""
    printed = (0.166, 0.310, 0.464, 0.629, 0.807, 0.999)
    for before, value in zip(SPLITS, printed, strict=True):
        assert shared_second(load, 1, before) == pytest.approx(value, abs=1.001e-3)


def test_a_printed_approximation_below_its_bound(load: Load):
    """The same table at 15 users, "approximate": 9.9096, 9.4738, 9.2281, 9.2289, 9.5048, 10.037. A server that works
    a second for each answers one a second at most, so that none but the last can be: 15 - 5 s are the least."""
    for before in SPLITS:
        assert 10 * (1 - 1e-9) <= shared_second(load, 15, before) < 10.03


# Disks behind one channel: Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, section 10.2,
# whose numbers were read in a translation. Ten jobs need the CPU for 15 s and each of five disks for 8 s of seeks, 1 s
# of latency and 2 s of transfer; these two keep the channel as well, which therefore works 15 s for a job, as the CPU.


def behind_a_channel(load: Load, disk: str, step: str, more: str = "") -> Any:
    stations = f'[stations]\ncpu = {{ discipline = "ps" }}\ndisk = {{ copies = 5, split = "even"{disk} }}\n{more}'
    return load(f"""
{stations}
[classes.job]
population = 10
steps = [ {{ station = "cpu", time = "15 s" }}, {{ visits = 5, {step} }} ]
""")


def waiting_for_a_channel(load: Load, wait: str) -> Any:
    """As the book does: no station for the channel, but disks that take as much longer."""
    return behind_a_channel(load, ', discipline = "ps"', f'station = "disk", time = "11 s + {wait}"')


def test_disks_that_never_wait_for_their_channel(load: Load):
    """Where the book begins: 0.056 jobs a second and a channel that is 84 % busy."""
    system = waiting_for_a_channel(load, "0 s")
    assert system.metric("throughput") == pytest.approx(0.056, abs=0.5e-3)
    assert system.metric("throughput") * 15 == pytest.approx(0.84, abs=0.5e-2)
    assert system.solve().meta["exactness"] == "exact"


def test_disks_that_wait_for_their_channel(load: Load):
    """Algorithm 10.1: 3 s (U - U / 5) / (1 - U) longer. The book stops at 0.044 and 65 %, on its way between numbers
    too high and too low, to 0.0433."""
    system = waiting_for_a_channel(load, "3 s * 0.8 * utilization('cpu') / max(1 - utilization('cpu'), 0.001)")
    assert system.metric("throughput") == pytest.approx(0.044, abs=1e-3)
    assert system.metric("throughput") * 15 == pytest.approx(0.65, abs=0.5e-2)


def test_disks_kept_while_they_wait_for_their_channel(load: Load):
    """The channel as a station. No disk waits for itself, nor do more than four others: less is lost than the book
    believes, whose arrivals find as many as those of an open queue."""
    inside = 'hold = "disk", steps = [ { time = "8 s" }, { station = "channel", time = "3 s" } ]'
    system = behind_a_channel(load, "", inside, "channel = {}")
    assert 0.044 < system.metric("throughput") < 0.056
    assert system.metric("utilization('channel')") == pytest.approx(system.metric("throughput") * 15, rel=1e-9)


# Parallel steps


@pytest.mark.parametrize("width", [2, 4, 8, 10])
@pytest.mark.parametrize("load_of_each", [0.1, 0.5, 0.9])
def test_nelson_and_tantawi(load: Load, width: int, load_of_each: float):
    """(H(n) / H(2) + (1 - H(n) / H(2)) 4 r / 11) (12 - r) / 8 of a branch: IEEE Trans. Computers 37 (1988) 739-743,
    within 5 % of simulations for up to 32 branches (its abstract); the formula as LINE has it of Thomasian, ACM
    Computing Surveys 47 (2014), article 17, equation 3."""
    disks = f'[stations]\ndisk = {{ copies = {width}, split = "even" }}\n[classes.c]\narrival_rate = "{load_of_each}/s"'
    branch = f'{{ name = "b", copies = {width}, steps = [ {{ station = "disk", time = "1 s" }} ] }}'
    system = load(f"{disks}\nsteps = [ {{ parallel = [ {branch} ] }} ]")
    harmonic = sum(1 / number for number in range(1, width + 1)) / 1.5
    scale = harmonic + (1 - harmonic) * 4 * load_of_each / 11
    printed = scale * (12 - load_of_each) / 8 / (1 - load_of_each)
    assert system.metric("response") == pytest.approx(printed, rel=1e-9 if width == 2 else 0.05)


def test_two_branches_simulated(load: Load):
    """imperial-qore/line-solver, goldens/baselines, fj_basic_open.json: numbers at the queues and at the join, each of
    a half of a job, by a simulation, of servers that are shared. That of fj_basic_closed.json, 0.89442, is 1.4 % above
    the exact Markov chain of the network, and tests nothing."""
    arrivals, second = 'arrival_rate = "0.05/s"', 0.5
    branches = ", ".join(
        f'{{ name = "{name}", steps = [ {{ station = "{name}", time = "{time} s" }} ] }}'
        for name, time in (("a", 1), ("b", second))
    )
    stations = '[stations]\na = { discipline = "ps" }\nb = { discipline = "ps" }'
    system = load(f"{stations}\n[classes.c]\n{arrivals}\nsteps = [ {{ parallel = [ {branches} ] }} ]")
    printed = (0.052632 + 0.025641 + 0.04379) / 2 / 0.05
    assert system.metric("response") == pytest.approx(printed, rel=0.002)


# Variability


def test_nine_queues_in_series(load: Load):
    """Bursts of an scv of 8 come to eight queues of load 0.6 and a ninth of 0.9. Simulated waits: Whitt, You, The
    advantage of indices of dispersion in queueing approximations, 2018, table 2, as LINE quotes them
    (JohanRuuskanen/Performance2021_code, line/gallery/gallery_literature_wy18orl_tab2.m).

    The ninth waits 29.2 s: its bursts have not gone, as methods of two moments believe; so we warn.
    """
    names = [f"q{place}" for place in range(1, 10)]
    steps = ", ".join(f'{{ station = "{name}", time = "{0.9 if name == "q9" else 0.6} s" }}' for name in names)
    stations = "\n".join(f"{name} = {{}}" for name in names)
    system = load(f'[stations]\n{stations}\n[classes.c]\narrival_rate = "1/s"\narrival_scv = 8\nsteps = [ {steps} ]')
    printed = (3.36, 2.32, 1.96)
    for name, value in zip(names, printed, strict=False):
        assert system.metric(f"wait('{name}')") == pytest.approx(value, rel=0.05)
    assert system.metric("wait('q9')") < 29.2 / 3
    assert "QN654" in codes(system)


# Percentiles


def test_percentiles_of_one_queue(load: Load):
    """Jain, The Art of Computer Systems Performance Analysis, 1991, box 31.9: E[r] ln(100 / (100 - q)), 2.3 E[r]."""
    steps = 'steps = [ { station = "s", time = "1 s" } ]'
    system = load(f'[stations]\ns = {{}}\n[classes.c]\narrival_rate = "0.7/s"\n{steps}')
    assert system.metric("response_p90 / response") == pytest.approx(2.3, abs=0.05)
    assert system.metric("response_p95") == pytest.approx(system.metric("response") * math.log(20), rel=1e-9)
