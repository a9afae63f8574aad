"""Fitted and announced exponents."""

import pytest
from growth import announced, exponent


@pytest.mark.parametrize(
    ("cost", "word", "expected"),
    [
        ("population x different stations", "population", 1),
        ("population x different stations", "stations", 1),
        ("population x different stations", "classes", 0),
        ("core solutions x classes^2 x stations", "classes", 2),
        ("population x servers; for rates of every number population^2", "population", 3),
        ("pairs of stations, stations^3", "stations", 4),
    ],
)
def test_a_cost_names_the_exponent_of_a_word(cost: str, word: str, expected: float) -> None:
    assert announced(cost, word) == expected


@pytest.mark.parametrize("power", [0.0, 1.0, 2.5])
def test_a_power_law_has_its_exponent(power: float) -> None:
    sizes = [10.0, 100.0, 1000.0]
    assert exponent(sizes, [3e-6 * size**power for size in sizes]) == pytest.approx(power, abs=1e-12)
