"""The full mode, `QNET_FULL=1`, which `.ci/run` takes: tests that are marked `long` run, and those that are marked
`sliced` take all of their systems."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

FULL = bool(os.environ.get("QNET_FULL"))
LONGEST = ("test_campaign.py", "test_parameter_ends.py", "test_error_models.py")
"""Files that take up to ten minutes in the full mode: begun first, they leave no processor idle at the end."""


def long_but(values: Iterable[Any], *short: Any) -> list[Any]:
    """The values of a parametrised test that is long but for some of them; a tuple is a value of several arguments."""
    every = list(values)
    assert short and all(value in every for value in short)
    sets = [value if isinstance(value, tuple) else (value,) for value in every]
    return [pytest.param(*each, marks=[] if each[0] in short or each in short else pytest.mark.long) for each in sets]
