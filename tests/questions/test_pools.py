"""Pools held around a call: percentiles, and the size of a pool by a search that stays near the stated one."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
from full import long_but

import qnet

MODEL = """
qnet = 1
title = "A pool around a call"
[parameters]
rate = "150/s"
connections = {connections}
[stations]
web = {{ servers = 4 }}
pool = {{ servers = "connections" }}
database = {{ servers = 8 }}
[classes.request]
arrival_rate = "rate"
steps = [ {before} {{ hold = "pool", steps = [ {inside} ] }} ]
"""
WEB = '{ station = "web", time = "10 ms" },'
CALL = '{ delay = "100 ms" }'
DATABASE = '{ delay = "60 ms" }, { station = "database", time = "40 ms" }'


def system(folder: Path, connections: int, inside: str, before: str = "") -> qnet.System:
    path = folder / "pool.toml"
    path.write_text(MODEL.format(connections=connections, inside=inside, before=before))
    return qnet.load(str(path))


def percentile(share: float, rate: float, call: float, servers: int) -> float:
    """The percentile of response of M/M/c: an exponential wait with the probability of waiting, then the service."""
    offered, mu = rate * call, 1 / call
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = offered * blocked / (count + offered * blocked)
    waits = blocked / (1 - offered / servers * (1 - blocked))
    drain = servers * mu - rate

    def beyond(t: float) -> float:
        if drain == mu:
            both = (1 + mu * t) * math.exp(-mu * t)
        else:
            both = (drain * math.exp(-mu * t) - mu * math.exp(-drain * t)) / (drain - mu)
        return (1 - waits) * math.exp(-mu * t) + waits * both

    low, high = 0.0, 100 * call
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > 1 - share else (low, middle)
    return low


@pytest.mark.parametrize("servers", [17, 20, 30])
@pytest.mark.parametrize("share", [0.5, 0.95, 0.99])
def test_a_pool_around_a_delay_has_the_percentiles_of_as_many_servers(
    tmp_path: Path, servers: int, share: float
) -> None:
    """By the mean and the variance of the wait: 1.2 % off at most with 88 % of the pool in use."""
    value = system(tmp_path, servers, CALL).metric(f"response_p{100 * share:.0f}")
    assert value == pytest.approx(percentile(share, 150, 0.1, servers), rel=0.012)


@pytest.mark.parametrize("servers", [17, 30])
def test_a_pool_around_a_delay_has_the_mean_of_as_many_servers(tmp_path: Path, servers: int) -> None:
    plain = qnet.queue("M/M/c", arrival_rate=150, service_time=0.1, servers=servers)
    assert system(tmp_path, servers, CALL).metric("response") == pytest.approx(plain.response, rel=1e-12)


def test_the_answer_says_that_the_pool_is_solved_as_a_station(tmp_path: Path) -> None:
    notes = [note.text for note in system(tmp_path, 20, CALL).solve().notes if note.code == "QN752"]
    assert notes == ["pool is held around delays only: it is solved as a station with as many servers"]
    assert not [note for note in system(tmp_path, 20, DATABASE).solve().notes if note.code == "QN752"]


@pytest.mark.long
@pytest.mark.parametrize("stated", [1, 30, 400])
def test_the_size_for_a_percentile_is_the_first_that_meets_it(tmp_path: Path, stated: int) -> None:
    (row,) = system(tmp_path, stated, CALL).envelope(vary="connections", limit="response_p95 <= 330 ms").records()
    least = next(count for count in range(16, 100) if percentile(0.95, 150, 0.1, count) <= 0.33)
    assert row["connections"] == least


@pytest.mark.parametrize("stated", long_but([1, 18, 500], 18))
def test_the_size_of_a_pool_around_a_station_needs_no_enormous_pools(tmp_path: Path, stated: int) -> None:
    pool = system(tmp_path, stated, DATABASE, WEB)
    began = time.perf_counter()
    (row,) = pool.envelope(vary="connections", limit="response <= 130 ms").records()
    assert time.perf_counter() - began < 10
    sizes = {count: pool.set(connections=count) for count in range(17, 30)}
    assert row["connections"] == next(count for count, each in sizes.items() if each.metric("response") <= 0.13)


def test_a_limit_below_what_any_pool_brings_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(qnet.errors.NoAnswer, match=r"no value of .* meets"):
        system(tmp_path, 30, DATABASE, WEB).envelope(vary="connections", limit="response <= 100 ms")


def test_no_pool_helps_a_saturated_database(tmp_path: Path) -> None:
    pool = system(tmp_path, 30, DATABASE, WEB).set(rate="210/s")
    with pytest.raises(qnet.errors.NoAnswer, match="no steady state at any value") as caught:
        pool.envelope(vary="connections", limit="response <= 1 s")
    assert caught.value.problems[0].help.startswith('"database" would be ')


SHOP = """
qnet = 1
title = "a web shop with a pool of connections"
[parameters]
rate = "300/s"
[stations]
app = { servers = 4, discipline = "ps" }
worker = { servers = 32 }
conn = { servers = 20 }
db = { servers = 8 }
[classes.request]
arrival_rate = "rate"
steps = [{ hold = "worker", steps = [
  { station = "app", time = "8 ms" },
  { hold = "conn", steps = [{ station = "db", time = "15 ms" }] },
  { delay = "1 ms" },
] }]
"""


def test_what_saturates_does_not_depend_on_the_load() -> None:
    """At 480/s most of those inside wait for the processors, and these were named."""
    system = qnet.loads(SHOP)
    limits = {rate: system.set(rate=rate).solve().records()[0]["limited_by"] for rate in ("300/s", "480/s")}
    assert limits == {"300/s": "worker", "480/s": "worker"}
