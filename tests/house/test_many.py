"""A test of many values runs with all of them, and names those that fail."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from many import many


def test_every_value_that_fails_is_named(tmp_path: Path) -> None:
    ran: list[int] = []

    @many("number", range(5))
    def odd(tmp_path: Path, number: int) -> None:
        ran.append(number)
        assert number % 2, tmp_path

    assert list(inspect.signature(odd).parameters) == ["tmp_path"]
    with pytest.raises(ExceptionGroup, match="3 of 5 values of number") as caught:
        odd(tmp_path=tmp_path)
    assert ran == [0, 1, 2, 3, 4]
    assert [error.__notes__ for error in caught.value.exceptions] == [[f"number = {value}"] for value in (0, 2, 4)]


def test_a_name_that_the_test_does_not_take_is_refused() -> None:
    with pytest.raises(AssertionError):
        many("seed", [1])(lambda number: None)
