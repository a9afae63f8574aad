"""Options that people guess are answered with the one that does what they meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from warm_process import answer_of, run_warm


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("queue --lambda 2/s", 'did you mean "--arrival-rate"?'),
        ("queue M/M/c --agents 3", 'did you mean "--servers"?'),
        ("queue --rate 2/s", 'did you mean "--arrival-rate" or "--source-rate" or "--service-rate"?'),
        ("solve --users 3", 'did you mean "--population"?'),
        ("solve --fromat csv", 'did you mean "--format"?'),
        ("solve web-pool rate=600/s", "a parameter of the model is set by -p rate=600/s"),
        ("solve web-pool --set rate=600/s", "a parameter of the model is set by -p NAME=VALUE"),
        ("solve web-pool --rate 600/s", "A parameter of the model is set by -p rate=VALUE"),
        ("solve web-pool --render 9ms", "A parameter of the model is set by -p render=VALUE"),
        ("sweep web-pool --within 3s", "--within is an option of qnet sensitivity, qnet queue"),
        ("knee web-pool --percentile 95", "a percentile is a metric: --limit 'response_p95 <= 1 s'"),
        ("sensitivity web-pool --percentile 95", "a percentile is a metric: --metric response_p95"),
        ("knee web-pool --over rate=1/s,2/s", "--over is an option of"),
        ("bottleneck web-pool --over rate=1/s,2/s", "qnet sweep"),
        ("compare web-pool workers=8", "on one side of qnet compare by --with 'workers=8'"),
        ("compare web-pool -p workers=4,6,8", "qnet compare --with 'workers=4,6,8'"),
        ("solve web-pool -p workers=4:8", "qnet sweep --over 'workers=4:8'"),
        ("solve web-pool --percentile 50 95 99", "separated by commas: --percentile 50,95,99"),
        ("solve M/M/1", "a single queue is solved by: qnet queue M/M/1"),
        ("queue M/M/c//N --population 10", 'did you mean "--sources"?'),
        ("queue M/M/c/K --buffer 10", 'did you mean "--capacity"?'),
        ("queue M/M/2 --arrival-rate 1/s", 'write "M/M/c", with servers 2'),
        ("queue M/M/8/12 --arrival-rate 1/s", 'write "M/M/c/K", with servers 8 and capacity 12'),
        ("queue G/G/2 --arrival-rate 1/s", 'write "GI/G/c", with servers 2'),
        ("queue M/G/1 --arrival-rate 1/s --service-time 9ms", "the option is --scv-service"),
        ("queue M/M/1 --arrival-rate 80 --service-time 10ms", 'add the unit, such as "80/s"'),
        ("queue M/M/1 --arrival-rate 80/s --service-time 10", 'add the unit, such as "10ms"'),
        ("queue M/M/1 --arrival-rate 1/s --over arrival-rate=1/s:9/s:2/s", "leave out --arrival-rate, which --over"),
        ("queue M/M/1 --service-time 9ms --solve-for arrival-rate --limit p99<=250ms", 'did you mean "response_p99"'),
        ("sweep web-pool --over rate=100:150:10", 'add the unit to every number, such as "100/s"'),
        ("envelope web-pool --limit response<=1s --over rate=1/s,2/s", 'leave "rate" out of the grid'),
        ("solve web-pool -p rate=6000/minute", 'write "min"'),
        ("solve web-tier -p cache_hit=80", 'a percentage is written cache_hit = "80%"'),
        ("help percentiles", '"percentiles" is in qnet help '),
        ("help think time", "qnet help glossary"),
        ("help ss", "qnet help lists topics and commands"),
        ("calibrate web-pool measured-3990-6", "qnet sensitivity SYSTEM lists the parameters"),
        ("solve web-pool -p rate=50req/s", 'leave out "req": what is counted has no unit'),
    ],
)
def test_a_guess_is_answered(line: str, help: str) -> None:
    answer = answer_of(*line.split())
    assert answer.code == 2
    assert help in answer.err.splitlines()[-1]


def test_states_of_an_open_class_are_not_those_of_a_method() -> None:
    answer = answer_of("solve", "web-pool", "--states")
    assert answer.code == 5
    assert "leave out --states" in answer.err.splitlines()[-1]


def test_a_file_without_its_suffix_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models/shop.toml").write_text("qnet = 1\n")
    for name in ("shop", "Shop", "shop.tml", "SHOP.toml"):
        assert 'did you mean the file "./shop.toml"?' in run_warm(("solve", name), tmp_path / "models").err
    for name in ("models/shop", "models/Shop.toml"):
        assert 'did you mean the file "models/shop.toml"?' in run_warm(("solve", name), tmp_path).err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("new", "qnet: KIND is missing"),
        ("queue", "qnet: NAME is missing; expected one of M/M/1, M/M/c, "),
        ("calibrate web-pool", "qnet: MEASURED.csv is missing"),
        ("compare web-pool", "found 1 system to compare"),
        ("solve web-pool --percentile p99", "'p99' is not a valid number; write 99"),
        ("solve web-pool --percentile 99.9%", "'99.9%' is not a valid number; write 99.9"),
        ("solve --station cpu 120ms --arrival-rate 5/s", '--station "cpu" is incomplete'),
        ("sweep web-pool --over workers=1..5", "a range is written first:last:step"),
        ("calibrate ibm-3990-6 measured-3990-6 --fit read_hit", "qnet example measured-3990-6 > measured-3990-6.csv"),
    ],
)
def test_a_missing_argument_keeps_its_name(line: str, words: str) -> None:
    answer = answer_of(*line.split())
    assert answer.code == 2
    assert words in answer.err


def test_names_to_keep_are_listed_or_given_one_by_one() -> None:
    ask = ("formula", "one-queue", "--metric", "response", "--csv")
    one_by_one = answer_of(*ask, "--keep", "rate", "--keep", "service_time")
    assert (one_by_one.code, one_by_one.out) == (0, answer_of(*ask, "--keep", "rate,service_time").out)
