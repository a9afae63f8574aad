"""Chains that differ in rates and probabilities only are walked together: as if each were walked alone."""

from __future__ import annotations

import random
from functools import cache
from math import exp
from typing import Any

import numpy as np
import pytest
from model_generator import model

from qnet.documents import parse
from qnet.model.bind import bind
from qnet.model.load import build
from qnet.model.values import Values
from qnet.networks.states.chain import TooLarge, Walk, walk
from qnet.networks.states.compiler import program
from qnet.networks.states.machine import Machine
from qnet.networks.states.program import Node, NotCovered, Program
from qnet.networks.states.shared import Walks

COUNT = 300
MOST = 150


def other(made: Program, dice: random.Random) -> Program:
    """A program with other rates and probabilities."""

    def near(value: float) -> float:
        return value * exp(dice.uniform(-1, 1))

    def ways(choices: tuple[tuple[float, int], ...]) -> tuple[tuple[float, int], ...]:
        weights = [near(share) for share, _ in choices]
        return tuple((weight / sum(weights), after) for weight, (_, after) in zip(weights, choices, strict=True))

    def node(item: Node) -> Node:
        choices = ways(item.choices) if len(item.choices) > 1 and sum(item.choices[0][:1]) < 1 else item.choices
        return item.replace(rate=near(item.rate), choices=choices, speeds=tuple(map(near, item.speeds)))

    arrivals = tuple((near(rate), home) for rate, home in made.arrivals)
    return made.replace(nodes=tuple(map(node, made.nodes)), arrivals=arrivals)


def alone(made: Program, crowd: int) -> Walk | type[Exception]:
    """The walk of one program, or its error."""
    machine = Machine(made, crowd)
    try:
        return walk(machine.start(), machine.moves, MOST)
    except (TooLarge, NotCovered) as error:
        return type(error)


def together(walks: Walks, number: int, crowd: int) -> Walk | type[Exception]:
    """The same, of several."""
    try:
        return walks.of(number, crowd, MOST)[1]
    except (TooLarge, NotCovered) as error:
        return type(error)


@cache
def compiled(seed: int) -> Program | None:
    """The program of a random model, where there is one."""
    built = build(parse(model(seed).text.encode(), "m.toml"), "m.toml")
    try:
        return program(bind(built, Values(built, {}, None)))
    except NotCovered:
        return None


def near(found: Any, wanted: Any) -> bool:
    """Whether rates are the same but for rounding."""
    one, other = np.array(found), np.array(wanted)
    return one.shape == other.shape and bool((np.abs(one - other) <= 1e-14 * np.abs(other)).all())


def same(found: Any, wanted: Any) -> None:
    """Assert that two walks are the same, or end in the same error."""
    if isinstance(wanted, type):
        assert found is wanted
        return
    assert found.states == wanted.states
    assert (found.sources, found.targets) == (wanted.sources, wanted.targets)
    assert near(found.rates, wanted.rates)
    assert found.ended.keys() == wanted.ended.keys()
    for mark, passing in wanted.ended.items():
        assert found.ended[mark].states.tolist() == passing.states.tolist()
        assert near(found.ended[mark].rates, passing.rates)


@pytest.mark.long
def test_programs_are_walked_together_as_each_alone() -> None:
    walked = 0
    for seed in range(COUNT):
        made = compiled(seed)
        if made is None:
            continue
        dice = random.Random(seed)
        programs = [made, other(made, dice), other(made, dice)]
        walks = Walks(programs)
        assert walks.groups == [[0, 1, 2]]
        for number, item in enumerate(programs):
            wanted = alone(item, 2 if made.unbounded else 0)
            same(together(walks, number, 2 if made.unbounded else 0), wanted)
            walked += isinstance(wanted, Walk)
    assert walked > COUNT / 2


@pytest.mark.long
def test_programs_of_other_states_are_walked_apart() -> None:
    built = [compiled(seed) for seed in range(COUNT)]
    made = next(item for item in built if item is not None and len(item.homes) == 1)
    more = made.replace(homes=((made.homes[0][0] + 1, made.homes[0][1]),))
    assert Walks([made, more, made]).groups == [[0, 2], [1]]
