"""Figures whose arithmetic fails: the expression and the values in every question, and all other figures computed."""

from __future__ import annotations

from pathlib import Path

import pytest

import qnet
from qnet.errors import NoAnswer
from qnet.system import System

MODEL = """
qnet = 1
title = "One station and outputs that may be undefined"

[parameters]
rate = "1/s"
part = 0

[stations]
cpu = {}

[classes.job]
arrival_rate = "rate"
steps = [{ station = "cpu", time = "0.25 s" }]

[outputs]
per_part = "throughput / part"
digits = "log(part)"
vast = "exp(1000 + part)"
sure = "2 * utilization('cpu')"
"""


@pytest.fixture
def system(tmp_path: Path) -> System:
    path = tmp_path / "model.toml"
    path.write_text(MODEL)
    return qnet.load(str(path))


def reasons(notes: object) -> str:
    return "\n".join(note.text for note in notes if note.code == "QN735")  # type: ignore[attr-defined]


REASONS = [
    '"per_part" is undefined: division by zero in "throughput / part" where throughput = 1/s, part = 0',
    '"digits" is undefined: the function is not defined for this argument in "log(part)" where part = 0',
    '"vast" is undefined: the value is too large in "exp(1000 + part)" where part = 0',
]


@pytest.mark.parametrize("reason", REASONS)
def test_solve_states_the_expression_and_the_values(system: System, reason: str) -> None:
    assert reason in reasons(system.solve().notes)


@pytest.mark.parametrize("reason", REASONS)
def test_a_sweep_states_the_same(system: System, reason: str) -> None:
    assert reason in reasons(system.sweep("part=0,1").notes)


@pytest.mark.parametrize("reason", REASONS)
def test_why_states_the_same(system: System, reason: str) -> None:
    from qnet.questions.why.why import why_report

    name = reason.partition('"')[2].partition('"')[0]
    (problem,) = why_report(system, asserted=[f"{name} <= 1 * {name}"]).broken
    assert reason in problem.found


@pytest.mark.parametrize("reason", REASONS)
def test_a_comparison_states_the_same(system: System, reason: str) -> None:
    assert reason in reasons(system.compare(system.set(part=1)).notes)


def test_an_undefined_figure_leaves_the_others_as_they_are(system: System) -> None:
    values = {row["name"]: row["value"] for row in system.solve().records() if row["scope"] == "output"}
    assert values == {"per_part": None, "digits": None, "vast": None, "sure": pytest.approx(0.5)}


def test_a_defined_figure_has_no_reason(system: System) -> None:
    assert reasons(system.set(part=1).sweep("rate=1/s,2/s", metric=["per_part", "digits"]).notes) == ""


def test_a_point_with_an_undefined_cell_is_not_ok(system: System) -> None:
    rows = system.sweep("part=0,1", metric="per_part").records()
    assert [row["status"] for row in rows] == ["undefined: per_part", "ok"]


@pytest.mark.parametrize("text", ["per_part", "2 * per_part", "1 / part"])
def test_an_undefined_metric_is_refused_with_its_reason(system: System, text: str) -> None:
    with pytest.raises(NoAnswer, match="division by zero"):
        system.metric(text)


@pytest.mark.parametrize("text", ["per_part >= 0/s", "per_part <= 1/s", "response <= 1 s / part"])
def test_an_assertion_on_an_undefined_figure_is_false(system: System, text: str) -> None:
    from qnet.questions.solve.solve import solve_report

    (problem,) = solve_report(system, asserted=[text]).broken
    assert "division by zero" in problem.found


def test_an_assertion_over_a_sweep_on_an_infinite_figure_is_false(system: System) -> None:
    from qnet.questions.sweep.sweep import sweep, sweep_report

    (problem,) = sweep_report(sweep(system, ["part=1,0"]), asserted=["per_part >= 0/s"]).broken
    assert "division by zero" in problem.found
    assert "at 1 of 2 points, first at point 2" in problem.found


def test_a_limit_of_no_capacity_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(MODEL + '\n[limits]\ndisk = { load = "rate", capacity = "part * 1/s" }\n')
    system = qnet.load(str(path))
    for ask in (system.solve, system.why, system.bottleneck):
        with pytest.raises(NoAnswer, match='the capacity of "disk" is 0'):
            ask()


def test_a_store_that_is_drained_in_no_time_is_never_full(tmp_path: Path) -> None:
    text = Path("examples/fast-write-buffer.toml").read_text().replace("10.5 ms", "0 ms")
    for full in ("wait", "lost"):
        path = tmp_path / f"{full}.toml"
        path.write_text(text.replace("nvs = {", f'nvs = {{ full = "{full}",'))
        assert qnet.load(str(path)).metric("found_full('nvs')") == pytest.approx(0, abs=1e-12)


def test_a_store_that_nobody_fills_is_never_full() -> None:
    system = qnet.load("examples/fast-write-buffer.toml").set(destages_per_write=0)
    assert system.metric("found_full('nvs')") == 0
    assert system.metric("occupancy('nvs')") == 0


def test_a_knee_refuses_a_method_that_does_not_apply() -> None:
    with pytest.raises(qnet.errors.NotComputed, match="linearizer does not apply"):
        qnet.load("examples/one-queue.toml").knee(method="linearizer")


def test_a_lattice_of_five_hundred_classes_is_estimated() -> None:
    from qnet.networks.product.network import Network

    network = Network(demands=[[0.1] * 500, [0.2] * 500], population=[100] * 500, think_time=[1.0] * 500)
    with pytest.raises(qnet.errors.NotComputed):
        network.solve(method="lattice-mva")


def test_an_envelope_says_why_an_assertion_is_undefined(system: System) -> None:
    from qnet.networks.wanted import Wanted
    from qnet.questions.envelope.envelope import envelope
    from qnet.questions.envelope.question import questions
    from qnet.questions.envelope.report import envelope_report

    asked = questions(system, (), "rate", ("response <= 1 s",), (), "", "", Wanted())
    (problem,) = envelope_report(system, [envelope(item) for item in asked], ["per_part <= 1/s"]).broken
    assert "division by zero" in problem.found


def test_a_reason_stands_once(system: System) -> None:
    notes = [
        note for note in system.sweep("rate=1/s,2/s", metric=["per_part", "per_part"]).notes if note.code == "QN735"
    ]
    assert len(notes) == 1
