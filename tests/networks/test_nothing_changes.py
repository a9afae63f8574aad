"""What changes nothing: a route or a class that is stated as two, and a class that hardly ever arrives."""

from __future__ import annotations

from typing import Any

import pytest

from qnet.documents import parse
from qnet.model.load import build
from qnet.system import System

_BRANCHES = '{ steps = [{ station = "x", time = "1 s" }] }, { steps = [{ station = "y", time = "1 s" }] }'
_FORK = f"steps = [{{ parallel = [{_BRANCHES}] }}]"
_PAIR = '[stations]\nx = {}\ny = {}\n[classes.a]\narrival_rate = "%s"\n'
_INSIDE = """
[stations]
s1 = { discipline = "priority" }
s2 = {}
memory = { servers = 2 }
"""
_CLASS = """
[classes.%s]
arrival_rate = "%s/s"
priority = %d
steps = [
  { hold = "memory", steps = [
    { station = "s1", time = "0.8 s" },
    { station = "s2", time = "0.7 s * (1 + %s * (inside('memory') - 1))" },
  ] },
]
"""
_HOLDER = """
[classes.%s]
population = 4
think_time = "%s"
steps = [
  { hold = "h", steps = [{ time = "%s" }, { station = "s2", time = "%s" }, { phase = 2, time = "%s" }] },
  %s
]
"""
_JOINED = """{ parallel = [
    { steps = [{ station = "p1", time = "11.8 s" }] },
    { steps = [{ station = "s1", time = "16.8 s" }] },
  ] },"""
_BESIDE_BATCH = """
[stations]
s1 = { servers = 2, capacity = 5 }
s2 = {}
memory = { servers = 3 }

[classes.a]
population = 4
steps = [
  { hold = "memory", steps = [
    { station = "s1", time = "3.4 s * (1 + 0.3 * (inside('memory') - 1))" },
    { station = "s2", time = "2.42 s" },
  ] },
]
"""


def system(text: str) -> System:
    """The system of a model."""
    model = build(parse(f'qnet = 1\ntitle = "test"\n{text}'.encode(), "test"), "test")
    return System(*(getattr(model, name) for name in type(model).__annotations__))


def row(report: Any, scope: str, name: str) -> dict[str, Any]:
    """The row of one class, station or route."""
    return next(item for item in report.records() if (item["scope"], item["name"]) == (scope, name))


@pytest.mark.parametrize(
    "classes",
    [
        "[[classes.a.routes]]\nname = 'u'\nprobability = 0.3\n"
        f"{_FORK}\n[[classes.a.routes]]\nname = 'v'\nprobability = 0.7\n{_FORK}\n",
        f'{_FORK}\n[classes.b]\narrival_rate = "0.2/s"\n{_FORK}\n',
    ],
)
def test_a_fork_stated_as_two_is_that_of_flatto_and_hahn(classes: str) -> None:
    """Two exponential servers in parallel with utilization c take (12 - c) / 8 times the time of one, whatever the
    names of those that arrive."""
    rate = 0.6 if "routes" in classes else 0.4
    solved = system(_PAIR % f"{rate}/s" + classes).solve(method="open")
    for item in (item for item in solved.records() if item["scope"] == "class"):
        assert item["response_s"] == pytest.approx((12 - 0.6) / 8 / (1 - 0.6), rel=1e-9)


def test_two_equal_routes_have_the_answer_of_one() -> None:
    """The chain with one route has few enough states, that with two has not."""
    stations = "[stations]\nh = {}\ns2 = {}\np1 = {}\ns1 = {}\n"
    other = _HOLDER % ("b", "0 s", "28.1 s", "16.3 s", "8.43 s", "")
    steps = _HOLDER % ("a", "5.68 s", "3.62 s", "9.69 s", "5.04 s", _JOINED)
    head, way = steps.split("steps", 1)
    split = "".join(
        f"[[classes.a.routes]]\nname = '{name}'\nprobability = {share}\nsteps{way}"
        for name, share in (("u", 0.25), ("v", 0.75))
    )
    one, two = (system(stations + text + other).solve() for text in (steps, head + split))
    for name in ("a", "b"):
        for figure in ("response_s", "throughput_per_s"):
            assert row(two, "class", name)[figure] == pytest.approx(row(one, "class", name)[figure], rel=1e-9)
    rate = row(one, "class", "a")["throughput_per_s"]
    for name, share in (("u", 0.25), ("v", 0.75)):
        assert row(two, "route", name)["throughput_per_s"] == pytest.approx(share * rate, rel=1e-9)
        assert row(two, "route", name)["probability"] == share


def test_identical_classes_have_the_answer_of_one() -> None:
    """The chain of two classes has few enough states, that of three has not."""
    other = _CLASS % ("b", 0.06, 2, 0.3)
    third = _CLASS % ("c", 0.03, 1, 0.1)
    one = system(_INSIDE + _CLASS % ("a", 0.04, 0, 0.1) + other + third).solve()
    two = system(_INSIDE + _CLASS % ("a", 0.01, 0, 0.1) + other + third + _CLASS % ("twin", 0.03, 0, 0.1)).solve()
    response = row(one, "class", "a")["response_s"]
    for name, rate in (("a", 0.01), ("twin", 0.03)):
        assert row(two, "class", name)["response_s"] == pytest.approx(response, rel=1e-9)
        assert row(two, "class", name)["throughput_per_s"] == pytest.approx(rate, rel=1e-9)
    for name in ("b", "c"):
        assert row(two, "class", name)["response_s"] == pytest.approx(row(one, "class", name)["response_s"], rel=1e-9)


def test_a_class_that_hardly_ever_arrives_changes_nothing_for_others() -> None:
    """With it no method has an answer: those found at a full station return at once."""
    alone = system(_BESIDE_BATCH).solve()
    rare = '[classes.rare]\narrival_rate = "1e-13/s"\nsteps = [{ station = "s1", time = "1 s" }]\n'
    both = system(_BESIDE_BATCH + rare).solve()
    for figure in ("throughput_per_s", "response_s"):
        assert row(both, "class", "a")[figure] == pytest.approx(row(alone, "class", "a")[figure], rel=1e-9)
    assert row(both, "class", "rare")["response_s"] == pytest.approx(1.0)
    assert row(both, "class", "rare")["throughput_per_s"] == pytest.approx(1e-13)
    assert both.meta["exactness"] == "approximate"
    assert "QN742" in str(both.warnings)
