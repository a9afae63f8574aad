"""`why` where steps state kinds of work: what a time is made of, what to fix first, and what makes it long."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import qnet

MODEL = """
qnet = 1
title = "two kinds of work at one server"
[parameters]
remote = "0 s"
[stations]
server = {}
[classes.request]
arrival_rate = "10/s"
steps = [
  { delay = "remote", work = "remote time", causes = ["far away"] },
  { hold = "server", steps = [
    { time = "10 ms", work = "computing" },
    { time = "30 ms", work = "page reads", causes = ["storage short", "pages not reserved"] },
    { time = "5 ms" },
  ] },
]
"""


@pytest.fixture
def told(tmp_path: Path):
    """A function from parameters to the sentences, by section."""
    file = tmp_path / "model.toml"
    file.write_text(MODEL)

    def of(**settings: object) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in qnet.load(str(file)).set(**settings).why().records():
            if row["text"]:
                found.setdefault(row["section"], []).append(row["text"])
        return found

    return of


def test_the_largest_kind_of_work_where_it_is_full_first_is_what_to_fix(told):
    assert "What to fix first is page reads: 66.7 % of the demand on server." in told()["answer"]


def test_the_time_at_a_station_is_split_and_work_of_no_kind_is_the_rest(told):
    split = "The demand on server, 45 ms per passage, consists of 30 ms (66.7 %) of page reads, "
    split += "10 ms (22.2 %) of computing and 5 ms (11.1 %) of other work."
    assert split in told()["bottleneck"]


def test_what_would_be_without_it_is_solved(told):
    """M/G/1 with what is left: 15 ms of two exponential steps, with a variance of 100 + 25 ms2."""
    (text,) = [text for text in told()["what would help"] if text.startswith("Without")]
    wait = 10 * (15e-3**2 + 125e-6) / 2 / 0.85
    assert f"would be {(15e-3 + wait) * 1e3:.4g} ms instead of" in text
    assert text.endswith("server would saturate at 66.67/s instead of 22.22/s.")


def test_its_causes_follow(told):
    assert "Known causes of long page reads: storage short; pages not reserved." in told()["what would help"]


def test_causes_of_the_longest_delay_are_told_beside_those_of_the_bottleneck(told):
    helps = told(remote="9 s")["what would help"]
    assert [text for text in helps if text.startswith("Known causes")] == [
        "Known causes of long page reads: storage short; pages not reserved.",
        "Known causes of long remote time: far away.",
    ]


def test_work_without_causes_is_split_but_nothing_to_fix(tmp_path: Path):
    file = tmp_path / "model.toml"
    file.write_text(re.sub(r", causes = \[.*?\]", "", MODEL))
    texts = " ".join(row["text"] for row in qnet.load(str(file)).why().records() if row["text"])
    assert "30 ms (66.7 %) of page reads" in texts
    assert "What to fix first" not in texts


def test_nothing_of_this_is_told_where_no_step_states_work(told):
    rows = qnet.load("ibm-3990-6").why().records()
    assert not [row for row in rows if "What to fix first" in (row["text"] or "")]
