"""The golden cases of commands that solve a model at many points; see `golden_cases`."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_cases import CASES, SEARCHES, check


@pytest.mark.parametrize("case", [case for case in CASES if case.split("/")[0] in SEARCHES])
def test_command(case: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    check(case, tmp_path, request.config)
