"""What a report of `qnet envelope` says in words: the question, and the answer of each envelope."""

from __future__ import annotations

import pytest

import qnet


@pytest.mark.parametrize(
    ("over", "answer"),
    [((), "The largest rate is 60/s."), (("servers=1:2",), "The largest rate is between 60/s (servers = 1) and ")],
)
def test_the_answer_is_a_sentence(over: tuple[str, ...], answer: str) -> None:
    system = qnet.loads(
        'qnet = 1\ntitle = "M"\n'
        '[parameters]\nrate = "50/s"\nservers = 1\n[stations]\nserver = { servers = "servers" }\n'
        '[classes.c]\narrival_rate = "rate"\nsteps = [ { station = "server", time = "10 ms" } ]'
    )
    report = system.envelope(vary="rate", limit="response <= 25 ms", over=over)
    assert report.summary is not None
    summary = report.summary(report)
    assert summary.question == 'What is the largest rate of "M" that meets response <= 25 ms?'
    assert summary.answer[0].startswith(answer)


def test_a_column_keeps_its_parameter_where_a_grid_has_its_name() -> None:
    """The grid `minimum_servers` takes the name of the column of the extreme, whose cells are still integers."""
    system = qnet.loads(
        'qnet = 1\ntitle = "M"\n'
        "[parameters]\nservers = 2\nminimum_servers = 1\n"
        '[stations]\nserver = { servers = "servers" }\n'
        '[classes.c]\narrival_rate = "80/s"\nsteps = [ { station = "server", time = "10 ms * minimum_servers" } ]'
    )
    report = system.envelope(vary="servers", limit="response <= 30 ms", over="minimum_servers=2", find="smallest")
    (row,) = report.rows
    cells = {column.key: cell for column, cell in zip(report.columns, row, strict=True)}
    shown = {key: repr(cells[key]) for key in ("minimum_servers", "servers", "parameter_minimum_servers")}
    assert shown == {"minimum_servers": "2.0", "servers": "3", "parameter_minimum_servers": "2"}


@pytest.mark.parametrize("grid", ["lag=0.5 s,2 s", "lag=2 s,0.5 s"])
def test_points_without_an_answer_for_opposite_reasons_are_both_reported(grid: str) -> None:
    """A delay meets its limit for every population, or for none."""
    system = qnet.loads(
        'qnet = 1\ntitle = "M"\n'
        '[parameters]\nusers = 10\nlag = "1 s"\n[stations]\nunused = {}\n'
        '[classes.c]\npopulation = "users"\nthink_time = "1 s"\nsteps = [ { delay = "lag" } ]'
    )
    with pytest.raises(qnet.errors.NoAnswer) as refused:
        system.envelope(vary="users", limit="response <= 1 s", over=grid)
    text = refused.value.problems[0].found
    assert text.startswith('no point has a largest value of "users" that meets response <= 1 s: limit ')
    assert {"limit holds at every value (1 of 2 points)", "limit exceeded at the lowest load (1 of 2 points)"} == set(
        text.partition("1 s: ")[2].split(", ")
    )


QUEUE = (
    'qnet = 1\ntitle = "M"\n[parameters]\nrate = "50/s"\n[stations]\nserver = {}\n'
    '[classes.c]\narrival_rate = "rate"\n'
    '[[classes.c.routes]]\nname = "work"\nprobability = 1\nsteps = [ { station = "server", time = "10 ms" } ]'
)
"""M/M/1: the response is 25 ms at 60/s, and 10 ms without load."""


@pytest.mark.parametrize("limit", ["response <= 25 ms", "25 ms >= response", "25 ms>response"])
def test_a_limit_may_state_its_bound_first(limit: str) -> None:
    system = qnet.loads(QUEUE)
    for route in ("", "work"):
        report = system.envelope(vary="rate", limit=limit, route=route)
        assert report.columns["rate_per_s"] == pytest.approx([60.0])
    operator = "<" if ">r" in limit else "<="
    assert report.columns["limit"].tolist() == [f"response('work') {operator} 25 ms"]


def test_limits_on_one_metric_share_a_column() -> None:
    report = qnet.loads(QUEUE).envelope(vary="rate", limit=("response <= 25 ms", "1 ms <= response"))
    assert [item.key for item in report.columns if "response" in item.key] == ["response"]


@pytest.mark.parametrize("limit", ["2 * response <= 1 ms", "1 ms >= 2 * response"])
def test_the_help_states_the_metric_of_the_limit(limit: str) -> None:
    with pytest.raises(qnet.errors.NoAnswer, match=r"help: 2 \* response is 20 ms at the lowest load"):
        qnet.loads(QUEUE).envelope(vary="rate", limit=limit)
