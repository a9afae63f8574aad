"""What a parameter rests on: who is blamed for a value, and what a formula has to keep as a number."""

from __future__ import annotations

import pytest

import qnet
from qnet.errors import UsageError

SPLIT = """qnet = 1
title = "split"
[parameters]
rate = "1/s"
twice = "2 * rate"
pairs = 1
disks = "2 * pairs"
[stations]
disk = { copies = "disks", split = [0.7, 0.3] }
[classes.x]
arrival_rate = "twice"
steps = [ { station = "disk", time = "10 ms" } ]
"""


def test_a_value_is_blamed_on_the_option_that_it_is_computed_from():
    with pytest.raises(UsageError) as caught:
        qnet.loads(SPLIT).set(rate="-5/s").solve()
    assert caught.value.problems[0].file == "-p rate=-5/s"


def test_a_formula_keeps_the_copies_that_are_named_one_by_one_as_a_number():
    import sympy

    rows = {row["metric"]: row for row in qnet.loads(SPLIT).formula("response").records()}
    assert set(rows) == {"response", "twice", "rate"}
    formula, twice = sympy.sympify(rows["response"]["formula"]), 10.0
    time = sum(share * 0.01 / (1 - twice * share * 0.01) for share in (0.7, 0.3))
    assert float(formula.subs("twice", twice)) == pytest.approx(time, rel=1e-9)
