"""Every example and every system of the catalog, to another format and back: the same solution, or a stated reason."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from many import many

import qnet
from qnet.catalog.find import entries, examples
from qnet.errors import UsageError
from qnet.exchange.formats import read_format, refused, write_format
from qnet.exchange.imported import Converted, Reading

SYSTEMS = sorted(entry.id for entry in (*entries(), *examples()) if entry.kind in ("system", "example"))
HELD = "the held station is released before the next one is requested"
LATER = "second-phase work"
LIMITED = "no customer is blocked or lost"
SHAPED = "service times that are not exponential"
REFUSED = {
    "bursty-arrivals": "arrivals are taken as Poisson",
    "clients-and-write-buffer": LATER,
    "database-locks": HELD,
    "dial-in-lines": LIMITED,
    "disk-array": HELD,
    "fast-write-buffer": LATER,
    "file-server-agents": HELD,
    "finite-queue": LIMITED,
    "ibm-3990-6": HELD,
    "ibm-3990-6-burn-through": HELD,
    "llm-server": LIMITED,
    "memory-limit": HELD,
    "missed-revolutions": "numbers depend on the solution",
    "object-store": SHAPED,
    "p390-array": LATER,
    "raid-stripe": "parallel steps",
    "search-fan-out": "parallel steps",
    "sfs-agents": HELD,
    "sfs-server": SHAPED,
    "short-and-long-jobs": "different service times",
    "thrashing": "numbers depend on the customers inside",
    "web-tier": LATER,
}
"""What JMVA and tables of demands cannot say without another solution."""
NOT_IN_CSV = {"contention": "load-dependent"}


@cache
def solution(text: str, named: bool) -> dict[tuple[str, str], tuple[Any, ...]]:
    """The figures of a model by scope and name."""
    model = qnet.load(text) if named else qnet.loads(text)
    wanted = ("throughput_per_s", "response_s")
    rows = [row for row in model.solve().records() if row["scope"] in ("system", "class")]
    return {(row["scope"], row["name"] or ""): tuple(row[key] for key in wanted) for row in rows}


def reason(converted: Converted, format: str) -> str:
    failure = refused(converted, format, "model")
    return str(failure) if failure else ""


def test_the_reasons_are_of_systems_that_exist() -> None:
    assert len(SYSTEMS) > 40
    assert set(REFUSED) | set(NOT_IN_CSV) <= set(SYSTEMS)


@pytest.mark.parametrize("format", ["jmva", "csv"])
@many("system", SYSTEMS)
def test_a_system_comes_back_with_its_solution_or_is_refused_with_a_reason(system: str, format: str) -> None:
    model = qnet.load(system)
    converted = write_format(format, model)
    expected = REFUSED.get(system) or (NOT_IN_CSV.get(system) if format == "csv" else None)
    if expected:
        assert expected in reason(converted, format)
        return
    assert reason(converted, format) == ""
    back = read_format(format, converted.text.encode(), Reading(name=f"model.{format}"))
    before, after = solution(system, True), solution(back.text, False)
    figures = {key: value for key, value in before.items() if key in after}
    assert ("system", "") in figures
    names = {name.partition("[")[0] for scope, name in after if scope == "class"}
    assert names <= {name for _, name in before} | {"requests"}
    for key, value in figures.items():
        assert after[key] == pytest.approx(value, rel=1e-9, abs=1e-12), key


@pytest.mark.parametrize("system", sorted(set(SYSTEMS) - set(REFUSED)))
def test_parameters_and_questions_that_a_file_does_not_have_are_listed(system: str) -> None:
    model = qnet.load(system)
    listed = {item.where for item in write_format("jmva", model).items}
    assert "parameters" in listed or not model.parameters
    assert {f"outputs.{name}" for name in model.outputs} | {f"envelopes.{name}" for name in model.envelopes} <= listed


@many("system", sorted(REFUSED))
def test_a_lossy_file_can_still_be_read(system: str) -> None:
    converted = write_format("jmva", qnet.load(system))
    assert "[classes." in read_format("jmva", converted.text.encode(), Reading(name="model.jmva")).text


def test_an_unknown_format_to_write_is_answered_by_those_that_can_be_written():
    with pytest.raises(UsageError) as refused:
        write_format("xml", qnet.load("central-server"))
    (problem,) = refused.value.problems
    assert problem.expected == "jmva, csv, toml"
    assert "lqn" not in problem.help
