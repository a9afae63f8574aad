"""The examples of systems of today: each is compared with a closed form that is written here, or with the oracle."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1]))

import oracle

import qnet
from qnet.catalog.parts import amounts, load_part
from qnet.reports.report import Report
from qnet.system import System

NAMES = ("ci-runners", "database-locks", "llm-server", "message-broker", "object-store", "web-pool")
RUNS: dict[str, Callable[[System], Report]] = {
    "solve": lambda system: system.solve(),
    "envelope": lambda system: system.envelope(),
    "knee": lambda system: system.knee(),
    "why": lambda system: system.why(),
}


def erlang_c(servers: int, load: float) -> float:
    """The probability of waiting in M/M/c, by the sum of its states."""
    states = [load**n / math.factorial(n) for n in range(servers)]
    full = load**servers / math.factorial(servers) * servers / (servers - load)
    return full / (sum(states) + full)


def mean_wait(rate: float, time: float, servers: int) -> float:
    """The mean wait of M/M/c."""
    return erlang_c(servers, rate * time) * time / (servers - rate * time)


def most(system: System) -> float:
    """The saturation throughput."""
    return system.solve().records()[0]["maximum_throughput_per_s"]


@pytest.mark.parametrize("question", RUNS)
@pytest.mark.parametrize("name", NAMES)
def test_no_question_has_a_warning(name: str, question: str) -> None:
    report = RUNS[question](qnet.load(name))
    assert [note.code for note in report.notes if note.severity == "warning"] == []


# Web tier with pools


def web_pool() -> System:
    return qnet.load("web-pool")


def test_the_web_tier_is_two_queues_of_erlang() -> None:
    response = 0.012 + mean_wait(400, 0.012, 6) + 0.4 * (0.015 + mean_wait(160, 0.015, 4))
    assert web_pool().metric("response") == pytest.approx(response, rel=1e-12)


def sojourn(rate: float, time: float, servers: int) -> Callable[[float], float]:
    """The probability of more than a time in M/M/c, first come first served: service, and a wait of some."""
    waiting, service, drain = erlang_c(servers, rate * time), 1 / time, servers / time - rate

    def tail(t: float) -> float:
        both = (service * math.exp(-drain * t) - drain * math.exp(-service * t)) / (service - drain)
        return (1 - waiting) * math.exp(-service * t) + waiting * both

    return tail


def p95_of_pages(rate: float, workers: int, connections: int) -> float:
    """By a sum over a grid of the two times, which are taken as independent."""
    step, count = 0.0005, 1200
    first, second = sojourn(rate, 0.012, workers), sojourn(0.4 * rate, 0.015, connections)
    density = [first(step * i) - first(step * (i + 1)) for i in range(count)]
    later = [second(step * i) for i in range(count + 1)]

    def beyond(index: int) -> float:
        both = first(step * index) + sum(
            density[i] * (later[index - i] + later[index - i - 1]) / 2 for i in range(index)
        )
        return 0.6 * first(step * index) + 0.4 * both

    return step * next(index for index in range(count) if beyond(index) < 0.05)


def test_the_95th_percentile_of_a_page() -> None:
    assert web_pool().metric("response_p95") == pytest.approx(p95_of_pages(400, 6, 4), rel=0.02)


def test_the_pool_of_workers_is_the_smallest_that_meets_the_limit() -> None:
    report = web_pool().envelope(vary="workers", limit="response_p95 <= 60 ms", over="rate=400/s")
    (row,) = report.records()
    smallest = int(row["workers"])
    assert p95_of_pages(400, smallest, 4) <= 0.060 < p95_of_pages(400, smallest - 1, 4)


def test_the_web_tier_breaks_where_a_pool_is_busy() -> None:
    assert most(web_pool()) == pytest.approx(min(6 / 0.012, 4 / (0.4 * 0.015)))


# Database with locks


def test_transactions_that_wait_for_a_lock_are_the_markov_chain_of_the_oracle() -> None:
    system = qnet.load("database-locks").set(sessions=8)
    text = Path("examples/database-locks.toml").read_text().replace("value = 12", "value = 8")
    exact = oracle.exact(oracle.load(text))
    assert system.metric("response") == pytest.approx(exact.response["transaction"], rel=1e-9)


def test_the_lock_limits_the_throughput_to_its_holding_time() -> None:
    flush = amounts(load_part("ssd/intel-p4500"))["write_latency"] + 0.1e-3
    assert most(qnet.load("database-locks")) == pytest.approx(1 / (0.2e-3 + flush))


# Object store


def test_a_disk_of_the_object_store_is_an_m_g_1_queue() -> None:
    disk, spindle = amounts(load_part("disk/western-digital-hc310")), amounts(load_part("disk/seagate-exos-2x14"))
    time = disk["positioning_read"] + 1e6 / spindle["rate_actuator"]
    load = 1200 / 24 * time
    wait = load * time * (1 + 0.2) / 2 / (1 - load)
    assert qnet.load("object-store").metric("wait('data')") == pytest.approx(wait, rel=1e-9)


def test_the_link_of_the_object_store_is_nearly_m_m_1() -> None:
    time = 1e6 / amounts(load_part("lan/ethernet-25g"))["payload_rate"]
    residence = time / (1 - 1200 * time)
    assert qnet.load("object-store").metric("residence('network')") == pytest.approx(residence, rel=0.01)


# Message broker


def test_the_broker_is_three_queues_in_series() -> None:
    append = 0.02e-3 + amounts(load_part("ssd/intel-p4500"))["write_latency"] / 50
    copy = 2e3 / amounts(load_part("lan/ethernet-10g"))["payload_rate"]
    queues = append / (1 - 20e3 / 12 * append) + copy / (1 - 20e3 * copy)
    response = queues + 0.3e-3 + mean_wait(20e3, 0.3e-3, 8)
    assert qnet.load("message-broker").metric("response") == pytest.approx(response, rel=1e-12)


def test_consumers_beyond_the_partitions_are_idle() -> None:
    broker = qnet.load("message-broker")
    assert broker.set(consumers=12).metric("response") == broker.set(consumers=40).metric("response")


# CI runners


def test_merges_go_before_branches_as_kella_and_yechiali_have_it() -> None:
    """M/M/c with head-of-line priorities and one mean service time (1985)."""
    time, servers = 480.0, 12
    merges, branches = (count / 3600 * time / servers for count in (20, 60))
    busy = erlang_c(servers, servers * (merges + branches)) * time / servers
    ci = qnet.load("ci-runners")
    assert ci.metric("merge_waits") == pytest.approx(busy / (1 - merges), rel=1e-9)
    assert ci.metric("branch_waits") == pytest.approx(busy / (1 - merges) / (1 - merges - branches), rel=1e-9)


# LLM inference server


def test_batching_is_a_birth_death_process() -> None:
    gpu, rate, batch, queue = amounts(load_part("accelerator/vllm-a100-llama-3-1-8b")), 3.0, 8, 16
    alone = 128 / 75
    weights = [1.0]
    for present in range(1, batch + queue + 1):
        together = min(present, batch)
        speed = together / (1 + gpu["contention"] * (together - 1))
        weights.append(weights[-1] * rate * alone / speed)
    total = sum(weights)
    lost, number = weights[-1] / total, sum(n * weight for n, weight in enumerate(weights)) / total
    server = qnet.load("llm-server")
    assert server.metric("loss") == pytest.approx(lost, rel=1e-9)
    assert server.metric("response") == pytest.approx(number / (rate * (1 - lost)), rel=1e-9)


def test_a_full_batch_decodes_as_many_tokens_as_were_measured() -> None:
    assert qnet.load("llm-server").set(rate="100/s").metric("tokens_per_second") == pytest.approx(75 * 6.6, rel=1e-6)


def test_a_batch_of_one_is_a_queue_with_one_server_and_loss() -> None:
    server = qnet.load("llm-server").set(batch=1)
    line = qnet.queue("M/M/1/K", arrival_rate=3, service_time=128 / 75, capacity=17)
    assert server.metric("loss") == pytest.approx(line.blocking, rel=1e-9)
    assert server.metric("response") == pytest.approx(line.response, rel=1e-9)


def test_the_command_in_the_web_tier_sizes_the_pool_without_a_warning() -> None:
    report = web_pool().envelope(vary="workers", limit="response_p95 <= 80 ms", over="rate=200/s:500/s:100/s")
    assert [row["status"] for row in report.records()] == ["ok"] * 4
    assert [note.code for note in report.notes if note.severity == "warning"] == []
