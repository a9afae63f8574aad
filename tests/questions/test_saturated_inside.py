"""A limit on the number inside is the bottleneck only where more of it raises the saturation throughput."""

from __future__ import annotations

import pytest

import qnet
from qnet.questions.bottleneck.bottleneck import Bottleneck, bottleneck
from qnet.questions.points.changes import Change

OPEN = """
qnet = 1
title = "A limit on the number inside"
[stations]
pool = {{ servers = {pool} }}
cpu = {{ servers = 2, discipline = "ps" }}
disk = {{}}
[classes.visitor]
arrival_rate = "5/s"
steps = [ {{ hold = "pool", steps = [
    {{ station = "cpu", time = "10 ms" }}, {{ station = "disk", time = "30 ms", visits = 2 }} ] }} ]
"""
CLOSED = OPEN.replace('arrival_rate = "5/s"', 'population = 40\nthink_time = "1 s"')
CLASSES = (
    OPEN
    + """
[classes.other]
arrival_rate = "1/s"
steps = [ {{ hold = "pool", steps = [ {{ station = "disk", time = "30 ms" }} ] }} ]
"""
)
OTHER = CLASSES[len(OPEN) :].replace('arrival_rate = "1/s"', 'population = 4\nthink_time = "1 s"')


def answer(text: str, pool: int) -> Bottleneck:
    return bottleneck(qnet.loads(text.format(pool=pool)))


def change(result: Bottleneck, station: str, faster: float | None) -> Change:
    return next(item for item in result.changes if item.station == station and item.faster == faster)


@pytest.mark.parametrize("text", [OPEN, CLOSED, CLASSES], ids=["open", "closed", "several classes"])
def test_a_station_inside_that_is_saturated_when_the_limit_is_reached_is_the_bottleneck(text: str) -> None:
    result = answer(text, 12)
    assert result.limited_by == "disk"
    assert [item.label for item in result.ranked][:2] == ["disk", "pool"]
    assert result.maximum and result.before.maximum == pytest.approx(result.maximum)
    more, faster = change(result, "pool", None), change(result, "disk", 2.0)
    assert (more.limited_by, faster.limited_by) == ("disk", "disk")
    assert more.maximum == pytest.approx(result.maximum, rel=1e-3)
    assert faster.maximum == pytest.approx(2 * result.maximum, rel=0.01)


@pytest.mark.parametrize("text", [OPEN, CLOSED, CLASSES], ids=["open", "closed", "several classes"])
def test_a_limit_is_the_bottleneck_where_no_station_inside_is_saturated(text: str) -> None:
    result = answer(text, 1)
    assert result.limited_by == "pool"
    assert result.ranked[0].label == "pool"
    assert result.maximum
    more = change(result, "pool", None)
    assert more.maximum and more.maximum > 1.01 * result.maximum


def test_nested_limits_are_looked_through() -> None:
    text = OPEN.replace('{{ hold = "pool", steps = [', '{{ hold = "threads", steps = [ {{ hold = "pool", steps = [')
    text = text.replace("visits = 2 }} ] }} ]", "visits = 2 }} ] }} ] }} ]")
    text = text.replace("[stations]", "[stations]\nthreads = {{ servers = 30 }}")
    assert answer(text, 12).limited_by == "disk"


def test_the_cause_of_overload_is_the_station_inside() -> None:
    system = qnet.loads(OPEN.format(pool=12).replace("5/s", "20/s"))
    with pytest.raises(qnet.QnetError, match="disk"):
        system.solve()


def test_an_envelope_names_the_station_inside_that_saturates() -> None:
    text = OPEN.format(pool=12).replace('"5/s"', '"rate"')
    system = qnet.loads(text.replace("[stations]", '[parameters]\nrate = "5/s"\n[stations]'))
    (row,) = system.envelope(vary="rate", limit="utilization('cpu') <= 0.9").records()
    assert row["binds"] == "saturation of disk"


@pytest.mark.parametrize("text", [CLOSED, CLOSED + OTHER], ids=["one class", "two classes"])
def test_knees_name_the_station_inside(text: str) -> None:
    rows = qnet.loads(text.format(pool=12)).knee().records()
    assert {row["saturates"] for row in rows} == {"disk"}


POOL_AND_BRANCHES = """qnet = 1
title = "threads around a shared processor, which branches use too"
[parameters]
rate = { value = "100/s", range = ["1/s", "2000/s"] }
[stations]
pool = { servers = 32 }
app = { servers = 8, discipline = "ps" }
disk = { servers = 4 }
[classes.page]
arrival_rate = "rate"
steps = [
  { hold = "pool", steps = [{ station = "app", time = "4 ms" }, { station = "disk", visits = 0.3, time = "5 ms" }] },
  { parallel = [{ steps = [{ delay = "20 ms" }] }, { steps = [{ station = "app", time = "1 ms" }] }] },
]
"""


def test_responses_grow_without_limit_towards_the_saturation_of_a_shared_processor_in_a_pool() -> None:
    """The time that the pool has for waits inside is a limit of the waits as they are, not before they are shared."""
    system = qnet.loads(POOL_AND_BRANCHES)
    near, nearer = (
        qnet.loads(POOL_AND_BRANCHES).set(rate=f"{share * 1600}/s").metric("response") for share in (0.999, 0.99999)
    )
    assert nearer > 20 * near
    report = system.envelope(vary="rate", limit="response <= 200 ms")
    (row,) = report.records()
    assert row["binds"] == "limit"
    assert row["response_s"] == pytest.approx(0.2)
