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


def test_of_rows_that_are_heavy_together_as_many_are_solved_as_a_command_may(charged: Callable[[float], None]):
    charged(1e9)
    mapper, lines = mapped(50)
    # 1, 2 and 4 rows are solved at once; 8 more would be 15 s, and some of them are solved alone.
    assert 7 < mapper.answered <= 10 and mapper.budget.spent <= 1e10
    solved = [",open,exact,ok" in line for line in lines]
    assert solved[:7] == [True] * 7 and sum(solved) == mapper.answered
    assert all("stopped after" in line for line, good in zip(lines, solved, strict=True) if not good)
    assert [line.split(",")[1] for line in lines] == [f"id{number}" for number in range(50)]


def test_what_is_not_solved_is_counted_and_would_be_with_what_is_advised(charged: Callable[[float], None]):
    charged(1e9)
    mapper, _ = mapped(50)
    with pytest.raises(NotComputed, match=f"{50 - mapper.answered} of 50 rows are not solved") as caught:
        mapper.finish()
    assert caught.value.exit_code == 5
    asked = float(caught.value.problems[0].help.split("--operations ")[1].split(",")[0])
    mapper = Mapper(qnet.load("one-queue"), ["response"], AUTO.replace(operations=asked))
    list(map_csv(mapper, text(50)))
    assert mapper.answered == 50
    mapper.finish()


@pytest.mark.parametrize("heavy", [0, 9, 40])
def test_one_row_that_takes_too_much_leaves_the_others_solved(heavy: int, monkeypatch: pytest.MonkeyPatch):
    solve = rows_of.solve_table

    def once(model: Any, columns: Any, size: int, *rest: Any) -> Any:
        budget.spend(1e12 if 1e-3 in list(columns["rate"]) else 0.0, "the rows of the test")
        return solve(model, columns, size, *rest)

    monkeypatch.setattr(rows_of, "solve_table", once)
    lines = ["rate\n", *("0.001\n" if number == heavy else "5\n" for number in range(60))]
    mapper = Mapper(qnet.load("one-queue"), ["response"])
    answers = "".join(map_csv(mapper, iter(lines))).splitlines()[1:]
    assert [number for number, line in enumerate(answers) if not line.endswith(",ok")] == [heavy]
    assert mapper.budget.spent < 1e9


def test_a_row_that_has_spent_nearly_all_leaves_room_for_cheap_ones():
    rows = RowBudget(AUTO)

    def worked(_: range) -> None:
        for _ in range(1000):
            budget.spend(1e8)

    ((_, error),) = rows.solve(1, worked)
    assert isinstance(error, budget.OverBudget)
    assert rows.spent > 0.9 * budget.OPERATIONS
    assert rows.solve(64, len) == [(range(64), 64)]


def test_rows_that_are_cheap_enough_all_go_through(charged: Callable[[float], None]):
    charged(0.9 * budget.OPERATIONS / ROWS)
    mapper, lines = mapped(3000)
    assert mapper.answered == len(lines) == 3000
    assert mapper.budget.spent > 20 * budget.OPERATIONS
    mapper.finish()


def test_a_row_has_the_trials_that_it_has_alone_wherever_it_stands():
    rows = RowBudget(AUTO)

    def left(_: range) -> float:
        result = budget.trial_left()
        budget.spend(4e9)
        return result

    assert rows.solve(1, left)[0][1] == rows.solve(1, left)[0][1]
