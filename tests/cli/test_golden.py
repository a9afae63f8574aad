"""The golden cases of all commands but those that solve a model at many points; see `golden_cases`."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from golden_cases import (
    ABSOLUTE,
    CASES,
    GOLDEN,
    MADE,
    RELATIVE,
    SEARCHES,
    agree,
    check,
    read,
    run_case,
    tolerances,
)

ALONE = ("solve/table", "wrong/unknown-system")
"""An answer and a failure, for the streams and the exit code of a process of its own."""


@pytest.mark.parametrize("case", [case for case in CASES if case.split("/")[0] not in SEARCHES])
def test_command(case: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    check(case, tmp_path, request.config)


@pytest.mark.parametrize("case", ALONE)
def test_a_process_of_its_own_answers_alike(case: str, tmp_path: Path) -> None:
    answer = run_case(case, tmp_path / "case", alone=True)
    assert (answer.err, answer.code) == (read(GOLDEN / case, "err"), int(read(GOLDEN / case, "rc")))
    assert agree(read(GOLDEN / case, "out"), answer.out, *tolerances(GOLDEN / case))


def test_inputs_are_made_for_cases_that_exist() -> None:
    assert set(MADE) <= set(CASES)


def test_every_command_has_a_case() -> None:
    from qnet.cli.commands import COMMANDS

    used = {shlex.split((GOLDEN / case / "cmd").read_text())[1] for case in CASES}
    assert set(COMMANDS) <= used


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a,b_s\nx,0.1\n", "a,b_s\nx,0.10000000000000002\n", True),
        ("a,b_s\nx,0.1\n", "a,b_s\nx,0.1001\n", False),
        ("a,b_s\nx,0.1\n", "a,b_s\ny,0.1\n", False),
        ("a,b_s\nx,0.1\n", "a,b_s\nx,0.1\nx,0.1\n", False),
        ("a,b_s\nx,\n", "a,b_s\nx,0\n", False),
        ('{"a": [1.5, "x"]}\n', '{"a": [1.5000000000000002, "x"]}\n', True),
        ('{"a": 1.5}\n', '{"a": "1.5"}\n', False),
        ('{"a": 1.5}\n', '{"b": 1.5}\n', False),
        ('{"a": 1.5}\n{"a": 2}\n', '{"a": 1.5}\n{"a": 2.0}\n', True),
        ("a table of 0.1\n", "a table of 0.10000000000000002\n", False),
    ],
)
def test_what_agrees(one: str, other: str, same: bool) -> None:
    assert agree(one, other, RELATIVE, ABSOLUTE) == same


@pytest.mark.parametrize(
    ("other", "same"), [("237.6 ms of 7\n", True), ("237.7 ms of 7\n", False), ("237.6 s of 7\n", False)]
)
def test_numbers_of_a_text_with_a_tolerance_agree_within_it(other: str, same: bool) -> None:
    assert agree("237.55 ms of 7\n", other, 5e-4, 0.0) == same


def test_searches_are_topics() -> None:
    assert set(SEARCHES) <= {case.split("/")[0] for case in CASES}
