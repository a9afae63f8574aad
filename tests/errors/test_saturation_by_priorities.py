"""The saturation of open classes beside closed ones that are served before them, against Markov chains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chain import stationary

import qnet
from qnet.errors import NoAnswer

TEXT = """
qnet = 1
title = "terminals before batch"
[parameters]
rate = "5/s"
users = 3
[stations]
cpu = { discipline = "DISCIPLINE" }
[classes.term]
population = "users"
think_time = "300 ms"
priority = 1
steps = [ { station = "cpu", time = "50 ms" } ]
[classes.batch]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "50 ms" } ]
"""
THINK, SERVICE = 0.3, 0.05


def system(folder: Path, discipline: str) -> qnet.System:
    path = folder / "model.toml"
    path.write_text(TEXT.replace("DISCIPLINE", discipline))
    return qnet.load(str(path))


def saturated(users: int, preemptive: bool) -> float:
    """Batch work per second where there is always some: the chain of the users at the processor."""

    def moves(state: tuple[int, bool]) -> Iterator[tuple[float, tuple[int, bool]]]:
        here, batch = state
        yield (users - here) / THINK, (here + 1, batch and not preemptive)
        if batch:
            yield 1 / SERVICE, (here, here == 0)
        else:
            yield 1 / SERVICE, (here - 1, here == 1)

    shares = stationary((0, True), lambda state: (move for move in moves(state) if move[0] > 0))
    return sum(share for (_, batch), share in shares.items() if batch) / SERVICE


@pytest.mark.parametrize(("discipline", "users", "near"), [
    ("preemptive", 3, 1e-9), ("preemptive", 5, 1e-9), ("priority", 3, 0.01), ("priority", 2, 0.01),
])  # fmt: skip
def test_the_saturation_throughput_is_what_the_others_leave(
    tmp_path: Path, discipline: str, users: int, near: float
) -> None:
    """It was 20/s, the processor without the users, for 11.8 and 12.7."""
    exact = saturated(users, discipline == "preemptive")
    model = system(tmp_path, discipline)
    for share in (0.1, 0.5, 0.9):
        solved = model.set(rate=f"{share * exact}/s", users=users).solve()
        (row,) = (row for row in solved.records() if (row["scope"], row["name"]) == ("class", "batch"))
        assert row["maximum_throughput_per_s"] == pytest.approx(exact, rel=near)
        assert row["limited_by"] == "cpu"
        # Beside the exact answer of the chain, a search by an approximation is named.
        approximate = any(note.code == "QN707" for note in solved.notes)
        assert approximate == (discipline == "priority")


@pytest.mark.parametrize("discipline", ["preemptive", "priority"])
def test_the_error_above_saturation_names_it(tmp_path: Path, discipline: str) -> None:
    """It named the stated rate."""
    with pytest.raises(NoAnswer) as refused:
        system(tmp_path, discipline).set(rate="15/s").solve()
    words = str(refused.value.problems[0].help).split()
    found = next(float(word[: word.index("/s")]) for word in words if "/s" in word)
    assert found == pytest.approx(saturated(3, discipline == "preemptive"), rel=0.02)


@pytest.mark.parametrize("discipline", ["preemptive", "priority"])
def test_an_envelope_up_to_saturation_converges(tmp_path: Path, discipline: str) -> None:
    """Rounds near saturation did not converge: QN511."""
    model = system(tmp_path, discipline)
    (row,) = model.envelope(limit="response('batch') <= 1 s", vary="rate").records()
    assert row["rate_per_s"] < saturated(3, discipline == "preemptive")
    assert row["method"] == "states"
    at_limit = model.set(rate=f"{row['rate_per_s']}/s").solve().records()
    (batch,) = (item for item in at_limit if (item["scope"], item["name"]) == ("class", "batch"))
    assert batch["response_s"] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("discipline", ["preemptive", "priority"])
def test_an_envelope_by_the_approximation_is_near_that_of_the_chain(tmp_path: Path, discipline: str) -> None:
    model = system(tmp_path, discipline)
    limits = {"limit": "response('batch') <= 1 s", "vary": "rate"}
    (row,), (searched,) = (model.envelope(**limits, method=name).records() for name in ("auto", "priority-mva"))
    assert (row["method"], searched["method"]) == ("states", "priority-mva")
    assert searched["rate_per_s"] == pytest.approx(row["rate_per_s"], rel=0.02)


STARVED = """
qnet = 1
title = "a station that closed customers keep nearly busy"
[stations]
front = { servers = 3, discipline = "lcfs-pr" }
back = { discipline = "preemptive" }
[classes.first]
priority = 2
population = 7
think_time = "2.6 s"
steps = [ { station = "front", time = "2.6 s" }, { station = "back", visits = 2, time = "3.4 s" } ]
[classes.rest]
arrival_rate = "0.43/s"
steps = [ { station = "front", visits = 2, time = "0.26 s" }, { station = "back", visits = 2, time = "0.61 s" } ]
"""


def test_a_search_without_an_end_gives_no_figure():
    """It took all operations of the command, and refused it for them."""
    with pytest.raises(NoAnswer) as refused:
        qnet.loads(STARVED).solve(method="priority-mva")
    problem = refused.value.problems[0]
    assert (problem.code, '"back" is saturated' in problem.found) == ("QN401", True)
    assert problem.help.startswith("the saturation throughput is lower")
