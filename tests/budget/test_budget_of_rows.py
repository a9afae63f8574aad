"""The operations of a map: one account of all rows, which a million cheap rows never spend and few heavy ones do."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import qnet
from qnet import budget
from qnet.errors import NotComputed
from qnet.networks.wanted import AUTO
from qnet.questions.map import map as rows_of
from qnet.questions.map.map import Mapper, map_csv
from qnet.questions.map.row_budget import ROWS, RowBudget


@pytest.fixture
def charged(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Rows of `one-queue` that take so many operations each, besides what they take."""

    def charge(each: float) -> None:
        solve = rows_of.solve_table

        def heavy(model: Any, columns: Any, size: int, *rest: Any) -> Any:
            budget.spend(each * size, "the rows of the test")
            return solve(model, columns, size, *rest)

        monkeypatch.setattr(rows_of, "solve_table", heavy)

    return charge


def text(count: int) -> Iterator[str]:
    yield "rate,id\n"
    yield from (f"5,id{number}\n" for number in range(count))


def mapped(count: int) -> tuple[Mapper, list[str]]:
    mapper = Mapper(qnet.load("one-queue"), ["response"])
    return mapper, "".join(map_csv(mapper, text(count))).splitlines()[1:]


def test_few_heavy_rows_end_with_the_operations_of_one_command(charged: Callable[[float], None]):
    charged(1e9)
    mapper, lines = mapped(50)
    # 1, 2 and 4 rows are solved at once; with 8 more they would be 15 s.
    assert mapper.answered == 7 and mapper.budget.spent < 1e10 + 8e9
    assert [line for line in lines if ",open,exact,ok" in line] == lines[:7]
    assert all("stopped after 1.0e+10 operations" in line for line in lines[7:])
    assert [line.split(",")[1] for line in lines] == [f"id{number}" for number in range(50)]


def test_what_ends_a_map_says_what_is_solved_and_what_the_rest_would_take(charged: Callable[[float], None]):
    charged(1e9)
    mapper, _ = mapped(50)
    with pytest.raises(NotComputed, match="the first 7 of 50 are solved") as caught:
        mapper.finish()
    assert caught.value.exit_code == 5
    help = caught.value.problems[0].help
    asked = float(help.split("--operations ")[1])
    mapper = Mapper(qnet.load("one-queue"), ["response"], AUTO.replace(operations=asked))
    list(map_csv(mapper, text(50)))
    assert mapper.answered == 50
    mapper.finish()


def test_rows_that_are_cheap_enough_go_on_for_ever(charged: Callable[[float], None]):
    charged(0.9 * budget.OPERATIONS / ROWS)
    mapper, lines = mapped(3000)
    assert mapper.answered == len(lines) == 3000
    assert mapper.budget.spent > 20 * budget.OPERATIONS
    mapper.finish()


def test_a_row_has_the_trials_that_it_has_alone_wherever_it_stands():
    rows = RowBudget(AUTO)
    with rows.chunk(1):
        alone = budget.trial_left()
        budget.spend(4e9)
    with rows.chunk(1):
        assert budget.trial_left() == alone


def test_no_row_is_solved_after_the_operations_are_spent():
    rows = RowBudget(AUTO)
    with pytest.raises(budget.OverBudget), rows.chunk(1):
        budget.spend(2e10)
    with pytest.raises(budget.OverBudget, match="for 1 rows"), rows.chunk(10_000):
        raise AssertionError
