"""Tables by column: the answers of `map_rows`, in a table of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import qnet
from qnet.errors import InvalidInput, UsageError
from qnet.questions.map import frames


def by_rows(system: qnet.System, columns: dict[str, list[Any]], **options: Any) -> list[dict[str, Any]]:
    """The answers of the same rows, one mapping each, with None for what is not a number."""
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return [
        {name: None if cell != cell else cell for name, cell in row.items()} for row in system.map_rows(rows, **options)
    ]


def records(table: dict[str, Any]) -> list[dict[str, Any]]:
    """A table as mappings, with None for what is not a number."""
    lists = [np.asarray(column).tolist() for column in table.values()]
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*lists, strict=True)]
    return [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("one-queue", {"rate": [10.0, 50.0, 99.0, 120.0], "id": ["a", "b", "c", "d"]}),
        ("one-queue", {"rate_per_min": [600.0, 1200.0]}),
        ("one-queue", {"rate": ["10/s", "20", "much", "", "5 ms"]}),
        ("one-queue", {"rate": [10, float("nan"), float("inf"), 1e301, -1]}),
        ("ibm-3990-6", {"rate_per_s": [100.0, 900.0, 1200.0]}),
    ],
)
def test_answers_are_those_of_rows(name: str, columns: dict[str, list[Any]]) -> None:
    system = qnet.load(name)
    assert records(system.map(columns)) == by_rows(system, columns)


def test_words_of_a_choice_and_mixed_cells_are_read_as_in_rows() -> None:
    system = qnet.load("zvm-paging")
    (choice,) = [name for name, item in system.parameters.items() if item.options][:1]
    words = [*system.parameters[choice].options, "neither"]
    found = system.map({choice: np.array(words, dtype=object)}, metric="throughput")
    assert records(found) == by_rows(system, {choice: words}, metric="throughput")
    assert list(found["status"][:-1]) == ["ok"] * (len(words) - 1)
    assert "neither" in found["status"][-1]


def test_parts_of_a_table_are_answered_as_the_entire_table(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"rate": np.linspace(1.0, 99.0, 100)}
    system = qnet.load("one-queue")
    entire = system.map(table, metric="response")
    monkeypatch.setattr(frames, "CHUNK", 7)
    assert system.map(table, metric="response")["response_s"].tolist() == entire["response_s"].tolist()


def test_a_table_without_rows_has_the_columns_of_the_answers() -> None:
    answers = qnet.load("one-queue").map({"rate": []}, metric="response", prefix="new_")
    assert list(answers) == ["rate", "new_response_s", "new_method", "new_exactness", "new_status"]
    assert all(len(column) == 0 for column in answers.values())


class Frame:
    """A data frame as the interchange protocol has it."""

    def __init__(self, columns: dict[str, Any], index: Any = None) -> None:
        self.data, self.index = columns, index

    def __dataframe__(self) -> Frame:
        return self

    def column_names(self) -> list[str]:
        return list(self.data)

    def __getitem__(self, name: str) -> Any:
        return self.data[name]


def test_a_data_frame_is_answered_by_one_of_its_kind_with_its_row_labels() -> None:
    answers = qnet.load("one-queue").map(Frame({"rate": [10.0, 20.0]}, index=["x", "y"]), metric="response")
    assert isinstance(answers, Frame) and answers.index == ["x", "y"]
    assert answers["response_s"].tolist() == pytest.approx([1 / 90, 1 / 80])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "the table is int"),
        ([{"rate": 1.0}], "the table is list"),
        ({"rate": [1.0, 2.0], "id": [1]}, 'the columns differ in length: 2 in "rate", 1 in "id"'),
        ({"rate": 1.0}, 'the column "rate" has 0 dimensions'),
        ({"rate": [[1.0]]}, 'the column "rate" has 2 dimensions'),
        ({1: [1.0]}, "the name of a column is 1"),
    ],
)
def test_what_is_no_table_is_refused(table: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        qnet.load("one-queue").map(table)


@pytest.mark.parametrize("column", ["id", "rat"])
def test_a_table_without_a_parameter_is_refused(column: str) -> None:
    with pytest.raises(InvalidInput, match="QN240"):
        qnet.load("one-queue").map({column: [1.0]})
