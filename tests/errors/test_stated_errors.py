"""An approximate answer states the measured errors of its method, by feature, unless they were not measured for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import qnet
from qnet.networks import measured_errors
from qnet.networks.measured_errors import MEASURED, errors_by_feature, percent
from qnet.networks.reasons import SENTENCES, Inexact, Reason
from qnet.networks.solvers.table import TABLE

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = {"missed revolutions", "percentiles"}
"""The features of a function of the language, and of percentiles."""
MEASURED_BY: dict[str, tuple[str, ...]] = {
    **measured_errors._BY_REASON, **measured_errors._OF_METHOD  # pyright: ignore[reportPrivateUsage]
}  # fmt: skip
BESIDE = measured_errors._WITH  # pyright: ignore[reportPrivateUsage]


def stated(system: qnet.System) -> list[str]:
    """The texts of the notes on measured errors."""
    return [note.text for note in system.solve().notes if note.code == "QN741"]


def worst(feature: str, method: str) -> float:
    rows = [row for row in MEASURED.values() if row.feature == feature and row.solver == method and row.trusted]
    return max(row.worst for row in rows if row.quantity in ("response", "throughput"))


def test_every_feature_is_stated_for_some_reason_or_method():
    features = {feature for names in MEASURED_BY.values() for feature in names}
    assert features | ELSEWHERE == {row.feature for row in MEASURED.values() if row.trusted}


def test_rows_are_of_methods_of_the_table():
    names = {row.name for row in TABLE}
    trusted = [row for row in MEASURED.values() if row.trusted and row.feature not in ELSEWHERE]
    assert {row.solver for row in trusted} <= names


@pytest.mark.parametrize("code", sorted({*measured_errors._BY_REASON, *BESIDE}))  # pyright: ignore[reportPrivateUsage]
def test_codes_are_those_of_reasons(code: str):
    assert code == "approximation" or code in SENTENCES or str(Reason(code)) != code


@pytest.mark.parametrize(
    ("name", "feature", "method"),
    [
        ("disk-array", "holds", "open"),
        ("priority-batch", "priorities", "priority-mva"),
        ("file-server-agents", "layers", "layers"),
        ("memory-limit", "memory", "flow-equivalent"),
        ("clients-and-write-buffer", "buffer", "flow-equivalent"),
        ("short-and-long-jobs", "first come first served", "residual-service"),
        ("object-store", "service times in open networks", "qna"),
        ("million-users", "product form", "linearizer"),
        ("p390-array", "second phases", "open"),
        ("search-fan-out", "fork-join", "residual-service"),
    ],
)
def test_an_approximate_answer_states_the_errors_of_its_method(name: str, feature: str, method: str):
    (text,) = stated(qnet.load(name))
    assert text.startswith("measured errors of response and throughput: ")
    if feature == "product form":
        largest = max(row.worst for row in MEASURED.values() if row.method == method)
    elif feature == "fork-join":
        largest = MEASURED["fork-join: closed classes"].worst
    else:
        largest = worst(feature, method)
    assert f"{feature} up to {percent(largest)}, half below " in text


def test_a_variant_of_a_method_has_errors_of_its_own():
    plain, other = (errors_by_feature(["aql"], ["approximation"], of) for of in ((), ("aql, seidmann",)))
    rows = [row for row in MEASURED.values() if row.method == "aql, seidmann"]
    assert other[0].worst == max(row.worst for row in rows) > plain[0].worst


def test_the_variant_that_was_asked_for_is_stated():
    network = qnet.Network([[0.12], [0.05]], population=[20], think_time=[5.0], servers=[4, 1])
    notes = network.solve(method="aql", servers_correction="seidmann").notes
    (note,) = [note for note in notes if note.code == "QN741"]
    (errors,) = errors_by_feature(["aql"], ["approximation"], ["aql, seidmann"])
    assert str(errors) in note.text


def test_an_exact_answer_states_no_errors():
    assert stated(qnet.load("interactive-users")) == []


def test_an_answer_with_a_warning_states_no_errors():
    report = qnet.load("ibm-3990-6").set(rate="930/s").solve()
    codes = [note.code for note in report.notes]
    assert "QN716" in codes and "QN741" not in codes


def test_a_combination_that_was_not_measured_states_no_errors():
    """Branches of different times were measured by no row."""
    assert stated(qnet.load("raid-stripe")) == []
    assert errors_by_feature(["open"], ["joined branches"])
    assert not errors_by_feature(["open"], ["joined branches", "different times"])


def test_figures_with_larger_errors_are_named():
    (text,) = stated(qnet.load("file-server-agents"))
    lengths = [row for row in MEASURED.values() if row.feature == "layers" and row.quantity == "queue length"]
    assert f"(queue length up to {percent(max(row.worst for row in lengths if row.trusted))})" in text


def test_percentiles_state_their_errors_unless_they_are_exact_or_warned_of():
    rows = [row for row in MEASURED.values() if row.feature == "percentiles" and row.trusted]
    report = qnet.load("object-store").solve(percentile=[95])
    text = f"measured errors: percentiles up to {percent(max(row.worst for row in rows))}, half below "
    assert any(note.text.startswith(text) for note in report.notes)


@pytest.mark.parametrize("question", ["sweep", "envelope", "sensitivity", "knee"])
def test_questions_state_them_as_well(question: str):
    system = qnet.load("disk-array")
    asked = {
        "sweep": lambda: system.sweep("rate=10/s:100/s:30/s"),
        "envelope": lambda: system.envelope(limit="response <= 30 ms", vary="rate"),
        "sensitivity": lambda: system.sensitivity(metric="response"),
        "knee": system.knee,
    }
    assert [note.code for note in asked[question]().notes][:2] == ["QN601", "QN741"]


def test_a_comparison_states_them_by_side():
    report = qnet.load("disk-array").compare(qnet.load("file-server-agents"))
    texts = [note.text for note in report.notes if note.code == "QN741"]
    assert [text.partition(" up to ")[0] for text in texts] == [
        "A: measured errors of response and throughput: holds",
        "B: measured errors of response and throughput: layers",
    ]


def test_a_brief_answer_for_a_ticket_states_the_largest():
    lines = str(qnet.load("ibm-3990-6").why(brief=True))
    features = ("holds", "second phases")
    largest = max(worst(feature, "open") for feature in features)
    assert f"Approximate, by open: errors measured up to {percent(largest)}, half below " in " ".join(lines.split())


@pytest.mark.parametrize("brief", [False, True])
def test_an_explanation_has_the_warnings_of_the_answer(brief: bool):
    """They were lost: a ticket said that the answer is approximate, and no more."""
    system = qnet.load("ibm-3990-6").set(rate="930/s")
    (warning,) = [note for note in system.solve().notes if note.severity == "warning"]
    report = system.why(brief=brief)
    assert warning.text in [note.text for note in report.notes]
    assert f"[{warning.code}]" in str(report) and "errors measured" not in str(report)


@pytest.mark.parametrize(
    "question",
    ["solve", "sweep", "envelope", "knee", "bottleneck", "why", "sensitivity", "tornado", "uncertainty", "compare"],
)
def test_every_question_has_the_warning_of_its_answer(question: str):
    system = qnet.load("ibm-3990-6").set(rate="930/s")
    asked: dict[str, Callable[[], qnet.Report]] = {
        "solve": system.solve,
        "sweep": lambda: system.sweep("write_fraction=0,0.1", metric="response"),
        "envelope": lambda: system.envelope(limit="response <= 14 ms", vary="rate"),
        "knee": system.knee,
        "bottleneck": system.bottleneck,
        "why": system.why,
        "sensitivity": lambda: system.sensitivity(metric="response", by="read_hit"),
        "tornado": lambda: system.tornado(metric="response", within="1%"),
        "uncertainty": lambda: system.uncertainty(sample=20, metric="response", within="1%"),
        "compare": lambda: system.compare(system.set(rate="940/s")),
    }
    assert "QN716" in [note.code for note in asked[question]().notes if note.severity == "warning"]


def test_an_explanation_states_the_errors_by_feature():
    rows = qnet.load("file-server-agents").why().records()
    (text,) = [row["text"] for row in rows if str(row["text"]).startswith("Measured errors")]
    assert f"layers up to {percent(worst('layers', 'layers'))}, half below " in text


def test_the_readme_quotes_the_errors_of_holds():
    (errors,) = errors_by_feature(["open"], [Inexact(Reason("holds")).reason.code])
    assert f"`{errors}`" in (ROOT / "README.md").read_text()
