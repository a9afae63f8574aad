"""Limited subnetworks whose stations other customers visit from outside, against exact chains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from hold_systems import Shared, shared, station
from kept_chains import kept
from level_chain import solve as solve_levels
from measuring import FEWEST, assert_told

import qnet
from qnet.errors import NotComputed
from qnet.networks.exactness import Beyond
from qnet.networks.measured_errors import MEASURED
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solve import solve
from qnet.networks.wanted import Wanted

pytestmark = pytest.mark.sliced
NAME = "memory: stations inside that others visit"
ROOM = 10
"""For so many of those from outside, which are as many as ever come."""
BY_PARTS = Wanted(method="flow-equivalent")


class Visited(NamedTuple):
    """Two stations by processor sharing, the first of which is visited from outside too."""

    rates: tuple[float, float]
    """Of those who enter, and of those from outside."""
    limit: int
    servers: int
    times: tuple[float, float, float]
    """At the first station, of both kinds; and at the second, which has one server."""

    def network(self, size: int | None = None) -> RoutedNetwork:
        first = Station("first", False, self.servers, "ps", (Group("first", 1, 1.0),))
        second = Station("second", False, 1, "ps", (Group("second", 1, 1.0),))
        inside = (Hold("first", (Time(self.times[0]),)), Hold("second", (Time(self.times[2]),)))
        visit = Hold("first", (Time(self.times[1]),))
        classes = (
            OpenClass("inside", self.rates[0], (Route("way", 1.0, (Hold("limit", inside),)),)),
            OpenClass("outside", self.rates[1], (Route("way", 1.0, (visit,)),)),
        )
        return RoutedNetwork((station("limit", self.limit), first, second), classes, size=size)

    def exact(self) -> list[float]:
        """Responses by class. A phase is how many are at the second station, and how many came from outside."""

        def moves(level: int, phase: tuple[int, ...]) -> Iterator[tuple[float, int, tuple[int, ...]]]:
            behind, others = phase
            here = min(level, self.limit) - behind
            share = min(self.servers, here + others) / (here + others) if here + others else 0.0
            yield self.rates[0], level + 1, phase
            if others < ROOM:
                yield self.rates[1], level, (behind, others + 1)
            yield share * here / self.times[0], level, (behind + 1, others)
            yield share * others / self.times[1], level, (behind, others - 1)
            if behind:
                yield 1 / self.times[2], level - 1, (behind - 1, others)

        found = solve_levels(moves, (0, 0), self.limit)
        return [found.level / self.rates[0], found.mean(lambda phase: phase[1]) / self.rates[1]]


def visited(draw: np.random.Generator) -> Visited:
    """Up to six places; those from outside take up to 60 % of what the first station is used."""
    limit, servers = int(draw.integers(2, 7)), int(draw.integers(1, 3))
    here, others, behind = (float(time) for time in np.exp(draw.uniform(np.log(0.2), np.log(2.0), 3)))
    load, share = draw.uniform(0.1, 0.8), draw.uniform(0.05, 0.6)
    rate = load * min((1 - share) * servers / here, 1 / behind)
    return Visited((rate, load * share * servers / others), limit, servers, (here, others, behind))


def several(draw: np.random.Generator) -> Shared:
    """Two to four places around one station, first come first served, whose times are up to 20 apart."""
    while (drawn := shared(draw)).outer == 1:
        continue
    return drawn._replace(outer=int(draw.integers(2, 5)))


@pytest.mark.long
def test_the_errors_are_those_that_are_told() -> None:
    """Of the response of the class where it is worst, inside the trusted region."""
    draw = np.random.default_rng([645, 1])
    errors: list[float] = []
    while len(errors) < FEWEST:
        drawn = visited(draw) if draw.random() < 0.5 else several(draw)
        found = solve(drawn.network(), BY_PARTS)
        if not found.stable or any(isinstance(reason, Beyond) for reason in found.reasons):
            continue
        exact = kept("guests", drawn, drawn.exact)
        errors.append(max(abs(item.response / value - 1) for item, value in zip(found.classes, exact, strict=True)))
    assert_told(NAME, errors)


def test_those_without_others_and_without_places_to_wait_for_are_the_limits() -> None:
    """With hardly any others the network is that without them; with many places they meet as at one station."""
    drawn = Visited((0.5, 1e-9), 3, 1, (0.8, 0.5, 0.7))
    alone = drawn.network().replace(classes=drawn.network().classes[:1])
    entered = solve(drawn.network(), BY_PARTS).classes[0].response
    assert entered == pytest.approx(solve(alone, BY_PARTS).classes[0].response, rel=1e-7)
    drawn = Visited((0.5, 0.4), 200, 1, (0.8, 0.5, 0.7))
    crowd = 1 - 0.5 * 0.8 - 0.4 * 0.5
    found = solve(drawn.network(), BY_PARTS)
    assert [item.response for item in found.classes] == pytest.approx([0.8 / crowd + 0.7 / 0.65, 0.5 / crowd], rel=1e-9)


def test_a_batch_has_the_answers_of_its_points() -> None:
    draw = np.random.default_rng(3)
    points = [visited(draw)._replace(limit=3, servers=2) for _ in range(4)]
    rates, times = (
        tuple(np.array(column) for column in zip(*values, strict=True))
        for values in ([item.rates for item in points], [item.times for item in points])
    )
    batch = solve(Visited(rates, 3, 2, times).network(len(points)), BY_PARTS)  # type: ignore[arg-type]
    for index, point in enumerate(points):
        alone = solve(point.network(), BY_PARTS)
        for found, one in zip(batch.classes, alone.classes, strict=True):
            assert np.asarray(found.response)[index] == pytest.approx(one.response, rel=1e-9)


@pytest.mark.parametrize("load", [0.97, 1.0, 1.3])
def test_others_that_leave_nothing_end_the_steady_state(load: float) -> None:
    found = solve(Visited((0.05, load / 0.5), 3, 1, (0.8, 0.5, 0.7)).network(), BY_PARTS)
    assert found.stable == (load + 0.05 * 0.8 < 1)
    by_name = {item.name: item for item in found.loads}
    assert by_name["first"].load == pytest.approx(load + 0.05 * 0.8)
    assert by_name["first"].certain
    assert not by_name["limit"].certain


def test_customers_who_change_between_classes_are_no_guests() -> None:
    model = """qnet = 1
title = "t"
[stations]
s = { discipline = "ps" }
h = { servers = 3 }
[classes.a]
arrival_rate = "0.2/s"
steps = [{ hold = "h", steps = [{ station = "s", time = "1 s" }] }]
[chains.c]
arrival_rate = "0.1/s"
[chains.c.classes]
o = { service = { s = "1 s" } }
[chains.c.routing]
outside = { o.s = 1 }
o.s = { o.s = 0.2, outside = 0.8 }
"""
    assert qnet.loads(model).solve().records()[0]["method"] in ("states", "open")
    with pytest.raises(NotComputed, match="flow-equivalent does not apply"):
        qnet.loads(model).solve(method="flow-equivalent")


def test_the_row_names_the_warning() -> None:
    assert MEASURED[NAME].code == "QN644, QN645"
