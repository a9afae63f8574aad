"""The hyperexponential distribution of two phases: its moments, its rare phase, and that it is written once."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import qnet
from qnet.expression import FLOATS, arrays
from qnet.lazy import np
from qnet.queues.balanced_means import shares


@pytest.mark.parametrize("scv", [1.0, 1.5, 4.0, 100.0, 1e9])
def test_the_phases_have_the_mean_and_the_scv(scv: float) -> None:
    large, small = shares(scv, FLOATS)
    # Exactly, of the floats: p m and 2 p m^2 with m = 1 / 2p, and both phases have half of the mean.
    parts = [Fraction(float(part)) for part in (large, small)]
    assert float(sum(parts)) == pytest.approx(1.0, rel=1e-15)
    second = sum(2 * part * (1 / (2 * part)) ** 2 for part in parts)
    assert float(second) == pytest.approx(scv + 1, rel=1e-14)


def test_arrays_and_floats_agree() -> None:
    scv = np.array([1.0, 2.0, 30.0])
    for column, part in zip(
        shares(scv, arrays()), zip(*(shares(each, FLOATS) for each in scv), strict=True), strict=True
    ):
        assert column.tolist() == list(part)


def test_no_other_file_has_the_formula() -> None:
    formula = re.compile(r"\(([\w.]+) - 1(?:\.0)?\) / \(\1 \+ 1(?:\.0)?\)")
    house = Path(qnet.__file__).parent
    files = [path.relative_to(house).as_posix() for path in house.rglob("*.py") if formula.search(path.read_text())]
    assert files == ["queues/balanced_means.py"]
