"""A formula leaves out no feature: its value is that of `solve`, under the same label, or it is refused by name."""

from __future__ import annotations

from functools import cache

import pytest
from full import long_but

import qnet
from qnet.errors import NotComputed, QnetError, UsageError
from qnet.questions.formula.formula import formula

BASE = """
qnet = 1
title = "features"
[parameters]
rate = "4/s"
[stations]
cpu = {{ {cpu} }}
disk = {{ {disk} }}
{more}
[classes.web]
{arrivals}
steps = [ {steps} ]
"""
CPU = '{ station = "cpu", time = "100 ms" }'
DISK = '{ station = "disk", time = "150 ms" }'
OPEN, CLOSED = 'arrival_rate = "rate"', 'population = 4\nthink_time = "1 s"'
OTHER = """
[classes.other]
arrival_rate = "1/s"
priority = {priority}
steps = [ {{ station = "cpu", time = "{time}" }} ]
"""
BATCH = '[classes.batch]\npopulation = %d\nthink_time = "1 s"\nsteps = [ ' + CPU + " ]\n"


def features(cpu="", disk="", more="", steps=f"{CPU}, {DISK}", arrivals=OPEN, after=""):
    return BASE.format(cpu=cpu, disk=disk, more=more, steps=steps, arrivals=arrivals) + after


def other(time="100 ms", priority=0):
    return OTHER.format(time=time, priority=priority)


HELD = '{ hold = "cpu", steps = [ { time = "50 ms" }, %s ] }'
INSIDE = '{ station = "disk", time = "30 ms" }'
FORK = f"{{ parallel = [ {{ steps = [ {CPU} ] }}, {{ steps = [ {DISK} ] }} ] }}"
FILL = f'{CPU}, {{ fill = "nvs" }}, {{ phase = 2, drains = "nvs", station = "disk", time = "150 ms" }}'
MODELS = {
    "plain": features(),
    "servers": features("servers = 2"),
    "delay": features("delay = true"),
    "shared": features('discipline = "ps"', steps=CPU.replace(" }", ", scv = 4 }")),
    "shared servers": features('discipline = "ps", servers = 2'),
    "last first": features('discipline = "lcfs-pr"'),
    "last first servers": features('discipline = "lcfs-pr", servers = 2'),
    "scv": features(steps=f"{CPU.replace(' }', ', scv = 4 }')}, {DISK}"),
    "scv alone": features(steps=CPU.replace(" }", ", scv = 4 }")),
    "constant": features(steps=f"{CPU.replace(' }', ', scv = 0 }')}, {DISK}"),
    "capacity": features("capacity = 3"),
    "capacity alone": features("capacity = 3", steps=CPU),
    "rates": features("rates = [1, 1.5]"),
    "copies": features("copies = 2"),
    "hot copies": features("copies = 3, split = { hot = 1, share = 0.6 }"),
    "visits": features(steps=CPU.replace(" }", ", visits = 2 }")),
    "part of a visit": features(steps=CPU.replace(" }", ", visits = 1.5 }")),
    "phase 2": features(steps=f'{CPU}, {{ phase = 2, station = "disk", time = "20 ms" }}'),
    "phase 2 inside": features(steps=HELD % '{ phase = 2, time = "30 ms" }'),
    "held": features(steps=HELD % INSIDE),
    "held delay": features(steps=HELD % '{ delay = "30 ms" }'),
    "parallel": features(steps=FORK),
    "memory": features(more="memory = { servers = 2 }", steps=f'{{ hold = "memory", steps = [ {CPU}, {DISK} ] }}'),
    "bursts": features(arrivals=OPEN + "\narrival_scv = 4"),
    "two classes": features(after=other()),
    "unequal classes": features(after=other("20 ms")),
    "unequal classes shared": features('discipline = "ps"', after=other("20 ms")),
    "priority": features('discipline = "priority"', after=other(priority=2)),
    "priority alone": features('discipline = "priority"', steps=CPU, after=other(priority=2)),
    "preemptive alone": features('discipline = "preemptive"', steps=CPU, after=other(priority=2)),
    "buffer": features(more="[buffers.nvs]\nplaces = 5\n", steps=FILL),
    "lost at a buffer": features(more='[buffers.nvs]\nplaces = 5\nfull = "lost"\n', steps=FILL),
    "closed beside": features('discipline = "ps"', after=BATCH % 2),
    "nobody beside": features('discipline = "ps"', after=BATCH % 0),
    "closed": features(arrivals=CLOSED),
    "closed capacity": features("capacity = 2", arrivals=CLOSED),
    "closed scv": features(steps=f"{CPU.replace(' }', ', scv = 4 }')}, {DISK}", arrivals=CLOSED),
    "closed priority": features('discipline = "priority"', arrivals=CLOSED, after=other(priority=2)),
    "closed held": features(steps=HELD % INSIDE, arrivals=CLOSED),
}
FIGURES = (
    "response", "throughput", "utilization('cpu')", "utilization('disk')", "residence('cpu')", "wait('cpu')",
    "queue_length('cpu')", "busy_servers('cpu')",
)  # fmt: skip


SLOW = {"scv", "held", "bursts", "two classes", "unequal classes shared", "priority alone"}
"""Models with formulas of many terms."""


@pytest.fixture(params=long_but(MODELS, *(MODELS.keys() - SLOW)))
def feature(request):
    return request.param


@pytest.fixture
def system(feature):
    return made(feature)


@pytest.fixture
def rows(feature):
    return solved(feature)


@cache
def made(name):
    """A system, made once for all tests: it keeps its solution."""
    return qnet.loads(MODELS[name])


@cache
def solved(name):
    """The rows of the answer of `solve`, computed once for all tests."""
    return made(name).solve().records()


def test_a_formula_has_the_value_and_the_label_of_solve_or_is_refused(system, rows):
    exact = rows[0]["exactness"] == "exact"
    for figure in FIGURES:
        try:
            found = formula(system, figure)
        except QnetError as error:
            assert error.problems[0].help or error.problems[0].expected
            continue
        values = [item.value for item in found.formulas if item.class_name == "" and item.about.count("[") == 0]
        if values:
            assert values[0] == pytest.approx(system.metric(figure), rel=1e-9), figure
        assert found.exact is None or found.exact is exact, figure


def test_the_largest_rate_is_that_of_solve_or_is_refused(system, rows):
    row = rows[0]
    arrivals = system.metric("throughput")
    try:
        found = formula(system, "max_rate").of("max_rate")
    except QnetError:
        return
    edge = row["maximum_throughput_per_s"]
    if edge is not None and len(system.customers) == 1:
        assert found.value == pytest.approx(edge * 4 / arrivals, rel=1e-9)
    shown = system.set(rate=found.value * 0.999).metric("throughput")
    assert shown > 0
    with pytest.raises(QnetError):
        system.set(rate=found.value * 1.001).metric("throughput")


def test_bounds_enclose_what_solve_tells_or_are_refused(system, rows):
    closed = [row for row in rows if row["scope"] == "class" and row["population"]]
    for name, column, sign in (
        ("throughput_upper", "throughput_per_s", 1), ("throughput_lower", "throughput_per_s", -1),
        ("response_upper", "response_s", 1), ("response_lower", "response_s", -1),
        ("balanced_throughput_upper", "throughput_per_s", 1), ("balanced_throughput_lower", "throughput_per_s", -1),
        ("balanced_response_upper", "response_s", 1), ("balanced_response_lower", "response_s", -1),
    ):  # fmt: skip
        try:
            bound = formula(system, name).of(name).value
        except NotComputed as error:
            assert error.problems[0].code in ("QN521", "QN553")
            continue
        assert closed and bound is not None
        assert sign * (bound - closed[0][column]) >= -1e-9, name


@pytest.mark.parametrize("figure", ["throughput", "utilization('cpu')", "max_rate", "response"])
@pytest.mark.parametrize("name", ["capacity", "capacity alone", "lost at a buffer"])
def test_where_customers_may_be_lost_figures_are_refused_with_the_way_out(name, figure):
    """Of 4/s that arrive 3.84/s go through: a formula of arrivals alone told 4/s."""
    with pytest.raises(NotComputed, match=r"QN521[\s\S]*qnet solve computes the figures"):
        formula(made(name), figure)


def test_a_closed_model_has_no_largest_rate_and_the_refusal_names_its_formulas():
    with pytest.raises(UsageError) as refused:
        formula(qnet.loads(features(arrivals=CLOSED)), "max_rate")
    (problem,) = refused.value.problems
    assert problem.code == "QN013" and "ask for demand or n_star or throughput_upper" in problem.help
