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
