"""The saturation throughput of open classes beside closed ones that leave second-phase work at the same stations.

The more arrivals, the longer closed customers wait, and the less of that work they leave: the load by it does not grow
in proportion. Only work left where its customers never wait is the same at any load.
"""

from math import prod

import pytest

import qnet
from qnet.errors import NoAnswer

MODEL = """
qnet = 1
title = "work left behind"
[stations]
a = {}
b = {}
[classes.user]
population = 3
think_time = "1 s"
steps = [ { station = "a", time = "100 ms" }, { phase = 2, station = "LEFT", time = "50 ms" } ]
[classes.web]
arrival_rate = "RATE"
steps = [ { station = "b", time = "150 ms" }OTHER ]
"""
AT_A = ', { station = "a", time = "200 ms" }'


def model(left, other="", rate="1/s"):
    return qnet.loads(MODEL.replace("LEFT", left).replace("RATE", rate).replace("OTHER", other))


def passages(users, think, service):
    """The throughput of users of one exponential server, by the sum over all states (the machine repairman)."""
    weights = [prod((users - done) * service / think for done in range(present)) for present in range(users + 1)]
    return (1 - weights[0] / sum(weights)) / service


CASES = {
    # Users never wait at b, and leave the same work there whatever the load is.
    "elsewhere": ("b", "", (1 - passages(3, 1.0, 0.1) * 0.05) / 0.15),
    # They wait at a for ever as it saturates, and leave nothing.
    "where they wait": ("a", AT_A, 1 / 0.2),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_saturation_throughput_is_that_of_theory(name):
    left, other, expected = CASES[name]
    (row,) = [row for row in model(left, other).solve().records() if (row["scope"], row["name"]) == ("class", "web")]
    assert row["maximum_throughput_per_s"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", sorted(CASES))
def test_there_is_a_steady_state_up_to_it_and_not_beyond(name):
    left, other, expected = CASES[name]
    assert model(left, other, f"{0.99 * expected}/s").metric("response('web')") > 10
    with pytest.raises(NoAnswer):
        model(left, other, f"{1.01 * expected}/s").solve()


def test_passages_of_the_closed_class_fall_to_zero():
    figures = [model("a", AT_A, f"{rate}/s").metric("throughput('user')") for rate in (1, 2, 3, 4, 4.9, 4.999)]
    assert figures == sorted(figures, reverse=True)
    assert figures[-1] < 0.01
