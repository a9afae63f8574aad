"""The golden cases of commands that solve a model at many points; see `golden_cases`."""

from __future__ import annotations

from pathlib import Path

import pytest
from full import long_but
from golden_cases import CASES, SEARCHES, check

SEARCHED = {case for case in CASES if case.split("/")[0] in SEARCHES}
SLOW = {
    "bottleneck/thrashing-json", "calibrate/candidates", "calibrate/not-apart", "envelope/closed-csv",
    "envelope/crossings-of-3990", "envelope/dial-in", "envelope/layers", "envelope/mixed-users", "envelope/priorities",
    "envelope/rate-far-too-large", "envelope/whole-numbers", "sweep/layers-csv", "sweep/priorities-md",
    "sweep/thrashing",
}  # fmt: skip
"""Cases that take far longer than the others."""


@pytest.mark.parametrize("case", long_but(sorted(SEARCHED), *(SEARCHED - SLOW)))
def test_command(case: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    check(case, tmp_path, request.config)


def test_slow_cases_exist() -> None:
    assert SLOW <= SEARCHED
