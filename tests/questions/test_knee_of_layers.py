"""Knees of systems whose servers are held while others are waited for."""

import pytest

import qnet


def _record(report, name, value):
    return next(row for row in report.records() if row[name] == value)


@pytest.mark.long
def test_asymptotes_meet_where_the_layers_let_no_more_through():
    """N* is of what they let through together, as `qnet why` says, not of the slowest station inside by itself."""
    system = qnet.load("examples/file-server-agents.toml")
    most = _record(system.solve(), "scope", "system")["maximum_throughput_per_s"]
    alone = _record(system.set(terminals=1).solve(), "scope", "system")["throughput_per_s"]
    found = _record(system.knee("terminals"), "definition", "n_star")["population_real"]
    assert found == pytest.approx(most / alone, rel=1e-6)
