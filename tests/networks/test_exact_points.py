"""Which points of a batch are exact: the label of every point alone, with as much work as there are different cases."""

from __future__ import annotations

import numpy as np
import pytest

from qnet.documents import parse
from qnet.expression import FLOATS
from qnet.model.bind import bind
from qnet.model.load import build, load
from qnet.model.values import Values
from qnet.networks import exact_points
from qnet.networks.exactness import reasons_for
from qnet.networks.streams import streams

MIXED = """
qnet = 1
title = "mixed"
[parameters]
rate = "4/s"
scv = 1
other = "100 ms"
[stations]
cpu = {}
disk = {}
[classes.web]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "100 ms" }, { station = "disk", time = "50 ms", scv = "scv" } ]
[classes.batch]
arrival_rate = "rate / 4"
steps = [ { station = "cpu", time = "other" } ]
"""
POINTS = 300


def batch(model, **columns):
    return bind(model, Values(model, columns, POINTS))


@pytest.fixture
def judged(monkeypatch):
    """The sizes of the batches that are judged."""
    sizes = []

    def counted(network, *rest):
        sizes.append(network.size)
        return reasons_for(network, *rest)

    monkeypatch.setattr(exact_points, "reasons_for", counted)
    return sizes


def test_points_have_the_label_that_they_have_alone(judged):
    draw = np.random.default_rng(5)
    network = batch(
        build(parse(MIXED.encode(), "mixed.toml"), "mixed.toml"),
        scv=draw.choice([1.0, 0.5, 2.0], POINTS),
        other=draw.choice([0.1, 0.2], POINTS),
        rate=draw.uniform(0.0, 5.0, POINTS) * (draw.random(POINTS) < 0.9),
    )
    points = [network.point(index) for index in range(POINTS)]
    alone = [not reasons_for(point, streams(point, FLOATS), FLOATS) for point in points]
    assert exact_points.exact_points(network).tolist() == alone
    assert {True, False} == set(alone)
    # Zero rates, either time, either scv: a few cases, in any order of the points.
    assert len(judged) <= 20


@pytest.mark.parametrize("rates", [np.linspace(100.0, 900.0, POINTS)])
def test_a_sweep_of_one_case_is_judged_once(judged, rates):
    assert not exact_points.exact_points(batch(load("ibm-3990-6"), rate=rates)).any()
    assert judged == [POINTS]
