"""What is known of a symbol, and what a word after a unit is."""

from __future__ import annotations

import pytest

from qnet.expression import check, evaluate, parse, symbols
from qnet.units import NUMBER, unit

SECONDS = unit("s").dimension


@pytest.mark.parametrize(
    ("least", "positive", "nonnegative"),
    [
        (None, None, None),
        (-1.0, None, None),
        (0.0, None, True),
        (0.5, True, True),
        (1.0, True, True),
        (2.0, True, True),
    ],
)
def test_a_symbol_is_real_and_as_large_as_it_is_known_to_be(
    least: float | None, positive: bool | None, nonnegative: bool | None
):
    symbol = symbols().symbol("x", least)
    assert symbol.is_real is True
    assert (symbol.is_positive, symbol.is_nonnegative) == (positive, nonnegative)


@pytest.mark.parametrize("text", ["10 ms/hits", "10 ms / hits", "10 ms*hits/hits/hits"])
def test_a_word_behind_a_unit_that_is_no_unit_is_a_name(text: str):
    root = parse(text).root
    assert check(root, {"hits": NUMBER}, {}) == SECONDS
    assert evaluate(root, {"hits": 4.0}) == pytest.approx(0.0025)


@pytest.mark.parametrize("text", ["10 ms/s", "10 ms/min", "8 KiB/ms"])
def test_a_word_behind_a_unit_that_is_a_unit_is_part_of_it(text: str):
    assert evaluate(parse(text).root, {"s": 3.0, "min": 3.0, "ms": 3.0}) == evaluate(parse(text).root, {})


@pytest.mark.parametrize(("text", "powers"), [("t**-1", -1), ("t**+2", 2), ("t**-2", -2), ("t**2", 2), ("t**+1", 1)])
def test_a_power_has_the_dimension_of_so_many_factors(text: str, powers: int):
    expected = NUMBER.times(SECONDS, powers)
    assert check(parse(text).root, {"t": SECONDS}, {}) == expected


def test_the_extreme_of_symbols_is_of_all_of_them():
    one, other = (symbols().symbol(name) for name in "xy")
    assert symbols().extreme("Min", [one]) is one
    for name, found in (("Min", 2.0), ("Max", 3.0)):
        assert symbols().extreme(name, [one, other]).subs({one: 3.0, other: 2.0}) == found
