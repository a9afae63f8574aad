"""The chain of all states beside closed forms, for buffers, parallel steps and chains as models state them; and beside
the oracle, which reads the same models by itself: a tenth of its chains are solved, all with `QNET_FULL=1`."""

from __future__ import annotations

import sys
from math import isclose
from pathlib import Path
from typing import Any

import pytest

import qnet
from qnet.documents import parse
from qnet.errors import NotComputed
from qnet.model.load import build
from qnet.model.metrics import metric
from qnet.networks.wanted import Wanted
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import solve_points
from qnet.system import System

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS), str(TESTS / "campaigns")]

from asking import ask  # noqa: E402
from judging import differences  # noqa: E402
from oracle import exact  # noqa: E402
from oracle.kept import kept_exact  # noqa: E402
from oracle.models import HEAD, MODELS  # noqa: E402

pytestmark = pytest.mark.sliced

STATES = Wanted(method="states")
MORE: dict[str, str] = {
    "second_phase_of_few": """
[stations]
c = { }
[classes.u]
population = 3
steps = [{ station = "c", time = "11 us" }, { delay = "165 us" }, { station = "c", time = "25 us", phase = 2 }]
""",
    "rates_held": """
[stations]
a = { rates = [1, 1.5, 1.2] }
b = { discipline = "ps", rates = [1, 1.4] }
i = { }
[classes.c]
population = 3
think_time = "1 s"
steps = [
  { hold = "a", steps = [{ time = "0.3 s" }, { station = "i", time = "0.4 s" }] },
  { hold = "b", steps = [{ time = "0.3 s" }, { station = "i", time = "0.2 s" }] },
]
""",
    "two_buffers": """
[buffers]
n = { places = 3 }
o = { places = 2, full = "lost" }
[stations]
a = { }
b = { discipline = "priority" }
[classes.m]
population = 4
think_time = "1 s"
priority = 1
steps = [
  { fill = "n", visits = 1.5 },
  { station = "a", time = "0.4 s" },
  { fill = "o" },
  { delay = "0.1 s" },
  { phase = 2, drains = "o", station = "a", time = "0.3 s" },
  { phase = 2, drains = "n", station = "b", time = "0.5 s", visits = 2 },
]
""",
    "open_buffer_below_other_work": """
[buffers]
n = { places = 3, full = "lost" }
[stations]
b = { discipline = "preemptive" }
[classes.m]
arrival_rate = "0.5/s"
steps = [
  { fill = "n" },
  { delay = "0.1 s" },
  { phase = 2, drains = "n", station = "b", time = "0.5 s", priority = -1 },
]
[classes.o]
arrival_rate = "0.3/s"
priority = 1
steps = [{ station = "b", time = "0.5 s", scv = 2 }]
""",
    "closed_quorum": """
[stations]
a = { }
d = { copies = 2, discipline = "ps" }
[classes.m]
population = 1
think_time = "1 s"
steps = [
  { station = "a", time = "0.2 s" },
  { join = 2, parallel = [
    { copies = 2, steps = [{ station = "d", time = "0.2 s" }] }, { steps = [{ delay = "0.1 s" }] }
  ] },
]
""",
    "chain_with_priority": """
[stations]
a = { discipline = "priority" }
b = { rates = [1, 1.5] }
[chains.s]
population = 3
priority = 1
[chains.s.classes]
x = { service = { think = "1 s", a = "0.3 s", b = "0.4 s" } }
y = { service = { a = { time = "0.5 s", scv = 2 }, b = "1 s" } }
[chains.s.routing]
x.think = { x.a = 0.7, y.a = 0.3 }
x.a = { x.b = 1 }
x.b = { x.think = 0.5, y.a = 0.5 }
y.a = { y.b = 0.5, x.think = 0.5 }
y.b = { y.a = 0.3, x.think = 0.7 }
[classes.o]
population = 2
steps = [{ station = "a", time = "0.2 s" }, { station = "b", time = "0.3 s" }]
""",
    "chain_beside_a_buffer": """
[buffers]
n = { places = 2, full = "lost" }
[stations]
a = { discipline = "ps" }
[chains.s]
arrival_rate = "0.2/s"
[chains.s.classes]
x = { service = { a = "0.3 s" } }
y = { service = { a = { time = "0.5 s", scv = 2 } } }
[chains.s.routing]
outside = { x.a = 1 }
x.a = { outside = 0.5, y.a = 0.5 }
y.a = { outside = 1 }
[classes.m]
population = 3
think_time = "1 s"
steps = [
  { fill = "n" },
  { phase = 2, drains = "n", station = "a", time = "0.5 s" },
]
""",
    "chain_beside_two_buffers": """
[buffers]
n = { places = 1 }
o = { places = 1, full = "lost" }
[stations]
a = { discipline = "ps" }
b = { }
[chains.s]
population = 2
[chains.s.classes]
x = { service = { think = "1 s", a = "0.3 s" } }
y = { service = { a = "0.5 s" } }
[chains.s.routing]
x.think = { x.a = 1 }
x.a = { x.think = 0.5, y.a = 0.5 }
y.a = { x.think = 1 }
[classes.m]
population = 2
think_time = "1 s"
steps = [
  { fill = "n" },
  { fill = "o", visits = 0.5 },
  { station = "a", time = "0.3 s" },
  { phase = 2, drains = "n", station = "b", time = "0.4 s" },
  { phase = 2, drains = "o", station = "a", time = "0.3 s", visits = 0.5 },
]
""",
}


def figure(text: str, asked: str) -> float:
    """A metric of a model, by its states."""
    model = build(parse((HEAD + text).encode(), "model.toml"), "model.toml")
    return float(expression_value(solve_points(model, asked=STATES), metric(asked, model).expression))


def applies(name: str) -> bool:
    """Whether the chain is to cover a model: no second phase that may be interrupted, no chain whose customers are lost
    on their way, not very many states, and no several things of no time, which follow each other by definition."""
    return name not in ("ph2_preempt", "quorum", "chain_open", "zero")


@pytest.mark.parametrize("name", [name for name in (*MODELS, *MORE) if applies(name)])
def test_every_figure_is_that_of_the_oracle(name: str) -> None:
    text = HEAD + (MODELS[name] if name in MODELS else MORE[name])
    outcome = ask(text, STATES)
    assert outcome.status == "answered", outcome.problems
    found = kept_exact(text)
    late = "passages that are lost later" in outcome.reasons
    worst = [
        item
        for item in differences(outcome, found)
        if abs(item.answered - item.exact) > 1e-8 * abs(item.exact) + 1e-12 and not (late and item.figure == "response")
    ]
    assert worst == []


def test_a_lossy_buffer_is_a_line_with_few_places() -> None:
    """M/M/1/3: all places are taken with probability 0.5^3 / (1 + 0.5 + 0.25 + 0.125)."""
    text = """
[buffers]
n = { places = 3, full = "lost" }
[stations]
b = { }
[classes.m]
arrival_rate = "1/s"
steps = [{ fill = "n" }, { delay = "0 s" }, { phase = 2, drains = "n", station = "b", time = "0.5 s" }]
"""
    full = 0.125 / 1.875
    assert isclose(figure(text, "found_full('n')"), full, rel_tol=1e-12)
    assert isclose(figure(text, "throughput"), 1 - full, rel_tol=1e-12)
    assert isclose(figure(text, "occupancy('n')"), (0.5 + 2 * 0.25 + 3 * 0.125) / 1.875, rel_tol=1e-12)
    assert isclose(figure(text, "drain_rate('n')"), 2.0, rel_tol=1e-12)
    assert figure(text, "delay_when_full('n')") == 0


def test_a_place_is_waited_for_until_the_drain_has_freed_it() -> None:
    """M/M/1: who finds all 3 places taken waits for those before him; each of them takes 1 / mu."""
    text = """
[buffers]
n = { places = 3 }
[stations]
b = { }
[classes.m]
arrival_rate = "1/s"
steps = [{ fill = "n" }, { delay = "0 s" }, { phase = 2, drains = "n", station = "b", time = "0.5 s" }]
"""
    assert isclose(figure(text, "found_full('n')"), 0.5**3, rel_tol=1e-9)
    assert isclose(figure(text, "delay_when_full('n')"), 1.0, rel_tol=1e-9)
    assert isclose(figure(text, "response"), 0.5**3, rel_tol=1e-9)
    assert figure(text, "throughput") == 1


def test_a_station_of_one_copy_is_visited_at_that_copy_whatever_was_chosen_before() -> None:
    text = """
[stations]
a = { }
b = { follows = "a" }
[classes.u]
population = 3
think_time = "1 s"
steps = [ { station = "a", time = "0.2 s" }, { station = "b", time = "0.3 s", scv = 0.5 } ]
"""
    alone = text.replace('follows = "a"', "")
    assert figure(text, "throughput") == pytest.approx(figure(alone, "throughput"), rel=1e-12)


def test_who_waits_for_a_place_and_is_lost_then_has_spent_time() -> None:
    """The response of passages that are completed is then no longer that of all, and says so."""
    text = """
[buffers]
n = { places = 2 }
[stations]
s = { capacity = 1 }
d = { }
[classes.m]
population = 3
think_time = "0.1 s"
steps = [
  { fill = "n" }, { station = "s", time = "0.2 s" }, { phase = 2, drains = "n", station = "d", time = "0.5 s" }
]
"""
    outcome = ask(HEAD + text, STATES)
    assert not outcome.exact
    assert "lost later" in outcome.reasons


def quorum(join: int, population: int = 1) -> str:
    return f"""
[stations]
a = {{ }}
b = {{ }}
[classes.m]
population = {population}
think_time = "1 s"
steps = [
  {{ join = {join}, parallel = [
    {{ steps = [{{ delay = "1 s" }}] }}, {{ steps = [{{ delay = "0.5 s" }}] }}, {{ steps = [{{ delay = "0.25 s" }}] }}
  ] }},
]
"""


@pytest.mark.parametrize(
    ("join", "population"),
    [pytest.param(1, 1, marks=pytest.mark.long), (2, 1), (3, 1), pytest.param(3, 3, marks=pytest.mark.long)],
)
def test_parallel_delays_take_as_long_as_the_order_of_exponential_times_says(join: int, population: int) -> None:
    """Of rates 1, 2, 4: by the minima of all of them and of each two."""
    one, two, three = 1 + 1 / 2 + 1 / 4, 1 / 3 + 1 / 5 + 1 / 6, 1 / 7
    wanted = {1: three, 2: two - 2 * three, 3: one - two + three}[join]
    assert isclose(figure(quorum(join, population), "response"), wanted, rel_tol=1e-9)


def test_two_like_lines_are_those_of_flatto_and_hahn() -> None:
    """(12 - rho) / 8 times the response of one of them."""
    text = """
[stations]
a = { }
b = { }
[classes.m]
arrival_rate = "0.5/s"
steps = [{ parallel = [{ steps = [{ station = "a", time = "1 s" }] }, { steps = [{ station = "b", time = "1 s" }] }] }]
"""
    assert isclose(figure(text, "response"), (12 - 0.5) / 8 * 2, rel_tol=1e-6)


def test_what_a_passage_spends_at_its_stations_is_its_response() -> None:
    text = HEAD + MODELS["fork"]
    model = build(parse(text.encode(), "model.toml"), "model.toml")
    (part,) = solve_points(model, asked=STATES).parts
    for route in part.solution.routes:
        served: Any = route.served
        assert isclose(sum(route.spent.values()), route.response, rel_tol=1e-12)
        assert all(served[label] <= spent * (1 + 1e-12) for label, spent in route.spent.items())
    first = part.solution.branches
    assert isclose(sum(item.awaited for item in first), 1.0, rel_tol=1e-9)
    assert all(item.time <= item.total for item in first)


STARVED = """
[parameters]
n = 1
[stations]
c = { discipline = "DISCIPLINE" }
[classes.a]
population = "n"
priority = 2
steps = [{ station = "c", time = "1 s" }]
[classes.b]
population = 1
think_time = "1 s"
priority = 1
steps = [{ station = "c", time = "1 s" }]
"""


@pytest.mark.parametrize(("discipline", "population"), [("priority", 2), ("preemptive", 1), ("preemptive", 2)])
def test_a_class_that_is_never_served_is_refused(discipline: str, population: int) -> None:
    """Those who return at once are always there, and go first; an approximation would give the others a share."""
    text = HEAD + STARVED.replace("DISCIPLINE", discipline).replace("n = 1", f"n = {population}")
    assert exact(build(parse(text.encode(), "m.toml"), "m.toml")).throughput["b"] == 0
    found = ask(text)
    assert (found.status, found.problems[0][0]) == ("not computed", "QN589")
    assert '"b" is never served' in found.problems[0][1]


def test_a_class_that_is_seldom_there_is_not_taken_for_one_that_is_never_served() -> None:
    text = HEAD + STARVED.replace("DISCIPLINE", "priority").replace('"1 s"\npriority', '"1e8 s"\npriority')
    text = text.replace("priority = 2", 'priority = 2\nthink_time = "5 s"')
    assert ask(text).status == "answered"


def test_points_beside_those_where_a_class_is_never_served_have_their_answers() -> None:
    text = HEAD + STARVED.replace("DISCIPLINE", "priority")
    system = System(*build(parse(text.encode(), "m.toml"), "m.toml"))
    rows = system.sweep("n=1,2", metric="throughput('b')").records()
    one = exact(build(parse(text.encode(), "m.toml"), "m.toml")).throughput["b"]
    assert isclose(rows[0]["throughput_b_per_s"], one, rel_tol=1e-9)
    assert rows[1]["throughput_b_per_s"] is None
    assert "never served" in rows[1]["status"]


def test_customers_who_may_pass_many_stations_without_time_are_left_to_other_methods() -> None:
    """The choices of one passage after the other were followed until calls were too deep, an internal error."""
    steps = ", ".join(
        f'{{ station = "{name}", visits = 0.6, time = "{{time}} s" }}' for name in ("first", "second", "third")
    )
    model = qnet.loads(f"""
qnet = 1
title = "t"
[stations]
first = {{}}
second = {{}}
third = {{}}
[classes.thinking]
population = 2
think_time = "1 s"
steps = [{steps.replace("{time}", "0.1")}]
[classes.back]
population = 3
steps = [{steps.replace("{time}", "0.3")}]
""")
    assert model.solve().method == "residual-service"
    with pytest.raises(NotComputed, match="customers may pass without spending any time"):
        model.solve(method="states")
