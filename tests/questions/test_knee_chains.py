"""Knees of chains, whose customers change between classes on their way."""

import pytest

from qnet.errors import UsageError
from qnet.questions.knee.knee import knee
from qnet.questions.knee.report import knee_report

CHAIN = """
qnet = 1
title = "a chain of two classes"
[parameters]
users = { value = 20, range = [0, 500] }
[stations]
cpu = { discipline = "ps", servers = 2 }
disk = { discipline = "ps" }
[chains.user]
population = "users"
[chains.user.classes]
asking = { service = { think = "4 s", cpu = "0.1 s", disk = "0.05 s" } }
paging = { service = { cpu = "0.2 s", disk = "0.1 s" } }
[chains.user.routing]
asking.think = { asking.cpu = 1 }
asking.cpu = { asking.disk = 0.5, paging.cpu = 0.25, asking.think = 0.25 }
asking.disk = { asking.think = 1 }
paging.cpu = { paging.disk = 1 }
paging.disk = { asking.think = 1 }
"""

MERGED = """
qnet = 1
title = "the same demands without classes"
[parameters]
users = { value = 20, range = [0, 500] }
[stations]
cpu = { discipline = "ps", servers = 2 }
disk = { discipline = "ps" }
[classes.user]
population = "users"
think_time = "4 s"
steps = [
  { station = "cpu", time = "0.1 s + 0.25 * 0.2 s" },
  { station = "disk", time = "0.5 * 0.05 s + 0.25 * 0.1 s" },
]
"""

WEB = """
[classes.web]
arrival_rate = "1.5/s"
steps = [ { station = "cpu", time = "0.2 s" }, { station = "disk", time = "0.05 s" } ]
[classes.job]
population = 3
think_time = "1 s"
steps = [ { station = "cpu", time = "0.3 s" }, { station = "disk", time = "0.2 s" } ]
"""


@pytest.mark.parametrize(
    ("beside", "vary", "asked"),
    [("", "", []), ("", "users", []), (WEB, "users", []), (WEB, "", ["n_star", "saturation"])],
)
def test_a_chain_has_the_knees_of_one_class_with_its_demands(model, beside, vary, asked):
    """A chain of product form has the figures of one class with the same demands: Baskett and others (1975)."""
    limits = ["response('user') <= 0.4 s", "throughput('user') >= 3/s"]
    expected = knee(model(MERGED + beside), vary, limits, definitions=asked)
    found = knee(model(CHAIN + beside), vary, limits, definitions=asked)
    # Chains come after the classes, so that an axis may stand elsewhere.
    by_name = {one.axis.name.replace("users, population of job", "population of job, users"): one for one in expected}
    assert {one.axis.name for one in found} == by_name.keys()
    for item in found:
        other = by_name[item.axis.name]
        assert [one.status for one in item.knees] == [one.status for one in other.knees]
        assert item.saturating == other.saturating
        assert item.floor == pytest.approx(other.floor, rel=1e-9)
        for one, same in zip(item.knees, other.knees, strict=True):
            assert one.definition == same.definition
            assert one.value == (None if same.value is None else pytest.approx(same.value, rel=1e-6))


def test_n_star_of_an_open_load_on_a_chain_is_by_what_it_leaves(model):
    (found,) = knee(model(CHAIN + WEB.split("[classes.job]")[0]), vary="users", definitions=["n_star"])
    cpu, disk = 1 - 1.5 * 0.2 / 2, 1 - 1.5 * 0.05
    shares = 0.15 / 2 / cpu, 0.05 / disk
    assert found.knees[0].real == pytest.approx((found.floor + 4) / max(shares), rel=1e-9)


OPEN_CHAIN = """
qnet = 1
title = "an open chain"
[parameters]
rate = "1/s"
[stations]
desk = { servers = 2, discipline = "ps" }
expert = { discipline = "ps" }
[chains.ticket]
arrival_rate = "rate"
[chains.ticket.classes]
easy = { service = { desk = "0.1 s" } }
hard = { service = { expert = "0.3 s" } }
[chains.ticket.routing]
outside = { easy.desk = 1 }
easy.desk = { hard.expert = 0.25, outside = 0.75 }
hard.expert = { easy.desk = 0.2, outside = 0.8 }
"""


def test_an_open_chain_saturates_with_its_busiest_station(model):
    """A ticket is at the desk v times, and with the expert v / 4 times: v = 1 + v / 20."""
    visits = 1 / (1 - 0.25 * 0.2)
    (found,) = knee(model(OPEN_CHAIN), definitions=["saturation"])
    assert found.knees[0].value == pytest.approx(min(2 / (visits * 0.1), 4 / (visits * 0.3)), rel=1e-9)
    assert found.saturating == "expert"


@pytest.mark.parametrize("definition", ["saturation", "multiple", "service_level"])
def test_a_definition_that_no_axis_has_is_refused_and_passes_no_assertion(machines, definition):
    with pytest.raises(UsageError) as caught:
        knee_report(machines, definition=[definition], asserted=["users >= 1"])
    assert caught.value.problems[0].code == "QN018"
