"""How far Linearizer, AQL and Bard-Schweitzer are from the exact throughputs of product-form networks.

A slice of the systems is solved, with those of the largest errors; all of them with `QNET_FULL=1`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain

import numpy as np
import pytest
from full import long_but
from measuring import FEWEST, assert_told, printed
from product_form_systems import GROUPS, METHODS, POINTS, REGIONS, ROWS, WORST, Row, errors

from qnet.networks.closed.approximate import CORRECTIONS, DEFAULT_CORRECTION
from qnet.networks.measured_errors import MEASURED

SLICE = range(FEWEST // POINTS)


@cache
def of_group(name: str, number: int) -> list[float]:
    """The errors of a row on one group of systems."""
    return errors(name, [number])


def of_groups(name: str, numbers: Iterable[int]) -> list[float]:
    """And on some."""
    return list(chain.from_iterable(of_group(name, number) for number in numbers))


@pytest.mark.parametrize(
    "name", long_but(ROWS, "product form: one server, bard-schweitzer", "product form: one server, linearizer")
)
def test_a_slice_is_as_the_table_states(name: str) -> None:
    """A quarter to three quarters are below the median; the worst error is among them, and the groups known as bad."""
    found, worst = of_groups(name, SLICE), of_groups(name, WORST)
    assert len(found) >= FEWEST
    assert 0.25 < sum(size <= MEASURED[name].median for size in found) / len(found) < 0.75
    assert printed(max(*found, *worst)) == MEASURED[name].worst


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
def test_the_table_states_the_measured_errors(name: str) -> None:
    assert_told(name, errors(name, range(GROUPS)))


@pytest.mark.parametrize("region", REGIONS[1:])
def test_the_default_correction_has_the_smallest_worst_error(region: str) -> None:
    """Where the method itself does not have the larger error: Bard-Schweitzer has the same with all of them."""
    for method in ("linearizer", "aql"):
        worst = {row: MEASURED[name].worst for name, row in ROWS.items() if row[:2] == (region, method)}
        assert min(worst, key=lambda row: worst[row]) == Row(region, method, DEFAULT_CORRECTION)


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("region", REGIONS[1:])
def test_the_default_correction_has_the_smallest_ninth_decile(region: str, method: str) -> None:
    """Medians say little: in half of the networks the servers are hardly loaded, and every correction is good."""
    names = {row: name for name, row in ROWS.items() if row[:2] == (region, method)}
    large = {row.correction: np.quantile(of_groups(name, SLICE), 0.9) for row, name in names.items()}
    assert set(large) == set(CORRECTIONS)
    assert min(large, key=lambda correction: large[correction]) == DEFAULT_CORRECTION, large
