"""Open classes at stations without product form: as the same model whose routes visit the stations in turn."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from many import many

import qnet

TIMES = [[0.2, 0.5]]
RATES = [1.0, 0.8]


def drawn(seed: int) -> dict[str, Any]:
    """The arguments of a network of open classes, at half to nine tenths of its capacity."""
    draw = np.random.default_rng([816, seed])
    stations, classes = draw.integers(1, 4), draw.integers(1, 4)
    visits = draw.choice([1, 1, 1, 0.5, 2], (stations, classes))
    demands = visits * np.exp(draw.uniform(-1.5, 1.5, (stations, classes)))
    rates = draw.uniform(0.2, 1.0, classes)
    servers = draw.integers(1, 4, stations)
    rates *= draw.uniform(0.5, 0.9) / (demands @ rates / servers).max()
    disciplines = draw.choice(["fcfs", "fcfs", "ps", "priority"], stations).tolist()
    ranked = {"priority": draw.integers(1, 3, classes).tolist()} if "priority" in disciplines else {}
    return ranked | {
        "demands": demands, "visits": visits, "arrival_rate": rates.tolist(), "servers": servers.tolist(),
        "scv": draw.choice([1.0, 1.0, 0.5, 3.0], (stations, classes)),
        "disciplines": disciplines,
    }  # fmt: skip


def with_rates(seed: int) -> dict[str, Any]:
    """The same, of which one station at least has rates that depend on the number present, and never serve slower."""
    given, draw = drawn(seed), np.random.default_rng([817, seed])
    changing = draw.random(len(given["servers"])) < 0.5
    changing[draw.integers(len(changing))] = True
    servers, given["servers"] = given["servers"], np.where(changing, 1, given["servers"])
    rises = [
        [1.0, *(1.0 + draw.uniform(0, 1, most - 1).cumsum()).tolist()] for most in draw.integers(1, 4, len(changing))
    ]
    given["rates"] = [row if here else None for row, here in zip(rises, changing, strict=True)]
    slower = servers / np.where(changing, [row[-1] for row in rises], servers)
    given["arrival_rate"] = [rate / max(float(slower.max()), 1.0) for rate in given["arrival_rate"]]
    return given


OPERATIONS = 5e7
"""The limit of every answer: chains of states that take longer are many, and make no other difference."""
DRAWN = [*map(drawn, range(60)), *map(with_rates, range(60, 100))]


@cache
def solved(seed: int) -> Any:
    """The answer to the demands of one of these networks, which two tests look at."""
    return qnet.Network(**DRAWN[seed]).solve(operations=OPERATIONS)


def model(given: dict[str, Any]) -> str:
    """The same, in the language of models."""
    lines = ["qnet = 1", 'title = "in turn"', "[stations]"]
    for number, (servers, discipline) in enumerate(zip(given["servers"], given["disciplines"], strict=True)):
        rates = given.get("rates", [None] * 9)[number]
        speed = f"servers = {servers}" if rates is None else f"rates = {rates!r}"
        lines.append(f's{number} = {{ {speed}, discipline = "{discipline}" }}')
    for kind, rate in enumerate(given["arrival_rate"]):
        lines += [
            f"[classes.c{kind}]",
            f"priority = {given.get('priority', [0] * 9)[kind]}",
            f'arrival_rate = "{rate!r}/s"',
        ]
        steps = [
            f'{{ station = "s{number}", visits = {visits}, time = "{demand / visits!r} s", scv = {scv} }}'
            for number, (demand, visits, scv) in enumerate(
                zip(*(given[name][:, kind].tolist() for name in ("demands", "visits", "scv")), strict=True)
            )
        ]
        lines.append(f"steps = [ {', '.join(steps)} ]")
    return "\n".join(lines) + "\n"


@many("seed", range(len(DRAWN)))
def test_the_answer_is_that_of_the_model(seed: int) -> None:
    given = DRAWN[seed]
    found, report = solved(seed), qnet.loads(model(given)).solve(operations=OPERATIONS)
    by_class = {row["name"]: row["response_s"] for row in report.records() if row["scope"] == "class"}
    asked = [by_class[f"c{kind}"] for kind in range(len(given["arrival_rate"]))]
    assert found.response == pytest.approx(asked, rel=1e-9)
    # The order of visits is that of the model, but not stated by demands.
    assumed = found.method == "states" and len(given["demands"]) > 1
    assert found.exact == (not assumed and all(note.code != "QN601" for note in report.notes))
    warned = {note.code for note in report.notes if note.severity == "warning"}
    assert {text[-6:-1] for text in found.warnings} == warned


def test_the_networks_have_everything() -> None:
    found = [solved(seed) for seed in range(len(DRAWN))]
    assert {item.method for item in found} == {"open", "qna", "states"}
    assert sum(item.exact for item in found) > 5
    assert sum(bool(item.warnings) for item in found) > 5


def test_a_single_server_is_that_of_pollaczek_and_khinchine() -> None:
    """W = sum of rate x square of the time / 2 (1 - rho): Kleinrock, Queueing Systems I, 1975, section 5.6."""
    found = qnet.Network(TIMES, arrival_rate=RATES, scv=[[4.0, 0.0]]).solve()
    wait = (1.0 * 5.0 * 0.2**2 + 0.8 * 0.5**2) / 2 / (1 - 0.2 - 0.4)
    assert found.response == pytest.approx([wait + 0.2, wait + 0.5])
    assert found.exact and found.method == "open" and not found.warnings


def test_what_is_not_visited_once_is_no_single_queue() -> None:
    found = qnet.Network(TIMES, visits=[[2.0, 1.0]], arrival_rate=RATES).solve()
    assert not found.exact


def test_a_batch_is_its_points() -> None:
    demands = np.array([[[0.2, 0.5], [0.1, 0.3]], [[0.3, 0.3], [0.2, 0.2]], [[0.5, 0.1], [0.0, 0.6]]])
    batch = qnet.Network(demands, arrival_rate=[0.5, 0.7], visits=np.ones(demands.shape)).solve(method="open")
    for number, each in enumerate(demands):
        alone = qnet.Network(each, arrival_rate=[0.5, 0.7], visits=np.ones(each.shape)).solve(method="open")
        assert batch.residence[number] == pytest.approx(alone.residence, rel=1e-12)


def test_a_batch_with_routing_is_its_points() -> None:
    times, routing = [[0.2, 0.5], [0.3, 0.1]], [[0.0, 0.6], [0.5, 0.0]]
    arrivals = np.array([[[rate, 0.4], [0.1, 0.0]] for rate in (0.3, 0.5, 0.0)])
    batch = qnet.Network.from_routing(times, routing, arrivals=arrivals).solve("qna")
    for number, each in enumerate(arrivals):
        alone = qnet.Network.from_routing(times, routing, arrivals=each).solve("qna")
        assert batch.residence[number] == pytest.approx(alone.residence, rel=1e-12)


@pytest.mark.parametrize("method", ["open", "qna"])
def test_a_method_by_name_answers(method: str) -> None:
    found = qnet.Network([[0.2, 0.5], [0.4, 0.1]], arrival_rate=RATES).solve(method=method)
    assert found.method == method
    assert found.response == pytest.approx([1.5, 1.4], rel=0.3)


def test_next_to_a_station_with_rates() -> None:
    """A single server in order by Pollaczek and Khinchine, and p(j) in proportion to load^j / (a(1) ... a(j))."""
    capacities = [1.0, 3.0, 2.0]
    found = qnet.Network(
        [[0.7, 0.2], [0.2, 0.5]], arrival_rate=RATES, scv=[[1.0, 1.0], [4.0, 0.0]], rates=[capacities, None],
        disciplines=["ps", "fcfs"],
    ).solve()  # fmt: skip
    load, weight, present, every = 0.7 + 0.16, 1.0, 0.0, 1.0
    for number in range(1, 400):
        weight *= load / capacities[min(number, 3) - 1]
        present, every = present + number * weight, every + weight
    longer = present / every / load
    wait = (1.0 * 5.0 * 0.2**2 + 0.8 * 0.5**2) / 2 / (1 - 0.2 - 0.4)
    assert found.residence == pytest.approx(np.array([[0.7 * longer, 0.2 * longer], [wait + 0.2, wait + 0.5]]))
    assert not found.exact and not found.warnings


def test_arrivals_that_are_not_poisson_at_a_station_with_rates_are_warned_of() -> None:
    network = qnet.Network([[0.5], [0.6]], arrival_rate=[1.0], scv=[[4.0], [1.0]], rates=[None, [1.0, 2.0]])
    found = network.solve("qna")
    assert [text[-6:-1] for text in found.warnings] == ["QN654"]


def test_many_stations_and_classes_are_answered_soon() -> None:
    draw = np.random.default_rng(3)
    found = qnet.Network(draw.random((60, 20)) / 60, arrival_rate=[0.3] * 20).solve()
    assert found.method == "qna"
    assert np.isfinite(found.response).all()
