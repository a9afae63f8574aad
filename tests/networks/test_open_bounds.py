"""Bounds of open networks enclose exact answers, or are refused: product form is not the only reason to be exact."""

from __future__ import annotations

from typing import Any

import pytest

import qnet
from qnet.errors import NotComputed

SHORT, LONG = {"station": "cpu", "time": "0.1 s"}, {"station": "cpu", "time": "1.3 s"}


def system(discipline: str, *steps: list[dict[str, Any]], servers: int = 1) -> qnet.System:
    """A station, with an open class for each list of steps."""
    classes = {f"c{number}": {"arrival_rate": "0.2/s", "steps": item} for number, item in enumerate(steps)}
    stations = {"cpu": {"discipline": discipline, "servers": servers}}
    return qnet.loads({"title": "bounds", "stations": stations, "classes": classes})


@pytest.mark.parametrize("kind", ["asymptotic", "balanced"])
@pytest.mark.parametrize(
    "asked",
    [
        system("fcfs", [SHORT], [LONG]),
        system("preemptive", [SHORT], [LONG]),
        system("fcfs", [LONG | {"scv": 4}]),
        system("fcfs", [LONG | {"scv": 0}]),
    ],
    ids=["different times", "preemptive", "hyperexponential", "constant"],
)
def test_an_exact_answer_without_product_form_has_no_bounds(asked: qnet.System, kind: str) -> None:
    assert asked.solve().records()[0]["exactness"] == "exact"
    with pytest.raises(NotComputed, match="product-form networks only: cpu: service times"):
        asked.solve(bounds=kind)


@pytest.mark.parametrize("kind", ["asymptotic", "balanced"])
@pytest.mark.parametrize(
    "asked",
    [
        system("ps", [SHORT], [LONG | {"scv": 4}]),
        system("lcfs-pr", [SHORT], [LONG]),
        system("fcfs", [LONG], [LONG]),
        system("fcfs", [LONG], [LONG], servers=2),
    ],
    ids=["ps", "lcfs-pr", "equal times", "two servers"],
)
def test_bounds_enclose_the_answer_of_product_form(asked: qnet.System, kind: str) -> None:
    rows: Any = asked.solve(bounds=kind).records()
    for row in rows:
        if row["scope"] == "class":
            lower, response, upper = row["response_lower_s"], row["response_s"], row["response_upper_s"]
            assert lower <= response * (1 + 1e-12) and response <= upper * (1 + 1e-12)
