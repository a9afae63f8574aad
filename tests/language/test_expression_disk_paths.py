"""Revolutions that disks lose where their paths are busy."""

from __future__ import annotations

import numpy as np
import pytest

import qnet
from qnet.errors import NoAnswer
from qnet.expression import ExpressionError, arrays, check, evaluate, parse, symbols
from qnet.units import NUMBER, TIME, format_number

OPEN = """
qnet = 1
title = "disks"
[stations]
disk = { copies = 4 }
path = { delay = true }
[classes.io]
arrival_rate = "50/s"
steps = [ { hold = "disk", steps = [
  { time = "10 ms" },
  { time = "missed_revolutions(busy_servers('path'), 1, 4) * 16 ms" },
  { station = "path", time = "8 ms" } ] } ]
"""


def missed(busy: float, paths: float, disks: float) -> float:
    return evaluate(parse(f"missed_revolutions({busy}, {paths}, {disks})").root, {})


@pytest.mark.parametrize(("busy", "disks"), [(0.1, 2), (0.5, 8), (0.9, 64)])
def test_one_path_is_as_printed(busy: float, disks: int):
    """Lazowska et al. 1984, algorithm 10.2: the others' utilization of the channel over what is left of it."""
    assert missed(busy, 1, disks) == pytest.approx((busy - busy / disks) / (1 - busy), rel=1e-12)


def test_several_paths_are_busy_independently():
    """Of two paths each is busy with seven disks for (1.2 - 0.15) / 2 of the time that the eighth does not use."""
    every = ((1.2 - 0.15) / 2 / (1 - 0.15)) ** 2
    assert missed(1.2, 2, 8) == pytest.approx(every / (1 - every), rel=1e-12)


@pytest.mark.parametrize(("paths", "disks"), [(1, 1), (2, 2), (4, 2)])
def test_nothing_is_missed_where_every_disk_has_a_path(paths: int, disks: int):
    assert missed(0.7, paths, disks) == 0


def test_paths_that_are_always_busy_let_hardly_anybody_in():
    assert missed(1.0, 1, 8) > 1e6
    assert missed(3.0, 1, 2) > 1e6


def test_arrays_and_symbols_are_as_floats():
    root = parse("missed_revolutions(b, 2, 8)").root
    busy = np.array([0.1, 1.2, 1.9])
    assert evaluate(root, {"b": busy}, arrays()) == pytest.approx([missed(b, 2, 8) for b in busy], rel=1e-12)
    import sympy

    name = sympy.Symbol("b", positive=True)
    assert float(evaluate(root, {"b": name}, symbols()).subs(name, 1.2)) == pytest.approx(missed(1.2, 2, 8), rel=1e-12)


def test_plain_numbers_only():
    with pytest.raises(ExpressionError) as caught:
        check(parse("missed_revolutions(a, b, 8)").root, {"a": NUMBER, "b": TIME}, {})
    assert caught.value.code == "QN120"


def test_an_open_disk_is_held_for_what_its_path_makes_it_miss(tmp_path):
    """Arrivals say how busy the path is, so that the holding time is known beforehand."""
    path = tmp_path / "disks.toml"
    path.write_text(OPEN)
    rows = qnet.load(str(path)).solve().records()
    disk = next(row for row in rows if row["scope"] == "station" and row["name"] == "disk")
    assert disk["holding_s"] == pytest.approx(0.010 + (0.4 - 0.1) / 0.6 * 0.016 + 0.008, rel=1e-9)


@pytest.mark.parametrize("rate", [405, 450, 600, 100000])
def test_the_largest_rate_is_told_whatever_rate_is_asked(tmp_path, rate: int):
    """Disks are full by what their two paths make them miss: where rate / 4 x (10 + missed x 16 + 8) ms is 1."""
    path = tmp_path / "disks.toml"
    path.write_text(OPEN.replace("50/s", f"{rate}/s").replace(", 1, 4)", ", 2, 4)"))
    low, high = 1.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        full = middle / 4 * (0.018 + 0.016 * missed(middle * 0.008, 2, 4)) >= 1
        low, high = (low, middle) if full else (middle, high)
    with pytest.raises(NoAnswer, match=f"saturation throughput is {format_number(low, 6)}/s"):
        qnet.load(str(path)).solve()
