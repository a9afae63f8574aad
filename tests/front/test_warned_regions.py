"""Approximations of closed classes beyond the regions in which errors were measured are warned of."""

from __future__ import annotations

import pytest

from qnet.documents import parse
from qnet.model.load import build
from qnet.networks.wanted import AUTO
from qnet.questions.points.points import solve_points

BRANCHES = (
    '{ parallel = [{ steps = [{ station = "a", time = "1 s" }] }, { steps = [{ station = "b", time = "2 s" }] }] }'
)
BEHIND = ', { station = "b", time = "1 s" }'
MODELS = {
    "constant service": ("QN638", 3, "", '{ station = "a", time = "2 s", scv = 0 }' + BEHIND),
    "little varying service": ("QN638", 200, "", '{ station = "a", time = "2 s", scv = 0.4 }' + BEHIND),
    "half as variable": ("", 200, "", '{ station = "a", time = "2 s", scv = 0.5 }' + BEHIND),
    "shared station around another": (
        "QN640", 3, "", '{ hold = "shared", steps = [{ time = "1 s" }, { station = "a", time = "1 s" }] }',
    ),
    "station in line around another": (
        "", 3, "", '{ hold = "b", steps = [{ time = "1 s" }, { station = "a", time = "1 s" }] }',
    ),
    "second phase of shared station": (
        "QN640", 3, "", '{ hold = "shared", steps = [{ time = "1 s" }, { time = "1 s", phase = 2 }] }',
    ),
    "branches at stations of their own": ("", 3, "", BRANCHES),
    "branches met again": ("QN660", 3, "", BRANCHES + ', { station = "a", time = "1 s" }'),
    "branches at several servers": (
        "QN660", 3, "", BRANCHES.replace('station = "b"', 'station = "several"'),
    ),
    "buffer drained where its customers are served": (
        "QN670", 3, "[buffers]\nstore = { places = 4 }",
        '{ station = "a", time = "1 s" }, { fill = "store" }, '
        '{ station = "a", time = "1 s", phase = 2, drains = "store" }',
    ),
    "one customer alone at a buffer": (
        "QN670", 1, "[buffers]\nstore = { places = 2 }",
        '{ station = "b", time = "1 s" }, { fill = "store" }, '
        '{ station = "a", time = "1 s", phase = 2, drains = "store" }',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_closed_class_is_warned_of_by_its_region(name):
    code, population, more, steps = MODELS[name]
    text = (
        'qnet = 1\ntitle = "t"\n[stations]\na = {}\nb = {}\nshared = { discipline = "ps" }\nseveral = { servers = 3 }\n'
        f'{more}\n[classes.all]\npopulation = {population}\nthink_time = "2 s"\nsteps = [{steps}]\n'
    )
    model = build(parse(text.encode(), "model.toml"), "model.toml")
    (part,) = solve_points(model, asked=AUTO.replace(chain=0)).parts
    told = {getattr(reason, "code", "") for reason in part.solution.reasons}
    assert told & {"QN638", "QN640", "QN660", "QN670"} == ({code} if code else set())


def test_a_shared_station_around_another_is_warned_of_where_nobody_waits_inside() -> None:
    """Without layers too: a response was 6 s in place of 2.3 s, because time at the other station is no service."""
    text = """qnet = 1
title = "t"
[stations]
shared = { discipline = "ps" }
a = {}
[classes.one]
population = 1
think_time = "0.6 s"
steps = [{ hold = "shared", steps = [{ time = "0.05 s" }, { station = "a", time = "2 s" }] }]
[classes.others]
population = 2
think_time = "0.2 s"
steps = [{ station = "shared", time = "1 s" }]
"""
    model = build(parse(text.encode(), "model.toml"), "model.toml")
    (part,) = solve_points(model, asked=AUTO.replace(chain=0)).parts
    assert part.solution.method != "layers"
    assert "QN640" in {getattr(reason, "code", "") for reason in part.solution.reasons}


LAST_FIRST = """qnet = 1
title = "t"
[stations]
stack = { discipline = "lcfs-pr" }
line = {}
[classes.a]
population = 3
steps = [{ station = "stack", time = "24.7 ms" }, { station = "line", time = "11.7 ms" }]
[classes.b]
population = 3
steps = [{ station = "stack", time = "18.8 ms" }, { station = "line", time = "8.95 ms" }]
"""


def test_the_order_of_arrival_beside_a_station_that_serves_the_last_first():
    model = build(parse(LAST_FIRST.encode(), "model.toml"), "model.toml")
    exact, near = (solve_points(model, asked=AUTO.replace(chain=states)).parts[0].solution for states in (10_000, 0))
    assert exact.exact
    # It decides which class comes round, which the correction for unequal times does not know.
    assert near.classes[0].throughput > 1.1 * exact.classes[0].throughput
    assert "QN638" in {getattr(reason, "code", "") for reason in near.reasons}


LOST_LATER = """qnet = 1
title = "t"
[stations]
s1 = {{ discipline = "{discipline}" }}
drain = {{}}
[buffers]
log = {{ places = 1, full = "lost" }}
[classes.a]
arrival_rate = "7 /s"
steps = [
  {{ station = "s1", time = "60 ms"{visits} }},
  {{ fill = "log" }},
  {{ station = "drain", time = "110 ms", phase = 2, drains = "log" }},
]
"""


@pytest.mark.parametrize(
    ("discipline", "visits", "exact"),
    [("fcfs", "", True), ("ps", "", False), ("lcfs-pr", "", False), ("fcfs", ", visits = 1.5", False)],
)
def test_those_who_are_lost_later_wait_like_the_others_in_order_of_arrival_only(discipline, visits, exact):
    text = LOST_LATER.format(discipline=discipline, visits=visits)
    (part,) = solve_points(build(parse(text.encode(), "model.toml"), "model.toml"), asked=AUTO.replace(chain=0)).parts
    assert part.solution.exact == exact
    assert ("QN657" in {getattr(reason, "code", "") for reason in part.solution.reasons}) == (not exact)
