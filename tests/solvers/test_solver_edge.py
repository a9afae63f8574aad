"""Where the steady state ends, found without solving there, is where solving finds its end."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from many import many

from qnet.documents import parse
from qnet.errors import NoAnswer
from qnet.model.load import build, load
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.questions.points.points import solve_points
from qnet.questions.points.saturation import JUST_BELOW, limiting, saturation


def model(seed: int) -> Model:
    """Open classes at a few stations, beside a limit, and beside a closed class in every third model."""
    random = Random(seed)
    names = [f"s{place}" for place in range(random.randint(1, 5))]
    lines = ["qnet = 1", 'title = "Edge"', "[parameters]", 'load = "1"', "[stations]"]
    lines += [f"{name} = {{ servers = {random.randint(1, 4)}, copies = {random.randint(1, 2)} }}" for name in names]
    for number in range(random.randint(1, 3)):
        lines += [f"[classes.open{number}]", f'arrival_rate = "load * {random.uniform(0.01, 3):.4f}/s"', "steps = ["]
        lines += [_visit(random, name) for name in names if random.random() < 0.8] or [_visit(random, names[0])]
        lines.append("]")
    if seed % 3 == 0:
        lines += ["[classes.closed]", "population = 4", 'think_time = "1 s"', "steps = ["]
        lines += [*(_visit(random, name) for name in names), "]"]
    if random.random() < 0.5:
        lines += ["[limits.channel]", f'load = "load * {random.uniform(0.1, 1):.4f}"', 'capacity = "1"']
    return build(parse("\n".join(lines).encode(), "model.toml"), "model.toml")


def _visit(random: Random, name: str) -> str:
    return f'  {{ station = "{name}", time = "{random.uniform(1, 500):.3f} ms" }},'


@pytest.mark.long
@many("seed", range(30))
def test_the_edge_is_where_solving_ends(seed: int) -> None:
    asked = model(seed)
    try:
        solved = solve_points(asked)
    except NoAnswer:
        assert seed % 3 == 0
        return
    edge = saturation(asked, solved)
    below = solve_points(asked, load_factor=edge.factor * JUST_BELOW)
    assert below.stable
    assert edge.cause == limiting(below.parts[0])
    assert below.load == pytest.approx(1, rel=1e-8)


@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_a_batch_ends_where_each_of_its_points_does(seed: int) -> None:
    asked = model(seed)
    factors = np.array([1e-3, 0.5, 40.0])
    batch = saturation(asked, solve_points(asked, {"load": factors}, 3), {"load": factors})
    for factor, found, cause in zip(factors, batch.factor, batch.cause, strict=True):
        varied = {"load": float(factor)}
        alone = saturation(asked, solve_points(asked, varied), varied)
        assert (found, cause) == (pytest.approx(alone.factor, rel=1e-12), alone.cause)


@pytest.mark.parametrize(
    "settings", [{}, {"rate": "5000/s"}, {"rate": "1e-6/s"}, {"volumes": "16", "hot_volumes": "4"}]
)
def test_waits_for_a_station_fill_nobody_below_its_capacity(settings: dict[str, str]) -> None:
    """Neither volumes nor the drives inside them, which are busy longer, fill by waiting for the paths."""
    asked = with_settings(load("ibm-3990-6"), settings)
    solved = solve_points(asked)
    edge = saturation(asked, solved)
    assert (edge.factor, edge.cause) == (1 / solved.certain_load, "back_end")
    assert solve_points(asked, load_factor=edge.factor * JUST_BELOW).stable


@pytest.mark.parametrize("settings", [{"skew": "2"}, {"volumes": "4", "hot_volumes": "1"}])
def test_where_some_outer_copies_fill_first_the_steady_state_ends_there(settings: dict[str, str]) -> None:
    """Hot drives, or all of a few, are full below the capacity of the paths."""
    asked = with_settings(load("ibm-3990-6"), settings)
    solved = solve_points(asked)
    edge = saturation(asked, solved)
    assert edge.factor < 1 / solved.certain_load
    assert solve_points(asked, load_factor=edge.factor).stable
    assert not solve_points(asked, load_factor=edge.factor * (1 + 1e-12)).stable


def test_a_batch_of_holds_ends_where_each_of_its_points_does() -> None:
    asked = load("ibm-3990-6")
    varied = {"cu.miss_remainder": np.array([0.02, 0.008, 0.0]), "volumes": np.array([64.0, 20.0, 64.0])}
    batch = saturation(asked, solve_points(asked, varied, 3), varied)
    for point in range(3):
        own = {name: float(values[point]) for name, values in varied.items()}
        alone = saturation(asked, solve_points(asked, own), own)
        assert batch.factor[point] == pytest.approx(alone.factor, rel=1e-12)
        assert batch.cause[point] == alone.cause
