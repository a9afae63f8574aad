"""Closed customers that are lost where a buffer is full, with work after the drain at the station that fills it.

The drain takes constant times and is nearly always busy: it completes 1 / 1.31 s, which no buffer of many places
changes by 0.2 %. A simulation of 10 customers and 12 places has 0.76336/s.
"""

from __future__ import annotations

import numpy as np
import pytest
from full import long_but

import qnet
from qnet.documents import parse
from qnet.model.load import build
from qnet.networks.wanted import AUTO
from qnet.questions.points.points import solve_points

TEXT = """
qnet = 1
title = "log"
[parameters]
people = 10
size = 12
[buffers]
log = { places = "size", full = "lost" }
[stations]
s1 = { discipline = "DISCIPLINE" }
drain = { discipline = "DISCIPLINE" }
[classes.a]
population = "people"
think_time = "3 s"
steps = [
  { fill = "log" },
  { station = "s1", time = "0.737 s", scv = 0 },
  { station = "drain", time = "1.31 s", scv = 0, phase = 2, drains = "log" },
  { station = "s1", time = "0.442 s", scv = 0, phase = 2 },
]
"""
DRAINED = 1.0 / 1.31


@pytest.mark.parametrize("discipline", long_but(["priority", "fcfs", "ps"], "ps"))
def test_a_drain_that_is_always_busy_decides_the_throughput(discipline: str) -> None:
    """As one batch, whose points need different numbers of rounds and come nearer in different ones."""
    text = TEXT.replace("DISCIPLINE", discipline)
    if discipline == "ps":
        text = text.replace(", scv = 0", "")
    model = build(parse(text.encode(), "log.toml"), "log.toml")
    points = {"people": np.array([10.0, 8.0, 15.0, 10.0]), "size": np.array([12.0, 12.0, 12.0, 8.0])}
    # Its chain has too many states in every case, which takes a second to see.
    (part,) = solve_points(model, points, 4, asked=AUTO.replace(chain=0)).parts
    lower = 0.98 if discipline == "ps" else 0.998
    found = part.solution.throughput / DRAINED
    assert np.all((lower <= found) & (found <= 1 + 1e-9)), found
    assert not part.solution.exact


STREAM = """
qnet = 1
title = "stream"
[parameters]
size = 3000
rate = "50/s"
[buffers]
log = { places = "size", full = "lost" }
[stations]
drain = { discipline = "DISCIPLINE" }
[classes.a]
arrival_rate = "rate"
steps = [ { fill = "log" }, { station = "drain", time = "10 ms", scv = SCV, phase = 2, drains = "log" } ]
"""


@pytest.mark.parametrize(("discipline", "scv", "waiting"), [("fcfs", 0.0, 0.5), ("fcfs", 0.5, 0.75), ("ps", 0.0, 1.0)])
def test_so_many_places_that_none_is_lost_are_an_unlimited_line(discipline: str, scv: float, waiting: float) -> None:
    """The wait of Pollaczek and Khinchine, (1 + scv) / 2 of that of exponential times; shared, by the mean alone."""
    system = qnet.loads(STREAM.replace("DISCIPLINE", discipline).replace("SCV", str(scv)))
    assert system.metric("wait('drain')") == pytest.approx(0.01 * waiting, rel=1e-12)
    assert system.metric("found_full('log')") == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("rate", [60.0, 99.0, 100.0, 101.0, 130.0])
def test_one_place_more_than_are_followed_one_by_one_changes_little(rate: float) -> None:
    """Up to 200 places, each is a state; beyond, the line is a geometric one with the mean of the unlimited line.

    At 99 a second, the place more itself takes 2 % of the losses away.
    """
    system = qnet.loads(STREAM.replace("DISCIPLINE", "fcfs").replace("SCV", "0.0"))
    followed, fitted = (system.set(rate=rate, size=size) for size in (200, 201))
    assert fitted.metric("wait('drain')") == pytest.approx(followed.metric("wait('drain')"), rel=0.01)
    assert fitted.metric("found_full('log')") == pytest.approx(
        followed.metric("found_full('log')"), rel=0.025, abs=1e-9
    )


@pytest.mark.long
def test_a_buffer_that_is_often_full_is_warned_of(tmp_path) -> None:
    file = tmp_path / "log.toml"
    file.write_text(TEXT.replace("DISCIPLINE", "priority"))
    assert "QN670" in {note.code for note in qnet.load(str(file)).set(size=5).solve().notes}
