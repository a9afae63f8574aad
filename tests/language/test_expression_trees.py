"""The tree of an expression: every operand is visited, in the order of the text."""

import pytest

from qnet.expression.nodes import Name, Number, walk
from qnet.expression.parse import parse


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("-a", ["a"]),
        ("-(a + b)", ["a", "b"]),
        ("a * -b - c", ["a", "b", "c"]),
        ("max(a, -b, c / d)", ["a", "b", "c", "d"]),
    ],
)
def test_a_walk_visits_every_operand_in_the_order_of_the_text(text: str, names: list[str]) -> None:
    assert [node.name for node in walk(parse(text).root) if isinstance(node, Name)] == names


def test_a_walk_goes_below_a_minus_of_a_minus() -> None:
    found = [node.value for node in walk(parse("-(-7 * a)").root) if isinstance(node, Number)]
    assert [abs(value) for value in found] == [7.0]
