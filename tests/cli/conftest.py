"""Fixtures that run qnet in the folder of the test, and the switch that writes the golden files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

pytest.register_assert_rewrite("golden_cases")

from cli_process import Run, run_shell  # noqa: E402
from warm_process import run_warm  # noqa: E402


@pytest.fixture
def qnet(tmp_path: Path) -> Run:
    """`qnet("solve", "ibm-3990-6", stdin=b"", changes={"NO_COLOR": ""})`."""
    return lambda *arguments, **more: run_warm(arguments, tmp_path, **more)


@pytest.fixture
def shell(tmp_path: Path) -> Run:
    """`shell("qnet --help | head -1")`, in bash with pipefail."""
    return partial(run_shell, folder=tmp_path)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch that writes the golden files."""
    text = "tests/cli: write the present answers into the golden folders"
    parser.addoption("--regen-golden", action="store_true", help=text)
