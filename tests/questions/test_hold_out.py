"""Rows that only test a fit, by conditions over parameters, figures and any other column."""

from __future__ import annotations

import pytest

from qnet.documents import parse as read
from qnet.errors import QnetError
from qnet.model.load import build
from qnet.questions.calibrate.calibrate import calibrate
from qnet.questions.calibrate.demands import demands_of

QUEUE = """qnet = 1
title = "queue"
[parameters]
rate = "10/s"
service = { value = "30 ms", range = ["1 ms", "90 ms"] }
mode = { value = "slow", options = ["slow", "fast"] }
[stations]
cpu = {}
[classes.web]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "where(mode == 'fast', service / 2, service)" } ]
"""
MODEL = build(read(QUEUE.encode(), "queue.toml"), "queue.toml")


def response(rate: float, service: float) -> float:
    return service / (1 - rate * service)


ROWS = [
    {"rate": rate, "mode": mode, "run": run, "hour": hour, "response": response(rate, 0.04 / (1 + (mode == "fast")))}
    for rate, mode, run, hour in (
        (2, "slow", "night", 1), (6, "slow", "day", 9), (10, "fast", "day", 12), (14, "fast", "night", 23),
        (18, "slow", "day", 15), (20, "fast", "day", 18),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("2", {5, 6}),
        ("rate > 15/s", {5, 6}),
        ("rate > 15/s and mode == 'fast'", {6}),
        ("rate < 5/s or rate >= 18/s", {1, 5, 6}),
        ("5/s < rate <= 14/s", {2, 3, 4}),
        ("rate == 10/s", {3}),
        ("rate != 10/s and rate != 2/s", {2, 4, 5, 6}),
        ("run == 'night'", {1, 4}),
        ("not run == 'night' and hour > 9", {3, 5, 6}),
        ("not (run == 'night' or hour > 9)", {2}),
        ("(rate < 5/s or rate > 19/s) and run == 'day'", {6}),
        ("(rate + 2/s) * 2 > 40/s", {6}),
        ("run == 'day' and response > 50 ms", {2, 5}),
        ("rate < 5/s or rate > 19/s and run == 'night'", {1}),
    ],
)
def test_the_rows_that_a_condition_holds_out(text: str, rows: set[int]):
    held = calibrate(MODEL, ROWS, ["service"], hold_out=text, starts=1).measured.held_out
    assert {index + 1 for index, each in enumerate(held.tolist()) if each} == rows


@pytest.mark.parametrize(
    "text", ["rate >", "and rate > 5/s", "(rate > 5/s", "rate > 5/s)", "unknown > 5", "run == 'noon'", "rate > 5 ms",
             "rate", "not", "rate > 5/s and", "utilization('cpu') > 0.5", "run", "rate > 5/s ((", "''", "run > 5"],
)  # fmt: skip
def test_conditions_that_cannot_be_are_refused(text: str):
    with pytest.raises(QnetError) as caught:
        calibrate(MODEL, ROWS, ["service"], hold_out=text, starts=1)
    assert caught.value.exit_code == 2


def test_a_nest_without_end_is_refused():
    with pytest.raises(QnetError):
        calibrate(MODEL, ROWS, ["service"], hold_out="(" * 5000 + "rate > 5/s" + ")" * 5000, starts=1)


TITLED = [
    {"rate_per_min": 60 * row["rate"], "response_ms": 1000 * row["response"], "mode": row["mode"]} for row in ROWS
]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("rate_per_min > 900", {5, 6}),
        ("rate_per_min > 15/s", {5, 6}),
        ("rate > 15/s and response_ms < 100", {6}),
        ("300 < rate_per_min <= 840 and mode == 'slow'", {2}),
        ("response_ms > 50 ms", {2, 5}),
        ("rate_per_min / 60 > 15", {5, 6}),
    ],
)
def test_titles_of_columns_with_units_are_known(text: str, rows: set[int]):
    held = calibrate(MODEL, TITLED, ["service"], hold_out=text, starts=1).measured.held_out
    assert {index + 1 for index, each in enumerate(held.tolist()) if each} == rows


@pytest.mark.parametrize("text", ["rate_per_min > 5 ms", "rate_per_min > response_ms", "rate_per_s > 5"])
def test_titles_of_columns_do_not_mix_units(text: str):
    with pytest.raises(QnetError):
        calibrate(MODEL, TITLED, ["service"], hold_out=text, starts=1)


INTERVALS = [
    {"throughput_per_min": 60 * rate, "utilization_cpu_percent": 4 * rate, "shift": shift}
    for rate, shift in ((2, "a"), (4, "b"), (6, "a"), (8, "b"), (9, "c"))
]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1", {5}),
        ("shift == 'b'", {2, 4}),
        ("throughput > 5/s and shift != 'c'", {3, 4}),
        ("utilization_cpu < 0.1", {1}),
    ],
)
def test_conditions_of_intervals(text: str, rows: set[int]):
    held = demands_of(INTERVALS, hold_out=text).held_out
    assert {index + 1 for index, each in enumerate(held.tolist()) if each} == rows
