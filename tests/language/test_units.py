"""Quantities and units: what is read, what is refused with advice, and how numbers are written."""

from __future__ import annotations

import random

import pytest
from many import many

from qnet.units import (
    DATA,
    DATA_RATE,
    NUMBER,
    RATE,
    TIME,
    Dimension,
    UnitError,
    base_unit,
    column_suffix,
    format_number,
    format_quantity,
    meant_unit,
    quantity,
    scale,
    unit,
)

UNITS = {
    "s": (1, TIME),
    "ms": (1e-3, TIME),
    "us": (1e-6, TIME),
    "µs": (1e-6, TIME),
    "μs": (1e-6, TIME),
    "ns": (1e-9, TIME),
    "min": (60, TIME),
    "h": (3600, TIME),
    "d": (86400, TIME),
    "B": (1, DATA),
    "kB": (1000, DATA),
    "MB": (10**6, DATA),
    "GB": (10**9, DATA),
    "TB": (10**12, DATA),
    "KiB": (2**10, DATA),
    "MiB": (2**20, DATA),
    "GiB": (2**30, DATA),
    "TiB": (2**40, DATA),
    "bit": (0.125, DATA),
    "kbit": (125, DATA),
    "Mbit": (125_000, DATA),
    "Gbit": (125_000_000, DATA),
    "%": (0.01, NUMBER),
    "Hz": (1, RATE),
    "rpm": (1 / 60, RATE),
}

REFUSED = {
    "KB": 'write "kB" for 1000 bytes or "KiB" for 1024',
    "K": 'write "kB" for 1000 bytes or "KiB" for 1024',
    "m": 'write "ms" for milliseconds or "min" for minutes',
    "M": 'write "MB" for 10^6 bytes or "MiB" for 2^20',
    "b": 'write "B" for bytes or "bit"',
    "Mb": 'write "MB", "MiB" or "Mbit"',
    "sec": 'write "s"',
    "seconds": 'write "s"',
    "S": 'write "s"',
    "MS": 'write "ms"',
    "msec": 'write "ms"',
    "hours": 'write "h"',
    "days": 'write "d"',
    "bytes": 'write "B"',
    "kib": 'write "KiB"',
    "MBps": 'write "MB/s"',
    "Mbps": 'write "Mbit/s"',
    "tps": 'write "/s"',
    "iops": 'write "/s"',
    "hz": 'did you mean "Hz"?',
    "RPM": 'did you mean "rpm"?',
    "GIB": 'did you mean "GiB"?',
    "NS": 'did you mean "ns"?',
}


@many("text", UNITS)
def test_every_unit_has_its_factor_and_dimension(text: str):
    factor, dimension = UNITS[text]
    assert quantity(f"3 {text}") == (pytest.approx(3 * factor, rel=1e-15), dimension)


@many("text", REFUSED)
def test_a_spelling_with_two_readings_is_refused_with_advice(text: str):
    with pytest.raises(UnitError) as caught:
        quantity(f"3 {text}")
    assert f'"{text}"' in str(caught.value)
    assert caught.value.help == REFUSED[text]


@many("text", ["miliseconds", "milisecond", "secconds", "minuets", "microsecs", "nanosecods"])
def test_a_misspelt_word_for_a_unit_is_answered_with_the_unit(text: str):
    with pytest.raises(UnitError, match=f'unknown unit "{text}"') as caught:
        quantity(f"3 {text}")
    unit = {"mil": "ms", "sec": "s", "min": "min", "mic": "us", "nan": "ns"}[text[:3]]
    assert caught.value.help == f'write "{unit}"'


@many("name", ["secondary", "hourly", "micrometer", "day_rate"])
def test_a_name_that_begins_like_a_unit_is_no_misspelling(name: str):
    assert meant_unit(name) == ""


def test_an_unknown_unit_is_answered_with_those_there_are():
    with pytest.raises(UnitError, match='unknown unit "parsec"') as caught:
        quantity("3 parsec")
    assert "s ms us ns min h d" in caught.value.help


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10 ms", 0.01),
        ("10ms", 0.01),
        ("0.3 ms", 0.0003),
        ("15.54 ms", 0.01554),
        ("7 us", 7e-6),
        ("3 ns", 3e-9),
        ("70 %", 0.7),
        ("7200 rpm", 120.0),
        ("3 /s/GB", 3e-9),
        ("1 /ns", 1e9),
        ("5 s/us", 5e6),
        ("2 ms^2", 2e-6),
        ("1 Gbit/s", 125e6),
        ("12 /h", 12 / 3600),
    ],
)
def test_a_quantity_is_rounded_only_once(text: str, value: float):
    assert quantity(text)[0] == value


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("600/s", RATE),
        ("600 / s", RATE),
        ("17 MB/s", DATA_RATE),
        ("3 /s/GB", Dimension(-1, -1)),
        ("2 ms/MB", Dimension(1, -1)),
        ("4 s^2", Dimension(2, 0)),
        ("4 B*s", Dimension(1, 1)),
        ("4 B*s^2/s", Dimension(1, 1)),
        ("4 s^0.5", Dimension(0.5, 0)),
        ("5", NUMBER),
        ("-5.5e-3", NUMBER),
        ("1_000 B", DATA),
    ],
)
def test_units_multiply_divide_and_have_powers(text: str, dimension: Dimension):
    assert quantity(text)[1] == dimension


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "ms",
        "10 m s",
        "10 ms 5",
        "1,5 ms",
        "10 ms*",
        "10 /",
        "10 s//s",
        "10 *s",
        "1__0 s",
        "0x10",
        "٣ s",
        "10 s^",
        "inf",
        "nan",
    ],
)
def test_what_is_no_quantity_is_refused(text: str):
    with pytest.raises(UnitError):
        quantity(text)


@pytest.mark.parametrize("text", ["1e400", "1e308 TB", "-1e400 s"])
def test_a_number_beyond_floats_is_refused(text: str):
    with pytest.raises(UnitError, match="too large"):
        quantity(text)


@pytest.mark.parametrize("text", ["TB^20*TB^20", "s^99", "s^1e9", "*".join(["ns^20"] * 50), "/".join(["s"] * 1000)])
def test_a_unit_beyond_any_quantity_is_refused(text: str):
    with pytest.raises(UnitError):
        unit(text)


@many("time", [0, 1, -1, 2, -2, 0.5, -1.5, 20])
@many("data", [0, 1, -1, 3, 0.25, -20])
def test_a_base_unit_reads_back(time: float, data: float):
    dimension = Dimension(time, data)
    assert unit(base_unit(dimension)) == (1, dimension)


@pytest.mark.parametrize(
    ("value", "text", "shown"),
    [
        (0.01, "s", "10 ms"),
        (0, "ms", "0 s"),
        (0.99999, "s", "1 s"),
        (1.5e-7, "s", "150 ns"),
        (-0.003, "s", "-3 ms"),
        (1e-12, "s", "0.001 ns"),
        (4096, "B", "4.096 kB"),
        (17e6, "B/s", "17 MB/s"),
        (17, "MiB/s", "17 MiB/s"),
        (600, "/s", "600/s"),
        (0.5, "", "0.5"),
        (70, "%", "70 %"),
        (2, "s^2", "2 s^2"),
    ],
)
def test_a_quantity_is_shown_with_the_prefix_that_suits_it(value: float, text: str, shown: str):
    assert format_quantity(value, text) == shown


@pytest.mark.parametrize("text", ["s", "B", "B/s", "/s", "KiB", "%", "/s/GB", "ms"])
def test_a_shown_quantity_reads_back(text: str):
    seed = random.Random(text)
    for _ in range(200):
        value = seed.uniform(-1, 1) * 10 ** seed.randint(-9, 9)
        shown = format_quantity(value, text, 17)
        assert quantity(shown)[0] == pytest.approx(scale(value, unit(text).factor), rel=1e-15), (value, shown)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (1.2e-5, "0.000012"),
        (1e-5, "0.00001"),
        (1e-6, "1e-06"),
        (123456, "123500"),
        (99999.6, "100000"),
        (1e15, "1e+15"),
        (-0.25, "-0.25"),
    ],
)
def test_a_number_has_no_trailing_zeros(value: float, shown: str):
    assert format_number(value) == shown


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("", ""),
        ("s", "_s"),
        ("/s", "_per_s"),
        ("B/s", "_B_per_s"),
        ("MB / s", "_MB_per_s"),
        ("%", "_percent"),
        ("s^2", "_s2"),
        ("B*s", "_B_s"),
    ],
)
def test_a_unit_ends_a_column_name(text: str, suffix: str):
    assert column_suffix(text) == suffix


@pytest.mark.parametrize(
    ("dimension", "words"),
    [
        (NUMBER, "a plain number"),
        (TIME, "a time (such as 10 ms)"),
        (Dimension(-1, 0), "a rate (such as 600/s)"),
        (Dimension(0, 2), "a quantity in B^2"),
        (Dimension(-2, 1), "a quantity in B/s^2"),
    ],
)
def test_a_dimension_has_words(dimension: Dimension, words: str):
    assert dimension.describe() == words
