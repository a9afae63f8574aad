"""What takes long is computed once for all columns, statuses and labels of a report."""

from __future__ import annotations

from types import SimpleNamespace

import qnet
from qnet.networks.percentiles import responses
from qnet.questions.points import expression_values


def test_a_percentile_is_computed_once_for_all_rows(monkeypatch):
    computed = []
    percentile = responses.response_percentile

    def counted(solution, share, name):
        computed.append(share)
        return percentile(solution, share, name)

    monkeypatch.setattr(expression_values, "percentiles", SimpleNamespace(response_percentile=counted))
    report = qnet.load("web-tier").sweep("rate=10/s:30/s:10/s", metric="response_p95")
    assert len(report.columns["response_p95_s"]) == 3
    assert computed == [0.95]
