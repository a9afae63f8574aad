"""The Shared File System study: its floors, its fit done again from scratch, and the questions it answers."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import qnet
from qnet.expression import FLOATS
from qnet.model.conditions import condition
from qnet.model.load import load
from qnet.model.model import StepModel
from qnet.model.settings import with_settings
from qnet.questions.points import solve_points
from qnet.questions.search import largest
from qnet.questions.study import load_study
from qnet.questions.trial import Trial
from qnet.questions.validate import Judged, validate
from qnet.queues.roots import root

CATALOG = Path(__file__).parents[2] / "catalog"
FITTED = {"sources", "pause", "stops_scv", "page_cpu"}


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    return {item.claim.id.removeprefix("sfs/"): item for item in validate(load_study("sfs")).judged}


def stated(judged: dict[str, Judged], claim: str) -> float:
    item = judged[f"case/{claim}"]
    assert isinstance(item.stated, float)
    return item.stated / 100 if item.unit == "%" else item.stated


def figure(system: str, metric: str, **settings: object) -> float:
    return qnet.load(system).set(**settings).metric(metric)


# The account


def test_every_claim_has_its_place(judged: dict[str, Judged]):
    assert len(judged) == 148


def test_identities_are_exact_to_the_printed_digit(judged: dict[str, Judged]):
    found = [item for item in judged.values() if item.claim.role == "identity"]
    assert len(found) >= 15
    assert [item.claim.id for item in found if item.verdict != "exact"] == []


@pytest.mark.parametrize("claim", ["rwserv1/time-total/after", "rwserv2/rate/before", "rwserv2/time-total/before"])
def test_a_floor_is_met_within_10_percent(judged: dict[str, Judged], claim: str):
    item = judged[f"case/{claim}"]
    assert item.claim.role == "predicted"
    assert item.modelled == pytest.approx(item.stated, rel=0.1)


def test_a_request_takes_less_than_a_second_once_pages_are_reserved(judged: dict[str, Judged]):
    assert judged["case/after-subsecond"].verdict == "met"
    assert figure("sfs-after", "response") < 1


def test_the_trends_of_the_case_are_shown(judged: dict[str, Judged]):
    found = [item for id, item in judged.items() if id.startswith("case/") and item.claim.role == "trend"]
    assert len(found) == 7
    assert {item.verdict for item in found} == {"met"}


def test_what_is_missed_after_reserving_is_missed_with_its_reason(judged: dict[str, Judged]):
    missed = {id.removeprefix("case/rwserv1/") for id, item in judged.items() if item.verdict == "missed"}
    assert {"util-cpu/after", "util-checkpoint/after", "util-page-read/after", "agents-held/after"} <= missed
    assert [id for id, item in judged.items() if item.verdict == "missed" and not item.claim.miss] == []
    off = [item for item in judged.values() if item.claim.role == "predicted" and abs(item.error or 0) > 0.25]
    assert all(item.verdict == "missed" for item in off)


def test_fitted_parameters_are_at_most_half_of_the_predictions(judged: dict[str, Judged]):
    fitted = {name for name, item in load("sfs-before").parameters.items() if item.grade == "fitted"}
    assert fitted == FITTED == {item.claim.sets for item in judged.values() if item.claim.role == "fitted"}


def test_before_and_after_are_one_model_that_differs_in_the_reserved_pages():
    before, after = ((CATALOG / f"systems/sfs-{name}.toml").read_text().splitlines() for name in ("before", "after"))
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert [a.partition(" ")[0] for a, _ in changed] == ["title", "note", "reserved"]
    metrics = ("throughput", "response", "agents_held", "other_time")
    reserved = [figure("sfs-before", metric, reserved=1300) for metric in metrics]
    assert reserved == [figure("sfs-after", metric) for metric in metrics]


# The fit


def solved(low: float, high: float, excess: Callable[[float], float]) -> float:
    return root(excess, low, high, excess(low), excess(high), FLOATS)


def test_the_fit_from_scratch_finds_the_values_of_the_catalog(judged: dict[str, Judged]):
    """Through the model alone: the variation that gives the time before at the rate before, then the pause and, by
    Little's law, the sources that give the rate after."""
    rate, time, after = (
        stated(judged, f"rwserv1/{name}") for name in ("rate/before", "time-total/before", "rate/after")
    )
    values = {"stops_scv": 1.0, "pause": 20.0, "sources": 300.0}

    def model(system: str, **changed: float):
        settings = {
            name: repr(value) + (" s" if name == "pause" else "") for name, value in {**values, **changed}.items()
        }
        return solve_points(with_settings(load(system), settings)).parts[0].solution

    def short_of_time(scv: float) -> float:
        there = solve_points(with_settings(load("sfs-before"), {"stops_scv": repr(scv), "rate": f"{rate!r}/s"}))
        return float(there.parts[0].solution.response) - time

    def short_of_rate(pause: float) -> float:
        return float(model("sfs-after", pause=pause, sources=rate * (pause + time)).throughput) - after

    values["stops_scv"] = solved(1.0, 200.0, short_of_time)
    values["pause"] = solved(0.2, 20.0, short_of_rate)
    values["sources"] = rate * (values["pause"] + time)
    known = solve_points(load("sfs-before")).parts[0].values.known
    assert {name: known[name] for name in values} == pytest.approx(values, rel=5e-6)
    assert float(model("sfs-before").throughput) == pytest.approx(rate, rel=1e-9)


def test_a_page_read_costs_the_processor_what_the_second_server_uses_more(judged: dict[str, Judged]):
    times = [
        [
            stated(judged, f"{name}/util-{part}/before") / stated(judged, f"{name}/rate/before")
            for part in ("cpu", "page-read")
        ]
        for name in ("rwserv1", "rwserv2")
    ]
    slope = (times[1][0] - times[0][0]) / (times[1][1] - times[0][1])
    assert figure("sfs-before", "page_cpu") == pytest.approx(slope, rel=1e-12)


# The model


@pytest.mark.parametrize(("sources", "pause"), [(1, 2), (10, 0.1), (64, 1.65), (2000, 1), (5, 0)])
@pytest.mark.parametrize("reserved", [0, 1300])
def test_every_source_finds_its_way_through_the_server(sources: float, pause: float, reserved: int):
    """The rate of the model is the one at which X (Z + W) is the number of sources."""
    there = (
        solve_points(
            with_settings(
                load("sfs-before"), {"sources": str(sources), "pause": f"{pause} s", "reserved": str(reserved)}
            )
        )
        .parts[0]
        .solution
    )
    assert float(there.throughput) * (pause + float(there.response)) == pytest.approx(sources, rel=1e-9)


def test_the_parts_of_a_request_add_up():
    for system in ("sfs-before", "sfs-after"):
        parts = figure(system, "processor + lock_time + block_io_time + other_time")
        assert parts == pytest.approx(figure(system, "response"), rel=1e-12)


def test_a_serial_server_can_take_17_requests_a_second_before_and_90_after(judged: dict[str, Judged]):
    for system, moment in (("sfs-before", "before"), ("sfs-after", "after")):
        bound = stated(judged, f"rwserv1/rate/{moment}") / stated(judged, f"rwserv1/util-total/{moment}")
        assert figure(system, "serial_bound") == pytest.approx(bound, rel=0.03)
    assert figure("sfs-before", "serial_bound") == pytest.approx(16.7, abs=0.05)


def test_more_reserved_pages_never_make_it_worse_and_two_thirds_of_the_missing_ones_give_a_second():
    rows = qnet.load("sfs-before").sweep("reserved=1142:1163:3", metric="response").records()
    times = [row["response_s"] for row in rows]
    assert times == sorted(times, reverse=True)
    model = load("sfs-before")
    limits = [condition("response <= 1 s", model)]
    enough = float(largest(Trial(model, "missing", limits, {}, 1)).value[0])
    assert 0.25 < enough < 0.35


def test_restore_and_redo_take_their_rates():
    assert figure("sfs-pool", "restore_time", objects=49000) == pytest.approx(60, rel=1e-12)
    assert figure("sfs-pool", "redo_time", log_blocks_per_hour="5.3/h", since_backup="1 h") == pytest.approx(
        60, rel=1e-12
    )
    assert figure("sfs-pool", "enrolled_users", defined_users=3000, active_users=500) == 1800


# Symptoms and causes


def causes(system: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}

    def gather(step: StepModel) -> None:
        if step.work:
            found.setdefault(step.work, set()).update(step.causes)
        for inner in step.steps:
            gather(inner)

    for customers in load(system).classes:
        for route in customers.routes:
            for step in route.steps:
                gather(step)
    return found


@pytest.mark.parametrize(
    ("symptom", "work"),
    [
        ("high-cpu-time", "processor time"),
        ("high-block-io-time", "block I/O"),
        ("high-esm-time", "security manager time"),
        ("high-dfsms-time", "storage management time"),
        ("high-lock-wait-time", "lock waits"),
        ("high-system-paging-rate", "page reads"),
        ("high-other-time", "other time"),
        ("high-response-times", "ACCESS of directories"),
    ],
)
def test_the_table_of_symptoms_is_told_by_the_model_of_the_layers(symptom: str, work: str):
    claims = tomllib.loads((CATALOG / "studies/sfs.toml").read_text())["claims"]
    (row,) = [claim for claim in claims if claim["id"] == f"sfs/symptom/{symptom}"]
    assert set(row["stated"].split("; ")) <= causes("sfs-agents")[work]


@pytest.mark.parametrize(
    ("settings", "work", "cause"),
    [
        ({}, "block I/O", "minidisk caching unused"),
        ({"storage": 3000}, "page reads", "more real storage needed"),
        ({"security": "200 ms"}, "security manager time", "security-manager delay"),
        ({"dispatch": "200 ms"}, "other time", "quick dispatch unset"),
        ({"access": "200 ms"}, "ACCESS of directories", "ACCESS contention"),
    ],
)
def test_why_points_from_the_layer_that_dominates_to_its_causes(settings: dict[str, object], work: str, cause: str):
    told = [row["text"] for row in qnet.load("sfs-agents").set(**settings).why().records() if row["text"]]
    assert any(text.startswith(f"What to fix first is {work}") for text in told)
    assert any(text.startswith(f"What is known to make {work} long") and cause in text for text in told)


def test_why_names_the_page_reads_of_the_server():
    told = " ".join(row["text"] for row in qnet.load("sfs-before").why().records() if row["text"])
    assert "What to fix first is page reads: 80.2 % of the time that server is kept." in told
    assert "reserve its working set" in told
