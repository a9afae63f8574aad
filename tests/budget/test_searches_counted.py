"""How many networks the searches for the largest load solve, and how much is written to compare formulas."""

import pytest

import qnet
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.formula.text import TextLengths, text_of
from qnet.questions.points import points


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the batches that are solved, 1 for a point."""
    result: list[int] = []
    solve = points.solve

    def counted(network: RoutedNetwork, asked: Wanted = AUTO) -> RoutedSolution:
        result.append(network.size or 1)
        return solve(network, asked)

    monkeypatch.setattr(points, "solve", counted)
    return result


@pytest.mark.parametrize(
    ("name", "most"),
    [("ibm-3990-6-burn-through", 60), ("missed-revolutions", 110)],
    ids=["waits inside holds", "times that depend on the solution"],
)
def test_a_largest_load_is_searched_along_the_logarithm_of_what_is_left(name: str, most: int, solves: list[int]):
    """Of five searches, and of three: 91 and 138 solutions along the loads themselves."""
    assert qnet.load(name).bottleneck().records()
    assert len(solves) <= most


def test_the_knees_of_several_rates_are_searched_together(solves: list[int]):
    """Two rates and their mix: 63 solutions one axis after the other."""
    assert qnet.load("ibm-3990-6-burn-through").knee().records()
    assert len(solves) <= 30


def test_the_length_of_a_formula_is_that_of_its_text():
    sympy = pytest.importorskip("sympy")
    a, b = sympy.symbols("a b")
    lengths = TextLengths()
    for formula in (a / 2 + b / 7, (a + b) / (1 - a * b), sympy.Rational(3, 80) * (a + b), 1 - a * b):
        text = text_of(formula)
        assert lengths.of(formula) == lengths.of(formula) == (len(text), text.count("/"))
