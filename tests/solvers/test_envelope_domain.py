"""Envelopes of parameters with a domain: the search stays inside, and says what it finds there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from qnet.documents import parse
from qnet.errors import NoAnswer, UsageError
from qnet.model.load import build
from qnet.model.model import Model
from qnet.questions.envelope.envelope import EnvelopePoint, envelope
from qnet.questions.envelope.question import question

TEXT = """qnet = 1
title = "A queue with many parameters"
[parameters]
rate = "8/s"
time = "100 ms"
servers = 2
most = 6
few = { value = 3, range = [1, "most"] }
share = 0.5
spread = 1.5
[stations]
a = { servers = "servers" }
b = { servers = "few" }
[classes.x]
arrival_rate = "rate"
[[classes.x.routes]]
name = "one"
probability = "share"
steps = [ { station = "a", time = "time", scv = "spread - 1" } ]
[[classes.x.routes]]
name = "other"
probability = "1 - share"
steps = [ { station = "b", time = "time" } ]
"""


def model() -> Model:
    return build(parse(TEXT.encode(), "model.toml"), "model.toml")


def points(vary: str, limit: str, over: Sequence[str] = ()) -> tuple[EnvelopePoint, ...]:
    return envelope(question(model(), None, vary, limit, over)).points


def test_a_share_ends_at_one_without_a_range_of_its_own():
    (point,) = points("share", "response <= 1 s")
    assert (point.status, point.binds) == ("ok", "range of share")
    assert point.value == pytest.approx(1, rel=1e-12)


def test_a_range_may_rest_on_another_parameter():
    found = points("few", "response <= 1 s", ["most=1,4,6"])
    assert [point.value for point in found] == [1, 4, 6]
    assert {point.binds for point in found} == {"range of few"}


def test_a_value_below_which_nothing_is_allowed_is_no_load():
    (point,) = points("spread", "response <= 200 ms")
    assert (point.status, point.binds) == ("ok", "limit")
    assert point.value is not None and point.value > 1


def test_servers_are_whole_numbers():
    (point,) = points("servers", "utilization('a') >= 0.1")
    # 8/s * 0.5 * 0.1 s = 0.4 erlangs: 4 servers are at exactly 0.1.
    assert (point.value, point.binds) == (4, "limit")
    assert point.extreme is None


def test_the_largest_number_with_a_steady_state_is_told():
    text = TEXT.replace('time = "time", scv', 'time = "time * few", scv')
    found = envelope(question(build(parse(text.encode(), "m"), "m"), None, "few", "response <= 9 s", ["rate=16/s"]))
    (point,) = found.points
    # 16/s * 0.5 * 0.1 s * few on two servers.
    assert (point.status, point.value, point.extreme, point.binds) == ("ok", 2, 2, "saturation of a")


@pytest.mark.parametrize(
    ("limit", "words"), [("response <= 1 ms", "no value of"), ("throughput >= 9/s", "not reached")]
)
def test_a_limit_that_no_number_meets(limit: str, words: str):
    with pytest.raises(NoAnswer, match=words):
        points("servers", limit)


def test_a_limit_from_below_is_met_at_the_highest_load():
    (point,) = points("rate", "throughput >= 20/s")
    assert point.value == pytest.approx(40, rel=1e-9)
    assert point.binds == "saturation of a"


def test_a_limit_from_below_that_is_out_of_reach_says_how_far():
    with pytest.raises(
        NoAnswer, match=r"not reached at the highest load.*\n  help: throughput is 40/s at the highest load"
    ):
        points("rate", "throughput >= 50/s")


@pytest.mark.parametrize("limit", ["response <= 150 ms", "150 ms >= response"])
def test_a_limit_may_be_written_either_way_round(limit: str):
    (point,) = points("rate", limit)
    assert point.value == pytest.approx(points("rate", "response <= 150 ms")[0].value, rel=1e-12)
    assert point.metrics[0] == pytest.approx(0.15, rel=1e-9)


def test_a_parameter_that_loads_nothing_has_no_largest_value():
    with pytest.raises(NoAnswer, match="there is no largest one"):
        points("most", "response <= 1 s")


@pytest.mark.parametrize("rate", ["1e-200/s", "1e9/s", "1e300/s"])
def test_the_answer_does_not_depend_on_where_the_search_begins(rate: str):
    from qnet.model.settings import with_settings

    (point,) = envelope(question(with_settings(model(), {"rate": rate}), None, "rate", "response <= 150 ms")).points
    assert point.value == pytest.approx(points("rate", "response <= 150 ms")[0].value, rel=1e-9)
    assert point.extreme == pytest.approx(40, rel=1e-9)


@pytest.mark.parametrize(
    ("over", "words"),
    [
        (["share=0.1", "share=0.2"], "twice"),
        (["rate=1/s"], "both varied and part of the grid"),
        (["few=1,7"], r"^--over few=1,7: few is 7; expected at most 6"),
        (["share=0.5,1.5"], r"^--over share=0.5,1.5: classes.x"),
        (["servers=2.5"], r"^--over servers=2.5: stations.a.servers: .*an integer"),
    ],
)
def test_a_grid_that_cannot_be_is_told_of_its_option(over: list[str], words: str):
    with pytest.raises(UsageError, match=words):
        points("rate", "response <= 1 s", over)
