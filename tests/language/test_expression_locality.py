"""Miss ratios and lifetimes as powers of a known point."""

from __future__ import annotations

import math

import numpy as np
import pytest

import qnet
from qnet.expression import ExpressionError, arrays, check, evaluate, parse, symbols
from qnet.units import DATA, NUMBER, TIME


def value(text: str, **names: float) -> float:
    return evaluate(parse(text).root, names)


KNOWN = ["cache_miss(4, 4, 0.3, 0.25)", "residency_miss(60, 60, 0.3, 0.25)", "lifetime(9, 9, 0.3, 2)"]


@pytest.mark.parametrize("text", [*KNOWN, "lifetime_s(9, 9, 0.3)"])
def test_every_function_passes_through_the_known_point(text: str):
    assert value(text) == pytest.approx(0.3, rel=1e-15)


def test_twice_the_cache_at_a_quarter_saves_a_fifth_of_the_misses():
    """2^(-1/3): McNutt's exponent theta / (1 - theta) is a third at 0.25."""
    assert value("cache_miss(8, 4, 0.3, 0.25)") == pytest.approx(0.3 * 2 ** (-1 / 3), rel=1e-14)


@pytest.mark.parametrize("theta", [0.1, 0.25, 0.4])
def test_size_and_residency_are_one_model(theta: float):
    """Size = misses x stay x item by Little's law, with a stay of residency / (1 - theta)."""

    def size(residency: float) -> float:
        return value("residency_miss(r, 60, 0.3, t)", r=residency, t=theta) * residency / (1 - theta)

    for residency in (30.0, 60.0, 400.0):
        by_time = value("residency_miss(r, 60, 0.3, t)", r=residency, t=theta)
        by_size = value("cache_miss(s, s0, 0.3, t)", s=size(residency), s0=size(60), t=theta)
        assert by_time == pytest.approx(by_size, rel=1e-12)


def test_twice_the_memory_squares_with_the_exponent():
    assert value("lifetime(18, 9, 0.3, 2)") == pytest.approx(1.2, rel=1e-14)


def test_less_memory_than_a_byte_and_an_exponent_below_one_are_in_the_domain():
    assert value("lifetime(0.25, 1, 8, 0.5)") == pytest.approx(4.0, rel=1e-14)


def test_no_more_than_everything_is_missed():
    assert value("cache_miss(0.001, 4, 0.3, 0.25)") == 1
    assert value("residency_miss(0.001, 60, 0.3, 0.25)") == 1


def test_a_lifetime_like_an_s_tends_to_twice_the_half():
    assert value("lifetime_s(1e9, 9, 0.3)") == pytest.approx(0.6)
    assert value("lifetime_s(0.9, 9, 0.3)") == pytest.approx(0.6 / 101)


@pytest.mark.parametrize(
    "text",
    ["cache_miss(0, 4, 0.3, 0.25)", "cache_miss(4, 4, 0.3, 1)", "cache_miss(4, 4, 0.3, 0)", "lifetime(0, 1, 1, 2)",
     "residency_miss(-1, 60, 0.3, 0.25)", "lifetime_s(0, 9, 0.3)", "lifetime(1, 1, 1, -2)"],
)  # fmt: skip
def test_outside_its_domain_a_function_says_so(text: str):
    with pytest.raises(ExpressionError) as caught:
        value(text)
    assert caught.value.code == "QN130"


def test_arrays_are_their_points_and_not_a_number_outside():
    sizes = np.array([1.0, 4.0, 9.0, 0.0])
    with np.errstate(divide="ignore"):
        found = evaluate(parse("cache_miss(s, 4, 0.3, 0.25)").root, {"s": sizes}, arrays())
    expected = [value("cache_miss(s, 4, 0.3, 0.25)", s=float(size)) for size in sizes[:3]]
    assert found[:3] == pytest.approx(expected, rel=1e-14)
    assert math.isnan(found[3])


def test_symbols_are_the_formula():
    import sympy

    s = sympy.Symbol("s", positive=True)
    found = evaluate(parse("lifetime(s, 9, 0.3, 2)").root, {"s": s}, symbols())
    assert float(found.subs(s, 12)) == pytest.approx(value("lifetime(12, 9, 0.3, 2)"), rel=1e-14)


def test_the_result_has_the_dimension_of_the_known_figure():
    names = {"m": DATA, "e": TIME, "k": NUMBER}
    assert check(parse("lifetime(m, 4 MiB, e, k)").root, names, {}) == TIME
    for text, told in (("lifetime(m, e, e, k)", "same unit"), ("lifetime(m, m, e, e)", "exponent is a plain number")):
        with pytest.raises(ExpressionError) as caught:
            check(parse(text).root, names, {})
        assert told in f"{caught.value} {caught.value.help}"


def test_more_cache_brings_the_response_down():
    system = qnet.load("examples/cache-size.toml")
    responses = [system.set(cache=cache).metric("response") for cache in ("2 GiB", "4 GiB", "32 GiB")]
    assert responses == sorted(responses, reverse=True)
    assert system.metric("hit_ratio") == pytest.approx(0.7)
