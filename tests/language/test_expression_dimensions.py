"""Checking expressions before anything is computed: names, units and choices."""

from __future__ import annotations

import pytest

from qnet.expression import ExpressionError, check, parse
from qnet.units import DATA, DATA_RATE, NUMBER, RATE, TIME, Dimension, base_unit, unit

NAMES = {"seek": TIME, "rate": RATE, "block": DATA, "speed": DATA_RATE, "share": NUMBER, "utilization('cpu')": NUMBER}
CHOICES = {"mode": ("fast", "slow"), "other": ("fast",)}


def dimension(text: str) -> Dimension | None:
    return check(parse(text).root, NAMES, CHOICES)


def refused(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        dimension(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seek + 10 ms", TIME),
        ("block / speed", TIME),
        ("block * rate", DATA_RATE),
        ("seek * rate", NUMBER),
        ("share ** 2.5", NUMBER),
        ("seek ** 2", Dimension(2, 0)),
        ("seek ** -1", RATE),
        ("sqrt(seek ** 2)", TIME),
        ("sqrt(seek)", Dimension(0.5, 0)),
        ("seek // 3 ms", NUMBER),
        ("max(0, seek)", TIME),
        ("0 + seek", TIME),
        ("-seek", TIME),
        ("abs(seek)", TIME),
        ("where(seek > 0, block, 4 KiB)", DATA),
        ("where(mode == 'fast', seek, 0)", TIME),
        ("where('slow' != mode, 1, 2)", NUMBER),
        ("interp(block, 1 KiB, 1 ms, 4 KiB, 2 ms)", TIME),
        ("utilization('cpu') * seek", TIME),
        ("0", None),
        ("0 * seek", TIME),
    ],
)
def test_dimensions_follow_the_arithmetic(text: str, expected: Dimension | None):
    assert dimension(text) == expected


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("seek + block", "QN120", "adds or subtracts (+) a time (such as 10 ms) and an amount of data (such as 4 KiB)"),
        ("seek - 3", "QN120", "adds or subtracts (-) a time (such as 10 ms) and a plain number"),
        ("max(seek, rate)", "QN120", "compares (max) a time (such as 10 ms) and a rate (such as 600/s)"),
        ("where(seek > 3, 1, 2)", "QN120", "compares a time (such as 10 ms) and a plain number"),
        ("where(1 > 2, seek, rate)", "QN120", "chooses between a time (such as 10 ms) and a rate"),
        ("interp(seek, 1, 2, 3, 4)", "QN120", "interpolates over a plain number and a time"),
        ("interp(share, 1, seek, 3, rate)", "QN120", "interpolates between a time (such as 10 ms) and a rate"),
        ("interp(share, 3, 1, 1, 2)", "QN120", "the points of interp do not rise"),
        ("exp(seek)", "QN120", "exp is applied to a time"),
        ("ceil(block)", "QN120", "ceil is applied to an amount of data"),
        ("2 ** seek", "QN120", "the exponent is a time"),
        ("seek ** share", "QN120", "a time (such as 10 ms) is raised to a power that is not a small literal number"),
        ("seek ** 100", "QN120", "a power that is not a small literal number"),
        ("seek ** 5", "QN120", "a power that is not a small literal number"),
        ("seek ** -4.5", "QN120", "a power that is not a small literal number"),
        ("cache_miss(block, 1 MiB, 0.1, seek)", "QN120", "the exponent is a time (such as 10 ms)"),
        ("seek // block", "QN120", "// needs two quantities of one dimension"),
        ("(seek ** 4) ** 4 * (seek ** 4) ** 4", "QN120", "the expression is a quantity in s^32, which has no meaning"),
        ("sqrt(sqrt(sqrt(sqrt(sqrt(seek)))))", "QN120", "a quantity in s^0.03125, which has no meaning"),
        ("sek + 1", "QN112", 'unknown name "sek"'),
        ("wait('cpu')", "QN112", "unknown name \"wait('cpu')\""),
        ("a.__class__", "QN112", 'unknown name "a.__class__"'),
        ("mode + 1", "QN121", '"mode" is a choice and not a number'),
        ("where(mode == other, 1, 2)", "QN121", '"mode" is a choice and not a number'),
        ("where(mode == 'fats', 1, 2)", "QN121", '"fats" is not an option of "mode"'),
        ("where(seek == 'fast', 1, 2)", "QN121", "'fast' is compared with something that is not a choice parameter"),
        ("where('a' == 'b', 1, 2)", "QN121", "is compared with something that is not a choice parameter"),
        ("where(mode < 'fast', 1, 2)", "QN121", "options are compared with == or != only"),
        ("'fast'", "QN121", "a quoted word may only be compared with a choice parameter"),
        ("seek < 3 ms", "QN110", "a comparison may only stand in where() or in a limit"),
        ("(1 < 2) + 1", "QN110", "a comparison may only stand in where() or in a limit"),
        ("where(seek, 1, 2)", "QN110", "where() starts with a comparison"),
    ],
)
def test_what_does_not_go_together_is_told_in_words(text: str, code: str, words: str):
    fault = refused(text)
    assert fault.code == code
    assert words in str(fault)


def test_the_nearest_name_is_offered():
    assert refused("sek + 1").help == 'did you mean "seek"?'


def test_a_choice_is_told_how_to_be_compared():
    assert refused("mode + 1").help == "compare it: mode == 'fast' or 'slow'"


def test_the_base_unit_of_every_checked_expression_reads_back():
    for text in ("seek", "seek ** 4 * block", "sqrt(block) / seek", "rate / block ** 3", "(seek ** 4) ** 4 * seek"):
        found = dimension(text)
        assert found is not None
        assert unit(base_unit(found)).dimension == found
